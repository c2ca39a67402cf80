/** German. The gender of a label is unknown, so that sentences do not have it. */
import type { PageWords } from "./words.ts";

export const german: PageWords = {
  yes: "Ja",
  no: "Nein",
  choose: "Bitte wählen…",
  other: "Andere",
  noAnswer: "Keine Angabe",
  scaleEnds: { least: "am niedrigsten", greatest: "am höchsten" },
  optional: "freiwillig",
  remove: "Entfernen",
  full: "{label} (ausgebucht)",
  left: { one: "{label} (noch {n:plain} Platz)", other: "{label} (noch {n:plain} Plätze)" },
  place: "{n:plain}. Platz",
  addressParts: {
    line1: "Straße und Hausnummer",
    line2: "Adresszusatz",
    city: "Ort",
    region: "Bundesland oder Region",
    postalCode: "Postleitzahl",
    country: "Land",
  },
  moment: { local: "Datum und Uhrzeit", zone: "Zeitzone", inZone: "Zeitzone: {zone}." },
  characters: { left: "Noch {n} Zeichen", over: "{n} Zeichen zu viel" },
  submit: "Absenden",
  sending: "Wird gesendet …",
  errorTitle: "Fehler: {title}",
  errorHeading: "Bitte prüfen Sie Ihre Angaben",
  unknownName: "Dieses Formular hat kein Feld „{name}“.",
  changed: {
    heading: "Dieses Formular wurde geändert",
    message:
      "Es wurde aktualisiert, während Sie es ausgefüllt haben, und noch ist nichts gesendet. Ihre Angaben sind noch da. Prüfen Sie die markierten Felder, und senden Sie das Formular dann ab.",
    field: "Neu oder geändert",
  },
  more: {
    heading: "Es gibt weitere Fragen",
    message:
      "Sie ergeben sich aus Ihren Angaben, und noch ist nichts gesendet. Beantworten Sie die markierten Fragen, und machen Sie dann weiter.",
    field: "Neue Frage",
    appeared: { one: "Eine weitere Frage ist erschienen.", several: "{n} weitere Fragen sind erschienen." },
  },
  notCalculated: "Wird aus Ihren anderen Angaben berechnet",
  captcha: {
    noScript: "Dieses Formular braucht JavaScript für die Sicherheitsprüfung.",
    working: "Sicherheitsprüfung …",
    failed: {
      heading: "Das Formular wurde nicht gesendet",
      message: "Die Sicherheitsprüfung hat nicht geklappt. Bitte senden Sie das Formular noch einmal.",
    },
  },
  uploads: {
    drop: "Dateien können hier abgelegt werden.",
    sending: "Wird hochgeladen…",
    sent: "Hochgeladen: {names}",
    removed: "Entfernt: {names}",
    failed:
      "Das Hochladen ist nicht gelungen. Wählen Sie die Datei noch einmal, oder senden Sie sie mit dem Formular.",
  },
  inSummary: "{label}: {sentence}",
  labelEnds: "?!.:",
  meant: "Meinen Sie {readings:or}? Geben Sie es so ein.",
  skipped:
    "Diese Zeit gibt es an diesem Tag nicht: Die Uhren werden vorgestellt. Geben Sie eine frühere oder spätere ein.",
  isRight:
    "Stimmt „{address}“? Nach dem @ steht kein Punkt. Korrigieren Sie die Adresse, oder senden Sie sie noch einmal so ab.",
  steps: {
    position: "Schritt {n:plain} von {count:plain}",
    next: "Weiter",
    back: "Zurück",
    check: {
      heading: "Prüfen Sie Ihre Angaben",
      message: "Noch ist nichts gesendet. Sie können die Angaben jedes Schritts ändern.",
    },
    change: "Ändern",
    noValue: "Keine Angabe",
    altered: {
      heading: "Prüfen Sie Ihre Angaben noch einmal",
      message:
        "Ihre früheren Angaben kamen nicht unverändert an. Nichts ist gespeichert. Gehen Sie die Schritte noch einmal durch: Jeder zeigt, was gesendet wurde.",
    },
  },
  draft: {
    restored: "Ihre früheren Angaben sind wieder da. Dieser Browser hat sie aufbewahrt.",
    kept: "Was Sie eingeben, bleibt eine Woche in diesem Browser, oder bis Sie es senden.",
    clear: "Löschen",
  },
  footer: {
    privacy: "Datenschutz",
    imprint: "Impressum",
    contact: "Kontakt",
    newTab: "öffnet einen neuen Tab",
  },
  alreadySent: {
    heading: "Sie haben dieses Formular schon gesendet",
    message:
      "Es wurde von dieser Seite mit anderen Angaben gesendet. Die Angaben hier sind noch nicht gesendet. Um auch sie zu senden, senden Sie das Formular noch einmal ab.",
  },
  openForLong: {
    heading: "Diese Seite war länger als eine Woche offen",
    message:
      "Ob sie schon gesendet wurde, lässt sich nicht mehr feststellen. Die Angaben hier sind jetzt nicht gesendet worden. Wenn Sie sie noch nicht gesendet haben, senden Sie das Formular noch einmal ab.",
  },
  sent: {
    heading: "Vielen Dank",
    message: "Ihre Angaben wurden gesendet.",
    reference: "Ihre Vorgangsnummer",
    values: "Ihre Angaben",
    notShown: "Gesendet, wird hier nicht gezeigt",
    copy: "Kopieren",
    copied: "Kopiert",
    print: "Drucken",
    again: "Noch einmal ausfüllen",
  },
  /** Die Seite ist gespeichert, und über einen Link geht es weiter. */
  resume: {
    save: "Speichern und später weitermachen",
    heading: "Ihre Angaben sind gespeichert",
    message: "Gesendet ist noch nichts. Über diesen Link können Sie bis {day} weitermachen, auf jedem Gerät.",
    link: "Link zu Ihren Angaben",
    keep: "Bewahren Sie diesen Link auf: Niemand kann ihn noch einmal erstellen, auch nicht der Betreiber des Formulars. Wer ihn hat, kann Ihre Angaben lesen, ändern und senden.",
    shared:
      "Benutzen auch andere diesen Computer, schließen Sie diese Seite, sobald Sie den Link kopiert haben.",
    mail: "Link an mich senden",
    address: "E-Mail-Adresse",
    addressHint: "Sie wird einmal für diese E-Mail benutzt und nicht gespeichert.",
    mailed: "Der Link ist unterwegs an {address}.",
    notMailed: "An diese Adresse kann jetzt keine E-Mail gesendet werden. Kopieren Sie stattdessen den Link.",
    continue: "Jetzt weitermachen",
    conflict: {
      heading: "Ihre Angaben wurden an anderer Stelle gespeichert",
      message:
        "Seit Sie diese Seite geöffnet haben, wurden über denselben Link andere Angaben gespeichert. Sie sind noch da. Speichern Sie noch einmal, um sie durch die Angaben auf dieser Seite zu ersetzen.",
    },
    tooMuch: {
      heading: "Das ist zu viel zum Speichern",
      message:
        "Gespeichert ist nichts. Ihre Angaben stehen noch auf dieser Seite: Kürzen Sie sie, oder senden Sie sie.",
    },
    refused: {
      heading: "Dieses Formular kann jetzt nicht gespeichert werden",
      message:
        "Ihre Angaben stehen noch auf dieser Seite und können gesendet werden. Versuchen Sie später, sie zu speichern.",
    },
  },
  /** Was gesendet wurde, kann über einen Link geändert werden. */
  change: {
    link: "Ihre Angaben ändern",
    until:
      "Bis {moment} können Sie Ihre Angaben über diesen Link ändern. Bewahren Sie ihn auf: Wer ihn hat, kann das auch.",
    open: "Solange das Formular offen ist, können Sie Ihre Angaben über diesen Link ändern. Bewahren Sie ihn auf: Wer ihn hat, kann das auch.",
    heading: "Ihre Angaben ändern",
    message: "Das haben Sie gesendet. Es bleibt unverändert, bis Sie Änderungen senden.",
    notShown:
      "Sie haben hier etwas gesendet, das nicht gezeigt wird. Lassen Sie das Feld leer, um es zu behalten.",
    submit: "Änderungen senden",
    done: {
      heading: "Ihre Änderungen sind gespeichert",
      message: "Sie ersetzen, was Sie vorher gesendet haben.",
    },
    nothing: {
      heading: "Es hat sich nichts geändert",
      message: "Das sind die Angaben, die Sie schon gesendet haben.",
    },
    conflict: {
      heading: "Ihre Einsendung wurde inzwischen geändert",
      message:
        "Von dieser Seite ist noch nichts gespeichert. Wo der Betreiber des Formulars etwas anderes gespeichert hat, steht es neben Ihrer Angabe. Senden Sie noch einmal, um Ihre Angaben zu speichern.",
    },
    storedNow: "Jetzt gespeichert: {value}",
    ended: {
      heading: "Die Zeit für Änderungen ist vorbei",
      message:
        "Was Sie gesendet haben, bleibt, wie es ist. Wenden Sie sich an den Betreiber des Formulars, wenn etwas nicht stimmt.",
    },
    off: {
      heading: "Änderungen sind nicht mehr möglich",
      message:
        "Was Sie gesendet haben, bleibt, wie es ist. Wenden Sie sich an den Betreiber des Formulars, wenn etwas nicht stimmt.",
    },
    reviewed: {
      heading: "Ihre Einsendung wurde geprüft",
      message:
        "Sie kann nicht mehr geändert werden. Wenden Sie sich an den Betreiber des Formulars, wenn etwas nicht stimmt.",
    },
    held: {
      heading: "Ihre Einsendung bleibt, wie sie ist",
      message:
        "Sie kann zurzeit nicht geändert werden. Fragen Sie den Betreiber des Formulars nach dem Grund.",
    },
    withdraw: {
      button: "Meine Einsendung zurückziehen",
      heading: "Ihre Einsendung zurückziehen?",
      message: "Alles, was Sie gesendet haben, wird gelöscht. Das lässt sich nicht rückgängig machen.",
      keep: "Behalten",
      done: {
        heading: "Ihre Einsendung ist zurückgezogen",
        message: "Was Sie gesendet haben, wurde gelöscht.",
      },
    },
  },
  /** Eine Seite, die sich nur über einen Link öffnet. */
  links: {
    unknown: {
      heading: "Dieser Link führt nirgendwohin",
      message:
        "Vielleicht ist er abgelaufen, oder das Formular wurde schon gesendet. Prüfen Sie, ob Sie ihn vollständig kopiert haben.",
    },
    used: {
      heading: "Diese Einladung wurde schon benutzt",
      message: "Das Formular wurde über sie gesendet. Das ist nur einmal möglich.",
    },
    needed: {
      heading: "Dieses Formular ist für eingeladene Personen",
      message: "Öffnen Sie es über den Link in Ihrer Einladung.",
    },
  },
  retry: "Noch einmal versuchen",
  kept: "Ihre Angaben bleiben auf dieser Seite erhalten.",
  closed: {
    not_open: {
      heading: "Dieses Formular ist noch nicht geöffnet",
      message: "Es wird am {moment} geöffnet.",
    },
    closed: { heading: "Dieses Formular ist geschlossen", message: "Es wurde am {moment} geschlossen." },
    full: {
      heading: "Dieses Formular ist ausgebucht",
      message: "Alle Plätze sind vergeben. Es wurde nichts gesendet.",
    },
  },
  offline: {
    heading: "Dieses Formular ist zurzeit nicht online",
    message: "Versuchen Sie es später, oder fragen Sie die Person, die Ihnen den Link geschickt hat.",
  },
  badRequest: "Diese Anfrage ist nicht gültig",
  failures: {
    bad_request:
      "Vielleicht ist die Seite veraltet, von der Sie kommen. Öffnen Sie das Formular noch einmal.",
    not_found: {
      heading: "Hier gibt es kein Formular",
      message: "Prüfen Sie die Adresse. Vielleicht wurde das Formular verschoben oder abgeschaltet.",
    },
    anonymous_not_allowed: {
      heading: "Dieses Formular ist nicht öffentlich",
      message:
        "Auf dieser Seite kann es nicht gesendet werden. Fragen Sie die Person, die Ihnen den Link geschickt hat.",
    },
    declared_agent_refused: {
      heading: "Dieses Formular ist für Menschen",
      message:
        "Programme können es auf dieser Seite nicht senden. Ein Agent kann die API verwenden, wenn er darf.",
    },
    captcha_unavailable: {
      heading: "Dieses Formular kann gerade nicht gesendet werden",
      message: "Die Sicherheitsprüfung ist nicht verfügbar. Bitte versuchen Sie es später.",
    },
    gone: "Es wurde archiviert und nimmt nichts mehr an.",
    method_not_allowed: {
      heading: "Diese Adresse ist nur zum Lesen",
      message: "Öffnen Sie das Formular noch einmal.",
    },
    payload_too_large: {
      heading: "Das ist zu viel auf einmal",
      message:
        "Gehen Sie zurück, kürzen Sie Ihre Angaben, und senden Sie sie noch einmal. Gespeichert ist nichts.",
    },
    invalid_content_type:
      "Das Formular muss von seiner eigenen Seite gesendet werden. Öffnen Sie es noch einmal.",
    rate_limited: {
      heading: "Bitte warten Sie einen Moment",
      message: "Aus Ihrem Netz kamen zu viele Anfragen. Gespeichert ist nichts.",
    },
    internal_error: {
      heading: "Etwas ist schiefgegangen",
      message:
        "Wir wissen nicht, ob Ihre Angaben gespeichert sind. Sie können sie von dieser Seite gefahrlos noch einmal senden.",
    },
    unavailable: {
      heading: "Der Dienst ist gerade nicht erreichbar",
      message:
        "Bitte versuchen Sie es gleich noch einmal. Auch wenn Sie von dieser Seite mehrmals senden, wird nur einmal gespeichert.",
    },
  },
  wait: {
    one: "In {n} Sekunde können Sie es noch einmal versuchen.",
    other: "In {n} Sekunden können Sie es noch einmal versuchen.",
  },
  request: "Anfrage",
  hints: {
    between: "Von {least} bis {n}.",
    number: { least: "Mindestens {n}.", greatest: "Höchstens {n}." },
    moment: { least: "Frühestens {n}.", greatest: "Spätestens {n}." },
    length: {
      between: "{least} bis {n} Zeichen.",
      least: "Mindestens {n} Zeichen.",
      greatest: "Höchstens {n} Zeichen.",
    },
    files: {
      between: { one: "{least} bis {n} Datei.", other: "{least} bis {n} Dateien." },
      least: { one: "Mindestens {n} Datei.", other: "Mindestens {n} Dateien." },
      greatest: { one: "Höchstens {n} Datei.", other: "Höchstens {n} Dateien." },
    },
    items: {
      exactly: "Wählen Sie {n:plain} aus.",
      between: "Wählen Sie {least:plain} bis {n:plain} aus.",
      least: "Wählen Sie mindestens {n:plain} aus.",
      greatest: "Wählen Sie höchstens {n:plain} aus.",
      any: "Mehrere sind möglich.",
    },
    fileSize: { one: "Höchstens {size}.", each: "Je Datei höchstens {size}." },
    domains: "Eine Adresse bei {domains:or}.",
    phone: {
      international: "Mit + und Ländervorwahl, zum Beispiel {international}.",
      national: "Zum Beispiel {national} oder {international}.",
    },
    url: "Zum Beispiel https://example.com.",
    whole: "Eine ganze Zahl.",
    steps: "In Schritten von {n}.",
    allRows: { required: "Wählen Sie in jeder Zeile.", optional: "Wenn Sie wählen, dann in jeder Zeile." },
  },
  yesOrNo: "Wählen Sie Ja oder Nein.",
  oneOption: "Wählen Sie eine Option.",
  tick: "Setzen Sie das Häkchen, um fortzufahren.",
  rankAll: "Geben Sie jeder Option einen Platz.",
  sentences: {
    required: {
      any: "Bitte ausfüllen.",
      email: "Geben Sie eine E-Mail-Adresse ein.",
      phone: "Geben Sie eine Telefonnummer ein.",
      url: "Geben Sie eine Web-Adresse ein.",
      number: "Geben Sie eine Zahl ein.",
      integer: "Geben Sie eine ganze Zahl ein.",
      date: "Geben Sie ein Datum ein.",
      time: "Geben Sie eine Uhrzeit ein.",
      datetime: "Geben Sie Datum und Uhrzeit ein.",
      multi_select: "Wählen Sie mindestens eine Option.",
      ranking: "Ordnen Sie die Optionen.",
      file: "Wählen Sie eine Datei.",
      rating: "Wählen Sie eine Bewertung.",
      matrix: "Wählen Sie in jeder Zeile eine Option.",
    },
    not_applicable: "Das wird bei Ihren anderen Angaben nicht gefragt.",
    computed: "Das wird aus Ihren anderen Angaben berechnet. Prüfen Sie den Wert.",
    unknown_field: "Dieses Formular nimmt hier keine Angabe an.",
    type_mismatch: {
      any: "Geben Sie etwas Gültiges ein.",
      number: "Geben Sie eine Zahl ohne Einheit ein, zum Beispiel {decimal}.",
      integer: "Geben Sie eine ganze Zahl ein, zum Beispiel 12.",
    },
    format: {
      any: "Entfernen Sie die Zeichen, die nicht gespeichert werden können.",
      email: "Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.",
      url: "Geben Sie eine Web-Adresse ein, zum Beispiel https://example.com.",
      date: "Geben Sie ein Datum ein, das es gibt, zum Beispiel {day:short}.",
      time: "Geben Sie eine Uhrzeit ein, zum Beispiel 09:30.",
      datetime: "Geben Sie ein Datum ein, das es gibt, und eine Uhrzeit.",
      address: "Wählen Sie ein Land aus der Liste.",
    },
    pattern: "Geben Sie es im erwarteten Format ein.",
    min_length: "Geben Sie mindestens {n} Zeichen ein.",
    max_length: "Geben Sie höchstens {n} Zeichen ein.",
    domain_not_allowed: "Geben Sie eine Adresse bei {n:or} ein.",
    min_value: {
      any: "Geben Sie mindestens {n} ein.",
      date: "Geben Sie den {n} oder einen späteren Tag ein.",
      time: "Geben Sie {n} Uhr oder eine spätere Zeit ein.",
      datetime: "Geben Sie {n} oder eine spätere Zeit ein.",
    },
    max_value: {
      any: "Geben Sie höchstens {n} ein.",
      date: "Geben Sie den {n} oder einen früheren Tag ein.",
      time: "Geben Sie {n} Uhr oder eine frühere Zeit ein.",
      datetime: "Geben Sie {n} oder eine frühere Zeit ein.",
    },
    step: "Geben Sie ein Vielfaches von {n} ein.",
    option_full: "Eine gewählte Option ist ausgebucht. Wählen Sie eine andere.",
    duplicate_item: {
      any: "Wählen Sie jede Option nur einmal.",
      ranking: "Geben Sie jeder Option nur einen Platz.",
    },
    min_items: {
      any: { one: "Wählen Sie mindestens {n} Option.", other: "Wählen Sie mindestens {n} Optionen." },
      file: { one: "Wählen Sie mindestens {n} Datei.", other: "Wählen Sie mindestens {n} Dateien." },
    },
    max_items: {
      any: { one: "Wählen Sie höchstens {n} Option.", other: "Wählen Sie höchstens {n} Optionen." },
      file: { one: "Wählen Sie höchstens {n} Datei.", other: "Wählen Sie höchstens {n} Dateien." },
    },
    upload_not_found: "Eine Datei ist nicht mehr da. Wählen Sie sie noch einmal.",
    required_part: "Bitte „{part}“ ausfüllen.",
  },
  cases: {
    ownEmail: "Geben Sie Ihre E-Mail-Adresse ein.",
    ownPhone: "Geben Sie Ihre Telefonnummer ein.",
    tooLong: "Das ist zu lang. Kürzen Sie den Text.",
    phone: {
      international: "Beginnen Sie mit + und der Ländervorwahl, zum Beispiel {international}.",
      national: "Geben Sie eine Telefonnummer ein, zum Beispiel {national} oder {international}.",
    },
    option: "Wählen Sie eine der Optionen.",
    columns: "Wählen Sie eine der Spalten.",
    columnsOfRow: "Wählen Sie bei „{part}“ eine der Spalten.",
    everyRow: "Wählen Sie in jeder Zeile.",
    row: "Wählen Sie eine Option bei „{part}“.",
    noSpace: "Für Dateien ist kein Platz mehr. Bitte sagen Sie es dem Betreiber des Formulars.",
    filesTooLarge: "Wählen Sie kleinere Dateien: zusammen höchstens {size}.",
    fileTooLarge: "Wählen Sie eine kleinere Datei: höchstens {size}.",
    malware: "In einer Datei ist Schadsoftware. Wählen Sie eine andere.",
    emptyFile: "Eine Datei ist leer. Wählen Sie eine andere.",
    otherContent: "Der Inhalt einer Datei passt nicht zur Endung ihres Namens. Wählen Sie eine andere.",
    otherContentThan:
      "Diese Datei ist {kinds:and}, oder die Endung ihres Namens ist die einer anderen Art. Wählen Sie eine andere.",
    otherType: "Dateien dieser Art werden hier nicht angenommen.",
    otherTypeThan: "Diese Datei ist {kinds:and}. Wählen Sie eine andere.",
  },
  ownLabels: {
    email: /^((ihre|deine) )?e-?mail(-?adresse)?\??$/i,
    phone: /^((ihre|deine) )?(telefon|handy|mobil)(-?nummer)?\??$/i,
  },
  kinds: {
    image: "kein Bild",
    audio: "keine Audiodatei",
    video: "kein Video",
    text: "keine Textdatei",
    pdf: "kein PDF",
    jpg: "keine JPEG-Datei",
    word: "kein Word-Dokument",
    excel: "keine Excel-Mappe",
    powerpoint: "keine PowerPoint-Präsentation",
    any: "keine {extension}-Datei",
    letters: "",
    anyOfLetters: "keine {extension}-Datei",
  },
};
