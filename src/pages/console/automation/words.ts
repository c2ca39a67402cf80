/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { automationGerman } from "./words.de.ts";
import { automationEnglish } from "./words.en.ts";

export const automationText = wordsIn({ en: automationEnglish, de: automationGerman });
