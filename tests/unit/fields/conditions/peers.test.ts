/**
 * Defects of conditions in other form services, by the names of their issues: data is taken for a rule,
 * hidden values block or leak, two engines differ. For pages see tests/http/form-page.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compile } from "../../../../src/fields/compile.ts";
import { planOf } from "../../../../src/fields/conditions/make-plan.ts";
import { compilePlan } from "../../../../src/fields/conditions/plan.ts";
import { indexed } from "../../../../src/fields/control-values.ts";
import { lint } from "../../../../src/fields/lint.ts";
import { toData } from "../../../../src/pages/form-page/form-data.ts";
import { conditionalForms } from "../../../conditional-forms.ts";
import { generatedCases } from "../../../generated.ts";

const text = (id: string, rest: object = {}) => ({ id, type: "text", label: id, ...rest });
const publishable = (fields: object[]) => {
  expect(lint({ fields })).toEqual([]);
  return compile({ fields });
};

describe("data that looks like a rule is data", () => {
  const form = publishable([
    { id: "any", type: "x-any", label: "Any" },
    text("note"),
    text("other", { showIf: "data.any == data.note" }),
    { id: "tags", type: "multi_select", label: "Tags", options: ["map", "var", "=="] },
    text("more", {
      showIf: "'map' in data.tags",
      rules: [{ rule: "size(data.tags) < 3.0 || true", message: "m" }],
    }),
  ]);

  test.each<[string, unknown]>([
    ["an operator of JSON Logic", { "==": [1, 1] }],
    ["a variable of JSON Logic", { var: "note" }],
    ["a list of objects with an operator's name (open-forms#6179)", [{ map: "foo" }, { map: "bar" }]],
    ["a list where a text is expected (open-forms#6166)", ["a", ["b"]]],
    ["a member of every object", { constructor: { prototype: 1 } }],
  ])("%s", (_, any) => {
    const { errors, unknown, data, logic } = form.validate({ any, note: "data.any == data.any" });
    expect([errors, unknown, data]).toEqual([[], [], { any, note: "data.any == data.any" }] as never);
    expect([...(logic?.hidden ?? [])]).toEqual(["other", "more"]);
  });

  test("the text of an expression, and options that are named as operators (open-forms#6179)", () => {
    for (const note of ["true", "true || data.note == ''", "{{ note }}", "$(note)"])
      expect(form.validate({ any: note, note }).logic?.applicable).toContain("other");
    expect(form.validate({ tags: ["map", "=="] }).logic?.applicable).toContain("more");
  });
});

describe("what is hidden neither blocks nor leaks", () => {
  test("empty text is a missing value, for the condition too (formie#648)", () => {
    const [b, c] = [text("b", { showIf: "data.a == ''" }), text("c", { showIf: "!has(data.a)" })];
    const form = publishable([text("a"), b, c]);
    for (const a of ["", " ", null, undefined])
      expect([...(form.validate({ a }).logic?.hidden ?? [])]).toEqual(["b"]);
  });

  test("a value that is hidden is not calculated with, nor read through another one (formio.js#245, #2352)", () => {
    const form = publishable([
      text("a"),
      { id: "n", type: "number", label: "N", showIf: "data.a == 'yes'" },
      { id: "twice", type: "number", label: "Twice", compute: "data.n * 2.0" },
      text("c", { showIf: "data.twice > 1.0" }),
    ]);
    expect(form.validate({ a: "yes", n: 2 }).data as object).toEqual({ a: "yes", n: 2, twice: 4 });
    const { data, unknown, logic } = form.validate({ a: "no", n: 2, c: "x" });
    expect(data as object).toEqual({ a: "no" });
    const told = unknown.map(({ field, code }) => `${field} ${code}`);
    expect(told).toEqual(["n not_applicable", "c not_applicable"]);
    expect([...(logic?.hidden ?? [])]).toEqual(["n", "c"]);
  });

  test("in random forms no field that does not apply is stored, missing or invalid (formio.js#6122, formie#504)", () => {
    let hidden = 0;
    const count = generatedCases(2_000, 300);
    fc.assert(
      fc.property(conditionalForms(), fc.infiniteStream(fc.nat()), ({ fields, controls }, numbers) => {
        const form = compile({ fields });
        const pairs = controls.map(({ name, texts }): [string, string] => [
          name,
          texts[(numbers.next().value as number) % texts.length] as string,
        ]);
        const { data, unstorable } = toData(form.fields, new URLSearchParams(pairs));
        const found = form.validate(data, unstorable);
        for (const id of found.logic?.hidden ?? []) {
          hidden++;
          expect(Object.hasOwn(found.data, id)).toBe(false);
          expect(found.missing).not.toContain(id);
          expect(found.errors.filter(({ field }) => field === id)).toEqual([]);
          expect(found.logic?.applicable).not.toContain(id);
        }
      }),
      { numRuns: count },
    );
    expect(hidden).toBeGreaterThan(count / 3);
  });
});

test("the page's engine and the server's agree where two engines differed (open-forms#6037)", () => {
  const fields = [
    text("a"),
    { id: "n", type: "number", label: "N" },
    text("order", { showIf: "data.a < '～'" }),
    text("digits", { showIf: "data.a == '1'" }),
    text("number", { showIf: "data.n == 1.0" }),
    text("half", { showIf: "math.round(data.n) == -3.0" }),
    text("zero", { showIf: "data.n / 0.0 > 1.0" }),
    text("length", { showIf: "size(data.a) == 1" }),
    text("absent", { showIf: "data.n != 1.0 || !has(data.a)" }),
  ];
  const form = publishable(fields);
  const plan = compilePlan(JSON.parse(JSON.stringify(planOf(form))));
  for (const a of ["", "1", "😀", "～", "ab", "true"])
    for (const n of ["", "1", "1.0", "-2.5", "0", "x"]) {
      const values = new URLSearchParams({ a, n });
      const { data, unstorable } = toData(form.fields, values);
      const { logic } = form.validate(data, unstorable);
      expect([a, n, [...plan(indexed(values)).hidden]]).toEqual([a, n, [...(logic?.hidden ?? [])]]);
    }
});
