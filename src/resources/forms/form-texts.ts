/** The texts of a form that people read, and how many of them are translated. Pure. */
import { isRecord } from "../../fields/definition.ts";
import { pathStep } from "../../fields/lint.ts";
import { type FieldText, textsOf, translationAt } from "../../fields/translations.ts";
import { isBlankText } from "../../fields/values.ts";
import { settingMembers, type translatedTexts } from "./settings.ts";
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

const textIn = (record: unknown, name: string): string | undefined => {
  const value = isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === "string" && !isBlankText(value) ? value : undefined;
};

/** Lists the texts of a form: of its page and mails, then of its fields, in the order of the form. */
export const textsOfForm = ({ schema, settings }: Draft): FormText[] => [
  ...(Object.entries(settingMembers) as [Group, readonly string[]][]).flatMap(([group, members]) =>
    members.flatMap((member): FormText[] => {
      const own = settings[group];
      const text = textIn(own, member);
      const found = (language: string) =>
        isRecord(own?.translations) && Object.hasOwn(own.translations, language)
          ? textIn(own.translations[language], member)
          : undefined;
      return text === undefined
        ? []
        : [{ place: `${group}.${member}`, text, of: { group, member }, in: found }];
    }),
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
