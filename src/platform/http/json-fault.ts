/**
 * Finds the position at which a text stops being JSON, which not all runtimes' errors have. No library is
 * used: jsonc-parser 3.3.1 reports the start of an invalid string or number.
 */
import { say } from "../../messages.ts";

type Expects = "value" | "item" | "member" | "name" | "colon" | "next" | "end";

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/** Index after the match of a pattern at this index, or undefined. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const hexDigits = /[0-9a-fA-F]{4}/y;

/** Scans a string from its opening quote. `isWhole` is false at the first invalid character. */
function walkString(text: string, opening: number): { at: number; isWhole: boolean } {
  for (let at = opening + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return { at: at + 1, isWhole: true };
    if (code < 32) return { at, isWhole: false };
    if (code !== 92) continue;
    const escaped = text[at + 1] ?? "";
    if (escaped === "u" && endOf(hexDigits, text, at + 2) !== undefined) at += 5;
    else if (escaped !== "" && '"\\/bfnrt'.includes(escaped)) at++;
    else return { at, isWhole: false };
  }
  return { at: text.length, isWhole: false };
}

/** Index of the first character that JSON does not allow, or the length if the text ends too early. */
function faultIndex(text: string): number | undefined {
  const closing: string[] = [];
  let expects = "value" as Expects;
  let at = 0;
  const afterValue = (): Expects => (closing.length > 0 ? "next" : "end");
  for (;;) {
    while (/[ \n\r\t]/.test(text[at] ?? "")) at++;
    const character = text[at];
    if (character === undefined) return expects === "end" ? undefined : at;
    const isClosing =
      character === closing.at(-1) && (expects === "next" || expects === "item" || expects === "member");
    if (isClosing) {
      closing.pop();
      expects = afterValue();
      at++;
    } else if (expects === "next" && character === ",") {
      expects = closing.at(-1) === "}" ? "name" : "value";
      at++;
    } else if (expects === "colon" && character === ":") {
      expects = "value";
      at++;
    } else if (expects === "next" || expects === "colon" || expects === "end") return at;
    else if (character === '"') {
      const walked = walkString(text, at);
      if (!walked.isWhole) return walked.at;
      at = walked.at;
      expects = expects === "name" || expects === "member" ? "colon" : afterValue();
    } else if (expects === "name" || expects === "member") return at;
    else if (character === "{" || character === "[") {
      closing.push(character === "{" ? "}" : "]");
      expects = character === "{" ? "member" : "item";
      at++;
    } else {
      const end = endOf(number, text, at) ?? endOf(word, text, at);
      if (end === undefined) return at;
      at = end;
      expects = afterValue();
    }
  }
}

/** The message for a text that JSON.parse rejects: the character and its position. Linear. */
export function notJson(text: string) {
  if (text.trim() === "") return say("not_json", { line: 0 });
  const at = faultIndex(text);
  if (at === undefined) return say("not_json", {});
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const code = text.codePointAt(at);
  return say("not_json", {
    ...{ line, column: at - before.lastIndexOf("\n") },
    ...(code !== undefined && { character: String.fromCodePoint(code) }),
  });
}
