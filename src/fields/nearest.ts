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
  const names = known.map((each) => ({ each, is: plain(each) }));
  const found =
    names.find(({ is }) => is === wanted) ??
    names.find(({ is }) => wanted.length >= 4 && distance(wanted, is) === 1) ??
    names.find(({ is }) => isPrefix(wanted, is)) ??
    names.filter(({ is }) => isPrefix(is, wanted)).sort((a, b) => b.each.length - a.each.length)[0] ??
    names.find(({ is }) => is.length === wanted.length && sorted(is) === sorted(wanted)) ??
    names.filter(({ is }) => near(is)).sort((a, b) => distance(wanted, a.is) - distance(wanted, b.is))[0] ??
    names.find(({ is }) => wanted.length >= 4 && is.endsWith(wanted));
  return found?.each;
}
