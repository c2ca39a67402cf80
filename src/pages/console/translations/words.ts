/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { translationsGerman } from "./words.de.ts";
import { translationsEnglish } from "./words.en.ts";

export const translationsText = wordsIn({ en: translationsEnglish, de: translationsGerman });
