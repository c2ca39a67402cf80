/** The changes of a draft that translate its texts, or remove translations. Pure. */
import { type } from "arktype";
import { type FieldText, maxTranslationLength } from "../../fields/translations.ts";
import { isRecord, ownIn } from "../../fields/values.ts";
import type { FormText } from "./form-texts.ts";
import { translatedTexts } from "./settings.ts";

/** A text with its new translation. Empty: it has none. */
export interface Translation {
  text: FormText;
  language: string;
  translation: string;
}

/** A text as it is compared and stored: browsers and spreadsheets write line breaks of their own. */
export const normalText = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

/** Returns the greatest length of a translation that is too long; `wrong`: it is not valid. */
export function translationFault({ of }: FormText, translation: string): number | "wrong" | undefined {
  if ("field" in of) {
    const max = maxTranslationLength(of.at[0]);
    return max !== undefined && translation.length > max ? max : undefined;
  }
  return settingFault(of.group, of.member, translation);
}

/** {@link translationFault} of a text of the page or the copy. An empty one is not set. */
export function settingFault(group: keyof typeof translatedTexts, member: string, text: unknown) {
  const checked = translatedTexts[group]({ [member]: text });
  if (text === "" || !(checked instanceof type.errors)) return undefined;
  const [fault] = checked;
  return fault?.hasCode("maxLength") ? fault.rule : "wrong";
}

type Texts = Readonly<Record<string, unknown>>;
interface Change {
  language: string;
  at: FieldText["place"];
  translation: string;
}

/** A record whose members are set; those that become empty are removed. Undefined: it is empty. */
export function withMembers(record: unknown, set: Iterable<[string, unknown]>): Texts | undefined {
  const members = new Map(isRecord(record) ? Object.entries(record) : []);
  for (const [name, value] of set)
    if (value === undefined || value === "") members.delete(name);
    else members.set(name, value);
  return members.size === 0 ? undefined : Object.fromEntries(members);
}

/** A list of messages by position. Null: it has no translation. */
function withMessages(list: unknown, changes: readonly Change[]): unknown[] | undefined {
  const messages: unknown[] = Array.isArray(list) ? [...list] : [];
  for (const { at, translation } of changes) messages[Number(at[1])] = translation || null;
  const length = messages.findLastIndex((message) => message !== null && message !== undefined) + 1;
  return length === 0 ? undefined : Array.from(messages.slice(0, length), (message) => message ?? null);
}

/** Changes `translations`. Undefined: there are none. */
export function withTranslations(translations: unknown, changes: readonly Change[]): Texts | undefined {
  const membersOf = (of: readonly Change[], before: unknown) =>
    [...Map.groupBy(of, ({ at }) => at[0])].map(([member, all]): [string, unknown] => {
      const old = ownIn(before, member);
      if (member === "messages") return [member, withMessages(old, all)];
      const texts = all.map(({ at, translation }): [string, string] => [at[1] ?? member, translation]);
      return [member, all[0]?.at[1] === undefined ? texts.at(-1)?.[1] : withMembers(old, texts)];
    });
  const languages = [...Map.groupBy(changes, ({ language }) => language)];
  return withMembers(
    translations,
    languages.map(([language, of]) => {
      const before = ownIn(translations, language);
      return [language, withMembers(before, membersOf(of, before))];
    }),
  );
}
