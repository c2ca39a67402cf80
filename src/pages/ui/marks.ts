/** Marks of texts that are in another language than the words around them. */
import { type ComponentChildren, h } from "preact";
import { directionOf } from "../../fields/languages.ts";
import type { FieldText } from "../../fields/translations.ts";

/** Attributes of an element. Absent: its text is in the language around it, or in one that is not known. */
export interface LanguageMark {
  lang: string;
  dir: "ltr" | "rtl";
}

/** The mark of a text of a field, by its place in `translations`. */
export type MarkOf = (...place: FieldText["place"]) => LanguageMark | undefined;

export const markOfLanguage = (lang: string): LanguageMark => ({ lang, dir: directionOf(lang) });

/** A text beside words of the page. */
export const marked = (text: string, mark: LanguageMark | undefined): ComponentChildren =>
  mark && text !== "" ? h("span", mark, text) : text;

/** A sentence of the page with texts of a field in it, in their order. */
export function markedIn(
  sentence: string,
  texts: readonly FieldText[],
  mark: MarkOf | undefined,
): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { place, text } of texts) {
    const start = sentence.indexOf(text, end);
    if (start < 0) continue;
    parts.push(sentence.slice(end, start), marked(text, mark?.(...place)));
    end = start + text.length;
  }
  return [...parts, sentence.slice(end)];
}
