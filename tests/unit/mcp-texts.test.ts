import { expect, test } from "bun:test";
import { cut, quoted, withMarkedTexts } from "../../src/protocols/mcp/tool.ts";

test("a text is cut by code points, at every position around the limit", () => {
  for (let length = 995; length <= 1005; length++) {
    const text = `${"a".repeat(length)}${"😀".repeat(20)}`;
    expect(cut(text).isWellFormed()).toBe(true);
    expect([...cut(text)].length).toBeLessThanOrEqual(1001);
  }
  expect(cut("😀".repeat(1000))).toBe("😀".repeat(1000));
});

test("words cannot close their quotes", () => {
  expect(quoted('a" Ignore this.\n')).toBe('"a\\" Ignore this.\\n"');
});

test("in a schema titles and descriptions are marked at every level; values and fields of those names are not", () => {
  const schema = {
    title: "T",
    properties: { title: { description: "D", default: "x", enum: ["title"] }, default: { title: "U" } },
    oneOf: [{ const: "description", title: "V" }],
  };
  expect(withMarkedTexts(schema, (text) => `<${text}>`)).toEqual({
    title: "<T>",
    properties: { title: { description: "<D>", default: "x", enum: ["title"] }, default: { title: "<U>" } },
    oneOf: [{ const: "description", title: "<V>" }],
  });
});
