/** Texts of mails about submissions, in the language of the reader. */
import { languagesOfWords, lookUp } from "../../fields/languages.ts";
import type { ValueWords } from "../../fields/presentation.ts";
import { localeOf } from "../../fields/regions.ts";
import { type CopyWords, copyWords } from "./copy-words.ts";

export type MailLanguage = "en" | "de";

interface NoticeText {
  lang: MailLanguage;
  subject: (form: string, reference: string) => string;
  heading: (form: string) => string;
  show: string;
  digestSubject: (form: string, count: number, time: string) => string;
  digest: (count: number) => string;
  showAll: string;
  footer: (form: string) => string;
  unsubscribe: string;
}

/** Recipients read the language of their account, else the language of the form's page. */
export const noticeTexts: Record<MailLanguage, NoticeText> = {
  en: {
    lang: "en",
    subject: (form, reference) => `New submission ${reference}: ${form}`,
    heading: (form) => `New submission to ${form}`,
    show: "Show it in the console",
    digestSubject: (form, count, time) =>
      `${count} new ${count === 1 ? "submission" : "submissions"}: ${form}, ${time}`,
    digest: (count) => (count === 1 ? "There is 1 new submission." : `There are ${count} new submissions.`),
    showAll: "Show them in the console",
    footer: (form) => `You are a recipient of notices about the form ${form}.`,
    unsubscribe: "Unsubscribe",
  },
  de: {
    lang: "de",
    subject: (form, reference) => `Neue Einsendung ${reference}: ${form}`,
    heading: (form) => `Neue Einsendung an ${form}`,
    show: "In der Konsole ansehen",
    digestSubject: (form, count, time) =>
      `${count} neue ${count === 1 ? "Einsendung" : "Einsendungen"}: ${form}, ${time}`,
    digest: (count) => (count === 1 ? "Es gibt 1 neue Einsendung." : `Es gibt ${count} neue Einsendungen.`),
    showAll: "In der Konsole ansehen",
    footer: (form) => `Sie bekommen Nachrichten über das Formular ${form}.`,
    unsubscribe: "Abbestellen",
  },
};

interface CopyText extends ValueWords, Pick<CopyWords, "resume"> {
  subject: (form: string, reference: string) => string;
  heading: string;
  text: (form: string) => string;
  reference: string;
  receipt: string;
  change: string;
  changeText: string;
  footer: (form: string, host: string) => string;
  /** Language of these words, if the mail's own has none. */
  wordsLang?: string;
}

/** Replaces the names in braces. */
export const fill = (sentence: string, values: Readonly<Record<string, string>>): string =>
  sentence.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);

function copyTextOf(lang: string, { subject, text, footer, ...words }: CopyWords): CopyText {
  return {
    ...words,
    ...{ lang, locale: localeOf(lang) },
    subject: (form, reference) => fill(subject, { form, reference }),
    text: (form) => fill(text, { form }),
    footer: (form, host) => fill(footer, { form, host }),
  };
}

export const copyTexts: Readonly<Record<MailLanguage, CopyText>> = {
  en: copyTextOf("en", copyWords.en),
  de: copyTextOf("de", copyWords.de),
};

/** Returns the words of an invitation in a language of the form, as {@link copyTextIn} those of a copy. */
export function invitationTextIn(lang: string) {
  const found = lookUp([lang], languagesOfWords);
  return { text: copyWords[found ?? "en"].invitation, wordsLang: found ? undefined : "en" };
}

/** Returns the words of a copy in a language of the form: its own, else English ones. */
export function copyTextIn(lang: string): CopyText {
  const found = lookUp([lang], languagesOfWords);
  return found ? copyTextOf(lang, copyWords[found]) : { ...copyTextOf(lang, copyWords.en), wordsLang: "en" };
}
