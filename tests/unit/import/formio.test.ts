import { describe, expect, test } from "bun:test";
import { importForm } from "../../../src/resources/forms/import/sources.ts";
import { convertAll, corpusOf } from "../../import-corpus.ts";

const choices = [
  { label: "Red", value: "red" },
  { label: "Blue", value: "blue" },
];
const convert = (components: unknown[], members = {}) => importForm({ ...members, components }, "auto");
const fieldsOf = (components: unknown[], members = {}) => convert(components, members).file.schema.fields;
const messagesOf = (components: unknown[], members = {}) =>
  convert(components, members).report.items.map(({ path, message }) => `${path}: ${message}`);

describe("a form of Form.io", () => {
  const required = { required: true };
  test.each<[component: Record<string, unknown>, field: Record<string, unknown>]>([
    [
      {
        type: "textfield",
        description: "<b>As</b> in a passport",
        tooltip: "Not a nickname",
        validate: { minLength: "2", maxLength: 0, pattern: "[A-Z].*" },
      },
      {
        type: "text",
        description: "As in a passport\nNot a nickname",
        minLength: 2,
        pattern: "^(?:[A-Z].*)$",
      },
    ],
    [
      { type: "textarea", placeholder: "Tell us", validate: required },
      { type: "textarea", placeholder: "Tell us", required: true },
    ],
    [
      { type: "email", defaultValue: "ada@example.org" },
      { type: "email", default: "ada@example.org" },
    ],
    [
      { type: "phoneNumber", inputMask: "(999) 999-9999" },
      { type: "phone", country: "US" },
    ],
    [{ type: "url" }, { type: "url" }],
    [
      { type: "number", defaultValue: "3", decimalLimit: 2, validate: { min: 0, max: "9", step: "any" } },
      { type: "number", default: 3, multipleOf: 0.01, minimum: 0, maximum: 9 },
    ],
    [{ type: "number", validate: { integer: true } }, { type: "integer" }],
    [{ type: "currency", currency: "EUR" }, { type: "number" }],
    [{ type: "password" }, { type: "text" }],
    [{ type: "tags" }, { type: "text" }],
    [{ type: "checkbox", defaultValue: false }, { type: "boolean" }],
    [
      { type: "checkbox", validate: required },
      { type: "consent", required: true },
    ],
    [
      {
        type: "selectboxes",
        values: choices,
        defaultValue: { red: true, blue: false },
        validate: { minSelectedCount: 1 },
      },
      { type: "multi_select", options: choices, default: ["red"], minItems: 1 },
    ],
    [
      { type: "radio", values: [...choices, { label: "", value: "" }] },
      { type: "select", options: choices },
    ],
    [
      { type: "select", dataSrc: "values", data: { values: choices } },
      { type: "select", options: choices },
    ],
    [
      { type: "select", multiple: true, dataSrc: "json", data: { json: ["a"] } },
      { type: "multi_select", options: [{ label: "a", value: "a" }] },
    ],
    [{ type: "select", dataSrc: "url", data: { url: "https://example.org" } }, { type: "text" }],
    [
      {
        type: "day",
        defaultValue: "00/00/0000",
        minDate: "2020-03-01",
        fields: { day: required, month: required, year: required },
      },
      { type: "date", minimum: "2020-03-01", required: true },
    ],
    [{ type: "day", fields: { day: { hide: true } } }, { type: "text" }],
    [
      { type: "datetime", datePicker: { maxDate: "2020-03-01T00:00:00Z", showWeeks: true } },
      { type: "datetime", maximum: "2020-03-01T00:00:00Z" },
    ],
    [
      { type: "datetime", enableTime: false, datePicker: { minDate: "2020-03-01T00:00:00Z" } },
      { type: "date", minimum: "2020-03-01" },
    ],
    [{ type: "datetime", enableDate: false }, { type: "time" }],
    [{ type: "time", inputMask: "99:99" }, { type: "time" }],
    [
      { type: "file", fileMaxSize: "1.5MB", filePattern: "image/*,application/pdf", fileMinSize: "0KB" },
      { type: "file", maxItems: 1, maxBytes: 1_572_864, accept: ["image/*", "application/pdf"] },
    ],
    [
      { type: "survey", questions: choices, values: choices, validate: required },
      {
        type: "matrix",
        rows: [
          { id: "red", label: "Red" },
          { id: "blue", label: "Blue" },
        ],
        columns: [
          { id: "red", label: "Red" },
          { id: "blue", label: "Blue" },
        ],
        allRows: true,
        required: true,
      },
    ],
    [{ type: "address", components: [{ type: "textfield", key: "city" }] }, { type: "address" }],
    [
      { type: "hidden", defaultValue: 7 },
      { type: "hidden", default: 7 },
    ],
    [{ type: "textfield", hidden: true, validate: required }, { type: "hidden" }],
  ])("%j", (component, field) => {
    expect(fieldsOf([{ key: "a", label: "A", input: true, ...component }])).toEqual([
      { id: "a", label: "A", ...field },
    ]);
  });

  test("texts, headings, pages and layouts are no questions", () => {
    const inner = (key: string) => [{ type: "textfield", key, label: key }];
    const { file, report } = convert(
      [
        {
          type: "panel",
          key: "page1",
          title: "You",
          tooltip: "All of it",
          components: [
            { type: "content", key: "text", html: "<p>Hello</p><p>you</p>" },
            {
              type: "columns",
              key: "columns",
              columns: [{ components: inner("a") }, { components: inner("b") }],
            },
            { type: "table", key: "table", rows: [[{ components: inner("c") }]] },
            { type: "container", key: "box", components: inner("d") },
          ],
        },
        {
          type: "panel",
          key: "page2",
          title: "More",
          components: [
            { type: "fieldset", key: "set", legend: "Set", components: inner("e") },
            { type: "tabs", key: "tabs", components: [{ label: "Tab", key: "tab", components: inner("f") }] },
          ],
        },
        { type: "button", key: "submit", label: "Send it" },
      ],
      { display: "wizard", title: "Sign up", language: "de-AT", description: "<b>For</b> all" },
    );
    expect(file.description).toBe("For all");
    expect(file.name).toBe("Sign up");
    expect(file.settings).toEqual({ page: { submitLabel: "Send it", language: "de" } });
    expect(file.schema.fields.map(({ id, type, label }) => `${id} ${type} ${label}`)).toEqual([
      ...["page1 page_break You", "text statement Hello", "a text a", "b text b", "c text c", "box.d text d"],
      ...["page2 page_break More", "set heading Set", "e text e", "tab heading Tab", "f text f"],
    ]);
    expect(file.schema.fields[0]?.description).toBe("All of it");
    expect(report).toMatchObject({ source: "formio", fields: 6, converted: 6, items: [] });
  });

  test("what is lost is in the report", () => {
    const components = [
      {
        type: "textfield",
        key: "a",
        label: "A",
        inputMask: "99-99",
        multiple: true,
        validate: { custom: "valid = 1", maxWords: 3 },
      },
      { type: "number", key: "b", label: "B", suffix: "kg", calculateValue: "value = 1", disabled: true },
      { type: "datetime", key: "c", label: "C", datePicker: { minDate: "moment()", disableWeekends: true } },
      {
        type: "datagrid",
        key: "d",
        label: "D",
        components: [
          { type: "textfield", key: "e", label: "E" },
          { type: "content", html: "F" },
        ],
      },
      { type: "signature", key: "g", label: "G" },
      { type: "ours", key: "h", label: "H" },
      { type: "form", key: "i", label: "I", form: "5f" },
      { type: "recaptcha", key: "j", label: "J" },
      { type: "button", key: "k", label: "K", action: "reset" },
      { type: "radio", key: "l", label: "L", values: [...choices, { label: "Ruby", value: "red" }] },
      { type: "number", key: "m", label: "M", requireDecimal: true, validate: { step: 5 } },
      { type: "checkbox", key: "n", label: "N {{ data.a }}", inputType: "radio", errorLabel: "X" },
      { type: "day", key: "o", label: "O", fields: { year: { required: true } } },
      {
        ...{ type: "survey", key: "p", label: "P", values: choices },
        questions: [{ label: "Q", value: "q", tooltip: "R" }],
      },
      { type: "well", key: "s", tooltip: "T", components: [{ type: "content", html: "{{ data.a }}" }] },
    ];
    expect(convert(components).report).toMatchObject({
      fields: 12,
      converted: 0,
      approximated: 8,
      leftOut: 4,
    });
    expect(messagesOf(components, { controller: "x" })).toMatchInlineSnapshot(`
      [
        "components[0]: “A”: inputMask is not read: “99-99”",
        "components[0]: “A”: multiple is not read: true",
        "components[0]: “A”: custom is not read: “valid = 1”",
        "components[0]: “A”: maxWords is not read: 3",
        "components[1]: “B”: suffix is not read: “kg”",
        "components[1]: “B”: calculateValue is not read: “value = 1”",
        "components[1]: “B”: disabled is not read: true",
        "components[2]: “C”: disableWeekends is not read: true",
        "components[3]: “D” is a list of entries.",
        "components[3].components[0]: “E”: It is asked again for each entry of a list.",
        "components[4]: “G”: formd has no such question.",
        "components[5]: “H”: formd has no such question.",
        "components[6]: “I”: Its questions are in another form.",
        "components[7]: “J” is left out.",
        "components[8]: “K” is left out.",
        "components[9]: “L”: “Ruby” has the value of another choice.",
        "components[10]: “M”: requireDecimal is not read: true",
        "components[10]: “M”: step is not read: 5",
        "components[11]: “N {{ data.a }}”: inputType is not read: “radio”",
        "components[11]: “N {{ data.a }}”: errorLabel is not read: “X”",
        "components[11]: “N {{ data.a }}”: Values in its text are not filled in.",
        "components[12]: “O”: Only a part of it is required.",
        "components[13]: “P”: tooltip is not read: “R”",
        "components[14]: A text is not kept: “T”",
        "components[14].components[0]: Values in its text are not filled in.",
        "form: controller is not read: “x”",
        "components[2]: “C”: minimum “moment()” is left out. It must be an RFC 3339 date-time with offset, such as 2026-11-20T09:00:00Z.",
      ]
    `);
  });
});

describe("a condition of Form.io", () => {
  const questions = [
    { type: "textfield", key: "text", label: "Text" },
    { type: "number", key: "number", label: "Number" },
    { type: "checkbox", key: "box", label: "Box" },
    { type: "radio", key: "radio", label: "Radio", values: choices },
    { type: "selectboxes", key: "boxes", label: "Boxes", values: choices },
    { type: "day", key: "day", label: "Day" },
    { type: "datetime", key: "moment", label: "Moment" },
    { type: "container", key: "user", components: [{ type: "textfield", key: "name", label: "Name" }] },
  ];
  const showIfOf = (members: Record<string, unknown>) =>
    fieldsOf([...questions, { type: "textfield", key: "a", label: "A", ...members }]).at(-1)?.showIf;
  const when = (component: string, operator: string, value?: unknown) =>
    showIfOf({ conditional: { show: true, conditions: [{ component, operator, value }] } });

  test.each<[conditional: Record<string, unknown>, showIf: string | undefined]>([
    [{ show: true, when: "radio", eq: "red" }, "data.radio == 'red'"],
    [{ show: "false", when: "radio", eq: "red" }, "!has(data.radio) || data.radio != 'red'"],
    [{ show: true, when: "box", eq: "true" }, "data.box == true"],
    [{ show: true, when: "boxes", eq: "red" }, "'red' in data.boxes"],
    [{ show: true, when: "text", eq: "" }, "!has(data.text)"],
    [{ show: "", when: null, eq: "" }, undefined],
    [{ show: true, when: "radio", eq: "green" }, undefined],
    [{ show: true, when: "nobody", eq: "red" }, undefined],
    [
      {
        show: true,
        conjunction: "any",
        conditions: [
          { component: "number", operator: "greaterThan", value: 3 },
          { component: "text", operator: "startsWith", value: "A" },
        ],
      },
      "data.number > 3.0 || data.text.startsWith('A')",
    ],
    [
      {
        show: false,
        conjunction: "all",
        conditions: [
          { component: "number", operator: "isEqual", value: 3 },
          { component: "text", operator: "isNotEmpty" },
        ],
      },
      "!has(data.number) || data.number != 3.0 || !has(data.text)",
    ],
  ])("%j", (conditional, showIf) => {
    expect(showIfOf({ conditional })).toBe(showIf);
  });

  test.each<[component: string, operator: string, value: unknown, showIf: string | undefined]>([
    ["text", "isNotEqual", "x", "!has(data.text) || data.text != 'x'"],
    ["text", "includes", "x", "data.text.contains('x')"],
    ["text", "endsWith", "x", "data.text.endsWith('x')"],
    ["boxes", "notIncludes", "red", "!has(data.boxes) || !('red' in data.boxes)"],
    ["boxes.red", "isEqual", "true", "'red' in data.boxes"],
    ["box", "isEmpty", undefined, "!has(data.box) || data.box != true"],
    ["number", "lessThanOrEqual", 2, "data.number <= 2.0"],
    ["day", "dateGreaterThan", "2020-03-01T00:00:00.000Z", "data.day > '2020-03-01'"],
    ["day", "isDateEqual", "2020-03-01T00:00:00.000Z", "data.day == '2020-03-01'"],
    ["day", "isEqual", "01/31/2026", undefined],
    ["box", "isEqual", "false", "!has(data.box) || data.box == false"],
    ["moment", "isDateEqual", "2020-03-01T00:00:00.000Z", undefined],
    ["moment", "dateGreaterThan", "2020-03-01", undefined],
    ["text", "isSimilar", "x", undefined],
  ])("%s %s %j", (component, operator, value, showIf) => {
    expect(when(component, operator, value)).toBe(showIf);
  });

  test("names a question in a container by its path, or by its key", () => {
    const id = fieldsOf(questions).at(-1)?.id;
    expect(id).toBe("user.name");
    for (const component of ["user.name", "name"])
      expect(when(component, "isNotEmpty")).toMatch(/^has\(data\.\w+\)$/);
  });

  test("of a group goes to its questions, of a page to its step", () => {
    const conditional = { show: true, when: "radio", eq: "red" };
    const inner = {
      type: "textfield",
      key: "a",
      label: "A",
      conditional: { show: true, when: "box", eq: "true" },
    };
    const panel = { type: "panel", key: "p", title: "P", conditional, components: [inner] };
    const conditionsIn = (members: object) =>
      fieldsOf([{ type: "panel", key: "first", title: "First", components: questions }, panel], members)
        .slice(-2)
        .map(({ showIf }) => showIf);
    expect(conditionsIn({})).toEqual(["data.radio == 'red'", "data.radio == 'red' && data.box == true"]);
    expect(conditionsIn({ display: "wizard" })).toEqual(["data.radio == 'red'", "data.box == true"]);
    const untitled = { type: "panel", components: [{ type: "textfield", key: "b", label: "B" }] };
    expect(fieldsOf([...questions, panel, untitled], { display: "wizard" }).slice(-2)).toMatchObject([
      { type: "page_break", label: "…" },
      { id: "b" },
    ]);
  });

  test("in JavaScript, and one without a counterpart, is quoted", () => {
    const quotes = (members: object) =>
      messagesOf([...questions, { type: "email", key: "a", label: "A", ...members }]);
    const conditional = { show: true, when: "nobody", eq: "x" };
    expect(quotes({ customConditional: "show = data.x > 1", conditional })).toEqual([
      "components[8]: “A”: The condition under which it is asked for has no counterpart: “show = data.x > 1”",
    ]);
    expect(quotes({ conditional })).toMatchObject([expect.stringContaining('"when":"nobody"')]);
    expect(quotes({ conditional: { json: { "==": [1, 1] } } })).toMatchObject([
      expect.stringContaining('"=="'),
    ]);
  });
});

const corpus = corpusOf("formio");
test.skipIf(corpus.length === 0)(
  "Form.io's own test forms: at least 80 % of the questions outside of lists are kept",
  () => {
    const { fields, leftOut, items } = convertAll("formio", corpus);
    const repeated = items.filter(
      ({ severity, code }) => severity === "left_out" && code === "repeat",
    ).length;
    expect(corpus.length).toBeGreaterThan(250);
    expect((fields - leftOut) / (fields - repeated)).toBeGreaterThan(0.8);
  },
);
