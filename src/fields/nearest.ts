import { distance } from "fastest-levenshtein";

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * Returns the known name nearest to an unknown one: equal except for case and punctuation (`date_time`), else
 * with one character changed (`requiredIf` is `requireIf`, and not `required`), else a prefix of the other
 * (`min`, `datetime-local`), else with the same characters (`nmae`) or at most two fifths of them changed
 * (`emial`), else one that ends with it (`secret`).
 * @returns undefined if no name is near
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name.slice(0, 64));
  const isPrefix = (a: string, b: string) => a.length >= 3 && b.startsWith(a);
  const near = (other: string) => distance(wanted, other) <= 0.4 * Math.max(wanted.length, other.length);
  const sorted = (text: string) => [...text].sort().join("");
  return (
    known.find((each) => plain(each) === wanted) ??
    known.find((each) => wanted.length >= 4 && distance(wanted, plain(each)) === 1) ??
    known.find((each) => isPrefix(wanted, plain(each))) ??
    known.filter((each) => isPrefix(plain(each), wanted)).sort((a, b) => b.length - a.length)[0] ??
    known.find((each) => plain(each).length === wanted.length && sorted(plain(each)) === sorted(wanted)) ??
    known
      .filter((each) => near(plain(each)))
      .sort((a, b) => distance(wanted, plain(a)) - distance(wanted, plain(b)))[0] ??
    known.find((each) => wanted.length >= 4 && plain(each).endsWith(wanted))
  );
}
