/** Languages of texts: their tags (BCP 47, RFC 5646), the choice among them, their direction. Pure. */
import { perLocale } from "./spelling.ts";

/** The languages of formd's own words on pages of forms and in mails to respondents. */
export const languagesOfWords = ["en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv", "uk", "ar"] as const;

export type LanguageOfWords = (typeof languagesOfWords)[number];

/** The longest tag that is read. RFC 5646, 4.4.1, asks for 35 characters at least. */
export const maxTagLength = 35;

/** The tag of a language as it is usually written, such as `de-CH` for `DE-ch`. Undefined: it is none. */
export function canonicalTag(tag: string): string | undefined {
  // RFC 5646, 2.2.1: no language with more than three letters is registered, so `English` is a name.
  if (tag.length > maxTagLength || /^[a-z]{4}/i.test(tag)) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

type Wanted = string | null | undefined;

/** A tag as it is compared. One that is replaced by another has that one: `iw` is `he`. */
const comparable = (tag: string): string => (canonicalTag(tag) ?? tag).toLowerCase();

/** A tag, and each shorter one that covers it: `zh-Hant-TW`, `zh-Hant`, `zh`. Of a long tag: none. */
function* ranges(tag: string): Generator<string> {
  for (let range = tag.length > maxTagLength ? "" : comparable(tag); range !== ""; ) {
    yield range;
    range = range.slice(0, Math.max(0, range.lastIndexOf("-")));
    // A letter or digit alone begins a part that is meaningless without what follows it.
    if (range.at(-2) === "-") range = range.slice(0, -2);
  }
}

/**
 * Looks a language up (RFC 4647, 3.4): the first wanted one that is there, or a shorter form of it.
 * @param wanted tags or ranges, the most wanted first; `*`, and longer ones than are read, are skipped
 * @returns the tag as it stands in `available`, of equal ones the first; undefined: none fits
 */
export function lookUp<Tag extends string>(wanted: Iterable<Wanted>, available: readonly Tag[]) {
  if (available.length === 0) return undefined;
  const byTag = new Map(available.toReversed().map((tag) => [comparable(tag), tag]));
  for (const tag of wanted)
    for (const range of ranges(tag ?? "")) {
      const found = byTag.get(range);
      if (found !== undefined) return found;
    }
  return undefined;
}

/** {@link lookUp} among the languages of a form; or else its first one. Undefined: it has no list of them. */
export const languageAmong = (languages: readonly string[], wanted: Iterable<Wanted>): string | undefined =>
  lookUp(wanted, languages) ?? languages[0];

/** Scripts that are written from right to left (Unicode, Bidi_Class R and AL). */
const rightToLeft = new Set(
  "Adlm Arab Aran Hebr Mand Mend Nkoo Rohg Samr Sogd Sogo Syrc Syre Syrj Syrn Thaa Yezi".split(" "),
);

/** Tags whose direction and name are kept. */
const maxTags = 1_000;

/** The direction in which a language is written. A tag that is none: from left to right. */
export const directionOf = perLocale((tag): "ltr" | "rtl" => {
  const known = canonicalTag(tag);
  const script = known === undefined ? undefined : new Intl.Locale(known).maximize().script;
  return script !== undefined && rightToLeft.has(script) ? "rtl" : "ltr";
}, maxTags);

/** The name of a language in itself, such as Deutsch; the tag where no name is known. */
export const ownNameOf = perLocale((tag) => nameOfLanguage(tag, tag), maxTags);

/** The name of a language in another one, with a capital letter; the tag where no name is known. */
export function nameOfLanguage(tag: string, inLanguage: string): string {
  const known = canonicalTag(tag);
  if (known === undefined || canonicalTag(inLanguage) === undefined) return tag;
  // Extensions, such as those of `de-u-co-phonebk`, have no name.
  const { baseName } = new Intl.Locale(known);
  const names = new Intl.DisplayNames([inLanguage], { type: "language", fallback: "none" });
  try {
    const name = names.of(baseName);
    return name?.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(inLanguage)) ?? tag;
  } catch {
    // JavaScriptCore refuses tags that ICU writes otherwise, such as `en-US-posix`.
    return tag;
  }
}
