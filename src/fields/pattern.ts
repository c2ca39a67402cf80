/** Owners' regular expressions: RE2 syntax, linear time, an unanchored search as JSON Schema's `pattern` is. */
import { RE2JS } from "re2js";

/** Characters that a pattern may have. */
export const MAX_PATTERN = 512;
/** Code points of text that a pattern is run on, however small it is; longer text is `max_length`. */
export const MAX_TEXT = 10_000;
/**
 * Code points × instructions that one search may cost. An instruction takes up to 65 ns a character where RE2's automaton has more
 * states than it keeps (`[ab]*a[ab]{240}$` on random text), so that no value holds the server for more than 65 ms or so.
 */
export const MAX_WORK = 1_000_000;
/**
 * The same for all searches of one payload, so that no form of many such patterns holds the server either: about 100 ms. People's answers
 * come nowhere near: 500 fields of 20 instructions with 50 characters each are a third of it.
 */
export const MAX_PAYLOAD_WORK = 1_500_000;
/**
 * Instructions that one pattern may compile to; everyday patterns have 10 to 100, and those run on {@link MAX_TEXT}. Larger ones come
 * from counted repetitions: one of 1,000 runs on 1,000 code points, which is as far as it can count.
 */
export const MAX_PROGRAM = 1_000;
/** Instructions of all patterns of one form together, since one payload may meet them all. */
export const MAX_FORM_PROGRAM = 10_000;

/** What is wrong with a pattern, as a sentence, or undefined. */
export function patternFault(source: unknown): string | undefined {
  if (typeof source !== "string") return "must be text";
  if (source.length > MAX_PATTERN) return `must have at most ${MAX_PATTERN} characters`;
  try {
    if (countedRepeats(source) <= MAX_PROGRAM && programSize(source) <= MAX_PROGRAM) return undefined;
    return `repeats too much: it needs more than ${MAX_PROGRAM} RE2 instructions`;
  } catch (error) {
    const cause = (error as Error).message.replace("error parsing regexp: ", "");
    return `is not an RE2 expression (which has no look-around and no back-references): ${cause}`;
  }
}

/** A lower bound of the program, told without compiling: 512 characters can ask for 50,000 instructions and 25 ms. */
function countedRepeats(source: string): number {
  let sum = 0;
  for (const [, least, most] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) sum += Number(most || least);
  return sum;
}

/** The expression asked about last: one definition asks for it several times in a row, and compiling is most of its cost. */
let last: { source: string; compiled: RE2JS } | undefined;

function compiled(source: string): RE2JS {
  if (last?.source !== source) last = { source, compiled: RE2JS.compile(source) };
  return last.compiled;
}

/** @throws when the source is no RE2 expression. */
export const programSize = (source: string): number => compiled(source).programSize();

/** Code points that the pattern is run on: {@link MAX_TEXT}, fewer for a large program. @throws as {@link programSize} does. */
export const textLimit = (source: string): number =>
  Math.min(MAX_TEXT, Math.floor(MAX_WORK / programSize(source)));

/** @throws when the source is no RE2 expression: ask {@link patternFault} first. */
export function search(source: string): (text: string) => boolean {
  const pattern = compiled(source);
  return (text) => pattern.test(text);
}

/** What may be quoted by a backslash under ECMA-262's `u` flag; RE2 takes every punctuation. */
const SYNTAX = /[$^\\.*+?()[\]{}|/]/;
const QUOTED = "[!-\\/:-@[-`{-~]";
const CLASS = `\\[\\^?(?![\\^\\]])(?:\\\\(?:[dDwWstnrfv]|x[\\da-fA-F]{2}|${QUOTED})|[^\\\\[\\]])+\\]`;
/** What RE2 and ECMA-262 both know: groups, repeats, anchors, classes, and text. Everything else is left to the caller to say in words. */
const SHARED = new RegExp(
  `(${CLASS})|\\\\([dDwWbBsStnrfv]|x[\\da-fA-F]{2}|${QUOTED})|(\\.)|\\(\\?:|\\((?!\\?)|[)|^$]|(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\??|[^\\\\()[\\]{}|^$*+?.]`,
  "uy",
);

/**
 * The expression in ECMA-262 (`u` flag), finding a match in exactly the same texts; undefined when that cannot be said for sure. Where
 * both know an escape and mean another thing (`.` and `\s`), RE2's meaning is spelled out.
 */
export function toEcma(source: string): string | undefined {
  let ecma = "";
  SHARED.lastIndex = 0;
  while (SHARED.lastIndex < source.length) {
    const match = SHARED.exec(source);
    if (match === null) return undefined;
    const [token, characters, escaped, dot] = match;
    if (characters !== undefined) ecma += classToEcma(characters);
    else if (dot !== undefined) ecma += "[^\\n]";
    else if (escaped === "s") ecma += "[\\t\\n\\f\\r ]";
    else if (escaped === "S") ecma += "[^\\t\\n\\f\\r ]";
    else ecma += escaped === undefined ? token : quote(escaped);
  }
  try {
    new RegExp(ecma, "u");
    return ecma;
  } catch {
    return undefined;
  }
}

/** A dash after an escape for several characters is a dash in RE2, and a broken range under the `u` flag. */
const classToEcma = (characters: string): string =>
  characters.replace(/\\(.)(-?)/gu, (_, escaped: string, dash: string) => {
    if (escaped === "s") return `\\t\\n\\f\\r ${dash && "\\-"}`;
    if (/[dDwW]/.test(escaped)) return `\\${escaped}${dash && "\\-"}`;
    return (escaped === "-" ? "\\-" : quote(escaped)) + dash;
  });

const quote = (escaped: string): string =>
  /^[\da-zA-Z]/.test(escaped) || SYNTAX.test(escaped) ? `\\${escaped}` : escaped;
