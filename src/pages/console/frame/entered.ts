/** What a person entered, where it has not the shape that is asked for. */
import type { Messages } from "../../../messages.ts";
import { Uuid } from "../../../platform/http/shapes.ts";

interface EnteredWords {
  /** What was entered, by the name that it was sent by. */
  entered: Readonly<Record<string, string>>;
  other: string;
  tooLong: (entered: string, max: number) => string;
  /** What is asked for, by the name that it is sent by. */
  asked: Readonly<Record<string, string>>;
  noId: string;
}

/** @returns undefined for what no person can have entered */
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
