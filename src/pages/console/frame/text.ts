/** The words of the console, in the language of the reader: one file of `text/` per area and language. */
import { type Language, language } from "../../ui/language.ts";
import { germanConditionTexts } from "./text/conditions.de.ts";
import { conditionTexts } from "./text/conditions.ts";
import { germanCredentialTexts } from "./text/credentials.de.ts";
import { credentialTexts } from "./text/credentials.ts";
import { germanFormTexts } from "./text/forms.de.ts";
import { formTexts } from "./text/forms.ts";
import { germanMailTexts } from "./text/mails.de.ts";
import { mailTexts } from "./text/mails.ts";
import { germanSharedTexts } from "./text/shared.de.ts";
import { sharedTexts } from "./text/shared.ts";
import { germanSubmissionTexts } from "./text/submissions.de.ts";
import { submissionTexts } from "./text/submissions.ts";
import { germanTeamTexts } from "./text/team.de.ts";
import { teamTexts } from "./text/team.ts";
import { germanWebhookTexts } from "./text/webhooks.de.ts";
import { webhookTexts } from "./text/webhooks.ts";
import type { Words } from "./text/words.ts";

const english = {
  ...sharedTexts,
  ...formTexts,
  ...conditionTexts,
  ...submissionTexts,
  ...credentialTexts,
  ...webhookTexts,
  ...teamTexts,
  ...mailTexts,
};

type ConsoleText = Words<typeof english>;

const texts: Readonly<Record<Language, ConsoleText>> = {
  en: english,
  de: {
    ...germanSharedTexts,
    ...germanFormTexts,
    ...germanConditionTexts,
    ...germanSubmissionTexts,
    ...germanCredentialTexts,
    ...germanWebhookTexts,
    ...germanTeamTexts,
    ...germanMailTexts,
  },
};

/**
 * Groups of words that are looked up when one of them is used. Why: pages name their group once, while
 * modules load and no reader is known; a word in its place there would throw.
 */
function localized<Group extends object>(english: Group, find: () => Group): Group {
  return new Proxy(english, {
    get(_, name) {
      const word: unknown = Reflect.get(english, name);
      const read = (): never => Reflect.get(find(), name) as never;
      return typeof word === "object" && word !== null ? localized(word, read) : read();
    },
  });
}

export const text: ConsoleText = localized<ConsoleText>(english, () => texts[language()]);
