import { describe, expect, test } from "bun:test";
import { lint } from "../../../src/fields/lint.ts";
import { json } from "./fixture.ts";

/** Names of the constraints that stop a form of this one field from being published. */
const invalid = (definition: Record<string, unknown>) =>
  lint({ fields: [{ id: "f", type: "text", label: "F", ...definition }] }).map(
    ({ constraint }) => constraint,
  );

const ofRatings = "it has minimum, maximum, minimumLabel, maximumLabel.";
const select = (...options: unknown[]) => ({ type: "select", options });
const turned = { minimum: "2026-01-01T00:30:00Z", maximum: "2026-01-01T01:00:00+01:00" };

describe("publishing is stopped by", () => {
  test.each([
    ["fields, which this release does not know", { fields: [] }, "fields"],
    ["limit, which this release does not know", { limit: 5 }, "limit"],
    ["a limit below 0", { type: "select", options: [{ value: "a", limit: -1 }] }, "options"],
    ["a limit that is no whole number", { type: "tags", options: [{ value: "a", limit: 1.5 }] }, "options"],
    ["a limit of a ranking's option", { type: "ranking", options: [{ value: "a", limit: 1 }] }, "options"],
    ["a limit of a value of 201 characters", select({ value: "x".repeat(201), limit: 1 }), "options"],
    [
      "501 options with a limit",
      select(...Array.from({ length: 501 }, (_, value) => ({ value, limit: 1 }))),
      "options",
    ],
    ["a missing label", { label: undefined }, "label"],
    ["a blank label", { label: "  " }, "label"],
    ["a label that is no text", { label: 5 }, "label"],
    ["a missing type", { type: undefined }, "type"],
    ["a type that is no text", { type: 5 }, "type"],
    ["a blank type", { type: "" }, "type"],
    ["an empty id", { id: "" }, "id"],
    ["an id that is no text", { id: 5 }, "id"],
    ["an id of 129 characters", { id: "x".repeat(129) }, "id"],
    ["required that is no boolean", { required: "true" }, "required"],
    ["prefill that is no boolean", { prefill: "true" }, "prefill"],
    ["sensitive that is no boolean", { sensitive: "true" }, "sensitive"],
    ["a description that is no text", { description: {} }, "description"],
    ["a placeholder that is no text", { placeholder: 1 }, "placeholder"],
    ["help that is no text", { help: [] }, "help"],
    ["validation that is no object", { validation: "minLength: 3" }, "validation"],
    ["validation that is a list", { validation: [] }, "validation"],
    ["minLength as text", { validation: { minLength: "3" } }, "minLength"],
    ["a negative minLength", { validation: { minLength: -1 } }, "minLength"],
    ["a fractional maxLength", { maxLength: 2.5 }, "maxLength"],
    ["minLength above maxLength", { minLength: 5, maxLength: 4 }, "minLength"],
    ["minLength above a textarea's own 10,000", { type: "textarea", minLength: 10_001 }, "minLength"],
    ["a pattern that is no text", { pattern: 5 }, "pattern"],
    ["an unclosed group", { pattern: "(" }, "pattern"],
    ["a back-reference", { pattern: "(a)\\1" }, "pattern"],
    ["a look-ahead", { pattern: "(?=a)" }, "pattern"],
    ["a negative look-ahead", { pattern: "^(?!a)" }, "pattern"],
    ["a look-behind", { pattern: "(?<=a)b" }, "pattern"],
    ["a pattern of 513 characters", { pattern: "a".repeat(513) }, "pattern"],
    ["a repetition of 1,001", { pattern: "a{1001}" }, "pattern"],
    ["a pattern that compiles to too much", { pattern: "(a|b)*a(a|b){900}c" }, "pattern"],
    ["allowedDomains that is no list", { type: "email", allowedDomains: "example.com" }, "allowedDomains"],
    ["an empty allowedDomains", { type: "email", allowedDomains: [] }, "allowedDomains"],
    ["a domain written with @", { type: "email", allowedDomains: ["@example.com"] }, "allowedDomains"],
    ["a country that does not exist", { type: "phone", country: "XX" }, "country"],
    ["a country in lower case", { type: "phone", country: "us" }, "country"],
    ["a minimum as text", { type: "number", minimum: "1" }, "minimum"],
    ["minimum above maximum", { type: "number", minimum: 2, maximum: 1 }, "minimum"],
    ["multipleOf 0", { type: "number", multipleOf: 0 }, "multipleOf"],
    ["a negative multipleOf", { type: "integer", multipleOf: -2 }, "multipleOf"],
    ["a rating that starts above its default end", { type: "rating", minimum: 6 }, "minimum"],
    ["a rating that ends below its default start", { type: "rating", maximum: 0 }, "maximum"],
    ["a date bound that is no day", { type: "date", minimum: "2025-02-29" }, "minimum"],
    ["a date bound that is a number", { type: "date", maximum: 2025 }, "maximum"],
    ["days the wrong way round", { type: "date", minimum: "2026-01-02", maximum: "2026-01-01" }, "minimum"],
    ["a time bound that is no time", { type: "time", maximum: "24:00" }, "maximum"],
    ["instants the wrong way round, in another offset", { type: "datetime", ...turned }, "minimum"],
    ["missing options", { type: "select" }, "options"],
    ["empty options", { type: "ranking", options: [] }, "options"],
    ["the name of no list", { type: "select", options: "planets" }, "options"],
    ["the name of a list of rows", { type: "matrix", rows: "countries", columns: ["a"] }, "rows"],
    ["options that are no list", { type: "tags", options: { a: "A" } }, "options"],
    ["options of bare numbers", { type: "select", options: [1, 2] }, "options"],
    ["a blank option, which could never be chosen", { type: "select", options: ["a", " "] }, "options"],
    ["an option without value", { type: "select", options: [{ label: "A" }] }, "options"],
    ["an option with an unknown key", { type: "select", options: [{ value: "a", lable: "A" }] }, "options"],
    ["the same option twice", { type: "select", options: ["a", { value: "a", label: "A" }] }, "options"],
    ["allowOther that is no boolean", { type: "select", options: ["a"], allowOther: 1 }, "allowOther"],
    ["minItems as text", { type: "tags", options: ["a"], minItems: "1" }, "minItems"],
    ["minItems above maxItems", { type: "tags", options: ["a", "b"], minItems: 2, maxItems: 1 }, "minItems"],
    ["minItems above the number of options", { type: "tags", options: ["a"], minItems: 2 }, "minItems"],
    ["rankAll that is no boolean", { type: "ranking", options: ["a"], rankAll: "yes" }, "rankAll"],
    ["a matrix without rows", { type: "matrix", columns: ["c"] }, "rows"],
    ["a matrix without columns", { type: "matrix", rows: ["r"] }, "columns"],
    ["the same row twice", { type: "matrix", rows: ["r", { id: "r" }], columns: ["c"] }, "rows"],
    ["a numeric column", { type: "matrix", rows: ["r"], columns: [{ id: 1 }] }, "columns"],
    ["allRows that is no boolean", { type: "matrix", rows: ["r"], columns: ["c"], allRows: 0 }, "allRows"],
    ["an unknown address part", { type: "address", requiredParts: ["zip"] }, "requiredParts"],
    ["a rule that is invalid, and not the default by it", { type: "select", default: "b" }, "options"],
    ["a default of another type", { type: "number", default: "1" }, "default"],
    ["a default that its own rules reject", { type: "text", maxLength: 2, default: "abc" }, "default"],
    ["a default that is no option", { type: "select", options: ["a"], default: "b" }, "default"],
  ])("%s", (_name, definition, constraint) => {
    expect(invalid(definition)).toEqual([constraint]);
  });

  test("an entry that is not an object", () => {
    const found = lint({ fields: [null, [], "x"] });
    expect(found.map(({ constraint }) => constraint)).toEqual(["fields", "fields", "fields"]);
  });

  test("two fields of one id", () => {
    const field = { id: "__proto__", type: "text", label: "F" };
    const found = lint({ fields: [field, { ...field, id: "b" }, field] });
    expect(found).toMatchObject([{ field: "__proto__", constraint: "id" }]);
  });

  test("patterns that are fine one by one and too much together", () => {
    const field = { type: "text", label: "F", pattern: "^.{1,450}$" };
    const fields = Array.from({ length: 12 }, (_, i) => ({ id: `f${i}`, ...field }));
    expect(lint({ fields: fields.slice(0, 10) })).toEqual([]);
    expect(lint({ fields })).toMatchObject([{ constraint: "pattern" }]);
  });

  test.each([
    ["int", 'is "integer" meant?'],
    ["multiselect", 'is "multi_select" meant?'],
    ["date_time", 'is "datetime" meant?'],
    ["datetime-local", 'is "datetime" meant?'],
    ["emial", 'is "email" meant?'],
    ["Text", 'is "text" meant?'],
    ["wibble", "the types are text, textarea, email,"],
    ["x-", "the types are text,"],
    ["constructor", "the types are text,"],
  ])("the unknown type %s, with the nearest known name", (type, said) => {
    const [issue] = lint({ fields: [{ id: "f", type, label: "F" }] });
    expect(issue).toMatchObject({ field: "f", constraint: "type" });
    expect(issue?.message).toContain(said);
  });

  test.each([
    [{ type: "number", validation: { min: 3, max: 10 } }, ['"minimum" meant?', '"maximum" meant?']],
    [{ type: "text", validation: { min: 10 } }, ['is not a rule of the type "text": is "minLength" meant?']],
    [
      { type: "select", options: "country" },
      ['is "country", and no list has this name: is "countries" meant?'],
    ],
    [{ type: "select", options: "Currency" }, ['is "currencies" meant?']],
    [{ type: "ranking", options: "planets" }, ["the lists are countries, languages, currencies."]],
    [{ type: "tags", options: ["a"], validation: { max: 1 } }, ['is "maxItems" meant?']],
    [{ type: "rating", validation: { max: 7, multipleOf: 2 } }, ['"maximum" meant?', ofRatings]],
    [{ type: "text", validation: { required: true } }, ['belongs beside "validation", not into it.']],
    [{ type: "heading", validation: { level: 2 } }, ["it has no rules."]],
    [{ type: "x-map", validation: { minLength: 2 } }, ["it has no rules."]],
    [{ type: "text", validation: { constructor: 1, toString: 2 } }, ["it has minLength", "it has minLength"]],
  ])("unknown rules: %j", (definition, said) => {
    const issues = lint({ fields: [{ id: "f", label: "F", ...definition }] });
    expect(issues).toHaveLength(said.length);
    for (const [i, text] of said.entries()) expect(issues[i]?.message).toContain(text);
  });

  test("at most 20 unknown rules per field are listed", () => {
    const validation = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`rule${i}`, 1]));
    expect(lint({ fields: [{ id: "f", type: "text", label: "F", validation }] })).toHaveLength(20);
  });

  test("a domain with other letters than ASCII, by its number", () => {
    const validation = { allowedDomains: ["example.org", "münchen.de"] };
    const [issue] = lint({ fields: [{ id: "f", type: "email", label: "F", validation }] });
    expect(issue?.message).toContain("entry 2");
    expect(issue?.message).toContain("xn--");
  });

  test("several issues at once, each with its field, its name and a message", () => {
    const wrong = { id: "a", type: "text", label: "A", validation: { minLength: "3", pattern: "(" } };
    const found = lint({ fields: [wrong, { type: "select", label: "B" }] });
    const named = found.map(({ field, constraint }) => `${field} ${constraint}`);
    expect(named).toEqual(["a minLength", "a pattern", "undefined id", "undefined options"]);
    for (const { code, message } of found)
      expect([code, message.at(-1)]).toEqual(["invalid_definition", "."]);
    expect(found[1]?.message).toContain("missing closing )");
    expect(found[2]?.message).toContain("entry 2");
  });
});

describe("publishing is not stopped by", () => {
  test.each([
    ["the least that a field has", {}],
    ["null for a text", { description: null, help: null, placeholder: null }],
    ["null for another member", { required: null, maxLength: null, default: null }],
    ["a custom type, whatever it carries", { type: "x-a", minLength: "3", options: 5, default: { any: 1 } }],
    ["rules of a custom type", { type: "x-signature", validation: { "x-ink": "blue" } }],
    ["constraints of other types", { type: "number", minLength: "3", options: "x" }],
    [
      "members and rules of one's own",
      { agentHint: "ask", "x-mine": { a: 1 }, validation: { "x-mine": true } },
    ],
    ["unknown members that are null, which is not set", { mine: null, validation: { mine: null } }],
    ["members of one's own in an option", select({ value: "a", "x-mine": 1, lable: null })],
    ["an option's limit that is null, which is none", select({ value: "x".repeat(201), limit: null })],
    ["the same in a ranking", { type: "ranking", options: [{ value: "a", limit: null }] }],
    ["a default that fits", { type: "select", options: [{ value: "a", label: "A" }], default: "a" }],
    ["an unticked required consent", { type: "consent", required: true, default: false }],
    ["an empty default of a required field", { required: true, default: "" }],
    ["a statement", { type: "page_break" }],
    ["equal bounds", { type: "date", minimum: "2026-01-01", maximum: "2026-01-01" }],
    ["more items than options, and others", { type: "tags", options: ["a"], allowOther: true, minItems: 2 }],
    [
      "a matrix by options or ids",
      { type: "matrix", rows: ["a", { id: "b" }], columns: [{ value: "c" }, "d"] },
    ],
    ["a matrix with labels", { type: "matrix", rows: [{ id: "b", label: "B" }], columns: ["d"] }],
  ])("%s", (_name, definition) => expect(invalid(definition)).toEqual([]));

  test("what a definition only seems to inherit", () => {
    const inherited = '{"id":"a","type":"text","label":"A","__proto__":{"required":"yes","minLength":"3"}}';
    expect(lint({ fields: [json(inherited)] }).map(({ constraint }) => constraint)).toEqual(["__proto__"]);
  });
});
