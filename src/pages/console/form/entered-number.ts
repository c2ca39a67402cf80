import { readNumbers } from "../../../fields/spelling.ts";
import { formText } from "./words.ts";

/** Reads a number in the language of the console. A text that is none, or can mean two, stays a text. */
export function parseNumber(text: string, isWhole = false): number | string {
  const [value, ...others] = readNumbers(text, { locale: formText.fieldInput.locale }, isWhole);
  return value === undefined || others.length > 0 ? text : value;
}
