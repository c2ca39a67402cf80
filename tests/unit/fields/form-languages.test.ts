/** Forms: each is the same in each of its languages, except its texts. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type CompiledForm, compile } from "../../../src/fields/compile.ts";
import { jsonSchemaOf } from "../../../src/fields/json-schema.ts";
import { lint } from "../../../src/fields/lint.ts";
import { type FieldText, textsOf, translated } from "../../../src/fields/translations.ts";
import { formInLanguage } from "../../../src/resources/submit/versions.ts";
import { samples } from "../../form-arbitraries.ts";
import { generatedCases } from "../../generated.ts";

type Definition = Record<string, unknown>;
const languages = ["en", "de", "ar"];

/** Translations of the texts that are chosen, each of which says its language and its place. */
function translationsOf(texts: readonly FieldText[]): Record<string, Definition> {
  const inLanguage = (language: string) => {
    const made: Record<string, string | Record<string, string>> = {};
    for (const { place } of texts) {
      const [member, key] = place;
      const text = [language, ...place].join(" ");
      const list = made[member];
      made[member] = key === undefined ? text : { ...(typeof list === "object" && list), [key]: text };
    }
    // Messages are a list, and one that is not translated is null.
    const { messages } = made;
    return typeof messages === "object"
      ? { ...made, messages: [messages["0"] ?? null, messages["1"] ?? null] }
      : made;
  };
  return Object.fromEntries(["de", "ar", "fr"].map((language) => [language, inLanguage(language)]));
}

/** Forms of any fields with a rule each, with translations of some of their texts, and data for them. */
const forms = samples(5).chain(({ fields, data }) => {
  const ruled = fields.map((field): Definition => {
    const id = JSON.stringify(field.id);
    const rules = [
      { rule: `data[${id}] != data[${id}]`, message: "Never." },
      { rule: `data[${id}] == data[${id}]`, message: "Always." },
    ];
    return { ...field, description: "D", ...(field.type !== "statement" && { rules }) };
  });
  return fc.tuple(...ruled.map((field) => fc.subarray(textsOf(field)))).map((chosen) => ({
    fields: ruled.map((field, index) => ({
      ...field,
      id: String(field.id),
      translations: translationsOf(chosen[index] ?? []),
    })),
    data,
  }));
});

/** A validation result without the messages of the owner's rules. */
function resultOf(form: CompiledForm, data: Definition) {
  const { errors, logic, ...rest } = form.validate(data);
  const issues = errors.map(({ message, ...issue }) => ({
    ...issue,
    message: issue.code !== "rule" && message,
  }));
  return {
    ...rest,
    issues,
    applicable: logic?.applicable,
    explained: form.explain({ errors, logic, ...rest } as never),
  };
}

/** A JSON Schema without its texts. */
const withoutTexts = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutTexts);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name, value]) => !(["title", "description"].includes(name) && typeof value === "string"))
      .map(([name, value]) => [
        name,
        name === "$comment" && typeof value === "string"
          ? value.replaceAll(/\((?:Never\.|Always\.|(?:de|ar) messages \d)\)/g, "")
          : withoutTexts(value),
      ]),
  );
};

test("each language has the same result for the same data, and the same JSON Schema except its texts", () => {
  let messages = 0;
  fc.assert(
    fc.property(forms, ({ fields, data }) => {
      const form = compile({ fields });
      for (const language of ["de", "ar"]) {
        const spoken = formInLanguage({ version: 1, form, languages }, language);
        expect(resultOf(spoken, data)).toEqual(resultOf(form, data));
        expect(spoken.work(data)).toBe(form.work(data));
        expect(spoken.missing(data)).toEqual(form.missing(data));
        expect([spoken.checkable, spoken.maxMembers, spoken.fileFields]).toEqual([
          form.checkable,
          form.maxMembers,
          form.fileFields,
        ]);
        const inLanguage = fields.map((field) => translated(field, language));
        // Compiling the translated definitions anew gives the same fields.
        expect(spoken.fields).toEqual(compile({ fields: inLanguage }).fields);
        expect(lint({ fields: inLanguage })).toEqual(lint({ fields }));
        const schema = jsonSchemaOf({ fields: inLanguage });
        expect(withoutTexts(schema)).toEqual(withoutTexts(jsonSchemaOf({ fields })));
        const rules = spoken.validate(data).errors.filter(({ code }) => code === "rule");
        for (const { field, message } of rules) {
          const own = fields.find((each) => each.id === field)?.translations[language]?.messages;
          expect(message).toBe(Array.isArray(own) && own[0] !== null ? own[0] : "Never.");
          messages++;
        }
      }
    }),
    { numRuns: generatedCases(1_000) },
  );
  expect(messages).toBeGreaterThan(50);
});

test("a form in a language is made once, and is itself in its first language and in one that it has not", () => {
  const form = compile({
    fields: [{ id: "a", type: "text", label: "A", translations: { de: { label: "Ä" } } }],
  });
  const version = { version: 1, form, languages };
  expect(formInLanguage(version, "de")).toBe(formInLanguage(version, "de"));
  expect(formInLanguage(version, "de").field("a")?.label).toBe("Ä");
  for (const language of ["en", "fr", undefined]) expect(formInLanguage(version, language)).toBe(form);
  expect(formInLanguage({ version: 1, form }, "de")).toBe(form);
});
