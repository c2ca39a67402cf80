/** Words in German: questions that depend on others. */
import type { conditionTexts } from "./conditions.ts";
import type { Words } from "./words.ts";

export const germanConditionTexts: Words<typeof conditionTexts> = {
  conditions: {
    heading: "Abhängig von anderen Fragen",
    headings: {
      showIf: "Nur fragen, wenn",
      showTextIf: "Nur zeigen, wenn",
      requireIf: "Pflichtfrage, wenn",
      compute: "Die Antwort berechnen",
      rules: "Was für die Antworten gelten muss",
    },
    joint: "Was davon gelten muss",
    all: "alles davon",
    any: "eines davon",
    row: (number) => `Zeile ${number}`,
    question: "Frage",
    noQuestion: "keine Frage",
    comparison: "Vergleich",
    value: "Wert",
    message: "Was man sonst liest",
    more: "Zeile hinzufügen",
    asText: "Als Ausdruck schreiben",
    nowAsked: (sentence) => `Wird nur gefragt, wenn ${sentence}.`,
    nowRequired: (sentence) => `Pflichtfrage, wenn ${sentence}.`,
    nowCalculated: (formula) => `Wird berechnet als ${formula}.`,
    noneBefore: "Vor dieser Frage kommt keine, von der sie abhängen könnte.",
    hints: {
      showIf:
        "Ohne Zeilen wird immer gefragt. Eine Frage ohne Antwort erfüllt keinen Vergleich außer „hat keine Antwort“. Um eine Zeile zu entfernen, wählen Sie „keine Frage“.",
      requireIf: "Ohne Zeilen gilt, was bei „Pflichtfrage“ angekreuzt ist.",
      text: "Für alles, was Zeilen nicht sagen können, etwa `data.country == 'DE' && data.age >= 18`.",
      compute:
        "Man sieht das Ergebnis und kann es nicht ändern. Schreiben Sie es mit den Namen unten, etwa `data.price * data.quantity`; eine Zahl hat einen Punkt, etwa `2.0`.",
      rules: "Die Zeile sagt, was gelten muss. Sonst liest man die Meldung, und nichts wird gesendet.",
      moreRules: "Eine pro Zeile, mit der Meldung: `data.end >= data.start | Das Ende liegt vor dem Anfang.`",
    },
    otherRules: "Als Ausdrücke",
    names: "Namen der Fragen davor",
    tryIt: "Ausprobieren: den Entwurf ausfüllen und sehen, was gefragt wird",
    relations: {
      is: "ist",
      isNot: "ist nicht",
      isOneOf: "ist eines von",
      atLeast: "ist mindestens",
      atMost: "ist höchstens",
      moreThan: "ist mehr als",
      lessThan: "ist weniger als",
      contains: "enthält",
      containsNot: "enthält nicht",
      startsWith: "beginnt mit",
      endsWith: "endet mit",
      has: "hat eine Antwort",
      hasNot: "hat keine Antwort",
    },
    oneOfHint: "ist eines von (mit Kommas)",
    timeRelations: {
      atLeast: "ist oder liegt nach",
      atMost: "ist oder liegt vor",
      moreThan: "liegt nach",
      lessThan: "liegt vor",
    },
    and: " und ",
    or: " oder ",
    list: {
      if: (sentence) => `wenn ${sentence}`,
      requiredIf: (sentence) => `Pflichtfrage, wenn ${sentence}`,
      calculated: (formula) => `berechnet: ${formula}`,
      rules: (count) =>
        count === 1 ? "1 Bedingung für die Antworten" : `${count} Bedingungen für die Antworten`,
    },
    problems: {
      noValue: (question) => `Geben Sie an, womit „${question}“ verglichen wird.`,
      noNumber: (question, value) => `„${question}“ ist eine Zahl, und „${value}“ ist keine.`,
      noYesOrNo: (question) => `„${question}“ wird mit Ja oder Nein verglichen.`,
      noChoice: (question, value, choices) =>
        `„${value}“ ist bei „${question}“ nicht wählbar. Wählbar sind ${choices}.`,
      noComparison: (question, relation) =>
        `Bei „${question}“ gibt es keine Antwort, die „${relation}“ erfüllen kann.`,
      question: (name) => `die Frage ${name}`,
      unknown: (name) => `es gibt keine Frage, die Programme als ${name} kennen`,
      itself: "eine Frage kann nicht von sich selbst abhängen",
      noMessage: "Geben Sie an, was man liest, wenn die Antworten die Bedingung nicht erfüllen.",
    },
  },
};
