import { type Language, language } from "./language.ts";

/** The words of a language that is not English. A missing word, or one of another type, does not compile. */
export type Words<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof T]: Words<T[Name]> };

/** Returns words that are looked up when they are used: while modules load, no reader is known. */
function localized<Group extends object>(english: Group, find: () => Group): Group {
  const groups = new Map<string | symbol, object>();
  return new Proxy(english, {
    get(_, name) {
      const word: unknown = Reflect.get(english, name);
      if (typeof word !== "object" || word === null) return Reflect.get(find(), name);
      const group = groups.get(name) ?? localized(word, () => Reflect.get(find(), name) as object);
      groups.set(name, group);
      return group;
    },
  });
}

/** @param texts the words of each language */
export const wordsIn = <English extends object>(
  texts: { en: English } & Record<Language, Words<English>>,
): Words<English> => localized<Words<English>>(texts.en as Words<English>, () => texts[language()]);
