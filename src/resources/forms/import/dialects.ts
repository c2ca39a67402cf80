/** Expressions of other tools as terms: one parser, and a table for each language. Pure. */
import { expressionLimits, type Literal } from "../../../fields/conditions/expression.ts";

/**
 * A part of an expression. `op`: an operation that expressions.ts knows, whatever its name in the source;
 * `question` (its key in `value`), `self`, `number`, `text`, `bool` (literals) or `list`.
 */
export interface Term {
  readonly op: string;
  readonly args: readonly Term[];
  readonly value?: Literal;
}

type Operator = readonly [op: string, strength: number];
type Call = readonly [op: string, least: number, most: number];

/** A language for expressions. */
export interface Dialect {
  /** A token with the space before it. Its kind is the name of the group. */
  readonly token: RegExp;
  readonly infix: ReadonlyMap<string, Operator>;
  readonly prefix: ReadonlyMap<string, Operator>;
  readonly postfix: ReadonlyMap<string, Operator>;
  readonly functions: ReadonlyMap<string, Call>;
  /** Names: literals of these names, and otherwise texts; in any case. Absent: a name is a function. */
  readonly words?: ReadonlyMap<string, Term>;
  /** True: a text for a question with several answers has all of them. False: that is a list. */
  readonly hasSpacedLists: boolean;
  /** True: an absent number is zero in a calculation. */
  readonly isAbsentZero: boolean;
}

const maxLength = 4_000;

const term = (op: string, args: readonly Term[] = [], value?: Literal): Term =>
  value === undefined ? { op, args } : { op, args, value };

const operators = (...levels: readonly Readonly<Record<string, string>>[]): Map<string, Operator> =>
  new Map(
    levels.flatMap((level, index) =>
      Object.entries(level).map(([sign, op]): [string, Operator] => [sign, [op, index + 1]]),
    ),
  );

const comparisons = { "<": "<", "<=": "<=", ">": ">", ">=": ">=" };

/** XPath as XForms and XLSForm have it. */
export const xpath: Dialect = {
  token:
    /\s*(?:\$\{(?<question>[^{}]*)\}|(?<number>\d+(?:\.\d*)?|\.\d+)|(?<text>"[^"]*"|'[^']*')|(?<self>\.(?![./]))|(?<name>[A-Za-z_][\w.:-]*)|(?<sign>!=|<=|>=|[-+*=<>(),]))/gy,
  infix: operators(
    { or: "or" },
    { and: "and" },
    { "=": "==", "!=": "!=" },
    comparisons,
    { "+": "+", "-": "-" },
    { "*": "*", div: "/" },
  ),
  prefix: new Map([["-", ["neg", 7]]]),
  postfix: new Map(),
  functions: new Map<string, Call>([
    ["true", ["true", 0, 0]],
    ["false", ["false", 0, 0]],
    ["not", ["not", 1, 1]],
    ["selected", ["selected", 2, 2]],
    ["count-selected", ["count", 1, 1]],
    ["string-length", ["size", 1, 1]],
    ["contains", ["contains", 2, 2]],
    ["starts-with", ["startsWith", 2, 2]],
    ["ends-with", ["endsWith", 2, 2]],
    ["regex", ["regex", 2, 2]],
    ["if", ["if", 3, 3]],
    ["coalesce", ["coalesce", 2, 2]],
    ["concat", ["concat", 1, 50]],
    ["date", ["time", 1, 1]],
    ["date-time", ["time", 1, 1]],
    ["number", ["sum", 1, 1]],
    ["round", ["math.round", 1, 2]],
    ["int", ["int", 1, 1]],
    ["floor", ["math.floor", 1, 1]],
    ["ceiling", ["math.ceil", 1, 1]],
    ["abs", ["math.abs", 1, 1]],
    ["min", ["math.least", 2, 50]],
    ["max", ["math.greatest", 2, 50]],
  ]),
  hasSpacedLists: true,
  isAbsentZero: false,
};

/** Expressions of SurveyJS. */
export const surveyJs: Dialect = {
  token:
    /\s*(?:\{(?<question>[^{}]*)\}|(?<number>\d+(?:\.\d+)?)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<name>[A-Za-z_]\w*)|(?<sign>\|\||&&|<=|>=|==|!=|<>|\*=|[-+*/=<>!(),[\]]))/gsy,
  infix: operators(
    { "||": "or", or: "or" },
    { "&&": "and", and: "and" },
    {
      ...comparisons,
      ...{ "=": "==", "==": "==", equal: "==", "!=": "!=", "<>": "!=", notequal: "!=" },
      ...{ less: "<", lessorequal: "<=", greater: ">", greaterorequal: ">=" },
    },
    { "+": "+", "-": "-" },
    { "*": "*", "/": "/" },
    {
      ...{ "*=": "contains", contains: "contains", contain: "contains" },
      ...{ notcontains: "notcontains", notcontain: "notcontains" },
      ...{ anyof: "anyof", allof: "allof", noneof: "noneof" },
    },
  ),
  prefix: new Map([
    ["!", ["not", 7]],
    ["negate", ["not", 7]],
    ["-", ["neg", 7]],
  ]),
  postfix: new Map([
    ["empty", ["empty", 8]],
    ["notempty", ["has", 8]],
  ]),
  functions: new Map<string, Call>([
    ["iif", ["if", 3, 3]],
    ["sum", ["sum", 1, 50]],
    ["round", ["math.round", 1, 2]],
  ]),
  words: new Map([
    ["true", term("bool", [], true)],
    ["false", term("bool", [], false)],
    ["null", term("text", [], "")],
    ["undefined", term("text", [], "")],
  ]),
  hasSpacedLists: false,
  isAbsentZero: true,
};

/** Parses an expression. Undefined: it is none, has an unknown function, or is too long, deep or large. */
export function parseForeign(text: string, dialect: Dialect): Term | undefined {
  const { token, infix, prefix, postfix, functions, words } = dialect;
  const source = text.trim();
  if (source.length > maxLength) return undefined;
  const tokens = [...source.matchAll(token)];
  const last = tokens.at(-1);
  if (last === undefined || last.index + last[0].length < source.length) return undefined;
  let [at, depth, terms] = [0, 0, 0];

  const made = (op: string, args: readonly (Term | undefined)[] = [], value?: Literal): Term | undefined =>
    ++terms <= expressionLimits.nodes && args.every((each) => each !== undefined)
      ? term(op, args, value)
      : undefined;

  /** A sign or a name that may be an operator. */
  function sign(): string | undefined {
    const { name, sign } = tokens[at]?.groups ?? {};
    return words ? (sign ?? name)?.toLowerCase() : (sign ?? name);
  }

  function nested<T>(inner: () => T | undefined): T | undefined {
    if (++depth > expressionLimits.depth) return undefined;
    const result = inner();
    depth--;
    return result;
  }

  /** @param least of the strengths of its operators */
  function expression(least: number): Term | undefined {
    let left = operand();
    while (left !== undefined && at < tokens.length) {
      const [after, before] = [postfix.get(sign() ?? ""), infix.get(sign() ?? "")];
      const [op, strength] = after ?? before ?? ["", 0];
      if (strength < least || strength === 0) break;
      at++;
      const right = after ? undefined : expression(strength + 1);
      if (after) left = made(op, [left]);
      else if (op === "notcontains") left = made("not", [made("contains", [left, right])]);
      else if ((op === "and" || op === "or") && left.op === op && right)
        left = made(op, [...left.args, right]);
      else left = made(op, [left, right]);
    }
    return left;
  }

  function list(close: string): (Term | undefined)[] | undefined {
    return nested(() => {
      const items: (Term | undefined)[] = [];
      if (sign() !== close)
        do {
          items.push(expression(1));
          if (items.at(-1) === undefined) return undefined;
        } while (sign() === "," && ++at);
      return sign() === close && ++at ? items : undefined;
    });
  }

  function operand(): Term | undefined {
    const before = prefix.get(sign() ?? "");
    const { question, number, text, self, name, sign: mark } = tokens[at++]?.groups ?? {};
    if (before) return nested(() => made(before[0], [expression(before[1])]));
    if (question !== undefined) return made("question", [], question.trim());
    if (number !== undefined) return made("number", [], Number(number));
    if (text !== undefined)
      return made("text", [], words ? text.slice(1, -1).replace(/\\(.)/gs, "$1") : text.slice(1, -1));
    if (self !== undefined) return made("self");
    if (mark === "(") {
      const inner = list(")");
      return inner?.length === 1 ? inner[0] : undefined;
    }
    if (mark === "[") {
      const items = list("]");
      return items && made("list", items);
    }
    if (name === undefined) return undefined;
    if (sign() !== "(") return words && (words.get(name.toLowerCase()) ?? made("text", [], name));
    const [op, least, most] = functions.get(words ? name.toLowerCase() : name) ?? ["", 0, -1];
    at++;
    const args = list(")");
    if (!args || args.length < least || args.length > most) return undefined;
    return op === "true" || op === "false" ? made("bool", [], op === "true") : made(op, args);
  }

  const result = expression(1);
  return at === tokens.length ? result : undefined;
}
