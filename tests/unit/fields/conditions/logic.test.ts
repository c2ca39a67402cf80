import { describe, expect, test } from "bun:test";
import { compile } from "../../../../src/fields/compile.ts";
import { lint } from "../../../../src/fields/lint.ts";
import { json, leastCpuMs } from "../fixture.ts";

type Definition = Record<string, unknown>;
const text = (id: string, rest: Definition = {}) => ({ id, type: "text", label: id, ...rest });
const number = (id: string, rest: Definition = {}) => ({ id, type: "number", label: id, ...rest });
const country = { id: "country", type: "select", label: "Country", options: ["DE", "FR"] };

/** Returns the validation result as codes per field. */
function validate(fields: Definition[], data: Record<string, unknown>) {
  expect(lint({ fields })).toEqual([]);
  const { errors, unknown, missing, logic, data: stored } = compile({ fields }).validate(data);
  return {
    errors: [...errors, ...unknown].map(({ field, code }) => `${field} ${code}`),
    missing,
    applicable: logic?.applicable,
    stored: { ...stored },
  };
}

describe("a field with showIf", () => {
  const fields = [country, text("vat", { required: true, showIf: "data.country == 'DE'" })];
  test("that applies is a field like any other", () => {
    expect(validate(fields, { country: "DE" })).toMatchObject({ missing: ["vat"], errors: [] });
    expect(validate(fields, { country: "DE", vat: "1" })).toMatchObject({ missing: [], errors: [] });
    expect(validate(fields, { country: "DE", vat: 1 }).errors).toEqual(["vat type_mismatch"]);
  });
  test.each([
    ["its condition is false", { country: "FR" }],
    ["its condition reads what is absent", {}],
    ["its condition reads what is malformed", { country: 5 }],
  ])("has no rules and is not missing when %s (formio#588, formie#648)", (_, data) => {
    expect(validate(fields, data).missing).toEqual([]);
    expect(validate(fields, { ...data, vat: 5 }).errors).toContain("vat not_applicable");
    expect(validate(fields, { ...data, vat: "1" }).stored).not.toHaveProperty("vat");
    expect(validate(fields, { ...data, vat: " " }).errors).not.toContain("vat not_applicable");
  });
  test("is among the applicable ones only when it applies", () => {
    expect(validate(fields, { country: "DE" }).applicable).toEqual(["country", "vat"]);
    expect(validate(fields, {}).applicable).toEqual(["country"]);
  });
});

test("a chain: a hides b, and c is hidden without b", () => {
  const fields = [
    text("a"),
    text("b", { showIf: "data.a == 'x'" }),
    text("c", { showIf: "has(data.b)", required: true }),
  ];
  expect(validate(fields, { a: "x", b: "y" })).toMatchObject({ errors: [], missing: ["c"] });
  const without = { errors: ["b not_applicable"], missing: [], applicable: ["a"] };
  expect(validate(fields, { a: "-", b: "y" })).toMatchObject(without);
});

test("showIf of a page_break is about every field of its step, and its own showIf is about that step only", () => {
  const fields = [
    text("a"),
    { id: "p", type: "page_break", label: "P", showIf: "has(data.a)" },
    text("b", { required: true }),
    { id: "s", type: "statement", label: "S" },
    text("c", { showIf: "data.b == 'x'" }),
    { id: "q", type: "page_break", label: "Q" },
    text("d"),
  ];
  expect(validate(fields, {}).applicable).toEqual(["a", "d"]);
  expect(validate(fields, { a: "1" }).applicable).toEqual(["a", "b", "d"]);
  expect(validate(fields, { a: "1", b: "x" }).applicable).toEqual(["a", "b", "c", "d"]);
  expect([...(compile({ fields }).validate({}).logic?.hidden ?? [])]).toEqual(["p", "b", "s", "c"]);
});

test("requireIf: a value is required while the condition holds", () => {
  const fields = [number("total"), text("vat", { requireIf: "data.total >= 100.0" })];
  expect(validate(fields, { total: 100 }).missing).toEqual(["vat"]);
  expect(validate(fields, { total: 99 }).missing).toEqual([]);
  expect(validate(fields, {}).missing).toEqual([]);
  expect(validate(fields, { total: 5, vat: "x" }).errors).toEqual([]);
});

describe("a rule", () => {
  const rule = { rule: "data.vat.startsWith(data.country)", message: "Must begin with the country." };
  const fields = [country, text("vat", { rules: [rule] })];
  test("that is false is an error with the owner's message and the rule", () => {
    const { errors } = compile({ fields }).validate({ country: "DE", vat: "FR1" });
    expect(errors).toEqual([
      { field: "vat", code: "rule", message: rule.message, constraint: "rules[0]", expected: rule.rule },
    ]);
  });
  test.each([[{ country: "DE", vat: "DE1" }], [{ vat: "FR1" }], [{ country: "DE" }], [{}]])(
    "that is true, or cannot be decided, is not violated: %p",
    (data) => expect(validate(fields, data).errors).toEqual([]),
  );
  test("speaks as soon as it is decided, also where its field is empty", () => {
    const rules = [{ rule: "has(data.a) || has(data.b)", message: "One of both." }];
    const either = [text("a"), text("b", { rules })];
    expect(validate(either, {}).errors).toEqual(["b rule"]);
    expect(validate(either, { a: "x" }).errors).toEqual([]);
  });
  test("of a field that does not apply says nothing", () => {
    const rules = [{ rule: "has(data.b)", message: "B" }];
    const hidden = [text("a"), text("b", { showIf: "has(data.a)", rules })];
    expect(validate(hidden, {}).errors).toEqual([]);
    expect(validate(hidden, { a: "x" }).errors).toEqual(["b rule"]);
  });
});

describe("a calculated value", () => {
  const fields = [
    number("price"),
    number("quantity"),
    number("total", { compute: "math.round(data.price * data.quantity * 100.0) / 100.0" }),
    text("vat", { requireIf: "data.total >= 10.0" }),
  ];
  test("is stored, and later expressions read it", () => {
    const stored = { price: 0.1, quantity: 3, total: 0.3 };
    const result = validate(fields, { price: 0.1, quantity: 3 });
    expect(result).toMatchObject({ errors: [], missing: [], stored });
    expect(validate(fields, { price: 5, quantity: 2 }).missing).toEqual(["vat"]);
  });
  test("may be sent if it is equal", () => {
    expect(validate(fields, { price: 2, quantity: 2, total: 4 }).errors).toEqual([]);
    expect(validate(fields, { price: 2, quantity: 2, total: null }).errors).toEqual([]);
    const { errors, data } = compile({ fields }).validate({ price: 2, quantity: 2, total: 5 });
    expect(errors).toMatchObject([{ field: "total", code: "computed", expected: 4 }]);
    expect(data.total).toBe(4);
  });
  test("is absent when something that it needs is", () => {
    expect(validate(fields, { price: 2 }).stored).toEqual({ price: 2 });
    expect(validate(fields, { price: 2, total: 4 }).errors).toEqual(["total computed"]);
  });
  test.each([
    ["not a number", "(data.n - data.n) / 0.0", 1],
    ["infinite", "data.n / 0.0", 1],
    ["beyond what a double holds exactly", "data.n * 2.0", 2 ** 52 * 1.5],
    ["1e21", "data.n + 1e21", 0],
  ])("that is %s is absent", (_, compute, n) =>
    expect(validate([number("n"), number("c", { compute })], { n }).stored).toEqual({ n }),
  );
  test("has no negative zero, which JSON does not keep", () => {
    const { stored } = validate([number("n"), number("c", { compute: "-data.n" })], { n: 0 });
    expect(Object.is(stored.c, 0)).toBe(true);
  });
  test("that is a fraction is not a whole number, so that an integer has no value", () => {
    const half = [number("n"), { ...number("c", { compute: "data.n / 2.0" }), type: "integer" }];
    expect(validate(half, { n: 4 }).stored).toEqual({ n: 4, c: 2 });
    expect(validate(half, { n: 5 }).stored).toEqual({ n: 5 });
  });
  test("of text has no U+0000 and no unbounded length", () => {
    expect(validate([text("a", { compute: "'\\u0000'" })], {}).stored).toEqual({});
    const sum = (_: unknown, i: number) => text(`t${i + 1}`, { compute: `data.t${i} + data.t${i}` });
    const chain = [text("t0"), ...Array.from({ length: 40 }, sum)];
    expect(JSON.stringify(validate(chain, { t0: "ab" }).stored).length).toBeLessThan(40_000);
  });
});

test("ids that JavaScript knows are ids like any other", () => {
  for (const id of ["__proto__", "constructor", "7", "a.b", "toString"]) {
    const fields = [text(id), text("x", { showIf: `data[${JSON.stringify(id)}] == 'v'` })];
    const data = json(JSON.stringify({ "§": "v", x: "1" }).replace("§", id));
    expect(validate(fields, data)).toMatchObject({ errors: [], applicable: [id, "x"] });
    expect(validate(fields, { x: "1" }).errors).toEqual(["x not_applicable"]);
  }
});

test("why a field is not asked for: its condition, and the values that it has read", () => {
  const fields = [country, text("a"), text("vat", { showIf: "data.country == 'DE' && has(data.a)" })];
  const form = compile({ fields });
  expect(form.explain(form.validate({ country: "FR" }))).toEqual([
    { field: "vat", showIf: "data.country == 'DE' && has(data.a)", read: { country: "FR", a: null } },
  ]);
  expect(form.explain(form.validate({ country: "DE", a: "x" }))).toEqual([]);
});

test("a challenge asks for no field that depends on others", () => {
  const fields = [country, { ...country, id: "other", showIf: "data.country == 'DE'" }];
  expect(compile({ fields }).checkable).toEqual(["country"]);
});

test("a form without conditions has the result that it had", () => {
  const result = compile({ fields: [text("a", { required: true })] }).validate({ b: 1 });
  expect(Object.keys(result)).toEqual(["errors", "unknown", "missing", "data"]);
});

describe("publishing is refused with field, member and reason:", () => {
  const earlier = [country, number("price"), { id: "h", type: "statement", label: "H" }];
  const later = 'the field "z" comes later, and only earlier ones can be read';
  test.each<[Definition, string]>([
    [
      { showIf: "data.contry == 'DE'" },
      'is invalid at character 6: there is no field "contry": is "country" meant?',
    ],
    [{ showIf: "data.x == 'a'" }, "is invalid at character 6: the field cannot read itself"],
    [{ showIf: "data.z == 'a'" }, `is invalid at character 6: ${later}`],
    [{ showIf: "has(data.h)" }, 'is invalid at character 10: the field "h" shows text and has no value'],
    [
      { showIf: "data.country" },
      "is invalid at character 1: it must be true or false, and its result is a text",
    ],
    [
      { showIf: "data.country == 'Germany'" },
      'is invalid at character 17: "Germany" is not an option of country; the options are "DE", "FR"',
    ],
    [{ showIf: "'😀' == 'a' &&" }, "is invalid at character 14: it ends where a value is expected"],
    [{ showIf: true }, "must be text: an expression"],
    [
      { showIf: "  (data.country)" },
      "is invalid at character 4: it must be true or false, and its result is a text",
    ],
    [{ requireIf: "1.0" }, "is invalid at character 1: it must be true or false, and its result is a number"],
    [{ compute: "data.price" }, "is invalid at character 1: it must be a text, and its result is a number"],
    [{ compute: "'a'", required: true }, 'excludes "required": the server calculates the value'],
    [{ compute: "'a'", default: "b" }, 'excludes "default": the server calculates the value'],
    [{ compute: "'a'", prefill: true }, 'excludes "prefill": the server calculates the value'],
    [{ rules: {} }, "must be a list of at most 10 rules"],
    [{ rules: Array(11).fill({ rule: "true", message: "m" }) }, "must be a list of at most 10 rules"],
    [{ rules: [{ rule: "true" }] }, "entry 1 must have a message of 1 to 500 characters"],
    [{ rules: [{ rule: "data.z == 'a'", message: "m" }] }, `entry 1 is invalid at character 6: ${later}`],
    [{ type: "statement", rules: [] }, "belongs to a field with a value, and this one only shows text"],
  ])("%j", (definition, reason) => {
    const fields = [...earlier, text("x", definition), text("z")];
    const [constraint] = Object.keys(definition).filter((name) => name !== "type");
    const message = `"${constraint}" of the field ${reason}${reason.endsWith("?") ? "" : "."}`;
    expect(lint({ fields })).toMatchObject([{ field: "x", code: "invalid_definition", message, constraint }]);
  });

  test("null is not an error, and a rule may read its own field", () => {
    const none = { showIf: null, requireIf: null, compute: null, rules: null };
    const own = { rules: [{ rule: "data.y == 'a'", message: "m" }] };
    expect(lint({ fields: [text("x", none), text("y", own)] })).toEqual([]);
  });
  test("more than 20,000 nodes in the form", () => {
    const showIf = `'a' in [${Array(197).fill("'a'").join()}]`;
    const fields = (count: number) => Array.from({ length: count }, (_, i) => text(`f${i}`, { showIf }));
    expect(lint({ fields: fields(100) })).toEqual([]);
    expect(lint({ fields: fields(101) })).toMatchObject([{ constraint: "showIf" }]);
  });
  test("20,000 texts are looked up among as many options at little cost, and some with the one that is near", () => {
    const options = Array.from({ length: 20_000 }, (_, n) => `o${n}`);
    const fields = (literals: string[]) => {
      const showIf = `data.s in [${literals.map((each) => `'${each}'`)}]`;
      const reading = Array.from({ length: 180 }, (_, n) => text(`f${n}`, { showIf }));
      return [{ id: "s", type: "select", label: "S", options }, ...reading];
    };
    const known = fields(options.slice(-100));
    expect(leastCpuMs(250, () => expect(lint({ fields: known })).toEqual([]))).toBeLessThan(250);
    const issues = lint({ fields: fields(["o_1"]) });
    expect(issues).toHaveLength(180);
    expect(issues[0]?.message).toEndWith('"o_1" is not an option of s; is "o1" meant?');
    expect(issues[179]?.message).toEndWith('"o_1" is not an option of s.');
  });
});
