/** The constraints of a field, and the checks of their own values that several types share. */
import { type } from "arktype";
import { type Clause, clause } from "./clauses.ts";
import { listNames } from "./named-lists.ts";
import { firstRepeat, isBlankText, type Option, valuesOf } from "./values.ts";

export { type Option, type Scalar, valuesOf } from "./values.ts";

/** The valid constraints of one field. Invalid ones are left out, and the lint reports them. */
export interface Constraints {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly country?: string;
  readonly allowedDomains?: readonly string[];
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly multipleOf?: number;
  readonly minimumLabel?: string;
  readonly maximumLabel?: string;
  readonly options?: readonly (string | Option)[];
  readonly allowOther?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly rankAll?: boolean;
  readonly requiredParts?: readonly string[];
  readonly rows?: readonly (string | Option)[];
  readonly columns?: readonly (string | Option)[];
  readonly allRows?: boolean;
  readonly accept?: readonly string[];
  readonly maxBytes?: number;
}

/** An undefined member equals an absent one: JSON has no such value. */
export type JsonSchema = Record<string, unknown>;

export interface ConstraintRule {
  /** Returns the error of a value; undefined: it is valid. */
  readonly invalid: (value: unknown) => Clause | undefined;
  /** The valid values, for the OpenAPI document. `invalid` also checks what a schema cannot express. */
  readonly schema: JsonSchema;
  /** True: the value may be the name of a list (./named-lists.ts), which publishing writes out. */
  readonly takesListName?: true;
}

/** Requirement of each constraint on a value. */
export const constraintMeanings: Readonly<Record<keyof Constraints, string>> = {
  minLength: "The least number of characters (Unicode code points).",
  maxLength: "The greatest number of characters (Unicode code points).",
  pattern: "An RE2 expression that matches anywhere in the text, unless it is anchored with `^` and `$`.",
  country: "A national number of this country (ISO 3166-1, two capital letters) is accepted too.",
  allowedDomains: "The address is at one of these domains; one with other letters is written as `xn--…`.",
  minimum: "The least value.",
  maximum: "The greatest value.",
  multipleOf: "A multiple of this number; decimals are compared exactly.",
  minimumLabel: "What the least value means, for people: `not at all`.",
  maximumLabel: "What the greatest value means, for people: `very much`.",
  options: `The choices: texts, or objects with \`value\` and \`label\`, which differ from each other. In \`select\` and \`multi_select\`, \`limit\` is how many submissions may have the choice. Or the name of a list, which publishing writes out: ${listNames.map((name) => `\`"${name}"\``).join(", ")}.`,
  allowOther: "`true`: a value that is not among the options is accepted too.",
  minItems: "The least number of items.",
  maxItems: "The greatest number of items.",
  rankAll: "`true`: every option must be ranked.",
  requiredParts: "The parts that must not be empty.",
  rows: "The rows: texts, or objects with `id` and `label`.",
  columns:
    "The columns: texts, or objects with `id` and `label`. A row takes one of them, or a list of several.",
  allRows: "`true`: every row must have a value.",
  accept: "The media types of files, by their content; `image/*` stands for every image. Absent: any.",
  maxBytes: "The greatest size of a file; the server has one, too.",
};

/** Constraints that are usually beside `validation`, directly on the field. */
export const choiceConstraints: ReadonlySet<string> = new Set(["options", "rows", "columns"]);

/** Checker of values, such as an arktype. */
export interface Shape {
  allows(value: unknown): boolean;
}

export const constraint = (allowed: Shape, wrong: Clause, schema: JsonSchema): ConstraintRule => ({
  invalid: (value) => (allowed.allows(value) ? undefined : wrong),
  schema,
});

export const textConstraint = (
  isValid: (text: string) => boolean,
  wrong: Clause,
  schema: JsonSchema = {},
): ConstraintRule =>
  constraint(
    type("string").narrow((text) => isValid(text)),
    wrong,
    { type: "string", ...schema },
  );

export const finite = type("number").narrow((value) => Number.isFinite(value));
export const nonBlank = type("string").narrow((text) => !isBlankText(text));

export const count = constraint(
  type("number.safe & number.integer >= 0"),
  clause("whole_number", { least: 0 }),
  { type: "integer", minimum: 0 },
);
export const flag = constraint(type("boolean"), clause("true_or_false"), { type: "boolean" });

/** Members of the owner, in an entry of a list. */
export const ownMembers: JsonSchema = { "^x-": {} };

/** A list of entries whose values differ. `schema`: of one entry. */
export const entries = (entry: Shape, description: string, schema: JsonSchema): ConstraintRule => ({
  invalid: (list) => {
    if (!Array.isArray(list) || list.length === 0) return clause("entries");
    const wrong = list.findIndex((each) => !entry.allows(each));
    if (wrong >= 0) return clause("entry", { expected: description, entry: wrong + 1 });
    const repeat = firstRepeat(valuesOf(list));
    return repeat < 0 ? undefined : clause("repeated", { entry: repeat + 1 });
  },
  schema: { type: "array", minItems: 1, items: schema },
});
