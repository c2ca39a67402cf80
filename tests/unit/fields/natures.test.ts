/** A type that formd does not have yet is treated by its nature, wherever no page of its own is needed. */
import { expect, test } from "bun:test";
import { CompiledForm } from "../../../src/fields/compile.ts";
import { typeOfField } from "../../../src/fields/conditions/logic.ts";
import { planOf } from "../../../src/fields/conditions/make-plan.ts";
import { type Field, parseField } from "../../../src/fields/definition.ts";
import { flatSchemaOf, namesOf, toControls } from "../../../src/fields/presentation.ts";
import { type FieldKind, fieldTypes } from "../../../src/fields/types.ts";
import { expressionOf, rowsOf } from "../../../src/pages/console/questions/condition-rows.ts";
import { definitionValues, toField } from "../../../src/pages/console/questions/question-form.tsx";
import { filtersIn } from "../../../src/pages/console/submissions/filters.tsx";
import { inLanguageOf } from "../../../src/pages/ui/language.ts";

/** A field of a new type: the entry of an old one, under a name that no list knows. */
const ofNewType = (like: FieldKind, id: string, rest: object = {}): Field => ({
  ...parseField({ id, type: like, label: "New", ...fieldTypes[like].example.field, ...rest }),
  kind: "slider" as FieldKind,
});

const words = { yes: "Yes", no: "No" };

test.each([
  ["integer", "atLeast", "3", "data.a >= 3"],
  ["text", "atLeast", "3", "data.a >= '3'"],
  ["boolean", "is", "yes", "data.a"],
  ["select", "is", "Small", "data.a == 's'"],
  ["multi_select", "contains", "Small", "'s' in data.a"],
] as const)("a condition over a type like %s: %s %s", (like, comparison, value, expression) => {
  const fieldOf = () => ofNewType(like, "a");
  const row = { field: "a", comparison, values: [value] };
  expect(expressionOf({ joint: "all", rows: [row] }, fieldOf, words)).toBe(expression);
  const again = rowsOf(expression, fieldOf, words) ?? { joint: "all", rows: [] };
  expect(expressionOf(again, fieldOf, words)).toBe(expression);
});

test.each([
  ["integer", "double", "integer"],
  ["number", "double", "number"],
  ["email", "text", "string"],
  ["boolean", "bool", "boolean"],
  ["select", "text", "string"],
] as const)("an expression over a type like %s reads a %s, and calculates one", (like, is, type) => {
  expect(typeOfField(ofNewType(like, "a"))).toMatchObject({ is });
  const value = JSON.stringify(fieldTypes[like].example.value);
  const compute = is === "double" ? `${value}${value.includes(".") ? "" : ".0"}` : value;
  const form = new CompiledForm([
    ofNewType(like, "a", { compute, options: ["s"] }),
    parseField({ id: "b", type: "text", showIf: "has(data.a)" }),
  ]);
  expect(planOf(form)).toMatchObject([{ id: "a", types: [type] }, { id: "b" }]);
});

const inEnglish = <T>(read: () => T): T => inLanguageOf(new Request("http://localhost"), read);
test("a filter over a type like a number has bounds, one over choices has them", () => {
  const bounds = { "value.a.from": "3", "value.a.to": "7" };
  expect(inEnglish(() => filtersIn([ofNewType("integer", "a")], bounds))).toEqual({
    search: { ranges: [{ id: "a", from: 3, to: 7 }] },
  });
  expect(inEnglish(() => filtersIn([ofNewType("multi_select", "a")], { "value.a": "s" }))).toEqual({
    search: { all: [[{ a: "s" }, { a: ["s"] }]] },
  });
});

test("the names and controls of a type with parts are those of its parts", () => {
  const address = ofNewType("address", "a");
  expect(namesOf(address)).toContain("a.postalCode");
  expect([...toControls([address], { a: { city: "Ulm" } })]).toEqual([["a.city", "Ulm"]]);
  expect(new CompiledForm([{ ...address, required: true }]).missing({ a: { city: " " } })).toEqual(["a"]);
  expect(flatSchemaOf(address)).toBeUndefined();
});

test("a type like a file takes uploads, and no expression reads it", () => {
  const form = new CompiledForm([
    ofNewType("file", "a"),
    parseField({ id: "b", type: "text", showIf: "has(data.a)" }),
  ]);
  expect(form.fileFields).toEqual(["a"]);
  expect(form.logicOf("b")?.showIf).toEqual([]);
});

test.each(Object.entries(fieldTypes).filter(([, { nature }]) => nature !== "files" && nature !== "none"))(
  "the default of a %s is entered as it is",
  (type, { example }) => {
    const definition = { id: "a", type, default: example.value };
    const entered = () => toField(definitionValues(definition)).default;
    expect(inLanguageOf(new Request("http://localhost"), entered)).toEqual(example.value);
  },
);
