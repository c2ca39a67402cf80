/** Conditions as rows of question, comparison and value, and back. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { bool, expressionType } from "../../src/fields/conditions/check.ts";
import { compileExpression, scopeOf } from "../../src/fields/conditions/evaluate.ts";
import { typeOfField } from "../../src/fields/conditions/logic.ts";
import { parse } from "../../src/fields/conditions/parse.ts";
import { parseField } from "../../src/fields/definition.ts";
import type { Comparison, Condition } from "../../src/pages/console/questions/condition-rows.ts";
import {
  comparisons,
  expressionOf,
  RowError,
  rowsOf,
} from "../../src/pages/console/questions/condition-rows.ts";
import { conditionSentence, formulaText } from "../../src/pages/console/questions/condition-text.ts";
import { inLanguageOf } from "../../src/pages/ui/language.ts";
import { generatedCases } from "../generated.ts";

const field = (id: string, type: string, label: string, rest: object = {}) =>
  parseField({ id, type, label, ...rest });
const fields = [
  field("t", "text", "Name"),
  field("n", "number", "Age"),
  field("b", "boolean", "Member?"),
  field("s", "select", "Country", { options: [{ value: "DE", label: "Germany" }, "FR", { value: 7 }] }),
  field("m", "multi_select", "Tags", { options: [{ value: "r", label: "Red, dark" }, "blue"] }),
  field("d", "date", "Arrival"),
  field("7 a", "text", "Odd"),
];
const inEnglish = <T>(read: () => T): T => inLanguageOf(new Request("http://localhost"), read);
const fieldOf = (id: string) => fields.find((each) => each.id === id);
const words = { yes: "Yes", no: "No" };
const row = (id: string, comparison: Comparison, value = "") => ({ field: id, comparison, value });
const all = (...rows: ReturnType<typeof row>[]): Condition => ({ joint: "all", rows });
const sourceOf = (condition: Condition) => expressionOf(condition, fieldOf, words);

test.each([
  ["data.t == 'x'", all(row("t", "is", "x")), "Name is “x”"],
  ["data.n >= 18", all(row("n", "atLeast", "18")), "Age is at least 18"],
  ["data.n < 2.5", all(row("n", "lessThan", "2,5")), "Age is less than 2.5"],
  ["data.b", all(row("b", "is", "yes")), "Member? is Yes"],
  ["!data.b", all(row("b", "is", "No")), "Member? is No"],
  ["data.s == 'DE'", all(row("s", "is", "germany")), "Country is Germany"],
  ["data.s == 7", all(row("s", "is", "7")), "Country is 7"],
  ["data.s in ['DE', 'FR']", all(row("s", "isOneOf", "Germany, FR")), "Country is one of Germany, FR"],
  ["'r' in data.m", all(row("m", "contains", "Red, dark")), "Tags contains Red, dark"],
  ["!('blue' in data.m)", all(row("m", "containsNot", "blue")), "Tags does not contain blue"],
  ["data.t.contains('a\\\\b')", all(row("t", "contains", "a\\b")), "Name contains “a\\b”"],
  ["data.d > '2026-11-22'", all(row("d", "moreThan", "2026-11-22")), "Arrival is after 2026-11-22"],
  ["has(data.t)", all(row("t", "has")), "Name has an answer"],
  ["!('7 a' in data)", all(row("7 a", "hasNot")), "Odd has no answer"],
  [
    "data.b || data['7 a'] != 'x'",
    { joint: "any" as const, rows: [row("b", "is", "Yes"), row("7 a", "isNot", "x")] },
    "Member? is Yes or Odd is not “x”",
  ],
])("%s is what the rows say, and as a sentence", (source, condition, sentence) => {
  expect(sourceOf(condition)).toBe(source);
  const again = rowsOf(source, fieldOf, words) as Condition;
  expect(sourceOf(again)).toBe(source);
  expect(inEnglish(() => conditionSentence(source, fieldOf))).toBe(sentence);
});

describe("what rows cannot say stays an expression", () => {
  test.each([
    ...["data.t == ' x '", "data.n * 2.0 > 3.0", "data.t == data.s", "data.b && (data.b || has(data.t))"],
    ...["data.s in ['r', 7.5]", "data.m == ['blue']", "data.unknown == 'x'", "!(data.n > 3)"],
    ...["data.s == 'IT'", "data."],
  ])("%s", (source) => {
    expect(rowsOf(source, fieldOf, words)).toBeUndefined();
  });
});

test("without rows there is no condition, and a row without a question is left out", () => {
  expect(sourceOf(all())).toBe("");
  expect(sourceOf(all(row("", "is", "x"), row("b", "is", "Yes")))).toBe("data.b");
  expect(rowsOf(" ", fieldOf, words)).toEqual(all());
});

test.each([
  [row("t", "is", " "), "noValue"],
  [row("n", "is", "many"), "noNumber"],
  [row("b", "is", "maybe"), "noYesOrNo"],
  [row("s", "is", "Italy"), "noChoice"],
] as const)("%p is refused: %s", (wrong, problem) => {
  const refused = () => sourceOf(all(wrong));
  expect(refused).toThrow(RowError);
  expect(refused).toThrow(problem);
});

test.each([
  ["de", "1,5", "data.n in [1.5]"],
  ["de", "1,5; 2,5", "data.n in [1.5, 2.5]"],
  ["de", "1.000, 2.000", "data.n in [1000, 2000]"],
  ["en", "1,000, 2,000", "data.n in [1000, 2000]"],
  ["en", "1; 2 ;-0.5", "data.n in [1, 2, -0.5]"],
])("a list of numbers is split between them, not at their signs, in %s: %s", (locale, entered, source) => {
  const own = { ...words, locale };
  expect(expressionOf(all(row("n", "isOneOf", entered)), fieldOf, own)).toBe(source);
  expect(expressionOf(rowsOf(source, fieldOf, own) as Condition, fieldOf, own)).toBe(source);
});

test("a formula is shown with the names of the questions", () => {
  expect(inEnglish(() => formulaText("data.n * 2.0 + data['7 a'] + data.other", fieldOf))).toBe(
    "Age * 2.0 + Odd + data.other",
  );
});

test("any rows that are taken are valid, and come back as rows that mean the same", () => {
  const texts = ["x", "Germany", "7", "blue", "Yes", "2026-11-22", "Red, dark", "'\"\\ \u{1f600}"];
  const rows = fc.array(
    fc.record({
      field: fc.constantFrom(...fields.map(({ id }) => id)),
      comparison: fc.constantFrom(...comparisons),
      value: fc.constantFrom(...texts),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const sometimes = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const data = fc.record({
    t: sometimes(...texts),
    n: sometimes(7, 1),
    b: sometimes(true, false),
    s: sometimes<string | number>("DE", "FR", 7),
    m: sometimes(["r"], ["blue", "r"]),
    d: sometimes("2026-11-22", "2027-01-01"),
    "7 a": sometimes(...texts),
  });
  let taken = 0;
  const count = generatedCases(5_000, 1_000);
  fc.assert(
    fc.property(rows, fc.constantFrom("all" as const, "any" as const), data, (given, joint, values) => {
      let source: string;
      try {
        source = sourceOf({ joint, rows: given });
      } catch (error) {
        if (error instanceof RowError) return;
        throw error;
      }
      taken++;
      const type = (() => {
        try {
          return expressionType(parse(source), (id) => typeOfField(fieldOf(id) as never));
        } catch {
          return undefined;
        }
      })();
      // A comparison that the question's type does not have is for publishing to refuse.
      if (type) expect(type).toEqual(bool);
      const again = rowsOf(source, fieldOf, words);
      if (!again) return;
      const evaluate = (text: string) =>
        compileExpression(parse(text))(scopeOf(Object.assign(Object.create(null), values)));
      expect(evaluate(sourceOf(again))).toBe(evaluate(source));
    }),
    { numRuns: count },
  );
  expect(taken).toBeGreaterThan(count / 20);
});
