/** The CSV of a form's translations: written, changed as spreadsheets and people do, and read back. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../src/limits.ts";
import { textsOfForm } from "../../src/resources/forms/form-texts.ts";
import { planOfTranslations } from "../../src/resources/forms/language-operations.ts";
import type { FormRow } from "../../src/resources/forms/shapes.ts";
import {
  type ReadTranslations,
  readTranslations,
  writeTranslations,
} from "../../src/resources/forms/translation-csv.ts";
import { normalText } from "../../src/resources/forms/translation-operations.ts";
import { withGuards, withoutGuards } from "../../src/resources/submissions/csv.ts";
import type { UnreadCsv } from "../../src/resources/submissions/csv-table.ts";
import { generatedCases } from "../generated.ts";
import { blockOf } from "../pages.ts";

type Draft = Pick<FormRow, "schema" | "settings">;

/** Texts with all that a CSV, a spreadsheet or JSON could read as something else. */
const part = fc.constantFrom(..."=|+|-|@|'|\"|;|,|\t|\r\n|\n|1,5| |ä|نص|😀|__proto__|place|x".split("|"));
const textArbitrary = fc
  .array(part, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""))
  .filter((text) => text.trim() !== "");
/** Texts that a person may enter: an apostrophe before a sign of a formula is read as the guard. */
const enteredArbitrary = textArbitrary
  .map(normalText)
  .filter((text) => withoutGuards(withGuards(text)) === text && withoutGuards(text) === text);

const languages = ["en", "de", "ar"];
const translationsArbitrary = (keys: string[]) =>
  fc.record(
    { label: textArbitrary, options: fc.dictionary(fc.constantFrom(...keys), textArbitrary) },
    { requiredKeys: [] },
  );
const fieldArbitrary = fc.uniqueArray(textArbitrary, { minLength: 1, maxLength: 4 }).chain((keys) =>
  fc.record({
    label: textArbitrary,
    description: textArbitrary,
    options: fc.constant(keys.map((value) => ({ value, label: `Label ${value}` }))),
    translations: fc.record(
      { de: translationsArbitrary(keys), ar: translationsArbitrary(keys) },
      { requiredKeys: [] },
    ),
    rules: fc.constant([{ rule: "true" }, { rule: "true", message: "Never" }]),
  }),
);
const draftArbitrary: fc.Arbitrary<Draft> = fc
  .record({ fields: fc.array(fieldArbitrary, { minLength: 1, maxLength: 4 }), thankYou: textArbitrary })
  .map(({ fields, thankYou }) => ({
    schema: { fields: fields.map((field, index) => ({ ...field, id: index === 0 ? "a;=b" : `f${index}` })) },
    settings: { languages, page: { thankYou, translations: { ar: { thankYou: "شكرا" } } } },
  }));

/** The texts of a form in its other languages, by place and language. */
const stateOf = (draft: Draft): Record<string, string> =>
  Object.fromEntries(
    textsOfForm(draft).flatMap((text) =>
      languages.slice(1).map((tag) => [`${text.place} ${tag}`, normalText(text.in(tag) ?? "")]),
    ),
  );

const planOf = (draft: Draft, changes: ReadTranslations["changes"]) =>
  planOfTranslations({ ...draft, name: "Form", description: null, currentVersion: 0 }, changes);

const applied = ({ settings, schema }: Draft, { changes }: ReadTranslations): Draft => {
  const { operations, fields } = planOf({ schema, settings }, changes);
  const meta = operations.find(({ op }) => op === "setMeta") as
    | { settings?: FormRow["settings"] }
    | undefined;
  const patch = meta?.settings?.page?.translations ?? {};
  const before = settings.page?.translations ?? {};
  const translations = Object.fromEntries(
    languages.slice(1).map((tag) => [tag, { ...before[tag], ...patch[tag] }]),
  );
  return { schema: { fields }, settings: { ...settings, page: { ...settings.page, translations } } };
};

const requireRead = (read: ReadTranslations | UnreadCsv): ReadTranslations => {
  if ("kind" in read) throw new Error(JSON.stringify(read));
  return read;
};
const bytesOf = (text: string) => Buffer.from(text);

interface Style {
  separator: string;
  lineEnd: string;
  isQuoted: boolean;
  bom: string;
}
const styleArbitrary: fc.Arbitrary<Style> = fc.record({
  separator: fc.constantFrom(",", ";", "\t"),
  lineEnd: fc.constantFrom("\r\n", "\n", "\r"),
  isQuoted: fc.boolean(),
  bom: fc.constantFrom("", "\ufeff"),
});
/** A CSV as a program writes it that knows nothing of formulas. */
const csvOf = (rows: string[][], { separator, lineEnd, isQuoted, bom }: Style): string =>
  bom +
  rows
    .map((cells) =>
      cells
        .map((cell) => (isQuoted || /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(separator),
    )
    .join(lineEnd);

test("a file that comes back as it was changes nothing and reports nothing", () => {
  fc.assert(
    fc.property(draftArbitrary, fc.constantFrom(",", ";"), (draft, separator) => {
      const read = readTranslations(draft, bytesOf(writeTranslations(draft, separator as "," | ";")));
      expect(read).toEqual({ changes: [], notApplied: [] });
    }),
    { numRuns: generatedCases(2000) },
  );
});

/** A change of a row by a person: of a cell, or a mistake, by the kind that is reported. */
const changeArbitrary = fc.oneof(
  fc.record({ kind: fc.constantFrom("de", "ar"), text: enteredArbitrary }),
  fc.record({
    kind: fc.constantFrom("empty", "place", "placeTwice", "changed", "cells", "blank", "longer"),
    text: fc.constant(""),
  }),
);

test("each row of a changed file is applied to the cell, or is reported; nothing else changes", () => {
  fc.assert(
    fc.property(
      draftArbitrary,
      fc.array(fc.tuple(fc.nat(), changeArbitrary), { maxLength: 8 }),
      styleArbitrary,
      fc.boolean(),
      (draft, changes, style, isTurned) => {
        const expected = stateOf(draft);
        const reported: string[] = [];
        const texts = textsOfForm(draft);
        const rows: string[][] = texts.map((text) => [
          ...[text.place, text.text, text.in("de") ?? "", text.in("ar") ?? "", ""].map(withGuards),
        ]);
        const used = new Set<number>();
        for (const [at, { kind, text }] of changes) {
          const index = at % texts.length;
          const row = rows[index];
          const found = texts[index];
          if (used.has(index) || !row || !found) continue;
          used.add(index);
          if (kind === "de" || kind === "ar") {
            row[kind === "de" ? 2 : 3] = withGuards(text);
            expected[`${found.place} ${kind}`] = text;
          } else if (kind === "empty") row[2] = row[3] = "";
          else if (kind === "blank") rows.push(["", " ", "", "", ""]);
          else if (kind === "longer") row.push("", " ");
          else {
            if (kind === "place") row[0] += ".unknown";
            if (kind === "changed") row[1] += " changed";
            if (kind === "cells") row.push("one more");
            if (kind === "placeTwice") rows.push([...row.slice(0, 2), "twice", "twice", ""]);
            else row[2] = row[3] = "not applied";
            reported.push(kind);
          }
        }
        const table = [["Place", "default", "DE", "ar", "fr"], ...rows];
        const ordered = isTurned
          ? table.map((cells) => [...cells.slice(0, 5).toReversed(), ...cells.slice(5)])
          : table;
        const read = requireRead(readTranslations(draft, bytesOf(csvOf(ordered, style))));
        expect(read.notApplied.map(({ kind }): string => kind).toSorted()).toEqual(
          ["column", ...reported].toSorted(),
        );
        expect(stateOf(applied(draft, read))).toEqual(expected);
      },
    ),
    { numRuns: generatedCases(3000) },
  );
});

test("a file with any sign removed or added changes only texts of the form, or is refused", () => {
  fc.assert(
    fc.property(draftArbitrary, fc.nat(), part, fc.boolean(), (draft, at, sign, isAdded) => {
      const csv = writeTranslations(draft, ",");
      // The first row says which cell is where.
      const first = csv.indexOf("\n") + 1;
      const index = first + (at % (csv.length - first));
      const broken = csv.slice(0, index) + (isAdded ? sign : "") + csv.slice(index + (isAdded ? 0 : 1));
      const read = readTranslations(draft, bytesOf(broken));
      if ("kind" in read) return;
      const places = textsOfForm(draft).map(({ place }) => place);
      for (const { text, language, translation } of read.changes) {
        expect(places).toContain(text.place);
        expect(languages.slice(1)).toContain(language);
        expect(translation).not.toBe("");
      }
      // One sign is in one cell, or it joins or divides two rows.
      expect(read.changes.length).toBeLessThanOrEqual(languages.length - 1);
    }),
    { numRuns: generatedCases(3000) },
  );
});

const one: Draft = {
  schema: { fields: [{ id: "a", label: "A", rules: [{ rule: "true", message: "No" }] }] },
  settings: { languages, page: { submitLabel: "Send" } },
};

test("the example of the documentation fits its field: the file changes nothing", () => {
  const page = "docs/owners/languages.md";
  const draft: Draft = {
    schema: { fields: [JSON.parse(blockOf(page, "json"))] },
    settings: {
      languages: ["en", "de", "fr"],
      page: { thankYou: "Thank you.", translations: { de: { thankYou: "Danke." } } },
    },
  };
  const csv = blockOf(page, "csv");
  expect(readTranslations(draft, bytesOf(csv))).toEqual({ changes: [], notApplied: [] });
  expect(writeTranslations(draft, ",")).toBe(`\ufeff${csv.trimEnd().replaceAll("\n", "\r\n")}\r\n`);
});

test.each(["sep=,\r\n", "SEP=,\n", '"sep=,"\r'])(
  "a first line %j, of the separator alone, is no row",
  (line) => {
    const csv = `\ufeff${line}place,default,de\r\npage.submitLabel,Send,Los\r\nx,y,`;
    const read = requireRead(readTranslations(one, bytesOf(csv)));
    expect(read.changes).toMatchObject([{ translation: "Los" }]);
    expect(read.notApplied).toEqual([{ kind: "place", row: 3, name: "x" }]);
  },
);

test("columns and texts that do not fit are named, with their rows", () => {
  const csv = "place,default,xx,en,de,DE\npage.submitLabel,Send,,,%,\nfields.a.messages.0,No,,,Nein,x\n";
  const long = "x".repeat(limits.formPage.maxLabelLength + 1);
  const read = requireRead(readTranslations(one, bytesOf(csv.replace("%", long))));
  expect(read.notApplied).toMatchObject([
    { kind: "column", name: "xx" },
    { kind: "ownColumn", name: "en" },
    { kind: "columnTwice", name: "DE" },
    { kind: "invalid", row: 2, language: "de", fault: limits.formPage.maxLabelLength },
  ]);
  expect(planOf(one, read.changes).fields).toMatchObject([{ translations: { de: { messages: ["Nein"] } } }]);
});

test("a file without the columns, with too many rows, with a wrong quotation mark or no text is not read", () => {
  const rows = (count: number) => bytesOf(`place,default,de\n${"x,y,z\n".repeat(count)}`);
  const { maxRows } = limits.translations;
  expect(requireRead(readTranslations(one, rows(maxRows))).notApplied).toHaveLength(maxRows);
  const files: [Uint8Array, object][] = [
    [rows(maxRows + 1), { kind: "rows" }],
    [bytesOf("place,de\n"), { kind: "noColumns" }],
    [bytesOf(""), { kind: "noColumns" }],
    [bytesOf('place,default,de\nx,"y"z,\n'), { kind: "quotes", row: 2 }],
    [bytesOf('place,default,de\n\nx,"y'), { kind: "quotes", row: 3 }],
    [bytesOf("place,default\0"), { kind: "noText" }],
    [Buffer.from("place,default,de\nä", "latin1"), { kind: "noText" }],
    [Buffer.from("\ufeffplace\tdefault", "utf16le"), { kind: "noText" }],
  ];
  for (const [bytes, refusal] of files) expect(readTranslations(one, bytes)).toEqual(refusal as never);
});

test("10,000 choices in five languages are written, read and planned in a second", () => {
  const options = Array.from({ length: 10_000 }, (_, index) => `o${index}`);
  const draft: Draft = {
    schema: { fields: [{ id: "a", label: "A", options }] },
    settings: { languages: ["en", "de", "fr", "es", "ar"] },
  };
  const csv = writeTranslations(draft, ",").replaceAll(/,,,,\r\n/g, ",a,b,c,d\r\n");
  const start = process.cpuUsage();
  const { changes, notApplied } = requireRead(readTranslations(draft, bytesOf(csv)));
  const { fields } = planOf(draft, changes);
  const { user } = process.cpuUsage(start);
  expect([changes.length, notApplied]).toEqual([40_004, []]);
  expect(Object.keys(Object(fields[0]?.translations).ar.options)).toHaveLength(10_000);
  expect(user / 1000).toBeLessThan(1000);
});
