import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compile } from "../../../src/fields/compile.ts";
import { lint } from "../../../src/fields/lint.ts";
import { samples } from "../../form-arbitraries.ts";
import { generatedCases } from "../../generated.ts";

const sample = samples(8);

const runs = { numRuns: generatedCases(5_000) };
const byField = (a: { field?: string }, b: { field?: string }) =>
  String(a.field).localeCompare(String(b.field));

/**
 * Errors that submit rejects, by the specification's severity table. A partial submit ignores missing values.
 */
const rejections = (form: ReturnType<typeof compile>, data: Record<string, unknown>, partial = false) => {
  const { errors, unknown, missing } = form.validate(data);
  return [...errors, ...unknown, ...(partial ? [] : missing.map(form.requiredIssue))];
};

describe("one engine", () => {
  test("every generated form may be published: none of the properties below is about an invalid one", () => {
    fc.assert(
      fc.property(sample, ({ fields }) => expect(lint({ fields })).toEqual([])),
      runs,
    );
  });

  test("a whole payload has the issues of its fields one by one: dry run and submit agree with owner edits and challenges", () => {
    fc.assert(
      fc.property(sample, ({ fields, data }) => {
        const form = compile({ fields });
        const alone = [...new Set([...fields.map(({ id }) => String(id)), ...Object.keys(data)])].flatMap(
          (id) =>
            Object.hasOwn(data, id) || form.field(id)
              ? form.validateField(id, Object.hasOwn(data, id) ? data[id] : undefined)
              : [],
        );
        expect(alone.sort(byField)).toEqual(rejections(form, data).sort(byField));
      }),
      runs,
    );
  });

  test("what is stored of a payload is itself a payload with the same errors, nothing unknown and the same values missing", () => {
    fc.assert(
      fc.property(sample, ({ fields, data }) => {
        const form = compile({ fields });
        const first = form.validate(data);
        const again = form.validate(first.data);
        expect([again.errors, again.unknown, again.missing]).toEqual([first.errors, [], first.missing]);
        expect(JSON.stringify(again.data)).toBe(JSON.stringify(first.data));
      }),
      runs,
    );
  });

  test("a payload and a form have the same result after a trip through JSON", () => {
    fc.assert(
      fc.property(sample, ({ fields, data }) => {
        const copy = compile(JSON.parse(JSON.stringify({ fields })));
        const results = [copy.validate(JSON.parse(JSON.stringify(data))), compile({ fields }).validate(data)];
        const [through, direct] = results.map((result) => JSON.stringify(result)); // JSON has no -0
        expect(through).toBe(direct as string);
      }),
      runs,
    );
  });

  test("an empty value and no value are the same, in every type", () => {
    fc.assert(
      fc.property(sample, fc.constantFrom(null, "", " \n", [], {}), ({ fields, data }, nothing) => {
        const form = compile({ fields });
        const without = Object.fromEntries(Object.entries(data).filter(([id]) => form.field(id)));
        for (const id of Object.keys(without)) {
          const { [id]: _, ...absent } = without;
          expect(form.validate({ ...without, [id]: nothing })).toEqual(form.validate(absent));
        }
      }),
      { numRuns: generatedCases(1_000) },
    );
  });

  test("a form with nothing required rejects what is malformed, and nothing else", () => {
    fc.assert(
      fc.property(sample, ({ fields, data }) => {
        const strict = compile({ fields });
        const lax = compile({ fields: fields.map((field) => ({ ...field, required: false })) });
        // False is an acceptable value of a consent that is not required.
        const malformed = rejections(strict, data, true).filter(({ code }) => code !== "not_accepted");
        expect(rejections(lax, data)).toEqual(malformed);
      }),
      runs,
    );
  });
});
