import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compile } from "../../src/fields/compile.ts";
import { plainSchema } from "../../src/fields/plain-schema.ts";
import { toolSchema, withIds, withKeys } from "../../src/protocols/mcp/form-tool.ts";
import { samples } from "../form-arbitraries.ts";
import "../generated.ts";
import { keyPattern, violationsOf } from "../tool-rules.ts";

// biome-ignore lint/suspicious/noExplicitAny: a schema of any shape
type Json = any;

const schemaOf = (fields: object[]): Json => toolSchema(compile({ fields }));
const keysOf = (ids: string[]): Record<string, string> => {
  const keys = Object.keys(schemaOf(ids.map((id) => ({ id, type: "text", label: id }))).properties);
  return Object.fromEntries(ids.map((id, index) => [id, keys[index] as string]));
};
const byId = (fields: object[], data: object) =>
  withIds(compile({ fields }), { data: data as Record<string, unknown>, unstorable: new Map() }, true).data;

/** Ids as people write them, and those that programs stumble over. */
const ids = fc.oneof(
  fc.constantFrom(
    ...[
      "name",
      "E-mail",
      "first name",
      "first_name",
      "first-name",
      "Straße",
      "名前",
      "имя",
      "",
      " ",
      "7",
      "1st",
    ],
    ...[
      "__proto__",
      "constructor",
      "toString",
      "type",
      "properties",
      "x".repeat(64),
      "x".repeat(65),
      "ß".repeat(80),
    ],
    ...["first_name_8ab5cc4b", "a.b", "a/b~c", "\u200b", "👩‍👩‍👧", "é", "e\u0301"],
  ),
  fc.string({ unit: "grapheme", maxLength: 128 }),
);
const words = fc.oneof(fc.constant("Label"), fc.string({ unit: "grapheme", maxLength: 2000 }));

/** Forms with every type of field, under ids of every kind. */
const forms = fc
  .tuple(samples(8), fc.uniqueArray(ids, { minLength: 8, maxLength: 8 }), words, words)
  .map(([{ fields }, ids, label, description]) =>
    fields.map((field, index) => ({ ...field, id: ids[index] as string, label, description })),
  );

test("every model takes the tools of 1,000 random forms", () => {
  fc.assert(
    fc.property(forms, (fields) => {
      const inputSchema = schemaOf(fields);
      expect(violationsOf({ name: "submit_x", description: "A form.", inputSchema })).toEqual([]);
      const asked = compile({ fields }).fields.filter(({ fieldType }) => fieldType.nature !== "none");
      expect(Object.keys(inputSchema.properties)).toHaveLength(asked.length);
    }),
    { numRuns: 1000 },
  );
});

/** A value that a schema allows, with the least that it asks for. */
function sampleOf(schema: Json, pick: number): unknown {
  const { type, enum: options, minimum, maximum, minLength = 1, minItems = 1, items, properties } = schema;
  if (options) return options[pick % options.length];
  if (type === "object")
    return Object.fromEntries(Object.keys(properties).map((key) => [key, sampleOf(properties[key], pick)]));
  if (type === "array") return Array.from({ length: minItems }, (_, index) => sampleOf(items, pick + index));
  if (type === "string") return "x".repeat(minLength);
  return type === "boolean" ? true : (minimum ?? maximum ?? 1);
}

/** Issues that the schema alone prevents. The others are about rules that a description says. */
const prevented = [
  ...["unknown_field", "type_mismatch", "invalid_option", "required", "required_part", "incomplete_matrix"],
  ...["min_length", "max_length", "min_items"],
];

test("what a model writes by the schema arrives under the ids, as the form's types and options", () => {
  fc.assert(
    fc.property(forms, fc.nat(9), (fields, pick) => {
      const [form, schema] = [compile({ fields }), schemaOf(fields)];
      // No value has so few characters.
      fc.pre(!JSON.stringify(schema).includes('"maxLength":0'));
      const data = byId(fields, sampleOf(schema, pick) as object);
      const { errors, unknown, missing } = form.validate(data);
      const codes = [...errors, ...unknown].map(({ code }) => code);
      expect([data, codes.filter((code) => prevented.includes(code)), missing]).toEqual([data, [], []]);
    }),
    { numRuns: 1000 },
  );
});

describe("a key", () => {
  test("is the id where that is plain, and else its letters with digits of its own, the same in each version", () => {
    fc.assert(
      fc.property(fc.uniqueArray(ids, { maxLength: 12 }), fc.infiniteStream(fc.boolean()), (all, keep) => {
        const keys = keysOf(all);
        expect(new Set(Object.values(keys)).size).toBe(all.length);
        for (const id of all)
          if (keyPattern.test(id) && id !== "__proto__") expect(keys[id]).toBe(id);
          else expect(keys[id]).toMatch(/^[a-z][a-z0-9_]*_[0-9a-f]{8}$/);
        const later = all.filter(() => keep.next().value).toReversed();
        const changed = later.filter(
          (id) => keysOf(later)[id] !== keys[id] && !all.includes(keysOf([id])[id] ?? ""),
        );
        expect(changed).toEqual([]);
      }),
    );
  });

  test("is never another field's id, although that looks like it", () => {
    const { "first name": taken = "" } = keysOf(["first name"]);
    const keys = keysOf(["first name", taken]);
    expect(keys[taken]).toBe(taken);
    expect(keys["first name"]).not.toBe(taken);
  });

  const fields = [
    { id: "first name", type: "text", label: "N" },
    { id: "__proto__", type: "text", label: "P" },
    { id: "m", type: "matrix", label: "M", rows: ["the speed", "price"], columns: ["good", "bad"] },
    {
      id: "n",
      type: "multi_select",
      label: "N",
      options: [{ value: 1, label: "One" }, "1", { value: true }, "x"],
    },
  ];
  const [first = "", proto = "", m, n] = Object.keys(schemaOf(fields).properties);
  const [speed = ""] = Object.keys(schemaOf(fields).properties.m.properties);

  test("is read back to the id, as are rows and options; ids are taken as they are", () => {
    expect([m, n]).toEqual(["m", "n"]);
    const sent = { [first]: "Ada", [proto]: "x", m: { [speed]: "good" }, n: ["1", '"1"', "true", "x", true] };
    const data = byId(fields, sent);
    expect(Object.entries(data)).toEqual([
      ["first name", "Ada"],
      ["__proto__", "x"],
      ["m", { "the speed": "good" }],
      ["n", [1, "1", true, "x", true]],
    ]);
    expect(byId(fields, { "first name": "Ada", m: { "the speed": "bad" } })).toEqual({
      "first name": "Ada",
      m: { "the speed": "bad" },
    });
  });

  test("beside the id that it stands for is an unknown field, and replaces nothing", () => {
    const sent = { "first name": "Ada", [first]: "Bob" };
    expect(byId(fields, sent)).toEqual(sent);
  });

  test("is in the errors instead of the id, with its rows and the name that was meant", () => {
    const form = compile({ fields: [{ ...fields[0], required: true }, ...fields.slice(1)] });
    const errorsOf = (data: Record<string, unknown>, isOwnTool = true) => {
      const { errors, unknown, missing } = form.validate(byId(fields, data));
      const issues = [...errors, ...unknown, ...missing.map((id) => form.requiredIssue(id))];
      return withKeys(form, data, { errors: issues, missingRequired: missing }, isOwnTool) as Json;
    };
    const { errors, missingRequired } = errorsOf({
      m: { [`${speed}x`]: "good", [speed]: "ugly" },
      frist_name: "A",
    });
    expect(errors).toMatchObject([
      { field: "m", constraint: `rows.${speed}x`, expected: [speed, "price"] },
      { field: "m", constraint: `columns.${speed}`, expected: ["good", "bad"] },
      {
        field: "frist_name",
        code: "unknown_field",
        message: `The form has no such field: is ${first} meant?`,
      },
      { field: first, code: "required" },
    ]);
    expect(missingRequired).toEqual([first]);
    expect(errorsOf({ "first name": 7 }).errors).toMatchObject([
      { field: "first name", code: "type_mismatch" },
    ]);
    expect(errorsOf({ [first]: 7 }, false).errors).toMatchObject([{ field: first, code: "type_mismatch" }]);
    expect(errorsOf({}, false).missingRequired).toEqual(["first name"]);
  });
});

test("a description says what the schema cannot: rules, labels, conditions, and that a value may be left out", () => {
  const saidOf = (rest: object): string =>
    schemaOf([
      { id: "first name", type: "text", label: "First" },
      { id: "q", label: 'Say "x"', ...rest },
    ]).properties.q.description;
  expect(saidOf({ type: "integer", multipleOf: 5 })).toBe(
    '"Say \\"x\\"" A number without a fraction. A multiple of 5. Optional: leave out if unknown.',
  );
  const said: [rest: object, text: string][] = [
    [{ type: "text", pattern: "^[A-Z]" }, 'Matches the regular expression "^[A-Z]"'],
    [{ type: "date", minimum: "2026-01-01" }, "2026-01-01 or later."],
    [{ type: "email", allowedDomains: ["a.de", "b.de"] }, "At a.de or b.de."],
    [{ type: "phone", country: "DE" }, "A national number of DE is taken too."],
    [{ type: "select", options: [{ value: "m", label: "Medium" }] }, 'Options: "m" is "Medium".'],
    [{ type: "select", options: ["s"], allowOther: true }, 'Options: "s". Another text is taken too.'],
    [{ type: "select", options: [{ value: "s", limit: 3 }] }, 'only so many submissions can have: "s": 3.'],
    [{ type: "ranking", options: ["a", "b"], rankAll: true }, "All options are ranked."],
    [
      { type: "file", accept: ["text/csv"], maxBytes: 2048 },
      "Of the media types text/csv. Each of at most 2 KB.",
    ],
    [{ type: "rating", minimumLabel: "bad" }, 'The least means "bad".'],
    [{ type: "text", default: "x" }, 'The form\'s page offers "x".'],
    [
      { type: "text", showIf: "data['first name'] == 'A'", required: true },
      'is "A". Required when it is asked.',
    ],
    [{ type: "text", rules: [{ rule: "data.q != 'no'", message: "Not no." }] }, "Not no."],
  ];
  for (const [rest, text] of said) expect(saidOf(rest)).toContain(text);
  expect(saidOf({ type: "text", required: true })).not.toContain("Optional");
});

test("a schema of JSON Schema 2020-12 is written without references, combinations and keywords that vendors refuse", () => {
  const definitions: Record<string, object> = {
    A: {
      type: "object",
      properties: { op: { const: "a" }, x: { type: ["integer", "null"], exclusiveMinimum: 0 } },
      required: ["op", "x"],
    },
    B: {
      type: "object",
      properties: { op: { const: "b" }, when: { type: "string", format: "date-time" } },
      required: ["op"],
    },
  };
  const plain = plainSchema(
    {
      type: "object",
      properties: {
        list: {
          type: "array",
          uniqueItems: true,
          items: { anyOf: [{ $ref: "A" }, { $ref: "B" }], description: "Acts." },
        },
        level: { anyOf: [{ const: "low" }, { const: "high" }, { type: "null" }] },
        count: { enum: [1, 2], default: 1 },
        map: { type: "object", additionalProperties: { type: "number" }, propertyNames: { pattern: "^x" } },
        both: { allOf: [{ $ref: "A" }, { properties: { more: {} } }], not: {}, $comment: "c", title: "T" },
      },
      required: ["list"],
    },
    (name) => definitions[name] as Record<string, unknown>,
  );
  expect(violationsOf({ name: "x", description: "x", inputSchema: plain })).toEqual([]);
  expect(plain).toMatchObject({
    properties: {
      list: {
        description: "Each at most once.",
        items: {
          description: "Acts. Required by `op`: a (x), b (nothing else).",
          properties: {
            op: { type: "string", enum: ["a", "b"] },
            x: { type: "integer", description: "More than 0." },
            when: { type: "string", description: "RFC 3339, with offset." },
          },
          required: ["op"],
        },
      },
      level: { type: "string", enum: ["low", "high"] },
      count: { type: "number", description: "One of 1, 2. Default: 1." },
      map: { type: "object", properties: { any_name: { type: "string" } } },
      both: { required: ["op", "x"], properties: { more: { type: "string" } } },
    },
    required: ["list"],
  });
});
