/** Words of the controls of fields. The console and the pages of forms share them. */
import type { FieldWords } from "./props.ts";

export const fieldEnglish = {
  lang: "en",
  locale: "en-GB",
  yes: "Yes",
  no: "No",
  choose: "Choose…",
  other: "Other",
  noAnswer: "No answer",
  scaleEnds: ["lowest", "highest"],
  optional: "optional",
  remove: "Remove",
  full: (label) => `${label} (full)`,
  left: (label, places) => `${label} (${places === 1 ? "1 place" : `${places} places`} left)`,
  place: (position) => {
    const ends: Record<string, string> = { one: "st", two: "nd", few: "rd", other: "th" };
    return `${position}${ends[new Intl.PluralRules("en", { type: "ordinal" }).select(position)]} place`;
  },
  addressParts: {
    line1: "Address line 1",
    line2: "Address line 2",
    city: "Town or city",
    region: "State or region",
    postalCode: "Postal code",
    country: "Country",
  },
  moment: { local: "Date and time", zone: "Time zone", inZone: (zone) => `Time zone: ${zone}.` },
} satisfies FieldWords;
