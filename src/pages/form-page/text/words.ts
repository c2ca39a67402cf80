/** Type of the words of a language: the members of the English ones. */
import type { english } from "./words.en.ts";

/** A sentence per plural category of the language (CLDR). */
type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** A sentence with placeholders, for any number or per plural category. */
export type SentenceTemplate = string | PluralForms;

type Translated<English> = English extends string
  ? string
  : English extends RegExp
    ? RegExp
    : keyof English extends Intl.LDMLPluralRule
      ? SentenceTemplate
      : { readonly [Name in keyof English]: Translated<English[Name]> };

export type PageWords = Translated<typeof english>;
