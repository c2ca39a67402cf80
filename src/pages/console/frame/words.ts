/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { frameGerman } from "./words.de.ts";
import { frameEnglish } from "./words.en.ts";

export const frameText = wordsIn({ en: frameEnglish, de: frameGerman });
