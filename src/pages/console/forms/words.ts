/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { formsGerman } from "./words.de.ts";
import { formsEnglish } from "./words.en.ts";

export const formsText = wordsIn({ en: formsEnglish, de: formsGerman });
