/** What the pages of forms say: one table per language. */
import { german } from "./text.de.ts";
import { english } from "./text.en.ts";
import type { PageText } from "./types.ts";

export const languages = { en: english, de: german } as const;
export type Language = keyof typeof languages;

/** The text of a language; English for one that there is no text in. */
export const textForLanguage = (language: unknown): PageText =>
  Object.hasOwn(languages, String(language)) ? languages[language as Language] : english;

/** The first language of `Accept-Language` that there is text in, for a page whose form is not known. */
export const textForRequest = ({ headers }: Request): PageText => {
  const accepted = (headers.get("accept-language") ?? "").slice(0, 200).toLowerCase().split(",");
  const languages = accepted.map((range) => range.trim().slice(0, 2));
  return textForLanguage(languages.find((language) => language === "en" || language === "de"));
};
