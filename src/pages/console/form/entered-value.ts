/** Values that people enter outside of a submission: bounds of a filter, a number of the settings. */
import { isWellFormed, readingsOf, toValue } from "../../../fields/entered.ts";
import { textForLanguage } from "../../form-page/text/text.ts";
import { language } from "../../ui/language.ts";
import { Wrong } from "../frame/form.tsx";

/**
 * Reads a number or a day in the language of the console. Undefined: the text is none. {@link Wrong}: it can
 * mean several, and the sentence asks which.
 * @param kind `integer`: a decimal sign before three digits can be meant to group them
 */
export function readValue(
  kind: "number" | "integer" | "date",
  text: string,
  label: string,
): number | string | Wrong | undefined {
  const field = { id: "value", kind, constraints: {} };
  const entered = new URLSearchParams({ value: text });
  const words = textForLanguage(language());
  const value = toValue(field, entered, words);
  if (typeof value === "number" || (kind === "date" && isWellFormed(field, value))) return value as number;
  const readings = readingsOf(field, entered, words);
  return readings.length > 0 ? new Wrong(words.meant({ label }, readings)) : undefined;
}
