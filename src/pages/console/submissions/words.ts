/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { submissionsGerman } from "./words.de.ts";
import { submissionsEnglish } from "./words.en.ts";

export const submissionsText = wordsIn({ en: submissionsEnglish, de: submissionsGerman });
