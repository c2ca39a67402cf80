/** Owners' regular expressions: RE2 syntax, linear time, unanchored like JSON Schema's `pattern`. */
import { RE2JS } from "re2js";
import { type Clause, clause } from "./clauses.ts";

const maxPatternLength = 512;
/** Code points of text that any pattern may search; longer text is `max_length`. */
export const maxTextLength = 10_000;
/**
 * Code points × instructions of one search. An instruction takes up to 65 ns per character if RE2's automaton
 * has more states than it caches (`[ab]*a[ab]{240}$`), so that one value blocks the server for 65 ms at most.
 */
const maxSearchWork = 1_000_000;
/** The same per payload: 100 ms at most. 500 fields of 20 instructions and 50 characters take a third. */
export const maxPayloadWork = 1_500_000;
/**
 * RE2 instructions of one pattern. Usual ones have 10 to 100, and may search {@link maxTextLength}. Larger
 * ones repeat: one of 1,000 may search 1,000 code points, which is as far as it can count.
 */
export const maxProgramSize = 1_000;
/** RE2 instructions of all patterns of one form together, since one payload may run them all. */
export const maxFormProgramSize = 10_000;

export const patternRule = {
  invalid: invalidPattern,
  schema: { type: "string", format: "regex", maxLength: maxPatternLength },
};

/** Returns the error of a pattern; undefined: it is valid. */
function invalidPattern(source: unknown): Clause | undefined {
  if (typeof source !== "string") return clause("text");
  if (source.length > maxPatternLength) return clause("pattern_too_long", { max: maxPatternLength });
  try {
    if (countedRepeats(source) <= maxProgramSize && programSize(source) <= maxProgramSize) return undefined;
    return clause("repeats_too_much", { max: maxProgramSize });
  } catch (error) {
    const cause = (error as Error).message.replace("error parsing regexp: ", "");
    return clause("no_re2", { cause });
  }
}

/** A lower bound without compiling: 512 characters can mean 50,000 instructions and 25 ms. */
function countedRepeats(source: string): number {
  let sum = 0;
  for (const [, least, most] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) sum += Number(most || least);
  return sum;
}

/** The expression compiled last: one definition needs it several times, and compiling is the main cost. */
let last: { source: string; compiled: RE2JS } | undefined;

function compiled(source: string): RE2JS {
  if (last?.source !== source) last = { source, compiled: RE2JS.compile(source) };
  return last.compiled;
}

/** @throws when the source is not an RE2 expression */
export const programSize = (source: string): number => compiled(source).programSize();

/** Code points that the pattern may search. @throws like {@link programSize} */
export const textLimit = (source: string): number =>
  Math.min(maxTextLength, Math.floor(maxSearchWork / programSize(source)));

/** @throws when the source is not an RE2 expression: see {@link invalidPattern} */
export function patternSearch(source: string): (text: string) => boolean {
  const pattern = compiled(source);
  return (text) => pattern.test(text);
}

/** Characters that a backslash may escape under ECMA-262's `u` flag; RE2 accepts any punctuation. */
const syntaxCharacter = /[$^\\.*+?()[\]{}|/]/;
const escapable = "[!-\\/:-@[-`{-~]";
const characterClass = `\\[\\^?(?![\\^\\]])(?:\\\\(?:[dDwWstnrfv]|x[\\da-fA-F]{2}|${escapable})|[^\\\\[\\]])+\\]`;
/** One token of the syntax that RE2 and ECMA-262 share: groups, repeats, anchors, classes and text. */
const sharedToken = new RegExp(
  `(${characterClass})|\\\\([dDwWbBsStnrfv]|x[\\da-fA-F]{2}|${escapable})|(\\.)|\\(\\?:|\\((?!\\?)|[)|^$]|(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\??|[^\\\\()[\\]{}|^$*+?.]`,
  "uy",
);

/**
 * The expression in ECMA-262 (`u` flag) that matches exactly the same texts; undefined if that is not
 * certain. If both have an escape with different meanings (`.` and `\s`), RE2's meaning is written out.
 */
export function toEcma(source: string): string | undefined {
  let ecma = "";
  sharedToken.lastIndex = 0;
  while (sharedToken.lastIndex < source.length) {
    const match = sharedToken.exec(source);
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

/** After an escape for several characters a dash is text in RE2, and invalid under the `u` flag. */
const classToEcma = (characters: string): string =>
  characters.replace(/\\(.)(-?)/gu, (_, escaped: string, dash: string) => {
    if (escaped === "s") return `\\t\\n\\f\\r ${dash && "\\-"}`;
    if (/[dDwW]/.test(escaped)) return `\\${escaped}${dash && "\\-"}`;
    return (escaped === "-" ? "\\-" : quote(escaped)) + dash;
  });

const quote = (escaped: string): string =>
  /^[\da-zA-Z]/.test(escaped) || syntaxCharacter.test(escaped) ? `\\${escaped}` : escaped;
