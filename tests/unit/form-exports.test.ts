// biome-ignore-all lint/suspicious/noTemplateCurlyInString: questions in XForms
/** Forms in the formats of other programs: XLSForm and JSON Schema. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readXlsx } from "hucre/xlsx";
import { compileExpression, scopeOf } from "../../src/fields/conditions/evaluate.ts";
import { parse } from "../../src/fields/conditions/parse.ts";
import { printExpression } from "../../src/fields/conditions/print.ts";
import { parseField } from "../../src/fields/definition.ts";
import { jsonSchemaFileOf } from "../../src/resources/forms/export/json-schema.ts";
import { xlsformOf, xlsformRows } from "../../src/resources/forms/export/xlsform.ts";
import { xpathOf } from "../../src/resources/forms/export/xpath.ts";
import { type FileContent, writeFormFile } from "../../src/resources/forms/file.ts";
import { xpath } from "../../src/resources/forms/import/dialects.ts";
import { beginDraft } from "../../src/resources/forms/import/draft.ts";
import { foreignExpression } from "../../src/resources/forms/import/expressions.ts";
import { importForm } from "../../src/resources/forms/import/sources.ts";
import { conditionalForms } from "../conditional-forms.ts";
import { samples } from "../form-arbitraries.ts";
import { seed } from "../generated.ts";

const some = fc.constantFrom;
const questions = [
  { id: "name", type: "text", values: ["x", "yes"] },
  { id: "nick", type: "text", values: ["x", "y"] },
  { id: "age", type: "number", values: [0, 2, 18, -1] },
  { id: "price", type: "number", values: [0, 2, 3.5] },
  { id: "ok", type: "boolean", values: [true, false] },
  { id: "kind", type: "select", options: ["person", "firm"], values: ["person", "firm"] },
  { id: "langs", type: "multi_select", options: ["en", "de"], values: [["en"], ["de", "en"]] },
  { id: "from", type: "date", values: ["2020-01-01", "2021-01-01"] },
  { id: "to", type: "date", values: ["2020-01-01", "2022-01-01"] },
];
const leaves = [
  ...questions.map(({ id }) => `has(data.${id})`),
  ...["data.name == 'x'", "data.name != 'x'", "data.name == data.nick", "data.name != data.nick"],
  ...["data.age < 18.0", "data.age != 2.0", "data.age > data.price", "data.age * 2.0 + 1.0 >= data.price"],
  ...[
    "data.ok",
    "data.ok == false",
    "data.kind == 'firm'",
    "data.kind in ['firm', 'person']",
    "'en' in data.langs",
  ],
  ...["size(data.langs) < 2", "size(data.name) >= 1", "data.name.contains('e')", "data.name.startsWith('y')"],
  ...["data.from < data.to", "data.from >= '2020-06-01'", "math.abs(data.age) == 1.0"],
  ...["(has(data.age) ? data.age : 0.0) < 1.0", "data.name + data.nick == 'xy'", "-data.age > 0.0"],
];
const conditions = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    some(...leaves),
    fc.tuple(tie("condition"), some(" && ", " || "), tie("condition")).map((parts) => `(${parts.join("")})`),
    fc.tuple(tie("condition"), tie("condition"), tie("condition")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    tie("condition").map((each) => `!(${each})`),
  ),
})).condition;
const values = fc.record(
  Object.fromEntries(questions.map(({ id, values }) => [id, some<unknown>(...values)])),
  { requiredKeys: [] },
);

const fields = new Map(
  questions.map(({ values: _, ...field }) => [field.id, parseField({ ...field, label: field.id })]),
);
const scope = {
  field: (id: string) => fields.get(id),
  name: (id: string) => id,
  option: (_: string, value: unknown) => String(value),
};
function draftOf() {
  const draft = beginDraft("test");
  for (const { id, type, options } of questions) {
    const origin = { path: id, key: id, label: id };
    // XLSForm has no type for yes and no.
    if (type === "boolean") draft.question(origin, { type: "select" }, { options: ["true", "false"] });
    else draft.question(origin, { type }, { options });
  }
  return draft;
}

describe("a condition as XPath", () => {
  test.each([
    ["data.name != 'x'", "(${name} != '' and ${name} != 'x')"],
    ["!has(data.name) || data.name != 'x'", "(${name} = '' or ${name} != 'x')"],
    ["data.age > 18.0 && data.ok", "(${age} > 18 and ${ok} = 'true')"],
    ["!('en' in data.langs)", "(${langs} != '' and not(selected(${langs}, 'en')))"],
    ["data.from >= '2020-01-01'", "${from} >= date('2020-01-01')"],
    ["data.name < 'x'", undefined],
    ["data.langs == ['en']", undefined],
    [`data.name == 'it\\'s "x"'`, undefined],
  ])("%s", (source, expected) => {
    expect(xpathOf(parse(source), "condition", scope)).toBe(expected as string);
  });

  test("means the same when it is read again, also where values are absent", () => {
    fc.assert(
      fc.property(conditions, some("condition", "rule"), values, (source, use, data) => {
        const written = xpathOf(parse(source), use as "condition", scope, "name");
        const draft = draftOf();
        const own = use === "rule" ? { name: "x", ...data } : data;
        // An expression of formd is bounded, and XPath has to say more.
        fc.pre((written?.length ?? 0) < 500);
        const again = foreignExpression(written ?? "", xpath, draft, use as "condition", draft.find("name"));
        const texts = { ...own, ...("ok" in own && { ok: String(own.ok) }) };
        const results = [
          compileExpression(parse(source))(scopeOf({ ...own })),
          again && compileExpression(again)(scopeOf(texts)),
        ];
        const kept = results.map((result) => (use === "rule" ? result !== false : result === true));
        expect([written, again && printExpression(again), kept[1]]).toEqual([
          written,
          expect.any(String),
          kept[0],
        ]);
      }),
      { numRuns: 2_000 },
    );
  });
});

const contentOf = (...fields: FileContent["schema"]["fields"]): FileContent => ({
  ...{ name: "A “form” & more", description: null, settings: {} },
  schema: { fields: fields.map((field) => ({ label: `Question ${field.id}`, ...field })) },
});
/** A row without the columns that are not set. */
const shown = (row: object) =>
  Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== undefined));
const conditional = conditionalForms(2).map(({ fields }) => contentOf(...(fields as typeof questions)));
const forms = samples(8).map(({ fields }) => contentOf(...(fields as FileContent["schema"]["fields"])));

describe("XLSForm", () => {
  test("has questions, pages, choices and logic", () => {
    const { survey, choices, settings, lost } = xlsformRows({
      ...contentOf(
        {
          id: "kind",
          type: "radio",
          options: [{ value: "a b", label: "A and ${b}", limit: 3 }, "a_b"],
          required: true,
        },
        { id: "ok", type: "checkbox" },
        { id: "p", type: "page_break", showIf: "data.kind == 'a b'" },
        { id: "7", type: "integer", minimum: 1, placeholder: "1", requireIf: "data.ok" },
        { id: "twice", type: "hidden", compute: "data['7'] * 2.0" },
        {
          ...{ id: "why", type: "textarea", help: "Help", maxLength: 9, showIf: "!('7' in data)" },
          rules: [{ rule: "data.why != data.kind", message: "Not the kind." }],
        },
        { id: "home", type: "address" },
        {
          ...{ id: "grid", type: "matrix", columns: ["yes"] },
          rows: [{ id: "r", label: "Row" }],
        },
        { id: "hint", type: "statement", agentHint: "A" },
        { id: "line", type: "divider" },
      ),
      description: "D",
      settings: { page: { title: "T" } },
    });
    expect(survey.slice(0, 9).map(shown)).toEqual([
      { type: "begin_group", appearance: "field-list", name: "page" },
      { type: "select_one kind", name: "kind", label: "Question kind", required: "yes" },
      { type: "select_one formd_yes_no", name: "ok", label: "Question ok" },
      { type: "end_group" },
      {
        type: "begin_group",
        appearance: "field-list",
        name: "p",
        label: "Question p",
        relevant: "${kind} = 'a_b'",
      },
      { type: "integer", name: "_7", label: "Question 7", constraint: ". >= 1", required: "${ok} = 'true'" },
      { type: "calculate", name: "twice", calculation: "(${_7} * 2)" },
      {
        ...{
          type: "text",
          name: "why",
          label: "Question why",
          guidance_hint: "Help",
          appearance: "multiline",
        },
        ...{
          relevant: "${_7} = ''",
          constraint: "(string-length(.) <= 9) and ((${kind} = '' or . != ${kind}))",
        },
        constraint_message: "Not the kind.",
      },
      { type: "text", name: "home_line1", label: "Question home: line1" },
    ]);
    expect(survey.slice(-3).map(({ type, label }) => [type, label])).toEqual([
      ["select_one grid", "Question grid: Row"],
      ["note", "Question hint"],
      ["end_group", undefined],
    ]);
    expect(choices.map(({ list_name, name, label }) => [list_name, name, label])).toEqual([
      ["kind", "a_b", "A and $ {b}"],
      ["kind", "a_b_", "a_b"],
      ["grid", "yes", "yes"],
      ["formd_yes_no", "true", "Yes"],
      ["formd_yes_no", "false", "No"],
    ]);
    expect(settings).toEqual([{ form_title: "A “form” & more", form_id: "A__form____more", style: "pages" }]);
    expect(lost).toEqual([
      "The form loses its description.",
      "The form loses settings.page.",
      "“Question kind” has the value a_b for a b.",
      "“Question kind” has the value a_b_ for a_b.",
      "“Question 7” has the name _7.",
      "“Question kind” loses limit.",
      "“Question 7” loses placeholder.",
      "“Question twice” loses label.",
      "“Question home” is one question for each part.",
      "“Question grid” is one question for each row.",
      "“Question hint” loses agentHint.",
      "“Question line” is left out.",
    ]);
  });

  test("names differ, and each reference and list has its row, whatever the form", () => {
    fc.assert(
      fc.property(fc.oneof(forms, conditional), (form) => {
        const { survey, choices } = xlsformRows(form);
        const names = survey.flatMap(({ name = [] }) => name);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z_][\w.-]*$/);
        const references = [...JSON.stringify(survey).matchAll(/\$\{(.*?)\}/g)].map(([, name]) => name ?? "");
        expect(references.filter((name) => !names.includes(name))).toEqual([]);
        const lists = survey.flatMap(({ type = "" }) => /^(?:select_\w+|rank) (\S+)/.exec(type)?.[1] ?? []);
        const known = choices.map(({ list_name }) => list_name);
        expect(lists.filter((list) => !known.includes(list))).toEqual([]);
        for (const list of lists) {
          const values = choices.filter(({ list_name }) => list_name === list).map(({ name }) => name);
          expect(new Set(values).size).toBe(values.length);
        }
      }),
    );
  });

  test("the workbook has the rows", async () => {
    await fc.assert(
      fc.asyncProperty(forms, async (form) => {
        const { bytes } = await xlsformOf(form);
        const { sheets } = await readXlsx(bytes);
        expect(sheets.map(({ name }) => name)).toEqual(["survey", "choices", "settings"]);
        const [headers = [], ...rows] = sheets[0]?.rows ?? [];
        const read = rows.map((row) =>
          shown(Object.fromEntries(headers.map((name, at) => [name, row[at] || undefined]))),
        );
        expect(read).toEqual(xlsformRows(form).survey.map(shown));
      }),
      { numRuns: 20 },
    );
  });
});

/** pyxform is what ODK and Kobo read XLSForm with. */
const script = `
import json, sys
from pyxform.xls2xform import convert
for path in json.load(sys.stdin): convert(xlsform=path, validate=False, warnings=[])
`;
const python = (code: string, input = "[]") =>
  spawnSync("python3", ["-c", code], { input, encoding: "utf8" });
const hasPyxform = python("import pyxform").status === 0;

test.skipIf(!hasPyxform)(
  "pyxform accepts the workbooks (skipped without: pip install pyxform)",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "formd-xlsform-"));
    try {
      const paths = fc
        .sample(fc.oneof(forms, conditional), { numRuns: 30, seed })
        .map(async (form, index) => {
          const path = join(folder, `${index}.xlsx`);
          await writeFile(path, (await xlsformOf(form)).bytes);
          return path;
        });
      expect(python(script, JSON.stringify(await Promise.all(paths)))).toMatchObject({
        status: 0,
        stderr: "",
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  60_000,
);

test("JSON Schema has hints that make the same form again", () => {
  fc.assert(
    fc.property(forms, (form) => {
      const { properties, "x-formd": hints } = JSON.parse(JSON.stringify(jsonSchemaFileOf(form)));
      const fields = hints.order.map((id: string) => ({ id, ...properties[id]["x-formd"] }));
      expect(writeFormFile({ ...form, schema: { fields } })).toBe(writeFormFile(form));
    }),
  );
});

test("an XLSForm has a column for each language, and is read back with its translations", () => {
  const translations = {
    de: { label: "Größe", description: "Eine", options: { s: "klein" }, messages: ["Nein."] },
    "zh-Hant": { label: "尺寸" },
  };
  const size = { id: "size", type: "select", label: "Size", description: "One", options: ["s", "m"] };
  const rules = [{ rule: "data.size != 'm'", message: "No." }];
  const note = { id: "n", type: "statement", label: "Note", translations: { de: { label: "Hinweis" } } };
  const settings = { languages: ["en", "de", "zh-Hant"] };
  const rows = xlsformRows({
    ...{ name: "F", description: null, settings },
    schema: { fields: [{ ...size, rules, translations }, note] },
  });
  expect(rows.lost).toEqual([]);
  const { file, report } = importForm({ ...rows }, "xlsform");
  expect([file.settings, report.items]).toEqual([settings, []]);
  expect(file.schema.fields.map((field) => field.translations)).toEqual([translations, note.translations]);
});
