/** The texts of a form that people read, and how many of them are translated. Pure. */
import { pathStep } from "../../fields/lint.ts";
import { type FieldText, textsOf, translationAt } from "../../fields/translations.ts";
import { isBlankText, ownIn } from "../../fields/values.ts";
import { settingMembers, translatedTexts } from "./settings.ts";
import type { FormRow } from "./shapes.ts";

type Draft = Pick<FormRow, "schema" | "settings">;

/** A text in the form's first language. */
export interface FormText {
  /** Unique in the form: `fields.size.options.s`, `page.title`, `copy.subject`. */
  place: string;
  text: string;
  /** Owner of the text: a field, or a group of settings. `position`: of a label in its list, from 1. */
  of:
    | { field: Readonly<Record<string, unknown>>; at: FieldText["place"]; position: number }
    | { group: Group; member: string };
  /** The text in another language; undefined: it is missing. */
  in: (language: string) => string | undefined;
}

type Group = keyof typeof translatedTexts;
export const groups: readonly Group[] = ["page", "copy"];

/** The texts of a group of settings in the form's first language. */
export const groupTexts = (group: object | undefined, name: Group): FieldText[] =>
  settingMembers[name].flatMap((member): FieldText[] => {
    const text = ownIn(group, member);
    return typeof text === "string" && !isBlankText(text) ? [{ place: [member], text }] : [];
  });

/**
 * The translation of a text of a group, as pages and mails have it. Undefined: there is none, its shape
 * refuses it, or the text itself is not set. The first language of a form has none.
 */
export function settingIn(
  group: object | undefined,
  name: Group,
  [first, language]: readonly [first: string | undefined, language: string],
  member: string,
): string | undefined {
  const [known] = groupTexts(group, name).filter(({ place }) => place[0] === member);
  if (!group || !known || first === undefined || language === first) return undefined;
  const text = translationAt(group, language, known.place);
  return text !== undefined && translatedTexts[name].allows({ [member]: text }) ? text : undefined;
}

/** A group of settings with its texts in a language, where it has them. */
export const groupInLanguage = <G extends object>(group: G, name: Group, language: string): G => ({
  ...group,
  ...Object.fromEntries(
    groupTexts(group, name).map(({ place, text }) => [
      place[0],
      translationAt(group, language, place) ?? text,
    ]),
  ),
});

/** Lists the texts of a form: of its page and mails, then of its fields, in the order of the form. */
export const textsOfForm = ({ schema, settings }: Draft): FormText[] => [
  ...groups.flatMap((group) =>
    groupTexts(settings[group], group).map(
      ({ place, text }): FormText => ({
        place: `${group}.${place[0]}`,
        ...{ text, of: { group, member: place[0] } },
        in: (language) => translationAt(settings[group] ?? {}, language, place),
      }),
    ),
  ),
  ...schema.fields.flatMap((field) => {
    const texts = textsOf(field);
    const starts = new Map(texts.map(({ place: [member] }, index) => [member, index] as const).reverse());
    return texts.map(({ place: at, text }, index): FormText => {
      const steps = [String(field.id ?? ""), ...at].flatMap((step) =>
        step === undefined ? [] : pathStep(step),
      );
      return {
        place: `fields${steps.join("")}`,
        text,
        of: { field, at, position: index - (starts.get(at[0]) ?? 0) + 1 },
        in: (language) => translationAt(field, language, at),
      };
    });
  }),
];

/** The number of a form's texts that a language has. */
export interface Share {
  language: string;
  translated: number;
  total: number;
}

/** Counts the texts in each language of a form, except the first. */
export function sharesOf(draft: Draft): Share[] {
  const [, ...others] = draft.settings.languages ?? [];
  if (others.length === 0) return [];
  const texts = textsOfForm(draft);
  return others.map((language) => ({
    language,
    translated: texts.filter((each) => each.in(language) !== undefined).length,
    total: texts.length,
  }));
}
