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
    change: "Das Gesendete ändern",
    changeText: "Über diesen Link können Sie es ändern. Bewahren Sie ihn auf: Wer ihn hat, kann das auch.",
    resume: {
      subject: "Das Formular „{form}“ weiter ausfüllen",
      text: "Über diesen Link können Sie das Formular „{form}“ weiter ausfüllen, wo Sie es gespeichert haben. Gesendet ist noch nichts. Wer den Link hat, kann Ihre Antworten lesen.",
      button: "Weiter ausfüllen",
      footer:
        "Diese Adresse wurde auf {host} für diese E-Mail eingetragen und ist nicht gespeichert. Waren Sie das nicht, ist nichts zu tun.",
    },
    invitation: {
      subject: "Einladung: {form}",
      reminder: "Erinnerung: {form}",
      text: "Sie sind eingeladen, das Formular „{form}“ auszufüllen. Der Link ist nur für Sie: Geben Sie ihn nicht weiter.",
      button: "Formular öffnen",
      until: "Der Link gilt bis {day}.",
      footer: "Die Betreiber des Formulars „{form}“ auf {host} haben Sie über diese Adresse eingeladen.",
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
};
