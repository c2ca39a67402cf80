/** Rules that all sources share: plain texts, ids, and a draft that has only what has an effect. */
import { describe, expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { storingProblems } from "../../../src/resources/forms/draft-checks.ts";
import { beginDraft } from "../../../src/resources/forms/import/draft.ts";
import { hasValue } from "../../../src/resources/forms/import/logic.ts";
import { textWithoutMarkup } from "../../../src/resources/forms/import/text.ts";
import { leastCpuMs } from "../fields/fixture.ts";

describe("a text is plain", () => {
  test.each([
    ["**Name**, *first* and _last_, ***both***", "Name, first and last, both"],
    ["**bold with *inner* text**", "bold with inner text"],
    ["# Heading\n## Next", "Heading\nNext"],
    ["~~old~~ `code` \\*star\\*", "old code *star*"],
    [
      "[terms](https://a.example) ![logo](logo.png) <https://b.example>",
      "terms (https://a.example) logo https://b.example",
    ],
    ["Gr&ouml;&szlig;e &ndash; 5&nbsp;&euro; &AMP; &unknown;", "Größe – 5 € & &unknown;"],
    ["a<style>p > b { }</style>b<SCRIPT>if (a < b) c()</script >c", "abc"],
  ])("%j", (text, plain) => expect(textWithoutMarkup(text)).toBe(plain));

  test.each([
    "a * b * c",
    "2*3*4",
    "snake_case_name",
    "#1",
    "# of guests",
    "Name* and E-mail*",
    "(*) a (*)",
    "____ and ____",
  ])("%j has no markup", (text) => expect(textWithoutMarkup(text)).toBe(text));

  test.each(["<style>", "<script>a<", "*a", "**a ", "[a](b", "![", "`a", "~~a ", "\\", "*_", "<a ", "&a"])(
    "%j as often as it fits in a document is read in less than a second",
    (part) => {
      const text = part.repeat(1_048_576 / part.length);
      expect(leastCpuMs(1_000, () => textWithoutMarkup(text))).toBeLessThan(1_000);
    },
  );
});

/** A draft of one question. */
function draftOf(members: Record<string, unknown>, type = "text") {
  const draft = beginDraft("test");
  const entry = draft.question({ path: "a", key: "a", label: "A" }, { type }, members);
  if (!entry) throw new Error("The question is left out.");
  return { draft, entry };
}

test("A rule that the type of a question does not have is lost, with an item", () => {
  const { draft } = draftOf({ minimum: 18, maxLength: 9, validation: { maxLength: 8 } });
  const { file, report } = draft.finish("T");
  expect(file.schema.fields).toEqual([
    { id: "a", type: "text", label: "A", maxLength: 9, validation: { maxLength: 8 } },
  ]);
  expect(report.items).toEqual([
    { severity: "approximated", path: "a", code: "not_accepted", message: expect.stringContaining("18 is") },
  ]);
});

test("Questions have their keys as ids before texts that come first have them", () => {
  const draft = beginDraft("test");
  draft.part({ path: "h", label: "Email" }, "heading");
  draft.part({ path: "p" }, "page_break", { description: "Next" });
  draft.question({ path: "e", key: "email" }, { type: "email" });
  draft.part({ path: "i", key: "intro", label: "Email" }, "statement");
  const { fields } = draft.finish("T").file.schema;
  expect(fields.map(({ id, label }) => [id, label])).toEqual([
    ["email_2", "Email"],
    ["next", "Next"],
    ["email", "email"],
    ["intro", "Email"],
  ]);
});

test("A text without words is no field, but a note", () => {
  const draft = beginDraft("test");
  expect(draft.part({ path: "s", label: "<img src=x>" }, "statement")).toBeUndefined();
  const { file, report } = draft.finish("T");
  expect(file.schema.fields).toEqual([]);
  expect(report.items).toMatchObject([{ severity: "note", path: "s", code: "text" }]);
});

test("A question whose condition is lost, or that of its page, is required of nobody, and an item says so", () => {
  const draft = beginDraft("test");
  const page = draft.part({ path: "p", label: "P" }, "page_break");
  for (const key of ["a", "b"])
    draft.question({ path: key, key, label: key }, { type: "text" }, { required: key === "a" });
  draft.part({ path: "q", label: "Q" }, "page_break");
  draft.question({ path: "c", key: "c", label: "c" }, { type: "text" }, { required: true });
  if (page) draft.setLogic(page, "showIf", undefined, "x > 1");
  const { file, report } = draft.finish("T");
  expect(file.schema.fields.filter(({ required }) => required === true)).toMatchObject([{ id: "c" }]);
  expect(report.items.map(({ path, code }) => [path, code])).toEqual([
    ["p", "condition"],
    ["a", "rule"],
  ]);
});

test.each([
  [{ required: true }, 1],
  [{ requireIf: "has(data.a)" }, 1],
  [{ required: true, compute: "'x'" }, 0],
])("A hidden field with %j is required of nobody", (members, items) => {
  const { file, report } = draftOf(members, "hidden").draft.finish("T");
  const { compute } = { compute: undefined, ...members };
  expect(file.schema.fields).toEqual([{ id: "a", type: "hidden", label: "A", ...(compute && { compute }) }]);
  expect(report.items.map(({ code }) => code)).toEqual(Array.from({ length: items }, () => "rule"));
});

test("Texts that are too long are cut, each with an item", () => {
  const { draft } = draftOf({});
  const long = "x".repeat(limits.formPage.maxTextLength + 1);
  const { file, report } = draft.finish(long, "", { page: { thankYou: long, submitLabel: long } });
  expect(file.name).toHaveLength(limits.name.maxLength);
  expect(file.settings.page?.thankYou).toHaveLength(limits.formPage.maxTextLength);
  expect(file.settings.page?.submitLabel).toHaveLength(limits.formPage.maxLabelLength);
  expect(report.items.map(({ path, code }) => [path, code])).toEqual([
    ["thankYou", "text"],
    ["submitLabel", "text"],
    ["name", "text"],
  ]);
});

test("A condition on a later question is quoted, and the reason names no expression", () => {
  const draft = beginDraft("test");
  const [a, b] = ["a", "b"].map((key) => draft.question({ path: key, key, label: key }, { type: "text" }));
  if (a && b) draft.setLogic(a, "showIf", hasValue(b), "b is set");
  expect(draft.finish("T").report.items.map(({ message }) => message)).toEqual([
    "“a”: The condition under which it is asked for “b is set” is left out. It asks about a later question.",
  ]);
});

test("a draft is one that can be stored: what is beyond its size goes from the end, with an item each", () => {
  const { question, part, setLogic, finish } = beginDraft("test");
  const first = question({ path: "first", key: "first", label: "First" }, { type: "text" });
  for (let index = 0; index < 499; index++) {
    const origin = { path: `${index}`, label: `Question ${index}` };
    const members = { description: "a, ".repeat(340) };
    const entry =
      index % 2 === 0 ? question(origin, { type: "text" }, members) : part(origin, "statement", members);
    if (first && entry && index > 450) setLogic(entry, "showIf", hasValue(first), "first");
  }
  const { file, report } = finish("A");
  expect(storingProblems(file)).toEqual([]);
  expect(report.leftOut).toBeGreaterThan(0);
  expect(report.items.filter(({ code }) => code === "too_many")).toHaveLength(
    500 - file.schema.fields.length,
  );
});
