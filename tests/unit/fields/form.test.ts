import { describe, expect, test } from "bun:test";
import { type FieldCode, fieldCodes } from "../../../src/fields/codes.ts";
import { compile } from "../../../src/fields/compile.ts";
import { jsonSchemaOf } from "../../../src/fields/json-schema.ts";
import { isEmpty } from "../../../src/fields/values.ts";
import { codes, issues, json, leastCpuMs, words } from "./fixture.ts";

describe("a whole payload", () => {
  const form = compile({
    fields: [
      { id: "name", type: "text", label: "Name", required: true },
      { id: "age", type: "integer", label: "Age", required: true },
      { id: "note", type: "textarea", label: "Note" },
      { id: "intro", type: "heading", label: "Hello", required: true },
    ],
  });

  test("a valid one has no issues, and its data is in schema order", () => {
    const { errors, unknown, missing, data } = form.validate({ note: "hi", age: 0, name: "Ada" });
    expect([errors, unknown, missing]).toEqual([[], [], []]);
    expect(JSON.stringify(data)).toBe('{"name":"Ada","age":0,"note":"hi"}');
  });

  test("missing values come in schema order and are not errors yet", () => {
    expect(form.validate({})).toMatchObject({ errors: [], unknown: [], missing: ["name", "age"] });
    const issue = { field: "age", code: "required", constraint: "required" } as const;
    expect(form.requiredIssue("age")).toMatchObject(issue);
  });

  test("of an unknown key three are compared with the fields, and the one that is meant is named", () => {
    const { unknown } = form.validate({ nmae: "a", aeg: 1, colour: "red", name2: 1, Note: 2 });
    expect(unknown.map(({ message, expected }) => [message, expected])).toEqual([
      ["The form has no such field: is name meant?", "name"],
      ["The form has no such field: is age meant?", "age"],
      ...Array(3).fill(["The form has no such field.", undefined]),
    ]);
  });

  test("a type mismatch on a required field is an error, not a missing value", () => {
    expect(form.validate({ name: "Ada", age: "36" })).toMatchObject({
      errors: [{ field: "age", code: "type_mismatch", constraint: "type", expected: "integer" }],
      missing: [],
    });
  });

  test("keys that the schema does not have, empty or not, and values for a statement are unknown", () => {
    const sent = { name: "Ada", age: 1, Name: "x", intro: "y", toString: 1, zip: null };
    const { unknown, data, errors } = form.validate(sent);
    expect(unknown.map(({ field }) => field).sort()).toEqual(words("Name intro toString zip"));
    expect(unknown.every(({ code }) => code === "unknown_field")).toBe(true);
    expect(errors).toEqual([]);
    expect(Object.keys(data)).toEqual(["name", "age"]);
  });

  test("of many unknown keys a hundred are reported", () => {
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]));
    expect(form.validate(flood).unknown).toHaveLength(100);
  });

  test("an unstorable value has that issue and no other", () => {
    const found = { age: "type_mismatch", name: "format", ghost: "format", intro: "format" } as const;
    const data = { name: "\0", age: 2 ** 60, ghost: "\0", intro: "a\0" };
    const { errors, missing, unknown } = form.validate(data, new Map(Object.entries(found)));
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(["name format", "age type_mismatch"]);
    expect(missing).toEqual([]);
    expect(unknown.map(({ field, code }) => `${field} ${code}`).sort()).toEqual([
      "ghost unknown_field",
      "intro unknown_field",
    ]);
  });

  test("issues are frozen: one request cannot change those of the next", () => {
    const [issue] = form.validate({ name: 1 }).errors;
    expect(Object.isFrozen(issue)).toBe(true);
    expect(Object.isFrozen(form)).toBe(true);
  });
});

describe("what counts as empty", () => {
  test("false and 0 are values", () => {
    expect(codes({ type: "boolean", required: true }, false)).toEqual([]);
    expect(codes({ type: "number", required: true }, 0)).toEqual([]);
    expect(codes({ type: "x-unknown", required: true }, 0)).toEqual([]);
  });

  test("text without a character to see is empty, for the form and, up to U+FFFF, for its schema", () => {
    const { $defs } = jsonSchemaOf({ fields: [] }) as { $defs: { blank: { pattern: string } } };
    for (const flag of ["", "u"]) {
      const blank = new RegExp($defs.blank.pattern, flag);
      for (let code = 0; code <= 0xffff; code++) {
        const text = String.fromCharCode(code);
        if (blank.test(text) !== isEmpty(text)) expect([code.toString(16), flag]).toEqual([]);
      }
    }
    const tags = "\u{e0001}\u{e0067}\u{e0100}\u{1d173}";
    expect([isEmpty(tags), isEmpty(`${tags}a`)]).toEqual([true, false]);
    for (const answer of ["👨‍👩‍👧", "❤️", "🏴\u{e0067}\u{e007f}", "क्‍ष", "می‌", "가", "0", "."])
      expect([answer, isEmpty(answer)]).toEqual([answer, false]);
  });

  test("empty optional values are not stored", () => {
    const tags = { id: "b", type: "tags", options: ["x"] };
    const form = compile({ fields: [{ id: "a", type: "text" }, tags] });
    expect(Object.keys(form.validate({ a: "  ", b: [] }).data)).toEqual([]);
  });

  test("white space of 100,000 characters is recognised at once", () => {
    const text = " ".repeat(100_000);
    expect(leastCpuMs(50, () => codes({ type: "text" }, text))).toBeLessThan(50);
  });
});

describe("one field", () => {
  const form = compile({
    fields: [
      { id: "mail", type: "email", label: "M", required: true },
      { id: "nick", type: "text", label: "N", validation: { maxLength: 3 } },
      { id: "head", type: "statement", label: "H", required: true },
    ],
  });

  test.each([
    ["mail", "a@b.c", []],
    ["mail", "x", ["format"]],
    ["mail", " ", ["required"]],
    ["nick", null, []],
    ["nick", "long", ["max_length"]],
    ["ghost", "x", ["unknown_field"]],
    ["ghost", null, ["unknown_field"]],
    ["__proto__", {}, ["unknown_field"]],
    ["head", "x", ["unknown_field"]],
    ["head", null, []],
  ])("%s = %j gives %j", (id, value, expected) => {
    expect(form.validateField(id, value).map(({ code }) => code)).toEqual(expected);
  });

  test("field() returns the canonical kind and the constraints in effect", () => {
    const rating = compile({
      fields: [{ id: "r", type: "scale", label: "R", validation: { maximum: 7 } }],
    }).field("r");
    expect(rating).toMatchObject({ id: "r", type: "scale", kind: "rating", label: "R", required: false });
    expect(rating?.constraints).toEqual({ minimum: 1, maximum: 7 });
    expect(form.field("toString")).toBeUndefined();
  });
});

describe("definitions", () => {
  test("validation wins over the same key on the field; null there means not set", () => {
    const both = (maxLength: number | null) => ({ type: "text", maxLength: 2, validation: { maxLength } });
    expect(codes(both(5), "abcd")).toEqual([]);
    expect(codes(both(null), "abcd")).toEqual(["max_length"]);
    expect(codes({ type: "select", validation: { options: ["a"] } }, "b")).toEqual(["invalid_option"]);
  });

  test("an unknown type, or none, accepts any JSON value", () => {
    for (const value of ["x", 1, false, ["a", 1], { deep: { er: [null] } }]) {
      expect(codes({ type: "wibble" }, value)).toEqual([]);
      expect(codes({ type: "constructor" }, value)).toEqual([]);
      expect(codes({}, value)).toEqual([]);
    }
  });

  test("of two definitions with one id the first one counts", () => {
    const form = compile({ fields: ["integer", "email"].map((type) => ({ id: "a", type })) });
    expect(form.validate({ a: 1 }).errors).toEqual([]);
    expect(form.checkable).toEqual([]);
  });

  test("compiling never throws: what is invalid is left out", () => {
    const form = compile({
      fields: [
        ...[null, 7, "text", [], {}],
        { id: "a", type: "text", validation: { pattern: "(", minLength: "3", maxLength: -1 } },
        { id: "b", type: "select", options: "red" },
        { id: "c", type: "matrix" },
        { id: "d", type: "date", minimum: "soon" },
        { id: "e", type: "number", multipleOf: 0, validation: [] },
        { id: 5, type: "phone", country: "XX" },
      ],
    });
    const result = form.validate({ a: "x", d: "2026-01-01", e: 2 });
    expect(result).toMatchObject({ errors: [], unknown: [], missing: [] });
    expect(form.validateField("b", "red")).toMatchObject([{ code: "invalid_option", expected: [] }]);
  });
});

describe("ids that JavaScript gives a meaning of its own", () => {
  const ids = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "7"];
  const form = compile({ fields: ids.map((id) => ({ id, type: "text", label: id, required: true })) });

  test("are ordinary fields", () => {
    expect(form.validate({}).missing).toEqual(ids);
    const text = `{${ids.map((id) => `${JSON.stringify(id)}:"v"`).join()}}`;
    const { data, errors, unknown, missing } = form.validate(json(text));
    expect([errors, unknown, missing]).toEqual([[], [], []]);
    expect(json(JSON.stringify(data))).toEqual(json(text));
    expect(JSON.stringify(data)).toContain('"__proto__":"v"');
    expect(form.validateField("__proto__", 5)).toMatchObject([{ code: "type_mismatch" }]);
    expect(form.field("constructor")?.label).toBe("constructor");
  });

  test("pollute no prototype, as values, as keys or in definitions", () => {
    form.validate(json('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    for (const inherited of [
      '{"id":"a","type":"text","validation":{"__proto__":{"maxLength":1}},"__proto__":{"required":true}}',
      '{"id":"a","type":"text","__proto__":{"required":true,"maxLength":1}}',
    ])
      expect(compile({ fields: [json(inherited)] }).validate({ a: "long" }).errors).toEqual([]);
    expect(
      compile({ fields: [json('{"id":"a","__proto__":{"required":true}}')] }).validate({}).missing,
    ).toEqual([]);
  });
});

describe("checkable fields", () => {
  test.each<[object, boolean]>([
    ...words("email phone url date rating address").map((type): [object, boolean] => [{ type }, true]),
    ...words("text textarea number boolean hidden statement").map((type): [object, boolean] => [
      { type },
      false,
    ]),
    [{ type: "select", options: ["a"] }, true],
    [{ type: "select", options: ["a"], allowOther: true }, false],
    [{ type: "tags", options: ["a"] }, true],
    [{ type: "matrix", rows: ["r"], columns: ["c"] }, true],
    [{ type: "text", minLength: 1 }, false],
    [{ type: "text", minLength: 2 }, true],
    [{ type: "text", pattern: "^a" }, true],
    [{ type: "textarea", maxLength: 50 }, true],
    [{ type: "integer", minimum: 1 }, true],
    [{ type: "consent", required: true }, false],
    [{ type: "x-signature", pattern: "^a" }, false],
  ])("%j: %p", (definition, expected) => {
    expect(compile({ fields: [{ id: "f", label: "F", ...definition }] }).checkable.includes("f")).toBe(
      expected,
    );
  });

  test("come in schema order", () => {
    const fields = ["url", "text", "email"].map((type) => ({ id: type, type, label: type }));
    expect(compile({ fields }).checkable).toEqual(["url", "email"]);
  });
});

describe("the documented codes", () => {
  test.each(Object.entries(fieldCodes))(
    "%s: the rejected example has the code, the accepted one has none",
    (code, { example }) => {
      expect(codes(example.field, example.rejected)).toContain(code as FieldCode);
      expect(codes(example.field, example.accepted)).toEqual([]);
    },
  );

  test("no message repeats the rejected value", () => {
    const secret = "s3cret-value";
    for (const type of words(
      "email phone url date time datetime number boolean select tags address rating",
    )) {
      const found = issues({ type, options: ["a"] }, secret);
      expect(found).not.toEqual([]);
      expect(JSON.stringify(found)).not.toContain(secret);
    }
  });
});
