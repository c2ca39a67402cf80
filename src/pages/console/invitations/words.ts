/** The words of this room in the language of the reader. */
import { wordsIn } from "../../ui/words.ts";
import { invitationsGerman } from "./words.de.ts";
import { invitationsEnglish } from "./words.en.ts";

export const invitationsText = wordsIn({ en: invitationsEnglish, de: invitationsGerman });
