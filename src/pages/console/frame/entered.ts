/** Sentences about entered values that do not have the expected shape. */
import type { Messages } from "../../../messages.ts";
import { Uuid } from "../../../platform/http/shapes.ts";

interface EnteredWords {
  /** Noun for an entered value, by the value's name in the request. */
  entered: Readonly<Record<string, string>>;
  other: string;
  tooLong: (entered: string, max: number) => string;
  /** Sentence with the expected value, by the value's name in the request. */
  asked: Readonly<Record<string, string>>;
  noId: string;
}

/** @returns undefined for values that a person cannot have entered */
export function enteredText(
  { path, limit, expected }: Parameters<Messages["wrong_shape"]>[0],
  { entered, other, tooLong, asked, noId }: EnteredWords,
): string | undefined {
  const find = (words: Readonly<Record<string, string>>) =>
    Object.hasOwn(words, path) ? words[path] : undefined;
  if (!/^\w+$/.test(path)) return undefined;
  if (limit !== undefined) return tooLong(find(entered) ?? other, limit);
  return find(asked) ?? (expected.startsWith(Uuid.description) ? noId : undefined);
}
