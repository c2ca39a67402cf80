/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { formGerman } from "./words.de.ts";
import { formEnglish } from "./words.en.ts";

export const formText = wordsIn({ en: formEnglish, de: formGerman });
