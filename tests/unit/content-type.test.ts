/** Types of files by their content and name. */
import { expect, test } from "bun:test";
import { typeOfFile } from "../../src/platform/files/content-type.ts";

const utf16 = (text: string) => new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from(text, "utf16le"))]);
const typeOf = (bytes: Uint8Array, name: string) =>
  typeOfFile({ size: bytes.length, read: async (from, to) => new Uint8Array(bytes.slice(from, to)) }, name);

test.each([
  ["a.txt", "text/plain"],
  ["a.csv", "text/csv"],
  ["a.sql", "application/sql"],
  // RFC 8259 and TOML allow only UTF-8.
  ["a.json", undefined],
  ["a.toml", undefined],
])("%s in UTF-16 or Windows-1252 is %s", async (name, type) => {
  expect(await typeOf(utf16('{"ä": 1}'), name)).toBe(type);
  expect(await typeOf(Buffer.from('{"ä": 1}', "latin1"), name)).toBe(type);
});
test("JSON in UTF-8 is JSON", async () =>
  expect(await typeOf(Buffer.from('{"ä": 1}'), "a.json")).toBe("application/json"));
