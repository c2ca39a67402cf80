/** Media types in the words of people, such as "a PDF". */
import mime from "mime";
import type { PageWords } from "./words.ts";

/** Words by media type, range (`image/*`) or extension. */
const wordOf: ReadonlyMap<string, keyof PageWords["kinds"]> = new Map([
  ["image/*", "image"],
  ["audio/*", "audio"],
  ["video/*", "video"],
  ["text/*", "text"],
  ["text/plain", "text"],
  ["pdf", "pdf"],
  ["jpg", "jpg"],
  ["doc", "word"],
  ["docx", "word"],
  ["xls", "excel"],
  ["xlsx", "excel"],
  ["ppt", "powerpoint"],
  ["pptx", "powerpoint"],
]);

/** The kinds of files that a field accepts; empty if one of them has no name that people know. */
export function kindsOfFiles(accept: unknown, words: PageWords["kinds"]): string[] {
  const kinds = (Array.isArray(accept) ? accept : []).map((each) => {
    const extension = mime.getExtension(String(each))?.toUpperCase() ?? "BIN";
    const word = wordOf.get(String(each)) ?? wordOf.get(extension.toLowerCase());
    if (word !== undefined) return words[word];
    const other = words.letters.includes(extension.charAt(0)) ? words.anyOfLetters : words.any;
    return extension !== "BIN" && other.replace("{extension}", extension);
  });
  return kinds.every((kind) => typeof kind === "string") ? [...new Set(kinds)] : [];
}
