import { describe, expect, test } from "bun:test";
import { fault } from "../../../../src/fields/clauses.ts";
import type { FieldTypes } from "../../../../src/fields/conditions/check.ts";
import { bool, double, expressionType, textType } from "../../../../src/fields/conditions/check.ts";
import { compileExpression, holds, scopeOf } from "../../../../src/fields/conditions/evaluate.ts";
import { ExpressionError } from "../../../../src/fields/conditions/expression.ts";
import { compareText, maxTextWork } from "../../../../src/fields/conditions/operations.ts";
import { parse } from "../../../../src/fields/conditions/parse.ts";
import { leastCpuMs } from "../fixture.ts";

const choice = (owner: string, options: Record<string, string | undefined>) =>
  ({ is: "text", options: new Map(Object.entries(options)), owner }) as const;
const fields: FieldTypes = (id) =>
  ({
    country: choice("country", { DE: "Germany", FR: "France" }),
    tags: { is: "list", of: choice("tags", { red: undefined, green: undefined }) } as const,
    place: { is: "map", members: { city: textType, region: textType } } as const,
    name: textType,
    price: double,
    agreed: bool,
  })[id] ?? fault("unknown_field", { id, near: undefined });

/** Returns the error with the index of its character; undefined for a valid expression. */
function refusal(source: string): string | undefined {
  try {
    expressionType(parse(source), fields);
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return `${error.at}: ${error.message}${error.hint()}`;
    throw error;
  }
}
const data = (values: object) => scopeOf(Object.assign(Object.create(null), values));
const result = (source: string, values: object = {}) => compileExpression(parse(source))(data(values));

const functions =
  "; the functions are has, size, startsWith, endsWith, contains, math.round, math.ceil, math.floor, math.abs, math.least, math.greatest";

describe("an expression is refused with the position and the reason:", () => {
  test.each([
    ["data.name ==", "12: it ends where a value is expected"],
    ["(data.agreed", "12: it ends where ) is expected"],
    ["data.name = 'a'", '10: unexpected "=": is == meant?'],
    ["data.name === 'a'", '12: unexpected "=": is == meant?'],
    ["data.agreed & data.agreed", '12: unexpected "&": is && meant?'],
    ["data.agreed | data.agreed", '12: unexpected "|": is || meant?'],
    ["data.name # 'a'", '10: unexpected "#"'],
    ["data.agreed AND data.agreed", "12: AND is written where the end is expected: is && meant?"],
    ["data.agreed or data.agreed", "12: or is written where the end is expected: is || meant?"],
    ["not data.agreed", "0: not is unknown: is ! meant?"],
    ["not(data.agreed)", "0: not is unknown: is ! meant?"],
    ["data.name <> 'a'", "11: > is written where a value is expected: is != meant?"],
    ["data.name < > 'a'", "12: > is written where a value is expected"],
    ["data.name == 'a", "13: a text is not closed"],
    ["data.nam == 'a'", '5: there is no field "nam"'],
    ["data['nam'] == 'a'", '5: there is no field "nam"'],
    ["has(data.nam)", '9: there is no field "nam"'],
    ["'nam' in data", '1: there is no field "nam"'],
    ["name == 'a'", '0: name is unknown: is data.name meant, or "name" as a text?'],
    ["data.price * 2", "13: write 2.0"],
    ["data.price + size(data.name)", "13: a size cannot be calculated with"],
    ["data.name + 1.0", "10: + takes two texts or two numbers, not a text and a number"],
    ["data.name == 1", "10: name is a text and 1 is a whole number: they are never compared"],
    ["data.agreed && data.name", "15: name is a text, and && takes true or false"],
    ["!data.name", "1: name is a text, and ! takes true or false"],
    ["data.country == 'Spain'", '16: "Spain" is not an option of country; the options are "DE", "FR"'],
    ["data.country == 'Germany'", '16: "Germany" is not an option of country; is "DE" meant?'],
    ["data.country in ['DE', 'de']", '23: "de" is not an option of country; is "DE" meant?'],
    ["'Red' in data.tags", '0: "Red" is not an option of tags; is "red" meant?'],
    ["1 in data.tags", "0: 1 is a whole number, and the list has a text"],
    ["data.place.town == 'x'", '11: there is no part "town"'],
    ["data.place.citty == 'x'", '11: there is no part "citty": is "city" meant?'],
    ["data == data", "0: data is no value: write data. and the id of a field"],
    ["data.name == null", "13: null is no value here: write has(data.name) or !has(data.name)"],
    ["data.name.matches('a')", `10: there is no function matches() after a dot${functions}`],
    [
      "data.name.startWith('a')",
      "10: there is no function startWith() after a dot: is startsWith() after a dot meant?",
    ],
    ["data.price.round() > 1.0", "11: there is no function round() after a dot: is math.round() meant?"],
    [
      "startsWith(data.name, 'a')",
      "0: there is no function startsWith(): is startsWith() after a dot meant?",
    ],
    ["math.rond(data.price) > 1.0", "0: there is no function math.rond(): is math.round() meant?"],
    ["abs(data.price) > 1.0", "0: there is no function abs(): is math.abs() meant?"],
    ["sise(data.name) > 1", "0: there is no function sise(): is size() meant?"],
    ["now() > data.name", `0: there is no function now()${functions}`],
    ["math['abs'](1.0)", '0: math is unknown: is data.math meant, or "math" as a text?'],
    ["[data.name] == ['a']", "5: a list has texts, numbers, true or false only"],
    ["data.name.size() == 9007199254740993", "20: the number is too large: write 9007199254740993.0"],
    ["data.name == '\\ud800'", "14: \\ud800 is no character"],
    ["data.price == 1e999", "14: the number is too large"],
  ])("%s", (source, message) => expect(refusal(source)).toBe(message));

  test("more than 1,000 code points, but not more code units", () => {
    expect(refusal(`data.name == '${"😀".repeat(985)}'`)).toBe(undefined);
    expect(refusal(`data.name == '${"a".repeat(987)}'`)).toBe("0: more than 1000 characters");
  });
  test("more than 200 nodes", () => {
    const list = (count: number) => `data.name in [${Array(count).fill("'a'").join()}]`;
    expect(refusal(list(197))).toBe(undefined);
    expect(refusal(list(198))).toEndWith("more than 200 names, values and operators");
  });
  test("more than 16 levels of nesting, in brackets, branches and calls", () => {
    const brackets = (count: number) => `${"(".repeat(count)}data.agreed${")".repeat(count)}`;
    expect(refusal(brackets(16))).toBe(undefined);
    expect(refusal(brackets(17))).toEndWith("more than 16 levels of nesting");
    expect(refusal(`${"data.agreed ? true : ".repeat(17)}true`)).toEndWith("more than 16 levels of nesting");
    expect(refusal(`${"math.abs(".repeat(17)}1.0${")".repeat(17)}`)).toEndWith("levels of nesting");
  });
});

describe("a condition", () => {
  test("holds if it is true; an absent value is an error, which is not", () => {
    const condition = compileExpression(parse("data.name == 'a'"));
    expect(holds(condition, data({ name: "a" }))).toBe(true);
    expect(holds(condition, data({ name: "b" }))).toBe(false);
    expect(holds(condition, data({}))).toBe(false);
  });
  test.each([
    ["data.x == 'a' || true", true],
    ["true || data.x == 'a'", true],
    ["data.x == 'a' && false", false],
    ["data.x == 'a' && true", undefined],
    ["has(data.x) && data.x == 'a'", false],
    ["!(data.x == 'a')", undefined],
    ["'x' in data", false],
  ])("with an absent value: %s is %p", (source, value) => expect(result(source)).toBe(value));

  test("reads own members only", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(result(`has(data.${name})`)).toBe(false);
      expect(result(`has(data.x.${name})`, { x: {} })).toBe(false);
      expect(result(`data.x.${name}`, { x: {} })).toBe(undefined);
      expect(result(`"${name}" in data.x`, { x: {} })).toBe(false);
      expect(result(`data["${name}"] == 'a'`, Object.fromEntries([[name, "a"]]))).toBe(true);
    }
  });

  test("compares texts by code point", () => {
    const sorted = ["", "a", "ab", "b", "\ud7ff", "\ue000", "～", "😀", "😁"];
    for (const [i, x] of sorted.entries())
      for (const [j, y] of sorted.entries())
        expect([x, y, Math.sign(compareText(x, y))]).toEqual([x, y, Math.sign(i - j)]);
  });
  test("counts code points", () => expect(result("data.x.size()", { x: "a😀b" })).toBe(3));
  test.each([
    ["math.round(2.5)", 3],
    ["math.round(-2.5)", -3],
    ["math.round(0.49999999999999994)", 0],
    ["math.round(1e21)", 1e21],
    ["math.least(2.0, 1.0, 3.0)", 1],
    ["math.least(1.0, 0.0 / 0.0)", undefined],
    ["0.1 + 0.2 == 0.3", false],
    ["math.round((0.1 + 0.2) * 100.0) / 100.0 == 0.3", true],
  ])("calculates %s = %p", (source, value) => expect(result(source)).toBe(value));
});

describe("the cost is bounded:", () => {
  /** CPU time of evaluating an expression again and again on the same values. */
  const repeated = (evaluate: ReturnType<typeof compileExpression>, times: number, values: object) =>
    leastCpuMs(20, () => {
      const scope = data(values);
      for (let index = 0; index < times; index++) evaluate(scope);
    });
  test("sums of sums do not grow beyond 10,000 characters", () => {
    const x = "a".repeat(100);
    expect(result(Array(100).fill("data.x").join(" + "), { x })).toBeString();
    expect(result(Array(100).fill("data.x").join(" + "), { x: `${x}a` })).toBe(undefined);
  });
  test("what reads more than 4,000,000 characters is an error", () => {
    const scope = data({ x: `${"a".repeat(9_999)}b`, y: `${"a".repeat(299)}b` });
    const search = compileExpression(parse("data.x.contains(data.y)"));
    expect(search(scope)).toBe(true);
    expect(search(scope)).toBe(undefined);
    expect(scope.work).toBe(maxTextWork - 3_000_000);
  });
  test("of texts that are long to search, 5,000 times over", () => {
    const search = compileExpression(parse("data.x.contains(data.y) || data.x == data.z || data.x < data.z"));
    const [x, z] = ["a".repeat(100_000), `${"a".repeat(99_999)}b`];
    expect(repeated(search, 5_000, { x, y: "a".repeat(39), z })).toBeLessThan(20);
  });
  test.each<[string, string, unknown]>([
    ["lists", "data.x == data.y", Array.from({ length: 250 }, (_, n) => `item ${n}`)],
    ["lists of lists", "data.x == data.y", Array.from({ length: 250 }, () => ["a"])],
    ["parts", "data.x == data.y", Object.fromEntries(Array.from({ length: 250 }, (_, n) => [n, "a"]))],
    ["names", "size(data.x) > 1", Object.fromEntries(Array.from({ length: 9_999 }, (_, n) => [`p${n}`, n]))],
    ["characters beyond U+FFFF", "size(data.x) > 1", "😀".repeat(400)],
    ["order", "data.x <= data.y", "a".repeat(600)],
  ])("of values with many %s, 6,000 times over", (_, source, x) => {
    const compare = compileExpression(parse(source));
    const y = structuredClone(x);
    expect(compare(data({ x, y }))).toBe(true);
    expect(repeated(compare, 6_000, { x, y })).toBeLessThan(20);
  });
});
