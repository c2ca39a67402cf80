/** Words of the pages in each language, and the languages that share them. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { addressPartsIn } from "../../src/fields/address-order.ts";
import { textForLanguage, wordsByLanguage } from "../../src/pages/form-page/text/text.ts";
import { english } from "../../src/pages/form-page/text/words.en.ts";
import { leastCpuMs } from "./fields/fixture.ts";

const categories = ["zero", "one", "two", "few", "many", "other"];
const isForms = (value: object) => Object.keys(value).every((name) => categories.includes(name));

/** Sentences of a table by their paths; a plural has several. */
function sentencesOf(table: object, path = ""): [path: string, forms: Record<string, string> | string][] {
  return Object.entries(table).flatMap(([name, value]): ReturnType<typeof sentencesOf> => {
    const own = `${path}.${name}`;
    if (value instanceof RegExp) return [];
    return typeof value === "string" || isForms(value) ? [[own, value]] : sentencesOf(value, own);
  });
}

const placeholdersIn = (text: string) => [...new Set(text.match(/\{\w+/g))].sort();
const fullForm = (forms: Record<string, string> | string) =>
  typeof forms === "string" ? forms : (forms.other ?? "");
const englishSentences = new Map(sentencesOf(english));

test.each(Object.entries(wordsByLanguage))(
  "in %s each sentence has the placeholders of the English one, and each plural the forms of its language",
  (tag, words) => {
    const found = sentencesOf(words);
    expect(found.map(([path]) => path).sort()).toEqual([...englishSentences.keys()].sort());
    for (const [path, forms] of found) {
      const expected = placeholdersIn(fullForm(englishSentences.get(path) ?? ""));
      expect([path, placeholdersIn(fullForm(forms))]).toEqual([path, expected]);
      expect([path, /^\s|\s$| {2}/.test(fullForm(forms))]).toEqual([path, false]);
      if (typeof forms === "string") continue;
      const type = path === ".place" ? "ordinal" : "cardinal";
      const { pluralCategories } = new Intl.PluralRules(tag, { type }).resolvedOptions();
      expect([path, Object.keys(forms).sort()]).toEqual([path, [...pluralCategories].sort()]);
      for (const form of Object.values(forms))
        expect(expected).toEqual(expect.arrayContaining(placeholdersIn(form)));
    }
  },
);

test.each<[string, string, "ltr" | "rtl", string, string]>([
  ["en", "en", "ltr", "en-GB", "GB"],
  ["en-US", "en", "ltr", "en-US", "US"],
  ["de", "de", "ltr", "de", "DE"],
  ["de-CH", "de", "ltr", "de-CH", "CH"],
  ["pt", "pt", "ltr", "pt-PT", "PT"],
  ["pt-BR", "pt", "ltr", "pt-BR", "BR"],
  ["ar", "ar", "rtl", "ar", "EG"],
  ["he", "en", "rtl", "he", "IL"],
  ["ja", "en", "ltr", "ja", "JP"],
  ["zh-Hant-TW", "en", "ltr", "zh-Hant-TW", "TW"],
  // Variants and extensions change nothing but the tag.
  ["de-1996-u-nu-arab-x-a", "de", "ltr", "de", "DE"],
  // A language that no one speaks has no locale.
  ["qaa", "en", "ltr", "en-GB", "GB"],
])(
  "the page in %s has the words of %s, %s, values as in %s and telephone numbers of %s",
  (lang, words, direction, values, country) => {
    const { wordsLang, dir, locale, hints, ...text } = textForLanguage(lang);
    expect(text.lang).toBe(lang);
    expect([wordsLang, dir, locale, hints.phoneCountry]).toEqual([words, direction, values, country]);
  },
);

test("text that is no tag has English words, and any tag a locale that Intl knows, at once", () => {
  const letters = fc.stringMatching(/^[a-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), letters), (tag) => {
      const { lang, locale } = textForLanguage(tag);
      expect([tag, "en"]).toContain(lang);
      expect(Intl.DateTimeFormat.supportedLocalesOf(locale)).toEqual([locale]);
    }),
  );
  const long = "de-".repeat(100_000);
  expect(leastCpuMs(5, () => textForLanguage(long))).toBeLessThan(5);
});

test.each([
  ["en en-US en-GB pt-BR uk ar", "city region postalCode country"],
  ["de fr es it nl pl pt sv de-CH fr-BE es-MX", "postalCode city region country"],
])("addresses in %s end with %s", (languages, parts) => {
  for (const language of languages.split(" "))
    expect([language, addressPartsIn(language)]).toEqual([
      language,
      ["line1", "line2", ...(parts.split(" ") as ["city"])],
    ]);
});

test("the region decides the order of an address before the language", () => {
  expect(addressPartsIn("fr-CA")).toEqual(addressPartsIn("en-CA"));
  expect(addressPartsIn("en-DE")).toEqual(addressPartsIn("de"));
  expect(addressPartsIn("ja")[0]).toBe("postalCode");
});

test("a telephone number stays whole in a sentence from right to left", () => {
  expect(textForLanguage("ar").hints.phone("+20 10 01234567")).toContain(
    "\u2068+20\u00a010\u00a001234567\u2069",
  );
  expect(textForLanguage("en").hints.phone("+44 7400 123456")).toContain("+44 7400 123456");
});

test("plurals follow the rules of the language", () => {
  const waits = (tag: string) => [1, 2, 5, 22].map(textForLanguage(tag).wait);
  expect(new Set(waits("en")).size).toBe(4);
  expect(waits("pl").map((text) => text.replace(/\d+/, ""))).toHaveLength(4);
  const [one, few, many, again] = waits("pl").map((text) => text.replace(/\d+/, ""));
  expect([one === few, few === many, few === again]).toEqual([false, false, true]);
});
