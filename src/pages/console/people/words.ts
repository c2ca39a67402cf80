/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { peopleGerman } from "./words.de.ts";
import { peopleEnglish } from "./words.en.ts";

export const peopleText = wordsIn({ en: peopleEnglish, de: peopleGerman });
