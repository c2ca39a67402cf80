import { describe, expect, test } from "bun:test";
import { importForm } from "../../../src/resources/forms/import/sources.ts";
import { convertAll } from "../../import-corpus.ts";

const en = (text: string) => ({ default: text });
const card = (id: string, members: object = {}) => ({
  id,
  type: "openText",
  longAnswer: false,
  headline: en(id.toUpperCase()),
  required: false,
  ...members,
});
const block = (...elements: object[]) => ({
  id: `block-${(elements[0] as { id: string }).id}`,
  name: "Block",
  elements,
});
const choices = [
  { id: "red", label: en("Red") },
  { id: "blue", label: en("Blue") },
];
const options = [
  { value: "red", label: "Red" },
  { value: "blue", label: "Blue" },
];
const convert = (blocks: unknown[], members = {}) =>
  importForm({ name: "Survey", blocks, ...members }, "auto");
const fieldsOf = (blocks: unknown[], members = {}) => convert(blocks, members).file.schema.fields;

describe("a survey of Formbricks", () => {
  const both = { min: 2, max: 9 };
  test.each<[element: Record<string, unknown>, field: Record<string, unknown>]>([
    [
      { longAnswer: true, placeholder: en("Tell us") },
      { type: "textarea", placeholder: "Tell us" },
    ],
    [
      { inputType: "email", subheader: en("<p>Yours</p>") },
      { type: "email", description: "Yours" },
    ],
    [{ inputType: "url" }, { type: "url" }],
    [{ inputType: "phone" }, { type: "phone" }],
    [{ inputType: "number", charLimit: { enabled: false, ...both } }, { type: "number" }],
    [{ charLimit: { enabled: true, ...both } }, { type: "text", minLength: 2, maxLength: 9 }],
    [
      { validation: { rules: [{ type: "pattern", params: { pattern: "^a", flags: "i" } }] } },
      { type: "text", pattern: "(?i)^a" },
    ],
    [
      { inputType: "number", validation: { rules: [{ type: "isGreaterThan", params: { min: 3 } }] } },
      { type: "number", rules: [{ rule: "data.a > 3.0", message: "The value is not accepted." }] },
    ],
    [
      { type: "multipleChoiceSingle", choices, required: true },
      { type: "select", options, required: true },
    ],
    [
      {
        type: "multipleChoiceMulti",
        choices: [...choices, { id: "other", label: en("Other") }],
        shuffleOption: "none",
      },
      { type: "multi_select", options, allowOther: true },
    ],
    [
      {
        type: "pictureSelection",
        allowMulti: true,
        choices: [{ id: "x", imageUrl: "https://example.org/x.png" }],
      },
      { type: "multi_select", options: [{ value: "x", label: "Picture 1" }] },
    ],
    [
      { type: "nps", lowerLabel: en("No"), upperLabel: en("Yes") },
      { type: "nps", minimumLabel: "No", maximumLabel: "Yes" },
    ],
    [
      { type: "rating", range: 7, scale: "star" },
      { type: "rating", minimum: 1, maximum: 7 },
    ],
    [
      { type: "csat", range: 5, scale: "smiley" },
      { type: "rating", minimum: 1, maximum: 5 },
    ],
    [
      { type: "ces", range: 7, scale: "number" },
      { type: "rating", minimum: 1, maximum: 7 },
    ],
    [
      { type: "consent", label: en("I agree"), required: true },
      { type: "consent", label: "I agree", description: "A", required: true },
    ],
    [
      { type: "cta", subheader: en("Welcome") },
      { type: "statement", description: "Welcome" },
    ],
    [{ type: "date", format: "d-M-y" }, { type: "date" }],
    [
      { type: "matrix", rows: [en("Speed")], columns: choices },
      {
        type: "matrix",
        rows: [{ id: "Speed", label: "Speed" }],
        columns: options.map(({ value, label }) => ({ id: value, label })),
      },
    ],
    [
      { type: "ranking", choices, validation: { rules: [{ type: "rankAll", params: {} }] } },
      { type: "ranking", options, rankAll: true },
    ],
    [
      { type: "fileUpload", allowMultipleFiles: false, maxSizeInMB: 2 },
      { type: "file", maxItems: 1, maxBytes: 2_097_152 },
    ],
    [
      { type: "address", zip: { show: true, required: true } },
      { type: "address", requiredParts: ["postalCode"] },
    ],
  ])("%j", (element, field) => {
    expect(fieldsOf([block(card("a", element))])).toEqual([{ id: "a", label: "A", ...field }]);
  });

  test("contact data are several questions", () => {
    const shown = (required: boolean) => ({ show: true, required, placeholder: en("Yours") });
    const contact = card("c", {
      type: "contactInfo",
      firstName: shown(false),
      email: shown(true),
      phone: { show: false },
    });
    expect(fieldsOf([block(contact)])).toEqual([
      { id: "c", type: "heading", label: "C" },
      { id: "c_firstName", type: "text", label: "Yours" },
      { id: "c_email", type: "email", label: "Yours", required: true },
    ]);
  });

  test("has hidden fields, texts of its page, and languages; the rest is in the report", () => {
    const { file, report } = convert(
      [
        block(
          card("a", {
            headline: { default: "Hi #recall:name/fallback:thenbspguest#", de: "Hallo" },
            imageUrl: "https://example.org",
          }),
        ),
        { ...block(card("b", { type: "cal", calUserName: "x" })), buttonLabel: en("Go on"), shown: "later" },
        block(
          card("c", {
            ...{ type: "multipleChoiceSingle", otherOptionPlaceholder: en("Which?") },
            choices: [...choices, { id: "red", label: en("Ruby") }, { id: "other", label: en("Other") }],
          }),
        ),
      ],
      {
        hiddenFields: { enabled: true, fieldIds: ["name"] },
        welcomeCard: {
          enabled: true,
          headline: { default: "Welcome", de: "Willkommen" },
          html: en("<b>Two</b> minutes"),
          timeToFinish: true,
          buttonLabel: en("Start"),
        },
        endings: [
          { id: "e1", type: "endScreen", headline: en("Thanks"), buttonLink: "https://example.org" },
          { id: "e2", type: "redirectToUrl", url: "https://example.org" },
        ],
        languages: [
          { default: false, language: { code: "de" } },
          { default: true, language: { code: "en" } },
        ],
        variables: [{ id: "v", name: "score", type: "number", value: 0 }],
        pin: "1234",
        autoClose: 30,
      },
    );
    expect(file).toEqual({
      name: "Survey",
      description: null,
      schema: {
        fields: [
          { id: "name", type: "hidden", label: "name", prefill: true },
          { id: "a", type: "text", label: "Hi the guest", translations: { de: { label: "Hallo" } } },
          { id: "c", type: "select", label: "C", options, allowOther: true },
        ],
      },
      settings: {
        languages: ["en", "de"],
        page: {
          introduction: "Welcome\nTwo minutes",
          thankYou: "Thanks",
          translations: { de: { introduction: "Willkommen\nTwo minutes" } },
        },
      },
    });
    expect(report).toMatchObject({
      source: "formbricks",
      fields: 4,
      converted: 1,
      approximated: 2,
      leftOut: 1,
    });
    expect(report.items.map(({ path, message }) => `${path}: ${message}`)).toMatchInlineSnapshot(`
      [
        "blocks[0].elements[0]: “Hi the guest”: imageUrl is not read: “https://example.org”",
        "blocks[1]: shown is not read: “later”",
        "blocks[1].elements[0]: “B”: formd books no appointments.",
        "blocks[2].elements[0]: “C”: otherOptionPlaceholder is not read: {"default":"Which?"}",
        "blocks[2].elements[0]: “C”: “Ruby” has the value of another choice.",
        "welcomeCard: timeToFinish is not read: true",
        "endings[0]: buttonLink is not read: “https://example.org”",
        "endings[1]: url is not read: “https://example.org”",
        "variables[0]: A variable is left out: “score”",
        "survey: Texts of buttons are not kept: “Go on, Start”",
        "survey: The value in a text is not shown: “Hi #recall:name/fallback:thenbspguest#”",
        "survey: pin is not read: “1234”",
        "survey: autoClose is not read: 30",
      ]
    `);
  });

  test("is read with questions in place of blocks, in a response of the API and in a template", () => {
    const questions = [card("a")];
    const expected = [{ id: "a", type: "text", label: "A" }];
    for (const document of [
      { questions },
      { data: { questions } },
      { preset: { blocks: [block(card("a"))] } },
    ])
      expect(importForm(document, "auto").file.schema.fields).toEqual(expected);
  });
});

describe("the logic of Formbricks", () => {
  const color = { ...card("color", { type: "multipleChoiceSingle", choices }) };
  const rule = (operator: string, value: unknown, ...actions: object[]) => ({
    conditions: {
      connector: "and",
      conditions: [
        {
          leftOperand: { type: "element", value: "color" },
          operator,
          rightOperand: { type: "static", value },
        },
      ],
    },
    actions,
  });
  const to = (target: string) => ({ objective: "jumpToBlock", target });
  const logicOf = (logic: unknown, more: object = {}) => {
    const { file, report } = convert(
      [{ ...block(color), logic, ...more }, block(card("a")), block(card("b"))],
      { endings: [{ id: "end1", type: "endScreen" }] },
    );
    const conditions = file.schema.fields.slice(1).map(({ showIf, requireIf }) => showIf ?? requireIf);
    return { conditions, messages: report.items.map(({ message }) => message) };
  };
  const isNot = "!has(data.color) || data.color != 'red'";

  test("jumps become conditions of the questions that they pass", () => {
    expect(logicOf([rule("equals", "red", to("block-b"))]).conditions).toEqual([isNot, undefined]);
    expect(logicOf([rule("equals", "red", to("end1"))]).conditions).toEqual([isNot, isNot]);
    expect(logicOf([rule("equalsOneOf", ["red", "blue"], to("block-b"))]).conditions[0]).toBe(
      "(!has(data.color) || data.color != 'red') && (!has(data.color) || data.color != 'blue')",
    );
    expect(logicOf([rule("isSkipped", undefined, to("block-b"))]).conditions).toEqual([
      "has(data.color)",
      undefined,
    ]);
  });

  test("a question with several values equals the only one", () => {
    const logic = [rule("equals", "red", { objective: "requireAnswer", target: "b" })];
    const many = { ...card("color", { type: "multipleChoiceMulti", choices }) };
    const { file } = convert([{ ...block(many), logic }, block(card("a")), block(card("b"))]);
    expect(file.schema.fields[2]?.requireIf).toBe("size(data.color) == 1 && 'red' in data.color");
  });

  test("a question may be required", () => {
    const action = { objective: "requireAnswer", target: "b" };
    expect(logicOf([rule("equals", "red", action)]).conditions).toEqual([undefined, "data.color == 'red'"]);
  });

  test("of a rule with a jump and a calculation, the calculation is lost", () => {
    const calculate = { objective: "calculate", variableId: "v", value: { type: "static", value: 1 } };
    const { conditions, messages } = logicOf([rule("equals", "red", to("block-b"), calculate)]);
    expect(conditions).toEqual([isNot, undefined]);
    expect(messages).toEqual([`“COLOR”: Its logic is left out: ${JSON.stringify([calculate])}`]);
  });

  test("of the earlier format is about the card's own question, and its labels", () => {
    const questions = [
      {
        ...color,
        logic: [
          { condition: "equals", value: "Red", destination: "b" },
          { condition: "skipped", destination: "end" },
        ],
      },
      ...[card("a"), card("b")],
    ];
    const { file } = importForm({ questions }, "auto");
    expect(file.schema.fields.map(({ showIf }) => showIf)).toEqual([
      undefined,
      "(!has(data.color) || data.color != 'red') && has(data.color)",
      "data.color == 'red' || has(data.color)",
    ]);
  });

  test.each<[name: string, logic: unknown]>([
    ["a jump back", [rule("equals", "red", to("block-color"))]],
    ["an unknown target", [rule("equals", "red", to("nowhere"))]],
    ["a choice that is written", [rule("equals", "other", to("block-b"))]],
    ["a calculation", [rule("equals", "red", { objective: "calculate", variableId: "v" })]],
    [
      "a variable",
      [
        {
          conditions: {
            connector: "and",
            conditions: [{ leftOperand: { type: "variable", value: "v" }, operator: "isSet" }],
          },
          actions: [to("block-b")],
        },
      ],
    ],
  ])("%s is quoted", (_, logic) => {
    const { conditions, messages } = logicOf(logic);
    expect(conditions).toEqual([undefined, undefined]);
    expect(messages).toEqual([expect.stringMatching(/^“COLOR”: Its logic is left out: \[?\{/)]);
  });
});

test("a survey of the published schema can be published", () => {
  const types = [
    "openText",
    "nps",
    "rating",
    "csat",
    "ces",
    "consent",
    "cta",
    "date",
    "fileUpload",
    "address",
    "cal",
  ];
  const blocks = types.map((type, at) => block(card(`q${at}`, { type, range: 5 })));
  const { fields, leftOut } = convertAll("formbricks", [{ name: "all kinds", document: { blocks } }]);
  expect([fields, leftOut]).toEqual([10, 1]);
});
