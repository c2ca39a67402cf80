/** German. The gender of a label is unknown, so that it stands in quotation marks. */
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

const choose: Sentence = ({ label }) => `Wählen Sie eine Option bei ${quoted(label)}.`;

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
  meant: ({ label }, readings) => `Meinen Sie bei ${quoted(label)} ${listOf(readings)}? Geben Sie es so ein.`,
  skipped: ({ label }) =>
    `Die Zeit bei ${quoted(label)} gibt es an diesem Tag nicht: Die Uhren werden vorgestellt. Geben Sie eine frühere oder spätere ein.`,
  isRight: ({ label }, address) =>
    `Stimmt ${quoted(address)} bei ${quoted(label)}? Nach dem @ steht kein Punkt. Korrigieren Sie die Adresse, oder senden Sie sie noch einmal so ab.`,
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
  failures: {
    bad_request: {
      heading: "Diese Anfrage ist nicht gültig",
      message: "Vielleicht ist die Seite veraltet, von der Sie kommen. Öffnen Sie das Formular noch einmal.",
    },
    not_found: {
      heading: "Hier gibt es kein Formular",
      message: "Prüfen Sie die Adresse. Vielleicht wurde das Formular verschoben oder abgeschaltet.",
    },
    form_not_published: {
      heading: "Dieses Formular ist noch nicht offen",
      message:
        "Es ist noch nicht veröffentlicht. Versuchen Sie es später, oder fragen Sie die Person, die Ihnen den Link geschickt hat.",
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
      any: ({ label }) => `Bitte ausfüllen: ${quoted(label)}.`,
      boolean: ({ label }) => `Wählen Sie Ja oder Nein bei ${quoted(label)}.`,
      consent: ({ label }) => `Bestätigen Sie ${quoted(label)}.`,
      select: choose,
      multi_select: ({ label }) => `Wählen Sie mindestens eine Option bei ${quoted(label)}.`,
      ranking: ({ label }) => `Ordnen Sie die Optionen bei ${quoted(label)}.`,
      file: ({ label }) => `Wählen Sie eine Datei bei ${quoted(label)}.`,
      rating: ({ label }) => `Wählen Sie eine Bewertung bei ${quoted(label)}.`,
      matrix: ({ label }) => `Wählen Sie in den Zeilen von ${quoted(label)}.`,
    },
    not_applicable: ({ label }) => `${quoted(label)} wird bei diesen Angaben nicht gefragt.`,
    computed: ({ label }) => `${quoted(label)} wird aus anderen Angaben berechnet. Prüfen Sie den Wert.`,
    unknown_field: ({ label }) => `${quoted(label)} nimmt keine Angabe an.`,
    type_mismatch: {
      any: ({ label }) => `${quoted(label)} ist so nicht gültig.`,
      number: ({ label }) => `${quoted(label)} muss eine Zahl sein, zum Beispiel 12,5, ohne Einheit.`,
      integer: ({ label }) => `${quoted(label)} muss eine ganze Zahl sein, zum Beispiel 12.`,
      rating: choose,
      select: choose,
      multi_select: choose,
      boolean: ({ label }) => `Wählen Sie Ja oder Nein bei ${quoted(label)}.`,
    },
    format: {
      any: ({ label }) => `${quoted(label)} enthält Zeichen, die nicht gespeichert werden können.`,
      email: ({ label }) => `${quoted(label)} muss eine E-Mail-Adresse sein, zum Beispiel name@example.com.`,
      phone: ({ label, field: { constraints } }) => {
        const { country } = constraints;
        const { national, international } = phoneExample(country ?? hints.phoneCountry);
        return country === undefined || national === undefined
          ? `${quoted(label)} muss mit + und der Ländervorwahl beginnen, zum Beispiel ${international}.`
          : `${quoted(label)} muss eine Telefonnummer sein, zum Beispiel ${national} oder ${international}.`;
      },
      url: ({ label }) => `${quoted(label)} muss eine Web-Adresse sein, zum Beispiel https://example.com.`,
      date: ({ label }) => `${quoted(label)} muss ein Datum sein, das es gibt, zum Beispiel 20.11.2026.`,
      time: ({ label }) => `${quoted(label)} muss eine Uhrzeit sein, zum Beispiel 09:30.`,
      datetime: ({ label }) => `${quoted(label)} muss Datum und Uhrzeit sein.`,
      address: () => "Wählen Sie ein Land aus der Liste.",
    },
    pattern: ({ label }) => `${quoted(label)} hat nicht das erwartete Format.`,
    min_length: ({ label, expected }) =>
      `${quoted(label)} muss mindestens ${count(expected, "Zeichen", "Zeichen")} haben.`,
    max_length: ({ label, expected }) =>
      expected === undefined
        ? `${quoted(label)} ist zu lang. Kürzen Sie den Text.`
        : `${quoted(label)} darf höchstens ${count(expected, "Zeichen", "Zeichen")} haben.`,
    domain_not_allowed: ({ label, expected }) =>
      `${quoted(label)} muss eine Adresse bei ${listOf(expected)} sein.`,
    min_value: {
      any: ({ label, expected }) => `${quoted(label)} muss mindestens ${number(expected)} sein.`,
      date: ({ label, expected }) => `${quoted(label)} darf frühestens der ${dayOf(expected)} sein.`,
      time: ({ label, expected }) => `${quoted(label)} darf frühestens ${expected} Uhr sein.`,
      datetime: ({ label, expected, timeZone }) =>
        `${quoted(label)} darf frühestens ${boundOf(expected, timeZone)} sein.`,
    },
    max_value: {
      any: ({ label, expected }) => `${quoted(label)} darf höchstens ${number(expected)} sein.`,
      date: ({ label, expected }) => `${quoted(label)} darf spätestens der ${dayOf(expected)} sein.`,
      time: ({ label, expected }) => `${quoted(label)} darf spätestens ${expected} Uhr sein.`,
      datetime: ({ label, expected, timeZone }) =>
        `${quoted(label)} darf spätestens ${boundOf(expected, timeZone)} sein.`,
    },
    step: ({ label, expected }) => `${quoted(label)} muss ein Vielfaches von ${number(expected)} sein.`,
    not_accepted: ({ label }) => `Bestätigen Sie ${quoted(label)}.`,
    invalid_option: {
      any: ({ label }) => `Wählen Sie eine der Optionen bei ${quoted(label)}.`,
      matrix: ({ label, part }) => `Wählen Sie eine der Spalten bei ${quoted(part ?? label)}.`,
    },
    option_full: ({ label }) =>
      `Bei ${quoted(label)} ist eine gewählte Option ausgebucht. Wählen Sie eine andere.`,
    duplicate_item: {
      any: ({ label }) => `Wählen Sie jede Option bei ${quoted(label)} nur einmal.`,
      ranking: ({ label }) => `Geben Sie jeder Option bei ${quoted(label)} nur einen Platz.`,
    },
    min_items: {
      any: ({ label, expected }) =>
        `Wählen Sie mindestens ${count(expected, "Option", "Optionen")} bei ${quoted(label)}.`,
      file: ({ label, expected }) =>
        `Wählen Sie mindestens ${count(expected, "Datei", "Dateien")} bei ${quoted(label)}.`,
    },
    max_items: {
      any: ({ label, expected }) =>
        `Wählen Sie höchstens ${count(expected, "Option", "Optionen")} bei ${quoted(label)}.`,
      file: ({ label, expected }) =>
        `${quoted(label)} nimmt höchstens ${count(expected, "Datei", "Dateien")} an.`,
    },
    max_bytes: ({ label, expected, constraint }) => {
      if (constraint === "storage")
        return `Eine Datei bei ${quoted(label)} wurde nicht angenommen: Für Dateien ist kein Platz mehr. Bitte sagen Sie es dem Betreiber des Formulars.`;
      const most = sizeText(Number(expected), "de");
      return constraint === "maxTotalBytes"
        ? `Die Dateien des Formulars sind zu groß: zusammen höchstens ${most}.`
        : `Eine Datei bei ${quoted(label)} ist zu groß: höchstens ${most}.`;
    },
    type_not_accepted: ({ label, constraint, expected }) => {
      if (constraint === "scan")
        return `In einer Datei bei ${quoted(label)} ist Schadsoftware. Sie wird nicht angenommen.`;
      if (constraint === "minBytes") return `Eine Datei bei ${quoted(label)} ist leer.`;
      const accepted = kinds(expected);
      if (constraint === "name")
        return accepted === ""
          ? `Die Art einer Datei bei ${quoted(label)} passt nicht zur Endung ihres Namens.`
          : `${quoted(label)}: Diese Datei ist ${accepted}, oder die Endung ihres Namens ist die einer anderen Art.`;
      return accepted === ""
        ? `${quoted(label)} nimmt Dateien dieser Art nicht an.`
        : `${quoted(label)}: Diese Datei ist ${accepted}.`;
    },
    upload_not_found: ({ label }) =>
      `Eine Datei bei ${quoted(label)} ist nicht mehr da. Wählen Sie sie noch einmal.`,
    incomplete_ranking: ({ label }) => `Geben Sie jeder Option bei ${quoted(label)} einen Platz.`,
    required_part: ({ label, part = "" }) => `Bitte ausfüllen: ${quoted(part)} bei ${quoted(label)}.`,
    incomplete_matrix: ({ label, part }) =>
      part === undefined
        ? `Wählen Sie in jeder Zeile von ${quoted(label)}.`
        : `Wählen Sie eine Option bei ${quoted(part)}.`,
  },
};
