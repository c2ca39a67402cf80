/** The texts of a form that people read, and how many of them are translated. Pure. */
import { pathStep } from "../../fields/lint.ts";
import { type FieldText, textsOf, translated, translationAt } from "../../fields/translations.ts";
import { isBlankText, ownIn } from "../../fields/values.ts";
import { settingMembers, translatedTexts } from "./settings.ts";

type Json = Readonly<Record<string, unknown>>;

/** A form, of which the texts are read. */
interface Draft {
  schema: { fields: readonly Json[] };
  settings: { languages?: readonly string[]; page?: object; copy?: object };
}

/** A text in the form's first language. */
export interface FormText {
  /** Unique in the form: `fields.size.options.s`, `page.title`, `copy.subject`. */
  place: string;
  text: string;
  /** Owner of the text: a field, or a group of settings. `position`: of a label in its list, from 1. */
  of: { field: Json; at: FieldText["place"]; position: number } | { group: Group; member: string };
  /** The text in another language; undefined: it is missing. */
  in: (language: string) => string | undefined;
}

type Group = keyof typeof translatedTexts;
export const groups: readonly Group[] = ["page", "copy"];

/**
 * The texts of a group of settings in the form's first language. An empty one is not set, and has words of
 * formd or the form's name in its place; it is translated all the same.
 */
export const groupTexts = (group: object | undefined, name: Group): FieldText[] =>
  settingMembers[name].flatMap((member): FieldText[] => {
    const text = ownIn(group, member);
    if (typeof text === "string" && !isBlankText(text)) return [{ place: [member], text }];
    const tags = Object.keys(ownIn(group, "translations") ?? {});
    const isTranslated = tags.some((tag) => translationAt(group ?? {}, tag, [member]) !== undefined);
    return isTranslated ? [{ place: [member], text: "" }] : [];
  });

/**
 * The translation of a text of a group, as pages and mails have it. Undefined: there is none, or its shape
 * refuses it. The first language of a form has none.
 */
export function settingIn(
  group: object | undefined,
  name: Group,
  [first, language]: readonly [first: string | undefined, language: string],
  member: string,
): string | undefined {
  if (!group || first === undefined || language === first) return undefined;
  const text = translationAt(group, language, [member]);
  return text !== undefined && translatedTexts[name].allows({ [member]: text }) ? text : undefined;
}

/** A group of settings with its texts in a language, where it has them. */
export const groupInLanguage = <G extends object>(group: G, name: Group, language: string): G => ({
  ...group,
  ...Object.fromEntries(
    groupTexts(group, name).flatMap(({ place, text }) => {
      const shown = translationAt(group, language, place) ?? text;
      return shown === "" ? [] : [[place[0], shown] as const];
    }),
  ),
});

/** Changes each record of a draft that has translations: fields, and groups of settings. */
export const withEach = <Form extends Draft>(
  form: Form,
  change: (record: Json) => Json,
  ofGroup: (group: Json, name: Group) => Json = change,
): Form => ({
  ...form,
  schema: { ...form.schema, fields: form.schema.fields.map((field) => change(field)) },
  settings: {
    ...form.settings,
    ...Object.fromEntries(
      groups.flatMap((name) => {
        const { [name]: group } = form.settings;
        return group === undefined ? [] : [[name, ofGroup({ ...group }, name)]];
      }),
    ),
  },
});

/** A draft with its texts in a language, where it has them. */
export const draftInLanguage = <Form extends Draft>(form: Form, language: string): Form =>
  withEach(
    form,
    (field) => translated(field, language),
    (group, name) => groupInLanguage(group, name, language),
  );

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
  const texts = textsOfForm(draft).filter(({ text }) => text !== "");
  return others.map((language) => ({
    language,
    translated: texts.filter((each) => each.in(language) !== undefined).length,
    total: texts.length,
  }));
}
