/** Values that people enter outside of a submission: bounds of a filter, a number of the settings. */
import { useContext } from "preact/hooks";
import { isWellFormed, readingsOf, toValue } from "../../../fields/entered.ts";
import { dayKey } from "../../../fields/formats.ts";
import { textForLanguage } from "../../form-page/text/text.ts";
import { EnteredContext, Input } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { type FormControl, Wrong } from "./form.tsx";

export type ValueKind = "number" | "integer" | "date" | "time";

/**
 * Reads a number, a day or a time in the language of the console. Undefined: the text is none. {@link Wrong}:
 * it can mean several, and the sentence asks which.
 * @param kind `integer`: a decimal sign before three digits can be meant to group them
 */
export function readValue(kind: ValueKind, text: string, label: string): number | string | Wrong | undefined {
  const field = { id: "value", kind, constraints: {} };
  const entered = new URLSearchParams({ value: text });
  const words = textForLanguage(language());
  const value = toValue(field, entered, words);
  if (typeof value === "number") return value;
  if (typeof value === "string" && isWellFormed(field, value)) return value;
  const readings = readingsOf(field, entered, words);
  return readings.length > 0 ? new Wrong(words.inSummary(label, words.meant(readings))) : undefined;
}

/** Maximum length of a number, a day, a time zone or an id that is entered into an address. */
export const maxEnteredLength = 100;

/** A day that was typed is shown as it was: the browser's control would show none. */
export const DayInput = ({ name, ...texts }: { name: string; label: string; hint?: string }) => {
  const entered = useContext(EnteredContext)?.get(name) || undefined;
  const isTyped = entered !== undefined && dayKey(entered) === undefined;
  return <Input name={name} {...(isTyped ? { maxlength: maxEnteredLength } : { type: "date" })} {...texts} />;
};

/** A number or a day. Undefined: it is empty. @param wrong sentence for a text that is none */
export const valueControl = <Value extends number | string>(
  kind: ValueKind,
  label: string,
  wrong: string,
): FormControl<Value | undefined> => ({
  read: (values, name) => {
    const text = values.get(name)?.trim();
    return text ? ((readValue(kind, text, label) as Value | Wrong) ?? new Wrong(wrong)) : undefined;
  },
});
