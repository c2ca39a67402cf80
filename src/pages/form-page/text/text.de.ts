/** German. The gender of a label is unknown, so that sentences do not have it. */
import { phoneExample } from "../../../fields/phone.ts";
import type { BoundsWords, HintWords } from "../../../fields/presentation.ts";
import { dayText, instantText, numberText } from "../../../fields/spelling.ts";
import { sizeText } from "../../../fields/types/file.ts";
import { writtenDays } from "../../../fields/written-days.ts";
import { fieldGerman } from "../../ui/fields/words.de.ts";
import { momentText } from "../../ui/text.tsx";
import { kindsOfFiles } from "./kinds-of-files.ts";
import type { PageText, Sentence } from "./types.ts";

const quoted = (label: string) => `„${label}“`;
const kinds = (accept: unknown) =>
  new Intl.ListFormat("de", { type: "conjunction" }).format(
    kindsOfFiles(accept, {
      "image/*": "kein Bild",
      "audio/*": "keine Audiodatei",
      "video/*": "kein Video",
      "text/*": "keine Textdatei",
      "text/plain": "keine Textdatei",
      pdf: "kein PDF",
      jpg: "keine JPEG-Datei",
      doc: "kein Word-Dokument",
      docx: "kein Word-Dokument",
      xls: "keine Excel-Mappe",
      xlsx: "keine Excel-Mappe",
      ppt: "keine PowerPoint-Präsentation",
      pptx: "keine PowerPoint-Präsentation",
      other: (extension) => `keine ${extension}-Datei`,
    }),
  );

const choose: Sentence = () => "Wählen Sie eine Option.";
const isOwnEmail = (label: string) => /^((ihre|deine) )?e-?mail(-?adresse)?\??$/i.test(label);
const isOwnPhone = (label: string) => /^((ihre|deine) )?(telefon|handy|mobil)(-?nummer)?\??$/i.test(label);

const number = (value: unknown) =>
  typeof value === "number" ? numberText(value, locale, "large") : String(value);
const count = (value: unknown, one: string, several: string) =>
  `${number(Number(value))} ${Number(value) === 1 ? one : several}`;
const listOf = (values: unknown) =>
  new Intl.ListFormat("de", { type: "disjunction" }).format([values].flat().map(String));
const { locale } = fieldGerman;
const dayOf = (value: unknown) => dayText(String(value), { locale });
const boundOf = (value: unknown, timeZone?: string) => instantText(String(value), { locale, timeZone });
const momentOf = (value: unknown, timeZone?: string) => momentText(value, locale, timeZone);
const bounds = (show: (value: unknown) => string, from: string, to: string): BoundsWords => ({
  between: (least, greatest) => `Von ${show(least)} bis ${show(greatest)}.`,
  least: (least) => `${from} ${show(least)}.`,
  greatest: (greatest) => `${to} ${show(greatest)}.`,
});

const counted = (one: string, several: string): BoundsWords => ({
  between: (least, greatest) => `${number(least)} bis ${count(greatest, one, several)}.`,
  least: (least) => `Mindestens ${count(least, one, several)}.`,
  greatest: (greatest) => `Höchstens ${count(greatest, one, several)}.`,
});

const momentBounds = (timeZone?: string) =>
  bounds((value) => boundOf(value, timeZone), "Frühestens", "Spätestens");

const hints: HintWords = {
  length: counted("Zeichen", "Zeichen"),
  number: bounds(number, "Mindestens", "Höchstens"),
  date: bounds(dayOf, "Frühestens", "Spätestens"),
  time: bounds(String, "Frühestens", "Spätestens"),
  datetime: momentBounds(),
  items: {
    exactly: (count) => `Wählen Sie ${count} aus.`,
    between: (least, greatest) => `Wählen Sie ${least} bis ${greatest} aus.`,
    least: (least) => `Wählen Sie mindestens ${least} aus.`,
    greatest: (greatest) => `Wählen Sie höchstens ${greatest} aus.`,
    any: "Mehrere sind möglich.",
  },
  files: counted("Datei", "Dateien"),
  fileSize: (greatest, isOne) => `${isOne ? "Höchstens" : "Je Datei höchstens"} ${sizeText(greatest, "de")}.`,
  domains: (domains) => `Eine Adresse bei ${listOf(domains)}.`,
  phoneCountry: "DE",
  phone: (international, national) =>
    national === undefined
      ? `Mit + und Ländervorwahl, zum Beispiel ${international}.`
      : `Zum Beispiel ${national} oder ${international}.`,
  url: "Zum Beispiel https://example.com.",
  whole: "Eine ganze Zahl.",
  steps: (step) => `In Schritten von ${number(step)}.`,
  rankAll: "Geben Sie jeder Option einen Platz.",
  allRows: (isRequired) =>
    isRequired ? "Wählen Sie in jeder Zeile." : "Wenn Sie wählen, dann in jeder Zeile.",
};

export const german: PageText = {
  ...fieldGerman,
  written: writtenDays,
  characters: { left: "Noch {n} Zeichen", over: "{n} Zeichen zu viel" },
  submit: "Absenden",
  sending: "Wird gesendet …",
  errorTitle: (title) => `Fehler: ${title}`,
  errorHeading: "Bitte prüfen Sie Ihre Angaben",
  unknownName: (name) => `Dieses Formular hat kein Feld ${quoted(name)}.`,
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
    appeared: ["Eine weitere Frage ist erschienen.", "{n} weitere Fragen sind erschienen."],
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
  // A question ends by itself.
  inSummary: (label, sentence) => `${label}${/[?!.:]$/.test(label) ? "" : ":"} ${sentence}`,
  meant: (readings) => `Meinen Sie ${listOf(readings)}? Geben Sie es so ein.`,
  skipped:
    "Diese Zeit gibt es an diesem Tag nicht: Die Uhren werden vorgestellt. Geben Sie eine frühere oder spätere ein.",
  isRight: (address) =>
    `Stimmt ${quoted(address)}? Nach dem @ steht kein Punkt. Korrigieren Sie die Adresse, oder senden Sie sie noch einmal so ab.`,
  steps: {
    position: (number, count) => `Schritt ${number} von ${count}`,
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
  retry: "Noch einmal versuchen",
  kept: "Ihre Angaben bleiben auf dieser Seite erhalten.",
  closed: (closed, timeZone) => {
    if (closed.reason === "not_open")
      return {
        heading: "Dieses Formular ist noch nicht geöffnet",
        message: `Es wird am ${momentOf(closed.opensAt, timeZone)} geöffnet.`,
      };
    if (closed.reason === "closed")
      return {
        heading: "Dieses Formular ist geschlossen",
        message: `Es wurde am ${momentOf(closed.closesAt, timeZone)} geschlossen.`,
      };
    return {
      heading: "Dieses Formular ist ausgebucht",
      message: "Alle Plätze sind vergeben. Es wurde nichts gesendet.",
    };
  },
  offline: {
    heading: "Dieses Formular ist zurzeit nicht online",
    message: "Versuchen Sie es später, oder fragen Sie die Person, die Ihnen den Link geschickt hat.",
  },
  failures: {
    bad_request: {
      heading: "Diese Anfrage ist nicht gültig",
      message: "Vielleicht ist die Seite veraltet, von der Sie kommen. Öffnen Sie das Formular noch einmal.",
    },
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
    gone: {
      heading: "Dieses Formular ist geschlossen",
      message: "Es wurde archiviert und nimmt nichts mehr an.",
    },
    method_not_allowed: {
      heading: "Diese Adresse ist nur zum Lesen",
      message: "Öffnen Sie das Formular noch einmal.",
    },
    payload_too_large: {
      heading: "Das ist zu viel auf einmal",
      message:
        "Gehen Sie zurück, kürzen Sie Ihre Angaben, und senden Sie sie noch einmal. Gespeichert ist nichts.",
    },
    invalid_content_type: {
      heading: "Diese Anfrage ist nicht gültig",
      message: "Das Formular muss von seiner eigenen Seite gesendet werden. Öffnen Sie es noch einmal.",
    },
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
  wait: (seconds) => `In ${count(seconds, "Sekunde", "Sekunden")} können Sie es noch einmal versuchen.`,
  request: "Anfrage",
  hints,
  momentBounds,
  sentences: {
    required: {
      any: () => "Bitte ausfüllen.",
      email: ({ label }) => `Geben Sie ${isOwnEmail(label) ? "Ihre" : "eine"} E-Mail-Adresse ein.`,
      phone: ({ label }) => `Geben Sie ${isOwnPhone(label) ? "Ihre" : "eine"} Telefonnummer ein.`,
      url: () => "Geben Sie eine Web-Adresse ein.",
      number: () => "Geben Sie eine Zahl ein.",
      integer: () => "Geben Sie eine ganze Zahl ein.",
      date: () => "Geben Sie ein Datum ein.",
      time: () => "Geben Sie eine Uhrzeit ein.",
      datetime: () => "Geben Sie Datum und Uhrzeit ein.",
      boolean: () => "Wählen Sie Ja oder Nein.",
      consent: () => "Setzen Sie das Häkchen, um fortzufahren.",
      select: choose,
      multi_select: () => "Wählen Sie mindestens eine Option.",
      ranking: () => "Ordnen Sie die Optionen.",
      file: () => "Wählen Sie eine Datei.",
      rating: () => "Wählen Sie eine Bewertung.",
      matrix: () => "Wählen Sie in jeder Zeile eine Option.",
    },
    not_applicable: () => "Das wird bei Ihren anderen Angaben nicht gefragt.",
    computed: () => "Das wird aus Ihren anderen Angaben berechnet. Prüfen Sie den Wert.",
    unknown_field: () => "Dieses Formular nimmt hier keine Angabe an.",
    type_mismatch: {
      any: () => "Geben Sie etwas Gültiges ein.",
      number: () => "Geben Sie eine Zahl ohne Einheit ein, zum Beispiel 12,5.",
      integer: () => "Geben Sie eine ganze Zahl ein, zum Beispiel 12.",
      rating: choose,
      select: choose,
      multi_select: choose,
      boolean: () => "Wählen Sie Ja oder Nein.",
    },
    format: {
      any: () => "Entfernen Sie die Zeichen, die nicht gespeichert werden können.",
      email: () => "Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.",
      phone: ({ field: { constraints } }) => {
        const { country } = constraints;
        const { national, international } = phoneExample(country ?? hints.phoneCountry);
        return country === undefined || national === undefined
          ? `Beginnen Sie mit + und der Ländervorwahl, zum Beispiel ${international}.`
          : `Geben Sie eine Telefonnummer ein, zum Beispiel ${national} oder ${international}.`;
      },
      url: () => "Geben Sie eine Web-Adresse ein, zum Beispiel https://example.com.",
      date: () => "Geben Sie ein Datum ein, das es gibt, zum Beispiel 20.11.2026.",
      time: () => "Geben Sie eine Uhrzeit ein, zum Beispiel 09:30.",
      datetime: () => "Geben Sie ein Datum ein, das es gibt, und eine Uhrzeit.",
      address: () => "Wählen Sie ein Land aus der Liste.",
    },
    pattern: () => "Geben Sie es im erwarteten Format ein.",
    min_length: ({ expected }) => `Geben Sie mindestens ${count(expected, "Zeichen", "Zeichen")} ein.`,
    max_length: ({ expected }) =>
      expected === undefined
        ? "Das ist zu lang. Kürzen Sie den Text."
        : `Geben Sie höchstens ${count(expected, "Zeichen", "Zeichen")} ein.`,
    domain_not_allowed: ({ expected }) => `Geben Sie eine Adresse bei ${listOf(expected)} ein.`,
    min_value: {
      any: ({ expected }) => `Geben Sie mindestens ${number(expected)} ein.`,
      date: ({ expected }) => `Geben Sie den ${dayOf(expected)} oder einen späteren Tag ein.`,
      time: ({ expected }) => `Geben Sie ${expected} Uhr oder eine spätere Zeit ein.`,
      datetime: ({ expected, timeZone }) =>
        `Geben Sie ${boundOf(expected, timeZone)} oder eine spätere Zeit ein.`,
    },
    max_value: {
      any: ({ expected }) => `Geben Sie höchstens ${number(expected)} ein.`,
      date: ({ expected }) => `Geben Sie den ${dayOf(expected)} oder einen früheren Tag ein.`,
      time: ({ expected }) => `Geben Sie ${expected} Uhr oder eine frühere Zeit ein.`,
      datetime: ({ expected, timeZone }) =>
        `Geben Sie ${boundOf(expected, timeZone)} oder eine frühere Zeit ein.`,
    },
    step: ({ expected }) => `Geben Sie ein Vielfaches von ${number(expected)} ein.`,
    not_accepted: () => "Setzen Sie das Häkchen, um fortzufahren.",
    invalid_option: {
      any: () => "Wählen Sie eine der Optionen.",
      matrix: ({ part }) =>
        part === undefined
          ? "Wählen Sie eine der Spalten."
          : `Wählen Sie bei ${quoted(part)} eine der Spalten.`,
    },
    option_full: () => "Eine gewählte Option ist ausgebucht. Wählen Sie eine andere.",
    duplicate_item: {
      any: () => "Wählen Sie jede Option nur einmal.",
      ranking: () => "Geben Sie jeder Option nur einen Platz.",
    },
    min_items: {
      any: ({ expected }) => `Wählen Sie mindestens ${count(expected, "Option", "Optionen")}.`,
      file: ({ expected }) => `Wählen Sie mindestens ${count(expected, "Datei", "Dateien")}.`,
    },
    max_items: {
      any: ({ expected }) => `Wählen Sie höchstens ${count(expected, "Option", "Optionen")}.`,
      file: ({ expected }) => `Wählen Sie höchstens ${count(expected, "Datei", "Dateien")}.`,
    },
    max_bytes: ({ expected, constraint }) => {
      if (constraint === "storage")
        return "Für Dateien ist kein Platz mehr. Bitte sagen Sie es dem Betreiber des Formulars.";
      const most = sizeText(Number(expected), "de");
      return constraint === "maxTotalBytes"
        ? `Wählen Sie kleinere Dateien: zusammen höchstens ${most}.`
        : `Wählen Sie eine kleinere Datei: höchstens ${most}.`;
    },
    type_not_accepted: ({ constraint, expected }) => {
      if (constraint === "scan") return "In einer Datei ist Schadsoftware. Wählen Sie eine andere.";
      if (constraint === "minBytes") return "Eine Datei ist leer. Wählen Sie eine andere.";
      const accepted = kinds(expected);
      if (constraint === "name")
        return accepted === ""
          ? "Der Inhalt einer Datei passt nicht zur Endung ihres Namens. Wählen Sie eine andere."
          : `Diese Datei ist ${accepted}, oder die Endung ihres Namens ist die einer anderen Art. Wählen Sie eine andere.`;
      return accepted === ""
        ? "Dateien dieser Art werden hier nicht angenommen."
        : `Diese Datei ist ${accepted}. Wählen Sie eine andere.`;
    },
    upload_not_found: () => "Eine Datei ist nicht mehr da. Wählen Sie sie noch einmal.",
    incomplete_ranking: () => "Geben Sie jeder Option einen Platz.",
    required_part: ({ part = "" }) => `Bitte ${quoted(part)} ausfüllen.`,
    incomplete_matrix: ({ part }) =>
      part === undefined ? "Wählen Sie in jeder Zeile." : `Wählen Sie eine Option bei ${quoted(part)}.`,
  },
};
