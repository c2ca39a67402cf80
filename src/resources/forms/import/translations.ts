/** Texts of another tool's form in other languages, which become `translations`. Pure. */

import { canonicalTag } from "../../../fields/languages.ts";
import { namedLists } from "../../../fields/named-lists.ts";
import { type FieldText, textsOf } from "../../../fields/translations.ts";
import { ownIn } from "../../../fields/values.ts";
import { limits } from "../../../limits.ts";
import { settingMembers } from "../settings.ts";
import { withTranslations } from "../translation-operations.ts";
import { optionValueOf, type SourceOption } from "./options.ts";
import type { Node } from "./read.ts";

/** A text by the source's name of its language. */
type TextByLanguage = ReadonlyMap<string, string>;
/** Texts in other languages by the key of the one that is kept. */
export type TextsByKey = ReadonlyMap<string, TextByLanguage>;

const tagsByName: ReadonlyMap<string, string> = new Map(
  (namedLists.languages ?? []).map(({ value, label = "" }) => [label.toLowerCase(), String(value)]),
);

/** The tag of a language by its name in a source: `de`, `de_AT`, `Deutsch (de)`, `German`. */
function languageTagOf(name: string): string | undefined {
  const [, outside = name, inside = name] = /^([^()]*)\(([^()]+)\)$/.exec(name.trim()) ?? [];
  return canonicalTag(inside.trim().replaceAll("_", "-")) ?? tagsByName.get(outside.trim().toLowerCase());
}

/** The key of a choice's text within a question, in which two choices may have one label. */
export const choiceKey = (value: unknown, label: string): string => JSON.stringify([String(value), label]);

/** A text that is none of a choice is its own key: within a question it has one meaning. */
const keyOf = ({ place: [member, key], text }: FieldText): string =>
  key === undefined || member === "messages" ? text : choiceKey(key, text);

/** Collects the texts of a form in other languages. */
export function collectTranslations() {
  /** Texts of the element that is read, and those of lists that several questions have. */
  let pending = new Map<string, TextByLanguage>();
  let lists: TextsByKey[] = [];
  const textsByField = new Map<Node, TextsByKey>();
  const names = new Set<string>();

  /**
   * The languages, the first one first, and each text in the others.
   * @param main a name of the source
   */
  function languagesOf(main: string) {
    const byTag = Map.groupBy(names, (name) => languageTagOf(name));
    const tag = languageTagOf(main);
    const first = tag ?? (byTag.has("en") ? "und" : "en");
    const known = [...byTag.keys()].filter((each) => each !== undefined && each !== first) as string[];
    const others = known.slice(0, limits.form.maxLanguages - 1);
    const leftOut = [...byTag].flatMap(([each, all]) => (others.includes(each ?? "") ? [] : all));
    const translationsOf = (texts: readonly FieldText[], found: TextsByKey) =>
      withTranslations(
        undefined,
        others.flatMap((language) =>
          texts.flatMap((own) => {
            const inLanguages = found.get(keyOf(own));
            const name = byTag.get(language)?.find((each) => inLanguages?.has(each));
            const translation = inLanguages?.get(name ?? "");
            return translation === undefined ? [] : [{ language, at: own.place, translation }];
          }),
        ),
      );
    return { languages: [first, ...others], isGuess: tag === undefined, leftOut, translationsOf };
  }

  return {
    /** Begins an element: it has no text of an earlier one, which may have been left out. */
    beginTexts(): void {
      [pending, lists] = [new Map(), []];
    },

    /** Remembers a text in other languages for the element that is read. @returns the text */
    addText(
      text: string,
      others: Iterable<readonly [name: string, text: string]>,
      choice?: SourceOption,
    ): string {
      const texts = new Map([...others].filter(([name, other]) => name !== "" && other !== ""));
      const key = choice ? choiceKey(optionValueOf(choice.value, text), text) : text;
      if (texts.size > 0 && !pending.has(key)) pending.set(key, texts);
      return text;
    },

    /** Remembers the texts of a list that several questions have. */
    addListTexts(texts: TextsByKey | undefined): void {
      if (texts) lists.push(texts);
    },

    /** Gives a field those of the remembered texts that it has. @returns their bytes, about */
    assignTexts(field: Node): number {
      const found = [pending, ...lists];
      const own = new Map(textsByField.get(field));
      for (const key of textsOf(field).map(keyOf)) {
        const texts = own.get(key) ?? found.find((each) => each.has(key))?.get(key);
        if (!texts) continue;
        own.set(key, texts);
        for (const name of texts.keys()) names.add(name);
      }
      if (own.size > 0) textsByField.set(field, own);
      return [...own.values()].reduce((sum, texts) => sum + [...texts.values()].join("").length, 0);
    },

    /**
     * Gives fields their translations. @param main the source's name of the first language
     * @param page texts of the page, and those that stand for them
     * @returns the languages, if there are several; names of those that are left out; texts of the page
     */
    translate(
      fields: readonly Record<string, unknown>[],
      main: string,
      page: Readonly<Record<string, unknown>>,
    ) {
      const texts = settingMembers.page.flatMap((member): FieldText[] => {
        const text = ownIn(page, member);
        return typeof text === "string" && pending.has(text) ? [{ place: [member], text }] : [];
      });
      for (const { text } of texts) for (const name of pending.get(text)?.keys() ?? []) names.add(name);
      const { languages, isGuess, leftOut, translationsOf } = languagesOf(main);
      if (languages.length === 1) return { leftOut, isGuess, translations: {} };
      for (const field of fields) {
        const translations = translationsOf(textsOf(field), textsByField.get(field) ?? new Map());
        if (translations) field.translations = translations;
      }
      const own = Object.fromEntries(texts.map(({ place, text }) => [place[0], text]));
      return { leftOut, languages, isGuess, page: own, translations: translationsOf(texts, pending) ?? {} };
    },
  };
}
