import { readNumbers } from "../../../fields/spelling.ts";
import { onlyOf } from "../../../fields/values.ts";
import { formText } from "./words.ts";

/** Reads a number in the language of the console. A text that is none, or can mean two, stays a text. */
export const parseNumber = (text: string, isWhole = false): number | string =>
  onlyOf(readNumbers(text, { locale: formText.fieldInput.locale }, isWhole)) ?? text;
