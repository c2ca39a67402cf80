import { type } from "arktype";
import { iso31661Alpha2ToAlpha3 } from "iso-3166/1-a2-to-1-a3.js";
import { addressPartsIn } from "../address-order.ts";
import { clause } from "../clauses.ts";
import { constraint } from "../constraints.ts";
import { addressParts, toText } from "../control-values.ts";
import { emptyPart, type FieldType, type IssueFactory, jsonType, valueCheck } from "../field-type.ts";
import { nearest } from "../nearest.ts";
import { unasked } from "../presentation.ts";
import { isEmpty, isRecord } from "../values.ts";

/** ISO 3166-1 alpha-2, officially assigned. (`Intl.DisplayNames` also accepts retired and reserved codes.) */
export const countries = Object.keys(iso31661Alpha2ToAlpha3);

const countrySet = new Set(countries);
export const isCountry = (text: string): boolean => countrySet.has(text);

type Address = Partial<Record<(typeof addressParts)[number], string | null>>;

const isPart = (name: string): boolean => (addressParts as readonly string[]).includes(name);
const maxShownLength = 64;

const part = "string | null";
const shape = type({
  "+": "reject",
  "line1?": part,
  "line2?": part,
  "city?": part,
  "region?": part,
  "postalCode?": part,
  "country?": part,
}).narrow((value) => !Array.isArray(value));

const sample: Required<Address> = {
  line1: "1 Main Street",
  line2: "Apt. 4",
  city: "Springfield",
  region: "IL",
  postalCode: "62701",
  country: "US",
};

const usualNames: Readonly<Record<string, string>> = {
  zip: "postalCode",
  postcode: "postalCode",
  plz: "postalCode",
  street: "line1",
  state: "region",
  province: "region",
  town: "city",
};

function unknownPart(name: string, issue: IssueFactory) {
  const near = usualNames[name.toLowerCase()] ?? nearest(name, addressParts);
  const meant = near === undefined ? "." : `: is ${near} meant?`;
  return issue(
    "type_mismatch",
    `An address has no part ${JSON.stringify(name)}${meant}`,
    `parts.${name}`,
    addressParts,
  );
}

const countryCode = { enum: countries };

/** The name of a country; any other text is returned unchanged. */
const countryOf = (code: unknown, language: string): string =>
  typeof code === "string" && /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames([language], { type: "region" }).of(code) ?? code)
    : toText(code);

const address: FieldType<Address> = {
  ...unasked,
  nature: "parts",
  parts: () => addressParts,
  toText: (_, value, words) => {
    const parts = isRecord(value) ? value : {};
    const lines = addressPartsIn(words.lang).map((part) =>
      part === "country" ? countryOf(parts[part], words.lang) : toText(parts[part]),
    );
    return lines.filter((line) => line !== "").join("\n");
  },
  ...jsonType(
    `an object of texts with the keys ${addressParts.join(", ")}`,
    { type: "object", propertyNames: { enum: addressParts } },
    shape,
  ),
  aliases: [],
  meaning: "A postal address: an object with these parts, each a text; `country` is an ISO 3166-1 code.",
  example: { field: { requiredParts: ["line1", "city", "country"] }, value: sample },
  constraints: {
    requiredParts: constraint(
      type.enumerated(...addressParts).array(),
      clause("address_parts", { parts: addressParts }),
      { type: "array", items: { enum: addressParts } },
    ),
  },
  checkable: true,
  // Refuses unknown parts; `constraint` names the first one: an object can have 100,000.
  wrongParts: (value, issue) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const known = Object.entries(value).filter(([name]) => isPart(name));
    const wrong = known.filter(([, text]) => typeof text !== "string" && text !== null).map(([name]) => name);
    const unknown = Object.keys(value).find((name) => !isPart(name));
    return {
      issues: [
        ...wrong.map((name) =>
          issue("type_mismatch", `The part ${name} must be text.`, `parts.${name}`, "string"),
        ),
        ...(unknown === undefined
          ? []
          : [unknownPart(unknown.slice(0, maxShownLength).toWellFormed(), issue)]),
      ],
      sound: {
        ...Object.fromEntries(known),
        ...Object.fromEntries(wrong.map((name) => [name, sample[name as keyof Address]])),
      },
    };
  },
  // The country's code, then the required parts; `constraint` names the part.
  checks: ({ requiredParts }, issue) => {
    const required = addressParts.filter((part) => requiredParts?.includes(part));
    const wrongCountry = issue(
      "format",
      "The country must be an ISO 3166-1 code of two capital letters.",
      "country",
      "ISO 3166-1 alpha-2, two capital letters",
    );
    return [
      valueCheck(({ country }) => isEmpty(country) || isCountry(country as string), wrongCountry),
      ...required.map((part) =>
        valueCheck<Address>(
          (address) => !isEmpty(address[part]),
          issue("required_part", `The address must have its ${part}.`, part, required),
        ),
      ),
    ];
  },
  jsonSchema: ({ requiredParts = [] }) => {
    const schemaOf = (part: string) => {
      const isRequired = requiredParts.includes(part);
      if (part === "country") return isRequired ? countryCode : { anyOf: [emptyPart, countryCode] };
      return isRequired ? { type: "string", not: { $ref: "#/$defs/empty" } } : { type: ["string", "null"] };
    };
    return {
      type: "object",
      properties: Object.fromEntries(addressParts.map((part) => [part, schemaOf(part)])),
      required: requiredParts,
      additionalProperties: false,
      examples: [sample],
    };
  },
  hint: "a JSON object",
};

export const addressTypes = { address };
