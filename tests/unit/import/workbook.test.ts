/** Reading of workbooks: those that another library writes, and those that are made to cost much. */
import { describe, expect, test } from "bun:test";
import { TextReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js";
import fc from "fast-check";
import { writeXlsx } from "hucre/xlsx";
import { readForeign } from "../../../src/resources/forms/import/import-file.ts";
import { readWorkbook } from "../../../src/resources/forms/import/workbook.ts";
import { root } from "../../setup.ts";

type Cell = string | number | boolean | Date | null;
const read = (bytes: Uint8Array) => readWorkbook(bytes, ["survey", "choices"]);
const workbookOf = (sheets: Record<string, Cell[][]>) =>
  writeXlsx({ sheets: Object.entries(sheets).map(([name, rows]) => ({ name, rows })) });

test("cells are texts as XLSForm means them, by the texts of the first row", async () => {
  const day = new Date("2026-11-30T00:00:00Z");
  const bytes = await workbookOf({
    Survey: [
      ["a", "b", null, "__proto__"],
      [1, 2.5, "no header", true],
      [null, "", "  "],
      ["ä & <b>\nc", day, null, false],
    ],
    notes: [["a"], ["b"]],
  });
  expect(await read(bytes)).toEqual({
    Survey: [
      JSON.parse('{ "a": "1", "b": "2.5", "__proto__": "TRUE" }'),
      JSON.parse('{ "a": "ä & <b>\\nc", "b": "2026-11-30", "__proto__": "FALSE" }'),
    ],
    notes: [],
  });
});

test("any texts and numbers are read as they were written", async () => {
  const text = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((each) => /^[^\s\p{C}]+$/u.test(each));
  const rows = fc.array(fc.record({ a: text, b: fc.double({ noNaN: true, noDefaultInfinity: true }) }), {
    minLength: 1,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(rows, async (each) => {
      const bytes = await workbookOf({ survey: [["a", "b"], ...each.map(({ a, b }) => [a, b])] });
      const expected = each.map(({ a, b }) => ({ a, b: String(b === 0 ? 0 : b) }));
      expect(await read(bytes)).toEqual({ survey: expected });
    }),
    { numRuns: 50 },
  );
});

test("a form in a workbook becomes a draft", async () => {
  const bytes = await workbookOf({
    survey: [
      ["type", "name", "label"],
      [null, null, null],
      ["integer", "age", "Age"],
      ["osm", "map", "Map"],
    ],
  });
  const { file, report } = await readForeign(bytes);
  expect(file.schema.fields).toEqual([{ id: "age", type: "integer", label: "Age" } as never]);
  expect(report).toMatchObject({ source: "xlsform", converted: 1, items: [{ path: "survey!4" }] });
});

/** A workbook with parts of our making. @param rows XML of the rows of each sheet */
async function archiveOf(
  rows: string,
  { strings = "", styles = "", workbook = "", names = ["survey"] } = {},
) {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { level: 9, useWebWorkers: false });
  const add = (name: string, xml: string) => zip.add(name, new TextReader(xml));
  const sheets = names.map((name, index) => `<sheet name="${name}" r:id="r${index}"/>`).join("");
  const targets = names
    .map((_, index) => `<Relationship Id="r${index}" Target="/xl/worksheets/sheet1.xml"/>`)
    .join("");
  await add("xl/workbook.xml", `<workbook>${workbook}<sheets>${sheets}</sheets></workbook>`);
  await add("xl/_rels/workbook.xml.rels", `<Relationships>${targets}</Relationships>`);
  await add("xl/sharedStrings.xml", `<sst>${strings}</sst>`);
  await add("xl/styles.xml", `<styleSheet>${styles}</styleSheet>`);
  await add("xl/worksheets/sheet1.xml", `<worksheet><sheetData>${rows}</sheetData></worksheet>`);
  return await zip.close();
}

test("days and times by their formats, rich texts without phonetic ones, formulas by their values", async () => {
  const formats = ["yyyy\\-mm\\-dd", "[h]:mm", "0.00", '"days" 0', "General"];
  const styles = `<numFmts>${formats.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code.replaceAll('"', "&quot;")}"/>`).join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${[0, 14, 22, 200, 201, 202, 203, 204].map((id) => `<xf numFmtId="${id}"/>`).join("")}</cellXfs>`;
  const strings =
    "<si><r><t>Fu</t></r><r><rPr><b/></rPr><t xml:space='preserve'> ji_x0041_</t></r><rPh><t>x</t></rPh></si>";
  const cells = Array.from(
    { length: 8 },
    (_, style) => `<c s="${style}"><v>${style === 4 ? 0.5 : 46356.25}</v></c>`,
  ).join("");
  const rows = `<row>${"abcdefghijk".replace(/./g, "<c t='str'><v>$&</v></c>")}</row><x:row>${cells}<c t="s"><v>0</v></c><c><f>1+1</f><v>2</v></c><c t="inlineStr"><is><t>a</t><t>b</t></is></c></x:row>`;
  const [row] = (await read(await archiveOf(rows, { strings, styles }))).survey ?? [];
  expect(Object.values(row ?? {})).toEqual([
    ...["46356.25", "2026-11-30 06:00:00", "2026-11-30 06:00:00", "2026-11-30 06:00:00", "12:00:00"],
    ...["46356.25", "46356.25", "46356.25", "Fu jiA", "2", "ab"],
  ]);
  const old = await archiveOf(
    '<row><c t="str"><v>a</v></c></row><row><c s="1"><v>0.5</v></c></row><row><c s="1"><v>1</v></c></row>',
    { styles, workbook: '<workbookPr date1904="1"/>' },
  );
  expect((await read(old)).survey?.map(({ a }) => a)).toEqual(["1904-01-01 12:00:00", "1904-01-02"]);
});

describe("a workbook that would cost much is refused, or read in bounded memory", () => {
  const megabyte = 1_048_576;
  const value = "<c><v>1</v></c>";
  /** Prints the error of a workbook that is refused, and the most memory that it took. */
  const reader = `const { readWorkbook } = await import("${root}/src/resources/forms/import/workbook.ts");
    const result = await readWorkbook(await Bun.stdin.bytes(), ["survey", "choices"]).catch((error) => error);
    const peak = /VmHWM:\\s*(\\d+)/.exec(await Bun.file("/proc/self/status").text())[1];
    console.log(JSON.stringify({ peak: 1_024 * peak, code: result.code, message: result.message }));`;
  test.each<[what: string, bytes: () => Promise<Uint8Array>, message: RegExp | undefined]>([
    ["no archive", async () => new Uint8Array(1_000), /not a workbook/],
    ["an archive without sheets", () => archiveOf("", { names: [] }), /not a workbook/],
    ["a small bomb", () => archiveOf("x".repeat(100 * megabyte)), /unpacked bytes/],
    [
      "21 sheets",
      () => archiveOf("", { names: Array.from({ length: 21 }, (_, index) => `s${index}`) }),
      /20 sheets/,
    ],
    ["10,001 rows", () => archiveOf(`<row>${value}</row>`.repeat(10_001)), /10,000 rows/],
    [
      "10,000 rows of all sheets",
      () => archiveOf(`<row>${value}</row>`.repeat(5_001), { names: ["survey", "choices"] }),
      /10,000 rows/,
    ],
    [
      "a long text",
      () => archiveOf(`<row><c t="str"><v>${"&amp;".repeat(40_000)}</v></c></row>`),
      /32,767 characters/,
    ],
    [
      "one text many times",
      () =>
        archiveOf(`<row><c t="s"><v>0</v></c></row>`.repeat(9_000), {
          strings: `<si><t>${"a".repeat(30_000)}</t></si>`,
        }),
      /4,000,000 characters/,
    ],
    ["entities", () => archiveOf("", { workbook: '<!DOCTYPE a [<!ENTITY b "bb">]>' }), /declarations/],
    ["millions of tags", () => archiveOf("<c/>".repeat(2_100_000)), /2,000,000 tags/],
    [
      "the last column in each row",
      () => archiveOf(`<row>${value}<c r="XFD1"/></row>`.repeat(10_000)),
      undefined,
    ],
    [
      "columns that are defined often",
      () => archiveOf('</sheetData><cols><col min="1" max="16384"/></cols>'.repeat(200_000)),
      undefined,
    ],
    ["a tag of 20 MiB", () => archiveOf(`<c ${"a".repeat(20 * megabyte)}>`), undefined],
  ])("%s", async (_, bytes, message) => {
    // In a process of its own: memory of other tests would count.
    const { stdout } = Bun.spawnSync([process.execPath, "-e", reader], { stdin: await bytes() });
    const { peak, ...outcome } = JSON.parse(stdout.toString());
    expect(outcome).toEqual(message ? { code: "bad_request", message: expect.stringMatching(message) } : {});
    expect(peak).toBeLessThan(400 * megabyte);
  });

  test("more than 4 MiB", async () => {
    await expect(read(new Uint8Array(4 * megabyte + 1))).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("a file that is damaged anywhere is refused with words, or read", async () => {
    const bytes = await workbookOf({
      survey: [
        ["type", "name"],
        ["text", "a"],
      ],
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, byte) => {
        const damaged = bytes.with(at, byte);
        await read(damaged).catch((error) => expect(error).toMatchObject({ code: "bad_request" }));
      }),
      { numRuns: 500 },
    );
  });
});
