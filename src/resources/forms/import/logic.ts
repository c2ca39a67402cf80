/**
 * Expressions about the questions of a draft. In other tools an absent value equals nothing, where it is
 * an error here: a comparison by {@link not} or {@link equals} also holds as it does there.
 */
import type { Type } from "../../../fields/conditions/check.ts";
import { type Expression, expressionLimits, type Literal } from "../../../fields/conditions/expression.ts";
import { typeOfField } from "../../../fields/conditions/logic.ts";
import { printExpression } from "../../../fields/conditions/print.ts";
import { valuesOf } from "../../../fields/constraints.ts";
import { parseField } from "../../../fields/definition.ts";
import type { FieldType } from "../../../fields/field-type.ts";
import { type DraftEntry, isPrintable } from "./draft.ts";

/** @param op as {@link Expression} has it */
export const call = (op: string, ...args: Expression[]): Expression => ({ op, args, at: 0 });

/** A text, number or truth value. Numbers are written with a decimal point. */
export const literal = (value: Literal): Expression => ({ op: "value", args: [], value, at: 0 });

/** The expression, unless it has more parts than one may have: such a one is not worth printing. */
export function shortOnly(expression: Expression | undefined): Expression | undefined {
  return expression && isPrintable(expression) ? expression : undefined;
}

/** The value of a question. */
export function readOf(entry: DraftEntry): Expression {
  entry.makeNameable();
  return { op: ".", args: [call("data")], value: entry.field.id, at: 0 };
}

/** Holds if the question has a value. */
export const hasValue = (entry: DraftEntry): Expression => call("has", readOf(entry));

/** Identifies the parts that ask for the presence of a question, each of which is enough once. */
function presenceOf({ op, args: [of] }: Expression): string | undefined {
  if (op === "!") return of?.op === "has" ? `!${presenceOf(of)}` : undefined;
  return op === "has" ? printExpression(of as Expression) : undefined;
}

const joined =
  (op: "&&" | "||") =>
  (parts: readonly (Expression | undefined)[]): Expression | undefined => {
    const known = parts.filter((each) => each !== undefined);
    if (known.length < parts.length) return undefined;
    if (known.length < 2) return known[0];
    const flat = known.flatMap((each) => (each.op === op ? each.args : [each]));
    if (flat.length > expressionLimits.nodes) return undefined;
    const presences = new Set<string | undefined>();
    // The second has(x) in has(x) && (!has(x) || y) is known from the first one.
    const isOpen = (each: Expression) => {
      const own = presenceOf(each);
      return own === undefined || !presences.has(own.startsWith("!") ? own.slice(1) : `!${own}`);
    };
    const shorter = flat.map((each) => {
      presences.add(presenceOf(each));
      const args = each.op === (op === "&&" ? "||" : "&&") ? each.args.filter(isOpen) : each.args;
      return args.length === each.args.length
        ? each
        : args.length > 1
          ? call(each.op, ...args)
          : (args[0] ?? each);
    });
    const distinct = [...new Map(shorter.map((each) => [presenceOf(each) ?? each, each])).values()];
    return distinct.length === 1 ? distinct[0] : call(op, ...distinct);
  };

/** Holds if all parts do. Undefined: there is none, there are too many, or one has no counterpart. */
export const all = joined("&&");

/** Holds if a part does. Undefined: there is none, or one has no counterpart. */
export const any = joined("||");

const inverses: Readonly<Record<string, string>> = { "==": "!=", "!=": "==" };

/** The reads of questions in an expression that are errors without a value. */
function readsOf(expression: Expression): Expression[] {
  if (expression.op === "has") return [];
  if (expression.op === "." && expression.args[0]?.op === "data") return [expression];
  return expression.args.flatMap(readsOf);
}

const negated = new WeakMap<Expression, Expression>();

/** Holds if the expression does not, also where it reads a value that is absent. */
export function not(expression: Expression | undefined): Expression | undefined {
  if (!expression) return undefined;
  const result = negated.get(expression) ?? opposite(expression);
  if (result) negated.set(result, expression);
  return result;
}

function opposite(expression: Expression): Expression | undefined {
  const { op, args } = expression;
  if (op === "&&") return any(args.map(not));
  if (op === "||") return all(args.map(not));
  if (op === "!" && args[0]?.op === "has") return args[0];
  if (op === "has") return call("!", expression);
  const reads = new Map(readsOf(expression).map((read) => [String(read.value), read]));
  const absent = [...reads.values()].map((read) => call("!", call("has", read)));
  const inverse = inverses[op];
  return any([...absent, op === "!" ? args[0] : inverse ? call(inverse, ...args) : call("!", expression)]);
}

/** Truth values as sources write them. */
const truths: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, OK: true, 1: true, false: false, no: false, 0: false },
};

interface PossibleValues {
  nature: FieldType["nature"];
  options: ReadonlyMap<string, Literal>;
  isOpen: boolean;
  isTime: boolean;
  /** Order of days and times. Undefined: a text is none. */
  orderOf: FieldType["orderOf"];
  type: Type;
}
/** Values that a question can have. Conditions come after all fields, so that these do not change. */
const known = new WeakMap<DraftEntry, PossibleValues>();
export function possibleValuesOf(entry: DraftEntry): PossibleValues {
  const found = known.get(entry);
  if (found) return found;
  entry.makeNameable();
  const field = parseField(entry.field);
  const { fieldType, constraints } = field;
  const options = new Map(valuesOf(constraints.options).map((value) => [String(value), value]));
  const values = {
    ...{ nature: fieldType.nature, options, isOpen: constraints.allowOther === true },
    ...{ isTime: fieldType.isTime === true, type: typeOfField(field), orderOf: fieldType.orderOf },
  };
  known.set(entry, values);
  return values;
}

const natures: Partial<Record<Type["is"], PossibleValues["nature"]>> = {
  double: "number",
  text: "text",
  bool: "yesNo",
};

/** Tells the type of the calculated values of a question that takes any. */
export function learnType(entry: DraftEntry, type: Type): void {
  const values = possibleValuesOf(entry);
  const nature = natures[type.is];
  if (values.nature === "any" && nature) Object.assign(values, { nature, type: { is: type.is } });
}

/** A value of a source as one that the question can have. Undefined: it has no such value. */
export function literalFor(entry: DraftEntry, value: unknown): Expression | undefined {
  if (!["string", "number", "boolean"].includes(typeof value)) return undefined;
  const { nature, options, isOpen, isTime, orderOf } = possibleValuesOf(entry);
  const text = String(value);
  if (isTime && orderOf?.(text as never) === undefined) return undefined;
  if (nature === "text") return literal(text);
  if (nature === "any") return literal(value as Literal);
  if (nature === "number")
    return typeof value === "boolean" || text.trim() === "" || !Number.isFinite(Number(text))
      ? undefined
      : literal(Number(text));
  if (nature === "yesNo") return Object.hasOwn(truths, text) ? literal(truths[text] === true) : undefined;
  if (nature !== "choice" && nature !== "choices") return undefined;
  const option = options.get(text) ?? (isOpen && text !== otherValue ? text : undefined);
  return option === undefined ? undefined : literal(option);
}

/** The value by which tools name a choice that is written, whatever it is. */
const otherValue = "other";

/** Holds if a choice is written. Undefined: the value is not that of such a choice, or one of several. */
export function isWritten(entry: DraftEntry, value: unknown): Expression | undefined {
  const { nature, options, isOpen } = possibleValuesOf(entry);
  const isOther = isOpen && value === otherValue && !options.has(otherValue);
  if (!isOther || nature !== "choice" || options.size > expressionLimits.nodes) return undefined;
  const list = call("list", ...[...options.values()].map(literal));
  return all([hasValue(entry), call("!", call("in", readOf(entry), list))]);
}

/**
 * Holds if a question has a value; of a question with several: if it is among them.
 * @param isBox true: a question without a value has `false`, as a box that is not ticked
 * @returns undefined: the question cannot have the value
 */
export function equals(entry: DraftEntry, value: unknown, isBox = false): Expression | undefined {
  const wanted = literalFor(entry, value);
  if (!wanted) return isWritten(entry, value);
  if (possibleValuesOf(entry).nature === "choices") return call("in", wanted, readOf(entry));
  const same = call("==", readOf(entry), wanted);
  return isBox && wanted.value === false ? any([call("!", hasValue(entry)), same]) : same;
}

/** Holds if a question has one of the values. */
export const equalsOne = (entry: DraftEntry, values: readonly unknown[]): Expression | undefined =>
  any(values.map((value) => equals(entry, value)));

/** Compares a number, a date or a time. @param op `<`, `<=`, `>` or `>=` */
export function compares(entry: DraftEntry, op: string, value: unknown): Expression | undefined {
  const { nature } = possibleValuesOf(entry);
  const wanted = nature === "number" || nature === "text" ? literalFor(entry, value) : undefined;
  return wanted && call(op, readOf(entry), wanted);
}
