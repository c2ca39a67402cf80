/** Expressions of other tools in formd's operations. What is absent counts as it does there. */
import { expressionType } from "../../../fields/conditions/check.ts";
import {
  type Expression,
  ExpressionError,
  expressionLimits,
  type Literal,
} from "../../../fields/conditions/expression.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { printExpression } from "../../../fields/conditions/print.ts";
import { type Dialect, parseForeign, type Term } from "./dialects.ts";
import type { DraftEntry } from "./draft.ts";
import { all, answerOf, answersOf, any, call, hasValue, learnType, literal, literalFor } from "./logic.ts";

/** A value of the source. A `size` is a whole number, with which formd calculates nothing. */
interface Value {
  readonly is: "text" | "time" | "number" | "size" | "bool" | "list" | "any";
  readonly expression: Expression;
  /** Questions without whose values there is none. */
  readonly reads: readonly DraftEntry[];
  /** Present for the value of a question. */
  readonly entry?: DraftEntry;
  readonly literal?: Literal;
}

/** What an expression is for: a condition; a rule of the question; or a value that is calculated. */
export type ExpressionUse = "condition" | "rule" | "value";

type Find = (key: string) => DraftEntry | undefined;
type Maybe = Expression | undefined;

/** Steps of one translation: a branch takes its condition twice. */
const maxSteps = 2_000;

const mirrored: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };
const inverses: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };
const orders: Readonly<Record<string, (x: number, y: number) => boolean>> = {
  "<": (x, y) => x < y,
  "<=": (x, y) => x <= y,
  ">": (x, y) => x > y,
  ">=": (x, y) => x >= y,
};
const comparisons: readonly string[] = ["==", "!=", ...Object.keys(orders)];
const numeric = /^(?:[-+*/]|neg|sum|int|math\..*)$/;

const absent = (entry: DraftEntry): Expression => call("!", hasValue(entry));
const whole = (value: number): Expression => ({ op: "int", args: [], value, at: 0 });
const isNumeric = (value: unknown): boolean => String(value).trim() !== "" && Number.isFinite(Number(value));

function isSmall(expression: Expression): boolean {
  let left = expressionLimits.nodes;
  const isLeft = ({ args }: Expression): boolean => --left >= 0 && args.every(isLeft);
  return isLeft(expression);
}

/**
 * An expression of another tool. Undefined: it is none, or a part of it has no counterpart.
 * @param find the question of a key of the source
 * @param self the question of a rule or of a calculated value, whose type later expressions know then
 */
export function foreignExpression(
  text: string,
  dialect: Dialect,
  find: Find,
  use: ExpressionUse = "condition",
  self?: DraftEntry,
): Maybe {
  const term = parseForeign(text, dialect);
  return term && translate(term, dialect, find, use, self);
}

/** A rule of a question of XForms. `pattern`: its part that is a regular expression for the question. */
export function foreignRule(
  text: string,
  dialect: Dialect,
  find: Find,
  self: DraftEntry,
): { pattern?: string; rule?: Expression } | undefined {
  const term = parseForeign(text, dialect);
  if (!term) return undefined;
  const parts = term.op === "and" ? term.args : [term];
  const patterns = parts.filter(({ op, args }) => op === "regex" && args[0]?.op === "self");
  const others = parts.filter((part) => !patterns.includes(part));
  const pattern = patterns[0]?.args[1]?.value;
  if (patterns.length > 1 || (patterns.length === 1 && typeof pattern !== "string")) return undefined;
  const rule =
    others.length > 0 ? translate({ op: "and", args: others }, dialect, find, "rule", self) : undefined;
  if (others.length > 0 && !rule) return undefined;
  return { ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }), ...(rule && { rule }) };
}

function translate(term: Term, dialect: Dialect, find: Find, use: ExpressionUse, self?: DraftEntry): Maybe {
  const found = new Map<string, DraftEntry>();
  let steps = 0;

  function question({ op, value: key }: Term): DraftEntry | undefined {
    const entry = op === "self" ? self : op === "question" ? find(String(key)) : undefined;
    if (!entry || ["files", "none", "parts"].includes(answersOf(entry).nature)) return undefined;
    found.set(entry.field.id, entry);
    return entry;
  }

  /** @param holds true: it holds without the values that it reads. The own value of a rule is present. */
  function leaf(expression: Maybe, reads: readonly DraftEntry[], holds: boolean, isTotal: boolean): Maybe {
    const others = [...new Set(reads)].filter((entry) => use !== "rule" || entry !== self);
    if (holds) return any([...others.map(absent), expression]);
    return isTotal ? all([...others.map(hasValue), expression]) : expression;
  }

  /** @param isTotal false: an error will do where it does not hold */
  function condition(each: Term, wanted: boolean, isTotal: boolean): Maybe {
    if (++steps > maxSteps) return undefined;
    const { op, args } = each;
    const [a, b, c] = args as [Term, Term, Term];
    const part = (of: Term) => condition(of, wanted, isTotal);
    const is = (holds: Expression) => (wanted ? holds : call("!", holds));
    switch (op) {
      case "bool":
        return literal(each.value === wanted);
      case "not":
        return condition(a, !wanted, isTotal);
      case "and":
      case "or":
        return ((op === "and") === wanted ? all : any)(args.map(part));
      case "if":
        return any([
          all([condition(a, true, isTotal), part(b)]),
          all([condition(a, false, isTotal), part(c)]),
        ]);
      case "has":
      case "empty": {
        const entry = question(a);
        return entry && ((op === "has") === wanted ? hasValue(entry) : absent(entry));
      }
      case "anyof":
      case "allof":
      case "noneof": {
        const items = (b.op === "list" ? b.args : [b]).map((item) => ({ op: "selected", args: [a, item] }));
        const joined = { op: op === "allof" ? "and" : "or", args: items };
        return condition(joined, wanted === (op !== "noneof"), isTotal);
      }
      case "selected": {
        const [entry, item] = [question(a), value(b)];
        if (!entry || !item) return undefined;
        if (answersOf(entry).nature !== "choices") return equality(a, b, wanted, isTotal);
        const known = item.literal === undefined ? item.expression : literalFor(entry, item.literal);
        return (
          known && leaf(is(call("in", known, answerOf(entry))), [entry, ...item.reads], !wanted, isTotal)
        );
      }
      case "contains":
      case "startsWith":
      case "endsWith": {
        const entry = question(a);
        if (entry && op === "contains" && (b.op === "list" || answersOf(entry).nature === "choices"))
          return condition({ op: "allof", args }, wanted, isTotal);
        const [x, y] = [value(a), value(b)];
        if (x?.is !== "text" || y?.is !== "text") return undefined;
        return leaf(is(call(op, x.expression, y.expression)), [...x.reads, ...y.reads], !wanted, isTotal);
      }
      default:
        return comparisons.includes(op) ? comparison(each, wanted, isTotal) : truth(each, wanted, isTotal);
    }
  }

  /** A value as a condition. */
  function truth(each: Term, wanted: boolean, isTotal: boolean): Maybe {
    const entry = question(each);
    if (!entry) return undefined;
    const { nature } = answersOf(entry);
    if (nature === "yesNo") return equality(each, { op: "bool", args: [], value: true }, wanted, isTotal);
    if (nature !== "number") return wanted ? hasValue(entry) : absent(entry);
    return leaf(call(wanted ? "!=" : "==", answerOf(entry), literal(0)), [entry], !wanted, isTotal);
  }

  function comparison({ op, args }: Term, wanted: boolean, isTotal: boolean): Maybe {
    const [a, b] = args as [Term, Term];
    const branched = args.findIndex((each) => each.op === "if");
    if (branched >= 0) {
      const [test, ...results] = (args[branched] as Term).args as [Term, Term, Term];
      const compared = results.map((of) => ({ op, args: args.with(branched, of) }));
      return condition({ op: "if", args: [test, ...compared] }, wanted, isTotal);
    }
    return op === "==" || op === "!="
      ? equality(a, b, wanted === (op === "=="), isTotal)
      : ordering(op, a, b, wanted, isTotal);
  }

  function equality(a: Term, b: Term, isEqual: boolean, isTotal: boolean): Maybe {
    const [first, second] = [question(a), question(b)];
    if (second && !first) return equality(b, a, isEqual, isTotal);
    if (!first && b.op === "bool") return condition(a, isEqual === b.value, isTotal);
    const op = isEqual ? "==" : "!=";
    if (first && second && (use !== "rule" || (first !== self && second !== self))) {
      // Two values that are both absent are equal.
      const [alike, same] = [hasValue, answerOf].map((of) => call(op, of(first), of(second)));
      return isEqual ? all([alike, any([absent(first), same])]) : any([alike, all([hasValue(first), same])]);
    }
    if (first && b.value === "") return isEqual ? absent(first) : hasValue(first);
    if (first && answersOf(first).nature === "choices") {
      const texts = b.op === "text" && dialect.hasSpacedLists ? String(b.value).split(" ") : undefined;
      const items = (b.op === "list" ? b.args.map((item) => item.value) : texts) ?? [undefined];
      const size = call(op, call("size", answerOf(first)), whole(items.length));
      const each = items.map((item) => {
        const known = literalFor(first, item);
        const has = known && call("in", known, answerOf(first));
        return has && (isEqual ? has : call("!", has));
      });
      return leaf((isEqual ? all : any)([size, ...each]), [first], !isEqual, isTotal);
    }
    const [x, y] = [value(a), value(b)];
    if (!x || !y) return undefined;
    const right = first && y.literal !== undefined ? literalFor(first, y.literal) : comparable(y, x);
    // A box that is not ticked is false.
    const isFalse = right?.value === false;
    return (
      right && leaf(call(op, comparable(x, y), right), [...x.reads, ...y.reads], isEqual === isFalse, isTotal)
    );
  }

  function ordering(op: string, a: Term, b: Term, wanted: boolean, isTotal: boolean): Maybe {
    const [x, y] = [value(a), value(b)];
    if (!x || !y) return undefined;
    if (x.literal !== undefined && y.literal === undefined)
      return ordering(mirrored[op] as string, b, a, wanted, isTotal);
    const isIn = (each: unknown) => isNumeric(each) && orders[op]?.(Number(each), Number(y.literal)) === true;
    const options = x.entry && x.is === "text" ? answersOf(x.entry).options : undefined;
    if (options?.size && isNumeric(y.literal)) {
      const items = [...options.values()].filter(isIn).map((value) => ({ op: "text", args: [], value }));
      return condition({ op: "anyof", args: [a, { op: "list", args: items }] }, wanted, isTotal);
    }
    const kinds = [x, y].map((each) =>
      each.literal === undefined ? each.is : isNumeric(each.literal) ? "number" : "time",
    );
    const [left, right] = kinds.map((kind) => (kind === "size" ? "number" : kind));
    const isOrdered = ["number", "time"].includes(left ?? "")
      ? right === left || right === "any"
      : left === "any";
    if (!isOrdered) return undefined;
    const holds = call(wanted ? op : (inverses[op] as string), comparable(x, y), comparable(y, x));
    return leaf(holds, [...x.reads, ...y.reads], wanted === (x.is === "size" && isIn(0)), isTotal);
  }

  /** A literal as a number, if it is compared with one. */
  function comparable({ literal: known, expression }: Value, { is }: Value): Expression {
    if (known === undefined || !isNumeric(known)) return expression;
    if (is === "size" && Number.isInteger(Number(known))) return whole(Number(known));
    return is === "number" || is === "size" ? literal(Number(known)) : expression;
  }

  function value(each: Term): Value | undefined {
    if (++steps > maxSteps) return undefined;
    const { op, args } = each;
    const [a, b, c] = args as [Term, Term, Term];
    switch (op) {
      case "number":
      case "text":
      case "bool": {
        const known = each.value as Literal;
        return { is: op, expression: literal(known), reads: [], literal: known };
      }
      case "self":
      case "question": {
        const entry = question(each);
        return entry && { is: kindOf(entry), expression: answerOf(entry), reads: [entry], entry };
      }
      case "size":
      case "count": {
        const of = value(a);
        if (of?.is !== (op === "size" ? "text" : "list")) return undefined;
        return { is: "size", expression: call("size", of.expression), reads: of.reads };
      }
      case "time": {
        const of = value(a);
        return of?.is === "time" || of?.literal !== undefined ? { ...of, is: "time" } : undefined;
      }
      case "coalesce":
      case "if": {
        const [yes, no] = op === "if" ? [value(b), value(c)] : [value(a), value(b)];
        const test = op === "if" ? condition(a, true, true) : yes?.entry && hasValue(yes.entry);
        if (!test || !yes || no?.is !== yes.is) return undefined;
        const reads = op === "if" ? [...yes.reads, ...no.reads] : no.reads;
        return { is: yes.is, expression: call("?:", test, yes.expression, no.expression), reads };
      }
      case "concat":
        return sumOf(args.map(textOf), "text");
      default: {
        if (!numeric.test(op)) {
          const holds = condition(each, true, true);
          return holds && { is: "bool", expression: holds, reads: [] };
        }
        const isText = op === "+" && dialect.isAbsentZero && args.some((of) => value(of)?.is === "text");
        if (isText) return sumOf(args.map(textOf), "text");
        const numbers = args.map(numberOf);
        if (op === "sum") return sumOf(numbers, "number");
        const known = numbers.flatMap((number) => number?.expression ?? []);
        const expression = known.length === args.length ? calculated(op, known) : undefined;
        return (
          expression && { is: "number", expression, reads: numbers.flatMap((number) => number?.reads ?? []) }
        );
      }
    }
  }

  const sumOf = (parts: readonly (Value | undefined)[], is: "text" | "number"): Value | undefined =>
    parts.reduce(
      (sum, part) =>
        sum &&
        part && {
          is,
          expression: call("+", sum.expression, part.expression),
          reads: [...sum.reads, ...part.reads],
        },
    );

  /** A value as a part of a text: what is absent is an empty one. */
  function textOf(each: Term): Value | undefined {
    const of = value(each);
    if (of?.literal !== undefined) return { is: "text", expression: literal(String(of.literal)), reads: [] };
    if (of?.is !== "text" && of?.is !== "time") return undefined;
    return orElse(of, "");
  }

  /** A value as a number to calculate with. */
  function numberOf(each: Term): Value | undefined {
    const of = value(each);
    if (of?.literal !== undefined && isNumeric(of.literal))
      return { is: "number", expression: literal(Number(of.literal)), reads: [] };
    if (of?.is !== "number" && of?.is !== "any") return undefined;
    return dialect.isAbsentZero ? orElse(of, 0) : of;
  }

  const orElse = (of: Value, other: Literal): Value =>
    of.entry
      ? { is: of.is, expression: call("?:", hasValue(of.entry), of.expression, literal(other)), reads: [] }
      : of;

  const result = use === "value" ? value(term)?.expression : condition(term, true, use === "rule");
  if (!result || !isSmall(result)) return undefined;
  try {
    const types = (id: string) => answersOf(found.get(id) as DraftEntry).type;
    const type = expressionType(parse(printExpression(result)), types);
    if (use === "value" ? type.is === "int" : type.is !== "bool") return undefined;
    if (use === "value" && self) learnType(self, type);
    return result;
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function kindOf(entry: DraftEntry): Value["is"] {
  const { isTime, nature, type } = answersOf(entry);
  if (isTime) return "time";
  if (nature === "choices") return "list";
  return type.is === "double" ? "number" : type.is === "text" || type.is === "bool" ? type.is : "any";
}

function calculated(op: string, args: readonly Expression[]): Maybe {
  const [x, y] = args as [Expression, Expression | undefined];
  if (op === "neg") return typeof x.value === "number" ? literal(-x.value) : call("-x", x);
  if (op === "int") return call("?:", call("<", x, literal(0)), call("math.ceil", x), call("math.floor", x));
  if (op !== "math.round" || !y) return call(op, ...args);
  const digits = Number(y.value);
  if (!Number.isInteger(digits) || digits < 0 || digits > 6) return undefined;
  const factor = literal(10 ** digits);
  return digits === 0 ? call(op, x) : call("/", call(op, call("*", x, factor)), factor);
}
