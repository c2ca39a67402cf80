/** Texts of another tool's form in other languages, which become `translations`. Pure. */
import { canonicalTag } from "../../../fields/languages.ts";
import { namedLists } from "../../../fields/named-lists.ts";
import { type FieldText, textsOf } from "../../../fields/translations.ts";
import { limits } from "../../../limits.ts";
import { settingMembers } from "../settings.ts";
import { isSet, memberOf, type Node } from "./read.ts";

/** Texts by the source's name of their language. */
type Texts = ReadonlyMap<string, string>;
/** Texts in other languages by the text that is kept: within a question each has one meaning. */
type SpokenTexts = ReadonlyMap<string, Texts>;

const tagsByName: ReadonlyMap<string, string> = new Map(
  (namedLists.languages ?? []).map(({ value, label = "" }) => [label.toLowerCase(), String(value)]),
);

/** The tag of a language by its name in a source: `de`, `de_AT`, `Deutsch (de)`, `German`. */
function languageTagOf(name: string): string | undefined {
  const [, outside = name, inside = name] = /^([^()]*)\(([^()]+)\)$/.exec(name.trim()) ?? [];
  return canonicalTag(inside.trim().replaceAll("_", "-")) ?? tagsByName.get(outside.trim().toLowerCase());
}

/** A translation of its texts and their places. */
function translationOf(found: readonly { place: FieldText["place"]; text: string }[]): Node {
  const byMember = Map.groupBy(found, ({ place: [member] }) => member);
  return Object.fromEntries(
    [...byMember].map(([member, texts]) => {
      if (texts[0]?.place.length === 1) return [member, texts[0].text];
      const byKey = new Map(texts.map(({ place: [, key = ""], text }) => [key, text]));
      if (member !== "messages") return [member, Object.fromEntries(byKey)];
      const length = 1 + Math.max(...[...byKey.keys()].map(Number));
      return [member, Array.from({ length }, (_, index) => byKey.get(String(index)) ?? null)];
    }),
  );
}

/** Collects the texts of a form in other languages. */
export function collectTranslations() {
  let heard: (readonly [string, Texts])[] = [];
  let lists: SpokenTexts[] = [];
  const kept = new Map<Node, SpokenTexts>();
  const names = new Set<string>();

  /**
   * The languages, the first one first, and each text in the others.
   * @param main a name of the source
   */
  function languagesOf(main: string) {
    const byTag = Map.groupBy(names, (name) => languageTagOf(name));
    const first = languageTagOf(main) ?? (byTag.has("en") ? "und" : "en");
    const known = [...byTag.keys()].filter((tag) => tag !== undefined && tag !== first) as string[];
    const others = known.slice(0, limits.form.maxLanguages - 1);
    const leftOut = [...byTag].flatMap(([tag, all]) => (others.includes(tag ?? "") ? [] : all));
    const translationsOf = (texts: readonly FieldText[], spoken: SpokenTexts): Record<string, Node> =>
      Object.fromEntries(
        others.flatMap((tag) => {
          const found = texts.flatMap(({ place, text: own }) => {
            const text = byTag.get(tag)?.flatMap((name) => spoken.get(own)?.get(name) ?? [])[0];
            return text === undefined ? [] : [{ place, text }];
          });
          return found.length > 0 ? [[tag, translationOf(found)]] : [];
        }),
      );
    return { languages: [first, ...others], leftOut, translationsOf };
  }

  return {
    /** Remembers what a text is in other languages, for the question that is added next. @returns the text */
    hear(text: string, others: Iterable<readonly [name: string, text: string]>): string {
      const texts = new Map([...others].filter(([name, other]) => name !== "" && other !== ""));
      for (const name of texts.keys()) names.add(name);
      if (texts.size > 0) heard.push([text, texts]);
      return text;
    },

    /** Remembers the texts of a list that several questions have. */
    hearList(texts: SpokenTexts | undefined): void {
      if (texts) lists.push(texts);
    },

    /** Keeps for a field what was heard of its texts. @returns its bytes, about */
    keep(field: Node): number {
      if (heard.length + lists.length === 0) return 0;
      const found: SpokenTexts[] = [new Map(heard), ...lists];
      [heard, lists] = [[], []];
      const own = new Map(kept.get(field));
      for (const { text } of textsOf(field)) {
        const texts = own.get(text) ?? found.find((each) => each.has(text))?.get(text);
        if (!texts) continue;
        own.set(text, texts);
        for (const name of texts.keys()) names.add(name);
      }
      kept.set(field, own);
      return [...own.values()].reduce((sum, texts) => sum + [...texts.values()].join("").length, 0);
    },

    /**
     * Gives fields their translations. @param main the source's name of the first language
     * @param page texts of the page, and those that stand for them
     * @returns the languages, if there are several; names of those that are left out; texts of the page
     */
    apply(fields: readonly Record<string, unknown>[], main: string, page: Readonly<Record<string, unknown>>) {
      const { languages, leftOut, translationsOf } = languagesOf(main);
      if (languages.length === 1) return { leftOut, translations: {} };
      for (const field of fields) {
        const translations = translationsOf(textsOf(field), kept.get(field) ?? new Map());
        if (isSet(translations)) field.translations = translations;
      }
      const spoken = new Map(heard);
      const texts = settingMembers.page.flatMap((member): FieldText[] => {
        const text = memberOf(page, member);
        return typeof text === "string" && spoken.has(text) ? [{ place: [member], text }] : [];
      });
      const own = Object.fromEntries(texts.map(({ place, text }) => [place[0], text]));
      return { leftOut, languages, page: own, translations: translationsOf(texts, spoken) };
    },
  };
}
