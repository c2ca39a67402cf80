/**
 * The rules that a value of the right JSON type can still break. A check is built once from its constraint, holds its
 * finished fault, and costs no allocation when it passes.
 */
import type { FieldCode } from "./codes.ts";
import { ADDRESS_PARTS, type Constraints, type Scalar, valuesOf } from "./constraints.ts";
import { isCountry, isEmail } from "./formats.ts";
import { search, textLimit } from "./pattern.ts";
import { firstRepeat, isEmpty, isLonger, isMultiple, isShorter } from "./values.ts";

/** A FieldError of the specification without its `help` link (the HTTP edge adds that). */
export interface FieldIssue {
  /** The field's id; absent for a fault of the form, or of a definition that has no id. */
  field?: string;
  code: string;
  /** One sentence for people. It never repeats the value. */
  message: string;
  /** The broken rule, by its name in the definition; parts and items are named after it. */
  constraint?: string;
  /** What the rule asks for, so that the caller can mend the value in one try. */
  expected?: unknown;
}

/** @returns the fault of a broken rule, or undefined. */
export type Check<V> = (value: V) => FieldIssue | undefined;

/** Makes the faults of one field. */
export type IssueFactory = (
  code: FieldCode,
  message: string,
  constraint?: string,
  expected?: unknown,
) => FieldIssue;

/** One condition, one fault that never varies. */
export const check = <V>(holds: (value: V) => boolean, fault: FieldIssue): Check<V> => {
  return (value) => (holds(value) ? undefined : fault);
};

/** Pattern, then lengths. Text beyond what the pattern engine takes is never handed to it. */
export function textChecks(limits: Constraints, blame: IssueFactory): Check<string>[] {
  const { minLength = 0, pattern } = limits;
  const checks: Check<string>[] = [];
  let maxLength = limits.maxLength;
  if (pattern !== undefined) {
    const found = search(pattern);
    const longest = textLimit(pattern);
    maxLength = Math.min(maxLength ?? longest, longest);
    checks.push(
      check(
        (text) => isLonger(text, longest) || found(text),
        blame("pattern", "Must match the form's pattern.", "pattern", pattern),
      ),
    );
  }
  // One character is what an answer has at least: an empty one never comes this far.
  if (minLength > 1) {
    const fault = blame("min_length", `Must have at least ${minLength} characters.`, "minLength", minLength);
    checks.push(check((text) => !isShorter(text, minLength), fault));
  }
  if (maxLength !== undefined) {
    const limit = maxLength;
    const fault = blame("max_length", `Must have at most ${limit} characters.`, "maxLength", limit);
    checks.push(check((text) => !isLonger(text, limit), fault));
  }
  return checks;
}

export function domainCheck(limits: Constraints, blame: IssueFactory): Check<string>[] {
  const { allowedDomains } = limits;
  if (allowedDomains === undefined) return [];
  const allowed = new Set(allowedDomains.map((domain) => domain.toLowerCase()));
  const fault = blame(
    "domain_not_allowed",
    "Must be an address at an allowed domain.",
    "allowedDomains",
    allowedDomains,
  );
  return [
    check((text) => {
      const domain = text.slice(text.lastIndexOf("@") + 1).toLowerCase();
      return allowed.has(domain) || !isEmail(text);
    }, fault),
  ];
}

/** Numbers are compared as they are, days and times by `key`; a value without a key has failed its format already. */
export function boundChecks<V extends number | string>(
  limits: Constraints,
  blame: IssueFactory,
  key: (value: V) => number | undefined,
): Check<V>[] {
  const { minimum, maximum, multipleOf } = limits;
  const checks: Check<V>[] = [];
  if (minimum !== undefined) {
    const least = key(minimum as V) as number;
    const fault = blame("min_value", `Must be ${minimum} or more.`, "minimum", minimum);
    checks.push(check((value) => (key(value) ?? least) >= least, fault));
  }
  if (maximum !== undefined) {
    const most = key(maximum as V) as number;
    const fault = blame("max_value", `Must be ${maximum} or less.`, "maximum", maximum);
    checks.push(check((value) => (key(value) ?? most) <= most, fault));
  }
  if (multipleOf !== undefined) {
    const fault = blame("step", `Must be a multiple of ${multipleOf}.`, "multipleOf", multipleOf);
    checks.push(check((value) => isMultiple(value as number, multipleOf), fault));
  }
  return checks;
}

export function optionCheck(limits: Constraints, blame: IssueFactory): Check<Scalar>[] {
  if (limits.allowOther === true) return [];
  const options = valuesOf(limits.options);
  const known = new Set(options);
  return [
    check(
      (value) => known.has(value),
      blame("invalid_option", "Must be one of the options.", "options", options),
    ),
  ];
}

/** Arrays of distinct options. One fault a code, naming the first item at fault: `options[2]` is the third item. */
export function itemChecks(limits: Constraints, blame: IssueFactory): Check<Scalar[]>[] {
  const { minItems = 0, maxItems } = limits;
  const options = valuesOf(limits.options);
  const known = new Set(options);
  const checks: Check<Scalar[]>[] = [];
  if (limits.allowOther !== true) {
    checks.push((items) => {
      const at = items.findIndex((item) => !known.has(item));
      return at < 0
        ? undefined
        : blame("invalid_option", `Item ${at + 1} must be one of the options.`, `options[${at}]`, options);
    });
  }
  checks.push((items) => {
    const at = firstRepeat(items);
    return at < 0
      ? undefined
      : blame("duplicate_item", `Item ${at + 1} repeats an earlier one.`, `uniqueItems[${at}]`, true);
  });
  // A given list has one item at least: an empty one counts as absent.
  if (minItems > 1) {
    const fault = blame("min_items", `Must have at least ${minItems} items.`, "minItems", minItems);
    checks.push(check((items) => items.length >= minItems, fault));
  }
  if (maxItems !== undefined) {
    const fault = blame("max_items", `Must have at most ${maxItems} items.`, "maxItems", maxItems);
    checks.push(check((items) => items.length <= maxItems, fault));
  }
  if (limits.rankAll === true) {
    const fault = blame("incomplete_ranking", "Must rank every option.", "rankAll", options);
    checks.push(check((items) => new Set(items).size >= options.length, fault));
  }
  return checks;
}

export type Address = Partial<Record<(typeof ADDRESS_PARTS)[number], string | null>>;

/** The country's code, then the parts that must be filled; `constraint` names the part. */
export function addressChecks(limits: Constraints, blame: IssueFactory): Check<Address>[] {
  const notation = "ISO 3166-1 alpha-2, two capital letters";
  const fault = blame(
    "format",
    "The country must be an ISO 3166-1 code of two capital letters.",
    "country",
    notation,
  );
  const needed = ADDRESS_PARTS.filter((part) => limits.requiredParts?.includes(part));
  return [
    check(({ country }) => isEmpty(country) || isCountry(country as string), fault),
    ...needed.map((part) => {
      const absent = blame("required_part", `The address must have its ${part}.`, part, needed);
      return check<Address>((address) => !isEmpty(address[part]), absent);
    }),
  ];
}

export type Matrix = Record<string, string | string[] | null>;

/** Rows and columns by id. A row that is answered empty counts as not answered. `constraint` names a known row: `columns.speed`. */
export function matrixChecks(limits: Constraints, blame: IssueFactory): Check<Matrix>[] {
  const rows = valuesOf(limits.rows) as string[];
  const columns = valuesOf(limits.columns);
  const knownRows = new Set(rows);
  const knownColumns = new Set(columns);
  const badRow = blame("invalid_option", "Every key must be one of the rows.", "rows", rows);
  const answer = (matrix: Matrix, row: string) => {
    const cell = Object.hasOwn(matrix, row) ? matrix[row] : null;
    return isEmpty(cell) ? [] : [cell].flat();
  };
  const checks: Check<Matrix>[] = [
    check((matrix) => Object.keys(matrix).every((row) => knownRows.has(row)), badRow),
    (matrix) => {
      const row = rows.find((each) =>
        answer(matrix, each).some((column) => !knownColumns.has(column as string)),
      );
      if (row === undefined) return undefined;
      return blame(
        "invalid_option",
        "Every row must be answered with one of the columns.",
        `columns.${row}`,
        columns,
      );
    },
    (matrix) => {
      const row = rows.find((each) => firstRepeat(answer(matrix, each)) >= 0);
      if (row === undefined) return undefined;
      return blame("duplicate_item", "No row may name a column twice.", `uniqueItems.${row}`, true);
    },
  ];
  if (limits.allRows === true) {
    checks.push((matrix) => {
      const open = rows.filter((row) => answer(matrix, row).length === 0);
      return open.length === 0
        ? undefined
        : blame("incomplete_matrix", "Every row must be answered.", "allRows", open);
    });
  }
  return checks;
}
