/** Structure of a field type, and the parts that several types share. */
import type { Type } from "arktype";
import { compiled } from "../compiled.ts";
import type { Said } from "../messages.ts";
import type { Clause, FormFaultKey } from "./clauses.ts";
import type { FieldCode } from "./codes.ts";
import type { ConstraintRule, Constraints, JsonSchema } from "./constraints.ts";
import type { Presentation } from "./presentation.ts";

export type { JsonSchema } from "./constraints.ts";

/** A FieldError of the specification without its `help` link, which the HTTP layer adds. */
export interface FieldIssue {
  /** The field's id; absent for an issue of the form, or of a definition that has no id. */
  field?: string;
  code: string;
  /** One sentence for people. It never repeats the value. */
  message: string;
  clause?: Clause;
  /** The message of an issue of the form. */
  said?: Said<FormFaultKey>;
  /** The position, from 1, of a definition that has no id. */
  entry?: number;
  /** The violated rule, by its name in the definition; parts and items have names derived from it. */
  constraint?: string | undefined;
  /** Requirement of the rule, so that the caller can fix the value in one try. */
  expected?: unknown;
}

export type IssueFactory = (
  code: FieldCode,
  message: string,
  constraint?: string,
  expected?: unknown,
) => FieldIssue;

/** @returns the issue of a violated rule, or one for each part that violates it, or undefined */
export type ValueCheck<V> = (value: V) => FieldIssue | readonly FieldIssue[] | undefined;

/** One condition with one constant issue: the check allocates nothing. */
export const valueCheck =
  <V>(holds: (value: V) => boolean, issue: FieldIssue): ValueCheck<V> =>
  (value) =>
    holds(value) ? undefined : issue;

/** JSON values that a type accepts, before any of its rules applies. */
interface JsonType {
  /** Text for people: the end of "Must be …". */
  readonly description: string;
  /** Value for programs, the `expected` of a `type_mismatch`: a JSON Schema type, or part of a schema. */
  readonly expected: (constraints: Constraints) => unknown;
  /** Builds the test of a value, once per field. */
  readonly guard: (constraints: Constraints) => (value: unknown) => boolean;
}

/**
 * The nature of a value decides how the rest of formd treats it: conditions, defaults, filters, exports.
 * "choice" is one option and "choices" a list of several, "parts" an object, "any" a value of several JSON
 * types; "none" shows something, and accepts no value. A value with parts is empty if all of them are.
 */
export type Nature = "text" | "number" | "yesNo" | "choice" | "choices" | "parts" | "files" | "any" | "none";

/** A field type. `V` is the type of the values that its guard accepts. */
export type FieldType<V = unknown> = Members<V> &
  (
    | { readonly nature: Exclude<Nature, "parts"> }
    | { readonly nature: "parts"; readonly parts: NonNullable<Presentation["parts"]> }
  );

interface Members<V> extends JsonType, Presentation {
  /** True for days and times, which are compared with "before" and "after". */
  readonly isTime?: true;
  readonly aliases: readonly string[];
  readonly meaning: string;
  /** A definition with every constraint, without id and label, and a value. A test validates it. */
  readonly example: { readonly field: Constraints; readonly value?: unknown };
  readonly constraints: { readonly [name in keyof Constraints]?: ConstraintRule };
  /** Constraints without which the field has no acceptable value. */
  readonly requires?: readonly (keyof Constraints)[];
  readonly defaults?: Constraints;
  /** Defaults of an alias that has its own. */
  readonly aliasDefaults?: Readonly<Record<string, Constraints>>;
  /**
   * Finds the invalid parts of a value that the guard rejects. `sound` is the value with valid parts in their
   * place, so that the checks find the errors of the others. Bounded. Undefined: the value has no parts.
   */
  readonly wrongParts?: (
    value: unknown,
    issue: IssueFactory,
    constraints: Constraints,
  ) => { issues: FieldIssue[]; sound: unknown } | undefined;
  /** The order of `minimum` and `maximum`. */
  readonly orderOf?: (value: never) => number | undefined;
  /** The rules, for values that the guard accepts. */
  readonly checks: (constraints: Constraints, issue: IssueFactory, required: boolean) => ValueCheck<V>[];
  /** Cost of checking one value, in the unit of patterns (65 ns at most). Absent: negligible. */
  readonly work?: number;
  /** True if a challenge can ask about the field. "constrained": only if the owner has set a constraint. */
  readonly checkable: boolean | "constrained";
  /** The non-empty values. A schema that accepts more than the checks is marked by {@link looser}. */
  readonly jsonSchema: (constraints: Constraints, required: boolean) => JsonSchema;
  /** The JSON type that a challenge asks for, without a rule: the challenge is about the rules. */
  readonly hint: string;
}

/** A JSON type that does not depend on the field's constraints. */
export const jsonType = (description: string, expected: unknown, allowed: Type): JsonType => ({
  description,
  expected: () => expected,
  guard: () => {
    const checker = compiled(allowed);
    return (value) => checker.allows(value);
  },
});

/** Checks the bounds. A value unknown to `orderOf` violates its format already, and passes here. */
export function boundChecks<V extends number | string>(
  { minimum, maximum }: Constraints,
  issue: IssueFactory,
  orderOf: (value: V) => number | undefined,
): ValueCheck<V>[] {
  const checks: ValueCheck<V>[] = [];
  if (minimum !== undefined) {
    const least = orderOf(minimum as V) as number;
    const tooSmall = issue("min_value", `Must be ${minimum} or more.`, "minimum", minimum);
    checks.push(valueCheck((value) => (orderOf(value) ?? least) >= least, tooSmall));
  }
  if (maximum !== undefined) {
    const most = orderOf(maximum as V) as number;
    const tooLarge = issue("max_value", `Must be ${maximum} or less.`, "maximum", maximum);
    checks.push(valueCheck((value) => (orderOf(value) ?? most) <= most, tooLarge));
  }
  return checks;
}

/** Marks a JSON Schema that accepts more than the form does, with the further requirements of the form. */
export const looser = (...requirements: (string | false | undefined)[]): JsonSchema => {
  const stated = requirements.filter(Boolean);
  return stated.length === 0
    ? {}
    : { $comment: `Looser than the form, which also requires ${stated.join("; ")}.` };
};

/** An empty part of a composite value. */
export const emptyPart: JsonSchema = { type: ["string", "null"], $ref: "#/$defs/empty" };
