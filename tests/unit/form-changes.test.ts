import { describe, expect, test } from "bun:test";
import { changesOf } from "../../src/resources/forms/form-changes.ts";

const field = (id: string, more: object = {}) => ({ id, type: "text", label: id, ...more });
const kinds = (before: object[], after: object[]) =>
  changesOf({ fields: before }, { fields: after }).map((change) => {
    const { kind, field, breaking } = change;
    const what = "name" in change ? change.name : "languages" in change ? change.languages.join(", ") : "";
    return `${field} ${kind}${what && ` ${what}`}${breaking ? " !" : ""}`;
  });

const select = (...options: string[]) => field("a", { type: "select", options });

describe("the changes from one schema to another", () => {
  const cases: [title: string, before: object[], after: object[], changes: string[]][] = [
    ["nothing", [field("a")], [field("a")], []],
    ["an optional field", [], [field("a")], ["a added"]],
    ["a required field", [], [field("a", { required: true })], ["a addedRequired !"]],
    ["a field less", [field("a"), field("b")], [field("b")], ["a removed !"]],
    ["a text of the page less", [field("a", { type: "statement" })], [], ["a removed"]],
    ["another type", [field("a")], [field("a", { type: "email" })], ["a type !"]],
    ["an alias of the type", [field("a", { type: "string" })], [field("a")], []],
    ["a value that becomes required", [field("a")], [field("a", { required: true })], ["a nowRequired !"]],
    ["… and optional", [field("a", { required: true })], [field("a")], ["a nowOptional"]],
    ["a new rule", [field("a")], [field("a", { validation: { maxLength: 5 } })], ["a rule maxLength !"]],
    ["a rule less", [field("a", { maxLength: 5 })], [field("a")], ["a rule maxLength"]],
    ["a wider bound", [field("a", { maxLength: 5 })], [field("a", { maxLength: 6 })], ["a rule maxLength"]],
    [
      "a tighter bound",
      [field("a", { minLength: 5 })],
      [field("a", { minLength: 6 })],
      ["a rule minLength !"],
    ],
    ["other options", [select("x", "y")], [select("y", "z")], ["a optionsRemoved !", "a optionsAdded"]],
    ["no other value", [{ ...select("x"), allowOther: true }], [select("x")], ["a rule allowOther !"]],
    ["a label", [field("a")], [field("a", { label: "A" })], ["a rule label"]],
    [
      "texts in other languages, of which one is new and one is gone",
      [field("a", { translations: { de: { label: "A" }, fr: { label: "B" }, pl: { label: "C" } } })],
      [field("a", { translations: { fr: { label: "D" }, pl: { label: "C" }, it: { label: "E" } } })],
      ["a translations de, fr, it"],
    ],
    ["a language without texts", [field("a")], [field("a", { translations: { de: {} } })], []],
    ["another condition", [field("a")], [field("a", { showIf: "has(data.b)" })], ["a text showIf !"]],
    ["another formula", [field("a", { compute: "1" })], [field("a", { compute: "2" })], ["a text compute !"]],
    [
      "one that moves up",
      ["a", "b", "c"].map((id) => field(id)),
      ["c", "a", "b"].map((id) => field(id)),
      ["c moved"],
    ],
  ];
  test.each(cases)("%s", (_title, before, after, changes) => {
    expect(kinds(before, after)).toEqual(changes);
  });
});
