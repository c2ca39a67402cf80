/** Comparison of what a browser sends of a field with what its page showed. */
import { controlName, otherPart } from "./control-values.ts";
import type { Field } from "./definition.ts";
import { namesOf } from "./presentation.ts";

/** Natures of fields with several controls of one name, or a control that sends several texts. */
const listed: ReadonlySet<string> = new Set(["choices", "parts", "files"]);

/**
 * Texts that a browser sends of a field, without the differences that it makes itself: a control of several
 * lines sends CR LF for each line break, one of a line drops them; chosen options come in the order of the
 * page; a box that is not checked sends nothing. Other
 * fields, and choices that are not among the options, have one control, which shows the first text.
 */
export function sentTextOf(field: Field, values: URLSearchParams): string {
  const isOfLines = field.kind === "textarea" || field.kind === "hidden";
  const [lineBreak, sentBreak] = isOfLines ? ([/\r\n?/g, "\n"] as const) : ([/[\r\n]/g, ""] as const);
  const isSent = (text: string) => text !== "" && !(field.kind === "consent" && text === "false");
  const sent = namesOf(field).map((name) => {
    const texts = values.getAll(name);
    const isOne = name === controlName(field.id, otherPart) || !listed.has(field.fieldType.nature);
    const shown = (isOne ? texts.slice(0, 1) : texts).filter(isSent);
    const lines = shown.map((text) => text.replace(lineBreak, sentBreak));
    return field.kind === "ranking" ? lines : lines.toSorted();
  });
  return JSON.stringify(sent);
}
