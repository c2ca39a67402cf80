/** Values that a page in another language shows again. tests/http/form-page has the pages. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compile } from "../../src/fields/compile.ts";
import { isWellFormed, readingsIn, readingsOf, toValue } from "../../src/fields/entered.ts";
import { respelled, spellingIn, withSpelling } from "../../src/pages/form-page/form-data.ts";
import { textForLanguage } from "../../src/pages/form-page/text/text.ts";
import { generatedCases } from "../generated.ts";

const { fields } = compile({
  fields: [
    { id: "amount", type: "number" },
    { id: "people", type: "integer" },
    { id: "pieces", type: "number", validation: { multipleOf: 1 } },
    { id: "day", type: "date" },
    { id: "at", type: "datetime" },
  ],
});
const languages = ["de", "en", "fr", "ar", "de-CH"];
const enteredIn = (language: string, values: Record<string, string>) =>
  new URLSearchParams({ ...values, "formd.language": language });

describe("a text that was entered in one language", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 3 });
  const sign = fc.constantFrom(".", ",", "'", " ", "٫", "٬", "");
  const grouped = fc.tuple(fc.constantFrom("", "-"), digits, sign, digits, sign, digits, sign, digits);
  const number = fc.oneof(
    grouped.map((parts) => parts.join("")),
    fc.tuple(digits, sign, fc.constantFrom("000", "234", "5")).map((parts) => parts.join("")),
    fc.tuple(digits, sign, fc.constantFrom("234e3", "5e0")).map((parts) => parts.join("")),
  );
  const two = fc.integer({ min: 1, max: 31 }).map((part) => String(part).padStart(2, "0"));
  const day = fc
    .tuple(two, fc.constantFrom("/", ".", "-"), two, fc.constantFrom("2026", "26"))
    .map(([first, between, second, year]) => [first, second, year].join(between));

  /** All that a text means, as JSON writes it, and whether it can be stored. */
  const meaningOf = (values: URLSearchParams) =>
    fields.map((field) => {
      const spelling = spellingIn(values);
      const value = toValue(field, values, spelling);
      return {
        meant: readingsIn(field, values, spelling, {}).toSorted(),
        isStored: value !== undefined && isWellFormed(field, value),
      };
    });

  test("means the same in each that the page is shown in after it: one value, or the same question", () => {
    fc.assert(
      fc.property(
        number,
        day,
        fc.array(fc.constantFrom(...languages), { minLength: 2, maxLength: 4 }),
        (typed, typedDay, [first = "", ...others]) => {
          const values = { amount: typed, people: typed, pieces: typed, day: typedDay };
          const moment = { "at.local": `${typedDay}, 14:30`, "at.zone": "Z" };
          let shown = enteredIn(first, { ...values, ...moment });
          const typedAs = meaningOf(shown);
          for (const other of others) {
            shown = respelled(fields, shown, textForLanguage(other));
            for (const [index, { meant, isStored }] of meaningOf(shown).entries()) {
              const before = typedAs[index] as (typeof typedAs)[number];
              // A text that means nothing in a language may be a day in the next one.
              if (before.meant.length === 0) continue;
              // A fraction of a whole number may be asked about in another language, and is wrong in each.
              const isFraction = fields[index]?.id === "pieces" && /[.]/.test(String(before.meant));
              if (isFraction) expect(meant).toEqual(expect.arrayContaining(before.meant));
              if (!isFraction || isStored) expect({ meant, isStored }).toEqual(before);
            }
          }
        },
      ),
      { numRuns: generatedCases(5_000) },
    );
  });

  test.each([
    ["en", "de", "people", "1.000", "1 | 1.000", ["1", "1.000"]],
    ["fr", "de", "amount", "1.234", "1.234 | 1,234", ["1.234", "1,234"]],
    ["de", "en", "people", "1,234", "1.234 | 1,234", ["1,234"]],
    ["en", "de", "day", "11/12/2026", "11. Dezember 2026 | 12. November 2026", undefined],
    ["de-CH", "fr", "amount", "1,234", "1\u202f234 | 1,234", undefined],
    ["de", "fr", "amount", "1.234", "1234", []],
  ])("%s to %s: %s %j is shown as %j, and asked about", (from, to, id, typed, shown, asked) => {
    const text = textForLanguage(to);
    const values = respelled(fields, enteredIn(from, { [id]: typed }), text);
    const field = fields.find((each) => each.id === id) as (typeof fields)[number];
    expect(values.getAll(id)).toEqual([shown]);
    expect(readingsOf(field, values, text)).toEqual(asked ?? shown.split(" | "));
  });
});

test("of a text with thousands of values nothing is read", () => {
  const values = enteredIn("en", { day: "1/2/2026 | ".repeat(10_000) });
  expect(readingsOf(fields.at(3) as (typeof fields)[number], values, textForLanguage("en"))).toEqual([]);
});

test("a language that a version does not have is the page's, or English; no data of it are made", () => {
  const tags = Array.from({ length: 300 }, (_, index) => `zh-${String(index).padStart(3, "0")}`);
  for (const tag of [...tags, "fr", "DE", "", "constructor"]) {
    const sent = enteredIn(tag, { "formd.zone": "Europe/Rome" });
    for (const [available, page, read] of [
      [["ar", "de"], "ar", "ar"],
      [[], "de", ""],
      [undefined, "en", ""],
    ] as const) {
      const values = withSpelling(fields, sent, textForLanguage(page), available);
      expect([values.getAll("formd.language"), values.get("formd.zone")]).toEqual([[read], "Europe/Rome"]);
      if (read === "") expect(textForLanguage(read)).toBe(textForLanguage("en"));
    }
  }
  const german = enteredIn("de", {});
  expect(withSpelling(fields, german, textForLanguage("en"), ["en", "de"])).toBe(german);
  expect(withSpelling(fields, german, textForLanguage("en"))).toBe(german);
});
