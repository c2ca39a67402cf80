import { nearest } from "../nearest.ts";
import type { Expression, Literal } from "./expression.ts";
import { ExpressionError, expressionLimits, functions, methods } from "./expression.ts";

const number = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+/y;
const quoted = /"(?:[^"\\\n\r]|\\[^\n\r])*"|'(?:[^'\\\n\r]|\\[^\n\r])*'/y;
const signs = /&&|\|\||[=!<>]=|[<>!?:+\-*/()[\],.]/y;
const escapes =
  /\\(?:([abfnrtv])|([\\?"'`])|[xX]([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;
const controls: Record<string, string> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
/** Names that CEL reserves; after a dot they are ordinary names. */
const reserved =
  /^(?:as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;
const keywords = ["true", "false", "null", "in"];
const comparisons = ["==", "!=", "<=", ">=", "<", ">", "in"];

/** Operators of CEL by those of other languages. */
const meantSigns: Readonly<Record<string, string>> = {
  ...{ "=": "==", "&": "&&", "|": "||", "<>": "!=" },
  ...{ and: "&&", or: "||", not: "!" },
};

function meantSign(sign: string): string {
  const name = sign.toLowerCase();
  return Object.hasOwn(meantSigns, name) ? `: is ${meantSigns[name]} meant?` : "";
}

const functionNames = ["has", ...Object.keys(functions)];
const prefix = "math.";

/** @param likely the functions that can be called there */
function meantFunction(name: string, likely: readonly string[] = functionNames): string {
  const full = `${prefix}${name}`;
  const near = nearest(name, likely) ?? (functionNames.includes(full) ? full : nearest(name, functionNames));
  if (near === undefined) return `; the functions are ${functionNames.join(", ")}`;
  return `: is ${near}()${methods.includes(near) && near !== "size" ? " after a dot" : ""} meant?`;
}

const isSpace = (unit: number) => unit === 32 || (unit >= 9 && unit <= 13 && unit !== 11);
const isDigit = (unit: number) => unit >= 48 && unit <= 57;
const isWord = (unit: number) =>
  (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || isDigit(unit) || unit === 95;

type Kind = "double" | "int" | "name" | "text" | "sign" | "end";

/** Parses an expression. @throws {ExpressionError} outside the subset or the {@link expressionLimits} */
export function parse(source: string): Expression {
  let nodes = 0;
  let depth = 0;
  let kind: Kind = "end";
  let text = "";
  let at = 0;
  let end = 0;

  function fail(message: string, where = at, hint?: () => string): never {
    throw new ExpressionError(where, message, hint);
  }

  /** Reads the next token. The first unit identifies most, at half the cost of one pattern for all. */
  function next(): void {
    at = end;
    while (isSpace(source.charCodeAt(at))) at++;
    end = at;
    const unit = source.charCodeAt(at);
    if (Number.isNaN(unit)) {
      kind = "end";
      text = "";
    } else if (isWord(unit) && !isDigit(unit)) {
      while (isWord(source.charCodeAt(end))) end++;
      kind = "name";
      text = source.slice(at, end);
    } else if (unit === 34 || unit === 39) take("text", quoted, "a text is not closed");
    else if (isDigit(unit) || (unit === 46 && isDigit(source.charCodeAt(at + 1)))) {
      take("int", number);
      if (/\D/.test(text)) kind = "double";
      if (isWord(source.charCodeAt(end))) fail("a number is followed by a letter or a digit", end);
    } else take("sign", signs);
  }

  function take(found: Kind, pattern: RegExp, otherwise?: string): void {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match === null) {
      const sign = String.fromCodePoint(source.codePointAt(at) ?? 0);
      fail(otherwise ?? `unexpected ${JSON.stringify(sign)}`, at, () => meantSign(sign));
    }
    kind = found;
    text = match[0];
    end = at + text.length;
  }

  const isSign = () => kind === "sign" || (kind === "name" && text === "in");
  const is = (sign: string) => text === sign && isSign();

  function unexpected(wanted: string): never {
    const found = kind === "end" ? "it ends" : `${text} is written`;
    const sign = source.slice(at - 1, at) + text === "<>" ? "<>" : text;
    return fail(`${found} where ${wanted} is expected`, at, () => meantSign(sign));
  }

  function expect(sign: string): void {
    if (!is(sign)) unexpected(sign);
    next();
  }

  function node(op: string, where: number, args: readonly Expression[] = [], value?: Literal): Expression {
    if (++nodes > expressionLimits.nodes)
      fail(`more than ${expressionLimits.nodes} names, values and operators`, where);
    return value === undefined ? { op, args, at: where } : { op, args, value, at: where };
  }

  function nested<T>(inner: () => T): T {
    if (++depth > expressionLimits.depth) fail(`more than ${expressionLimits.depth} levels of nesting`);
    const result = inner();
    depth--;
    return result;
  }

  function conditional(): Expression {
    const condition = chain("||", () => chain("&&", relation));
    if (!is("?")) return condition;
    const where = at;
    next();
    return nested(() => {
      const yes = chain("||", () => chain("&&", relation));
      expect(":");
      return node("?:", where, [condition, yes, conditional()]);
    });
  }

  /** Both operators are associative over errors too, so that a chain is one node. */
  function chain(op: "&&" | "||", operand: () => Expression): Expression {
    const first = operand();
    if (!is(op)) return first;
    const where = at;
    const args = [first];
    while (is(op)) {
      next();
      args.push(operand());
    }
    return node(op, where, args);
  }

  function binary(operand: () => Expression, signs: readonly string[]): Expression {
    let left = operand();
    while (isSign() && signs.includes(text)) {
      const [op, where] = [text, at];
      next();
      left = node(op, where, [left, operand()]);
    }
    return left;
  }

  const relation = () => binary(sum, comparisons);
  const sum = () => binary(product, ["+", "-"]);
  const product = () => binary(unary, ["*", "/"]);

  function unary(): Expression {
    const sign = text;
    if (!is("!") && !is("-")) return member();
    const signs: number[] = [];
    while (is(sign)) {
      signs.push(at);
      next();
    }
    let operand = member();
    for (const where of signs.reverse())
      operand = sign === "-" ? negative(operand, where) : node("!", where, [operand]);
    return operand;
  }

  /** Negates a literal in place, except a double zero: JSON has no negative zero. */
  function negative({ op, value, ...operand }: Expression, where: number): Expression {
    if (typeof value !== "number" || (op === "value" && value === 0))
      return node("-x", where, [{ op, ...operand, ...(value !== undefined && { value }) }]);
    return { op, ...operand, value: value === 0 ? 0 : -value, at: where };
  }

  function member(): Expression {
    let value = primary();
    for (;;) {
      const where = at;
      if (is(".")) {
        next();
        if (kind !== "name" || keywords.includes(text)) unexpected("a name");
        const name = text;
        next();
        if (!is("(")) value = node(".", where, [value], name);
        else if (methods.includes(name)) value = call(name, where, [value]);
        else
          fail(`there is no function ${name}() after a dot`, where + 1, () => meantFunction(name, methods));
      } else if (is("[")) {
        next();
        if (kind !== "text") unexpected("the id of a field, in quotes,");
        value = node(".", where, [value], literalText());
        next();
        expect("]");
      } else return value;
    }
  }

  function call(name: string, where: number, first: readonly Expression[] = []): Expression {
    const args = [...first, ...nested(() => list("(", ")"))];
    const [least, most] = functions[name] as readonly [number, number];
    if (args.length < least || args.length > most)
      fail(`${name}() takes ${least} value${least > 1 ? "s" : ""}${most > least ? " or more" : ""}`, where);
    return node(name, where, args);
  }

  function list(open: string, close: string): Expression[] {
    const items: Expression[] = [];
    expect(open);
    if (!is(close)) {
      items.push(conditional());
      // CEL allows a trailing comma in a list, but not in a call.
      while (is(",")) {
        next();
        if (open === "[" && is(close)) break;
        items.push(conditional());
      }
    }
    expect(close);
    return items;
  }

  function primary(): Expression {
    const where = at;
    if (is("(")) {
      return nested(() => {
        next();
        const value = conditional();
        expect(")");
        return value;
      });
    }
    if (is("["))
      return node(
        "list",
        where,
        nested(() => list("[", "]")),
      );
    let literal: Literal | undefined;
    if (kind === "double" || kind === "int") {
      literal = Number(text);
      if (!Number.isFinite(literal)) fail("the number is too large");
      if (kind === "int" && !Number.isSafeInteger(literal)) fail(`the number is too large: write ${text}.0`);
    } else if (kind === "text") literal = literalText();
    else if (kind === "name" && (text === "true" || text === "false")) literal = text === "true";
    if (literal === undefined) return named();
    const value = node(kind === "int" ? "int" : "value", where, [], literal);
    next();
    return value;
  }

  function named(): Expression {
    const where = at;
    if (kind !== "name" || text === "in") unexpected("a value");
    const name = text;
    next();
    if (name === "data") return { op: "data", args: [], at: where };
    if (name === "math" && is(".")) {
      next();
      const full = `math.${text}`;
      if (kind !== "name" || !Object.hasOwn(functions, full))
        fail(`there is no function ${full}()`, where, () => meantFunction(full));
      next();
      return call(full, where);
    }
    if (name === "has" && is("(")) {
      const [value, ...more] = nested(() => list("(", ")"));
      if (value?.op !== "." || more.length > 0 || source[value.at] === "[")
        fail("has() takes the name of one field, as in has(data.name)", where);
      return node("has", where, [value]);
    }
    if (name === "size" && is("(")) return call(name, where);
    if (is("(") && !Object.hasOwn(meantSigns, name.toLowerCase()))
      fail(`there is no function ${name}()`, where, () => meantFunction(name));
    if (reserved.test(name)) fail(`${name} is a reserved word`, where);
    if (name === "null") fail("null is no value here: write has(data.name) or !has(data.name)", where);
    if (Object.hasOwn(meantSigns, name.toLowerCase()))
      fail(`${name} is unknown`, where, () => meantSign(name));
    return fail(`${name} is unknown: is data.${name} meant, or "${name}" as a text?`, where);
  }

  function literalText(): string {
    const start = at;
    return text.slice(1, -1).replace(escapes, (all, control, plain, ...rest) => {
      const [two, four, eight, octal] = rest;
      const index = rest.at(-2) as number;
      if (control !== undefined) return controls[control] as string;
      if (plain !== undefined) return plain;
      const code =
        octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(two ?? four ?? eight, 16);
      if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff))
        fail(`${all} is no character`, start + 1 + index);
      return String.fromCodePoint(code);
    });
  }

  // A text with more code units may still have few enough code points.
  if (source.length > expressionLimits.length && [...source].length > expressionLimits.length)
    fail(`more than ${expressionLimits.length} characters`, 0);
  next();
  const result = conditional();
  if (kind !== "end") unexpected("the end");
  return result;
}
