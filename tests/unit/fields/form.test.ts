import { describe, expect, test } from "bun:test";
import { type FieldCode, fieldCodes } from "../../../src/fields/codes.ts";
import { compile } from "../../../src/fields/compile.ts";
import { codes, issues, json, leastCpuMs } from "./fixture.ts";

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

  test("what is missing comes in schema order and is no error yet", () => {
    expect(form.validate({})).toMatchObject({ errors: [], unknown: [], missing: ["name", "age"] });
    expect(form.requiredIssue("age")).toMatchObject({
      field: "age",
      code: "required",
      constraint: "required",
    });
  });

  test("a type mismatch on a required field is an error, not a missing value", () => {
    expect(form.validate({ name: "Ada", age: "36" })).toMatchObject({
      errors: [{ field: "age", code: "type_mismatch", constraint: "type", expected: "integer" }],
      missing: [],
    });
  });

  test("keys that the schema does not have, and values for a statement, are unknown fields", () => {
    const { unknown, data, errors } = form.validate({
      name: "Ada",
      age: 1,
      Name: "x",
      intro: "y",
      toString: 1,
    });
    expect(unknown.map(({ field }) => field).sort()).toEqual(["Name", "intro", "toString"]);
    expect(unknown.every(({ code }) => code === "unknown_field")).toBe(true);
    expect(errors).toEqual([]);
    expect(Object.keys(data)).toEqual(["name", "age"]);
  });

  test("an unknown key is reported even when its value is empty", () => {
    expect(form.validate({ name: "Ada", age: 1, zip: null }).unknown).toMatchObject([{ field: "zip" }]);
  });

  test("of many unknown keys a hundred are reported", () => {
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]));
    expect(form.validate(flood).unknown).toHaveLength(100);
  });

  test("an unstorable value has that issue and no other", () => {
    const unstorable = new Map([
      ["age", "type_mismatch"],
      ["name", "format"],
      ["ghost", "format"],
    ] as const);
    const { errors, missing, unknown } = form.validate({ name: "\0", age: 2 ** 60, ghost: "\0" }, unstorable);
    expect(errors.map(({ field, code }) => [field, code])).toEqual([
      ["name", "format"],
      ["age", "type_mismatch"],
    ]);
    expect(missing).toEqual([]);
    expect(unknown).toMatchObject([{ field: "ghost", code: "unknown_field" }]);
  });

  test("an unstorable value of a statement is an unknown field", () => {
    const { errors, unknown } = form.validate({ intro: "\0" }, new Map([["intro", "format"]] as const));
    expect(errors).toEqual([]);
    expect(unknown).toMatchObject([{ field: "intro", code: "unknown_field" }]);
  });

  test("issues are frozen: one request cannot change those of the next", () => {
    const [issue] = form.validate({ name: 1 }).errors;
    expect(Object.isFrozen(issue)).toBe(true);
    expect(Object.isFrozen(form)).toBe(true);
  });
});

describe("what counts as empty", () => {
  const blanks = [null, "", " \t\r\n\u00a0\u2003\ufeff", [], {}];
  test.each([
    "text",
    "email",
    "phone",
    "url",
    "number",
    "boolean",
    "select",
    "tags",
    "date",
    "address",
    "matrix",
    "hidden",
    "x-unknown",
  ])("an empty value is acceptable for an optional %s, and missing for a required one", (type) => {
    const definition = { type, options: ["a"], rows: ["r"], columns: ["c"], pattern: "^z$", minLength: 5 };
    for (const blank of blanks) {
      expect(codes(definition, blank)).toEqual([]);
      expect(codes({ ...definition, required: true }, blank)).toEqual(["required"]);
    }
  });

  test("false and 0 are values", () => {
    expect(codes({ type: "boolean", required: true }, false)).toEqual([]);
    expect(codes({ type: "number", required: true }, 0)).toEqual([]);
    expect(codes({ type: "x-unknown", required: true }, 0)).toEqual([]);
  });

  test("empty optional values are not stored", () => {
    const form = compile({
      fields: [
        { id: "a", type: "text" },
        { id: "b", type: "tags", options: ["x"] },
      ],
    });
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

  test("field() tells the canonical kind and the constraints in force", () => {
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
    expect(codes({ type: "text", maxLength: 2, validation: { maxLength: 5 } }, "abcd")).toEqual([]);
    expect(codes({ type: "text", maxLength: 2, validation: { maxLength: null } }, "abcd")).toEqual([
      "max_length",
    ]);
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
    const form = compile({
      fields: [
        { id: "a", type: "integer" },
        { id: "a", type: "email" },
      ],
    });
    expect(form.validate({ a: 1 }).errors).toEqual([]);
    expect(form.checkable).toEqual([]);
  });

  test("compiling never throws: what is invalid is left out", () => {
    const form = compile({
      fields: [
        null,
        7,
        "text",
        [],
        {},
        { id: "a", type: "text", validation: { pattern: "(", minLength: "3", maxLength: -1 } },
        { id: "b", type: "select", options: "red" },
        { id: "c", type: "matrix" },
        { id: "d", type: "date", minimum: "soon" },
        { id: "e", type: "number", multipleOf: 0, validation: [] },
        { id: 5, type: "phone", country: "XX" },
      ],
    });
    expect(form.validate({ a: "x", d: "2026-01-01", e: 2 })).toMatchObject({
      errors: [],
      unknown: [],
      missing: [],
    });
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
    compile({
      fields: [
        json(
          '{"id":"a","type":"text","validation":{"__proto__":{"maxLength":1}},"__proto__":{"required":true}}',
        ),
      ],
    });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const inherited = compile({
      fields: [json('{"id":"a","type":"text","__proto__":{"required":true,"maxLength":1}}')],
    });
    expect(inherited.validate({ a: "long" }).errors).toEqual([]);
    expect(inherited.validate({}).missing).toEqual([]);
  });
});

describe("checkable fields", () => {
  test.each([
    [{ type: "email" }, true],
    [{ type: "phone" }, true],
    [{ type: "url" }, true],
    [{ type: "date" }, true],
    [{ type: "rating" }, true],
    [{ type: "address" }, true],
    [{ type: "select", options: ["a"] }, true],
    [{ type: "select", options: ["a"], allowOther: true }, false],
    [{ type: "tags", options: ["a"] }, true],
    [{ type: "matrix", rows: ["r"], columns: ["c"] }, true],
    [{ type: "text" }, false],
    [{ type: "text", minLength: 1 }, false],
    [{ type: "text", minLength: 2 }, true],
    [{ type: "text", pattern: "^a" }, true],
    [{ type: "textarea" }, false],
    [{ type: "textarea", maxLength: 50 }, true],
    [{ type: "number" }, false],
    [{ type: "integer", minimum: 1 }, true],
    [{ type: "boolean" }, false],
    [{ type: "consent", required: true }, false],
    [{ type: "hidden" }, false],
    [{ type: "statement" }, false],
    [{ type: "x-signature", pattern: "^a" }, false],
  ])("%j: %p", (definition, expected) => {
    expect(compile({ fields: [{ id: "f", label: "F", ...definition }] }).checkable.includes("f")).toBe(
      expected,
    );
  });

  test("come in schema order", () => {
    const types = ["url", "text", "email"];
    expect(compile({ fields: types.map((type) => ({ id: type, type, label: type })) }).checkable).toEqual([
      "url",
      "email",
    ]);
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
    for (const type of [
      "email",
      "phone",
      "url",
      "date",
      "time",
      "datetime",
      "number",
      "boolean",
      "select",
      "tags",
      "address",
      "rating",
    ]) {
      const found = issues({ type, options: ["a"] }, secret);
      expect(found).not.toEqual([]);
      expect(JSON.stringify(found)).not.toContain(secret);
    }
  });
});
