/** Checks of the languages of a draft: what publishing refuses, and what it warns of. Pure. */
import { canonicalTag, lookUp } from "../../fields/languages.ts";
import { pathStep } from "../../fields/lint.ts";
import { nearest } from "../../fields/nearest.ts";
import { unusedIn } from "../../fields/translations.ts";
import { unknownIn } from "../../fields/unknown-names.ts";
import { isRecord, isText, ownIn, shortName } from "../../fields/values.ts";
import { type Said, say } from "../../messages.ts";
import { groups as groupNames, sharesOf } from "./form-texts.ts";
import { settingMembers } from "./settings.ts";
import type { FormRow } from "./shapes.ts";
import { settingFault } from "./translation-operations.ts";

type Draft = Pick<FormRow, "schema" | "settings"> & Partial<Pick<FormRow, "name" | "description">>;
/** A problem at a path of the draft. */
export interface LanguageProblem {
  path: string;
  refusal: { message: string; said: Said };
  /** The name that is meant. */
  near?: string | undefined;
}

const problem = (path: string, refusal: LanguageProblem["refusal"], near?: string): LanguageProblem => ({
  path,
  refusal,
  near,
});

/** Languages that problems name, the form's own first: `translations` can have 100,000 others. */
const maxNamed = 20;

/** Lists what publishing refuses in the languages, and in the translations of settings. */
export function languageProblems({ languages = [], ...groups }: FormRow["settings"]): LanguageProblem[] {
  const tags = languages.map((tag) => canonicalTag(tag));
  return [
    ...languages.flatMap((tag, index): LanguageProblem[] => {
      const path = `settings.languages[${index}]`;
      const own = tags[index];
      if (own === undefined) return [problem(path, say("language_unknown", { tag: shortName(tag) }))];
      if (tags.indexOf(own) < index)
        return [problem(path, say("language_repeated", { tag: shortName(tag) }))];
      return [];
    }),
    ...groupNames.flatMap((group) => {
      const translations = groups[group]?.translations ?? {};
      const texts = [...new Set([...languages, ...Object.keys(translations)])]
        .map((tag) => [tag, ownIn(translations, tag) ?? null] as const)
        .filter(([, each]) => each !== null);
      return texts.slice(0, maxNamed).flatMap(([tag, each]) => {
        const path = `settings.${group}.translations${pathStep(shortName(tag))}`;
        return problemsIn(path, each, group);
      });
    }),
  ];
}

function problemsIn(path: string, texts: unknown, group: (typeof groupNames)[number]): LanguageProblem[] {
  const known: readonly string[] = settingMembers[group];
  if (!isRecord(texts)) return [problem(path, say("translation_invalid", { path }))];
  return [
    ...unknownIn(texts, known).map((name) => {
      const at = path + pathStep(shortName(name));
      const near = nearest(name, known);
      return problem(at, say("translation_unknown", { path: at, near, known }), near);
    }),
    ...known.flatMap((name): LanguageProblem[] => {
      const text = Object.hasOwn(texts, name) ? texts[name] : null;
      const fault = text === null ? undefined : settingFault(group, name, text);
      if (fault === undefined) return [];
      const at = path + pathStep(name);
      const refusal =
        fault === "wrong"
          ? say("translation_invalid", { path: at })
          : say("translation_long", { path: at, max: fault });
      return [problem(at, refusal)];
    }),
  ];
}

type Owner = [path: string, record: Readonly<Record<string, unknown>>, isField: boolean];

/** Records with translations in a draft: groups of settings, and fields. */
const ownersIn = ({ schema, settings }: Draft): Owner[] => [
  ...groupNames.map((group): Owner => [`settings.${group}`, settings[group] ?? {}, false]),
  ...schema.fields.map((field, index): Owner => [`schema.fields[${index}]`, field, true]),
];

/** Lists translations that no page shows: of texts that a field lacks, or into the first language. */
function unusedTexts(draft: Draft): LanguageProblem[] {
  const [first = "", ...others] = draft.settings.languages ?? [];
  const problems = ownersIn(draft).flatMap(([owner, record, isField]) => {
    const { translations } = record;
    if (!isRecord(translations)) return [];
    const places = others.flatMap((tag) => (isField ? unusedIn(record, tag).map((name) => [tag, name]) : []));
    const isUsed = (name: string) => !isField && !isText(record[name]);
    const own = Object.keys(ownIn(translations, first) ?? {}).every(isUsed) ? [] : [[first]];
    return [...own, ...places].map((steps) => {
      const path = `${owner}.translations${steps.map((step) => pathStep(step)).join("")}`;
      return problem(path, say("translation_unused", { path, isFirst: steps.length === 1 }));
    });
  });
  return problems.slice(0, maxNamed);
}

/** Lists what has no effect: texts that no page shows, and the page's own language. */
export function ineffectiveLanguages(draft: Draft): LanguageProblem[] {
  const { languages = [], page } = draft.settings;
  return [
    ...undeclaredLanguages(draft).map(({ language, path }) => {
      const longer = languages.find((tag) => lookUp([tag], [language]) !== undefined);
      const near = lookUp([language], languages) ?? longer ?? nearest(language, languages);
      return problem(path, say("language_undeclared", { language: shortName(language), near }), near);
    }),
    ...unusedTexts(draft),
    ...(languages[0] !== undefined && page?.language !== undefined && page.language !== languages[0]
      ? [problem("settings.page.language", say("page_language_ignored", { first: languages[0] }))]
      : []),
  ];
}

/** Lists the languages in which texts are missing, for a person who publishes. */
export const missingTexts = (draft: Draft): LanguageProblem[] =>
  sharesOf(draft)
    .filter(({ translated, total }) => translated < total)
    .map((share) => problem("settings.languages", say("texts_missing", { ...share })));

/** Languages with texts that the form does not have, each with the first place that has them. */
export function undeclaredLanguages(draft: Draft): { language: string; path: string }[] {
  const declared = new Set(draft.settings.languages);
  const found = new Map<string, string>();
  for (const [path, { translations }] of ownersIn(draft))
    for (const [language, texts] of Object.entries(isRecord(translations) ? translations : {})) {
      if (found.size >= maxNamed) break;
      if (texts === null || declared.has(language) || found.has(language)) continue;
      found.set(language, `${path}.translations${pathStep(shortName(language))}`);
    }
  return [...found].map(([language, path]) => ({ language, path }));
}
