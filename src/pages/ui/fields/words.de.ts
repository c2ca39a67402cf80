import type { FieldWords } from "./props.ts";

export const fieldGerman = {
  lang: "de",
  locale: "de",
  yes: "Ja",
  no: "Nein",
  choose: "Bitte wählen…",
  other: "Andere",
  noAnswer: "Keine Angabe",
  scaleEnds: ["am niedrigsten", "am höchsten"],
  optional: "freiwillig",
  remove: "Entfernen",
  full: (label) => `${label} (ausgebucht)`,
  left: (label, places) => `${label} (noch ${places === 1 ? "1 Platz" : `${places} Plätze`})`,
  place: (position) => `${position}. Platz`,
  addressParts: {
    line1: "Straße und Hausnummer",
    line2: "Adresszusatz",
    city: "Ort",
    region: "Bundesland oder Region",
    postalCode: "Postleitzahl",
    country: "Land",
  },
  moment: { local: "Datum und Uhrzeit", zone: "Zeitzone", inZone: (zone) => `Zeitzone: ${zone}.` },
} satisfies FieldWords;
