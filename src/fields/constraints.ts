/** What a constraint's own value must look like. A shape returns what is wrong with it, as the end of a sentence. */
import { type } from "arktype";
import { dayKey, instantKey, isDialCountry, isDomain, timeKey } from "./formats.ts";
import { patternFault } from "./pattern.ts";
import { firstRepeat } from "./values.ts";

/** Constraints of one field after reading: present means well formed, a broken one is left out and is the lint's business. */
export interface Constraints {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly country?: string;
  readonly allowedDomains?: readonly string[];
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly multipleOf?: number;
  readonly options?: readonly (string | Option)[];
  readonly allowOther?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly rankAll?: boolean;
  readonly requiredParts?: readonly string[];
  readonly rows?: readonly (string | Option)[];
  readonly columns?: readonly (string | Option)[];
  readonly allRows?: boolean;
}

export type Scalar = string | number | boolean;

export interface Option {
  readonly value?: Scalar;
  /** Rows and columns of a matrix are also written `{ id, label }`. */
  readonly id?: string;
  readonly label?: string;
}

/** @returns what is wrong ("must be …"), or undefined when the value may stand. */
export type ConstraintCheck = (value: unknown) => string | undefined;

const shape =
  (allowed: { allows(value: unknown): boolean }, wrong: string): ConstraintCheck =>
  (value) =>
    allowed.allows(value) ? undefined : wrong;

export const finite = type("number").narrow((value) => Number.isFinite(value));

export const count = shape(type("number.safe & number.integer >= 0"), "must be a whole number, 0 or more");
export const flag = shape(type("boolean"), "must be true or false");
export const bound = shape(finite, "must be a number");
export const step = shape(
  finite.narrow((value) => value > 0),
  "must be a number greater than 0",
);
export const day = shape(
  type("string").narrow((text) => dayKey(text) !== undefined),
  "must be a real day, YYYY-MM-DD",
);
export const time = shape(
  type("string").narrow((text) => timeKey(text) !== undefined),
  "must be a time, HH:mm or HH:mm:ss",
);
export const instant = shape(
  type("string").narrow((text) => instantKey(text) !== undefined),
  "must be an RFC 3339 date-time with offset",
);
export const country = shape(
  type("string").narrow((text) => isDialCountry(text)),
  "must be a country with telephone numbers, as two capital letters (ISO 3166-1)",
);
export const domains = shape(
  type("string")
    .narrow((text) => isDomain(text))
    .array()
    .atLeastLength(1),
  'must be a list of one or more domains, such as "example.com"',
);
export const pattern: ConstraintCheck = patternFault;

export const ADDRESS_PARTS = ["line1", "line2", "city", "region", "postalCode", "country"] as const;
export const parts = shape(
  type.enumerated(...ADDRESS_PARTS).array(),
  `must be a list of address parts: ${ADDRESS_PARTS.join(", ")}`,
);

const filled = type("string").narrow((text) => text.trim() !== "");
const choice = filled.or({ "+": "reject", value: filled.or(finite).or("boolean"), "label?": "string" });
const matrixEntry = filled
  .or({ "+": "reject", id: filled, "label?": "string" })
  .or({ "+": "reject", value: filled, "label?": "string" });

const list =
  (entry: { allows(value: unknown): boolean }, notation: string): ConstraintCheck =>
  (value) => {
    if (!Array.isArray(value) || value.length === 0) return "must be a list of at least one entry";
    const wrong = value.findIndex((each) => !entry.allows(each));
    if (wrong >= 0) return `must hold ${notation}, and nothing else: entry ${wrong + 1} does not`;
    const twice = firstRepeat(valuesOf(value));
    return twice < 0 ? undefined : `must hold different values: entry ${twice + 1} repeats an earlier one`;
  };

export const choices = list(choice, "non-empty texts or { value, label }");
export const matrixEntries = list(matrixEntry, "non-empty texts or { id, label }");

/** The values behind `options`, `rows` or `columns`, in order. */
export const valuesOf = (entries: readonly (string | Option)[] = []): Scalar[] =>
  entries.map((entry) => (typeof entry === "string" ? entry : (entry.value ?? entry.id ?? "")));
