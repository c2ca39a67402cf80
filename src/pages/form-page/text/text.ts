/** Texts of the pages of forms: one table per language, by `settings.page.language`. */
import { type Language, languageOf } from "../../ui/language.ts";
import type { PageSettings } from "../page-request.ts";
import { german } from "./text.de.ts";
import { english } from "./text.en.ts";
import type { PageText } from "./types.ts";

export const pageTexts: Readonly<Record<Language, PageText>> = { en: english, de: german };

/** Returns the text of a page. Its dates and times are in the form's time zone, unless it asks for one. */
export function textOfPage({ language, askTimeZone }: PageSettings, timeZone: string | undefined): PageText {
  const text = textForLanguage(language);
  if (timeZone === undefined || askTimeZone) return text;
  return { ...text, timeZone, hints: { ...text.hints, datetime: text.momentBounds(timeZone) } };
}

/** Returns the text of a language. An unknown language gets English. */
export const textForLanguage = (language: unknown): PageText =>
  Object.hasOwn(pageTexts, String(language)) ? pageTexts[language as Language] : english;

/** Text of a page whose form is not known. */
export const textForRequest = (request: Request): PageText => pageTexts[languageOf(request)];
