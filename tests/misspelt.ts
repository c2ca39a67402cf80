/** Misspellings of names, as people make them. */
import fc from "fast-check";
import { seed } from "./generated.ts";

const swapped = (name: string, at: number) =>
  name.slice(0, at) + (name[at + 1] ?? "") + (name[at] ?? "") + name.slice(at + 2);

const mistakes: ((name: string, at: number) => string)[] = [
  (name, at) => name.slice(0, at) + name.slice(at + 1),
  (name, at) => name.slice(0, at) + (name[at] ?? "") + name.slice(at),
  swapped,
  (name) => name[0]?.toUpperCase() + name.slice(1),
  (name) => `${name}s`,
  (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  (name) => name.toLowerCase(),
];

/**
 * Misspells a name in a way that the seed of the run chooses.
 * @param known names that are right, which no misspelling is
 */
export function misspelt(name: string, known: readonly string[] = []): string {
  const wrong = fc
    .tuple(fc.constantFrom(...mistakes), fc.nat({ max: Math.max(name.length - 1, 0) }))
    .map(([mistake, at]) => mistake(name, at))
    .filter((text) => text.length > 1 && text !== name && !known.includes(text));
  return fc.sample(wrong, { seed: seed + name.length, numRuns: 1 })[0] ?? `${name}x`;
}
