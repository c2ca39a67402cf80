/** The changes of a draft that translate its texts, or remove translations. Pure. */
import { type } from "arktype";
import { maxRuleMessageLength } from "../../fields/conditions/logic.ts";
import type { FieldText } from "../../fields/translations.ts";
import { isRecord, ownIn } from "../../fields/values.ts";
import type { FilePlan } from "./file-plan.ts";
import type { FormText } from "./form-texts.ts";
import { translatedTexts } from "./settings.ts";
import type { FormRow } from "./shapes.ts";

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
    const isLong = of.at[0] === "messages" && translation.length > maxRuleMessageLength;
    return isLong ? maxRuleMessageLength : undefined;
  }
  const checked = translatedTexts[of.group]({ [of.member]: translation });
  if (translation === "" || !(checked instanceof type.errors)) return undefined;
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

const changeOf = ({ text: { of }, ...change }: Translation): Change => ({
  ...change,
  at: "field" in of ? of.at : [of.member],
});

/** The merge patch of a group's translations. A language without texts is removed. */
function patchOf(translations: unknown, changes: readonly Change[]) {
  const after = withTranslations(translations, changes) ?? {};
  const patch = [...Map.groupBy(changes, ({ language }) => language)].map(([language, of]) => [
    language,
    Object.hasOwn(after, language)
      ? Object.fromEntries(of.map(({ at, translation }) => [at[0], translation || null]))
      : null,
  ]);
  return { translations: Object.fromEntries(patch) };
}

/** Plans translations of texts of a draft as one patch, in any number. */
export function translationPlan(draft: Pick<FormRow, "schema" | "settings">, all: Translation[]): FilePlan {
  const owners = Map.groupBy(all, ({ text: { of } }) => ("field" in of ? of.field : of.group));
  const operations: FilePlan["operations"] = [];
  const fields = draft.schema.fields.map((field) => {
    const changes = owners.get(field)?.map(changeOf);
    if (!changes) return field;
    const { translations: before, ...others } = field;
    const translations = withTranslations(before, changes);
    operations.push({ op: "updateField", fieldId: field.id, set: { translations: translations ?? null } });
    return translations ? { ...others, translations } : others;
  });
  const settings = (["page", "copy"] as const).flatMap((group) => {
    const changes = owners.get(group)?.map(changeOf);
    return changes ? [[group, patchOf(draft.settings[group]?.translations, changes)]] : [];
  });
  if (settings.length > 0) operations.push({ op: "setMeta", settings: Object.fromEntries(settings) });
  return { operations, fields, warnings: [] };
}
