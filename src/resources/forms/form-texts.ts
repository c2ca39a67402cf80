/** The texts of a form that people read, and how many of them are translated. Pure. */
import { pathStep } from "../../fields/lint.ts";
import { type FieldText, textsOf, translated, translationAt } from "../../fields/translations.ts";
import { isText, ownIn } from "../../fields/values.ts";
import { settingMembers, translatedTexts } from "./settings.ts";

type Json = Readonly<Record<string, unknown>>;

/** A form, of which the texts are read. */
interface Draft {
  name?: string;
  description?: string | null;
  schema: { fields: readonly Json[] };
  settings: {
    languages?: readonly string[];
    page?: { enabled?: boolean; translations?: unknown };
    copy?: object;
  };
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

/** Texts that the page shows in the place of those that are not set. */
const defaultsOf = ({ name, description, settings: { page } }: Draft, group: Group) =>
  group === "page" && page?.enabled !== false ? { title: name, introduction: description } : {};

/**
 * The texts of a group of settings in the form's first language. An empty one is not set, and has words of
 * formd in its place; it is translated all the same.
 */
export function groupTexts(form: Draft, name: Group): FieldText[] {
  const { [name]: group = {}, languages: [first = ""] = [] } = form.settings;
  const defaults = defaultsOf(form, name);
  return settingMembers[name].flatMap((member): FieldText[] => {
    const place = [member] as const;
    const text = [ownIn(group, member), translationAt(group, first, place), ownIn(defaults, member)].find(
      isText,
    );
    if (text !== undefined) return [{ place, text }];
    const tags = Object.keys(ownIn(group, "translations") ?? {});
    return tags.some((tag) => translationAt(group, tag, place) !== undefined) ? [{ place, text: "" }] : [];
  });
}

/**
 * The translation of a text of a group, as pages and mails have it. Undefined: there is none, or its shape
 * refuses it. The first language of a form has one only of a text that is not set.
 */
export function settingIn(
  group: object | undefined,
  name: Group,
  [first, language]: readonly [first: string | undefined, language: string],
  member: string,
): string | undefined {
  if (!group || first === undefined || (language === first && isText(ownIn(group, member)))) return undefined;
  const text = translationAt(group, language, [member]);
  return text !== undefined && translatedTexts[name].allows({ [member]: text }) ? text : undefined;
}

/** A group of settings with texts in a language, where it has them. */
export const groupInLanguage = <G extends object>(
  group: G,
  texts: readonly FieldText[],
  language: string,
): G => ({
  ...group,
  ...Object.fromEntries(
    texts.flatMap(({ place, text }) => {
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
        const changed = ofGroup({ ...group }, name);
        return group === undefined && Object.keys(changed).length === 0 ? [] : [[name, changed]];
      }),
    ),
  },
});

/** A draft with its texts in a language, where it has them. */
export const draftInLanguage = <Form extends Draft>(form: Form, language: string): Form =>
  withEach(
    form,
    (field) => translated(field, language),
    (group, name) => groupInLanguage(group, groupTexts(form, name), language),
  );

/** Lists the texts of a form: of its page and mails, then of its fields, in the order of the form. */
export const textsOfForm = (form: Draft): FormText[] => [
  ...groups.flatMap((group) =>
    groupTexts(form, group).map(
      ({ place, text }): FormText => ({
        place: `${group}.${place[0]}`,
        ...{ text, of: { group, member: place[0] } },
        in: (language) => translationAt(form.settings[group] ?? {}, language, place),
      }),
    ),
  ),
  ...form.schema.fields.flatMap((field) => {
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
