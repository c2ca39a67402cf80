/** The constraints of a field, and the checks of their own values that several types share. */
import { type } from "arktype";
import { firstRepeat } from "./values.ts";

/** The valid constraints of one field; an invalid one is left out, and the lint reports it. */
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
  /** Rows and columns of a matrix may also be `{ id, label }`. */
  readonly id?: string;
  readonly label?: string;
}

/** @returns the end of a sentence that begins with the constraint ("must be …"), or undefined */
export type ConstraintCheck = (value: unknown) => string | undefined;

/** What can tell whether it allows a value: an arktype. */
export interface Shape {
  allows(value: unknown): boolean;
}

export const constraint =
  (allowed: Shape, wrong: string): ConstraintCheck =>
  (value) =>
    allowed.allows(value) ? undefined : wrong;

export const textConstraint = (isValid: (text: string) => boolean, wrong: string): ConstraintCheck =>
  constraint(
    type("string").narrow((text) => isValid(text)),
    wrong,
  );

export const finite = type("number").narrow((value) => Number.isFinite(value));
export const nonBlank = type("string").narrow((text) => text.trim() !== "");

export const count = constraint(
  type("number.safe & number.integer >= 0"),
  "must be a whole number, 0 or more",
);
export const flag = constraint(type("boolean"), "must be true or false");

/** A list of entries whose values differ. */
export const entries =
  (entry: Shape, description: string): ConstraintCheck =>
  (list) => {
    if (!Array.isArray(list) || list.length === 0) return "must be a list of at least one entry";
    const wrong = list.findIndex((each) => !entry.allows(each));
    if (wrong >= 0) return `must contain only ${description}; entry ${wrong + 1} is something else`;
    const repeat = firstRepeat(valuesOf(list));
    return repeat < 0 ? undefined : `must have different values; entry ${repeat + 1} repeats an earlier one`;
  };

/** The values of `options`, `rows` or `columns`, in order. */
export const valuesOf = (list: readonly (string | Option)[] = []): Scalar[] =>
  list.map((entry) => (typeof entry === "string" ? entry : (entry.value ?? entry.id ?? "")));
