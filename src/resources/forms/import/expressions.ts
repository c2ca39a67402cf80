/** Expressions of other tools in formd's operations. What is absent counts as it does there. */
import { expressionType } from "../../../fields/conditions/check.ts";
import { type Expression, expressionLimits, type Literal } from "../../../fields/conditions/expression.ts";
import { parse } from "../../../fields/conditions/parse.ts";
import { printExpression } from "../../../fields/conditions/print.ts";
import { parseField } from "../../../fields/definition.ts";
import { attempt, type Dialect, noCounterpart, parseForeign, type Term } from "./dialects.ts";
import { type DraftEntry, type ImportDraft, isPrintable } from "./draft.ts";
import {
  all,
  any,
  call,
  hasValue,
  isWritten,
  learnType,
  literal,
  literalFor,
  not,
  possibleValuesOf,
  readOf,
} from "./logic.ts";

/** A value of the source. A `size` is a whole number, with which formd calculates nothing. */
interface Value {
  readonly is: "text" | "time" | "number" | "size" | "bool" | "list" | "any";
  readonly expression: Expression;
  /** Questions without whose values there is none. */
  readonly reads: readonly DraftEntry[];
}

/** The use of an expression: a condition; a rule of the question; or a value that is calculated. */
export type ExpressionUse = "condition" | "rule" | "value";

/** The questions of a draft, and the steps that are left for all its expressions. */
type Questions = Pick<ImportDraft, "find" | "budget">;

/** Steps of one translation: a branch takes its condition twice. */
const maxSteps = 2 * expressionLimits.nodes;

const mirrored: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };
const inverses: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };
const isOrdered: Readonly<Record<string, (x: number, y: number) => boolean>> = {
  "<": (x, y) => x < y,
  "<=": (x, y) => x <= y,
  ">": (x, y) => x > y,
  ">=": (x, y) => x >= y,
};
const numeric = /^(?:[-+*/]|neg|sum|int|math\..*)$/;

const absent = (entry: DraftEntry): Expression => call("!", hasValue(entry));
const whole = (value: number): Expression => ({ op: "int", args: [], value, at: 0 });
const isNumeric = (value: unknown): boolean => String(value).trim() !== "" && Number.isFinite(Number(value));
const literalIn = ({ expression: { op, value } }: Value): Literal | undefined =>
  op === "value" ? value : undefined;
const made = (is: Value["is"], expression: Expression, ...from: readonly Value[]): Value => ({
  ...{ is, expression, reads: from.flatMap(({ reads }) => reads) },
});
const sumOf = (values: readonly Value[]): Value =>
  values.reduce((x, y) => made(x.is, call("+", x.expression, y.expression), x, y));

/**
 * An expression of another tool. Undefined: it is none, or a part of it has no counterpart.
 * @param self the question of a rule or of a calculated value, whose type later expressions know then
 */
export const foreignExpression = (
  text: string,
  dialect: Dialect,
  draft: Questions,
  use: ExpressionUse = "condition",
  self?: DraftEntry,
): Expression | undefined => attempt(() => translate(parseForeign(text, dialect), dialect, draft, use, self));

/** Names of the least and the greatest of what a rule compares. */
const bounds: Readonly<Record<string, readonly [least: string, most: string]>> = {
  ...{ self: ["minimum", "maximum"], size: ["minLength", "maxLength"], count: ["minItems", "maxItems"] },
};

const partsOf = (term: Term): readonly Term[] => (term.op === "and" ? term.args.flatMap(partsOf) : [term]);

/** The member of a field that a part of a rule stands for. */
function memberFor({ op, args: [of, limit] }: Term, isBound: boolean): [string, string | number] | undefined {
  const isOwn = (term: Term | undefined) => term?.op === "self";
  const numberIn = ({ op, args, value }: Term): number =>
    op === "number" ? Number(value) : op === "neg" && args[0] ? -numberIn(args[0]) : Number.NaN;
  if (!of || !limit) return undefined;
  if (op === "regex" && isOwn(of) && limit.op === "text") {
    const pattern = String(limit.value);
    return ["pattern", /^\^[^|]*[^\\|]\$$/.test(pattern) ? pattern : `^(?:${pattern})$`];
  }
  const number = numberIn(limit);
  const [dividend, divisor] = of.args;
  if (op === "==" && of.op === "%" && isOwn(dividend) && divisor && number === 0)
    return ["multipleOf", numberIn(divisor)];
  const name = bounds[of.op]?.[op === "<=" ? 1 : 0];
  const isKept = isBound && (op === ">=" || op === "<=") && isOwn(of.args[0] ?? of);
  return isKept && name && !Number.isNaN(number) ? [name, number] : undefined;
}

/**
 * A rule of a question of XForms: members of the field for the parts that have one, such as `pattern`, and a
 * rule for the rest. `rule` is undefined, if the rest has no counterpart, and absent if there is none.
 * @param isBound false: bounds that can be a rule are not members
 */
export const foreignRule = (
  text: string,
  dialect: Dialect,
  draft: Questions,
  self: DraftEntry,
  isBound = true,
): { rule?: Expression | undefined; [member: string]: unknown } | undefined =>
  attempt(() => {
    const members = new Map<string, string | number>();
    const { constraints } = parseField(self.field).fieldType;
    const rest = partsOf(parseForeign(text, dialect)).filter((part) => {
      const [name = "", value] = memberFor(part, isBound) ?? [];
      const isTaken = members.has(name) || Object.hasOwn(self.field, name);
      if (value === undefined || isTaken || !Object.hasOwn(constraints, name)) return true;
      members.set(name, value);
      return false;
    });
    const rule = attempt(() => translate({ op: "and", args: rest }, dialect, draft, "rule", self));
    if (rest.length > 0 && !rule && members.size === 0) noCounterpart();
    return { ...Object.fromEntries(members), ...(rest.length > 0 && { rule }) };
  });

function translate(
  term: Term,
  { isAbsentZero, words }: Dialect,
  { find, budget }: Questions,
  use: ExpressionUse,
  self?: DraftEntry,
): Expression {
  const found = new Set<DraftEntry>();
  /** False: where a condition does not hold, an error will do. */
  let isTotal = use !== "condition";
  let steps = 0;

  function step(): void {
    if (++steps > maxSteps || --budget.steps < 0) noCounterpart();
  }

  /** The question that a term is. One without a value that can be read has no counterpart. */
  function question({ op, value: key }: Term): DraftEntry | undefined {
    if (op !== "self" && op !== "question") return undefined;
    const own = use === "rule" ? self : undefined;
    const entry = (op === "self" ? own : find(String(key))) ?? noCounterpart();
    if (["files", "none", "parts"].includes(possibleValuesOf(entry).nature)) noCounterpart();
    found.add(entry);
    return entry;
  }

  /** @param holds true: it holds without the values that it reads. The own value of a rule is present. */
  function leaf(expression: Expression, reads: readonly DraftEntry[], holds: boolean): Expression {
    const others = [...new Set(reads)].filter((entry) => use !== "rule" || entry !== self);
    const asked = holds ? others.map(absent) : isTotal ? others.map(hasValue) : [];
    return (holds ? any : all)([...asked, expression]) as Expression;
  }

  function condition(each: Term, wanted: boolean): Expression {
    step();
    const { op, args } = each;
    const [a, b, c] = args as [Term, Term, Term];
    const is = (holds: Expression) => (wanted ? holds : call("!", holds));
    const junction = (isAll: boolean, parts: readonly Expression[]) =>
      (isAll ? all : any)(parts) ?? noCounterpart();
    const branch = (isYes: boolean, part: Term) =>
      junction(true, [condition(a, isYes), condition(part, wanted)]);
    switch (op) {
      case "bool":
        return literal(each.value === wanted);
      case "not":
        return condition(a, !wanted);
      case "and":
      case "or":
        return junction(
          (op === "and") === wanted,
          args.map((part) => condition(part, wanted)),
        );
      case "if":
        return junction(false, [branch(true, b), branch(false, c)]);
      case "has":
      case "empty": {
        const entry = question(a) ?? noCounterpart();
        return (op === "has") === wanted ? hasValue(entry) : absent(entry);
      }
      case "anyof":
      case "allof":
      case "noneof": {
        const items = (b.op === "list" ? b.args : [b]).map((item) => ({ op: "selected", args: [a, item] }));
        const joined = { op: op === "allof" ? "and" : "or", args: items };
        return condition(joined, wanted === (op !== "noneof"));
      }
      case "selected": {
        const entry = question(a) ?? noCounterpart();
        if (possibleValuesOf(entry).nature !== "choices") return equality(a, b, wanted);
        const item = value(b);
        const known = literalIn(item) === undefined ? item.expression : literalFor(entry, literalIn(item));
        const holds = call("in", known ?? noCounterpart(), readOf(entry));
        return leaf(is(holds), [entry, ...item.reads], !wanted);
      }
      case "contains":
      case "startsWith":
      case "endsWith": {
        const entry = question(a);
        if (entry && op === "contains" && (b.op === "list" || possibleValuesOf(entry).nature === "choices"))
          return condition({ op: "allof", args }, wanted);
        const [x, y] = [value(a), value(b)];
        if (x.is !== "text" || y.is !== "text") noCounterpart();
        return leaf(is(call(op, x.expression, y.expression)), [...x.reads, ...y.reads], !wanted);
      }
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=": {
        const branched = args.findIndex((part) => part.op === "if");
        if (branched < 0)
          return op.endsWith("=") && !mirrored[op]
            ? equality(a, b, wanted === (op === "=="))
            : ordering(op, a, b, wanted);
        const [test, ...results] = (args[branched] as Term).args as [Term, Term, Term];
        const compared = results.map((result) => ({ op, args: args.with(branched, result) }));
        return condition({ op: "if", args: [test, ...compared] }, wanted);
      }
      default: {
        const entry = question(each) ?? noCounterpart();
        const { nature } = possibleValuesOf(entry);
        if (nature === "yesNo") return equality(each, { op: "bool", args: [], value: true }, wanted);
        if (nature !== "number") return wanted ? hasValue(entry) : absent(entry);
        return leaf(call(wanted ? "!=" : "==", readOf(entry), literal(0)), [entry], !wanted);
      }
    }
  }

  function equality(a: Term, b: Term, isEqual: boolean): Expression {
    const [first, second] = [question(a), question(b)];
    if (second && !first) return equality(b, a, isEqual);
    if (!first && b.op === "bool") return condition(a, isEqual === b.value);
    const op = isEqual ? "==" : "!=";
    if (first && second && (use !== "rule" || (first !== self && second !== self))) {
      // Two values that are both absent are equal.
      const alike = call(op, hasValue(first), hasValue(second));
      const same = call(op, readOf(first), readOf(second));
      return isEqual
        ? call("&&", alike, call("||", absent(first), same))
        : call("||", alike, call("&&", hasValue(first), same));
    }
    if (first && b.value === "") return isEqual ? absent(first) : hasValue(first);
    if (first && possibleValuesOf(first).nature === "choices") {
      // A list of SurveyJS, or a text of XForms with spaces between the options.
      const items =
        b.op === "list"
          ? b.args.map(({ value }) => value)
          : b.op === "text" && !words
            ? String(b.value).split(" ")
            : noCounterpart();
      const has = items.map((item) => call("in", literalFor(first, item) ?? noCounterpart(), readOf(first)));
      const size = call(op, call("size", readOf(first)), whole(items.length));
      const parts = [size, ...(isEqual ? has : has.map((each) => call("!", each)))];
      return leaf((isEqual ? all : any)(parts) as Expression, [first], !isEqual);
    }
    const written = first && isWritten(first, b.value);
    if (written) return (isEqual ? written : not(written)) ?? noCounterpart();
    const [x, y] = [value(a), value(b)];
    const known = first && literalIn(y) !== undefined;
    const right = known ? (literalFor(first, literalIn(y)) ?? noCounterpart()) : comparable(y, x);
    const left = comparable(x, y);
    const isZero = (x.is === "size" || y.is === "size") && (left.value === 0 || right.value === 0);
    // A box of XForms that is not ticked is false.
    const isAbsentEqual = isZero || (!words && right.value === false);
    return leaf(call(op, left, right), [...x.reads, ...y.reads], isEqual === isAbsentEqual);
  }

  function ordering(op: string, a: Term, b: Term, wanted: boolean): Expression {
    const [x, y] = [value(a), value(b)];
    const [least, most] = [literalIn(x), literalIn(y)];
    if (least !== undefined && most === undefined) return ordering(mirrored[op] as string, b, a, wanted);
    const entry = x.is === "time" && most !== undefined ? question(a) : undefined;
    if (entry && !literalFor(entry, most)) noCounterpart();
    const kinds = [x, y].map((each) => {
      const known = literalIn(each);
      return known === undefined ? each.is : isNumeric(known) ? "number" : "time";
    });
    const [left, right] = kinds.map((kind) => (kind === "size" ? "number" : kind));
    if (left !== "any" && !((left === "number" || left === "time") && (right === left || right === "any")))
      noCounterpart();
    const holds = call(wanted ? op : (inverses[op] as string), comparable(x, y), comparable(y, x));
    return leaf(
      holds,
      [...x.reads, ...y.reads],
      wanted === (x.is === "size" && isOrdered[op]?.(0, Number(most)) === true),
    );
  }

  /** A literal as a number, if it is compared with one. */
  function comparable(each: Value, { is }: Value): Expression {
    const known = literalIn(each);
    if (known === undefined || !isNumeric(known)) return each.expression;
    if (is === "size" && Number.isInteger(Number(known))) return whole(Number(known));
    return is === "number" || is === "size" ? literal(Number(known)) : each.expression;
  }

  function value(each: Term): Value {
    step();
    const { op, args } = each;
    const [a, b, c] = args as [Term, Term, Term];
    switch (op) {
      case "number":
      case "text":
      case "bool":
        return made(op, literal(each.value as Literal));
      case "self":
      case "question": {
        const entry = question(each) ?? noCounterpart();
        return { is: kindOf(entry), expression: readOf(entry), reads: [entry] };
      }
      case "size":
      case "count": {
        const of = value(a);
        if (of.is !== (op === "size" ? "text" : "list")) noCounterpart();
        return made("size", call("size", of.expression), of);
      }
      case "time": {
        const of = value(a);
        return of.is === "time" || a.op === "text" ? { ...of, is: "time" } : noCounterpart();
      }
      case "coalesce":
      case "if": {
        const [yes, no] = op === "if" ? [value(b), value(c)] : [value(a), value(b)];
        if (yes.is !== no.is) noCounterpart();
        const test =
          op === "if" ? totally(() => condition(a, true)) : hasValue(question(a) ?? noCounterpart());
        const reads = op === "if" ? [yes, no] : [no];
        return made(yes.is, call("?:", test, yes.expression, no.expression), ...reads);
      }
      default: {
        if (op !== "concat" && !numeric.test(op))
          return made(
            "bool",
            totally(() => condition(each, true)),
          );
        const values = args.map(value);
        const isText = op === "+" && isAbsentZero && values.some(({ is }) => is === "text");
        if (isText || op === "concat") return sumOf(values.map(textOf));
        const numbers = values.map(numberOf);
        if (op === "sum") return sumOf(numbers);
        const expressions = numbers.map(({ expression }) => expression);
        return made("number", calculated(op, expressions), ...numbers);
      }
    }
  }

  function totally<T>(run: () => T): T {
    const before = isTotal;
    isTotal = true;
    const result = run();
    isTotal = before;
    return result;
  }

  /** A value as a part of a text: what is absent is an empty one. */
  function textOf(each: Value): Value {
    const known = literalIn(each);
    if (known !== undefined) return made("text", literal(String(known)));
    return each.is === "text" || each.is === "time" ? orElse(each, "") : noCounterpart();
  }

  /** A value as a number to calculate with. */
  function numberOf(each: Value): Value {
    const known = literalIn(each);
    if (known !== undefined && isNumeric(known)) return made("number", literal(Number(known)));
    if (each.is !== "number" && each.is !== "any") noCounterpart();
    return isAbsentZero ? orElse(each, 0) : each;
  }

  const orElse = (each: Value, other: Literal): Value => {
    const { op } = each.expression;
    const has = call("has", each.expression);
    return op === "." ? made(each.is, call("?:", has, each.expression, literal(other))) : each;
  };

  const result = use === "value" ? value(term).expression : condition(term, true);
  if (!isPrintable(result)) noCounterpart();
  const types = new Map([...found].map((entry) => [entry.field.id, possibleValuesOf(entry).type]));
  const type = expressionType(parse(printExpression(result)), (id) => types.get(id) ?? noCounterpart());
  if (use === "value" ? type.is === "int" : type.is !== "bool") noCounterpart();
  if (use === "value" && self) learnType(self, type);
  return result;
}

function kindOf(entry: DraftEntry): Value["is"] {
  const { isTime, nature, type } = possibleValuesOf(entry);
  if (isTime) return "time";
  if (nature === "choices") return "list";
  return type.is === "double" ? "number" : type.is === "text" || type.is === "bool" ? type.is : "any";
}

function calculated(op: string, args: readonly Expression[]): Expression {
  const [x, y] = args as [Expression, Expression | undefined];
  if (op === "neg") return typeof x.value === "number" ? literal(-x.value) : call("-x", x);
  if (op === "int") return call("?:", call("<", x, literal(0)), call("math.ceil", x), call("math.floor", x));
  if (op !== "math.round" || !y) return call(op, ...args);
  const digits = Number(y.value);
  if (!Number.isInteger(digits) || digits < 0 || digits > 6) noCounterpart();
  const factor = literal(10 ** digits);
  return digits === 0 ? call(op, x) : call("/", call(op, call("*", x, factor)), factor);
}
