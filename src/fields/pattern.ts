/** Owners' regular expressions: RE2 syntax, linear time, an unanchored search as JSON Schema's `pattern` is. */
import { RE2JS } from "re2js";

/** Characters that a pattern may have. */
export const MAX_PATTERN = 512;
/** Code points of text that a pattern is run on; longer text is `max_length`. */
export const MAX_TEXT = 10_000;
/**
 * Instructions that one pattern may compile to. Linear still means text × program: counted repetitions such as
 * `(a|b)*a(a|b){900}` are short to write and cost 30 µs a character. At 1,000 the worst that was found on 10,000
 * characters is a quarter of a second; everyday patterns have 10 to 100 and take microseconds.
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

/** @throws when the source is no RE2 expression. */
export const programSize = (source: string): number => RE2JS.compile(source).programSize();

/** @throws when the source is no RE2 expression: ask {@link patternFault} first. */
export function search(source: string): (text: string) => boolean {
  const pattern = RE2JS.compile(source);
  return (text) => pattern.test(text);
}
