/** The locale and the region of a language, by which values are written and read. Pure. */
import { canonicalTag } from "./languages.ts";
import { perLocale } from "./spelling.ts";

/** Locales of languages whose usual region is not the one that CLDR finds likely. */
const ownLocales: Readonly<Record<string, string>> = { en: "en-GB", pt: "pt-PT" };

/**
 * The locale of a language as `Intl` knows it: without variants and extensions, so that there are only as
 * many as `Intl` has. A tag of an unknown language has that of English.
 */
export const localeOf = perLocale((tag) => {
  const known = canonicalTag(tag);
  const base = known === undefined ? "en" : new Intl.Locale(known).baseName;
  const [supported = "en"] = Intl.NumberFormat.supportedLocalesOf(base);
  const { locale } = new Intl.NumberFormat(supported).resolvedOptions();
  return ownLocales[locale] ?? locale;
});

/** The region of a tag, or else the usual one of its language (ISO 3166-1). */
export const regionOf = perLocale((tag) => new Intl.Locale(localeOf(tag)).maximize().region ?? "GB");
