/**
 * The language of a page's reader, and the time zone of its form. They belong to the request, so that no
 * function has to pass them on.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { lookUp, nameOfLanguage } from "../../fields/languages.ts";
import { acceptedLanguages } from "../../platform/http/accept-language.ts";
import { pageLanguages } from "../../resources/forms/settings.ts";

export type Language = (typeof pageLanguages)[number];

/** The sign that Excel in a language expects between the cells of a CSV. */
export const listSeparators = { en: ",", de: ";" } as const satisfies Record<Language, string>;

export const isLanguage = (name: unknown): name is Language => pageLanguages.some((each) => each === name);

/** Returns the most wanted language of `Accept-Language` that has texts, or else the default. */
export const languageOf = (request: Request): Language =>
  lookUp(acceptedLanguages(request), pageLanguages) ?? pageLanguages[0];

interface Reader {
  language: Language;
  /** Time zone of the form that the page is about. */
  timeZone?: string | undefined;
  /** True if the form asks people for their time zone. */
  asksTimeZone?: boolean | undefined;
}

const reader = new AsyncLocalStorage<Reader>();

/** Calls `makePage` in the language of the reader of a request. */
export const inLanguageOf = <T>(request: Request, makePage: () => T): T =>
  reader.run({ language: languageOf(request) }, makePage);

/** Binds the current language to a function that is called later, for the page of an error. */
export function withLanguage<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const found = requireReader();
  return (...given) => reader.run(found, () => act(...given));
}

export function setLanguage(language: Language): void {
  requireReader().language = language;
}

export function setTimeZone(timeZone: string | undefined, asksTimeZone: boolean | undefined): void {
  Object.assign(requireReader(), { timeZone, asksTimeZone });
}

/** Returns the time zone of the form that the page is about; undefined: of none, or of one without a zone. */
export const timeZoneOfForm = (): string | undefined => reader.getStore()?.timeZone;

/** Returns the time zone of the values of that form; undefined: each has its own offset. */
export const timeZoneOfValues = (): string | undefined =>
  reader.getStore()?.asksTimeZone ? undefined : timeZoneOfForm();

export const language = (): Language => requireReader().language;

/** Returns the name of a language (BCP 47) in that of the reader. */
export const languageName = (tag: string): string => nameOfLanguage(tag, language());

/** Returns the reader. Throws while modules load: a text that is read then would stay in one language. */
function requireReader(): Reader {
  const found = reader.getStore();
  if (!found) throw new Error("Only a page has a reader, and so a language.");
  return found;
}
