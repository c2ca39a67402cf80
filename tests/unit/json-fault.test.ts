import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { notJson } from "../../src/platform/http/json-fault.ts";
import { leastCpuMs } from "./fields/fixture.ts";

describe("a text that is not JSON is reported with the position of its error", () => {
  test.each([
    ["", "it is empty."],
    [" \n", "it is empty."],
    ["{", "it ends too early, at line 1, column 2."],
    ['{"a":1,}', '"}" is unexpected at line 1, column 8.'],
    ['{"a":1 "b":2}', '"\\"" is unexpected at line 1, column 8.'],
    ['{\n  "a": 1,\n  b: 2\n}', '"b" is unexpected at line 3, column 3.'],
    ["{'a':1}", `"'" is unexpected at line 1, column 2.`],
    ["[1,2", "it ends too early, at line 1, column 5."],
    ["[1,]", '"]" is unexpected at line 1, column 4.'],
    ["[01]", '"1" is unexpected at line 1, column 3.'],
    ["[+1]", '"+" is unexpected at line 1, column 2.'],
    ["[NaN]", '"N" is unexpected at line 1, column 2.'],
    ["{}x", '"x" is unexpected at line 1, column 3.'],
    ['"a\nb"', '"\\n" is unexpected at line 1, column 3.'],
    ['"\\x"', '"\\\\" is unexpected at line 1, column 2.'],
    ['"\\u12g4"', '"\\\\" is unexpected at line 1, column 2.'],
    ['["\u{1f600}", \u{1f600}]', '"\u{1f600}" is unexpected at line 1, column 8.'],
    ['{"a"', "it ends too early, at line 1, column 5."],
    ['{"a":', "it ends too early, at line 1, column 6."],
    ["]", '"]" is unexpected at line 1, column 1.'],
    ["[}", '"}" is unexpected at line 1, column 2.'],
  ])("%j: %s", (text, says) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(notJson(text).message).toBe(`The body is not JSON: ${says}`);
  });

  test("exactly when JSON.parse refuses it, whatever was changed in it", () => {
    const change = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", ",", '"', "}", "]", ":", "\\", "0", "x", "\n"),
    );
    fc.assert(
      fc.property(change, ([json, at, by]) => {
        const text = json.slice(0, at % (json.length + 1)) + by + json.slice((at % (json.length + 1)) + 1);
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const hasPlace = notJson(text).message !== "The body is not JSON.";
        expect([text, hasPlace]).toEqual([text, !isJson]);
      }),
      { numRuns: 5_000 },
    );
  });

  test("in linear time: 1 MB takes less than 0.2 s", () => {
    for (const text of [
      `["${"a".repeat(1_000_000)}`,
      `${"[1,".repeat(330_000)}`,
      `${"1".repeat(1_000_000)}x`,
    ]) {
      expect(leastCpuMs(200, () => notJson(text))).toBeLessThan(200);
    }
  });
});
