/** Tags of languages, and which one is chosen. */
import { describe, expect, test } from "bun:test";
import { match } from "@formatjs/intl-localematcher";
import fc from "fast-check";
import {
  canonicalTag,
  directionOf,
  lookUp,
  maxTagLength,
  nameOfLanguage,
  ownNameOf,
} from "../../../src/fields/languages.ts";

const some = fc.constantFrom;
const optional = (...parts: string[]) => some("", "", "", "", ...parts.map((part) => `-${part}`));

/** Tags of few parts, so that pairs of them often have a common beginning. */
const tagOf = (...languages: string[]) =>
  fc
    .tuple(
      some(...languages),
      optional("Hant", "Latn"),
      optional("TW", "419"),
      optional("1996", "valencia", "1996-valencia"),
      optional("t-en", "u-ca-buddhist", "a-foo", "a-foo-bar", "a-foo-x-a", "x-a-b", "x-whatever"),
    )
    .map((parts) => parts.join(""))
    .filter((each) => each.length <= maxTagLength && canonicalTag(each) !== undefined);

/** Tags in canonical form. */
const tag = tagOf("zh", "sr", "gsw").filter((each) => canonicalTag(each) === each);

/** Tags, of which some are replaced by others (IANA, "Preferred-Value"). */
const families = [tag, tag, tagOf("he", "iw", "sh"), tagOf("id", "in", "jw"), tagOf("ro", "mo", "ji")];

describe("a language is looked up as RFC 4647 has it", () => {
  test.each<[wanted: string[], available: string[], found: string | undefined]>([
    [["zh-Hant-CN-x-private1-private2"], ["zh-Hant-CN-x", "zh-Hant-CN"], "zh-Hant-CN"],
    [["zh-Hant-TW"], ["en", "zh-Hant"], "zh-Hant"],
    [["de-CH"], ["en", "de"], "de"],
    [["DE_ch", "DE-ch"], ["en", "de-CH"], "de-CH"],
    [["fr", "de"], ["de", "fr"], "fr"],
    [["*", "ja", "de-x-y"], ["en", "De"], "De"],
    [["de"], ["de-CH"], undefined],
    [["", "-", "--", "a-"], ["en", ""], undefined],
    [[], ["en"], undefined],
    [[`de${"-a".repeat(100_000)}`, "fr"], ["de", "fr"], "fr"],
    [["constructor", "__proto__"], ["en"], undefined],
    [["iw-IL", "en"], ["en", "he"], "he"],
    [["he"], ["en", "iw"], "iw"],
    [["in"], ["ID", "id"], "ID"],
    [["de"], [], undefined],
  ])("%j in %j: %s", (wanted, available, found) => {
    expect(lookUp(wanted, available)).toBe(found as string);
  });

  test("of 10,000 pairs another library finds the same", () => {
    let found = 0;
    fc.assert(
      fc.property(
        some(...families).chain((each) =>
          fc.tuple(
            fc.array(each, { minLength: 1, maxLength: 3 }),
            fc.uniqueArray(each, { minLength: 1, maxLength: 5, selector: canonicalTag }),
          ),
        ),
        ([wanted, available]) => {
          // The other one ignores extensions of Unicode (-u-) in what is wanted, and only these.
          const plain = wanted.map((each) => each.replace(/-u-ca-\w+/, ""));
          // It brings what is wanted into canonical form, not what is there.
          const known = available.map((each) => canonicalTag(each) ?? "");
          const expected = match(plain, known, "und", { algorithm: "lookup" });
          if (expected !== "und") found++;
          for (const wantedOnes of [plain, plain.map((each) => each.toUpperCase())])
            expect(canonicalTag(lookUp(wantedOnes, available) ?? "und")).toBe(expected);
        },
      ),
      { numRuns: 10_000 },
    );
    expect(found).toBeGreaterThan(1_500);
    expect(found).toBeLessThan(8_500);
  });
});

test("text that is no tag has no canonical form, no direction of its own and no name, whatever it is", () => {
  const garbage = fc.oneof(
    fc.string({ maxLength: 50 }),
    fc.string({ unit: some("a", "b", "-", "_", "1", "x", "u", "*", "İ", "\0"), maxLength: 60 }),
    tag.chain((known) => fc.string({ maxLength: 8 }).map((end) => known + end)),
  );
  fc.assert(
    fc.property(garbage, garbage, (text, other) => {
      const known = canonicalTag(text);
      if (known === undefined) {
        expect([directionOf(text), ownNameOf(text), nameOfLanguage(text, "en")]).toEqual(["ltr", text, text]);
      } else {
        expect(known.toLowerCase()).toBe(Intl.getCanonicalLocales(text)[0]?.toLowerCase() ?? "");
        expect(canonicalTag(known)).toBe(known);
        expect(["ltr", "rtl"]).toContain(directionOf(text));
        expect(ownNameOf(text)).not.toBe("");
      }
      expect([text, undefined]).toContain(lookUp([other], [text]));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  "",
  "d",
  "i-klingon-x-",
  "de_CH",
  "de-",
  "de--CH",
  "englisch",
  "English",
  "*",
  "de-a",
  `de-x-${"a-".repeat(20)}b`,
])("%j is no tag of a language", (text) => {
  expect(canonicalTag(text)).toBeUndefined();
});

test.each([
  ["DE-ch", "de-CH"],
  ["ZH-hant-tw", "zh-Hant-TW"],
  ["iw", "he"],
])("%s is written %s", (text, tag) => {
  expect(canonicalTag(text)).toBe(tag);
});

test.each([
  ["ar he fa ur ps yi dv syr ks-Arab az-Arab ku-Arab pa-PK uz-AF sd", "rtl"],
  ["en de ja zh-Hant ar-Latn he-Latn az ks-Deva ku pa uz und sd-Deva", "ltr"],
])("%s: %s", (tags, direction) => {
  for (const each of tags.split(" ")) expect([each, directionOf(each)]).toEqual([each, direction] as never);
});

test("a language has a name in itself and in others", () => {
  expect(["de", "fr", "ar", "de-CH", "qaa"].map(ownNameOf)).toEqual([
    "Deutsch",
    "Français",
    "العربية",
    "Schweizer Hochdeutsch",
    "qaa",
  ]);
  expect(nameOfLanguage("fr", "de")).toBe("Französisch");
});
