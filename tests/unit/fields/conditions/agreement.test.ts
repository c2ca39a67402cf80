/** Random expressions on random data: this evaluator gives what two other implementations of CEL give. */
import { describe, expect, test } from "bun:test";
import { type CelFunc, CelScalar, celEnv, celFunc, isCelError, parse as parseCel, plan } from "@bufbuild/cel";
import { Environment } from "@marcbachmann/cel-js";
import { fault } from "../../../../src/fields/clauses.ts";
import type { FieldTypes, Type } from "../../../../src/fields/conditions/check.ts";
import { bool, double, dyn, expressionType, textType } from "../../../../src/fields/conditions/check.ts";
import { compileExpression, scopeOf } from "../../../../src/fields/conditions/evaluate.ts";
import { ExpressionError } from "../../../../src/fields/conditions/expression.ts";
import { parse } from "../../../../src/fields/conditions/parse.ts";
import { printExpression } from "../../../../src/fields/conditions/print.ts";
import { generatedCases } from "../../../generated.ts";

/** Mulberry32: the same cases in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const random = randomOf(20261122);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const fields: Record<string, Type> = {
  s: textType,
  t: textType,
  n: double,
  m: double,
  b: bool,
  c: bool,
  l: { is: "list", of: textType },
  o: { is: "map" },
  d: dyn,
  "e f": dyn,
};
const fieldTypes: FieldTypes = (id) => fields[id] ?? fault("own_field");
const textValues = ["", "a", "ab", "b", "DE", "😀", "\uff5e", "é", "2026-11-22"];
const numbers = [0, -0, 1, 2, 2.5, -1.5, -0.5, 0.1, 1e21, 18, 1e-7];
const sampleOf: Record<Type["is"], () => unknown> = {
  text: () => pick(textValues),
  double: () => pick(numbers),
  int: () => pick([0, 1, 2, 18]),
  bool: () => random() < 0.5,
  list: () => textValues.filter(() => random() < 0.3),
  map: () =>
    Object.fromEntries([...["city", "s"].map((name) => [name, pick(textValues)])].slice(pick([0, 1]))),
  dyn: () => sampleOf[pick(["text", "double", "bool", "list", "map"] as const)](),
};
const dataOf = () => {
  const data: Record<string, unknown> = Object.create(null);
  for (const [id, { is }] of Object.entries(fields)) if (random() < 0.75) data[id] = sampleOf[is]();
  return data;
};

const quote = (value: string) => (random() < 0.5 ? JSON.stringify(value) : `'${value}'`);
const decimal = (value: number) => (/[.e]/.test(String(value)) ? String(value) : `${value}.0`);
const literal: Partial<Record<Type["is"], () => string>> = {
  text: () => quote(pick(textValues)),
  double: () => decimal(Math.abs(pick(numbers))),
  int: () => String(pick([0, 1, 2, 18])),
  bool: () => String(random() < 0.5),
};
const member = (id: string) => (id === "e f" || random() < 0.2 ? `data["${id}"]` : `data.${id}`);
const read: Record<Type["is"], () => string> = {
  text: () => member(pick(["s", "t"])),
  double: () => member(pick(["n", "m"])),
  int: () => "size(data.s)",
  bool: () => member(pick(["b", "c"])),
  list: () => member("l"),
  map: () => member("o"),
  dyn: () => (random() < 0.8 ? member(pick(["d", "e f"])) : `data.o.${pick(["city", "s"])}`),
};

/** The text of an expression, mostly of that type. */
function source(wanted: Type["is"], depth: number): string {
  const type = random() < 0.06 ? pick(["text", "double", "int", "bool", "list", "dyn"] as const) : wanted;
  const of = (inner: Type["is"]) => source(inner, depth - 1);
  const leaf = () =>
    random() < 0.2 ? read.dyn() : random() < 0.5 ? read[type]() : (literal[type] ?? read[type])();
  if (depth <= 0) return leaf();
  const branch = () => `(${of("bool")} ? ${of(type)} : ${of(type)})`;
  switch (type) {
    case "text":
      return pick([leaf, () => `(${of("text")} + ${of("text")})`, branch])();
    case "double":
      return pick([
        leaf,
        () => `(${of("double")} ${pick(["+", "-", "*", "/"])} ${of("double")})`,
        () => `-(${of("double")})`,
        () => `math.${pick(["round", "ceil", "floor", "abs"])}(${of("double")})`,
        () => `math.${pick(["least", "greatest"])}(${of("double")}, ${of("double")})`,
        branch,
      ])();
    case "int":
      return pick([leaf, () => `size(${of(pick(["text", "list", "map"]))})`, () => `${of("text")}.size()`])();
    case "list":
      return pick([
        leaf,
        () => `[${quote(pick(textValues))}, ${quote(pick(textValues))}]`,
        () => "[1, 2.5]",
      ])();
    case "bool":
      return pick([
        leaf,
        () => `!${of("bool")}`,
        () => `(${of("bool")} && ${of("bool")} && ${of("bool")})`,
        () => `(${of("bool")} || ${of("bool")})`,
        () => `(${of("bool")} && ${of("bool")} || ${of("bool")})`,
        () => `has(data.${pick(["s", "n", "d", "o.city", "d.s"])})`,
        () => `("${pick(Object.keys(fields))}" in data)`,
        () => `(${of("text")} in ${of("list")})`,
        () => `(${of("double")} in ${of("list")})`,
        () => `(${of("dyn")} in ${of(pick(["list", "map"]))})`,
        () => `(${of("int")} ${pick(["==", "<", ">="])} ${of("double")})`,
        () => `(${of("list")} ${pick(["==", "!="])} ${of("list")})`,
        () => `${of("text")}.${pick(["startsWith", "endsWith", "contains"])}(${of("text")})`,
        () => {
          const each = pick(["text", "double", "bool", "dyn"] as const);
          return `(${of(each)} ${pick(["==", "!=", "<", "<=", ">", ">="])} ${of(each)})`;
        },
        branch,
      ])();
    default:
      return leaf();
  }
}

const D = CelScalar.DOUBLE;
const ordered = (of: (x: number, y: number) => number) => (x: number, y: number) => {
  if (Number.isNaN(x) || Number.isNaN(y)) throw new Error("NaN values cannot be ordered");
  return of(x, y);
};
/** The functions of `math_ext`, which the library leaves to its users, by the specification's words. */
const math: CelFunc[] = [
  celFunc("math.round", [D], D, (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5)),
  celFunc("math.ceil", [D], D, (x) => -Math.floor(-x)),
  celFunc("math.floor", [D], D, (x) => -Math.ceil(-x)),
  celFunc("math.abs", [D], D, (x) => (x < 0 ? -x : x === 0 ? 0 : x)),
  celFunc("math.least", [D, D], D, ordered(Math.min)),
  celFunc("math.greatest", [D, D], D, ordered(Math.max)),
];
const buf = celEnv({ funcs: math });
const marc = new Environment({ homogeneousAggregateLiterals: false }).registerVariable("data", "map");

/** A result as text: both libraries have types of their own for whole numbers and lists. */
function shown(value: unknown): string {
  if (typeof value === "bigint") return String(Number(value));
  if (typeof value === "number") return String(value);
  if (typeof value === "object" && value !== null && Symbol.iterator in value)
    return `[${[...(value as Iterable<unknown>)].map(shown)}]`;
  if (typeof value === "object" && value !== null) return shown(Object.entries(value));
  return JSON.stringify(value);
}
function ourResult(text: string, data: Record<string, unknown>): string {
  try {
    const expression = parse(text);
    expressionType(expression, fieldTypes);
    const value = compileExpression(expression)(scopeOf(data));
    return value === undefined ? "error" : shown(value);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return "refused";
  }
}
function bufResult(text: string, data: object): string {
  const value = plan(buf, parseCel(text))({ data: { ...data } } as never);
  return isCelError(value) ? "error" : shown(value);
}
function marcResult(text: string, data: object): string {
  try {
    return shown(marc.evaluate(text, { data: { ...data } }));
  } catch {
    return "error";
  }
}

/**
 * Differences of the libraries from the specification. In each case this evaluator follows the specification.
 *
 * - bufbuild omits a double negation, so that `!!1.0` is 1.0. "!" takes a bool (list of standard
 *   definitions).
 * - Both compare texts by UTF-16 code unit. "String comparison … by Unicode code point" (same list, `_<_`).
 * - cel-js finds nothing in a map by a key that no map can have. Such a key has no overload (same list,
 *   `in`).
 * - cel-js refuses `1 == 1.0` and other pairs of known types before it evaluates. "Numeric … equality across
 *   types".
 */
const known = {
  both: (text: string, data: string) =>
    /[<>]/.test(text) && ["😀", "～"].every((each) => (text + data).includes(each)),
  first: (text: string) => /!!|-\(-/.test(text),
  second: (text: string, ours: string, theirs: string) =>
    theirs === "error" ? marc.check(text).valid === false : ours === "error" && / in /.test(text),
};

const count = generatedCases(100_000, 6_000);

describe(`${count} random expressions on random data`, () => {
  const differences: unknown[] = [];
  const printed: unknown[] = [];
  const among = { refused: 0, errors: 0, values: 0, knownDifferences: 0 };
  for (let index = 0; index < count; index++) {
    const text = source(pick(["bool", "bool", "bool", "double", "text"]), pick([1, 2, 2, 3]));
    const data = dataOf();
    const ours = ourResult(text, data);
    if (ours === "refused") among.refused++;
    else if (ours === "error") among.errors++;
    else among.values++;
    if (ours === "refused") continue;
    const again = printExpression(parse(text));
    if (printExpression(parse(again)) !== again || ourResult(again, data) !== ours)
      printed.push([text, again]);
    const [first, second] = [bufResult(text, data), text.includes("math.") ? ours : marcResult(text, data)];
    if (first === ours && second === ours) continue;
    const isKnown =
      known.both(text, JSON.stringify(data)) ||
      (second === ours ? known.first(text) : first === ours && known.second(text, ours, second));
    if (isKnown) among.knownDifferences++;
    else differences.push({ text, data: JSON.stringify(data), ours, first, second });
  }

  test("have the results that the other implementations give them", () => expect(differences).toEqual([]));
  test("mean the same when they are printed", () => expect(printed).toEqual([]));
  test("are values, errors and rejected expressions, many of each", () => {
    expect(Math.min(among.refused, among.errors, among.values)).toBeGreaterThan(count / 20);
    expect(among.knownDifferences).toBeLessThan(count / 20);
  });
});
