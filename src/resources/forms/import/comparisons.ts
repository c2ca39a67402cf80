/** Comparisons of a question with a value, by the names that other tools give them. Pure. */

import type { Expression } from "../../../fields/conditions/expression.ts";
import { ownIn } from "../../../fields/values.ts";
import type { DraftEntry } from "./draft.ts";
import { all, call, compares, equals, equalsOne, hasValue, literalFor, not, readOf } from "./logic.ts";
import { textOf } from "./read.ts";

/** Undefined: it has no counterpart. */
type Comparison = (entry: DraftEntry, value: unknown, isBox?: boolean) => Expression | undefined;

/** A box that is not ticked is empty. */
const filled: Comparison = (entry) =>
  ["boolean", "consent"].includes(entry.field.type) ? equals(entry, true) : hasValue(entry);
const empty: Comparison = (entry) => not(filled(entry, true));
/** A day of a source may have a time of day. */
const dayOf = ({ field }: DraftEntry, value: unknown): unknown =>
  field.type === "date" ? (textOf(value)?.replace(/T.*$/s, "") ?? value) : value;
/** Times are equal there if they are written in two ways, too. */
const equal: Comparison = (entry, value, isBox = entry.field.type === "consent") => {
  if (value === "") return empty(entry, value);
  const isMoment = entry.field.type === "time" || entry.field.type === "datetime";
  return isMoment ? undefined : equals(entry, dayOf(entry, value), isBox);
};
const only: Comparison = (entry, value) =>
  all([
    call("==", call("size", readOf(entry)), { op: "int", args: [], value: 1, at: 0 }),
    equals(entry, value),
  ]);
const ordered =
  (op: string): Comparison =>
  (entry, value) =>
    compares(entry, op, dayOf(entry, value));
const textual =
  (method: string): Comparison =>
  (entry, value) => {
    if (method === "contains" && entry.field.type === "multi_select") return equals(entry, value);
    const wanted = literalFor(entry, value);
    return wanted && call(method, readOf(entry), wanted);
  };
const one: Comparison = (entry, value) => equalsOne(entry, [value].flat());
const every: Comparison = (entry, value) => all([value].flat().map((each) => equals(entry, each)));

const comparisons: Readonly<Record<string, Comparison>> = {
  ...{
    equal,
    equalonly: only,
    empty,
    skipped: empty,
    set: filled,
    submitted: filled,
    uploaded: filled,
    accepted: filled,
  },
  ...{ contain: textual("contains"), include: textual("contains") },
  ...{ startwith: textual("startsWith"), endwith: textual("endsWith") },
  ...{
    equaloneof: one,
    anyof: one,
    includeone: one,
    includeoneof: one,
    includeall: every,
    includeallof: every,
  },
  ...{ greaterthan: ordered(">"), greaterthanorequal: ordered(">="), greaterequal: ordered(">=") },
  ...{ lessthan: ordered("<"), lessthanorequal: ordered("<="), lessequal: ordered("<=") },
  ...{ after: ordered(">"), before: ordered("<"), laterthan: ordered(">"), earlierthan: ordered("<") },
};

/**
 * The comparison of a name such as `isGreaterThan`, `doesNotContain` or `notUploaded`.
 * @returns undefined: it is none of {@link comparisons}
 */
export function comparisonNamed(operator: unknown): Comparison | undefined {
  const name = textOf(operator)?.toLowerCase() ?? "";
  const stem = name
    .replace(/^(?:is|does)/, "")
    .replace(/not|date/g, "")
    .replace(/^(equal|contain|include|start|end)s/, "$1");
  const comparison = ownIn(comparisons, stem) as Comparison | undefined;
  return comparison && name.includes("not")
    ? (entry, value, isBox) => not(comparison(entry, value, isBox))
    : comparison;
}
