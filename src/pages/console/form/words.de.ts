/** Words in German that the pages of one form share. */

import { type clauses, type faults, type formFaults, placeIn } from "../../../fields/clauses.ts";
import { type SentencesOf, sentenceIn } from "../../../messages.ts";
import { factsGerman } from "../../../resources/submissions/fact-words.ts";
import { fieldWordsIn } from "../../form-page/text/text.ts";
import type { Words } from "../../ui/words.ts";
import type { formEnglish } from "./words.en.ts";

/** Ids come in quotation marks, as the names of questions do. */
const faultsGerman: SentencesOf<typeof faults> = {
  file_field: ({ id }) => `die Frage ${id} nimmt Dateien an, die nicht gelesen werden können`,
  later_field: ({ id }) => `die Frage ${id} kommt erst später, und nur frühere können gelesen werden`,
  no_option: ({ value, id }) => `${JSON.stringify(value)} ist keine Antwort von ${id}`,
  own_field: "eine Frage kann nicht von sich selbst abhängen",
  text_field: ({ id }) => `die Frage ${id} zeigt nur Text und hat keinen Wert`,
  unknown_field: ({ id, near }) =>
    `es gibt keine Frage, die Programme als ${id} kennen${near === undefined ? "" : `: ist „${near}“ gemeint?`}`,
};

const oneOf = (near: string | undefined, known: readonly string[]) =>
  near ? `ist „${near}“ gemeint?` : `möglich ${known.length > 0 ? `sind ${known.join(", ")}` : "ist keine"}`;
const inEntry = (entry: number | undefined) => (entry === undefined ? "" : ` in Eintrag ${entry}`);

const resultNames = {
  text: "Text",
  double: "eine Zahl",
  int: "eine ganze Zahl (schreiben Sie sie mit Dezimalpunkt)",
  bool: "wahr oder falsch",
  list: "eine Liste",
  map: "ein Wert mit Teilen",
  dyn: "ein anderer Wert",
};

const clausesGerman: SentencesOf<typeof clauses> = {
  address_parts: ({ parts }) => `braucht Teile einer Adresse: ${parts.join(", ")}`,
  day_or_time: ({ kind }) =>
    ({
      date: "muss ein Tag sein",
      time: "muss eine Uhrzeit sein",
      datetime: "muss ein Tag mit Uhrzeit und Zeitzone sein",
    })[kind],
  default_refused: "muss eine Antwort sein, die diese Frage annimmt",
  dial_country: "muss ein Land sein, in zwei Großbuchstaben, etwa DE",
  domain: ({ entry }) => `braucht Domains wie example.com, und Eintrag ${entry} ist keine`,
  domains: "braucht Domains wie example.com",
  empty_range: ({ low, least, high, most }) =>
    `lässt keine Antwort zu: „${formGerman.rules[low]}“ (${least}) ist größer als „${formGerman.rules[high]}“ (${most})`,
  entries: "braucht mindestens einen Eintrag",
  entry: ({ entry }) => `ist in Eintrag ${entry} nicht gültig`,
  excludes: ({ member }) => `schließt „${member}“ aus: Der Server berechnet den Wert`,
  expression: ({ entry }) => `muss${inEntry(entry)} Text sein: ein Ausdruck`,
  greater_than_zero: "muss eine Zahl über 0 sein",
  id: ({ max }) => `muss 1 bis ${max} Zeichen haben`,
  invalid_expression: ({ entry, character, message, hint, fault }) =>
    `ist${inEntry(entry)} ab Zeichen ${character} nicht gültig: ${fault ? sentenceIn(faultsGerman, fault) : message}${hint}`,
  later_release: "gibt es in dieser Version von formd nicht",
  media_types: "braucht Arten wie application/pdf oder image/*",
  misplaced_rule: "gehört neben „validation“, nicht hinein",
  needed: () => "fehlt",
  no_re2: ({ cause }) => `ist kein Muster nach RE2 (ohne Look-around und Rückverweise): ${cause}`,
  no_value: "gehört zu einer Frage mit Antwort, und diese zeigt nur Text",
  not_blank: "darf nicht leer sein",
  number: "muss eine Zahl sein",
  object: "muss ein Objekt mit Regeln sein",
  pattern_too_long: ({ max }) => `darf höchstens ${max} Zeichen haben`,
  repeated: ({ entry }) => `hat etwas doppelt: Eintrag ${entry} steht schon weiter oben`,
  repeated_id: "gibt es in diesem Formular schon",
  repeats_too_much: ({ max }) => `wiederholt zu viel: Es braucht mehr als ${max} Schritte von RE2`,
  rule: ({ entry }) => `muss${inEntry(entry)} die Form { rule, message } haben`,
  rule_message: ({ entry, max }) => `braucht${inEntry(entry)} eine Meldung von 1 bis ${max} Zeichen`,
  rules: ({ max }) => `darf höchstens ${max} Regeln haben`,
  text: "muss Text sein",
  text_up_to: ({ max }) => `darf höchstens ${max} Zeichen haben`,
  too_few_options: ({ count }) => `darf nicht größer sein als die Zahl der Antworten (${count})`,
  translation_list: ({ at }) => `braucht bei ${placeIn(at)} eine Liste von Texten`,
  translation_long: ({ at, max }) => `darf bei ${placeIn(at)} höchstens ${max} Zeichen haben`,
  translation_messages: ({ at, max }) =>
    `hat bei ${placeIn(at)} mehr Texte, als die Frage Regeln hat (${max})`,
  translation_object: ({ at }) => `braucht bei ${placeIn(at)} die Texte einer Sprache`,
  translation_text: ({ at }) => `braucht bei ${placeIn(at)} einen Text`,
  translation_unknown: ({ at, near, known }) =>
    `hat ${placeIn(at)}, das es nicht gibt: ${oneOf(near, known)}`,
  translations: "braucht die Texte je Sprache",
  true_or_false: "muss true oder false sein",
  type: "muss eine Art nennen",
  unknown_list: ({ name, near, known }) => `nennt „${name}“, und so heißt keine Liste: ${oneOf(near, known)}`,
  unknown_entry_member: ({ entry, name, near, known }) =>
    `hat in Eintrag ${entry} „${name}“, das es nicht gibt: ${oneOf(near, known)}`,
  unknown_member: ({ near, known }) => `gibt es nicht: ${oneOf(near, known)}`,
  unknown_rule: ({ near, known }) => `gibt es bei dieser Art von Frage nicht: ${oneOf(near, known)}`,
  unknown_type: ({ type, near, known }) => `„${type}“ gibt es nicht: ${oneOf(near, known)}`,
  option_limit: ({ entry }) => `braucht unter „Plätze“ der Antwort ${entry} eine ganze Zahl ab 0`,
  whole_number: ({ least }) => `muss eine ganze Zahl ab ${least} sein`,
  whole_number_up_to: ({ max }) => `muss eine ganze Zahl von 1 bis ${max} sein`,
  wrong_result: ({ entry, character, needed, result }) =>
    `ist${inEntry(entry)} ab Zeichen ${character} nicht gültig: Das Ergebnis ist ${resultNames[result]}, gebraucht wird ${resultNames[needed]}`,
};

const formFaultsGerman: SentencesOf<typeof formFaults> = {
  conditions_too_large: ({ max }) =>
    `Die Bedingungen und Berechnungen des Formulars haben zusammen mehr als ${max} Namen, Werte und Zeichen.`,
  not_an_object: ({ entry }) => `Frage ${entry} muss ein Objekt sein.`,
  patterns_too_large: ({ max }) =>
    `Die Muster des Formulars brauchen zusammen mehr als ${max} Schritte von RE2.`,
  too_many_limits: ({ max }) => `Das Formular hat mehr als ${max} Antworten mit begrenzten Plätzen.`,
};

export const formGerman: Words<typeof formEnglish> = {
  statuses: { draft: "Entwurf", published: "Veröffentlicht", archived: "Archiviert" },
  copyOf: (name) => `${name} (Kopie)`,
  emptyStep: "Nach diesem Schritt kommt keine Frage. Er ist auf der Seite nicht zu sehen.",
  form: {
    page: "Seite ansehen",
    tabs: "Formular",
    edit: "Gestalten",
    settings: "Einstellungen",
    publish: "Ansehen und veröffentlichen",
    share: "Teilen",
    invitations: "Personen einladen",
    tabNames: {
      build: "Gestalten",
      share: "Teilen",
      results: "Ergebnisse",
      settings: "Einstellungen",
      more: "Mehr",
    },
    bar: {
      never: "Dieses Formular ist noch nicht zu sehen",
      unseen: (count) => `${count === 1 ? "1 Änderung ist" : `${count} Änderungen sind`} noch nicht zu sehen`,
      unpublished: (count) =>
        `${count === 1 ? "1 Änderung ist" : `${count} Änderungen sind`} noch nicht veröffentlicht`,
      unnoticed: "Für Ausfüllende unsichtbare Änderungen sind noch nicht veröffentlicht",
      review: "Ansehen",
      reviewOf: (count) => (count === 1 ? "1 Änderung" : `${count} Änderungen`),
      publish: "Veröffentlichen",
    },
    states: {
      online: "Online",
      changed: "Online, mit Änderungen",
      invited: "Online für Eingeladene",
      offline: "Offline",
      opens: (day) => `Öffnet am ${day}`,
      closed: "Geschlossen",
      full: "Ausgebucht",
    },
    submissions: "Einsendungen",
    answers: "Auswertung",
    review: "Prüfung",
    languages: "Sprachen",
    mails: "E-Mail",
    translate: "Übersetzen",
    accessKeys: "Für Programme",
    charts: "Diagramme",
    export: "Export",
    more: "Mehr",
    toShare: "Formular teilen",
    fillIn: "Selbst ausfüllen",
    fresh: (count) => `${count} neu`,
  },
  effect: {
    now: "Gilt schon.",
    waits: "Gilt, sobald Sie veröffentlichen.",
    saved: "Gespeichert. Einige Änderungen gelten, sobald Sie veröffentlichen.",
  },
  menu: {
    label: "Weitere Aktionen",
    copy: "Dieses Formular kopieren",
    download: "Als Datei herunterladen",
    replace: "Durch eine Datei ersetzen",
    close: "Jetzt schließen",
    closeHint: "Das Formular nimmt dann keine Einsendungen mehr an. Sie können es wieder öffnen.",
    reopen: "Wieder öffnen",
    archive: "Archivieren",
    archiveHint:
      "Ein archiviertes Formular nimmt keine Einsendungen und keine Änderungen an. Seine Einsendungen bleiben erhalten.",
    archiveConfirm: "Dieses Formular archivieren",
    restore: "Dieses Formular wiederherstellen",
  },
  results: {
    sent: (count) => `${count} eingegangen`,
    recent: (count, days) => `${count} in den letzten ${days} Tagen`,
    waiting: (count) => `${count} zu prüfen`,
    opened: (opened, begun, days) =>
      `Seite geöffnet: ${opened}, begonnen: ${begun} in den letzten ${days} Tagen`,
    time: (about) => `${about} bis zum Senden`,
    about: (seconds) => {
      const [size, one, many] =
        seconds < 60
          ? ([seconds, "Sekunde", "Sekunden"] as const)
          : seconds < 5_400
            ? ([seconds / 60, "Minute", "Minuten"] as const)
            : ([seconds / 3_600, "Stunde", "Stunden"] as const);
      const count = Math.max(1, Math.round(size));
      return `etwa ${count} ${count === 1 ? one : many}`;
    },
  },
  fieldInput: {
    ...fieldWordsIn("de"),
    optional: "optional",
    addressParts: { ...fieldWordsIn("de").addressParts, region: "Region" },
  },
  rules: {
    minLength: "Mindestens … Zeichen",
    maxLength: "Höchstens … Zeichen",
    pattern: "Muster",
    country: "Land",
    allowedDomains: "Nur Adressen dieser Domains",
    minimum: "Mindestens",
    maximum: "Höchstens",
    multipleOf: "In Schritten von",
    minimumLabel: "Beschriftung der niedrigsten Zahl",
    maximumLabel: "Beschriftung der höchsten Zahl",
    options: "Antworten zur Auswahl",
    allowOther: "Andere Antworten erlauben",
    minItems: "Mindestens … auswählen",
    maxItems: "Höchstens … auswählen",
    rankAll: "Alles muss einen Platz bekommen",
    requiredParts: "Teile, die ausgefüllt sein müssen",
    rows: "Zeilen",
    columns: "Spalten",
    allRows: "Jede Zeile braucht eine Antwort",
    accept: "Arten von Dateien",
    maxBytes: "Größte Datei in MB",
  },
  fileKinds: { pdf: "PDF", pictures: "Bilder", office: "Word und Excel", any: "Alle" },
  fileRules: { minItems: "Mindestzahl der Dateien", maxItems: "Höchstzahl der Dateien" },
  timeRules: { minimum: "Frühestens", maximum: "Spätestens" },
  issues: {
    label: "Geben Sie die Frage ein.",
    statementLabel: "Geben Sie den Text ein.",
    options: "Geben Sie mindestens eine Antwort zur Auswahl ein.",
    rows: "Geben Sie mindestens eine Zeile ein.",
    columns: "Geben Sie mindestens eine Spalte ein.",
    of: (name, clause) => `„${name}“ ${clause}`,
    ofEntry: (entry, sentence) => `Frage ${entry}: ${sentence}`,
  },
  formFaults: formFaultsGerman,
  clauses: clausesGerman,
  changes: {
    added: "kommt dazu",
    addedRequired: "kommt als Pflichtfrage dazu",
    removed: "fällt weg",
    moved: "wird verschoben",
    type: (from, to) => `ändert seine Art von ${from} zu ${to}`,
    nowRequired: "wird zur Pflichtfrage",
    nowOptional: "wird optional",
    optionsRemoved: (values) => `bietet nicht mehr zur Auswahl: ${values}`,
    optionsAdded: (values) => `bietet neu zur Auswahl: ${values}`,
    none: "nichts",
    text: (name) => `${name} ändert sich`,
    translations: (languages) => `ändert seine Übersetzungen: ${languages}`,
    languages: (from, to) => `Die Sprachen ändern sich: ${from} → ${to}`,
    formName: (from, to) => `Der Name des Formulars ändert sich von „${from}“ zu „${to}“`,
    formDescription: "Die Beschreibung des Formulars ändert sich",
  },
  holds: {
    since: "Seit",
    reason: "Grund",
    reasonHint: "Zum Beispiel ein Aktenzeichen. Er bleibt dauerhaft gespeichert.",
    placeConfirm: "Löschsperre setzen",
    placed: "Löschsperre gesetzt.",
    releaseHint: "Danach ist das Löschen wieder möglich, auch automatisch.",
    releaseConfirm: "Löschsperre aufheben",
    released: "Löschsperre aufgehoben.",
    one: "Einsendung",
    list: (count) =>
      count === 1 ? "1 Einsendung hat eine Löschsperre" : `${count} Einsendungen haben eine Löschsperre`,
    form: {
      held: "Alle Einsendungen dieses Formulars haben eine Löschsperre: Sie können nicht gelöscht werden.",
      place: "Löschsperre für alle Einsendungen setzen",
      placeHint: "Bis Sie die Sperre aufheben, können sie nicht gelöscht werden. Das gilt auch für neue.",
      release: "Löschsperre aufheben",
    },
    submission: {
      held: "Diese Einsendung hat eine Löschsperre: Sie kann nicht gelöscht werden.",
      place: "Löschsperre setzen",
      placeHint: "Bis Sie die Sperre aufheben, kann sie nicht gelöscht werden.",
      release: "Löschsperre aufheben",
    },
  },
  retention: {
    wrong: "Geben Sie eine ganze Zahl ab 1 und eine Zeit von höchstens 20 Jahren ein.",
    count: "Löschen nach",
    countHint: "Leer lassen, damit die Regel des Teams gilt, falls es eine gibt.",
    unit: "Einheit",
    units: { D: "Tagen", W: "Wochen", M: "Monaten", Y: "Jahren" },
    from: "Gezählt ab",
    moments: { created: "der Einsendung", completed: "dem Abschluss" },
    confirm: "Name des Formulars, zur Bestätigung",
    confirmMissing: "Geben Sie den Namen des Formulars ein.",
    confirmHint: (due) =>
      `Wenn Sie das veröffentlichen, ${due === 1 ? "wird 1 Einsendung" : `werden ${due} Einsendungen`} innerhalb eines Tages endgültig gelöscht.`,
    removeHint: (due) =>
      due > 0
        ? `Wenn Sie das veröffentlichen, gilt die Regel des Teams: ${due === 1 ? "1 Einsendung wird" : `${due} Einsendungen werden`} innerhalb eines Tages endgültig gelöscht.`
        : "Wenn Sie das veröffentlichen, hat dieses Formular keine eigene Regel. Hat auch das Team keine, bleiben die Einsendungen erhalten.",
    due: (due, held) =>
      `${due === 1 ? "1 Einsendung wird" : `${due} Einsendungen werden`} innerhalb eines Tages gelöscht${held > 0 ? `; ${held} mit Löschsperre ${held === 1 ? "bleibt" : "bleiben"} erhalten` : ""}.`,
    team: "Es gilt die Regel des Teams.",
  },
  fieldTypes: {
    text: "Kurzer Text",
    textarea: "Langer Text",
    email: "E-Mail-Adresse",
    phone: "Telefonnummer",
    url: "Web-Adresse",
    number: "Zahl",
    integer: "Ganze Zahl",
    rating: "Bewertung",
    boolean: "Ja oder nein",
    consent: "Zustimmung",
    select: "Einfachauswahl",
    multi_select: "Mehrfachauswahl",
    ranking: "Rangfolge",
    date: "Datum",
    time: "Uhrzeit",
    datetime: "Datum und Uhrzeit",
    address: "Anschrift",
    matrix: "Tabelle mit Auswahl",
    file: "Dateien",
    hidden: "Verborgener Wert",
    statement: "Text ohne Frage",
    heading: "Überschrift",
    divider: "Linie",
    page_break: "Neuer Schritt",
  },
  statementMembers: { label: "Text" },
  members: {
    label: "Frage",
    help: "Hilfe unter der Frage",
    id: "Name für Programme",
    type: "Art der Antwort",
    required: "Pflichtfrage",
    prefill: "Links dürfen das ausfüllen",
    default: "Vorausgefüllte Antwort",
    showIf: "Nur fragen, wenn",
    showTextIf: "Nur zeigen, wenn",
    requireIf: "Pflichtfrage, wenn",
    compute: "Die Antwort berechnen",
    rules: "Bedingungen für die Antworten",
    description: "Beschreibung",
    placeholder: "Beispiel im leeren Feld",
    agentHint: "Hinweis für Agenten",
  },
  submission: factsGerman,
};
