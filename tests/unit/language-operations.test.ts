/** Changes of a form's languages lose no text, and swapping twice restores all. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { seenIn, translationAt, translationFaults } from "../../src/fields/translations.ts";
import { canonicalText } from "../../src/resources/forms/file.ts";
import { settingIn, textsOfForm } from "../../src/resources/forms/form-texts.ts";
import {
  type LanguageChange,
  planOfLanguages,
  withOwnTranslations,
} from "../../src/resources/forms/language-operations.ts";
import type { FormRow } from "../../src/resources/forms/shapes.ts";
import { generatedCases } from "../generated.ts";

type Draft = Pick<FormRow, "name" | "description" | "schema" | "settings" | "currentVersion">;
const draftOf = (field: object, settings: Draft["settings"] = {}): Draft => ({
  ...{ name: "F", description: null, currentVersion: 0, settings },
  schema: { fields: [{ id: "a", type: "text", ...field }] },
});

/** A merge patch (RFC 7396), as PostgreSQL applies it. */
const merged = (to: unknown, patch: unknown): unknown => {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const kept = new Map(Object.entries(typeof to === "object" && to !== null ? to : {}));
  for (const [name, value] of Object.entries(patch))
    if (value === null) kept.delete(name);
    else kept.set(name, merged(kept.get(name), value));
  return Object.fromEntries(kept);
};

/** The draft after a change, by the plan that is sent. */
const after = (draft: Draft, change: LanguageChange, tag: string): Draft => {
  const { operations, fields } = planOfLanguages(draft, change, tag);
  const settings = operations.reduce<unknown>(
    (all, operation) => (operation.op === "setMeta" ? merged(all, operation.settings) : all),
    draft.settings,
  );
  return { ...draft, schema: { fields }, settings: settings as Draft["settings"] };
};

describe("a language", () => {
  const form = draftOf({ label: "Name" }, { page: { language: "de", enabled: true } });

  test("comes after the page's own, which is the first", () => {
    expect(after(form, "add", "en").settings).toEqual({ ...form.settings, languages: ["de", "en"] });
  });

  test("that is removed leaves the page's own alone, without a list", () => {
    expect(after(after(form, "add", "fr"), "remove", "fr")).toEqual(form);
  });

  test("that the page has no words of stays in the list when it is alone", () => {
    const other = draftOf({}, { languages: ["fr", "de"] });
    expect(after(other, "remove", "de").settings).toEqual({ languages: ["fr"] });
  });

  test("that is first is not removed", () => {
    expect(after(after(form, "add", "en"), "remove", "de").settings.languages).toEqual(["de", "en"]);
  });

  test("keeps its texts when it is removed, until they are deleted everywhere", () => {
    const translations = { fr: { label: "Nom" }, en: { label: "Name" } };
    const texts = { title: "Titel", translations: { fr: { title: "Titre" } } };
    const all = draftOf({ label: "Wie?", translations }, { languages: ["de", "fr", "en"], page: texts });
    const kept = after(all, "remove", "fr");
    expect([kept.schema, kept.settings.page]).toEqual([all.schema, texts]);
    const gone = after(kept, "deleteTexts", "fr");
    expect(gone.schema.fields[0]?.translations).toEqual({ en: { label: "Name" } });
    expect(gone.settings.page).toEqual({ title: "Titel" });
  });
});

describe("the translations of a changed question", () => {
  const options = [{ value: "s", label: "Small" }, "l", { value: "x", label: "Other" }];
  const de = { label: "Größe", description: "Ihre", options: { s: "klein", l: "groß", x: "andere" } };
  const before: Record<string, unknown> = {
    ...{ label: "Size", description: "Yours", options },
    translations: {
      de,
      fr: { "x-note": 1, options: { l: "grand", gone: "?" } },
    },
  };
  const translationsOf = (change: object) =>
    withOwnTranslations(before, { ...before, ...change }).translations;

  test("stay with what has not changed", () => {
    expect(translationsOf({ label: "How large?", required: true })).toEqual({
      de,
      fr: { "x-note": 1, options: { l: "grand" } },
    });
  });

  test("go with an option and a text that were removed, and follow an option to its other value", () => {
    const moved = [
      { value: "small", label: "Small" },
      { value: "x", label: "Another" },
    ];
    expect(translationsOf({ options: moved, description: null })).toEqual({
      de: { label: "Größe", options: { small: "klein", x: "andere" } },
      fr: { "x-note": 1 },
    });
  });

  test("of a list that is only named stay, and so does what is no object", () => {
    const named: Record<string, unknown> = {
      options: "countries",
      translations: { de: { options: { DE: "D" } } },
    };
    expect(
      withOwnTranslations<Record<string, unknown>>(named, { ...named, label: "New" }).translations,
    ).toEqual(named.translations);
    expect(withOwnTranslations({ translations: 1 }, { translations: 1 })).toEqual({ translations: 1 });
  });
});

describe("the translations of a changed list", () => {
  interface Entry {
    /** Its value, or the condition of its rule. */
    key: string;
    text: string;
    translation?: string | undefined;
  }
  const entries: Entry[] = ["a", "b", "c", "d", "e"].map((key) => ({
    key,
    text: `Text ${key}`,
    ...(key !== "c" && { translation: `de: ${key}` }),
  }));
  const position = fc.nat({ max: 4 });
  const edits = fc.array(
    fc.tuple(
      fc.constantFrom("edit", "swapKeys", "swap", "giveKey", "newKey", "remove", "add"),
      position,
      position,
    ),
    { maxLength: 6 },
  );
  type Edits = typeof edits extends fc.Arbitrary<infer E> ? E : never;

  /** The entries after edits. A text that is not one of before keeps its key: it tells which one it was. */
  const edited = (all: Edits): Entry[] => {
    const list = entries.map((entry) => ({ ...entry }));
    const isOld = ({ text }: Entry) => text.startsWith("Text");
    for (const [number, [edit, i, j]] of all.entries()) {
      const [one, other] = [list[i], list[j]];
      if (edit === "add") list.splice(i, 0, { key: `new ${number}`, text: `New ${number}` });
      if (!one || !other) continue;
      if (edit === "edit" && one.text === `Text ${one.key}`) one.text = `Edited ${number}`;
      if (edit === "swap") list.splice(i, 1, ...list.splice(j, 1, one));
      if (edit === "remove") list.splice(i, 1);
      if (i === j || !isOld(one) || !isOld(other)) continue;
      if (edit === "swapKeys") [one.key, other.key] = [other.key, one.key];
      if (edit === "newKey") one.key = `new ${number}`;
      if (edit === "giveKey") {
        other.key = one.key;
        list.splice(i, 1);
      }
    }
    return list;
  };
  const defined = (members: [string, string | undefined][]) =>
    Object.fromEntries(members.filter(([, text]) => text !== undefined));

  test.each(["options", "rows", "columns"])("follow the texts of %s, and stay with an edited one", (name) => {
    const listOf = (all: Entry[]) => all.map(({ key: value, text: label }) => ({ value, label }));
    const textsIn = (all: Entry[]) => defined(all.map(({ key, translation }) => [key, translation]));
    fc.assert(
      fc.property(edits, (all) => {
        const before: Record<string, unknown> = {
          ...{ label: "A", [name]: listOf(entries) },
          translations: { de: { label: "B", [name]: textsIn(entries) } },
        };
        const { translations } = withOwnTranslations(before, { ...before, [name]: listOf(edited(all)) });
        const texts = textsIn(edited(all));
        const isEmpty = Object.keys(texts).length === 0;
        expect(translations).toEqual({ de: { label: "B", ...(!isEmpty && { [name]: texts }) } });
      }),
      { numRuns: generatedCases(2_000) },
    );
  });

  test("follow the messages of rules, and stay with an edited one whose rule has its place", () => {
    const rulesOf = (all: Entry[]) => all.map(({ key: rule, text: message }) => ({ rule, message }));
    fc.assert(
      fc.property(edits, (all) => {
        const before: Record<string, unknown> = {
          ...{ label: "A", rules: rulesOf(entries) },
          translations: { de: { messages: entries.map(({ translation }) => translation ?? null) } },
        };
        const after: Record<string, unknown> = { ...before, rules: rulesOf(edited(all)) };
        const { translations } = withOwnTranslations(before, after);
        const texts = edited(all).map(({ key, text, translation }, index) => [
          ["messages", String(index)],
          text.startsWith("Edited") && entries[index]?.key !== key ? undefined : translation,
        ]);
        const found = texts.map(([place]) => [
          place,
          translationAt({ translations }, "de", place as [string, string]),
        ]);
        expect(found).toEqual(texts);
        expect(translationFaults({ ...after, translations })).toEqual([]);
      }),
      { numRuns: generatedCases(2_000) },
    );
  });

  test("of rules without a message stay while their rules have their places", () => {
    const rules = [{ rule: "x" }, { rule: "y", message: "Y" }];
    const before: Record<string, unknown> = {
      rules,
      translations: { de: { messages: ["ix", "ypsilon", "?"], "x-note": { a: 1 } } },
    };
    const messagesOf = (changed: object[]) =>
      withOwnTranslations<Record<string, unknown>>(before, { rules: changed }).translations;
    expect(messagesOf(rules)).toEqual({ de: { messages: ["ix", "ypsilon"], "x-note": { a: 1 } } });
    expect(messagesOf(rules.slice(1))).toEqual({ de: { messages: ["ypsilon"], "x-note": { a: 1 } } });
  });
});

describe("another first language", () => {
  test("takes the place of the first one, and the texts change places", () => {
    const swapped = after(
      draftOf(
        {
          ...{ type: "select", label: "Size", options: ["s", { value: "l", label: "Large" }] },
          rules: [{ rule: "1 == 1", message: "No" }],
          translations: {
            de: { label: "Größe", options: { s: "klein", l: "groß" }, messages: ["Nein"] },
            fr: { label: "Taille" },
          },
        },
        {
          languages: ["en", "fr", "de"],
          ...{ page: { title: "Order", translations: { de: { title: "Bestellung" } } } },
          ...{ copy: { field: "m", subject: "Hi", translations: { de: { subject: "Hallo" } } } },
        },
      ),
      "first",
      "de",
    );
    expect(swapped.settings).toEqual({
      languages: ["de", "fr", "en"],
      page: { title: "Bestellung", translations: { en: { title: "Order" } } },
      copy: { field: "m", subject: "Hallo", translations: { en: { subject: "Hi" } } },
    });
    expect(swapped.schema.fields[0]).toMatchObject({
      label: "Größe",
      options: [
        { value: "s", label: "klein" },
        { value: "l", label: "groß" },
      ],
      rules: [{ rule: "1 == 1", message: "Nein" }],
      translations: {
        fr: { label: "Taille" },
        en: { label: "Size", options: { s: "s", l: "Large" }, messages: ["No"] },
      },
    });
  });

  test("leaves a text without a translation, which is stored in its own language too", () => {
    const swapped = after(
      draftOf(
        { label: "Size", description: "Yours", translations: { de: { label: "Größe" } } },
        { languages: ["en", "de"] },
      ),
      "first",
      "de",
    );
    expect(swapped.schema.fields[0]).toMatchObject({
      ...{ label: "Größe", description: "Yours" },
      translations: { en: { label: "Size", description: "Yours" } },
    });
  });

  test("leaves a translation of a text that the field lacks: no page shows it, and none is lost", () => {
    const draft = draftOf(
      { label: "A", translations: { de: { label: "B", description: "D" } } },
      { languages: ["en", "de"] },
    );
    const swapped = after(draft, "first", "de");
    expect(swapped.schema.fields[0]).toEqual({
      ...{ id: "a", type: "text", label: "B" },
      translations: { de: { description: "D" }, en: { label: "A" } },
    });
    expect(after(swapped, "first", "en")).toEqual(draft);
  });

  test("has a title that only it had, since the other one's is the form's name; other texts stay", () => {
    const page = { translations: { de: { title: "T", thankYou: "Danke" } } };
    const swapped = after(draftOf({ label: "A" }, { languages: ["en", "de"], page }), "first", "de");
    expect(swapped.settings.page).toEqual({
      title: "T",
      translations: { en: { title: "F" }, de: { thankYou: "Danke" } },
    });
  });

  const text = fc.constantFrom("A", "B", "C");
  const texts = fc.record(
    {
      ...{ label: text, description: text, messages: fc.tuple(text, text) },
      options: fc.dictionary(fc.constantFrom("s", "__proto__", "l"), text),
    },
    { requiredKeys: [] },
  );
  const fields = fc.record({ de: texts, fr: texts }, { requiredKeys: [] });
  const pageTexts = fc.record({ title: text, introduction: text, thankYou: text }, { requiredKeys: [] });
  const pages = fc
    .record({ own: pageTexts, translations: fc.record({ de: pageTexts, en: pageTexts }) })
    .map(({ own, translations }) => ({ ...own, translations }));

  test("swapped twice is the first again, and no page shows another text than before", () => {
    fc.assert(
      fc.property(fields, pages, (translations, page) => {
        const draft = draftOf(
          {
            ...{ type: "select", label: "A", description: "B" },
            options: ["s", { value: "__proto__", label: "__proto__" }, { value: "l" }],
            rules: ["x", "y"].map((message) => ({ rule: "1 == 1", message })),
            translations,
          },
          { languages: ["en", "de", "fr"], page },
        );
        const swapped = after(draft, "first", "de");
        const again = after(swapped, "first", "en");
        const shown = (of: Draft, language: string) =>
          textsOfForm({ schema: of.schema, settings: { languages: of.settings.languages ?? [] } }).map(
            (each) => (of.settings.languages?.[0] === language ? undefined : each.in(language)) ?? each.text,
          );
        const seen = ({ schema }: Draft) =>
          ["en", "de"].map((each) => canonicalText(schema.fields.map((field) => seenIn(field, each))));
        expect(seen(swapped)).toEqual(seen(draft));
        /** Texts of the page, as it shows them. An absent one is in the words of formd. */
        const onPage = ({ name, settings }: Draft) =>
          ["en", "de"].map((language) => {
            const own = (member: "title" | "introduction" | "thankYou") =>
              settingIn(settings.page, "page", [settings.languages?.[0], language], member) ??
              settings.page?.[member];
            return [own("title") ?? name, own("introduction"), own("thankYou")];
          });
        expect([onPage(swapped), onPage(again)]).toEqual([onPage(draft), onPage(draft)]);
        const languages = ["en", "de", "fr"];
        // French shows the first language where it has no text, and that is another one now.
        expect(languages.slice(0, 2).map((each) => shown(swapped, each))).toEqual(
          languages.slice(0, 2).map((each) => shown(draft, each)),
        );
        expect(languages.map((each) => shown(again, each))).toEqual(
          languages.map((each) => shown(draft, each)),
        );
        expect(again.settings.languages).toEqual(draft.settings.languages);
      }),
      { numRuns: generatedCases(2_000) },
    );
  });
});
