/** Words in German that the pages of one form share. */
import type { clauses, faults } from "../../../fields/clauses.ts";
import { type SentencesOf, sentenceIn } from "../../../messages.ts";
import { fieldGerman } from "../../ui/fields/words.de.ts";
import { formatDay } from "../../ui/text.tsx";
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
  true_or_false: "muss true oder false sein",
  type: "muss eine Art nennen",
  unknown_rule: ({ near, known }) => `gibt es bei dieser Art von Frage nicht: ${oneOf(near, known)}`,
  unknown_type: ({ type, near, known }) => `„${type}“ gibt es nicht: ${oneOf(near, known)}`,
  whole_number: ({ least }) => `muss eine ganze Zahl ab ${least} sein`,
  whole_number_up_to: ({ max }) => `muss eine ganze Zahl von 1 bis ${max} sein`,
  wrong_result: ({ entry, needed, result }) =>
    `ergibt${inEntry(entry)} ${resultNames[result]}, gebraucht wird ${resultNames[needed]}`,
};

export const formGerman: Words<typeof formEnglish> = {
  statuses: { draft: "Entwurf", published: "Veröffentlicht", archived: "Archiviert" },
  copyOf: (name) => `${name} (Kopie)`,
  form: {
    page: "Seite zum Ausfüllen",
    tabs: "Formular",
    edit: "Fragen",
    settings: "Einstellungen",
    publish: "Veröffentlichen",
    share: "Teilen",
    states: {
      online: "Online",
      offline: "Offline",
      opens: (day) => `Öffnet am ${day}`,
      closed: "Geschlossen",
      full: "Voll",
    },
    submissions: "Einsendungen",
    answers: "Antworten",
    review: "Prüfung",
    mails: "Mail",
    accessKeys: "Für Programme",
    charts: "Diagramme",
    toShare: "Formular teilen",
    fillIn: "Selbst ausfüllen",
  },
  fieldInput: {
    ...fieldGerman,
    day: (day) => formatDay(new Date(`${day}T00:00:00Z`)),
    addressParts: { ...fieldGerman.addressParts, region: "Region" },
  },
  rules: {
    minLength: "Mindestens … Zeichen",
    maxLength: "Höchstens … Zeichen",
    pattern: "Muster (RE2)",
    country: "Land von Nummern ohne Ländervorwahl",
    allowedDomains: "Nur Adressen dieser Domains",
    minimum: "Mindestens",
    maximum: "Höchstens",
    multipleOf: "In Schritten von",
    minimumLabel: "Was die niedrigste Zahl bedeutet",
    maximumLabel: "Was die höchste Zahl bedeutet",
    options: "Antworten zur Auswahl",
    allowOther: "Auch andere Antworten sind möglich",
    minItems: "Mindestens … auswählen",
    maxItems: "Höchstens … auswählen",
    rankAll: "Alles muss einen Platz bekommen",
    requiredParts: "Teile, die ausgefüllt sein müssen",
    rows: "Zeilen",
    columns: "Spalten",
    allRows: "Jede Zeile braucht eine Antwort",
    accept: "Nur Dateien dieser Art",
    maxBytes: "Höchstens … Bytes pro Datei",
  },
  fileRules: { minItems: "Mindestzahl der Dateien", maxItems: "Höchstzahl der Dateien" },
  timeRules: { minimum: "Frühestens", maximum: "Spätestens" },
  issues: {
    label: "Geben Sie die Frage ein.",
    options: "Geben Sie mindestens eine Antwort zur Auswahl ein.",
    rows: "Geben Sie mindestens eine Zeile ein.",
    columns: "Geben Sie mindestens eine Spalte ein.",
    of: (name, clause) => `„${name}“ ${clause}`,
  },
  clauses: clausesGerman,
  holds: {
    since: "Seit",
    reason: "Grund",
    reasonHint: "Etwa ein Aktenzeichen. Er bleibt für immer festgehalten.",
    placeConfirm: "Sperren",
    placed: "Gesperrt.",
    releaseHint: "Danach dürfen Menschen und Regeln wieder löschen.",
    releaseConfirm: "Freigeben",
    released: "Freigegeben.",
    one: "Einsendung",
    list: (count) => (count === 1 ? "1 Einsendung ist gesperrt" : `${count} Einsendungen sind gesperrt`),
    form: {
      held: "Alle Einsendungen dieses Formulars sind gesperrt: Nichts löscht sie.",
      place: "Alle Einsendungen sperren",
      placeHint:
        "Niemand und keine Regel löscht eine Einsendung dieses Formulars, bis Sie es freigeben, auch neue nicht.",
      release: "Formular freigeben",
    },
    submission: {
      held: "Diese Einsendung ist gesperrt: Nichts löscht sie.",
      place: "Sperren",
      placeHint: "Niemand und keine Regel löscht sie, bis Sie sie freigeben.",
      release: "Freigeben",
    },
  },
  retention: {
    wrong: "Geben Sie eine ganze Zahl ab 1 und eine Zeit von höchstens 20 Jahren ein.",
    count: "Löschen nach",
    countHint: "Eine ganze Zahl. Leer: Dieses Formular hat keine eigene Regel.",
    unit: "Tage, Wochen, Monate oder Jahre",
    units: { D: "Tagen", W: "Wochen", M: "Monaten", Y: "Jahren" },
    from: "Gezählt ab",
    moments: { created: "der Einsendung", completed: "dem Abschluss" },
    confirm: "Name des Formulars, zur Bestätigung",
    confirmMissing: "Geben Sie den Namen des Formulars ein.",
    confirmHint: (due) =>
      `Sobald das veröffentlicht ist, ${due === 1 ? "wird 1 Einsendung" : `werden ${due} Einsendungen`} innerhalb eines Tages endgültig gelöscht.`,
    removeHint: (due) =>
      due > 0
        ? `Sobald das veröffentlicht ist, gilt die Regel des Teams: ${due === 1 ? "1 Einsendung wird" : `${due} Einsendungen werden`} innerhalb eines Tages endgültig gelöscht.`
        : "Sobald das veröffentlicht ist, hat dieses Formular keine eigene Regel: Wenn das Team keine hat, löscht nichts seine Einsendungen.",
    due: (due, held) =>
      `Nach der geltenden Regel ${due === 1 ? "geht innerhalb eines Tages 1 Einsendung" : `gehen innerhalb eines Tages ${due} Einsendungen`}${held > 0 ? `; ${held} im selben Alter bleiben, weil sie gesperrt sind` : ""}.`,
    team: "Es gilt die Regel des Teams.",
  },
  members: {
    label: "Frage",
    help: "Hilfe unter der Frage",
    id: "Name für Programme",
    type: "Art der Antwort",
    required: "Pflichtfrage",
    prefill: "Die Adresse der Seite darf die Antwort vorgeben",
    default: "Anfangswert",
    showIf: "Nur fragen, wenn",
    showTextIf: "Nur zeigen, wenn",
    requireIf: "Pflichtfrage, wenn",
    compute: "Die Antwort berechnen",
    rules: "Was für die Antworten gelten muss",
  },
  submission: {
    states: {
      waiting: "Wartet",
      accepted: "Angenommen",
      rejected: "Abgelehnt",
      incomplete: "Unvollständig",
    },
    submitters: { agent: "Agent", anonymous: "Anonym", api_key: "API-Schlüssel" },
    provenances: {
      person: "Person (anonym)",
      declared_agent: "Programm, das sich zu erkennen gibt",
      agent: "Agent (Geheimnis)",
      agent_signed: "Agent (signiert)",
      agent_for_person: "Agent für eine Person",
      owner: "Sie selbst (API-Schlüssel)",
    },
  },
};
