import { expect, test } from "bun:test";
import { compile } from "../../../src/fields/compile.ts";
import { parseFields, withLists } from "../../../src/fields/definition.ts";
import { jsonSchemaOf } from "../../../src/fields/json-schema.ts";
import { lint } from "../../../src/fields/lint.ts";
import { namedLists } from "../../../src/fields/named-lists.ts";
import { countries } from "../../../src/fields/types/address.ts";

const valuesOf = (name: string) => (namedLists[name] ?? []).map(({ value }) => String(value));

test("the list of countries has those of an address, each once", () => {
  expect(valuesOf("countries").toSorted()).toEqual(countries.toSorted());
});

test.each([
  ["countries", 249, /^[A-Z]{2}$/],
  ["languages", 183, /^[a-z]{2}$/],
  ["currencies", 155, /^[A-Z]{3}$/],
])("the list %s has %i distinct codes with distinct names, sorted by name", (name, count, code) => {
  const names = (namedLists[name] ?? []).map(({ label = "" }) => label);
  expect([new Set(valuesOf(name)).size, new Set(names).size]).toEqual([count, count]);
  expect(valuesOf(name).filter((value) => !code.test(value))).toEqual([]);
  expect(names.filter((each) => !/^\p{Lu}[\p{L}.’'&() -]+$/u.test(each))).toEqual([]);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "en")));
});

test.each(["countries", "languages", "currencies"])("the codes of %s are known to the runtime", (name) => {
  const type = ({ countries: "region", languages: "language", currencies: "currency" } as const)[name];
  const display = new Intl.DisplayNames(["en"], { type: type as "region" });
  // A runtime of 2022 does not know the newest currencies.
  const newest = ["SLE", "VED", "XCG", "ZWG"];
  expect(valuesOf(name).filter((code) => display.of(code) === code && !newest.includes(code))).toEqual([]);
});

const field = (more: object) => ({ id: "a", type: "select", label: "A", ...more });

test("a draft that names a list checks values as its version does", () => {
  for (const more of [
    { options: "countries" },
    { validation: { options: "countries", allowOther: false } },
  ]) {
    const draft = { fields: [field(more)] };
    const version = withLists(draft);
    expect(lint(draft)).toEqual([]);
    expect(lint(version)).toEqual([]);
    expect(JSON.stringify(version)).toContain('{"label":"Germany","value":"DE"}');
    for (const value of ["DE", "XX", "Germany"]) {
      const [a, b] = [draft, version].map((schema) => compile(schema).validate({ a: value }).errors);
      expect(a).toEqual(b as typeof a);
      expect(a?.map(({ code }) => code)).toEqual(value === "DE" ? [] : ["invalid_option"]);
    }
    expect(jsonSchemaOf(draft)).toEqual(jsonSchemaOf(version));
    expect(parseFields(version)[0]?.constraints).toEqual(parseFields(draft)[0]?.constraints as never);
  }
});

test("conditions know the options of a list", () => {
  const fields = [
    field({ options: "countries" }),
    field({ id: "b", type: "text", showIf: "data.a == 'Germany'" }),
  ];
  expect(lint({ fields }).map(({ message }) => message)).toEqual([expect.stringContaining('is "DE" meant?')]);
});

test("a schema without names of lists stays the same object, and so do other members and types", () => {
  for (const more of [
    { options: ["countries"] },
    { type: "text", options: "countries" },
    { options: "nowhere" },
  ]) {
    const schema = { fields: [field(more), null, { type: "x-own", options: "countries" }] };
    expect(withLists(schema)).toBe(schema);
  }
  const type = { type: "matrix", rows: "countries", columns: "languages" };
  expect(withLists({ fields: [type, field({ options: "languages" })] }).fields[0]).toBe(type);
});
