/** Expressions of other tools as terms: one parser, and a table for each language. Pure. */
import { ExpressionError, expressionLimits, type Literal } from "../../../fields/conditions/expression.ts";

/**
 * A part of an expression. `op`: an operation by its name in expressions.ts; `question` (its key in `value`),
 * `self`, `number`, `text`, `bool` (literals) or `list`.
 */
export interface Term {
  readonly op: string;
  readonly args: readonly Term[];
  readonly value?: Literal;
}

type Operators = ReadonlyMap<string, readonly [op: string, strength: number]>;

/** A language for expressions. */
export interface Dialect {
  /** A token with the space before it. Its kind is the name of the group. */
  readonly token: RegExp;
  readonly infix: Operators;
  readonly prefix: Operators;
  readonly postfix: Operators;
  readonly functions: ReadonlyMap<string, string>;
  /** Names that are literals; others are texts, and case does not matter. Absent: a name is a function. */
  readonly words?: ReadonlyMap<string, Literal>;
  /** An absent number in a calculation is zero; otherwise there is no result. */
  readonly isAbsentZero: boolean;
}

const maxLength = 4_000;
const none = Symbol();

/** Ends an {@link attempt}. */
export const noCounterpart = (): never => {
  throw none;
};

/** Runs a translation. Undefined: a part of it has no counterpart. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error === none || error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/** @param first strength of the first level; each that follows is stronger */
const operators = (first: number, ...levels: readonly Readonly<Record<string, string>>[]): Operators =>
  new Map(
    levels.flatMap((level, index) =>
      Object.entries(level).map(([sign, op]) => [sign, [op, first + index]] as const),
    ),
  );
const ordered = { "<": "<", "<=": "<=", ">": ">", ">=": ">=" };
const [unary, postfixed] = [7, 8];

/** XPath as XForms and XLSForm have it. */
export const xpath: Dialect = {
  token:
    /\s*(?:\$\{(?<question>[^{}]*)\}|(?<number>\d+(?:\.\d*)?|\.\d+)|(?<text>"[^"]*"|'[^']*')|(?<self>\.(?![./]))|(?<name>[A-Za-z_][\w.:-]*)|(?<sign>!=|<=|>=|[-+*=<>(),]))/gy,
  infix: operators(
    1,
    ...[{ or: "or" }, { and: "and" }, { "=": "==", "!=": "!=" }, ordered],
    ...[
      { "+": "+", "-": "-" },
      { "*": "*", div: "/", mod: "%" },
    ],
  ),
  prefix: operators(unary, { "-": "neg" }),
  postfix: operators(postfixed),
  functions: new Map(
    Object.entries({
      ...{ true: "true", false: "false", not: "not", if: "if", coalesce: "coalesce", regex: "regex" },
      ...{ selected: "selected", "count-selected": "count", "string-length": "size", concat: "concat" },
      ...{ contains: "contains", "starts-with": "startsWith", "ends-with": "endsWith", number: "sum" },
      ...{ date: "time", "date-time": "time", round: "math.round", int: "int", abs: "math.abs" },
      ...{ floor: "math.floor", ceiling: "math.ceil", min: "math.least", max: "math.greatest" },
    }),
  ),
  isAbsentZero: false,
};

/** Expressions of SurveyJS. */
export const surveyJs: Dialect = {
  token:
    /\s*(?:\{(?<question>[^{}]*)\}|(?<number>\d+(?:\.\d+)?)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<name>[A-Za-z_]\w*)|(?<sign>\|\||&&|<=|>=|==|!=|<>|\*=|[-+*/=<>!(),[\]]))/gsy,
  infix: operators(
    1,
    ...[
      { "||": "or", or: "or" },
      { "&&": "and", and: "and" },
    ],
    {
      ...{ ...ordered, less: "<", lessorequal: "<=", greater: ">", greaterorequal: ">=" },
      ...{ "=": "==", "==": "==", equal: "==", "!=": "!=", "<>": "!=", notequal: "!=" },
    },
    ...[
      { "+": "+", "-": "-" },
      { "*": "*", "/": "/" },
    ],
    {
      ...{ "*=": "contains", contains: "contains", contain: "contains", anyof: "anyof", allof: "allof" },
      ...{ notcontains: "notcontains", notcontain: "notcontains", noneof: "noneof" },
    },
  ),
  prefix: operators(unary, { "!": "not", negate: "not", "-": "neg" }),
  postfix: operators(postfixed, { empty: "empty", notempty: "has" }),
  functions: new Map([
    ["iif", "if"],
    ["sum", "sum"],
    ["round", "math.round"],
  ]),
  words: new Map<string, Literal>([
    ["true", true],
    ["false", false],
    ["null", ""],
    ["undefined", ""],
  ]),
  isAbsentZero: true,
};

/** The least and the greatest number of a function's arguments, where it does not take one. */
const counts: Readonly<Record<string, readonly [number, number]>> = {
  ...{ true: [0, 0], false: [0, 0], if: [3, 3], coalesce: [2, 2], regex: [2, 2], selected: [2, 2] },
  ...{ contains: [2, 2], startsWith: [2, 2], endsWith: [2, 2], "math.round": [1, 2], concat: [1, 99] },
  ...{ sum: [1, 99], "math.least": [2, 99], "math.greatest": [2, 99] },
};

const literalTerm = (value: Literal): Term => ({
  op: typeof value === "string" ? "text" : typeof value === "number" ? "number" : "bool",
  args: [],
  value,
});

/** Parses an expression, in an {@link attempt}. It fails for one that is too long, deep or large, too. */
export function parseForeign(text: string, dialect: Dialect): Term {
  const { token, infix, prefix, postfix, functions, words } = dialect;
  const source = text.trim();
  const tokens = source.length > maxLength ? [] : [...source.matchAll(token)];
  if (tokens.reduce((length, [each]) => length + each.length, 0) < source.length) noCounterpart();
  let [at, depth, terms] = [0, 0, 0];

  function made(op: string, args: readonly Term[]): Term {
    if (++terms > expressionLimits.nodes) noCounterpart();
    return { op, args };
  }

  /** A sign, or a name that may be an operator. */
  function sign(): string {
    const { name = "", sign = name } = tokens[at]?.groups ?? {};
    return words ? sign.toLowerCase() : sign;
  }

  function nested<T>(inner: () => T): T {
    if (++depth > expressionLimits.depth) noCounterpart();
    const result = inner();
    depth--;
    return result;
  }

  /** @param least of the strengths of its operators */
  function expression(least: number): Term {
    let left = operand();
    for (;;) {
      const after = postfix.get(sign());
      const [op, strength] = after ?? infix.get(sign()) ?? ["", 0];
      if (strength < least) return left;
      at++;
      const args = after ? [left] : [left, expression(strength + 1)];
      const isChain = (op === "and" || op === "or") && left.op === op;
      if (op === "notcontains") left = made("not", [made("contains", args)]);
      else left = made(op, isChain ? [...left.args, ...args.slice(1)] : args);
    }
  }

  function list(close: string): Term[] {
    const items: Term[] = [];
    while (sign() !== close || items.length === 0) {
      if (sign() === close) break;
      items.push(nested(() => expression(1)));
      if (sign() === ",") at++;
      else if (sign() !== close) noCounterpart();
    }
    at++;
    return items;
  }

  function operand(): Term {
    const before = prefix.get(sign());
    const { question, number, text, self, name = "", sign: mark } = tokens[at++]?.groups ?? {};
    if (before) return nested(() => made(before[0], [expression(before[1])]));
    if (question !== undefined) return { ...made("question", []), value: question.trim() };
    if (number !== undefined) return literalTerm(Number(number));
    if (text !== undefined)
      return literalTerm(words ? text.slice(1, -1).replace(/\\(.)/gs, "$1") : text.slice(1, -1));
    if (self !== undefined) return made("self", []);
    if (mark === "[") return made("list", list("]"));
    if (mark === "(") {
      const [inner, ...others] = list(")");
      return inner && others.length === 0 ? inner : noCounterpart();
    }
    if (name === "") noCounterpart();
    if (sign() !== "(") return words ? literalTerm(words.get(name.toLowerCase()) ?? name) : noCounterpart();
    at++;
    const op = functions.get(words ? name.toLowerCase() : name) ?? noCounterpart();
    const args = list(")");
    const [least, most] = counts[op] ?? [1, 1];
    if (args.length < least || args.length > most) noCounterpart();
    return op === "true" || op === "false" ? literalTerm(op === "true") : made(op, args);
  }

  const result = expression(1);
  return at === tokens.length ? result : noCounterpart();
}
