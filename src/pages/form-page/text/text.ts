/** Texts of the pages of forms, by language: each has the words of the nearest language that has some. */
import { canonicalTag, type LanguageOfWords, languagesOfWords, lookUp } from "../../../fields/languages.ts";
import { localeOf, regionOf } from "../../../fields/regions.ts";
import { perLocale } from "../../../fields/spelling.ts";
import { languageOf } from "../../ui/language.ts";
import type { PageSettings } from "../page-request.ts";
import { fieldWordsOf, type LanguageTags } from "./field-words.ts";
import { pageTextOf } from "./page-text.ts";
import type { PageText } from "./types.ts";
import { arabic } from "./words.ar.ts";
import { german } from "./words.de.ts";
import { english } from "./words.en.ts";
import { spanish } from "./words.es.ts";
import { french } from "./words.fr.ts";
import { italian } from "./words.it.ts";
import { dutch } from "./words.nl.ts";
import { polish } from "./words.pl.ts";
import { portuguese } from "./words.pt.ts";
import { swedish } from "./words.sv.ts";
import type { PageWords } from "./words.ts";
import { ukrainian } from "./words.uk.ts";

export const wordsByLanguage: Readonly<Record<LanguageOfWords, PageWords>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  nl: dutch,
  pl: polish,
  pt: portuguese,
  sv: swedish,
  uk: ukrainian,
  ar: arabic,
};

/** Returns the text of a page. Its dates and times are in the form's time zone, unless it asks for one. */
export function textOfPage(
  settings: PageSettings,
  timeZone: string | undefined,
  language: string | undefined = settings.language,
): PageText {
  const text = textForLanguage(language);
  if (timeZone === undefined || settings.askTimeZone) return text;
  return { ...text, timeZone, hints: { ...text.hints, datetime: text.momentBounds(timeZone) } };
}

function languageTags(lang: string): LanguageTags & { words: PageWords } {
  const wordsLang = lookUp([lang], languagesOfWords) ?? "en";
  return { lang, wordsLang, locale: localeOf(lang), words: wordsByLanguage[wordsLang] };
}

/** Returns the words of controls in a language (BCP 47). */
export function fieldWordsIn(language: string) {
  const { words, ...tags } = languageTags(language);
  return fieldWordsOf(words, tags);
}

const textOfTag = perLocale((lang) => {
  const { words, ...tags } = languageTags(lang);
  return pageTextOf(words, tags, regionOf(lang));
});

/** Returns the text of a language (BCP 47). A text that is no tag gets English. */
export const textForLanguage = (language: unknown): PageText =>
  textOfTag(typeof language === "string" && canonicalTag(language) !== undefined ? language : "en");

/** Text of the page of a problem, for a form that names no language. */
export const textForRequest = (request: Request): PageText => textForLanguage(languageOf(request));
