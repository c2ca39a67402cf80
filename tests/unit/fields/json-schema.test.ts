import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { fieldCodes } from "../../../src/fields/codes.ts";
import { compile } from "../../../src/fields/compile.ts";
import { jsonSchemaOf } from "../../../src/fields/json-schema.ts";
import { lint } from "../../../src/fields/lint.ts";
import { patternSearch, toEcma } from "../../../src/fields/pattern.ts";
import { anyValue, samples } from "../../form-arbitraries.ts";
import { generatedCases } from "../../generated.ts";
import { words } from "./fixture.ts";

/**
 * Ajv divides doubles, so it is told how near a multiple is one; own properties only, so that `constructor`
 * is a field like any other.
 */
const ajv = new Ajv2020({
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  multipleOfPrecision: 9,
  ownProperties: true,
  code: { optimize: false },
  validateSchema: false, // a test of its own
});
addFormats.default(ajv);

interface Property {
  $comment?: string;
}

/** Compares the form with its JSON Schema: both accept or reject each payload. */
function compare(fields: object[], ...payloads: Record<string, unknown>[]) {
  const schema = jsonSchemaOf({ fields });
  const form = compile({ fields });
  const allows = ajv.compile(schema);
  ajv.removeSchema(schema);
  const looser = Object.entries(schema.properties as Record<string, Property>)
    .filter(([, { $comment }]) => $comment?.startsWith("Looser"))
    .map(([id]) => id);
  return payloads.map((data) => {
    const { errors, unknown, missing } = form.validate(data);
    const rejected = [...errors.map(({ field }) => field), ...unknown.map(({ field }) => field), ...missing];
    const mayPass = rejected.every((field) => looser.includes(String(field)));
    return { form: rejected.length === 0, schema: allows(data) === true, mayPass };
  });
}

const base = [
  { id: "t", type: "text", label: "T" },
  { id: "n", type: "number", label: "N" },
  { id: "b", type: "boolean", label: "B" },
  { id: "s", type: "select", label: "S", options: ["DE", "FR", "x y"] },
  { id: "m", type: "multi_select", label: "M", options: ["a", "b", "c"] },
  { id: "a", type: "address", label: "A" },
  { id: "7 a", type: "hidden", label: "H" },
];
const from = fc.constantFrom;
/** Conditions over the fields before; some of them have no translation. */
const conditions = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    from(
      ..."data.b|has(data.t)|has(data.a)|has(data.a.city)|'city' in data.a|'7 a' in data|true".split("|"),
      ..."data['7 a'] == 'v'|data['7 a'] >= 1.0|data.a.city == 'x'|data.t == data.s".split("|"),
      ..."data.s == 'DE'|'FR' != data.s|data.s in ['DE', 'x y']|data.n in [1, 2.5]|data.n >= 1".split("|"),
      ..."1.0 < data.n|data.n == 0|data.n * 2.0 > 3.0|data.t == 'x'|data.t < 'x'|data.t == '😀'".split("|"),
      ..."data.t.startsWith('x')|data.t.endsWith('.')|data.t.contains('^')|data.t.size() >= 2".split("|"),
      ..."size(data.t) == 1.5|size(data.t) < 0|size(data.m) < 2|'a' in data.m".split("|"),
    ),
    fc
      .tuple(from(" && ", " || "), fc.array(tie("condition"), { minLength: 2, maxLength: 3 }))
      .map(([op, parts]) => `(${parts.join(op)})`),
    tie("condition").map((each) => `!(${each})`),
    fc
      .tuple(tie("condition"), tie("condition"), tie("condition"))
      .map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
  ),
})).condition;
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const message = "Not like that.";
const dependent = (id: string) =>
  fc
    .record({
      required: fc.boolean(),
      showIf: sometimes(conditions),
      requireIf: sometimes(conditions),
      rules: sometimes(conditions.map((rule) => [{ rule, message }])),
    })
    .map((members) => ({ id, type: "text", label: id, ...members }));
const valuesOfBase: Record<string, fc.Arbitrary<unknown>> = {
  t: from("x", "xy", "😀", " ", "a.", "^", 5),
  n: from(0, 1, 2.5, 3, "1"),
  b: from(true, false, null),
  s: from("DE", "FR", "x y", "", "no"),
  m: from(["a"], ["b", "c"], [], ["a", "b"], "a"),
  a: from({ city: "x" }, { city: " " }, { line1: "1" }, {}, null),
  "7 a": from("v", 1, false, "w", ""),
  f: from("v", " "),
  g: from("v", ""),
  h: from("v", 5),
};
const payload = fc
  .tuple(...Object.entries(valuesOfBase).map(([id, values]) => fc.tuple(fc.constant(id), sometimes(values))))
  .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)));
const dependentForms = fc.record({
  fields: fc
    .tuple(fc.shuffledSubarray(["f", "g", "h"], { minLength: 1 }), ...["f", "g", "h"].map(dependent))
    .map(([ids, ...fields]) => [...base, ...fields.filter(({ id }) => ids.includes(id))]),
  // Ajv takes longer for a schema than for a hundred payloads.
  payloads: fc.array(payload, { minLength: 12, maxLength: 20 }),
});

/** The schema accepts what the form accepts, and rejects the rest where it does not say that it is looser. */
function expectAgreement(
  seen: { accepted: number; rejected: number; translated: number },
  ...given: Parameters<typeof compare>
) {
  for (const { form, schema, mayPass } of compare(...given)) {
    if (form || !mayPass) expect(schema).toBe(form);
    seen[form ? "accepted" : "rejected"]++;
    if (!form && !mayPass) seen.translated++;
  }
}

const one = (definition: object, value: unknown) => {
  const [result] = compare([{ id: "f", label: "F", ...definition }], { f: value });
  return [result?.form, result?.schema];
};

describe("a form's JSON Schema", () => {
  test("never rejects what the form accepts, and accepts what it rejects only where it says that it is looser", () => {
    const cases = generatedCases(1_500);
    const seen = { accepted: 0, rejected: 0, translated: 0 };
    fc.assert(
      fc.property(samples(3), fc.array(anyValue, { maxLength: 3 }), ({ fields, data }, others) => {
        const idOf = (i: number) => String(fields[i % fields.length]?.id);
        expectAgreement(seen, fields, data, ...others.map((value, i) => ({ ...data, [idOf(i)]: value })));
      }),
      { numRuns: cases },
    );
    expect(Math.min(seen.accepted, seen.rejected)).toBeGreaterThan(cases / 3);
  });

  test("says the same for conditions, rules and calculated values", () => {
    const cases = generatedCases(250, 50);
    const seen = { accepted: 0, rejected: 0, translated: 0 };
    fc.assert(
      fc.property(dependentForms, ({ fields, payloads }) => {
        expect(lint({ fields })).toEqual([]);
        expectAgreement(seen, fields, ...payloads);
      }),
      { numRuns: cases },
    );
    expect(Math.min(seen.accepted, seen.rejected, seen.translated)).toBeGreaterThan(cases / 3);
  }, 240_000);

  test.each(Object.entries(fieldCodes))("agrees on the example of %s", (code, { example }) => {
    // Neither the form nor its schema knows how many submissions there are.
    const isOfData = code !== "option_full";
    // The schema does not know which uploads there are.
    const isOfSchema = isOfData && code !== "upload_not_found";
    expect(one(example.field, example.rejected)).toEqual([!isOfData, !isOfSchema]);
    expect(one(example.field, example.accepted)).toEqual([true, true]);
  });

  const invisible = words(
    "\\u0001 \\u00ad \\u034f \\u061c \\u115f \\u1160 \\u17b5 \\u180e \\u200b \\u200d \\u2060 \\u2800 \\u202e \\u3164 \\ufe0f \\uffa0 \\ufff9",
  ).map((escaped) => JSON.parse(`"${escaped}"`) as string);
  const types =
    "text email phone url number toggle consent select tags date datetime address matrix hidden x-odd";
  test.each(words(types))(
    "of an optional %s accepts what counts as empty; of a required one it does not",
    (type) => {
      const rules = { options: ["a"], rows: ["r"], columns: ["c"], pattern: "^z$", minLength: 5 };
      for (const blank of [null, "", " \t\r\n\u00a0\u2003\ufeff", ...invisible, invisible, [], {}]) {
        expect(one({ type, ...rules }, blank)).toEqual([true, true]);
        expect(one({ type, ...rules, required: true }, blank)).toEqual([false, false]);
      }
    },
  );

  test.each([
    ["a day that is none", { type: "date" }, "2025-02-29"],
    ["a blank between day and time", { type: "datetime" }, "2026-11-20 09:00:00Z"],
    ["an offset without its colon", { type: "datetime" }, "2026-11-20T09:00:00+0100"],
    ["a time with an offset", { type: "time" }, "09:00:00Z"],
    ["an address at another domain", { type: "email", allowedDomains: ["a.org"] }, "x@axorg"],
    ["astral characters beyond maxLength", { type: "text", maxLength: 2 }, "😀😀😀"],
    ["a retired country", { type: "address" }, { country: "YU" }],
  ])("rejects %s", (_, definition, value) => expect(one(definition, value)).toEqual([false, false]));

  test.each([
    ["a dotless domain", { type: "email" }, "ada@localhost"],
    ["a domain in capitals", { type: "email", allowedDomains: ["a.org"] }, "x@A.ORG"],
    ["as many astral characters as maxLength", { type: "text", maxLength: 2 }, "😀😀"],
    ["0.3 as a multiple of 0.1", { type: "number", multipleOf: 0.1 }, 0.3],
    ["1.0 as an integer", { type: "integer" }, 1.0],
    ["a leap second", { type: "datetime" }, "2016-12-31T23:59:60Z"],
  ])("accepts %s", (_, definition, value) => expect(one(definition, value)).toEqual([true, true]));

  test("has a note where a rule has no keyword", () => {
    const fields = [
      { id: "p", type: "phone", country: "US" },
      { id: "d", type: "date", minimum: "2024-01-01" },
      { id: "t", type: "text", pattern: "\\p{Greek}" },
      { id: "u", type: "url" },
      { id: "plain", type: "date" },
    ];
    const { properties } = jsonSchemaOf({ fields }) as { properties: Record<string, Property> };
    expect(properties.p?.$comment).toContain("US");
    expect(properties.d?.$comment).toContain("2024-01-01 or later");
    expect(properties.t?.$comment).toContain("\\p{Greek}");
    expect(properties.u?.$comment).toStartWith("Looser");
    expect(properties.plain?.$comment).toBeUndefined();
  });

  test("carries the owner's words", () => {
    const said = { label: "Name", description: "Full name", agentHint: "as in the passport", default: "Ada" };
    expect(jsonSchemaOf({ fields: [{ id: "f", type: "text", ...said }] }).properties).toMatchObject({
      f: { title: "Name", description: "Full name\nas in the passport", default: "Ada" },
    });
  });

  test("says in a description when a field is asked for, and that it is required then", () => {
    const showIf = "data.a == 'x'";
    const field = (id: string, more: object) => ({ id, type: "text", label: id, ...more });
    const fields = [field("a", {}), field("b", { showIf, required: true }), field("c", { showIf })];
    expect(jsonSchemaOf({ fields }).properties).toMatchObject({
      b: { description: 'Asked when a is "x". Required when it is asked.' },
      c: { description: 'Asked when a is "x".' },
    });
  });

  test("is itself valid by the 2020-12 meta-schema", () => {
    fc.assert(
      fc.property(samples(8), ({ fields }) =>
        expect(ajv.validateSchema(jsonSchemaOf({ fields }))).toBe(true),
      ),
      { numRuns: generatedCases(200) },
    );
  });

  test("has ids such as __proto__ as ordinary properties", () => {
    const fields = [{ id: "__proto__", type: "text", required: true }];
    const { properties, required } = jsonSchemaOf({ fields });
    expect([Object.keys(properties as object), required]).toEqual([["__proto__"], ["__proto__"]]);
  });
});

describe("a pattern in ECMA-262", () => {
  const atom = fc.constantFrom(
    ...words(
      String.raw`a b \d \w \s \S . [a-c] [^a] [\w.-] [\s,] [^\s] \. \- \@ \x41 (?:a|b) (ab) \b [\\d-f]`,
    ),
    ...words("é 😀"),
    " ",
  );
  const repeat = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "*?");
  const anchored = fc.constantFrom(["", ""], ["^", ""], ["", "$"], ["^", "$"]);
  const pattern = fc
    .tuple(fc.array(fc.tuple(atom, repeat), { minLength: 1, maxLength: 5 }), anchored)
    .map(
      ([pieces, [start, end]]) => start + pieces.map(([a, r]) => (a === "\\b" ? a : a + r)).join("") + end,
    );
  const text = fc.string({
    unit: fc.constantFrom(..."abcA1.-@\\de, \t\n\r\v\u00a0\u2028é😀_"),
    maxLength: 8,
  });

  test("finds a match in the same texts as RE2", () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const ecma = toEcma(source);
        expect(ecma).toBeString();
        for (const each of texts)
          expect(new RegExp(ecma ?? "", "u").test(each)).toBe(patternSearch(source)(each));
      }),
      { numRuns: generatedCases(5_000) },
    );
  });

  test.each(
    words(
      String.raw`(?i)a \p{L} \pL [[:alpha:]] []a] [^]a] [^][a] a\z \Aa \Qa.b\E (?P<n>a) (?s). \x{41} x{,3} {x} ^* \C \a`,
    ),
  )("is not written for %s, which ECMA-262 does not know or reads otherwise", (source) =>
    expect(toEcma(source)).toBeUndefined(),
  );
});
