/** Texts of mails about submissions, in the language of the reader. */
import type { ValueWords } from "../../fields/presentation.ts";

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

interface CopyText extends ValueWords {
  subject: (form: string, reference: string) => string;
  heading: string;
  text: (form: string) => string;
  reference: string;
  /** In the name of a file. */
  receipt: string;
  footer: (form: string, host: string) => string;
}

/** Respondents read the language of the form's page. */
export const copyTexts: Record<MailLanguage, CopyText> = {
  en: {
    lang: "en",
    yes: "Yes",
    no: "No",
    locale: "en-GB",
    subject: (form, reference) => `Your submission ${reference}: ${form}`,
    heading: "Your submission has arrived",
    text: (form) => `Thank you. What you entered in the form “${form}” has arrived.`,
    reference: "Reference",
    receipt: "receipt",
    footer: (form, host) =>
      `This address was entered in the form “${form}” on ${host}. If that was not you, ignore this mail.`,
  },
  de: {
    lang: "de",
    yes: "Ja",
    no: "Nein",
    locale: "de",
    subject: (form, reference) => `Ihre Einsendung ${reference}: ${form}`,
    heading: "Ihre Einsendung ist angekommen",
    text: (form) => `Vielen Dank. Was Sie in das Formular „${form}“ eingetragen haben, ist angekommen.`,
    reference: "Zeichen",
    receipt: "quittung",
    footer: (form, host) =>
      `Diese Adresse wurde in das Formular „${form}“ auf ${host} eingetragen. Waren Sie das nicht, ist nichts zu tun.`,
  },
};
