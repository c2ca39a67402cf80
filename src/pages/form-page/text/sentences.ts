/** Sentences with placeholders: `{name}`, or `{name:style}` with one of the styles of {@link showers}. */
import { directionOf } from "../../../fields/languages.ts";
import { numberText, perLocale } from "../../../fields/spelling.ts";
import type { SentenceTemplate } from "./words.ts";

/** Values by their names in sentences. A style in digits starts from the value as ISO 8601 writes it. */
export type TemplateValues = Readonly<Record<string, (style?: string) => unknown>>;

const plurals = perLocale((locale) => ({
  cardinal: new Intl.PluralRules(locale),
  ordinal: new Intl.PluralRules(locale, { type: "ordinal" }),
}));
const lists = perLocale((locale) => ({
  and: new Intl.ListFormat(locale, { type: "conjunction" }),
  or: new Intl.ListFormat(locale, { type: "disjunction" }),
}));
const shortDays = perLocale(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      day: "2-digit",
      month: "2-digit",
      year: "numeric",
      calendar: "gregory",
      timeZone: "UTC",
    }),
);

interface Languages {
  /** BCP 47, for numbers and days. */
  readonly locale: string;
  /** BCP 47, of the sentences. */
  readonly wordsLang: string;
}

const number = (value: unknown, locale: string, style: "grouped" | "large") =>
  typeof value === "number" ? numberText(value, locale, style) : String(value);

/** Returns the first letter of a sentence in lower case, unless it begins with an abbreviation. */
const lower = (sentence: string, locale: string) =>
  sentence.replace(/^\p{Lu}(?=[\p{Ll} ])/u, (letter) => letter.toLocaleLowerCase(locale));

const showers: Record<string, (value: unknown, languages: Languages) => string> = {
  /** Numbers in groups from 10,000 on, which a year is not. */
  "": (value, { locale }) => number(value, locale, "large"),
  grouped: (value, { locale }) => number(value, locale, "grouped"),
  plain: String,
  and: (value, { wordsLang }) => lists(wordsLang).and.format([value].flat().map(String)),
  or: (value, { wordsLang }) => lists(wordsLang).or.format([value].flat().map(String)),
  lower: (value, { wordsLang }) => lower(String(value), wordsLang),
  short: (value, { locale }) => shortDays(locale).format(Date.parse(String(value))),
};

/**
 * Lets a number or a name keep its direction among words of the other one (UAX 9, section 2.4). A telephone
 * number stays on one line: its halves would be read in the wrong order.
 */
const isolated = (text: string, { locale, wordsLang }: Languages): string =>
  [locale, wordsLang].some((tag) => directionOf(tag) === "rtl")
    ? `\u2068${text.replaceAll(/(?<=\d) (?=\d)/g, "\u00a0")}\u2069`
    : text;

/** Returns what fills templates of a language. `n` decides between plural forms. */
export const fillerIn =
  (languages: Languages) =>
  (
    template: SentenceTemplate,
    values: TemplateValues,
    rules: "cardinal" | "ordinal" = "cardinal",
  ): string => {
    const form = () => plurals(languages.wordsLang)[rules].select(Number(values.n?.()));
    const sentence = typeof template === "string" ? template : (template[form()] ?? template.other);
    return sentence.replace(/\{(\w+):?(\w*)\}/g, (text, name: string, style: string) => {
      const value = values[name];
      const shown = value && showers[style]?.(value(style), languages);
      return shown === undefined ? text : isolated(shown, languages);
    });
  };
