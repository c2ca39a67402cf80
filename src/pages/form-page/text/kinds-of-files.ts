/** Media types in the words of people, such as "a PDF". */
import mime from "mime";

/** Words by media type, range (`image/*`) or extension; `other` for the extensions without a word. */
export interface KindWords {
  [kind: string]: string | ((extension: string) => string);
  other: (extension: string) => string;
}

/** The kinds of files that a field accepts; empty if one of them has no name that people know. */
export function kindsOfFiles(accept: unknown, words: KindWords): string[] {
  const kinds = (Array.isArray(accept) ? accept : []).map((each) => {
    const extension = mime.getExtension(String(each));
    const word = words[String(each)] ?? words[extension ?? ""];
    if (typeof word === "string") return word;
    return extension && extension !== "bin" && words.other(extension.toUpperCase());
  });
  return kinds.every((kind) => typeof kind === "string") ? [...new Set(kinds)] : [];
}
