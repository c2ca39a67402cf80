import { type Language, language } from "./language.ts";

/** The words of a language that is not English. A missing word, or one of another type, does not compile. */
export type Words<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof T]: Words<T[Name]> };

/** Returns words that are looked up when they are used: while modules load, no reader is known. */
function localized<Group extends object>(english: Group, groupIn: (language: Language) => Group): Group {
  const inner = new Map<string | symbol, object>();
  const groups: Partial<Record<Language, Group>> = {};
  return new Proxy(english, {
    get(_, name) {
      const word: unknown = Reflect.get(english, name);
      if (typeof word !== "object" || word === null) {
        const spoken = language();
        groups[spoken] ??= groupIn(spoken);
        return Reflect.get(groups[spoken], name);
      }
      const group =
        inner.get(name) ?? localized(word, (spoken) => Reflect.get(groupIn(spoken), name) as object);
      inner.set(name, group);
      return group;
    },
  });
}

/** @param texts the words of each language */
export const wordsIn = <English extends object>(
  texts: { en: English } & Record<Language, Words<English>>,
): Words<English> => localized<Words<English>>(texts.en as Words<English>, (spoken) => texts[spoken]);
