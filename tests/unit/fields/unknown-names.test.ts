import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { distance } from "fastest-levenshtein";
import { choiceConstraints } from "../../../src/fields/constraints.ts";
import { lint, lintNames } from "../../../src/fields/lint.ts";
import { nearest } from "../../../src/fields/nearest.ts";
import { type FieldKind, fieldTypes, rulesOf } from "../../../src/fields/types.ts";
import { fieldMembers } from "../../../src/fields/unknown-names.ts";
import { memberMeanings } from "../../../src/reference/guide/field-types.ts";

const numRuns = process.env.FORMD_TEST_FULL ? 2000 : 200;
const field = (more: object) => ({ id: "f", type: "text", label: "F", ...more });
const formOf = (...more: object[]) => ({ fields: more.map(field) });
const named = (more: object) => lintNames(formOf(more), 100).map(({ path, nearest }) => [path, nearest]);

describe("a name that has no effect is found, with its place and the nearest known name", () => {
  test.each<[object, [string, string | undefined][]]>([
    [{ showif: "true" }, [[".showif", "showIf"]]],
    [{ requiredIf: "true" }, [[".requiredIf", "requireIf"]]],
    [
      { Required: true, sensible: true },
      [
        [".Required", "required"],
        [".sensible", "sensitive"],
      ],
    ],
    [{ minlength: 5 }, [[".minlength", "minLength"]]],
    [{ mine: 1 }, [[".mine", undefined]]],
    [{ "a b": 1 }, [['["a b"]', undefined]]],
    [{ validation: { min_length: 5 } }, [[".validation.min_length", "minLength"]]],
    [{ validation: { required: true } }, [[".validation.required", undefined]]],
    [{ type: "select", options: ["a", { value: "b", lable: "B" }] }, [[".options[1].lable", "label"]]],
    [{ type: "ranking", options: [{ value: "b", limit: 1 }] }, [[".options[0].limit", undefined]]],
    [
      { type: "tags", validation: { options: [{ value: "b", Label: "B" }] } },
      [[".validation.options[0].Label", "label"]],
    ],
    [{ type: "matrix", rows: [{ id: "a", lable: "A" }], columns: ["b"] }, [[".rows[0].lable", "label"]]],
    [{ type: "number", minLength: 5 }, [[".minLength", undefined]]],
    [{ translations: {} }, []],
    [{ type: "x-map", zoom: 3 }, [[".zoom", undefined]]],
    [{ type: "x-map", options: 3, "x-zoom": 4 }, []],
    [{ type: "wibble", minLength: 3 }, []],
  ])("%j", (more, found) => {
    expect(named(more)).toEqual(found.map(([path, name]) => [`schema.fields[0]${path}`, name]) as never);
  });

  test("a name that a later release defines is no suggestion", () => {
    const [near, far] = lintNames(formOf({ field: {} }, { wibble: 1 }), 100);
    expect(near?.nearest).toBeUndefined();
    expect(far?.message).not.toMatch(/fields|limit/);
  });

  test("of a field without an id, by its position", () => {
    const [, issue] = lintNames({ fields: [field({}), { label: "B", lable: "C" }, { lable: "D" }] }, 100);
    expect(issue).toEqual(expect.objectContaining({ path: "schema.fields[2].lable", entry: 3 }));
    expect(issue?.message).toBe('"lable" of entry 3 is unknown: is "label" meant?');
  });

  test("in publishing's own words; a rule of another type is named, and does not stop it", () => {
    const form = formOf({ showif: "true" }, { id: "g", type: "number", maxLength: 3 });
    const names = lintNames(form, 100);
    expect(names.map(({ message }) => message)).toEqual([
      '"showif" of the field is unknown: is "showIf" meant?',
      expect.stringMatching(/^"maxLength" of the field is not a rule of the type "number":/),
    ]);
    expect(lint(form)).toEqual(names.slice(0, 1));
  });
});

/** A misspelling of a name: a character changed, left out, doubled or turned, or another case. */
const misspelt = (name: string) =>
  fc
    .tuple(fc.nat(name.length - 1), fc.constantFrom("omit", "double", "turn", "change", "lower", "snake"))
    .map(([at, how]) => {
      if (how === "lower") return name.toLowerCase();
      if (how === "snake") return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const [before, letter, after] = [name.slice(0, at), name[at] as string, name.slice(at + 1)];
      if (how === "omit") return before + after;
      if (how === "double") return before + letter + letter + after;
      if (how === "turn") return before + after.slice(0, 1) + letter + after.slice(1);
      return `${before}q${after}`;
    });

test("the members that are known are those of the page of field types", () => {
  const shown = Object.keys(memberMeanings).filter((name) => !choiceConstraints.has(name));
  expect(shown.toSorted()).toEqual(fieldMembers.toSorted());
});

describe("of generated misspellings", () => {
  const kinds = Object.keys(fieldTypes) as FieldKind[];
  const spelling = fc.constantFrom(...kinds).chain((kind) => {
    const known = [...fieldMembers, ...rulesOf(kind).map(({ name }) => name)];
    return fc
      .constantFrom(...known)
      .chain((name) => fc.record({ kind: fc.constant(kind), name: misspelt(name) }));
  });

  test("each is refused at publishing and warned of before, unless it is a known name", () => {
    fc.assert(
      fc.property(spelling, ({ kind, name }) => {
        const known = [...fieldMembers, ...rulesOf(kind).map(({ name }) => name)];
        fc.pre(!known.includes(name) && !name.startsWith("x-"));
        const form = { fields: [{ ...field({ type: kind }), [name]: "a" }] };
        const isMine = ({ constraint }: { constraint?: string | undefined }) => constraint === name;
        const [warning] = lintNames(form, 100).filter(isMine);
        expect(warning?.path).toContain(name);
        expect(lint(form).filter(isMine)).toEqual([warning] as never);
      }),
      { numRuns },
    );
  });

  test("the nearest is the name, or another that is as near", () => {
    const long = fieldMembers.filter(({ length }) => length >= 6);
    const plain = (name: string) => name.toLowerCase().replaceAll("_", "");
    fc.assert(
      fc.property(
        fc.constantFrom(...long).chain((name) => fc.tuple(fc.constant(name), misspelt(name))),
        ([name, wrong]) => {
          const far = (known = "") => distance(plain(wrong), plain(known));
          expect(far(nearest(wrong, fieldMembers))).toBeLessThanOrEqual(far(name));
        },
      ),
      { numRuns },
    );
  });
});

test("the number of names is bounded: per field 20 per object, and all", () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`name${index}`, 1]));
  expect(lintNames(formOf({ ...many, validation: many }), 100)).toHaveLength(40);
  expect(lintNames({ fields: Array.from({ length: 500 }, () => field(many)) }, 100)).toHaveLength(100);
});

test("a long name is cut", () => {
  const [issue] = lintNames(formOf({ ["n".repeat(100_000)]: 1 }), 100);
  expect(issue?.path).toBe(`schema.fields[0].${"n".repeat(64)}`);
  expect(issue?.message.length).toBeLessThan(500);
});
