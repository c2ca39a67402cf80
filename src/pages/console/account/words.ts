/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { accountGerman } from "./words.de.ts";
import { accountEnglish } from "./words.en.ts";

export const accountText = wordsIn({ en: accountEnglish, de: accountGerman });
