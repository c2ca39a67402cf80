/** Jumps from a question to a later one, as conditions of the questions that they pass. Pure. */
import { type Expression, expressionLimits } from "../../../fields/conditions/expression.ts";
import { printExpression } from "../../../fields/conditions/print.ts";
import { limits } from "../../../limits.ts";
import type { DraftEntry, ImportDraft } from "./draft.ts";
import { all, any, call, hasValue, literal, not } from "./logic.ts";

/** Jumps of a question, of which the first one that holds is taken after it. */
export interface JumpList {
  /** Positions of the question, and of the one after it. */
  at: number;
  next: number;
  /** `target`: the position at which it goes on, not before `next`. True: it always holds. */
  jumps: readonly { target: number; holds: Expression | true }[];
  /** The source's text, for items. */
  original: string;
}

/** Comparisons in a condition, of at least four nodes each. More make it longer than an expression may be. */
const maxComparisons = expressionLimits.nodes / 4;

const comparisonsIn = ({ op, args }: Expression): number =>
  op === "&&" || op === "||" ? args.reduce((sum, each) => sum + comparisonsIn(each), 0) : 1;

/** Checks that each condition is about other values of one question, so that their order has no meaning. */
function areExclusive(conditions: readonly Expression[]): boolean {
  const parts = conditions.flatMap((each) => (each.op === "||" ? each.args : [each]));
  const isAlike = ({ op, args }: Expression) => op === "==" && args[0]?.value === parts[0]?.args[0]?.value;
  return parts.every(isAlike) && new Set(parts.map(({ args }) => args[1]?.value)).size === parts.length;
}

/** Returns a function from a position to the condition under which none of the jumps passes it. */
function conditionsOf({ jumps }: JumpList): (position: number) => Expression | boolean | undefined {
  const list: { target: number; holds: Expression }[] = [];
  let last = 0;
  for (const { target, holds } of jumps) {
    if (holds === true) {
      last = target;
      break;
    }
    list.push({ target, holds });
  }
  const isExclusive = areExclusive(list.map(({ holds }) => holds));
  return (position) => {
    if (list.length > maxComparisons) return undefined;
    const base = last <= position;
    return list.reduceRight<Expression | boolean | undefined>((rest, { target, holds }) => {
      const isKept = target <= position;
      if (rest === isKept || (isExclusive && isKept === base)) return rest;
      if (isKept) return rest === false ? holds : any([holds, rest as Expression]);
      return rest === true ? not(holds) : all([not(holds), rest as Expression]);
    }, base);
  };
}

/** Checks if an expression holds for sure while a question has no value. */
const holdsWithout = (id: unknown, { op, args }: Expression): boolean =>
  (op === "&&" && args.every((each) => holdsWithout(id, each))) ||
  (op === "||" && args.some((each) => holdsWithout(id, each))) ||
  (op === "!" && args[0]?.op === "has" && args[0].args[0]?.value === id);

/** The condition of a position: parts that all hold, by their texts. Unknown: it has no counterpart. */
interface Shown {
  is: "conditional" | "never" | "unknown";
  parts: ReadonlyMap<string, Expression>;
  original: string;
}

/**
 * Gives each entry that is passed by jumps the condition under which none of them is taken.
 * @param entries in the source's order; undefined: the question is left out, and has a position all the same
 * @param lists in the order of `next`
 * @param isWhole false: some jumps are not in the lists, and may lead to what no other way leads to
 */
export function applyJumps(
  draft: ImportDraft,
  entries: readonly (DraftEntry | undefined)[],
  lists: readonly JumpList[],
  isWhole: boolean,
): void {
  const shown = new Map<number, Shown>();
  const last = entries.findLastIndex((entry) => entry !== undefined);
  const used = lists.filter(({ next }) => next <= last);
  const sources = new Set(used.map(({ at }) => at));
  const hasTooMany = used.length > limits.form.maxFields;
  for (const list of used) {
    const conditionAt = hasTooMany ? () => undefined : conditionsOf(list);
    const [source, reached] = [entries[list.at], shown.get(list.at)];
    if (reached?.is === "never") continue;
    const end = list.jumps.reduce((far, { target }) => Math.max(far, target), list.next);
    for (let position = list.next; position < Math.min(end, last + 1); position++) {
      if (!entries[position] && !sources.has(position)) continue;
      const before = shown.get(position);
      const condition = conditionAt(position);
      if (condition === true || (before && before.is !== "conditional")) continue;
      const parts = new Map(before?.parts);
      // Parts of the source's condition that hold here anyway say nothing.
      const others = [...(reached?.parts ?? [])].flatMap(([text, part]) => (parts.has(text) ? [] : [part]));
      const isNotReached =
        others.length === 0 || (condition && holdsWithout(source?.field.id, condition))
          ? null
          : source?.field.required
            ? call("!", hasValue(source))
            : not(all(others));
      const ways = [isNotReached, condition || null].filter((each) => each !== null);
      const own = any(ways);
      for (const part of own?.op === "&&" ? own.args : own ? [own] : [])
        parts.set(printExpression(part), part);
      const isTooLong =
        [...parts.values()].reduce((sum, each) => sum + comparisonsIn(each), 0) > maxComparisons;
      const isUnknown =
        condition === undefined || reached?.is === "unknown" || isTooLong || (ways.length > 0 && !own);
      const isNever = ways.length === 0;
      const is = isUnknown || (isNever && !isWhole) ? "unknown" : isNever ? "never" : "conditional";
      shown.set(position, { is, parts, original: list.original });
    }
  }
  for (const [position, { is, parts, original }] of shown) {
    const entry = entries[position];
    const showIf = { conditional: all([...parts.values()]), never: literal(false), unknown: undefined }[is];
    if (entry) draft.setLogic(entry, "showIf", showIf, original);
  }
}
