import { expect, test } from "bun:test";
import { lookAlikes } from "../../../src/fields/look-alike.ts";

const schemaOf = (...ids: string[]) => ({ fields: ids.map((id) => ({ id, type: "text", label: "x" })) });

test.each([
  ["Unicode forms", "caf\u00e9", "cafe\u0301", '"caf\\u{e9}" = "cafe\\u{301}"'],
  ["widths", "name", "\uff4eame", '"name" = "\\u{ff4e}ame"'],
  ["ligatures", "office", "o\ufb03ce", '"office" = "o\\u{fb03}ce"'],
  ["invisible characters", "name", "name\u200b", '"name" = "name\\u{200b}"'],
  ["white space around", "name", " name", '"name" = " name"'],
  ["spaces of other kinds", "a b", "a\u00a0\u2009b", '"a b" = "a\\u{a0}\\u{2009}b"'],
  ["line ends", "a b", "a\nb", '"a b" = "a\\u{a}b"'],
])("ids that differ in %s look alike, and are told apart by their codes", (_, one, other, text) => {
  expect(lookAlikes(schemaOf(one, "else", other), (id) => `"${id}"`)).toBe(text);
});

test("ids that people can tell apart are no warning", () => {
  expect(lookAlikes(schemaOf("name", "Name", "names", "first name", "firstname", "nom"))).toBe("");
});
