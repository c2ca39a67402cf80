/** Languages of a draft: errors of publishing, and warnings. */
import { describe, expect, test } from "bun:test";
import { limits } from "../../src/limits.ts";
import { assertShape } from "../../src/platform/http/body.ts";
import {
  checkDraft,
  NotPublishable,
  publishingWarnings,
  storingProblems,
  warningsOf,
} from "../../src/resources/forms/draft-checks.ts";
import { FormSettings, SettingsPatch } from "../../src/resources/forms/settings.ts";

const size = { id: "size", type: "select", label: "Size", options: ["small", "large"] };
const draftOf = (
  settings: Record<string, unknown>,
  ...fields: { id: string; [member: string]: unknown }[]
) => ({
  schema: { fields: fields.length > 0 ? fields : [{ id: "a", type: "text", label: "A" }] },
  settings,
});
type Draft = ReturnType<typeof draftOf>;
const refused = (draft: Draft) => checkDraft(draft, true).map(({ note }) => note);
const { maxTitleLength, maxTextLength, maxLabelLength } = limits.formPage;

describe("publishing refuses", () => {
  test.each<[languages: string[], refusals: [path: string, message: RegExp][]]>([
    [["en"], []],
    [["en", "de-CH", "de", "zh-Hant", "sr-Latn-RS", "es-419"], []],
    [["English"], [["settings.languages[0]", /English/]]],
    [
      ["en", "deutsch-", "de_CH"],
      [
        ["settings.languages[1]", /deutsch-/],
        ["settings.languages[2]", /de_CH/],
      ],
    ],
    [["de", "de"], [["settings.languages[1]", /"de"/]]],
    [
      ["en", "DE", "de", "De"],
      [
        ["settings.languages[2]", /"de"/],
        ["settings.languages[3]", /"De"/],
      ],
    ],
    [["iw", "he"], [["settings.languages[1]", /"he"/]]],
  ])("the languages %j", (languages, refusals) => {
    expect(refused(draftOf({ languages }))).toEqual(
      refusals.map(([path, message]) => ({ path, message: expect.stringMatching(message) })) as never,
    );
  });

  test.each<[settings: Record<string, unknown>, path: string, nearest: string | undefined]>([
    [{ page: { translations: { de: { titel: "A" } } } }, "settings.page.translations.de.titel", "title"],
    [{ page: { translations: { de: { theme: {} } } } }, "settings.page.translations.de.theme", undefined],
    [{ page: { translations: { de: [] } } }, "settings.page.translations.de", undefined],
    [{ page: { translations: { de: { title: 7 } } } }, "settings.page.translations.de.title", undefined],
    [
      { page: { translations: { de: { title: "t".repeat(maxTitleLength + 1) } } } },
      "settings.page.translations.de.title",
      undefined,
    ],
    [
      { page: { translations: { "zh-Hant": { thankYou: "t".repeat(maxTextLength + 1) } } } },
      "settings.page.translations.zh-Hant.thankYou",
      undefined,
    ],
    [
      { page: { translations: { de: { submitLabel: "t".repeat(maxLabelLength + 1) } } } },
      "settings.page.translations.de.submitLabel",
      undefined,
    ],
    [
      { copy: { translations: { de: { subjekt: "A" } } } },
      "settings.copy.translations.de.subjekt",
      "subject",
    ],
    [
      { copy: { translations: { de: { subject: "A\nBcc: b" } } } },
      "settings.copy.translations.de.subject",
      undefined,
    ],
  ])("%j", (settings, path, nearest) => {
    const [note, ...others] = refused(draftOf({ languages: ["en", "de", "zh-Hant"], ...settings }));
    expect([note?.path, note?.nearest, others]).toEqual([path, nearest, []] as never);
  });

  test.each<[group: string, text: string, length: number]>([
    ["page", "title", maxTitleLength],
    ["page", "thankYou", maxTextLength],
    ["copy", "subject", limits.mail.maxSubjectLength],
    ["copy", "text", limits.mail.maxTextLength],
  ])("a text of %s.%s with more than %d characters, and names the limit", (group, text, length) => {
    const messageOf = (value: unknown) => {
      const settings = { [group]: { translations: { de: { [text]: value } } } };
      return refused(draftOf({ languages: ["en", "de"], ...settings })).map(({ message }) => message);
    };
    const path = `settings.${group}.translations.de.${text}`;
    expect(messageOf("t".repeat(length + 1))).toEqual([`${path} may have at most ${length} characters.`]);
    expect(messageOf(7)).toEqual([`${path} is no text that this setting may have.`]);
    expect(messageOf("t".repeat(length))).toEqual([]);
  });

  test("a field that takes its value from lang of the address, where the language of the page stands", () => {
    const pathsOf = (languages: string[] | undefined, field: object) =>
      refused(draftOf(languages ? { languages } : {}, { id: "lang", type: "hidden", label: "L", ...field }));
    expect(pathsOf(["en", "de"], { prefill: true }).map(({ path }) => path)).toEqual(["schema.fields"]);
    expect(pathsOf(["en", "de"], { prefill: false })).toEqual([]);
    expect(pathsOf(["en", "de"], { prefill: true, id: "language" })).toEqual([]);
    expect(pathsOf(undefined, { prefill: true })).toEqual([]);
  });

  test("several reasons without saying in each of them that the form cannot be published", () => {
    const lang = { id: "lang", type: "hidden", label: "L", prefill: true };
    const draft = draftOf({ languages: ["en", "x"], copy: { field: "none" } }, lang);
    const { lines } = new NotPublishable(checkDraft(draft, true));
    expect(lines).toHaveLength(3);
    expect(lines.join("\n")).not.toContain("cannot be published");
    const field = { id: "a", type: "number", label: "A", minimum: "low" };
    const { message } = new NotPublishable(checkDraft(draftOf(draft.settings, field, lang), true));
    expect(message).toMatch(/^The form cannot be published: a\.minimum.* "lang" in its address is /);
    expect(message.match(/cannot be published/g)).toHaveLength(1);
  });

  test("no text of the greatest length, no blank and no removed one, and none of an extension", () => {
    const de = {
      title: "t".repeat(maxTitleLength),
      introduction: "",
      thankYou: null,
      "x-note": 7,
    };
    const settings = { languages: ["en", "de"], page: { translations: { de, fr: null } } };
    expect(refused(draftOf(settings))).toEqual([]);
  });
});

describe("publishing warns", () => {
  test.each<[declared: string[], written: string, near: string | undefined]>([
    [["en", "de"], "dee", "de"],
    [["en", "de"], "de-AT", "de"],
    [["en", "pt-BR"], "pt-br", "pt-BR"],
    [["en", "de-CH", "de-AT"], "de", "de-CH"],
    [["en", "zh-Hant-TW"], "zh-Hant", "zh-Hant-TW"],
    [["en", "iw"], "he", "iw"],
    [["en", "he"], "iw-IL", "he"],
    [["en", "de"], "ja", undefined],
    [["en", "de"], "__proto__", undefined],
  ])("of %j with texts in %s", (languages, written, nearest) => {
    const translations = JSON.parse(`{"${written}":{"label":"B"}}`);
    const [note, ...others] = warningsOf(draftOf({ languages }, { ...size, translations }));
    expect(note).toEqual({
      path: expect.stringContaining("schema.fields[0].translations"),
      message: expect.stringContaining(written),
      ...(nearest !== undefined && { nearest }),
    } as never);
    expect(others).toEqual([]);
  });

  test("of texts of a form without languages, once each, and not of removed ones", () => {
    const translations = { es: null, de: { label: "A" }, fr: { label: "B" } };
    const page = { translations: { de: { title: "T" } } };
    const notes = warningsOf(
      draftOf({ page }, { ...size, translations }, { ...size, id: "b", translations }),
    );
    expect(notes.map(({ path }) => path)).toEqual([
      "settings.page.translations.de",
      "schema.fields[0].translations.fr",
    ]);
  });

  test("of 100,000 languages in a bounded number, and of the form's own before them", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`l${index}`, {}]));
    const draft = draftOf(
      { languages: ["en"], page: { translations: many } },
      { ...size, translations: many },
    );
    expect(warningsOf(draft).length).toBeLessThanOrEqual(limits.form.maxNotes);
    expect(refused(draft).length).toBeLessThanOrEqual(limits.form.maxNotes);
    const own = { languages: ["en", "de"], page: { translations: { ...many, de: { title: 7 } } } };
    expect(refused(draftOf(own)).map(({ path }) => path)).toEqual(["settings.page.translations.de.title"]);
  });

  test("of a language of the page that is not the first, which has no effect", () => {
    const pathsOf = (language: string) =>
      warningsOf(draftOf({ languages: ["en", "de"], page: { language } })).map(({ path }) => path);
    expect([pathsOf("de"), pathsOf("en")]).toEqual([["settings.page.language"], []]);
  });

  test("of translations that no page shows: their texts are missing, or they are in the first language", () => {
    const de = { label: "Größe", description: "Ihre", placeholder: " ", help: "!", "x-a": "b" };
    const page = { title: "T", translations: { de: { title: "T", introduction: "I" } } };
    const draft = draftOf(
      { languages: ["en", "de"], page, copy: { text: "T", translations: { en: { text: "T" } } } },
      { ...size, help: "?", translations: { de } },
    );
    expect(refused(draft)).toEqual([]);
    expect(warningsOf(draft).map(({ path }) => path)).toEqual([
      "settings.copy.translations.en",
      "schema.fields[0].translations.de.description",
    ]);
  });

  test("of missing texts, with the share of each language, once all is right", () => {
    const translations = { de: { label: "Größe", options: { small: "klein" } }, fr: { label: " " } };
    const page = { title: "Shirts", thankYou: "", translations: { de: { title: "Hemden" } } };
    const copy = { subject: "Yours", translations: { fr: { subject: "Le vôtre" } } };
    const draft = draftOf({ languages: ["en", "de", "fr"], page, copy }, { ...size, translations });
    // Title, subject, label and two options.
    expect(publishingWarnings(draft).map(({ message }) => message)).toEqual([
      expect.stringContaining("de: 3 of 5 texts"),
      expect.stringContaining("fr: 1 of 5 texts"),
    ]);
    const whole = { ...translations.de, options: { small: "klein", large: "groß" } };
    const done = draftOf({ languages: ["en", "de"], page }, { ...size, translations: { de: whole } });
    expect(publishingWarnings(done)).toEqual([]);
  });
});

test("a form has 1 to 20 languages, and a patch may remove them", () => {
  const many = (count: number) => ({ languages: Array.from({ length: count }, () => "en") });
  for (const shape of [FormSettings, SettingsPatch])
    expect([0, 1, 20, 21].map((count) => shape.allows(many(count)))).toEqual([false, true, true, false]);
  expect(SettingsPatch.allows({ languages: null })).toBe(true);
  for (const languages of ["en", [1], [""], ["a".repeat(36)], {}, [null]])
    expect([languages, SettingsPatch.allows({ languages })]).toEqual([languages, false]);
});

test.each<[patch: object, message: string]>([
  ...["de", 7, [], { de: true }].map((languages): [object, string] => [
    { languages },
    'languages must be a list of 1 to 20 languages such as "de" (BCP 47)',
  ]),
  [{ examples: 7 }, "examples must be a list, or null."],
  [{ page: { embedOrigins: "x" } }, "page.embedOrigins must be a list, or null."],
  [{ page: { translations: "x" } }, "page.translations must be an object or null."],
  [{ page: { theme: { accent: "red" } } }, "page.theme.accent must be a colour such as #1f5c41."],
])("the patch %j learns what is needed", (patch, message) => {
  expect(() => assertShape(patch, SettingsPatch, "invalid_body")).toThrow(message);
});

test("translations count in the 512 KiB of the schema and the 256 KiB of the settings", () => {
  const storable = (schema: number, settings: number) => {
    const text = (length: number) => ({ de: { label: "t".repeat(length) } });
    const draft = draftOf(
      { page: { translations: text(settings) } },
      { ...size, translations: text(schema) },
    );
    return storingProblems({ name: "F", ...draft }).map(({ note }) => note.path);
  };
  const [most, room] = [1_024, 512];
  expect(storable(512 * most - room, 256 * most - room)).toEqual([]);
  expect(storable(512 * most, 1)).toEqual(["schema"]);
  expect(storable(1, 256 * most)).toEqual(["settings"]);
});
