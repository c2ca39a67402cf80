// biome-ignore-all lint/suspicious/noTemplateCurlyInString: questions in XForms
/** Forms of XLSForm, as sheets and as the JSON of pyxform. */
import { describe, expect, test } from "bun:test";
import { importForm } from "../../../src/resources/forms/import/sources.ts";
import { isXlsform } from "../../../src/resources/forms/import/xlsform-rows.ts";
import { convertAll, corpusOf } from "../../import-corpus.ts";

type Row = Record<string, unknown>;
const convert = (survey: Row[], choices: Row[] = [], settings: Row = {}) =>
  importForm({ survey, choices, settings: [settings] }, "xlsform");
const colours = ["red", "blue"].map((name) => ({
  list_name: "colours",
  name,
  label: `<b>${name.toUpperCase()}</b>`,
}));
const options = [
  { value: "red", label: "RED" },
  { value: "blue", label: "BLUE" },
];
const ofFile = { maxItems: 1 };

describe("an XLSForm becomes a draft", () => {
  test.each<[type: string, row: Row, field: Row]>([
    [
      "text",
      { hint: "<b>As</b> in your passport", guidance_hint: "Ask <i>twice</i>", required: "yes" },
      { type: "text", description: "As in your passport", help: "Ask twice", required: true },
    ],
    ["string", { appearance: "w2 multiline" }, { type: "textarea" }],
    ["integer", { default: "7" }, { type: "integer", default: 7 }],
    ["decimal", { required: "true()" }, { type: "number", required: true }],
    [
      "range",
      { parameters: "start=0 end = 10, step=5" },
      { type: "integer", minimum: 0, maximum: 10, multipleOf: 5 },
    ],
    [
      "range",
      { parameters: "start=0.3 end=2.1 step=0.1" },
      { type: "number", minimum: 0.3, maximum: 2.1, multipleOf: 0.1 },
    ],
    [
      "integer",
      { constraint: "((. >= -1) and (. <= 5)) and (. mod 2 = 0) and . != 3" },
      {
        ...{ type: "integer", minimum: -1, maximum: 5, multipleOf: 2 },
        rules: [{ rule: "data.q != 3.0", message: "The value is not accepted." }],
      },
    ],
    ["text", { constraint: "string-length(.) >= 2" }, { type: "text", minLength: 2 }],
    [
      "select_multiple colours",
      { constraint: "count-selected(.) <= 1" },
      { type: "multi_select", options, maxItems: 1 },
    ],
    ["select_one colours", {}, { type: "select", options }],
    ["select one from colours or specify other", {}, { type: "select", options, allowOther: true }],
    [
      "SELECT_MULTIPLE  colours or_other",
      { default: "red blue" },
      { type: "multi_select", options, allowOther: true, default: ["red", "blue"] },
    ],
    ["rank colours", {}, { type: "ranking", options, rankAll: true }],
    ["date", { default: "2026-11-30" }, { type: "date", default: "2026-11-30" }],
    ["time", {}, { type: "time" }],
    ["dateTime", {}, { type: "datetime" }],
    ["image", {}, { type: "file", ...ofFile, accept: ["image/*"] }],
    ["file", {}, { type: "file", ...ofFile }],
    ["acknowledge", {}, { type: "consent" }],
    ["hidden", { default: "x" }, { type: "hidden", default: "x" }],
  ])("%s %j", (type, row, field) => {
    const { file, report } = convert([{ type, name: "q", label: "Q", ...row }], colours);
    expect(file.schema.fields).toEqual([{ id: "q", label: "Q", ...field } as never]);
    expect(report).toMatchObject({ fields: 1, converted: 1, items: [] });
  });

  test("notes, groups and pages are no questions", () => {
    const { file, report } = convert(
      [
        { type: "begin group", name: "first", label: "You", appearance: "field-list" },
        { type: "text", name: "a", label: "A" },
        { type: "note", name: "n", label: "<b>Read</b> this" },
        { type: "end group" },
        { type: "begin_group", name: "second", label: "More", appearance: "field-list" },
        { type: "begin group", name: "inner", label: "Inner", appearance: "field-list" },
        { type: "text", name: "b", label: "B" },
        { type: "end group" },
        { type: "end group" },
        { type: "begin group", name: "unnamed" },
        { type: "text", name: "c", label: "C", disabled: "yes" },
        { type: "end group" },
      ],
      [],
      { form_title: "Sign up", form_id: "x", version: "3" },
    );
    expect(file.name).toBe("Sign up");
    expect(file.schema.fields.map(({ id, type, label }) => `${id} ${type} ${label}`)).toEqual([
      ...["first heading You", "a text A", "n statement Read this"],
      ...["second page_break More", "inner heading Inner", "b text B"],
    ]);
    expect(report).toMatchObject({ fields: 2, converted: 2, items: [] });
  });

  test("a page begins a step, and what follows it begins another", () => {
    const { file, report } = convert([
      { type: "text", name: "a", label: "A" },
      { type: "begin group", name: "g", appearance: "field-list", relevant: "${a} = 'x'" },
      { type: "text", name: "b", label: "B" },
      { type: "end group" },
      { type: "begin group", name: "h", hint: "Not shown" },
      { type: "text", name: "c", label: "C" },
      { type: "end group" },
    ]);
    expect(file.schema.fields.map(({ id, type, label, showIf }) => [id, type, label, showIf])).toEqual([
      ["a", "text", "A", undefined],
      ["g", "page_break", "…", "data.a == 'x'"],
      ["b", "text", "B", "data.a == 'x'"],
      ["page_break", "page_break", "…", undefined],
      ["c", "text", "C", undefined],
    ]);
    expect(report.items).toMatchObject([{ severity: "note", path: "survey[4]", code: "text" }]);
  });

  test("conditions, calculations and constraints are expressions", () => {
    const { file, report } = convert([
      {
        type: "integer",
        name: "age",
        label: "Age",
        constraint: ". >= 18",
        constraint_message: "Adults only.",
      },
      { type: "begin group", name: "g", label: "Adults", relevant: "${age} >= 21" },
      { type: "text", name: "a", label: "A", relevant: "${age} < 99", required: "${age} > 30" },
      { type: "end group" },
      { type: "text", name: "zip", label: "ZIP", constraint: "regex(., '[0-9]{5}')" },
      { type: "calculate", name: "twice", calculation: "${age} * 2" },
    ]);
    expect(file.schema.fields).toEqual([
      {
        id: "age",
        type: "integer",
        label: "Age",
        rules: [{ rule: "data.age >= 18.0", message: "Adults only." }],
      },
      { id: "g", type: "heading", label: "Adults", showIf: "data.age >= 21.0" },
      {
        id: "a",
        type: "text",
        label: "A",
        showIf: "data.age >= 21.0 && data.age < 99.0",
        requireIf: "data.age > 30.0",
      },
      { id: "zip", type: "text", label: "ZIP", pattern: "^(?:[0-9]{5})$" },
      { id: "twice", type: "hidden", label: "twice", compute: "data.age * 2.0" },
    ] as never);
    expect(report).toMatchObject({ fields: 4, converted: 4, items: [] });
  });

  test("what is lost is in the report", () => {
    const { report } = convert(
      [
        { type: "start", name: "start" },
        {
          type: "text",
          name: "a",
          label: "A",
          relevant: "pulldata('x', 'y') = 1",
          default: "today()",
          appearance: "numbers",
        },
        {
          type: "select_one colours",
          name: "b",
          label: "Hello ${a}",
          choice_filter: "x=${a}",
          "media::image": "b.png",
        },
        { type: "geopoint", name: "c", label: "C" },
        { type: "begin repeat", name: "r", label: "Children" },
        { type: "text", name: "d", label: "D" },
        { type: "note", name: "e", label: "E" },
        { type: "end repeat" },
        { type: "select_one_from_file x.csv", name: "f", label: "F" },
        { type: "osm", name: "g", label: "G" },
        {
          type: "text",
          name: "h",
          label: "H",
          required: "yes",
          required_message: "Please!",
          read_only: "yes",
        },
        { type: "text", name: "i", label: "I", read_only: "${a} = 1", parameters: "rows=5" },
        { type: "range", name: "j", label: "J", parameters: "start=1 end=9 step=2" },
        { type: "range", name: "k", label: "K", parameters: "start=${a} tick_interval=2" },
        { type: "integer", name: "l", label: "L", constraint: ". >= 1 and pulldata('x', 'y') = 1" },
        { type: "integer", name: "m", label: "M", constraint: ". mod 2 = 0", constraint_message: "Even!" },
      ],
      [...colours, { list_name: "colours", name: "red", label: "Red", image: "red.png" }, { label: "${a}" }],
      { public_key: "MII", style: "pages" },
    );
    expect(report).toMatchObject({ fields: 12, converted: 0, approximated: 9, leftOut: 3 });
    expect(report.items.map(({ severity, path, code }) => `${severity} ${path} ${code}`).sort()).toEqual([
      "approximated survey[10] setting",
      "approximated survey[10] setting",
      "approximated survey[11] setting",
      "approximated survey[11] setting",
      "approximated survey[12] setting",
      "approximated survey[13] setting",
      "approximated survey[14] rule",
      "approximated survey[15] text",
      "approximated survey[1] condition",
      "approximated survey[1] default",
      "approximated survey[1] setting",
      "approximated survey[2] setting",
      "approximated survey[2] setting",
      "approximated survey[2] setting",
      "approximated survey[3] type",
      "left_out survey[5] repeat",
      "left_out survey[8] options",
      "left_out survey[9] type",
      "note choices options",
      "note choices text",
      "note choices[2] options",
      "note settings.public_key setting",
      "note survey[0] type",
      "note survey[4] repeat",
    ]);
  });

  test("the first language is that of the settings, or else texts without one", () => {
    const row = {
      Type: "text",
      " NAME ": "a",
      "label::English (en)": "Name",
      "label::Deutsch (de)": "Vorname",
    };
    const german = convert([row], [], { default_language: "Deutsch (de)" });
    expect(german.file.schema.fields).toMatchObject([
      { label: "Vorname", translations: { en: { label: "Name" } } },
    ]);
    expect(german.file.settings).toEqual({ languages: ["de", "en"] });
    expect(german.report.items).toEqual([]);
    expect(convert([row]).file.schema.fields[0]?.label).toBe("Name");
    expect(convert([{ ...row, label: "Plain" }]).file.schema.fields[0]?.label).toBe("Plain");
    expect(convert([{ type: "text", name: "a", "label:English": "Old" }]).file.schema.fields[0]?.label).toBe(
      "Old",
    );
  });

  test("the JSON of pyxform is read as sheets are", () => {
    const { file, report } = importForm({
      ...{ type: "survey", name: "s", title: "Survey", default_language: "de" },
      children: [
        {
          type: "select one",
          name: "a",
          label: { en: "A", de: "Ä" },
          list_name: "colours",
          choices: [{ name: "red", label: "Rot" }],
        },
        {
          ...{ type: "group", name: "g", label: "G", bind: { relevant: "selected(${a}, 'red')" } },
          children: [
            {
              type: "range",
              name: "b",
              label: "B",
              parameters: { start: "1", end: "3" },
              bind: { required: "yes" },
            },
          ],
        },
        { type: "rank", name: "c", label: "C", itemset: "colours" },
        {
          ...{ type: "group", name: "meta", control: { bodyless: true } },
          children: [{ type: "calculate", name: "instanceID", bind: { "jr:preload": "uid" } }],
        },
      ],
      choices: { colours },
    });
    expect(file.name).toBe("Survey");
    const showIf = "data.a == 'red'";
    expect(file.schema.fields).toEqual([
      {
        ...{ id: "a", type: "select", label: "Ä", options: [{ value: "red", label: "Rot" }] },
        translations: { en: { label: "A" } },
      },
      { id: "g", type: "heading", label: "G", showIf },
      { id: "b", type: "integer", label: "B", minimum: 1, maximum: 3, multipleOf: 1, required: true, showIf },
      { id: "c", type: "ranking", label: "C", options, rankAll: true },
    ] as never);
    expect(report.fields).toBe(3);
    expect(report.items.map(({ code }) => code)).toEqual(["type"]);
  });

  test("texts in other languages become translations, and a language without a tag is an item", () => {
    const { file, report } = convert(
      [
        { type: "begin group", name: "g", "label::English": "Group", "label::French": "Groupe" },
        {
          ...{
            type: "select_one colours",
            name: "a",
            "label::English": "Colour",
            "label::French": "Couleur",
          },
          ...{ "hint::English": "One", "hint::French": "Une", "hint::Klingonese": "wa’" },
          "label::Arabic (ar)": "<b>لون</b>",
        },
        {
          type: "select_multiple colours",
          name: "b",
          "label::English": "Colours",
          "label::fr_CA": "Couleurs",
        },
        {
          ...{ type: "integer", name: "c", "label::English": "Age", constraint: ". != 3" },
          ...{ "constraint_message::English": "Not 3.", "constraint_message::French": "Pas 3." },
        },
        { type: "end group" },
      ],
      [
        { list_name: "colours", name: "r", "label::English": "Red", "label::French": "Rouge" },
        { list_name: "colours", name: "1", "label::English": "Blue", "label::Arabic (ar)": "أزرق" },
      ],
      { default_language: "English" },
    );
    const labels = { fr: { options: { r: "Rouge" } }, ar: { options: { 1: "أزرق" } } };
    expect(file.settings).toEqual({ languages: ["en", "fr", "ar", "fr-CA"] });
    expect(file.schema.fields.map(({ translations }) => translations)).toEqual([
      { fr: { label: "Groupe" } },
      { fr: { label: "Couleur", description: "Une", ...labels.fr }, ar: { label: "لون", ...labels.ar } },
      { ...labels, "fr-CA": { label: "Couleurs" } },
      { fr: { messages: ["Pas 3."] } },
    ]);
    expect(report.items.map(({ message }) => message)).toEqual([
      "Texts in other languages are left out: “Klingonese”",
    ]);
  });
});

test("work is bounded by the form, however often its lists and conditions are used", () => {
  const times = (count: number, row: (index: number) => Row) =>
    Array.from({ length: count }, (_, index) => row(index));
  const condition = times(80, (index) => ({ is: `\${a} = ${index}` }))
    .map(({ is }) => is)
    .join(" or ");
  const started = performance.now();
  convert([
    { type: "integer", name: "a" },
    ...times(5_000, () => ({ type: "begin group", label: "G", relevant: "${a} = 1" })),
    ...times(5_000, (index) => ({ type: "text", name: `t${index}` })),
  ]);
  convert([
    { type: "integer", name: "a" },
    ...times(15, () => ({ type: "begin group", label: "G", relevant: condition })),
    ...times(500, () => ({ type: "text" })),
  ]);
  convert([
    { type: "range", parameters: "a".repeat(900_000) },
    { type: `select_one${" or other".repeat(90_000)}` },
  ]);
  const { report } = convert(
    times(500, () => ({ type: "select_one a" })),
    times(4_000, (index) => ({ list_name: "a", name: `c${index}` })),
  );
  expect(report).toMatchObject({ converted: 3, leftOut: 497 });
  expect(performance.now() - started).toBeLessThan(10_000);
});

describe("forms of pyxform's tests", () => {
  test("at least 85 % of the questions outside repeats are kept, and every draft can be published", () => {
    const documents = corpusOf("xlsform").filter(({ document }) => isXlsform(document));
    expect(documents.length).toBeGreaterThan(580);
    const { fields, converted, approximated, items } = convertAll("xlsform", documents);
    const repeated = items.filter(
      ({ severity, code }) => severity === "left_out" && code === "repeat",
    ).length;
    expect((converted + approximated) / (fields - repeated)).toBeGreaterThanOrEqual(0.85);
  });
});
