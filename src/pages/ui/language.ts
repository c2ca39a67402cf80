/**
 * The language of who reads the console, which goes with the request, so that no function has to hand it on.
 * The page of a form has the language of the form (`settings.page.language`, in form-page/page.tsx).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { pageLanguages } from "../../resources/forms/settings.ts";

export type Language = (typeof pageLanguages)[number];

const isLanguage = (name: unknown): name is Language => pageLanguages.some((each) => each === name);

/** The first language of `Accept-Language` that there are texts in. */
export function languageOf({ headers }: Request): Language {
  const accepted = (headers.get("accept-language") ?? "").slice(0, 200).toLowerCase().split(",");
  return accepted.map((range) => range.trim().slice(0, 2)).find(isLanguage) ?? pageLanguages[0];
}

const reader = new AsyncLocalStorage<{ language: Language }>();

/** Runs what makes a page, for the reader of a request. */
export const inLanguageOf = <T>(request: Request, makePage: () => T): T =>
  reader.run({ language: languageOf(request) }, makePage);

/** For what is called when the page is not made after all: its error. */
export function withLanguage<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const found = requireReader();
  return (...given) => reader.run(found, () => act(...given));
}

/** The reader has chosen a language. */
export function setLanguage(language: Language): void {
  requireReader().language = language;
}

/** The language of the page that is made. */
export const language = (): Language => requireReader().language;

/** Nothing has a language while modules load: a text that is read then would stay in one. */
function requireReader(): { language: Language } {
  const found = reader.getStore();
  if (!found) throw new Error("Only a page has a reader, and so a language.");
  return found;
}
