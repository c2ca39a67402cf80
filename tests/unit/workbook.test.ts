/** Workbooks, read by a library that did not write them. */
import { describe, expect, test } from "bun:test";
import naughty from "big-list-of-naughty-strings";
import fc from "fast-check";
import { readXlsx } from "hucre/xlsx";
import {
  type Sheet,
  serialOf,
  type WorkbookCell,
  workbookOf,
} from "../../src/resources/submissions/workbook.ts";

async function* rowsOf(rows: WorkbookCell[][]) {
  yield* rows;
}
const sheetOf = (rows: WorkbookCell[][], headers = ["A", "B", "C"], name = "Sheet"): Sheet => ({
  name,
  headers,
  rows: rowsOf(rows),
});
async function readBack(...sheets: Sheet[]) {
  const parts = await Array.fromAsync(workbookOf(sheets));
  return (await readXlsx(Buffer.concat(parts), { readStyles: true })).sheets;
}
const textsOf = async (texts: string[]) => {
  const [sheet] = await readBack(sheetOf(texts.map((text) => [text])));
  return sheet?.rows.slice(1).map(([cell]) => cell ?? "");
};

describe("the text of a cell is read as it was written", () => {
  const odd = [
    "a\r\nb",
    "a\nb",
    "a\rb",
    "\r",
    "\n",
    "_x0041_",
    "_x000D_",
    "__x0041__x0042_",
    "_x005F_x0041_",
  ];
  const unreadable = ["\0\u0001\u000b\u001f", "\ufffe\uffff", "\ud800x", "x\udc00", "\udc00\ud800", "😀"];
  const shown = ["  x ", "\tx\t", "<&>\"'", "]]>", "=1+1", "\u0085\u2028\u00a0"];

  test("with line ends, escapes and characters that XML does not have", async () => {
    const texts = [...odd, ...unreadable, ...shown, ...naughty.filter(Boolean)];
    expect(await textsOf(texts)).toEqual(texts);
  });

  test("whatever it is", async () => {
    const unit = fc.oneof(
      fc.string({ unit: "binary", maxLength: 5 }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom("_", "_x", "x0041_", "_x005F_", "_x000d_", "\r", "\n", "\r\n", "&", "&#13;", "<"),
    );
    const text = fc.array(unit, { minLength: 1, maxLength: 12 }).map((units) => units.join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(text.filter(Boolean), { minLength: 1, maxLength: 50 }), async (texts) => {
        expect(await textsOf(texts)).toEqual(texts);
      }),
      { numRuns: 100 },
    );
  });

  test("and is cut where Excel would call the file damaged, not within a character", async () => {
    const [cut] = (await textsOf([`${"x".repeat(32_765)}😀😀`])) ?? [];
    expect(cut).toBe(`${"x".repeat(32_765)}…`);
    expect(await textsOf(["😀".repeat(16_383)])).toEqual(["😀".repeat(16_383)]);
  });
});

test("headers and names of sheets are texts as well; the first row is bold and stays, and filters the others", async () => {
  const header = 'A "<b>"\r\n_x0041_\uffff';
  const [first, second] = await readBack(
    sheetOf([["x"], ["y"]], [header], "A & <B>"),
    sheetOf([], ["1", "2"], "Leer"),
  );
  expect([first?.name, first?.rows[0], first?.freezePane, first?.autoFilter?.range]).toEqual([
    "A & <B>",
    [header],
    { rows: 1 },
    "A1:A3",
  ]);
  expect(first?.cells?.get("0,0")?.style?.font?.bold).toBe(true);
  expect([second?.name, second?.rows, second?.autoFilter?.range]).toEqual(["Leer", [["1", "2"]], "A1:B1"]);
});

test("numbers, truth and times have their types, and a column is as wide as its content, in bounds", async () => {
  const at = Date.UTC(2026, 6, 10, 10, 30, 15);
  const cells = [0.1, true, serialOf(at, "moment") ?? null, "x".repeat(200), "日本語のテキスト"];
  const [sheet] = await readBack(sheetOf([cells], ["N", "B", "T", "L", "J"]));
  expect(sheet?.rows[1]).toEqual([0.1, true, new Date(at), "x".repeat(200), "日本語のテキスト"]);
  expect(sheet?.columns?.map(({ width }) => width)).toEqual([8, 8, 21, 60, 18]);
});

test.each([
  ["1900-02-28T23:59:59Z", undefined],
  ["1900-03-01T00:00:00Z", 61],
  ["9999-12-31T12:00:00Z", 2_958_465.5],
  ["+010000-01-01T00:00:00Z", undefined],
  ["x", undefined],
])("the time %p is Excel's %p", (text, serial) => {
  expect(serialOf(Date.parse(text), "moment")?.serial).toBe(serial as number);
});
