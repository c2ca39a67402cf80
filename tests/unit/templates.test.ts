/** The templates of new forms: each could be published as it is, in both languages. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFields } from "../../src/fields/definition.ts";
import { sizeText } from "../../src/fields/types/file.ts";
import { megabytes, parseMegabytes } from "../../src/pages/console/form/file-kinds.ts";
import { inLanguageOf } from "../../src/pages/ui/language.ts";
import { checkDraft, exampleProblems, warningsOf } from "../../src/resources/forms/draft-checks.ts";
import { sharesOf } from "../../src/resources/forms/form-texts.ts";
import { putOnline } from "../../src/resources/forms/publish.ts";
import { FormSettings } from "../../src/resources/forms/settings.ts";
import { draftOf, templatesIn } from "../../src/resources/forms/templates.ts";

const english = templatesIn("en", true);
const german = new Map(templatesIn("de", true));
const request = (language: string) =>
  new Request("http://localhost", { headers: { "accept-language": language } });
const directory = join(import.meta.dir, "../../src/resources/forms/templates");

describe.each(english)("the template %s", (name, template) => {
  const translated = german.get(name);
  if (!translated) throw new Error(`${name} is not in German.`);

  test.each([
    ["English", template],
    ["German", translated],
  ])("publishes in %s, its settings are known, and its examples hold", (_, { schema, settings }) => {
    const draft = { schema, settings: FormSettings.assert(settings) };
    const valid = new Set(draft.settings.examples?.map(({ expect }) => expect.valid));
    expect([...valid].sort()).toEqual([false, true]);
    // The first publication puts the page online.
    const online = putOnline({ ...draft, currentVersion: 0 });
    expect([...checkDraft(online, true), ...exampleProblems(draft), ...warningsOf(draft)]).toEqual([]);
    expect(schema.fields.length).toBeWithin(4, 13);
  });

  test.each(["en", "de"] as const)(
    "names the size of a file as the page and the console do: %s",
    (language) => {
      const { schema } = language === "de" ? translated : template;
      for (const { definition } of parseFields(schema)) {
        const { maxBytes } = (definition.validation ?? {}) as { maxBytes?: number };
        if (maxBytes === undefined) continue;
        const shown = inLanguageOf(request(language), () => `${megabytes(maxBytes)} MB`);
        expect(shown).toBe(sizeText(maxBytes, language));
        expect(definition.description).toContain(` ${shown}.`);
      }
    },
  );

  test("has the same questions in German, with other words", () => {
    const words = /^(?:label|description|message|minimumLabel|maximumLabel)$/;
    const shape = ({ schema }: typeof template) =>
      JSON.parse(JSON.stringify(schema), (member, value) => (words.test(member) ? undefined : value));
    expect(shape(translated)).toEqual(shape(template));
    expect(translated.description).not.toBe(template.description);
    expect([template.settings.page, translated.settings.page]).toMatchObject([{}, { language: "de" }]);
  });

  test("begins a draft without examples, which a changed question would break", () => {
    expect(draftOf(template).settings).toEqual({ page: template.settings.page });
  });
});

test("the templates are the files of their directory, with two spaces of indentation and each text in German", () => {
  const names = english.map(([name]) => `${name}.json`);
  expect(readdirSync(directory).sort()).toEqual(names.sort());
  for (const name of names) {
    const text = readFileSync(join(directory, name), "utf8");
    const form = JSON.parse(text);
    expect(Object.keys(form)).toEqual(["format", "name", "description", "schema", "settings"]);
    expect([name, form.format, text]).toEqual([name, "formd/form/1", `${JSON.stringify(form, null, 2)}\n`]);
    const [share, ...others] = sharesOf(form);
    expect([share, others]).toEqual([
      { language: "de", translated: share?.total ?? 0, total: expect.any(Number) },
      [],
    ]);
    expect(checkDraft(form, true)).toEqual([]);
  }
});

test("a server without files offers no template that asks for one", () => {
  const names = templatesIn("en", false).map(([name]) => name);
  expect(english.map(([name]) => name).filter((name) => !names.includes(name))).toEqual(["job-application"]);
});

test.each(["en", "de"])("a size in MB is stored in bytes, and shown as it was entered: %s", (language) =>
  inLanguageOf(request(language), () => {
    for (let thousandths = 1; thousandths <= 20_000; thousandths++) {
      const entered = (thousandths / 1000).toLocaleString(language, { maximumFractionDigits: 3 });
      const bytes = parseMegabytes(entered);
      expect([bytes, megabytes(bytes as number)]).toEqual([
        Math.round((thousandths / 1000) * 1024 ** 2),
        entered,
      ]);
    }
  }),
);
