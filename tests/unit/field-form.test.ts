import { describe, expect, test } from "bun:test";
import { fieldTypes } from "../../src/fields/types.ts";
import { readForm } from "../../src/pages/console/frame/form.tsx";
import * as questions from "../../src/pages/console/questions/question-form.tsx";
import {
  type Definition,
  idFrom,
  questionForm,
  toMembers,
} from "../../src/pages/console/questions/question-form.tsx";
import { inLanguageOf } from "../../src/pages/ui/language.ts";

/** The console in a language, in which its numbers are written. */
const inLanguage = <T>(language: string, make: () => T): T =>
  inLanguageOf(new Request("http://localhost", { headers: { "accept-language": language } }), make);
const definitionValues = (definition: Definition, language = "en") =>
  inLanguage(language, () => questions.definitionValues(definition));
const toField = (values: URLSearchParams, language = "en") =>
  inLanguage(language, () => questions.toField(values));

/** Members that a form reads, with their values, and the members that are removed. */
const membersOf = (values: URLSearchParams, before: Definition) =>
  inLanguage("en", () => toMembers(readForm(questionForm(values.get("type") ?? "", before), values), before));
/** Posts an unchanged definition. */
const unchanged = (definition: Definition) => membersOf(definitionValues(definition), definition);

describe("the form of a field", () => {
  test.each(Object.keys(fieldTypes) as (keyof typeof fieldTypes)[])(
    "a %s with every rule comes back as it was",
    (type) => {
      const { field: rules } = fieldTypes[type].example;
      const { options, rows, columns, ...validation } = rules;
      const beside = Object.fromEntries(
        Object.entries({ options, rows, columns }).filter(([, value]) => value !== undefined),
      );
      const definition = {
        id: "a",
        type,
        label: "A | label",
        required: true,
        ...(fieldTypes[type].nature !== "none" && { prefill: true }),
        help: "two\nlines",
        agentHint: "hint",
        ...beside,
        ...(Object.keys(validation).length > 0 && { validation }),
      };
      const { id, ...members } = definition;
      expect(unchanged(definition)).toEqual(members);
      const values = definitionValues(definition);
      values.set("id", "a");
      expect(toField(values)).toEqual(definition);
    },
  );

  test.each(["countries", "nowhere"])("the name of a list, %s, comes back, instead of rows", (options) => {
    const definition = { id: "a", type: "select", label: "A", options };
    expect(unchanged(definition)).toMatchObject({ options });
    const entered = new URLSearchParams({ id: "a", type: "tags", label: "A" });
    entered.set("rule.options.list", "languages");
    entered.set("rule.options.label", "x");
    expect(toField(entered)).toMatchObject({ options: "languages" });
    entered.set("rule.options.list", "");
    expect(toField(entered)).toMatchObject({ options: ["x"] });
  });

  test("conditions, calculations and rules come back, and an empty control takes one away", () => {
    const rules = [
      { rule: "data.b || data.c", message: "Choose one." },
      { rule: "data.a == ' | '", message: "two\nlines" },
      { rule: "true" },
    ];
    const definition = { type: "text", showIf: "data.b", requireIf: "has(data.c)", compute: "'x'", rules };
    expect(unchanged(definition)).toMatchObject(definition);
    const values = definitionValues(definition);
    values.set("showIf", " ");
    expect(membersOf(values, definition)).toMatchObject({ showIf: null, requireIf: "has(data.c)", rules });
  });

  test("members that it does not show stay, and rules move to their usual position", () => {
    const shown = { type: "text", label: "A" };
    const validation = { "x-rule": true, minLength: 1 };
    const definition = { id: "a", ...shown, maxLength: 5, "x-own": 1, validation };
    const moved = { ...shown, maxLength: null, validation: { ...validation, maxLength: 5 } };
    expect(unchanged(definition)).toEqual(moved);
  });

  test("a change of the type takes the previous type's rules away", () => {
    const rules = { options: ["x"], validation: { allowOther: true } };
    const definition = { id: "a", type: "select", label: "A", ...rules };
    const values = definitionValues(definition);
    values.set("type", "text");
    const without = { type: "text", label: "A", options: null, validation: null };
    expect(membersOf(values, definition)).toEqual(without);
  });

  test("numbers are written and read in the language of the console", () => {
    const definition = { id: "a", type: "number", label: "A", default: 1.5, validation: { minimum: 1234.5 } };
    const values = definitionValues(definition, "de");
    expect([values.get("default"), values.get("rule.minimum")]).toEqual(["1,5", "1234,5"]);
    values.set("rule.minimum", "1.234,5");
    values.set("rule.maximum", "12.345");
    values.set("id", "a");
    const { validation } = toField(values, "de");
    expect(validation as unknown).toEqual({ minimum: 1234.5, maximum: 12_345 });
  });
  test("text that is not a number stays text, which the lint reports", () => {
    const values = definitionValues({ type: "integer", label: "A" });
    const minimumOf = (given: string) => {
      values.set("rule.minimum", given);
      return (toField(values).validation as { minimum?: unknown } | undefined)?.minimum;
    };
    const read = ["5", "-1.5", "five", "1e999", ""].map(minimumOf);
    expect(read).toEqual([5, -1.5, "five", "1e999", undefined]);
  });

  test("an id is made of the label", () => {
    const ids = ["Your e-mail?", "  ÜBER  uns ", "名前", "!?"].map(idFrom);
    expect(ids).toEqual(["your_e_mail", "uber_uns", "名前", ""]);
  });
});
