/** Changes of the languages of a draft. Pure. */
import { type FieldText, textsOf, translated, translationAt } from "../../fields/translations.ts";
import { isRecord, isText, ownIn } from "../../fields/values.ts";
import { contentOf, type FileContent } from "./file.ts";
import { type FilePlan, filePlanOf } from "./file-plan.ts";
import { groupInLanguage, groupTexts, withEach } from "./form-texts.ts";
import { pageLanguages } from "./settings.ts";
import type { FormRow } from "./shapes.ts";
import { type Translation, withMembers, withTranslations } from "./translation-operations.ts";

type Json = Readonly<Record<string, unknown>>;
type Settings = FormRow["settings"];
type Text = readonly [place: FieldText["place"], text: string | undefined];

/** The languages of a draft, the first of its texts; without a list, that of its page. */
export const languagesOfDraft = ({ languages, page }: Settings): readonly string[] =>
  languages ?? [page?.language ?? pageLanguages[0]];

/** Returns a record with other translations. Undefined: none. */
const withOther = <R extends Json>({ translations: _, ...record }: R, translations: unknown): R =>
  (translations === undefined ? record : { ...record, translations }) as R;

/** Returns a record with other texts in a language. An undefined one removes the translation. */
const withTexts = <R extends Json>(record: R, language: string, texts: readonly Text[]): R =>
  withOther(
    record,
    withTranslations(
      record.translations,
      texts.map(([at, text = ""]) => ({ language, at, translation: text })),
    ),
  );

/** A text's place as a key. */
const keyOf = (place: FieldText["place"]): string => JSON.stringify(place);

const ruleAt = ({ rules }: Json, index: string): string | undefined =>
  Array.isArray(rules) ? JSON.stringify(ownIn(rules[Number(index)], "rule")) : undefined;

/**
 * Returns a changed definition with the translations of its texts. In a list, a text that has another place
 * takes its translations along. One that is new where another one was has that one's: a corrected spelling,
 * unless that one has another place now, or the message belongs to another rule.
 */
export function withOwnTranslations<R extends Json>(before: Json, after: R): R {
  const { translations } = before;
  if (!isRecord(translations)) return after;
  const textKey = ({ place: [member], text }: FieldText) => keyOf([member, text]);
  const old = textsOf(before);
  const oldByPlace = new Map(old.map((each) => [keyOf(each.place), each]));
  const oldByText = Map.groupBy(old, textKey);
  const texts = new Map(textsOf(after).map((each) => [keyOf(each.place), each]));
  const isSame = (key: string) => oldByPlace.get(key)?.text === texts.get(key)?.text;
  const moved = new Set([...texts].flatMap(([key, each]) => (isSame(key) ? [] : [textKey(each)])));
  const isNamed = (list: string) => typeof (ownIn(after.validation, list) ?? ownIn(after, list)) === "string";
  /** Places whose translation at a place is right. Undefined: that at the place itself. */
  const sourcesOf = (key: string, [member, entry]: FieldText["place"]): FieldText[] | undefined => {
    const was = oldByPlace.get(key);
    const is = texts.get(key);
    if (entry === undefined) return was && !is ? [] : undefined;
    const rule = member === "messages" ? ruleAt(after, entry) : undefined;
    const isOwn = member !== "messages" || ruleAt(before, entry) === rule;
    if (!is) return !was && (rule === undefined ? isNamed(member) : isOwn) ? undefined : [];
    if (was && isSame(key)) return undefined;
    return oldByText.get(textKey(is)) ?? (isOwn && !(was && moved.has(textKey(was))) ? undefined : []);
  };
  return Object.keys(translations).reduce<R>(
    (field, tag) => {
      const own = ownIn(translations, tag);
      const listed = Object.entries(isRecord(own) ? own : {}).flatMap(([list, labels]) =>
        (isRecord(labels) || Array.isArray(labels)) && !list.startsWith("x-")
          ? Object.keys(labels).map((key): FieldText["place"] => [list, key])
          : [],
      );
      const places = [...[...old, ...texts.values()].map(({ place }) => place), ...listed];
      const changed = [...new Map(places.map((place) => [keyOf(place), place]))].flatMap(
        ([key, place]): Text[] => {
          const sources = sourcesOf(key, place)?.map((from) => translationAt(before, tag, from.place));
          return sources ? [[place, sources.find((text) => text !== undefined)]] : [];
        },
      );
      return withTexts(field, tag, changed);
    },
    { ...after, translations },
  );
}

/**
 * Swaps the plain texts of a record with those of a language. A text without a translation stays, and is
 * stored in its own language too: the plain one may be overwritten with its translation. So an equal text in
 * both is that of a missing one, and swapping twice restores all.
 * @param shown the record with its texts in the language
 */
function swapped<R extends Json>(shown: R, old: Json, texts: readonly FieldText[], [from, to]: Swap): R {
  const own = texts.map(({ place, text }): Text => {
    const isSame = translationAt(old, to, place) === text;
    return [place, isSame ? undefined : text];
  });
  return withTexts(
    withTexts(shown, from, own),
    to,
    texts.map(({ place }) => [place, undefined]),
  );
}

type Swap = readonly [from: string, to: string];

type Draft = Pick<FormRow, "schema" | "settings"> & Partial<Pick<FormRow, "name" | "description">>;

/** With one language, which the page has without a list as well, the list is removed. */
function withLanguages({ schema, settings }: Draft, languages: readonly string[]): Draft {
  const { languages: _, ...others } = settings;
  const isPages = String(languages) === String(languagesOfDraft(others));
  return { schema, settings: isPages ? others : { ...others, languages: [...languages] } };
}

/** The changes, each of a language. */
const operations = {
  /** @param index its place, which is not the first. Absent: the last */
  add: (draft: Draft, tag: string, index = Number.POSITIVE_INFINITY) =>
    withLanguages(draft, languagesOfDraft(draft.settings).toSpliced(Math.max(1, index), 0, tag)),
  /** Its texts stay. */
  remove: (draft: Draft, tag: string) =>
    withLanguages(
      draft,
      languagesOfDraft(draft.settings).filter((each, index) => index === 0 || each !== tag),
    ),
  /** The language becomes the first, and the first one takes its place. */
  first: (draft: Draft, tag: string) => {
    const languages = languagesOfDraft(draft.settings);
    const [from = ""] = languages;
    if (from === tag || !languages.includes(tag)) return draft;
    const swap: Swap = [from, tag];
    const all = withLanguages(
      draft,
      languages.map((each) => (each === from ? tag : each === tag ? from : each)),
    );
    return withEach(
      all,
      (field) => swapped(translated(field, tag), field, textsOf(field), swap),
      (group, name) => {
        // One that is not set stays where it is: formd's words, which have no text, stand for the other one.
        const texts = groupTexts(draft, name).filter(
          ({ place, text }) =>
            isText(ownIn(group, place[0])) || (text !== "" && translationAt(group, tag, place) !== undefined),
        );
        return swapped(groupInLanguage(group, texts, tag), group, texts, swap);
      },
    );
  },
  deleteTexts: (draft: Draft, tag: string) =>
    withEach(draft, (record) =>
      isRecord(record.translations)
        ? withOther(record, withMembers(record.translations, [[tag, undefined]]))
        : record,
    ),
};

export type LanguageChange = keyof typeof operations;

type Stored = FileContent & Pick<FormRow, "currentVersion">;

/** Returns the plan of a change of a language for a draft. Applied, it changes all texts or none. */
export const planOfLanguages = (
  draft: Stored,
  change: LanguageChange,
  tag: string,
  index?: number,
): FilePlan => filePlanOf(draft, contentOf({ ...draft, ...operations[change](draft, tag, index) }));

/** Returns the plan of translations of a draft's texts. An empty one removes what is stored. */
export function planOfTranslations(draft: Stored, all: readonly Translation[]): FilePlan {
  const byOwner = Map.groupBy(all, ({ text: { of } }): unknown => ("field" in of ? of.field : of.group));
  const change = (record: Json, owner: unknown = record): Json => {
    const changes = byOwner.get(owner)?.map(({ text: { of }, ...each }) => ({
      ...each,
      at: "field" in of ? of.at : ([of.member] as const),
    }));
    return changes ? withOther(record, withTranslations(record.translations, changes)) : record;
  };
  return filePlanOf(draft, contentOf({ ...draft, ...withEach(draft, change) }));
}
