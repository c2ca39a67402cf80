/** Choices as rows, and back. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  arrangedRows,
  type ChoiceRow,
  choicesOfLines,
  choicesOfRows,
  rowsOfChoices,
  sentChoices,
  shownChoices,
} from "../../src/pages/console/questions/choice-rows.ts";
import { leastCpuMs } from "./fields/fixture.ts";

const read = (text: string) => (/^\d+$/.test(text) ? Number(text) : text);
const choices = (rows: readonly ChoiceRow[], before: readonly unknown[] = []) =>
  choicesOfRows(rows, before, read);
const added = (label: string, more: Partial<ChoiceRow> = {}): ChoiceRow => ({
  ...{ was: "", label, places: "", value: "" },
  ...more,
});
/** The rows of choices, with changes by index. */
const edited = (before: readonly unknown[], changes: Record<number, Partial<ChoiceRow>>) =>
  choices(
    rowsOfChoices(before).map((row, index) => ({ ...row, ...changes[index] })),
    before,
  );

const text = fc.oneof(
  fc.string(),
  fc.constantFrom("a", "a | b", '{"x":1}', " padded ", "two\nlines", "List: a", "\u2028"),
);
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const member = { label: text, limit: fc.oneof(fc.nat(), fc.constantFrom(null, -1, 1e21, 0.5, "many")) };
/** Entries of a draft: choices, with members that no row shows, and values that are none. */
const entry = fc.oneof(
  text,
  fc.record({ value: scalar, ...member, "x-own": fc.jsonValue() }, { requiredKeys: ["value"] }),
  fc.record({ id: text, ...member }, { requiredKeys: ["id"] }),
  fc.jsonValue().filter((value) => value !== undefined),
);

describe("choices as rows", () => {
  test("come back as they were, in any order, also those that are invalid or repeated", () => {
    fc.assert(
      fc.property(
        fc.array(entry).chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()]))),
        ([before, order]) => {
          // An input of one line has no line breaks.
          const values = new URLSearchParams(
            shownChoices(rowsOfChoices(before), "o").map(([name, value]) => [
              name,
              value.replace(/[\r\n]/g, ""),
            ]),
          );
          const rows = sentChoices(values, "o");
          expect(choices(rows, before)).toEqual([...before]);
          const some = order.map((index) => rows[index] as ChoiceRow);
          expect(choices(some, before)).toEqual(order.map((index) => before[index]));
        },
      ),
      {
        examples: [
          [
            [
              ["a", "a", "a"],
              [2, 0],
            ],
          ],
          [
            [
              ["  ", null, {}, []],
              [3, 1],
            ],
          ],
        ],
      },
    );
  });

  test("keep every member that the row does not change", () => {
    const before = [{ value: 7, label: "Seven", limit: 3, showIf: "data.a", "x-own": [1] }];
    expect(edited(before, { 0: { label: "Seven!" } })).toEqual([{ ...before[0], label: "Seven!" }]);
    expect(edited(before, { 0: { places: "12" } })).toEqual([{ ...before[0], limit: 12 }]);
    expect(edited(before, { 0: { value: "seven" } })).toEqual([{ ...before[0], value: "seven" }]);
    const { limit: _, ...unlimited } = before[0] as { limit: number };
    expect(edited(before, { 0: { places: " " } })).toEqual([unlimited]);
    expect(edited([{ id: "r", label: "Row" }], { 0: { label: "Rows" } })).toEqual([
      { id: "r", label: "Rows" },
    ]);
  });

  test("of one line are one label, whatever characters it has", () => {
    expect(choices([added("Singing | 20"), added('{"a":1}'), added("List: countries")])).toEqual([
      "Singing | 20",
      '{"a":1}',
      "List: countries",
    ]);
    expect(choicesOfLines(" A \r\n\n B | 2\nA")).toEqual(["A", "B | 2"]);
  });

  test("that are new have their label as value, unless another one is entered, and the entered places", () => {
    expect(choices([added("A", { places: "20" }), added("B", { value: "b" }), added("C")])).toEqual([
      { value: "A", limit: 20 },
      { value: "b", label: "B" },
      "C",
    ]);
    expect(choices([added("A", { places: "many" })])).toEqual([{ value: "A", limit: "many" }]);
  });

  test("without a label go, unless something else was entered for a new one", () => {
    expect(edited(["A", { value: "b", limit: 2 }], { 0: { label: "" }, 1: { label: " " } })).toEqual([]);
    expect(choices([added(" "), added("", { places: "3" })])).toEqual([{ value: "", limit: 3 }]);
  });

  test.each<[string, unknown, string, unknown]>([
    ["a corrected label", "Vegn", "Vegan", { value: "Vegn", label: "Vegan" }],
    ["an extended label", "Vegan", "Vegan, only raw", { value: "Vegan", label: "Vegan, only raw" }],
    [
      "a translated label of a code",
      { value: "fr", label: "Friday" },
      "Freitag",
      { value: "fr", label: "Freitag" },
    ],
    ["a label back at its value", { value: "Red", label: "Redd" }, "Red", "Red"],
  ])("keep the value of %s", (_, before, label, after) => {
    expect(edited([before], { 0: { label } })).toEqual([after]);
  });

  test.each([
    ["another choice", "Friday", "Saturday"],
    ["another number", "Room 1", "Room 2"],
  ])("do not keep the value of %s", (_, before, label) => {
    expect(edited([before], { 0: { label } })).toEqual([label]);
  });

  test("leave a value to the new choice that has it as its label", () => {
    const [row] = rowsOfChoices(["Vegan"]);
    const rows = [{ ...(row as ChoiceRow), label: "Vegan, only raw" }, added("Vegan")];
    expect(choices(rows, ["Vegan"])).toEqual(["Vegan, only raw", "Vegan"]);
  });

  test("are read in bounded time, however long a label is", () => {
    const long = "x".repeat(500_000);
    const readLong = () => expect(edited([long], { 0: { label: `y${long}` } })).toHaveLength(1);
    expect(leastCpuMs(1_000, readLong)).toBeLessThan(1_000);
  });
});

test("the button of a row moves or removes it, and none at an end", () => {
  const rows = ["a", "b", "c"].map((label) => added(label));
  const after = (act: string, index: number) =>
    arrangedRows(rows, act, index)
      .map(({ label }) => label)
      .join("");
  expect([after("up", 1), after("down", 1), after("remove", 1)]).toEqual(["bac", "acb", "ac"]);
  expect([after("up", 0), after("down", 2), after("remove", 3), after("more", 0)]).toEqual(
    Array(4).fill("abc"),
  );
});
