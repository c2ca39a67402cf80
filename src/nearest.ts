/** The name that was probably meant. */
import { distance } from "fastest-levenshtein";

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * The known name nearest to one that is not known: the same but for case and punctuation (`date_time`), else
 * one that begins with it or the other way round (`min`, `datetime-local`), else one with two fifths of its
 * characters changed at most (`emial`).
 *
 * @returns undefined when no name is near
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name.slice(0, 64));
  const isPrefix = (a: string, b: string) => a.length >= 3 && b.startsWith(a);
  const near = (other: string) => distance(wanted, other) <= 0.4 * Math.max(wanted.length, other.length);
  return (
    known.find((each) => plain(each) === wanted) ??
    known.find((each) => isPrefix(wanted, plain(each))) ??
    known.filter((each) => isPrefix(plain(each), wanted)).sort((a, b) => b.length - a.length)[0] ??
    known
      .filter((each) => near(plain(each)))
      .sort((a, b) => distance(wanted, plain(a)) - distance(wanted, plain(b)))[0]
  );
}
