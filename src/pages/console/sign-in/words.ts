/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { signInGerman } from "./words.de.ts";
import { signInEnglish } from "./words.en.ts";

export const signInText = wordsIn({ en: signInEnglish, de: signInGerman });
