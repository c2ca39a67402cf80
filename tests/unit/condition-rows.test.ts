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
  comparisonsOf,
  expressionOf,
  isPicked,
  picksOf,
  RowError,
  rowsOf,
  takesNoValue,
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
  field("r", "rating", "Stars"),
  field("at", "datetime", "Begin"),
  field("p", "select", "Twice", {
    options: [
      { value: "x", label: "Same" },
      { value: "y", label: "Same" },
    ],
  }),
];
const inEnglish = <T>(read: () => T): T => inLanguageOf(new Request("http://localhost"), read);
const fieldOf = (id: string) => fields.find((each) => each.id === id);
const words = { yes: "Yes", no: "No", timeZone: "Europe/Berlin" };
const row = (id: string, comparison: Comparison, ...values: string[]) => ({ field: id, comparison, values });
const all = (...rows: ReturnType<typeof row>[]): Condition => ({ joint: "all", rows });
const sourceOf = (condition: Condition) => expressionOf(condition, fieldOf, words);

test.each([
  ["data.t == 'x'", all(row("t", "is", "x")), "Name is “x”"],
  ["data.n >= 18", all(row("n", "atLeast", "18")), "Age is at least 18"],
  ["data.n < 2.5", all(row("n", "lessThan", "2,5")), "Age is less than 2.5"],
  ["data.b", all(row("b", "is", "yes")), "Member? is Yes"],
  ["!data.b", all(row("b", "is", "No")), "Member? is No"],
  ["data.s == 'DE'", all(row("s", "is", "Germany")), "Country is Germany"],
  ["data.s == 7", all(row("s", "is", "7")), "Country is 7"],
  ["data.s in ['DE', 'FR']", all(row("s", "isOneOf", "Germany", "FR")), "Country is one of Germany, FR"],
  ["data.p == 'y'", all(row("p", "is", "y")), "Twice is y"],
  ["data.r in [4, 5]", all(row("r", "isOneOf", "4", "5")), "Stars is one of 4, 5"],
  ["data.t in ['x', 'y']", all(row("t", "isOneOf", "x, y")), "Name is one of “x, y”"],
  [
    "data.at < '2026-07-01T09:00:00+02:00'",
    all(row("at", "lessThan", "2026-07-01T09:00")),
    "Begin is before 2026-07-01 09:00:00+02:00",
  ],
  ["'r' in data.m", all(row("m", "contains", "Red, dark")), "Tags includes Red, dark"],
  ["!('blue' in data.m)", all(row("m", "containsNot", "blue")), "Tags does not include blue"],
  ["data.t.contains('a\\\\b')", all(row("t", "contains", "a\\b")), "Name contains “a\\b”"],
  ["data.d > '2026-11-22'", all(row("d", "moreThan", "2026-11-22")), "Arrival is after 22 November 2026"],
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
  [row("b", "is", "maybe"), "noChoice"],
  [row("s", "is", "Italy"), "noChoice"],
  [row("s", "is", "Germany", "FR"), "noValue"],
  [row("s", "isOneOf"), "noValue"],
  [row("d", "is", "soon"), "noTime"],
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
  const texts = [
    "x",
    "Germany",
    "7",
    "blue",
    "Yes",
    "2026-11-22",
    "Red, dark",
    "'\"\\ \u{1f600}",
    "2026-07-01T09:00",
  ];
  const rows = fc.array(
    fc.record({
      field: fc.constantFrom(...fields.map(({ id }) => id)),
      comparison: fc.constantFrom(...comparisons),
      values: fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 2 }),
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

test("each value that can be picked is written to an expression, and picked again", () => {
  const picked = fields.filter(isPicked).flatMap((of) =>
    (picksOf(of, words) ?? []).flatMap(({ value }) =>
      comparisonsOf(of).map((comparison) => {
        const values = takesNoValue(comparison) ? [] : [value];
        const source = sourceOf(all({ field: of.id, comparison, values }));
        expect(expressionType(parse(source), (id) => typeOfField(fieldOf(id) as never))).toEqual(bool);
        expect(rowsOf(source, fieldOf, words)).toEqual(all({ field: of.id, comparison, values }));
        return `${of.id} ${value}`;
      }),
    ),
  );
  expect([...new Set(picked)]).toEqual([
    ...["b Yes", "b No", "s Germany", "s FR", "s 7", "m Red, dark", "m blue"],
    ...["r 1", "r 2", "r 3", "r 4", "r 5", "p Same", "p y"],
  ]);
});
