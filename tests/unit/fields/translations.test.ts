/** Texts of fields in other languages: which there are, where they stand, and what is wrong in them. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { clauses } from "../../../src/fields/clauses.ts";
import { lint, lintNames } from "../../../src/fields/lint.ts";
import {
  languagesIn,
  textsOf,
  translated,
  translationAt,
  translationFaults,
} from "../../../src/fields/translations.ts";
import { sentenceIn } from "../../../src/messages.ts";

import { json, leastCpuMs } from "./fixture.ts";

type Definition = Record<string, unknown>;
const some = fc.constantFrom;
const words = fc.oneof(some("Size", "S", "", " ", "1"), fc.string({ unit: "grapheme", maxLength: 5 }));
const keys = some<unknown>("1", 1, true, "true", "__proto__", "toString", "constructor", "a b", "", "s");
const uniqueBy = (member: "value" | "id") => (entry: unknown) =>
  JSON.stringify(typeof entry === "string" ? entry : (entry as Definition)[member]);

const entries = (member: "value" | "id") =>
  fc.uniqueArray(
    fc.oneof(
      keys.filter((key): key is string => typeof key === "string"),
      fc
        .tuple(
          member === "id" ? some("__proto__", "toString", "1", "s") : keys,
          fc.option(words, { nil: undefined }),
        )
        .map(([key, label]) => ({ [member]: key, ...(label !== undefined && { label }) })),
    ),
    { maxLength: 5, selector: uniqueBy(member) },
  );
const rules = fc.array(
  words.map((message) => ({ rule: "true", message })),
  { maxLength: 3 },
);
const maybe = <T>(each: fc.Arbitrary<T>) => fc.option(each, { nil: undefined });
const plain = ["label", "description", "help", "placeholder", "minimumLabel", "maximumLabel"];

/** Definitions whose lists and labels of an end stand beside `validation`, or in it. */
const definitions: fc.Arbitrary<Definition> = fc
  .record({
    texts: fc.record(Object.fromEntries(plain.map((name) => [name, maybe(words)]))),
    options: maybe(fc.oneof(entries("value"), some("countries"))),
    rows: maybe(fc.oneof(entries("id"), entries("value"))),
    columns: maybe(entries("id")),
    rules: maybe(rules),
    inside: fc.subarray(["options", "rows", "columns", "minimumLabel", "maximumLabel"]),
  })
  .map(({ texts, inside, ...lists }) => {
    const all = Object.entries({ id: "f", type: "x-any", ...texts, ...lists });
    const set = all.filter(([, value]) => value !== undefined);
    const isInside = ([name]: [string, unknown]) => inside.includes(name);
    return {
      ...Object.fromEntries(set.filter((each) => !isInside(each))),
      ...(inside.length > 0 && { validation: Object.fromEntries(set.filter(isInside)) }),
    };
  });

/** A translation in which each text of a definition is followed by `mark`. */
function translationOf(definition: Definition, mark: string): Definition {
  const found: Record<string, unknown> = {};
  for (const { place, text } of textsOf(definition)) {
    const [member, key] = place;
    const value = text + mark;
    if (key === undefined) found[member] = value;
    else if (member === "messages") found[member] = Object.assign(found[member] ?? [], { [key]: value });
    else {
      const own = (found[member] ?? {}) as object;
      // JSON has own members of any name, such as `__proto__`.
      Object.defineProperty(own, key, { value, enumerable: true, configurable: true, writable: true });
      found[member] = own;
    }
  }
  if (Array.isArray(found.messages)) found.messages = Array.from(found.messages, (each) => each ?? null);
  return found;
}

describe("of generated definitions", () => {
  test("each text has its own translation, no other text changes, and nothing is wrong in it", () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const translations = {
          de: translationOf(definition, "·de"),
          "pt-BR": translationOf(definition, "·pt"),
        };
        const whole = { ...definition, translations };
        expect(translationFaults(whole)).toEqual([]);
        const texts = textsOf(whole);
        expect(texts).toEqual(textsOf(definition));
        expect(new Set(texts.map(({ place }) => JSON.stringify(place))).size).toBe(texts.length);
        for (const [language, mark] of [
          ["de", "·de"],
          ["pt-BR", "·pt"],
        ] as const) {
          const shown = translated(whole, language);
          expect(textsOf(shown)).toEqual(texts.map(({ place, text }) => ({ place, text: text + mark })));
          // Without the marks it is the definition, except entries that had no label.
          const back = JSON.parse(JSON.stringify(shown).replaceAll(mark, ""));
          expect(withLabels({ ...back, translations })).toEqual(withLabels(whole));
        }
        for (const other of ["en", "de-AT", "__proto__", "toString"])
          expect(translated(whole, other)).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  test("a text without a translation stays, and so does one with a blank one or one of another type", () => {
    const missing = some<unknown>(undefined, null, "", " \u200b", 7, [], {}, "text");
    fc.assert(
      fc.property(definitions, fc.array(missing, { minLength: 1, maxLength: 40 }), (definition, holes) => {
        const whole = structuredCloneOf({
          ...definition,
          translations: { de: translationOf(definition, "·de") },
        });
        const de = (whole.translations as { de: Definition }).de;
        textsOf(definition).forEach(({ place: [member, key] }, index) => {
          const hole = holes[index % holes.length];
          if (hole === "text") return;
          if (key === undefined) de[member] = hole;
          else (de[member] as Definition)[key] = hole;
        });
        const expected = textsOf(definition).map(({ place, text }, index) => ({
          place,
          text: holes[index % holes.length] === "text" ? `${text}·de` : text,
        }));
        expect(textsOf(translated(whole, "de"))).toEqual(expected);
        for (const { place } of expected)
          expect(translationAt(whole, "de", place)).toBe(
            expected.find((each) => each.place === place && each.text.endsWith("·de"))?.text as string,
          );
      }),
      { numRuns: 300 },
    );
  });

  test("whatever stands in `translations` is shown or reported, and never throws", () => {
    const anything = fc.anything({
      maxDepth: 3,
      key: some("de", "label", "options", "messages", "rows", "1", "s"),
    });
    fc.assert(
      fc.property(definitions, anything, (definition, translations) => {
        const whole = { ...definition, translations };
        expect(translationFaults(whole).length).toBeLessThanOrEqual(20);
        for (const { place, text } of textsOf(translated(whole, "de")))
          expect([place, text]).toEqual([place, expect.stringMatching(/\S/)]);
      }),
      { numRuns: 500 },
    );
  });
});

/** JSON as a server reads it, with own names such as `__proto__`. */
const structuredCloneOf = (value: object): Definition => json(JSON.stringify(value));

/** Entries of lists as objects with a label. */
function withLabels(definition: Definition): Definition {
  const list = (value: unknown) =>
    Array.isArray(value)
      ? value.map((entry) => {
          const own = typeof entry === "string" ? { value: entry } : entry;
          return { ...own, label: /\S/.test(own.label ?? "") ? own.label : String(own.value ?? own.id) };
        })
      : value;
  const of = (record: Definition) => ({
    ...record,
    ...Object.fromEntries(
      ["options", "rows", "columns"]
        .filter((name) => name in record)
        .map((name) => [name, list(record[name])]),
    ),
  });
  const { validation } = definition;
  return { ...of(definition), ...(validation !== undefined && { validation: of(validation as Definition) }) };
}

test("options are named as forms send them: 1 and the text 1 are two", () => {
  const definition = {
    options: [{ value: 1, label: "One" }, { value: "1", label: "Text" }, "toString"],
    translations: { de: { options: json('{ "1": "Eins", "\\"1\\"": "Wort", "toString": "Zu Text" }') } },
  };
  expect(translated(definition, "de").options).toEqual([
    { value: 1, label: "Eins" },
    { value: "1", label: "Wort" },
    { value: "toString", label: "Zu Text" },
  ]);
});

test("a list in `validation` outranks the one beside it, whose entries keep their labels", () => {
  const definition = {
    options: [{ value: "a", label: "A" }],
    validation: { options: [{ value: "b", label: "B" }], minimumLabel: "low" },
    translations: { de: { options: { b: "Be" }, minimumLabel: "tief" } },
  };
  expect(translated(definition, "de")).toMatchObject({
    options: [{ value: "a", label: "A" }],
    validation: { options: [{ value: "b", label: "Be" }], minimumLabel: "tief" },
  });
});

test("an entry that is no option takes no other one's label", () => {
  const definition = {
    options: [7, "a", null, "b"],
    translations: { de: { options: { a: "Ah", b: "Be" } } },
  };
  expect(translated(definition, "de").options).toEqual([
    7,
    { value: "a", label: "Ah" },
    null,
    { value: "b", label: "Be" },
  ]);
});

describe("publishing refuses, with the place and the nearest name", () => {
  const choice = { type: "select", label: "F", options: ["small", "large"] };
  test.each<[translations: unknown, message: string | undefined]>([
    [{}, undefined],
    [null, undefined],
    [{ de: null, fr: { label: null, "x-note": 1 } }, undefined],
    [{ de: { label: "", options: { small: "" } } }, undefined],
    [[], "must be an object of languages, each with its texts"],
    ["de", "must be an object of languages, each with its texts"],
    [{ de: "Größe" }, 'needs an object of texts at "de"'],
    [{ de: [] }, 'needs an object of texts at "de"'],
    [{ de: { label: 7 } }, 'needs text at "de.label"'],
    [{ de: { lable: "Größe" } }, 'has "de.lable", which is unknown: is "label" meant?'],
    [{ de: { options: { smal: "klein" } } }, 'has "de.options.smal", which is unknown: is "small" meant?'],
    [
      { de: { options: { toString: "klein" } } },
      'has "de.options.toString", which is unknown: the known ones are small, large.',
    ],
    [{ de: { options: { "x-note": "n" } } }, "is unknown: the known ones are small, large."],
    [{ de: { "y-note": "n" } }, 'messages, and one of your own begins with "x-".'],
    [{ de: { options: { small: 1 } } }, 'needs text at "de.options.small"'],
    [{ de: { options: ["klein"] } }, 'needs an object of texts at "de.options"'],
    [{ de: { rows: { a: "A" } } }, 'has "de.rows.a", which is unknown: the field has no such list.'],
    [{ de: { messages: "Nein." } }, 'needs a list of texts at "de.messages"'],
    [{ de: { messages: ["a", "b"] } }, 'has more texts at "de.messages" than the field has rules (1)'],
    [{ de: { messages: [7] } }, 'needs text at "de.messages.0"'],
    [{ de: { messages: ["m".repeat(501)] } }, "may have at most"],
  ])("%j", (translations, message) => {
    const form = {
      fields: [{ id: "f", ...choice, rules: [{ rule: "true", message: "No." }], translations }],
    };
    const own = lint(form).filter(({ constraint }) => constraint === "translations");
    expect(own.map((issue) => issue.message)).toEqual(
      message === undefined ? [] : [expect.stringContaining(message)],
    );
    expect(lintNames(form, 100)).toEqual(own);
  });

  test("an entry of a list that is only named is any", () => {
    const definition = {
      options: "countries",
      translations: { de: { options: { DE: "Deutschland", "?": "?" } } },
    };
    expect(translationFaults(definition)).toEqual([]);
    const [issue] = translationFaults({ ...definition, translations: { de: { options: { DE: 1 } } } });
    expect(issue && sentenceIn(clauses, issue)).toBe('needs text at "de.options.DE"');
  });
});

test("a schema without a list of languages has one", () => {
  for (const languages of [undefined, null, "de", {}, 7]) expect(languagesIn({ languages })).toEqual([]);
  expect(languagesIn({ languages: ["en", "de"] })).toEqual(["en", "de"]);
});

test("20,000 options in a language cost little, also with none of them known", () => {
  const options = Array.from({ length: 20_000 }, (_, index) => `option ${index}`);
  const known = Object.fromEntries(options.map((name) => [name, `${name} de`]));
  const unknown = Object.fromEntries(options.map((name) => [`${name}?`, name]));
  const definition = { options, translations: { de: { options: known }, fr: { options: unknown } } };
  expect(
    leastCpuMs(1_000, () => {
      expect(translationFaults(definition)).toHaveLength(20);
      expect(textsOf(translated(definition, "de"))).toHaveLength(20_000);
    }),
  ).toBeLessThan(1_000);
});
