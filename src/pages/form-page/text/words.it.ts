/**
 * Italian. Terms compared with the Design System .italia (italia/design-angular-kit) and the European
 * Commission (EUSurvey/EUSURVEY, openeuropa/oe_theme).
 */
import type { PageWords } from "./words.ts";

export const italian: PageWords = {
  yes: "Sì",
  no: "No",
  choose: "Scegliere…",
  other: "Altro",
  noAnswer: "Nessuna risposta",
  scaleEnds: { least: "minimo", greatest: "massimo" },
  optional: "facoltativo",
  remove: "Elimina",
  full: "{label} (al completo)",
  left: {
    one: "{label} (resta {n} posto)",
    many: "{label} (restano {n} di posti)",
    other: "{label} (restano {n} posti)",
  },
  place: "{n}º posto",
  addressParts: {
    line1: "Indirizzo",
    line2: "Informazioni aggiuntive",
    city: "Comune o località",
    region: "Provincia o regione",
    postalCode: "Codice postale",
    country: "Paese",
  },
  moment: { local: "Data e ora", zone: "Fuso orario", inZone: "Fuso orario: {zone}." },
  characters: { left: "Caratteri rimasti: {n}", over: "Caratteri in più: {n}" },
  submit: "Invia",
  sending: "Invio in corso…",
  errorTitle: "Errore: {title}",
  errorHeading: "C’è un problema",
  unknownName: "Questo modulo non ha il campo «{name}».",
  changed: {
    heading: "Questo modulo è cambiato",
    message:
      "È stato aggiornato durante la compilazione e non è stato ancora inviato nulla. Le risposte sono ancora qui. Controllare i campi evidenziati, poi inviare di nuovo.",
    field: "Nuovo o modificato",
  },
  more: {
    heading: "Ci sono altre domande",
    message:
      "Dipendono dalle risposte date e non è stato ancora inviato nulla. Rispondere alle domande evidenziate, poi continuare.",
    field: "Nuova domanda",
    appeared: { one: "È comparsa 1 altra domanda.", several: "Nuove domande: {n}." },
  },
  notCalculated: "Calcolato in base alle altre risposte",
  captcha: {
    noScript: "Questo modulo richiede JavaScript per il controllo di sicurezza.",
    working: "Controllo di sicurezza…",
    failed: {
      heading: "Il modulo non è stato inviato",
      message: "Il controllo di sicurezza non è riuscito. Inviare di nuovo il modulo.",
    },
  },
  uploads: {
    drop: "I file possono essere trascinati qui.",
    sending: "Caricamento in corso…",
    sent: "Caricamento completato: {names}",
    removed: "Eliminazione completata: {names}",
    failed: "Il caricamento non è riuscito. Scegliere di nuovo il file o inviarlo con il modulo.",
  },
  inSummary: "{label}: {sentence:lower}",
  labelEnds: "?!.:",
  meant: "Si intendeva {readings:or}? Scriverlo in questo modo.",
  skipped:
    "Quest’ora non esiste in quel giorno, a causa del passaggio all’ora legale. Inserire un’ora precedente o successiva.",
  isRight:
    "L’indirizzo «{address}» è corretto? La parte dopo @ non ha un punto. Correggerlo o inviarlo di nuovo così com’è.",
  steps: {
    position: "Passaggio {n} di {count}",
    next: "Continua",
    back: "Indietro",
    check: {
      heading: "Controllare le risposte",
      message: "Non è stato ancora inviato nulla. È possibile modificare le risposte di ogni passaggio.",
    },
    change: "Modifica",
    noValue: "Nessuna risposta",
    altered: {
      heading: "Controllare di nuovo le risposte",
      message:
        "Le risposte precedenti non sono arrivate intatte. Non è stato salvato nulla. Ripercorrere i passaggi: ognuno mostra ciò che è stato inviato.",
    },
  },
  draft: {
    restored: "Le risposte precedenti sono di nuovo qui. Erano conservate in questo browser.",
    kept: "Ciò che si inserisce è conservato in questo browser per una settimana o fino all’invio.",
    clear: "Cancella",
  },
  footer: {
    privacy: "Privacy",
    imprint: "Note legali",
    contact: "Contatti",
    newTab: "si apre in una nuova scheda",
  },
  alreadySent: {
    heading: "Questo modulo è già stato inviato",
    message:
      "È stato inviato da questa pagina con altre risposte. Le risposte qui presenti non sono state inviate. Per inviare anche queste, inviare di nuovo il modulo.",
  },
  openForLong: {
    heading: "Questa pagina è aperta da più di una settimana",
    message:
      "Non è più possibile sapere se il modulo è già stato inviato. Le risposte qui presenti non sono state inviate ora. Se non sono ancora state inviate, inviare di nuovo il modulo.",
  },
  sent: {
    heading: "Grazie",
    message: "Il modulo è stato inviato.",
    reference: "Numero di riferimento",
    values: "Dati inviati",
    notShown: "Inviato, non mostrato qui",
    copy: "Copia",
    copied: "Copiato",
    print: "Stampa",
    again: "Invia un’altra risposta",
  },
  resume: {
    save: "Salva e continua più tardi",
    heading: "Le risposte sono state salvate",
    message:
      "Non è stato ancora inviato nulla. Con questo link è possibile continuare fino al giorno {day}, da qualsiasi dispositivo.",
    link: "Link alle risposte",
    keep: "Conservare questo link: nessuno può crearlo di nuovo, nemmeno la persona responsabile del modulo. Chiunque lo possieda può leggere le risposte, modificarle e inviarle.",
    shared: "Su un computer usato anche da altre persone, chiudere questa pagina dopo avere copiato il link.",
    mail: "Invia il link per e-mail",
    address: "Indirizzo e-mail",
    addressHint: "Viene usato una sola volta, per questo messaggio, e non viene conservato.",
    mailed: "Il link sta per arrivare a {address}.",
    notMailed: "Al momento non è possibile inviare un messaggio a questo indirizzo. Copiare il link.",
    continue: "Continua ora",
    conflict: {
      heading: "Le risposte sono state salvate altrove",
      message:
        "Dopo l’apertura di questa pagina, altre risposte sono state salvate con lo stesso link. Sono ancora conservate. Salvare di nuovo per sostituirle con quelle di questa pagina.",
    },
    tooMuch: {
      heading: "I dati da salvare sono troppi",
      message: "Non è stato salvato nulla. Le risposte sono ancora in questa pagina: abbreviarle o inviarle.",
    },
    refused: {
      heading: "Al momento non è possibile salvare questo modulo",
      message:
        "Le risposte sono ancora in questa pagina e possono essere inviate. Provare a salvarle più tardi.",
    },
  },
  change: {
    link: "Modifica i dati inviati",
    until:
      "Con questo link è possibile modificare le risposte. Termine: {moment}. Conservare il link: chiunque lo possieda può fare lo stesso.",
    open: "Con questo link è possibile modificare le risposte finché il modulo è aperto. Conservare il link: chiunque lo possieda può fare lo stesso.",
    heading: "Modifica dei dati inviati",
    message: "Queste sono le risposte inviate. Restano come sono finché non vengono inviate delle modifiche.",
    notShown:
      "È stata inviata una risposta, che non viene mostrata. Lasciare vuoto il campo per conservarla.",
    submit: "Invia le modifiche",
    done: {
      heading: "Le modifiche sono state salvate",
      message: "Sostituiscono i dati inviati in precedenza.",
    },
    nothing: {
      heading: "Non è cambiato nulla",
      message: "Queste sono le risposte già inviate in precedenza.",
    },
    conflict: {
      heading: "Nel frattempo i dati inviati sono stati modificati",
      message:
        "Di questa pagina non è stato ancora salvato nulla. Dove la persona responsabile del modulo ha salvato un’altra risposta, questa compare accanto a quella inserita. Inviare di nuovo per salvare quella inserita.",
    },
    storedNow: "Valore attualmente salvato: {value}",
    ended: {
      heading: "Il termine per le modifiche è scaduto",
      message:
        "I dati inviati restano come sono. In caso di errori, rivolgersi alla persona responsabile del modulo.",
    },
    off: {
      heading: "Le modifiche non sono più possibili",
      message:
        "I dati inviati restano come sono. In caso di errori, rivolgersi alla persona responsabile del modulo.",
    },
    reviewed: {
      heading: "I dati inviati sono stati esaminati",
      message:
        "Non possono più essere modificati. In caso di errori, rivolgersi alla persona responsabile del modulo.",
    },
    held: {
      heading: "I dati inviati vengono conservati come sono",
      message:
        "Al momento non possono essere modificati. Per conoscere il motivo, rivolgersi alla persona responsabile del modulo.",
    },
    withdraw: {
      button: "Ritira il modulo inviato",
      heading: "Ritirare il modulo inviato?",
      message: "Tutti i dati inviati vengono eliminati. L’operazione non può essere annullata.",
      keep: "Non ritirare",
      done: {
        heading: "Il modulo inviato è stato ritirato",
        message: "I dati inviati sono stati eliminati.",
      },
    },
  },
  links: {
    unknown: {
      heading: "Questo link non porta da nessuna parte",
      message:
        "Potrebbe essere scaduto, o il modulo a cui portava è già stato inviato. Controllare di averlo copiato per intero.",
    },
    used: {
      heading: "Questo invito è già stato usato",
      message: "È servito a inviare il modulo, e ciò è possibile una sola volta.",
    },
    needed: {
      heading: "Questo modulo è riservato alle persone invitate",
      message: "Aprirlo con il link contenuto nell’invito.",
    },
  },
  retry: "Riprova",
  kept: "Le risposte sono conservate in questa pagina.",
  closed: {
    not_open: { heading: "Questo modulo non è ancora aperto", message: "Data di apertura: {moment}." },
    closed: { heading: "Questo modulo è chiuso", message: "Data di chiusura: {moment}." },
    full: {
      heading: "Questo modulo è al completo",
      message: "Tutti i posti sono occupati. Non è stato inviato nulla.",
    },
  },
  offline: {
    heading: "Questo modulo al momento non è disponibile",
    message: "Riprovare più tardi o chiedere alla persona che ha inviato il link.",
  },
  badRequest: "Questa richiesta non è valida",
  failures: {
    bad_request: "La pagina di provenienza potrebbe non essere aggiornata. Aprire di nuovo il modulo.",
    not_found: {
      heading: "Qui non c’è nessun modulo",
      message: "Controllare l’indirizzo. Il modulo potrebbe essere stato spostato o disattivato.",
    },
    anonymous_not_allowed: {
      heading: "Questo modulo non è aperto al pubblico",
      message: "Non accetta invii da questa pagina. Chiedere alla persona che ha inviato il link.",
    },
    declared_agent_refused: {
      heading: "Questo modulo è destinato alle persone",
      message:
        "I programmi non possono inviarlo da questa pagina. Un agente software può usare l’API, se la persona responsabile del modulo lo consente.",
    },
    captcha_unavailable: {
      heading: "Questo modulo al momento non può essere inviato",
      message: "Il controllo di sicurezza non è disponibile. Riprovare più tardi.",
    },
    gone: "È stato archiviato e non accetta più invii.",
    method_not_allowed: {
      heading: "Questo indirizzo è di sola lettura",
      message: "Aprire di nuovo il modulo.",
    },
    payload_too_large: {
      heading: "I dati da inviare sono troppi",
      message: "Tornare indietro, abbreviare i testi e inviare di nuovo. Non è stato salvato nulla.",
    },
    invalid_content_type: "Il modulo deve essere inviato dalla sua pagina. Aprire di nuovo il modulo.",
    rate_limited: {
      heading: "Attendere un momento",
      message: "Ci sono state troppe richieste dalla stessa rete. Non è stato salvato nulla.",
    },
    internal_error: {
      heading: "Si è verificato un errore",
      message:
        "Non sappiamo se il modulo è stato salvato. È possibile inviarlo di nuovo da questa pagina senza rischi.",
    },
    unavailable: {
      heading: "Il servizio al momento non è disponibile",
      message:
        "Riprovare tra un momento. Anche se inviato più volte da questa pagina, il modulo viene salvato una sola volta.",
    },
  },
  wait: {
    one: "È possibile riprovare tra {n} secondo.",
    many: "È possibile riprovare tra {n} di secondi.",
    other: "È possibile riprovare tra {n} secondi.",
  },
  request: "Richiesta",
  hints: {
    between: "Minimo: {least}. Massimo: {n}.",
    number: { least: "{n} o più.", greatest: "{n} o meno." },
    moment: { least: "{n} o più tardi.", greatest: "{n} o prima." },
    length: {
      between: {
        one: "Da {least} a {n} carattere.",
        many: "Da {least} a {n} di caratteri.",
        other: "Da {least} a {n} caratteri.",
      },
      least: {
        one: "Almeno {n} carattere.",
        many: "Almeno {n} di caratteri.",
        other: "Almeno {n} caratteri.",
      },
      greatest: {
        one: "Al massimo {n} carattere.",
        many: "Al massimo {n} di caratteri.",
        other: "Al massimo {n} caratteri.",
      },
    },
    files: {
      between: "Da {least} a {n} file.",
      least: "Almeno {n} file.",
      greatest: "Al massimo {n} file.",
    },
    items: {
      exactly: "Opzioni da scegliere: {n}.",
      between: "Opzioni da scegliere: da {least} a {n}.",
      least: "Opzioni da scegliere: almeno {n}.",
      greatest: "Opzioni da scegliere: al massimo {n}.",
      any: "Scegliere tutte le opzioni pertinenti.",
    },
    fileSize: { one: "Al massimo {size}.", each: "Al massimo {size} per file." },
    domains: "Un indirizzo di {domains:or}.",
    phone: {
      international: "Con + e il prefisso internazionale, per esempio {international}.",
      national: "Per esempio {national} o {international}.",
    },
    url: "Per esempio https://example.com.",
    whole: "Un numero intero.",
    steps: "A passi di {n}.",
    allRows: {
      required: "Scegliere in ogni riga.",
      optional: "Se si sceglie in una riga, scegliere in tutte.",
    },
  },
  yesOrNo: "Scegliere sì o no.",
  oneOption: "Scegliere un’opzione.",
  tick: "Selezionare la casella per continuare.",
  rankAll: "Assegnare un posto a ogni opzione.",
  sentences: {
    required: {
      any: "Inserire una risposta.",
      email: "Inserire un indirizzo e-mail.",
      phone: "Inserire un numero di telefono.",
      url: "Inserire un indirizzo web.",
      number: "Inserire un numero.",
      integer: "Inserire un numero intero.",
      date: "Inserire una data.",
      time: "Inserire un’ora.",
      datetime: "Inserire una data e un’ora.",
      multi_select: "Scegliere almeno un’opzione.",
      ranking: "Ordinare le opzioni.",
      file: "Scegliere un file.",
      rating: "Scegliere una valutazione.",
      matrix: "Scegliere un’opzione in ogni riga.",
    },
    not_applicable: "Con le altre risposte questo non viene chiesto.",
    computed: "Questo valore è calcolato in base alle altre risposte. Controllarlo.",
    unknown_field: "Questo modulo non accetta una risposta qui.",
    type_mismatch: {
      any: "Inserire una risposta valida.",
      number: "Inserire un numero senza unità, per esempio {decimal}.",
      integer: "Inserire un numero intero, per esempio 12.",
    },
    format: {
      any: "Eliminare i caratteri che non possono essere salvati.",
      email: "Inserire un indirizzo e-mail, per esempio nome@example.com.",
      url: "Inserire un indirizzo web, per esempio https://example.com.",
      date: "Inserire una data che esiste, per esempio {day} o 2026-11-20.",
      time: "Inserire un’ora, per esempio 09:30.",
      datetime: "Inserire una data che esiste e un’ora.",
      address: "Scegliere un Paese dall’elenco.",
    },
    pattern: "Usare il formato richiesto.",
    min_length: {
      one: "Inserire almeno {n} carattere.",
      many: "Inserire almeno {n} di caratteri.",
      other: "Inserire almeno {n} caratteri.",
    },
    max_length: {
      one: "Inserire al massimo {n} carattere.",
      many: "Inserire al massimo {n} di caratteri.",
      other: "Inserire al massimo {n} caratteri.",
    },
    domain_not_allowed: "Inserire un indirizzo di {n:or}.",
    min_value: {
      any: "Inserire {n} o più.",
      date: "Inserire la data {n} o una successiva.",
      time: "Inserire {n} o un’ora successiva.",
      datetime: "Inserire {n} o una data e un’ora successive.",
    },
    max_value: {
      any: "Inserire {n} o meno.",
      date: "Inserire la data {n} o una precedente.",
      time: "Inserire {n} o un’ora precedente.",
      datetime: "Inserire {n} o una data e un’ora precedenti.",
    },
    step: "Inserire un multiplo di {n}.",
    option_full: "Un’opzione scelta è al completo. Sceglierne un’altra.",
    duplicate_item: {
      any: "Scegliere ogni opzione una sola volta.",
      ranking: "Assegnare un solo posto a ogni opzione.",
    },
    min_items: {
      any: {
        one: "Scegliere almeno {n} opzione.",
        many: "Scegliere almeno {n} di opzioni.",
        other: "Scegliere almeno {n} opzioni.",
      },
      file: "Scegliere almeno {n} file.",
    },
    max_items: {
      any: {
        one: "Scegliere al massimo {n} opzione.",
        many: "Scegliere al massimo {n} di opzioni.",
        other: "Scegliere al massimo {n} opzioni.",
      },
      file: "Scegliere al massimo {n} file.",
    },
    upload_not_found: "Un file non è più disponibile. Sceglierlo di nuovo.",
    required_part: "Compilare «{part}».",
  },
  cases: {
    ownEmail: "Inserire il proprio indirizzo e-mail.",
    ownPhone: "Inserire il proprio numero di telefono.",
    tooLong: "È troppo lungo. Abbreviarlo.",
    phone: {
      international: "Iniziare con + e il prefisso internazionale, per esempio {international}.",
      national: "Inserire un numero di telefono, per esempio {national} o {international}.",
    },
    option: "Scegliere una delle opzioni.",
    columns: "Scegliere una delle colonne.",
    columnsOfRow: "Scegliere una delle colonne per «{part}».",
    everyRow: "Scegliere un’opzione in ogni riga.",
    row: "Scegliere un’opzione per «{part}».",
    noSpace: "Non c’è più spazio per i file. Avvisare la persona responsabile del modulo.",
    filesTooLarge: "Scegliere file più piccoli: al massimo {size} in totale.",
    fileTooLarge: "Scegliere un file più piccolo: al massimo {size}.",
    malware: "Un file contiene software dannoso e non è stato accettato. Sceglierne un altro.",
    emptyFile: "Un file è vuoto. Sceglierne un altro.",
    otherContent: "Il contenuto di un file non corrisponde alla fine del suo nome. Sceglierne un altro.",
    otherContentThan:
      "Questo file non è di un tipo accettato ({kinds:or}), o la fine del suo nome è quella di un altro tipo. Sceglierne un altro.",
    otherType: "I file di questo tipo qui non sono accettati.",
    otherTypeThan: "Questo file non è di un tipo accettato ({kinds:or}). Sceglierne un altro.",
  },
  ownLabels: {
    email: /^(((il|la) )?(tuo|tua|suo|sua) )?(indirizzo (di )?)?(e-?mail|posta elettronica)\??$/i,
    phone: /^((il )?(tuo|suo) )?(numero di )?(telefono( cellulare)?|cellulare)\??$/i,
  },
  kinds: {
    image: "immagine",
    audio: "audio",
    video: "video",
    text: "testo",
    pdf: "PDF",
    jpg: "JPEG",
    word: "documento Word",
    excel: "cartella di lavoro Excel",
    powerpoint: "presentazione PowerPoint",
    any: "{extension}",
    letters: "",
    anyOfLetters: "{extension}",
  },
};
