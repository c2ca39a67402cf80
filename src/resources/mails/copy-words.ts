/**
 * Words of the mail that respondents get, by language: those of the pages of forms, and reviewed with them.
 * `{form}`, `{reference}` and `{host}` are filled in.
 */
import type { LanguageOfWords } from "../../fields/languages.ts";

export interface CopyWords {
  yes: string;
  no: string;
  subject: string;
  heading: string;
  text: string;
  reference: string;
  /** In the name of a file. */
  receipt: string;
  footer: string;
  /** The link by which the respondent can change what was sent. */
  change: string;
  changeText: string;
  /** The link to what was saved. */
  resume: { subject: string; text: string; button: string; footer: string };
  /** An invitation, and each reminder of it. */
  invitation: {
    subject: string;
    reminder: string;
    text: string;
    button: string;
    /** `{day}`: from then on the link leads nowhere. */
    until: string;
    footer: string;
    unsubscribe: string;
  };
}

export const copyWords: Readonly<Record<LanguageOfWords, CopyWords>> = {
  en: {
    yes: "Yes",
    no: "No",
    subject: "Your submission {reference}: {form}",
    heading: "Your submission has arrived",
    text: "Thank you. What you entered in the form “{form}” has arrived.",
    reference: "Reference",
    receipt: "receipt",
    footer: "This address was entered in the form “{form}” on {host}. If that was not you, ignore this mail.",
    change: "Change what you sent",
    changeText: "By this link you can change it. Keep it: whoever has it can do the same.",
    resume: {
      subject: "Continue the form “{form}”",
      text: "By this link you can continue the form “{form}” where you saved it. Nothing has been sent yet. Whoever has the link can read your answers.",
      button: "Continue the form",
      footer:
        "This address was entered on {host} for this mail, and is not stored. If that was not you, ignore this mail.",
    },
    invitation: {
      subject: "Invitation: {form}",
      reminder: "Reminder: {form}",
      text: "You are invited to fill in the form “{form}”. The link is yours alone: do not pass it on.",
      button: "Open the form",
      until: "The link works until {day}.",
      footer: "The people who run the form “{form}” on {host} have invited you by this address.",
      unsubscribe: "No more mail about this form",
    },
  },
  de: {
    yes: "Ja",
    no: "Nein",
    subject: "Ihre Einsendung {reference}: {form}",
    heading: "Ihre Einsendung ist angekommen",
    text: "Vielen Dank. Was Sie in das Formular „{form}“ eingetragen haben, ist angekommen.",
    reference: "Zeichen",
    receipt: "quittung",
    footer:
      "Diese Adresse wurde in das Formular „{form}“ auf {host} eingetragen. Waren Sie das nicht, ist nichts zu tun.",
    change: "Ihre Angaben ändern",
    changeText:
      "Über diesen Link können Sie Ihre Angaben ändern. Bewahren Sie ihn auf: Wer ihn hat, kann das auch.",
    resume: {
      subject: "Das Formular „{form}“ weiter ausfüllen",
      text: "Über diesen Link können Sie das Formular „{form}“ dort weiter ausfüllen, wo Sie es gespeichert haben. Gesendet ist noch nichts. Wer den Link hat, kann Ihre Angaben lesen.",
      button: "Weiter ausfüllen",
      footer:
        "Diese Adresse wurde auf {host} für diese E-Mail eingegeben und wird nicht gespeichert. Waren Sie das nicht, ist nichts zu tun.",
    },
    invitation: {
      subject: "Einladung: {form}",
      reminder: "Erinnerung: {form}",
      text: "Sie sind eingeladen, das Formular „{form}“ auszufüllen. Der Link ist nur für Sie: Geben Sie ihn nicht weiter.",
      button: "Formular öffnen",
      until: "Der Link gilt bis {day}.",
      footer: "Der Betreiber des Formulars „{form}“ auf {host} hat Sie über diese Adresse eingeladen.",
      unsubscribe: "Keine E-Mails mehr zu diesem Formular",
    },
  },
  fr: {
    yes: "Oui",
    no: "Non",
    subject: "Votre envoi {reference} : {form}",
    heading: "Votre envoi a bien été reçu",
    text: "Merci. Ce que vous avez saisi dans le formulaire « {form} » a bien été reçu.",
    reference: "Référence",
    receipt: "récépissé",
    footer:
      "Cette adresse a été saisie dans le formulaire « {form} » sur {host}. Si ce n’était pas vous, ignorez ce message.",
    change: "Modifier ce que vous avez envoyé",
    changeText:
      "Avec ce lien, vous pouvez modifier vos réponses. Conservez-le : quiconque le possède peut faire de même.",
    resume: {
      subject: "Reprendre le formulaire « {form} »",
      text: "Avec ce lien, vous pouvez reprendre le formulaire « {form} » là où vous l’avez enregistré. Rien n’a encore été envoyé. Quiconque possède ce lien peut lire vos réponses.",
      button: "Reprendre le formulaire",
      footer:
        "Cette adresse a été saisie sur {host} pour ce message et n’est pas conservée. Si ce n’était pas vous, ignorez ce message.",
    },
    invitation: {
      subject: "Invitation : {form}",
      reminder: "Rappel : {form}",
      text: "Nous vous invitons à remplir le formulaire « {form} ». Ce lien est personnel : ne le transmettez à personne.",
      button: "Ouvrir le formulaire",
      until: "Le lien est valable jusqu’au {day}.",
      footer:
        "La personne responsable du formulaire « {form} » sur {host} vous a envoyé cette invitation à cette adresse.",
      unsubscribe: "Ne plus recevoir de messages sur ce formulaire",
    },
  },
  es: {
    yes: "Sí",
    no: "No",
    subject: "Su envío {reference}: {form}",
    heading: "Su envío se ha recibido",
    text: "Gracias. Se ha recibido lo que ha escrito en el formulario «{form}».",
    reference: "Referencia",
    receipt: "justificante",
    footer:
      "Esta dirección se ha escrito en el formulario «{form}» en {host}. Si no ha sido usted, ignore este mensaje.",
    change: "Modificar lo que ha enviado",
    changeText:
      "Con este enlace puede modificar sus respuestas. Consérvelo: quien lo tenga puede hacer lo mismo.",
    resume: {
      subject: "Continuar el formulario «{form}»",
      text: "Con este enlace puede continuar el formulario «{form}» donde lo guardó. Todavía no se ha enviado nada. Quien tenga el enlace puede leer sus respuestas.",
      button: "Continuar el formulario",
      footer:
        "Esta dirección se ha escrito en {host} para este mensaje y no se guarda. Si no ha sido usted, ignore este mensaje.",
    },
    invitation: {
      subject: "Invitación: {form}",
      reminder: "Recordatorio: {form}",
      text: "Le invitamos a rellenar el formulario «{form}». El enlace es personal: no lo comparta con nadie.",
      button: "Abrir el formulario",
      until: "El enlace es válido hasta el {day}.",
      footer:
        "La persona responsable del formulario «{form}» en {host} le ha enviado la invitación a esta dirección.",
      unsubscribe: "No recibir más mensajes sobre este formulario",
    },
  },
  it: {
    yes: "Sì",
    no: "No",
    subject: "Invio {reference}: {form}",
    heading: "Il modulo inviato è stato ricevuto",
    text: "Grazie. I dati inseriti nel modulo «{form}» sono stati ricevuti.",
    reference: "Riferimento",
    receipt: "ricevuta",
    footer:
      "Questo indirizzo è stato inserito nel modulo «{form}» su {host}. Se si tratta di un errore, ignorare questo messaggio.",
    change: "Modifica i dati inviati",
    changeText:
      "Con questo link è possibile modificare le risposte. Conservare il link: chiunque lo possieda può fare lo stesso.",
    resume: {
      subject: "Continuare il modulo «{form}»",
      text: "Con questo link è possibile continuare il modulo «{form}» dal punto in cui è stato salvato. Non è stato ancora inviato nulla. Chiunque possieda il link può leggere le risposte.",
      button: "Continua il modulo",
      footer:
        "Questo indirizzo è stato inserito su {host} per questo messaggio e non viene conservato. Se si tratta di un errore, ignorare questo messaggio.",
    },
    invitation: {
      subject: "Invito: {form}",
      reminder: "Promemoria: {form}",
      text: "Invito a compilare il modulo «{form}». Il link è personale: non inoltrarlo ad altri.",
      button: "Apri il modulo",
      until: "Il link è valido fino al giorno {day}.",
      footer:
        "L’invito è stato inviato a questo indirizzo dalla persona responsabile del modulo «{form}» su {host}.",
      unsubscribe: "Non ricevere altri messaggi su questo modulo",
    },
  },
  nl: {
    yes: "Ja",
    no: "Nee",
    subject: "Uw inzending {reference}: {form}",
    heading: "Uw inzending is aangekomen",
    text: "Dank u wel. Wat u in het formulier ‘{form}’ hebt ingevuld, is aangekomen.",
    reference: "Referentienummer",
    receipt: "ontvangstbewijs",
    footer:
      "Dit adres is ingevuld in het formulier ‘{form}’ op {host}. Was u dat niet, dan hoeft u niets te doen.",
    change: "Wijzigen wat u hebt verzonden",
    changeText: "Met deze link kunt u uw antwoorden wijzigen. Bewaar de link: wie hem heeft, kan dat ook.",
    resume: {
      subject: "Verdergaan met het formulier ‘{form}’",
      text: "Met deze link kunt u verdergaan met het formulier ‘{form}’ waar u het hebt opgeslagen. Er is nog niets verzonden. Wie de link heeft, kan uw antwoorden lezen.",
      button: "Verdergaan met het formulier",
      footer:
        "Dit adres is op {host} ingevuld voor deze e-mail en wordt niet opgeslagen. Was u dat niet, dan hoeft u niets te doen.",
    },
    invitation: {
      subject: "Uitnodiging: {form}",
      reminder: "Herinnering: {form}",
      text: "U bent uitgenodigd om het formulier ‘{form}’ in te vullen. De link is alleen voor u: geef hem niet door.",
      button: "Formulier openen",
      until: "De link werkt tot {day}.",
      footer: "De beheerder van het formulier ‘{form}’ op {host} heeft u via dit adres uitgenodigd.",
      unsubscribe: "Geen e-mails meer over dit formulier",
    },
  },
  pl: {
    yes: "Tak",
    no: "Nie",
    subject: "Zgłoszenie {reference}: {form}",
    heading: "Zgłoszenie dotarło",
    text: "Dziękujemy. Dane wpisane w formularzu „{form}” dotarły.",
    reference: "Numer",
    receipt: "potwierdzenie",
    footer:
      "Ten adres wpisano w formularzu „{form}” w serwisie {host}. Jeśli to pomyłka, prosimy zignorować tę wiadomość.",
    change: "Zmień wysłane odpowiedzi",
    changeText:
      "Ten link pozwala zmienić wysłane odpowiedzi. Zachowaj ten link: kto go ma, może zrobić to samo.",
    resume: {
      subject: "Dokończ formularz „{form}”",
      text: "Ten link pozwala kontynuować wypełnianie formularza „{form}” w zapisanym miejscu. Nic jeszcze nie zostało wysłane. Kto ma ten link, może przeczytać odpowiedzi.",
      button: "Kontynuuj wypełnianie",
      footer:
        "Ten adres wpisano w serwisie {host} na potrzeby tej wiadomości. Nie jest on przechowywany. Jeśli to pomyłka, prosimy zignorować tę wiadomość.",
    },
    invitation: {
      subject: "Zaproszenie: {form}",
      reminder: "Przypomnienie: {form}",
      text: "Zapraszamy do wypełnienia formularza „{form}”. Link jest osobisty: prosimy nikomu go nie przekazywać.",
      button: "Otwórz formularz",
      until: "Link działa do {day}.",
      footer:
        "Zaproszenie wysłała na ten adres osoba odpowiedzialna za formularz „{form}” w serwisie {host}.",
      unsubscribe: "Nie chcę więcej wiadomości o tym formularzu",
    },
  },
  pt: {
    yes: "Sim",
    no: "Não",
    subject: "O seu envio {reference}: {form}",
    heading: "O seu envio foi recebido",
    text: "Agradecemos o seu envio. O que escreveu no formulário «{form}» foi recebido.",
    reference: "Referência",
    receipt: "comprovativo",
    footer:
      "Este endereço foi indicado no formulário «{form}» em {host}. Se não foi indicado por si, ignore esta mensagem.",
    change: "Alterar o que enviou",
    changeText:
      "Com esta ligação pode alterar as suas respostas. Conserve-a: quem a tiver pode fazer o mesmo.",
    resume: {
      subject: "Continuar o formulário «{form}»",
      text: "Com esta ligação pode continuar o formulário «{form}» onde o guardou. Ainda não foi enviado nada. Quem tiver a ligação pode ler as suas respostas.",
      button: "Continuar o formulário",
      footer:
        "Este endereço foi indicado em {host} para esta mensagem e não fica guardado. Se não foi indicado por si, ignore esta mensagem.",
    },
    invitation: {
      subject: "Convite: {form}",
      reminder: "Lembrete: {form}",
      text: "Este é um convite para preencher o formulário «{form}». A ligação é pessoal: não a partilhe com ninguém.",
      button: "Abrir o formulário",
      until: "A ligação é válida até {day}.",
      footer:
        "A pessoa responsável pelo formulário «{form}» em {host} enviou-lhe o convite para este endereço.",
      unsubscribe: "Não receber mais mensagens sobre este formulário",
    },
  },
  sv: {
    yes: "Ja",
    no: "Nej",
    subject: "Ditt svar {reference}: {form}",
    heading: "Ditt svar har kommit fram",
    text: "Tack. Dina svar i formuläret ”{form}” har kommit fram.",
    reference: "Referens",
    receipt: "kvitto",
    footer:
      "Den här adressen har angetts i formuläret ”{form}” på {host}. Om det inte var du behöver du inte göra något.",
    change: "Ändra det du skickade",
    changeText: "Med den här länken kan du ändra dina svar. Spara länken: den som har den kan göra detsamma.",
    resume: {
      subject: "Fortsätt med formuläret ”{form}”",
      text: "Med den här länken kan du fortsätta med formuläret ”{form}” där du sparade det. Inget har skickats än. Den som har länken kan läsa dina svar.",
      button: "Fortsätt med formuläret",
      footer:
        "Den här adressen har angetts på {host} för det här mejlet och sparas inte. Om det inte var du behöver du inte göra något.",
    },
    invitation: {
      subject: "Inbjudan: {form}",
      reminder: "Påminnelse: {form}",
      text: "Du är inbjuden att fylla i formuläret ”{form}”. Länken är personlig: skicka den inte vidare.",
      button: "Öppna formuläret",
      until: "Länken gäller fram till {day}.",
      footer: "Den som ansvarar för formuläret ”{form}” på {host} har bjudit in dig via den här adressen.",
      unsubscribe: "Inga fler mejl om det här formuläret",
    },
  },
  uk: {
    yes: "Так",
    no: "Ні",
    subject: "Ваша відповідь {reference}: {form}",
    heading: "Вашу відповідь отримано",
    text: "Дякуємо. Дані, які ви ввели у формі «{form}», отримано.",
    reference: "Номер",
    receipt: "підтвердження",
    footer:
      "Цю адресу введено у формі «{form}» на сайті {host}. Якщо це були не ви, нічого не потрібно робити.",
    change: "Змінити надіслане",
    changeText:
      "За цим посиланням ви можете змінити свої відповіді. Збережіть посилання: той, хто його має, може зробити те саме.",
    resume: {
      subject: "Продовжити заповнення форми «{form}»",
      text: "За цим посиланням ви можете продовжити заповнювати форму «{form}» там, де ви її зберегли. Ще нічого не надіслано. Той, хто має посилання, може прочитати ваші відповіді.",
      button: "Продовжити заповнення",
      footer:
        "Цю адресу введено на сайті {host} для цього листа, і її не збережено. Якщо це були не ви, нічого не потрібно робити.",
    },
    invitation: {
      subject: "Запрошення: {form}",
      reminder: "Нагадування: {form}",
      text: "Запрошуємо вас заповнити форму «{form}». Посилання лише для вас: не передавайте його нікому.",
      button: "Відкрити форму",
      until: "До {day} посилання дійсне.",
      footer: "Запрошення на цю адресу надіслала особа, відповідальна за форму «{form}» на сайті {host}.",
      unsubscribe: "Більше не надсилати листів про цю форму",
    },
  },
  ar: {
    yes: "نعم",
    no: "لا",
    subject: "إجاباتكم {reference}: {form}",
    heading: "وصلت إجاباتكم",
    text: "شكرًا لكم. وصل ما أُدخل في النموذج «{form}».",
    reference: "الرقم المرجعي",
    receipt: "إيصال",
    footer:
      "أُدخل هذا العنوان في النموذج «{form}» على {host}. إن كان ذلك عن طريق الخطأ، فيُرجى تجاهل هذه الرسالة.",
    change: "تغيير ما أُرسل",
    changeText: "يمكن بهذا الرابط تغيير الإجابات. يُرجى الاحتفاظ بالرابط: يمكن لمن لديه الرابط فعل ذلك أيضًا.",
    resume: {
      subject: "متابعة النموذج «{form}»",
      text: "يمكن بهذا الرابط متابعة النموذج «{form}» من حيث حُفظ. لم يُرسل أي شيء بعد. يمكن لمن لديه الرابط قراءة الإجابات.",
      button: "متابعة النموذج",
      footer:
        "أُدخل هذا العنوان على {host} من أجل هذه الرسالة ولا يُحفظ. إن كان ذلك عن طريق الخطأ، فيُرجى تجاهل هذه الرسالة.",
    },
    invitation: {
      subject: "دعوة: {form}",
      reminder: "تذكير: {form}",
      text: "ندعوكم إلى تعبئة النموذج «{form}». الرابط شخصي: يُرجى عدم إعطائه لأي شخص آخر.",
      button: "فتح النموذج",
      until: "الرابط صالح حتى {day}.",
      footer: "أرسلت الجهة المسؤولة عن النموذج «{form}» على {host} هذه الدعوة إلى هذا العنوان.",
      unsubscribe: "إيقاف الرسائل المتعلقة بهذا النموذج",
    },
  },
};
