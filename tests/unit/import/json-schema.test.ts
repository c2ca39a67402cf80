import { describe, expect, test } from "bun:test";
import { jsonSchemaForms } from "../../../src/resources/forms/import/json-schema.ts";
import { importForm } from "../../../src/resources/forms/import/sources.ts";
import { convertAll, corpusOf } from "../../import-corpus.ts";
import { leastCpuMs } from "../fields/fixture.ts";

const convert = (properties: object, more: object = {}, uiSchema: object = {}) =>
  importForm({ schema: { type: "object", properties, ...more }, uiSchema }, "auto");
const fieldsOf = (...sent: Parameters<typeof convert>) => convert(...sent).file.schema.fields;
const itemsOf = (...sent: Parameters<typeof convert>) =>
  convert(...sent).report.items.map(({ severity, path, message }) => `${severity} ${path} ${message}`);
const text = { type: "string" };
const cat = { const: "cat" };

describe("a question of a JSON Schema", () => {
  const options = [
    { value: "a", label: "A" },
    { value: "b", label: "B" },
  ];
  const choices = options.map(({ value, label }) => ({ const: value, title: label }));
  const files = { type: "string", format: "data-url" };
  test.each<[schema: object, field: object, ui?: object]>([
    [
      { type: "string", title: "Name", description: "<b>Full</b>", minLength: 2, pattern: "^[A-Z]" },
      { type: "text", label: "Name", description: "Full", minLength: 2, pattern: "^[A-Z]" },
    ],
    [
      { type: ["string", "null"], default: "x" },
      { type: "text", default: "x" },
    ],
    [{ anyOf: [{ type: "null" }, { type: "integer", minimum: 1 }] }, { type: "integer", minimum: 1 }],
    [
      { type: "string", maxLength: 256 },
      { type: "textarea", maxLength: 256 },
    ],
    [
      text,
      { type: "textarea", placeholder: "P", description: "H" },
      { "ui:widget": "textarea", "ui:placeholder": "P", "ui:help": "H" },
    ],
    [{ type: "string", format: "email" }, { type: "email" }],
    [{ type: "string", format: "uri" }, { type: "url" }],
    [{ type: "string", format: "date" }, { type: "date" }],
    [{ type: "string", format: "time" }, { type: "time" }],
    [{ type: "string", format: "date-time" }, { type: "datetime" }],
    [files, { type: "file", maxItems: 1 }],
    [
      { type: "array", items: files, maxItems: 3 },
      { type: "file", maxItems: 3 },
    ],
    [text, { type: "hidden" }, { "ui:widget": "hidden" }],
    [
      { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
      { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
    ],
    [
      { type: "number", exclusiveMinimum: 0 },
      { type: "number", rules: [{ rule: "data.q > 0.0", message: "Must be more than 0." }] },
    ],
    [
      { type: "number", maximum: 5, exclusiveMaximum: true },
      { type: "number", maximum: 5, rules: [{ rule: "data.q < 5.0", message: "Must be less than 5." }] },
    ],
    [{ type: "boolean" }, { type: "boolean" }],
    [{ type: "boolean", enum: [true] }, { type: "consent" }],
    [{ const: "v" }, { type: "hidden", compute: "'v'" }],
    [
      { type: "string", enum: ["a", "b", null], enumNames: ["A", "B"] },
      { type: "select", options },
    ],
    [{ oneOf: choices }, { type: "select", options }],
    [{ anyOf: [...choices, { type: "string" }] }, { type: "select", options, allowOther: true }],
    [
      { type: "string", enum: ["a", "b"] },
      { type: "select", options },
      { "ui:widget": "radio", "ui:options": { enumNames: ["A", "B"] } },
    ],
    [
      { type: "array", uniqueItems: true, items: { oneOf: choices }, minItems: 1 },
      { type: "multi_select", options, minItems: 1 },
    ],
    [
      {
        allOf: [
          { type: "string", title: "T" },
          { maxLength: 9, title: "U" },
        ],
      },
      { type: "text", label: "T", maxLength: 9 },
    ],
    [
      { $ref: "#/$defs/d", title: "Own" },
      { type: "text", label: "Own", minLength: 3 },
    ],
  ])("%j is %j", (schema, field, ui = {}) => {
    const more = { $defs: { d: { $ref: "#/$defs/e" }, e: { type: "string", title: "E", minLength: 3 } } };
    const { file, report } = convert({ q: schema }, more, { q: ui });
    expect(file.schema.fields).toEqual([{ id: "q", label: "q", ...field } as never]);
    expect(report).toMatchObject({ source: "jsonschema", fields: 1, converted: 1, items: [] });
  });

  test.each<[schema: object, type: string | undefined, message: string, ui?: object]>([
    [
      { type: "string", format: "password" },
      "text",
      "“q”: Its characters can be read while they are entered.",
    ],
    [{ type: "string", format: "color" }, "text", "“q”: A color is entered as a text."],
    [{ type: "string", format: "uuid" }, "text", "“q”: format is not read: “uuid”"],
    [{ type: "string", readOnly: true }, "text", "“q”: readOnly is not read: true"],
    [
      { type: "string", allOf: [{ pattern: "a" }, { pattern: "b" }] },
      "text",
      '“q”: allOf is not read: {"pattern":"b"}',
    ],
    [text, "text", "“q”: ui:widget is not read: “signature”", { "ui:widget": "signature" }],
    [{ type: ["string", "number"] }, "text", "“q”: Its value is a text, where other types are accepted too."],
    [{}, "text", "“q”: Its value is a text, where any type is accepted."],
    [
      { enum: ["", "a"], enumNames: ["None"] },
      "select",
      '“q”: A choice without a value is left out: ["None"]',
    ],
    [{ enum: ["a", "a"] }, "select", '“q”: A choice whose value another one has is left out: ["a"]'],
    [
      { oneOf: [{ const: "a", description: "D" }, { const: "b" }] },
      "select",
      '“q”: The description of a choice is left out: ["D"]',
    ],
    [
      { type: "string", anyOf: [{ minLength: 1 }, { format: "email" }] },
      "text",
      '“q”: It may be one of several: [{"minLength":1},{"format":"email"}]',
    ],
    [
      { type: "string", format: "date", pattern: "2" },
      "date",
      '“q”: pattern “2” is left out. It is not a rule of the type "date": it has minimum, maximum.',
    ],
    [{ type: "array", items: { enum: ["a"] } }, "multi_select", "“q”: A value can be chosen once."],
    [{ type: "array", items: text }, "textarea", "“q”: A list is one text, with a line for each item."],
    [{ type: "array", items: [text] }, undefined, "“q”: formd has no list of such items."],
    [{ type: "object" }, undefined, "“q”: Its members have no names."],
    [{ $ref: "other.json" }, undefined, "“q”: It refers to itself, to another document, or to too much."],
    [
      { type: "integer", default: "x" },
      "integer",
      "“q”: default “x” is left out. It must be a value that the field accepts.",
    ],
  ])("%j becomes %p, and the report says what is lost", (schema, type, message, ui = {}) => {
    const { file, report } = convert({ q: schema }, {}, { q: ui });
    expect(file.schema.fields[0]?.type as unknown).toBe(type);
    expect(report.items.map((item) => item.message)).toEqual([message]);
    expect([report.approximated, report.leftOut]).toEqual(type ? [1, 0] : [0, 1]);
  });
});

describe("an object of a JSON Schema", () => {
  test("is a heading and its questions, in the order of the uiSchema", () => {
    const address = { type: "object", title: "Address", properties: { city: text }, required: ["city"] };
    const order = { "ui:order": ["b", "*", "a"] };
    expect(fieldsOf({ a: text, address, b: text }, { required: ["a"] }, order)).toEqual([
      { id: "b", type: "text", label: "b" },
      { id: "address", type: "heading", label: "Address" },
      { id: "address.city", type: "text", label: "city", required: true },
      { id: "a", type: "text", label: "a", required: true },
    ]);
  });

  test("has a question for each name, also of long ones that begin alike", () => {
    const names = [..."abc"].map((letter) => `${"x".repeat(120)}${letter}`);
    const { file, report } = convert(Object.fromEntries(names.map((name) => [name, text])));
    expect([file.schema.fields.length, report.fields]).toEqual([3, 3]);
  });

  test("has what a list of texts loses, and a name of another program, as items", () => {
    const q = { type: "array", uniqueItems: true, items: { type: "string", maxLength: 4 }, "x-other": 1 };
    expect(convert({ q }).report.items.map(({ severity, message }) => [severity, message])).toEqual([
      ["approximated", "“q”: A list is one text, with a line for each item."],
      ["approximated", "“q”: uniqueItems is not read: true"],
      ["note", "x-other is not read: 1"],
      ["approximated", "“q”: maxLength is not read: 4"],
    ]);
  });

  test("quotes the alternatives of what is required", () => {
    const { report } = convert({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] });
    expect(report.items.map(({ message }) => message)).toEqual(
      ["a", "b"].map((name) => expect.stringContaining(`“{"required":["${name}"]}”`)),
    );
  });

  test("in a list is left out, each question with an item", () => {
    const list = {
      type: "array",
      title: "L",
      items: { properties: { a: text, b: { properties: { c: text } } } },
    };
    const { file, report } = convert({ list });
    expect([file.schema.fields, report.fields, report.leftOut]).toEqual([[], 2, 2]);
    expect(report.items.map(({ path, code }) => `${path} ${code}`)).toEqual([
      ...["/list repeat", "/list/a repeat", "/list/b/c repeat"],
    ]);
  });

  test("that contains itself ends", () => {
    const more = { $defs: { node: { properties: { name: text, child: { $ref: "#/$defs/node" } } } } };
    const { report } = convert({ root: { $ref: "#/$defs/node" } }, more);
    expect([report.converted, report.leftOut]).toEqual([1, 1]);
  });

  test("names the form by its uiSchema too", () => {
    const uiSchema = { "ui:title": "U", "ui:description": "V" };
    const { file } = importForm({ schema: { title: "T", properties: { a: text } }, uiSchema });
    expect(file).toMatchObject({ name: "U", description: "V" });
  });

  test("names the form, and a schema that is no object is one question", () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    const { file } = importForm({ $schema, title: "T", description: "D", type: "integer" });
    expect(file).toMatchObject({ name: "T", description: "D", schema: { fields: [{ type: "integer" }] } });
  });
});

describe("conditions of a JSON Schema", () => {
  const properties = {
    pet: { enum: ["cat", "dog"] },
    ok: { type: "boolean" },
    name: text,
    age: { type: "integer" },
  };
  const isCat = { properties: { pet: cat }, required: ["pet"] };
  const branch = (test: object, yes: object, no?: object) =>
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ({ if: test, then: yes, else: no });
  const logicOf = (more: object, id: string) => {
    const { showIf, requireIf, required } = fieldsOf(properties, more).find(
      (each) => each.id === id,
    ) as Record<string, unknown>;
    return { showIf, requireIf, required };
  };

  test.each<[more: object, id: string, logic: object]>([
    [branch(isCat, { required: ["name"] }), "name", { requireIf: "data.pet == 'cat'" }],
    [
      branch({ properties: { pet: cat } }, { required: ["name"] }),
      "name",
      { requireIf: "!has(data.pet) || data.pet == 'cat'" },
    ],
    [branch(isCat, {}, { required: ["name"] }), "name", { requireIf: "!has(data.pet) || data.pet != 'cat'" }],
    [
      branch({ ...isCat, properties: { pet: { enum: ["cat", "dog"] } } }, { required: ["name"] }),
      "name",
      { requireIf: "data.pet == 'cat' || data.pet == 'dog'" },
    ],
    [branch({ required: ["pet"] }, { required: ["name"] }), "name", { requireIf: "has(data.pet)" }],
    [
      branch({ properties: { ok: { const: false } }, required: ["ok"] }, { required: ["name"] }),
      "name",
      { requireIf: "data.ok == false" },
    ],
    [
      branch({ properties: { pet: { not: cat } }, required: ["pet"] }, { required: ["age"] }),
      "age",
      { requireIf: "!has(data.pet) || data.pet != 'cat'" },
    ],
    [
      branch(isCat, { properties: { name: false } }),
      "name",
      { showIf: "!has(data.pet) || data.pet != 'cat'" },
    ],
    [
      branch(isCat, { properties: { fur: text }, required: ["fur"] }),
      "fur",
      { showIf: "data.pet == 'cat'", required: true },
    ],
    [{ allOf: [branch(isCat, { properties: { fur: text } })] }, "fur", { showIf: "data.pet == 'cat'" }],
    [{ dependentRequired: { pet: ["name"] } }, "name", { requireIf: "has(data.pet)" }],
    [{ dependencies: { pet: ["name"] } }, "name", { requireIf: "has(data.pet)" }],
    [{ dependentSchemas: { pet: { properties: { fur: text } } } }, "fur", { showIf: "has(data.pet)" }],
    [
      {
        dependencies: {
          pet: {
            oneOf: [
              { properties: { pet: { enum: ["cat"] }, fur: text } },
              { properties: { pet: { const: "dog" } } },
            ],
          },
        },
      },
      "fur",
      { showIf: "has(data.pet) && data.pet == 'cat'" },
    ],
    [
      { oneOf: [{ properties: { kind: cat, fur: text } }, { properties: { kind: { const: "dog" } } }] },
      "fur",
      { showIf: "data.kind == 'cat'" },
    ],
  ])("%j: %s", (more, id, logic) => {
    expect(logicOf(more, id)).toEqual({
      showIf: undefined,
      requireIf: undefined,
      required: undefined,
      ...logic,
    });
  });

  test("that have no counterpart are quoted, and what they ask for is not required", () => {
    const pattern = { properties: { name: { pattern: "^x" } }, required: ["name"] };
    const more = branch(pattern, { properties: { fur: text, pet: { const: "cat" } }, required: ["fur"] });
    expect(logicOf(more, "fur")).toEqual({ showIf: undefined, requireIf: undefined, required: undefined });
    expect(itemsOf(properties, more)).toEqual([
      'approximated /pet “pet”: A condition requires more of its value: [{"const":"cat"}]',
      expect.stringMatching(
        /^approximated \/fur “fur”: The condition under which it is asked for has no counterpart/,
      ),
      expect.stringMatching(
        /^approximated \/fur “fur”: The condition under which it is required has no counterpart/,
      ),
    ]);
  });
});

test("references and conditions that repeat themselves are read in little time", () => {
  const chain = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `d${level}`,
      {
        properties: Object.fromEntries(
          [..."abcdefgh"].map((name) => [name, { $ref: `#/$defs/d${level + 1}` }]),
        ),
      },
    ]),
  );
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`q${index}`, text]));
  const values = Array.from({ length: 60_000 }, (_, index) => index);
  const documents = [
    { $defs: chain, properties: { a: { $ref: "#/$defs/d0" } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    { properties: { a: text }, if: { properties: { a: { enum: values } } }, then: { properties: many } },
    {
      $defs: { long: { description: "x".repeat(900_000) } },
      properties: Object.fromEntries(Object.keys(many).map((name) => [name, { $ref: "#/$defs/long" }])),
    },
    {
      properties: { a: text },
      allOf: Array.from({ length: 20_000 }, () => ({ properties: { a: { minLength: 1 } } })),
    },
  ];
  for (const document of documents)
    expect(leastCpuMs(2_500, () => jsonSchemaForms.convert(document))).toBeLessThan(2_500);
}, 60_000);

const corpus = corpusOf("jsonschema");
test.skipIf(corpus.length === 0)(
  "examples of JSON Forms and react-jsonschema-form: 90 % outside of lists are kept",
  () => {
    const { fields, leftOut, items } = convertAll("jsonschema", corpus);
    const listed = items.filter(({ severity, code }) => severity === "left_out" && code === "repeat").length;
    expect(corpus.length).toBeGreaterThan(75);
    expect((fields - leftOut) / (fields - listed)).toBeGreaterThan(0.9);
  },
);
