/** The language of a form's page, and of the texts on it. A form without languages has none of this. */
import type { Field } from "../../fields/definition.ts";
import { languageAmong, lookUp } from "../../fields/languages.ts";
import { translationAt } from "../../fields/translations.ts";
import { acceptedLanguages } from "../../platform/http/accept-language.ts";
import { settingIn } from "../../resources/forms/form-texts.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { settingMembers, type translatedTexts } from "../../resources/forms/settings.ts";
import { type LanguageMark, type MarkOf, markOfLanguage } from "../ui/marks.ts";
import type { PageSettings, PublishedPage, Shown } from "./page-request.ts";
import { textForLanguage, textOfPage, wordsByLanguage } from "./text/text.ts";
import type { PageText } from "./text/types.ts";

type TextName = keyof typeof translatedTexts.page.infer;

/** The language that the address asks for. Pages and links of a visit carry it along. */
const languageAsked = ({ url }: Pick<Request, "url">): string | undefined =>
  new URL(url).searchParams.getAll("lang").at(-1);

/**
 * The language of a page, one of its form's: that of the address, of the page that was sent, or of the
 * invitation, or of the browser; or else the first. Undefined: the form has no languages.
 */
export function languageOfPage(
  request: Request,
  languages: readonly string[] = [],
  sent?: URLSearchParams,
  invited?: string,
): string | undefined {
  const given = [languageAsked(request), sent?.get(ownNames.language), invited];
  const wanted = [...given, ...acceptedLanguages(request)];
  return languageAmong(languages, wanted);
}

/** Text of a page whose form is not known, in any language that has words. */
export const textWithoutForm = (request: Request): PageText =>
  textForLanguage(languageOfPage(request, Object.keys(wordsByLanguage)));

type ShownTexts = Pick<Shown, "ownLanguage" | "settings" | "text">;

interface LanguagesOfForm {
  timeZone: string | undefined;
  /** {@link Shown.languages} */
  languages: readonly string[] | undefined;
  /** {@link Shown.ownLanguage}; undefined: the first of the version. */
  ownLanguage: string | undefined;
  /** The language of the invitation that the page was opened by. */
  invited?: string | undefined;
}

/** A text of the page in its language; undefined: it is not translated. */
const translationOf = ({ settings, ownLanguage, text }: ShownTexts, name: string) =>
  settingIn(settings, "page", [ownLanguage, text.lang], name);

/** The settings and words of a page in the language of a request. */
export function inLanguage(
  request: Request,
  settings: PageSettings,
  { timeZone, languages, ownLanguage = languages?.[0], invited }: LanguagesOfForm,
  sent?: URLSearchParams,
): Pick<Shown, "settings" | "timeZone" | "text" | "languages" | "ownLanguage"> {
  const language = languageOfPage(request, languages, sent, invited);
  const text = textOfPage(settings, timeZone, language);
  if (!languages || language === undefined || ownLanguage === undefined) return { settings, timeZone, text };
  const texts = settingMembers.page.flatMap((name) => {
    const translation = translationOf({ settings, ownLanguage, text }, name);
    return translation === undefined ? [] : [[name, translation] as const];
  });
  const shown = { ...settings, ...Object.fromEntries(texts) };
  return { settings: shown, timeZone, text, languages, ownLanguage };
}

/** The language of the words around the texts of a form: the page's, unless formd has no words in it. */
const languageOfWords = ({ lang, wordsLang }: PageText): string =>
  lookUp([lang], [wordsLang]) === undefined ? wordsLang : lang;

/** Properties of a page's document. */
export const documentLanguage = (text: PageText) => ({
  lang: text.lang,
  direction: text.dir,
  wordsLang: languageOfWords(text),
});

function markOf(text: PageText, language: string | undefined) {
  return language === undefined || language === languageOfWords(text) ? undefined : markOfLanguage(language);
}

/** The mark of a text of the page. Without a name it is one that has no translations. */
export const pageMark = (page: ShownTexts, name?: TextName) => {
  const isTranslated = name !== undefined && translationOf(page, name) !== undefined;
  return markOf(page.text, isTranslated ? page.text.lang : page.ownLanguage);
};

/** The mark of what `Intl` writes, such as days and countries, which is in the language of the page. */
export const intlMark = ({ languages, text }: Pick<Shown, "languages" | "text">) =>
  languages && markOf(text, text.lang);

/** The marks of the texts of a field. */
export const fieldMarks =
  (
    { languages, text }: Pick<PublishedPage, "languages" | "text">,
    { definition }: Pick<Field, "definition">,
  ): MarkOf =>
  (...place): LanguageMark | undefined =>
    languages &&
    markOf(text, translationAt(definition, text.lang, place) === undefined ? languages[0] : text.lang);

/** Headers of a page whose language depends on the request; of another one none. */
export const languageHeaders = ({ languages, text }: Pick<Shown, "languages" | "text">) =>
  languages && { "content-language": text.lang, vary: "accept, accept-language" };
