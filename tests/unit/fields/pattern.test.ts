import { describe, expect, test } from "bun:test";
import { compile } from "../../../src/fields/compile.ts";
import { lint } from "../../../src/fields/lint.ts";
import { maxProgramSize, programSize, textLimit } from "../../../src/fields/pattern.ts";
import { codes, leastCpuMs, words } from "./fixture.ts";

/** Letters a and b, as if at random (the minimal standard generator of Park and Miller). */
function noise(length: number, seed: number): string {
  let state = seed;
  const letter = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % 2 === 0 ? "a" : "b";
  };
  return Array.from({ length }, letter).join("");
}

const fieldsWith = (count: number, pattern: string) =>
  Array.from({ length: count }, (_, i) => ({ id: `f${i}`, type: "text", label: "F", pattern }));

describe("patterns", () => {
  test("search, unless anchored, as JSON Schema's do", () => {
    expect(codes({ type: "text", pattern: "b+" }, "abc")).toEqual([]);
    expect(codes({ type: "text", pattern: "^b+$" }, "abc")).toEqual(["pattern"]);
  });

  test("see code points and Unicode classes", () => {
    expect(codes({ type: "text", pattern: "^.$" }, "😀")).toEqual([]);
    expect(codes({ type: "text", pattern: "^\\p{Greek}+$" }, "λόγος")).toEqual([]);
    expect(codes({ type: "text", pattern: "^\\p{Lu}" }, "ä")).toEqual(["pattern"]);
  });

  test("are not run on more than 10,000 code points: that is max_length", () => {
    expect(codes({ type: "text", pattern: "^a+$" }, "a".repeat(10_000))).toEqual([]);
    expect(codes({ type: "text", pattern: "^b+$" }, "a".repeat(10_001))).toEqual(["max_length"]);
    const longer = { type: "text", pattern: "^b+$", maxLength: 99_999 };
    expect(codes(longer, "a".repeat(10_001))).toEqual(["max_length"]);
    expect(codes({ type: "text", pattern: "^😀+$" }, "😀".repeat(10_000))).toEqual([]);
  });

  // The classics of OWASP's "Regular expression Denial of Service" page, and relatives.
  test.each(
    words(
      "^(a+)+$ ^([a-zA-Z]+)*$ ^(a|aa)+$ ^(a|a?)+$ ^(.*a){20}$ ^(([a-z])+.)+[A-Z]([a-z])+$ ^(.*)*$! (a*)*(a*)*(a*)*b ^(?:a?){250}a{250}$",
    ),
  )("%s searches the longest text that it may within 100 ms of CPU time", (pattern) => {
    expect(lint({ fields: [{ id: "f", type: "text", label: "F", validation: { pattern } }] })).toEqual([]);
    const form = compile({ fields: [{ id: "f", type: "text", label: "F", validation: { pattern } }] });
    const text = `${"a".repeat(textLimit(pattern) - 1)}!`;
    const ms = leastCpuMs(100, () =>
      expect(form.validate({ f: text }).errors).toMatchObject([{ code: "pattern" }]),
    );
    expect(ms).toBeLessThan(100);
  });

  // RE2's weak side: counted repeats after a loop have more states than an automaton can keep, and each
  // character costs the whole program.
  test.each(
    words(
      "[ab]*a[ab]{240}$ [ab]*a[ab]{900}$ (a|b)*a(a|b){330}$ (?:[ab]*a[ab]{450}|[ab]*b[ab]{450})$ (?:\\w*a\\w{900})$",
    ),
  )(
    "%s searches the longest random text that it may in about 70 ms of CPU time, and less than 250",
    (pattern) => {
      expect(programSize(pattern)).toBeLessThanOrEqual(maxProgramSize);
      const form = compile({ fields: [{ id: "f", type: "text", pattern }] });
      const texts = Array.from({ length: 10 }, (_, seed) => noise(textLimit(pattern), seed + 1));
      expect(leastCpuMs(250, (run) => form.validate({ f: texts[run - 1] }))).toBeLessThan(250);
    },
  );

  test("a pattern of 1,000 instructions is run on 1,000 characters; longer text is max_length", () => {
    const pattern = "^[ab]{997}";
    expect(programSize(pattern)).toBe(1_000);
    expect(codes({ type: "text", pattern }, "a".repeat(1_000))).toEqual([]);
    expect(codes({ type: "text", pattern }, "a".repeat(1_001))).toEqual(["max_length"]);
    expect(codes({ type: "text", pattern }, "c".repeat(1_001))).toEqual(["max_length"]);
  });

  test("many such patterns in one form hold the server no longer than one: what is beyond a payload's share is max_length", () => {
    const fields = fieldsWith(40, "[ab]*a[ab]{240}$");
    const form = compile({ fields: [...fields, { id: "plain", type: "text" }] });
    const data = Object.fromEntries(fields.map(({ id }, i) => [id, noise(4_000, i + 1)]));
    const validate = () => form.validate({ ...data, plain: "as ever" });
    expect(leastCpuMs(400, validate)).toBeLessThan(400);
    const { errors } = validate();
    expect(errors.filter(({ code }) => code === "max_length").map(({ field }) => field)).toEqual(
      fields.slice(1).map(({ id }) => id),
    );
    expect(form.validateField("f39", "a".repeat(300))).toEqual([]);
  });

  test("a payload of a person stays below the limit: 500 values of 100 characters with patterns", () => {
    const fields = fieldsWith(500, "^[\\p{L} .'-]+$");
    const data = Object.fromEntries(fields.map(({ id }) => [id, "a".repeat(100)]));
    expect(compile({ fields }).validate(data).errors).toEqual([]);
  });

  test("500 fields of slow patterns and options are validated within two seconds", () => {
    const options = Array.from({ length: 60_000 }, (_, i) => `${i}`);
    const select = { id: "s", type: "select", label: "S", options };
    const fields = [...fieldsWith(499, "[ab]{1000}".repeat(51)), select];
    const ms = leastCpuMs(2_000, () => {
      expect(lint({ fields })).toHaveLength(499);
      compile({ fields });
    });
    expect(ms).toBeLessThan(2_000);
  });

  test("braces without a repeat count are text", () => {
    expect(codes({ type: "text", pattern: "^\\{2000\\}$" }, "{2000}")).toEqual([]);
  });
});
