import { describe, expect, test } from "bun:test";
import { importForm } from "../../../src/resources/forms/import/sources.ts";
import { convertAll, corpusOf } from "../../import-corpus.ts";

type Members = Record<string, unknown>;

const convert = (elements: unknown[], members: Members = {}) => importForm({ elements, ...members });
const fieldsOf = (elements: unknown[], members?: Members) => convert(elements, members).file.schema.fields;
const itemsOf = (elements: unknown[], members?: Members) => convert(elements, members).report.items;

const ab = [
  { value: "a", label: "a" },
  { value: "b", label: "Bee" },
];
const choices = ["a", { value: "b", text: "Bee" }];

describe("a question of SurveyJS", () => {
  test.each<[element: Members, field: Members]>([
    [
      { type: "text", title: "Name", isRequired: true, placeholder: "Ada", maxLength: 9 },
      { type: "text", label: "Name", required: true, placeholder: "Ada", maxLength: 9 },
    ],
    [{ type: "text", inputType: "email" }, { type: "email" }],
    [{ type: "text", validators: [{ type: "email" }] }, { type: "email" }],
    [{ type: "text", inputType: "tel" }, { type: "phone" }],
    [{ type: "text", inputType: "url" }, { type: "url" }],
    [
      { type: "text", inputType: "date", min: "2026-01-01" },
      { type: "date", minimum: "2026-01-01" },
    ],
    [{ type: "text", inputType: "datetime-local" }, { type: "datetime" }],
    [{ type: "text", inputType: "time" }, { type: "time" }],
    [
      { type: "text", inputType: "number", validators: [{ type: "numeric", minValue: 1, maxValue: 5 }] },
      { type: "number", minimum: 1, maximum: 5 },
    ],
    [
      { type: "text", validators: [{ type: "numericvalidator", minValue: 18 }] },
      { type: "number", minimum: 18 },
    ],
    [
      { type: "comment", validators: [{ type: "text", minLength: 2, maxLength: 500 }] },
      { type: "textarea", minLength: 2, maxLength: 500 },
    ],
    [
      { type: "text", validators: [{ type: "regex", regex: "^[A-Z]+$" }] },
      { type: "text", pattern: "^[A-Z]+$" },
    ],
    [
      { type: "radiogroup", choices },
      { type: "select", options: ab },
    ],
    [
      { type: "dropdown", choices, showOtherItem: true, defaultValue: "a" },
      { type: "select", options: ab, allowOther: true, default: "a" },
    ],
    [
      { type: "checkbox", choices, showNoneItem: true, maxSelectedChoices: 2 },
      { type: "multi_select", options: [...ab, { value: "none", label: "None" }], maxItems: 2 },
    ],
    [
      { type: "tagbox", choices, validators: [{ type: "answercount", minCount: 1, maxCount: 2 }] },
      { type: "multi_select", options: ab, minItems: 1, maxItems: 2 },
    ],
    [
      { type: "ranking", choices },
      { type: "ranking", options: ab },
    ],
    [
      { type: "boolean", isRequired: true },
      { type: "boolean", required: true },
    ],
    [
      { type: "rating", rateMin: 0, rateMax: 10, minRateDescription: "No", maxRateDescription: "Yes" },
      { type: "rating", minimum: 0, maximum: 10, minimumLabel: "No", maximumLabel: "Yes" },
    ],
    [
      { type: "rating", rateValues: choices },
      { type: "select", options: ab },
    ],
    [
      { type: "matrix", rows: ["r"], columns: choices, eachRowRequired: true },
      {
        type: "matrix",
        rows: [{ id: "r", label: "r" }],
        columns: ab.map(({ value, label }) => ({ id: value, label })),
        ...{ required: true, allRows: true },
      },
    ],
    [
      { type: "file", acceptedTypes: "image/*,application/pdf", maxSize: 1024 },
      { type: "file", accept: ["image/*", "application/pdf"], maxBytes: 1024, maxItems: 1 },
    ],
  ])("%j is %j, and nothing is lost", (element, field) => {
    const { file, report } = convert([{ name: "q", ...element }]);
    expect(file.schema.fields).toEqual([{ id: "q", label: "q", ...field }]);
    expect(report).toEqual({
      ...{ source: "surveyjs", fields: 1, converted: 1, approximated: 0, leftOut: 0, items: [] },
    });
  });

  test.each<[element: Members, type: string]>([
    [{ type: "text", inputType: "color" }, "text"],
    [{ type: "imagepicker", choices: [{ value: 1, imageLink: "https://example.com/1.png" }] }, "select"],
    [{ type: "imagepicker", choices: [{ value: 1 }], multiSelect: true }, "multi_select"],
    [{ type: "dropdown", choicesByUrl: { url: "https://example.com" } }, "text"],
    [{ type: "text", maskType: "pattern" }, "text"],
    [{ type: "text", enableIf: "{a} = 1" }, "text"],
    [{ type: "checkbox", choices: [{ value: "a", visibleIf: "{b} = 1" }] }, "multi_select"],
    [{ type: "text", visible: false }, "text"],
    [{ type: "text", validators: [{ type: "own" }] }, "text"],
    [{ type: "comment", validators: [{ type: "numeric" }] }, "textarea"],
    [{ type: "text", validators: [{ type: "regex", regex: "^a", text: "Begin with a." }] }, "text"],
    [{ type: "text", isRequired: true, requiredErrorText: "Your name!" }, "text"],
    [{ type: "dropdown", choices: ["a", { value: "a", text: "Again" }] }, "select"],
    [{ type: "matrix", rows: ["r", "r"], columns: ["a"] }, "matrix"],
    [{ type: "file", acceptedTypes: ".pdf" }, "file"],
    [{ type: "expression", expression: "today()" }, "hidden"],
  ])("%j is kept with an item", (element, type) => {
    const { file, report } = convert([{ name: "q", ...element }]);
    expect(file.schema.fields).toMatchObject([{ id: "q", type }]);
    expect(report).toMatchObject({ fields: 1, converted: 0, approximated: 1, leftOut: 0 });
    expect(report.items.every(({ path }) => path === "elements[0]")).toBe(true);
  });

  test.each(["signaturepad", "matrixdropdown", "own", "__proto__"])(
    "%s is left out, with its name",
    (type) => {
      const { file, report } = convert([{ type, name: "q", title: "Here" }]);
      expect(file.schema.fields).toEqual([]);
      expect(report).toMatchObject({
        fields: 1,
        leftOut: 1,
        items: [{ severity: "left_out", code: "type" }],
      });
      expect(report.items[0]?.message).toStartWith("“Here”: ");
    },
  );

  test("questions of a list are left out one by one, and the list is an item", () => {
    const templateElements = [
      { type: "text", name: "a" },
      { type: "panel", elements: [{ type: "text", name: "b" }] },
    ];
    const columns = [{ name: "c", cellType: "text" }];
    const { report } = convert([
      { type: "paneldynamic", name: "people", templateElements },
      { type: "matrixdynamic", name: "orders", columns },
    ]);
    expect(report).toMatchObject({ fields: 3, leftOut: 3 });
    expect(report.items.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      "note elements[0]",
      "left_out elements[0].templateElements[0]",
      "left_out elements[0].templateElements[1].elements[0]",
      "note elements[1]",
      "left_out elements[1].columns[0]",
    ]);
  });
});

test("pages, panels, texts and fields of several texts keep their order", () => {
  const pages = [
    { name: "one", title: "You", elements: [{ type: "html", name: "h", html: "<b>Hello</b>" }] },
    {
      name: "two",
      elements: [
        { type: "panel", name: "p", title: "Home", elements: [{ type: "text", name: "street" }] },
        {
          type: "multipletext",
          name: "m",
          title: "Both",
          items: [{ name: "a" }, { name: "b", title: "Bee" }],
        },
      ],
    },
  ];
  const { file, report } = importForm({
    title: "T",
    pages,
    completedHtml: "<p>Thanks</p>",
    completeText: "Send",
  });
  expect(file.schema.fields.map(({ id, type, label }) => `${type} ${id} ${label}`)).toEqual([
    "heading one You",
    "statement h Hello",
    "page_break two two",
    "heading p Home",
    "text street street",
    "heading m Both",
    "text m.a a",
    "text m.b Bee",
  ]);
  expect(file.settings).toEqual({ page: { thankYou: "Thanks", submitLabel: "Send" } });
  expect(report).toMatchObject({ fields: 3, converted: 3, items: [] });
});

describe("a condition of SurveyJS", () => {
  const asked = { type: "radiogroup", name: "kind", choices: ["a", "b"] };
  const logic = (elements: unknown[], members?: Members) =>
    fieldsOf(elements, members).map(({ id, showIf, requireIf, compute, rules }) => ({
      ...{ id, showIf, requireIf, compute, rules },
    }));

  test("is an expression of a question, of its requirement, of a rule and of a calculation", () => {
    expect(
      logic([
        asked,
        {
          type: "text",
          name: "n",
          inputType: "number",
          visibleIf: "{kind} = 'a'",
          requiredIf: "{kind} = 'a'",
        },
        {
          type: "text",
          name: "m",
          inputType: "number",
          validators: [{ type: "expression", expression: "{m} > {n}", text: "More!" }],
        },
        { type: "expression", name: "sum", expression: "{n} * 2" },
      ]).slice(1),
    ).toMatchObject([
      { id: "n", showIf: "data.kind == 'a'", requireIf: "data.kind == 'a'" },
      { id: "m", rules: [{ message: "More!" }] },
      { id: "sum", compute: "(has(data.n) ? data.n : 0.0) * 2.0" },
    ]);
  });

  test("of a panel holds for its heading and its questions, of a page for the step", () => {
    const panel = {
      type: "panel",
      title: "P",
      visibleIf: "{kind} = 'a'",
      elements: [{ type: "text", name: "x", visibleIf: "{kind} notempty" }],
    };
    const pages = [
      { name: "kind", title: "One", elements: [asked, panel] },
      { title: "Two", visibleIf: "{kind} = 'b'", elements: [] },
    ];
    expect(importForm({ pages }, "surveyjs").file.schema.fields).toMatchObject([
      { id: "kind_2", type: "heading" },
      { id: "kind" },
      { type: "heading", showIf: "data.kind == 'a'" },
      { id: "x", showIf: "data.kind == 'a' && has(data.kind)" },
      { type: "page_break", showIf: "data.kind == 'b'" },
    ]);
  });

  test("that has no counterpart is quoted, and the others of the question are kept", () => {
    const panel = {
      type: "panel",
      visibleIf: "age({kind}) > 3",
      elements: [{ type: "text", name: "x", visibleIf: "{kind} = 'a'" }],
    };
    const { file, report } = convert([asked, panel]);
    expect(file.schema.fields[1]).toMatchObject({ showIf: "data.kind == 'a'" });
    expect(report.items).toMatchObject([{ severity: "approximated", code: "condition" }]);
    expect(report.items[0]?.message).toContain("“age({kind}) > 3”");
  });
});

test("what a page or panel does to its questions is an item, and its description is a text", () => {
  const elements = [{ type: "text", name: "x", isRequired: true }];
  const group = { description: "D {x}", isRequired: true, requiredIf: "{x} = 1", requiredErrorText: "One!" };
  const panel = { ...group, type: "panel", name: "p", visible: false, elements };
  const { file, report } = importForm({ pages: [{ ...group, elements: [panel] }] }, "surveyjs");
  const label = "D {x}";
  expect(file.schema.fields).toEqual([
    { id: "d_x", type: "statement", label },
    { id: "p", type: "statement", label },
    { id: "x", type: "text", label: "x" },
  ]);
  const said = (path: string) =>
    report.items.filter((each) => each.path === path).map(({ message }) => message.split(/ is | has /)[0]);
  const lost = ["A value in a text", "isRequired", "requiredIf", "requiredErrorText"];
  expect(said("pages[0]")).toEqual(lost);
  const [hidden, ...more] = said("pages[0].elements[0]").toReversed();
  expect(more.toReversed()).toEqual(lost);
  expect([hidden, report.approximated]).toEqual([expect.stringContaining("under which"), 1]);
});

test("texts in other languages become translations; values in texts, and other names, are items", () => {
  const title = { default: "Name", de: "Dein Name", fr: "Nom", "???": "?" };
  const choices = [{ value: "__proto__", text: { default: "One", de: "Eins" } }];
  const { file, report } = convert(
    [
      { type: "text", name: "a", title },
      { type: "html", html: "Hello {a}" },
      { type: "dropdown", name: "b", title: "B", choices },
    ],
    { title: { default: "Form", de: "Formular" }, completeText: { default: "Send", fr: "Envoyer" } },
  );
  const options = JSON.parse('{ "__proto__": "Eins" }');
  expect(file.schema.fields.map(({ label, translations }) => [label, translations])).toEqual([
    ["Name", { de: { label: "Dein Name" }, fr: { label: "Nom" } }],
    ["Hello {a}", undefined],
    ["B", { de: { options } }],
  ]);
  expect(file.settings).toEqual({
    languages: ["en", "de", "fr"],
    page: {
      title: "Form",
      submitLabel: "Send",
      translations: { de: { title: "Formular" }, fr: { submitLabel: "Envoyer" } },
    },
  });
  expect(report.items.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    ...["note text", "note translation"],
  ]);
  expect(report.items[1]?.message).toContain("“???”");
  const german = convert([{ type: "text", name: "a", title: { default: "Name", de: "Dein Name" } }], {
    locale: "de",
  });
  expect(german.file).toMatchObject({
    schema: { fields: [{ label: "Dein Name", translations: { en: { label: "Name" } } }] },
    settings: { languages: ["de", "en"] },
  });
  expect(
    convert([{ type: "text", name: "a", title: { de: "Dein Name" } }], { locale: "de" }).file.settings,
  ).toEqual({
    page: { language: "de" },
  });
});

const named = (name: string, title: unknown, more: object = {}) => ({ type: "text", name, title, ...more });

test("choices with one label have translations of their own", () => {
  const choices = [
    { value: 1, text: { default: "Yes", de: "Ja" } },
    { value: 2, text: { default: "Yes", de: "Jawohl" } },
    { value: 3, text: "Yes" },
  ];
  const [field] = convert([{ type: "dropdown", name: "a", title: "Yes", choices }]).file.schema.fields;
  expect(field?.translations).toEqual({ de: { options: { 1: "Ja", 2: "Jawohl" } } });
});

test("a text has the translation of its own element, and none of another one with the same text", () => {
  const german = { default: "Name", de: "Der Name" };
  const french = { default: "Name", fr: "Le nom" };
  const { file, report } = convert(
    [
      { type: "signaturepad", name: "a", title: french },
      named("b", "Name"),
      named("c", german),
      named("d", "Name"),
      {
        ...{ type: "multipletext", name: "e", title: "E" },
        items: [
          { name: "x", title: { default: "X", de: "Ix" } },
          { name: "y", title: { default: "Y", de: "Ypsilon" } },
        ],
      },
      named("f", german),
    ],
    { title: "Name" },
  );
  expect(file.schema.fields.map(({ translations }) => translations)).toEqual([
    ...[undefined, { de: { label: "Der Name" } }, undefined],
    ...[undefined, { de: { label: "Ix" } }, { de: { label: "Ypsilon" } }, { de: { label: "Der Name" } }],
  ]);
  expect(file.settings).toEqual({ languages: ["en", "de"] });
  expect(report.items.map(({ code }) => code)).toEqual(["type"]);
});

test("a first language that is not known is an item", () => {
  const title = { Klingonese: "Pong", en: "Name", de: "Der Name" };
  const { file, report } = convert([named("a", title)], { locale: "Klingonese" });
  expect(file.settings).toEqual({ languages: ["und", "en", "de"] });
  expect(report.items).toMatchObject([
    { code: "translation", message: expect.stringContaining("“Klingonese”") },
  ]);
});

test("a condition on the letters of a text is an item, since case differs here", () => {
  const a = { type: "text", name: "a" };
  const on = (visibleIf: string) => itemsOf([a, { type: "text", name: "b", visibleIf }]);
  expect(on("{a} = 'yes'")).toMatchObject([{ severity: "note", code: "condition" }]);
  expect(on("{a} = '5'")).toEqual([]);
});

test("a rule that is on unless it is false is an item", () => {
  const validators = [{ type: "text", minLength: 1, allowDigits: false }];
  expect(itemsOf([{ type: "text", name: "a", validators }])).toMatchObject([
    { path: "elements[0]", message: expect.stringContaining("allowDigits is not read: false") },
  ]);
});

test("what a form does beside its questions is an item", () => {
  const items = itemsOf([{ type: "text", name: "a" }], {
    triggers: [{ type: "complete" }],
    navigateToUrl: "https://example.com",
    showProgressBar: true,
  });
  expect(items.map(({ severity, message }) => `${severity} ${message.split(" ")[0]}`)).toEqual([
    "note triggers",
    "note navigateToUrl",
  ]);
});

const corpus = corpusOf("surveyjs");
test.skipIf(corpus.length === 0)(
  "examples of SurveyJS's own guide: at least 75 % of the questions are kept",
  () => {
    const { fields, leftOut } = convertAll("surveyjs", corpus);
    expect(corpus.length).toBeGreaterThan(40);
    expect((fields - leftOut) / fields).toBeGreaterThan(0.75);
  },
);
