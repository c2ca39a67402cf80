/** Words in German: what the pages of one form share. */

import { fieldGerman } from "../../ui/fields/words.de.ts";
import { formatDay } from "../../ui/text.tsx";
import type { Words } from "../../ui/words.ts";
import type { formEnglish } from "./words.en.ts";

/** What is wrong with a rule, as the definition's check says it in English. */
const clauses: readonly [RegExp, (...named: string[]) => string][] = [
  [/^must be a whole number, (\d) or more$/, (least) => `muss eine ganze Zahl ab ${least} sein`],
  [/^must be a whole number from 1 to (\d+)$/, (most) => `muss eine ganze Zahl von 1 bis ${most} sein`],
  [/^must be a number$/, () => "muss eine Zahl sein"],
  [/^must be a number greater than 0$/, () => "muss eine Zahl über 0 sein"],
  [/^must be a date\b/, () => "muss ein Tag sein"],
  [/^must be a time\b/, () => "muss eine Uhrzeit sein"],
  [
    /^must not exceed the number of options \((\d+)\)$/,
    (count) => `darf nicht größer sein als die Zahl der Antworten (${count})`,
  ],
  [
    /^must not exceed "?(\w+)"?/,
    (name) => `darf nicht größer sein als „${formGerman.rules[name as "maximum"] ?? name}“`,
  ],
  [/^must be a value that the field accepts$/, () => "muss eine Antwort sein, die diese Frage annimmt"],
  [
    /^must have different values; entry (\d+) repeats/,
    (entry) => `hat etwas doppelt: Eintrag ${entry} steht schon weiter oben`,
  ],
  [/^must be a list of one or more domains/, () => "braucht Domains wie example.com"],
  [/^excludes (.*): the server calculates/s, (name) => `schließt ${name} aus: Der Server berechnet den Wert`],
  [/^must be a list of media types/, () => "braucht Arten wie application/pdf oder image/*"],
  [/^must be a country with telephone numbers/, () => "muss ein Land sein, in zwei Großbuchstaben, etwa DE"],
  [/^must be text of at most (\d+) characters$/, (most) => `darf höchstens ${most} Zeichen haben`],
];

function clauseOf(english: string): string {
  for (const [pattern, toText] of clauses) {
    const found = pattern.exec(english);
    if (found) return toText(...found.slice(1));
  }
  return `ist so nicht gültig (${english})`;
}

export const formGerman: Words<typeof formEnglish> = {
  statuses: { draft: "Entwurf", published: "Veröffentlicht", archived: "Archiviert" },
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
    other: "Anderes",
    scaleEnds: ["niedrigster Wert", "höchster Wert"],
    full: (label) => `${label} (voll)`,
    place: (position) => `Platz ${position}`,
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
    of: (name, rest) => `„${name}“ ${clauseOf(rest)}`,
  },
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
    count: "Löschen nach",
    countHint: "Eine ganze Zahl. Leer: Dieses Formular hat keine eigene Regel.",
    unit: "Tage, Wochen, Monate oder Jahre",
    units: { D: "Tagen", W: "Wochen", M: "Monaten", Y: "Jahren" },
    from: "Gezählt ab",
    moments: { created: "der Einsendung", completed: "dem Abschluss" },
    confirm: "Name des Formulars, zur Bestätigung",
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
  expressions: {
    question: (name) => `die Frage ${name}`,
    unknown: (name) => `es gibt keine Frage, die Programme als ${name} kennen`,
    itself: "eine Frage kann nicht von sich selbst abhängen",
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
