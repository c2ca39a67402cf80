/** The JSON side of the field types: which JSON values a type lets in, before any of its rules is asked. */
import { type } from "arktype";
import { ADDRESS_PARTS, type Constraints, finite, valuesOf } from "./constraints.ts";

export interface JsonType {
  /** For people, the end of "Must be …". */
  readonly words: string;
  /** For machines, the `expected` of a `type_mismatch`: a JSON Schema type, or a fragment of JSON Schema. */
  readonly expected: (constraints: Constraints) => unknown;
  /** Builds the test of a value, once. */
  readonly guard: (constraints: Constraints) => (value: unknown) => boolean;
}

/** A JSON type that does not depend on the field's constraints. */
const always = (
  words: string,
  expected: unknown,
  allowed: { allows(value: unknown): boolean },
): JsonType => ({ words, expected: () => expected, guard: () => (value) => allowed.allows(value) });

const part = "string | null";
const address = type({
  "+": "reject",
  "line1?": part,
  "line2?": part,
  "city?": part,
  "region?": part,
  "postalCode?": part,
  "country?": part,
});
const cells = type("Record<string, string | string[] | null>");
const scalar = type("string | boolean").or(finite);
const notList = (value: unknown): boolean => !Array.isArray(value);

export const asText = always("text", "string", type("string"));
export const asNumber = always("a number", "number", finite);
export const asInteger = always("a whole number", "integer", finite.and("number.integer"));
export const asBoolean = always("true or false", "boolean", type("boolean"));
export const asScalar = always(
  "text, a number, or true or false",
  { type: ["string", "number", "boolean"] },
  scalar,
);
export const asAddress = always(
  `an object of texts with the keys ${ADDRESS_PARTS.join(", ")}`,
  { type: "object", propertyNames: { enum: ADDRESS_PARTS } },
  address.narrow(notList),
);
export const asMatrix = always(
  "an object of row ids, each with a column id or a list of them",
  { type: "object", additionalProperties: { type: ["string", "array"] } },
  cells.narrow(notList),
);
export const asNothing: JsonType = { words: "nothing", expected: () => null, guard: () => () => false };

/** Options may be numbers or booleans: the value must then be of one of the JSON types that occur among them. */
function choiceGuard({ options, allowOther }: Constraints): (value: unknown) => boolean {
  const kinds = new Set<string>(valuesOf(options).map((option) => typeof option));
  if (kinds.size === 0 || allowOther === true) kinds.add("string");
  return (value) => scalar.allows(value) && kinds.has(typeof value);
}

export const asChoice: JsonType = {
  words: "one option's value",
  expected: ({ options }) => ({ enum: valuesOf(options) }),
  guard: choiceGuard,
};

export const asChoices: JsonType = {
  words: "a list of option values",
  expected: ({ options }) => ({ type: "array", items: { enum: valuesOf(options) } }),
  guard: (constraints) => {
    const isChoice = choiceGuard(constraints);
    return (value) => Array.isArray(value) && value.every(isChoice);
  },
};
