import { expect, test } from "bun:test";
import { printable } from "../../src/cli/options.ts";

test("no line for people has C0, C1 or bidi controls; tabs, line ends and all other text stay", () => {
  expect(printable("a\u001b[2Jb\u009bc\u202ed\u2066e\u0000\r")).toBe(
    "a\\u{1b}[2Jb\\u{9b}c\\u{202e}d\\u{2066}e\\u{0}\\u{d}",
  );
  const plain = "Größe\tעברית 😀\nnext";
  expect(printable(plain)).toBe(plain);
});
