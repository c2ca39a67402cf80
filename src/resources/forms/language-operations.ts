/** Changes of the languages of a draft. Pure. */
import { type FieldText, textsOf, translated, translationAt } from "../../fields/translations.ts";
import { isBlankText, isRecord } from "../../fields/values.ts";
import { contentOf, type FileContent } from "./file.ts";
import { type FilePlan, filePlanOf } from "./file-plan.ts";
import { pageLanguages, settingMembers } from "./settings.ts";
import type { FormRow } from "./shapes.ts";
import { type Translation, withMembers, withTranslations } from "./translation-operations.ts";

type Json = Readonly<Record<string, unknown>>;
type Settings = FormRow["settings"];
type Text = readonly [place: FieldText["place"], text: string | undefined];

/** The languages of a draft, the first of its texts; without a list, that of its page. */
export const languagesOfDraft = ({ languages, page }: Settings): readonly string[] =>
  languages ?? [page?.language ?? pageLanguages[0]];

const memberOf = (record: unknown, name: string): unknown =>
  isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;

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

/**
 * Returns a changed definition without the translations of texts that it no longer has. An option that has
 * another value, and its label as before, keeps its translations.
 */
export function withOwnTranslations<R extends Json>(before: Json, after: R): R {
  const { translations } = before;
  if (!isRecord(translations)) return after;
  const texts = textsOf(after);
  const has = new Set(texts.map(({ place }) => keyOf(place)));
  const gone = textsOf(before).filter(({ place }) => !has.has(keyOf(place)));
  const goneByText = new Map(gone.map(({ place: [member], place, text }) => [keyOf([member, text]), place]));
  const isNamed = (list: string) =>
    typeof (memberOf(after.validation, list) ?? memberOf(after, list)) === "string";
  return Object.keys(translations).reduce<R>(
    (field, tag) => {
      const own = memberOf(translations, tag);
      const listed = Object.entries(isRecord(own) ? own : {}).flatMap(([list, labels]) =>
        isRecord(labels) && !isNamed(list) ? Object.keys(labels).map((key) => [list, key] as const) : [],
      );
      const unknown = [...gone.map(({ place }) => place), ...listed].filter((each) => !has.has(keyOf(each)));
      const carried = texts.flatMap(({ place: [member, key], place, text }): Text[] => {
        const from = key === undefined ? undefined : goneByText.get(keyOf([member, text]));
        const is = from && translationAt(before, tag, from);
        return is === undefined ? [] : [[place, translationAt(before, tag, place) ?? is]];
      });
      return withTexts(field, tag, [...unknown.map((place): Text => [place, undefined]), ...carried]);
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
type Group = keyof typeof settingMembers;
const groups: readonly Group[] = ["page", "copy"];

const groupTexts = (group: Json, members: readonly string[]): FieldText[] =>
  members.flatMap((name): FieldText[] => {
    const text = memberOf(group, name);
    return typeof text === "string" && !isBlankText(text) ? [{ place: [name], text }] : [];
  });

/** A group of settings with its texts in a language, where it has them. */
const translatedGroup = (group: Json, name: Group, language: string): Json => ({
  ...group,
  ...Object.fromEntries(
    groupTexts(group, settingMembers[name]).map(({ place, text }) => [
      place[0],
      translationAt(group, language, place) ?? text,
    ]),
  ),
});

/** Changes each record of a draft that has translations: fields, and groups of settings. */
const withEach = (
  { schema, settings }: Draft,
  change: (record: Json) => Json,
  ofGroup: (group: Json, name: Group) => Json = change,
): Draft => ({
  schema: { ...schema, fields: schema.fields.map((field) => change(field) as typeof field) },
  settings: {
    ...settings,
    ...Object.fromEntries(
      groups.flatMap((name) => {
        const { [name]: group } = settings;
        return group === undefined ? [] : [[name, ofGroup(group, name)]];
      }),
    ),
  },
});

type Draft = Pick<FormRow, "schema" | "settings">;

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
      (group, name) =>
        swapped(translatedGroup(group, name, tag), group, groupTexts(group, settingMembers[name]), swap),
    );
  },
  deleteTexts: (draft: Draft, tag: string) =>
    withEach(draft, (record) =>
      isRecord(record.translations)
        ? withOther(record, withMembers(record.translations, [[tag, undefined]]))
        : record,
    ),
};

/** A draft with its texts in a language, where it has them. */
export const draftInLanguage = <Form extends Draft>(form: Form, language: string): Form => ({
  ...form,
  ...withEach(
    form,
    (field) => translated(field, language),
    (group, name) => translatedGroup(group, name, language),
  ),
});

export type LanguageChange = keyof typeof operations;

type Stored = FileContent & Pick<FormRow, "currentVersion">;

/** Returns the plan of a change of a language for a draft. Applied, it changes all texts or none. */
export const planOfLanguages = (
  draft: Stored,
  change: LanguageChange,
  tag: string,
  index?: number,
): FilePlan => filePlanOf(draft, contentOf({ ...draft, ...operations[change](draft, tag, index) }));

/** Returns the plan of translations of a draft's texts, in any number. An empty one removes what is stored. */
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
