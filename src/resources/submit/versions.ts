/** Published versions of forms, compiled. At each call the database determines the published version. */
import { LRUCache } from "lru-cache";
import { type CompiledForm, compile, withTexts } from "../../fields/compile.ts";
import { languageAmong } from "../../fields/languages.ts";
import { languagesIn, translated, withoutTranslations } from "../../fields/translations.ts";
import type { SubmitterResult } from "../../platform/auth/submitter.ts";
import { unavailable } from "../../problem.ts";

/** A published version as this process last saw it. */
export interface CompiledVersion {
  version: number;
  form: CompiledForm;
  /** Its first one first. Absent: it has one, by `settings.page.language`. */
  languages?: readonly string[];
}

/** Versions by form id; the most recently used are kept. */
const compiledVersions = new LRUCache<string, CompiledVersion>({ max: 1000 });

export const compiledVersion = (form: string): CompiledVersion | undefined => compiledVersions.get(form);

/** The version to validate an admitted request against: the cached one, or another in the result. */
export function publishedVersion(
  form: string,
  held: CompiledVersion | undefined,
  { formVersion, formSchema }: Pick<SubmitterResult, "formVersion" | "formSchema">,
): CompiledVersion {
  if (formVersion !== null && formSchema !== null) {
    const languages = languagesIn(formSchema);
    const compiled = { version: formVersion, form: compile(formSchema) };
    const published = languages.length > 0 ? { ...compiled, languages } : compiled;
    compiledVersions.set(form, published);
    return published;
  }
  if (!held) throw new Error("The result has no form version.");
  return held;
}

/** Forms in other languages than their first. The key, a compiled version, never changes. */
const inLanguages = new WeakMap<CompiledForm, Map<string, CompiledForm>>();

/**
 * A version with its texts in one of its languages; a text without a translation is in the first one.
 * Validation is the same in each, except the words of the owner's rules.
 */
export function formInLanguage({ form, languages = [] }: CompiledVersion, language?: string): CompiledForm {
  if (language === undefined || languages.indexOf(language) < 1) return form;
  const known = inLanguages.get(form) ?? new Map<string, CompiledForm>();
  inLanguages.set(form, known);
  const made = known.get(language) ?? withTexts(form, (definition) => translated(definition, language));
  known.set(language, made);
  return made;
}

/** The definitions of a form in its language alone. */
export const definitionsWithoutTranslations = ({ fields }: CompiledForm) =>
  fields.map(({ definition }) => withoutTranslations(definition));

/**
 * A version in the language that a request's `lang` asks for: by look-up, or else the first one. No language:
 * the version has one alone.
 */
export function requestedForm(published: CompiledVersion, lang: string | undefined) {
  const language = languageAmong(published.languages ?? [], [lang]);
  return { language, form: formInLanguage(published, language) };
}

/**
 * Runs `call` with the cached version. The outcome `admitted` means that another version is published: it is
 * compiled, and `call` runs again as admitted. One round trip, or two after a publish.
 * @param earlier the result of an earlier call that admitted the request
 * @throws {Problem} `unavailable` if each call finds another published version.
 */
export async function withPublishedVersion<T extends SubmitterResult>(
  form: string,
  call: (published: CompiledVersion | undefined, admitted: boolean) => Promise<T>,
  earlier?: T,
): Promise<T> {
  let published = compiledVersion(form);
  let first = earlier;
  for (let attempt = 0; attempt < 5; attempt++) {
    const result = await call(published, first !== undefined);
    // Only the first call counts the request, so only its result has the state of the rate limit.
    if (result.outcome !== "admitted")
      return result.limitName === null && first ? { ...result, ...stateOf(first) } : result;
    first ??= result;
    published = publishedVersion(form, published, result);
  }
  throw unavailable("The form is being published too often.", 1);
}

const stateOf = ({ limitName, maxRequests, windowMs, remaining, resetMs }: SubmitterResult) => ({
  limitName,
  maxRequests,
  windowMs,
  remaining,
  resetMs,
});
