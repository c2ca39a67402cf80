import { describe, expect, test } from "bun:test";
import { changesOf } from "../../src/resources/forms/form-changes.ts";

const field = (id: string, more: object = {}) => ({ id, type: "text", label: id, ...more });
const kinds = (before: object[], after: object[]) =>
  changesOf({ fields: before }, { fields: after }).map((change) => {
    const { kind, field, breaking } = change;
    return `${field} ${kind}${"name" in change ? ` ${change.name}` : ""}${breaking ? " !" : ""}`;
  });

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
    [
      "an option less and one more",
      [field("a", { type: "select", options: ["x", "y"] })],
      [field("a", { type: "select", options: ["y", "z"] })],
      ["a optionsRemoved !", "a optionsAdded"],
    ],
    [
      "no other value",
      [field("a", { type: "select", options: ["x"], allowOther: true })],
      [field("a", { type: "select", options: ["x"] })],
      ["a rule allowOther !"],
    ],
    ["a label", [field("a")], [field("a", { label: "A" })], ["a text label"]],
    [
      "one field that moves up",
      [field("a"), field("b"), field("c")],
      [field("c"), field("a"), field("b")],
      ["c moved"],
    ],
  ];
  test.each(cases)("%s", (_title, before, after, changes) => {
    expect(kinds(before, after)).toEqual(changes);
  });
});
