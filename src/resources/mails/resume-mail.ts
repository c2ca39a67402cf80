/** The mail with the link to a draft. */
import type { Letter } from "../../platform/mail/letter.tsx";
import { copyTextIn, fill } from "./text.ts";

/** @param lang language of the page, of which the mail has the words, or else English ones */
export function resumeMail(
  form: string,
  { link, host, lang }: { link: string; host: string; lang: string },
): Letter & { subject: string } {
  const { resume, wordsLang } = copyTextIn(lang);
  const subject = fill(resume.subject, { form });
  return {
    lang: wordsLang ?? lang,
    subject,
    heading: subject,
    parts: [{ paragraph: fill(resume.text, { form }) }, { link, label: resume.button }],
    footer: [{ paragraph: fill(resume.footer, { host }) }],
  };
}
