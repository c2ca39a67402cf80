/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { questionsGerman } from "./words.de.ts";
import { questionsEnglish } from "./words.en.ts";

export const questionsText = wordsIn({ en: questionsEnglish, de: questionsGerman });
