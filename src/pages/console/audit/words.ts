/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { auditGerman } from "./words.de.ts";
import { auditEnglish } from "./words.en.ts";

export const auditText = wordsIn({ en: auditEnglish, de: auditGerman });
