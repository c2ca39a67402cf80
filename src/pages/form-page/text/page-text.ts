/** The text of a page, made of the words of a language. */
import { directionOf } from "../../../fields/languages.ts";
import { phoneExample } from "../../../fields/phone.ts";
import type { BoundsWords, HintWords } from "../../../fields/presentation.ts";
import { dayText, instantText } from "../../../fields/spelling.ts";
import { sizeText } from "../../../fields/types/file.ts";
import { writtenDays } from "../../../fields/written-days.ts";
import { momentText } from "../../ui/text.tsx";
import { fieldWordsOf, type LanguageTags } from "./field-words.ts";
import { kindsOfFiles } from "./kinds-of-files.ts";
import { fillerIn, type TemplateValues } from "./sentences.ts";
import type { PageText, Subject } from "./types.ts";
import type { PageWords, SentenceTemplate } from "./words.ts";

/** Numbers and days in examples of sentences. */
const examples = { decimal: 12.5, day: "2026-11-20" };

interface Bounds {
  readonly between: SentenceTemplate;
  readonly least: SentenceTemplate;
  readonly greatest: SentenceTemplate;
}

/** @param phoneCountry ISO 3166-1 */
export function pageTextOf(words: PageWords, tags: LanguageTags, phoneCountry: string): PageText {
  const { locale, lang, wordsLang } = tags;
  const fill = fillerIn(tags);
  const dayOf = (value: unknown) => dayText(String(value), { locale });
  const momentOf = (timeZone?: string) => (value: unknown) =>
    instantText(String(value), { locale, timeZone });
  const sizeOf = (bytes: unknown) => sizeText(Number(bytes), lang);
  const boundsOf = (bounds: Bounds, show = (value: unknown) => value): BoundsWords => ({
    between: (least, greatest) => fill(bounds.between, { least: () => show(least), n: () => show(greatest) }),
    least: (least) => fill(bounds.least, { n: () => show(least) }),
    greatest: (greatest) => fill(bounds.greatest, { n: () => show(greatest) }),
  });
  const { hints, sentences, cases, failures, closed, ownLabels } = words;
  const moments = { ...hints.moment, between: hints.between };
  const momentBounds = (timeZone?: string) => boundsOf(moments, momentOf(timeZone));
  const withKinds = ({ expected }: Subject, any: string, than: string) =>
    kindsOfFiles(expected, words.kinds).length > 0 ? than : any;
  const hintWords: HintWords = {
    length: boundsOf(hints.length),
    files: boundsOf(hints.files),
    number: boundsOf({ ...hints.number, between: hints.between }),
    date: boundsOf(moments, dayOf),
    time: boundsOf(moments),
    datetime: momentBounds(),
    items: {
      ...boundsOf(hints.items),
      exactly: (count) => fill(hints.items.exactly, { n: () => count }),
      any: hints.items.any,
    },
    fileSize: (greatest, isOne) =>
      fill(isOne ? hints.fileSize.one : hints.fileSize.each, { size: () => sizeOf(greatest) }),
    domains: (domains) => fill(hints.domains, { domains: () => domains }),
    phoneCountry,
    phone: (international, national) =>
      fill(national === undefined ? hints.phone.international : hints.phone.national, {
        international: () => international,
        national: () => national,
      }),
    url: hints.url,
    whole: hints.whole,
    steps: (step) => fill(hints.steps, { n: () => step }),
    rankAll: words.rankAll,
    allRows: (isRequired) => (isRequired ? hints.allRows.required : hints.allRows.optional),
  };
  const valuesOf = ({ field, expected, timeZone, part = "" }: Subject): TemplateValues => ({
    n: () =>
      field.kind === "date"
        ? dayOf(expected)
        : field.kind === "datetime"
          ? momentOf(timeZone)(expected)
          : expected,
    part: () => part,
    size: () => sizeOf(expected),
    kinds: () => kindsOfFiles(expected, words.kinds),
    international: () => phoneExample(field.constraints.country ?? phoneCountry).international,
    national: () => phoneExample(field.constraints.country ?? phoneCountry).national,
    decimal: () => examples.decimal,
    day: (style) => (style === "short" ? examples.day : dayOf(examples.day)),
  });
  return {
    ...words,
    ...fieldWordsOf(words, tags),
    wordsLang,
    dir: directionOf(lang),
    written: writtenDays,
    errorTitle: (title) => fill(words.errorTitle, { title: () => title }),
    unknownName: (name) => fill(words.unknownName, { name: () => name }),
    more: { ...words.more, appeared: [words.more.appeared.one, words.more.appeared.several] },
    // A question ends by itself.
    inSummary: (label, sentence) =>
      label !== "" && words.labelEnds.includes(label.slice(-1))
        ? `${label} ${sentence}`
        : fill(words.inSummary, { label: () => label, sentence: () => sentence }),
    meant: (readings) => fill(words.meant, { readings: () => readings }),
    isRight: (address) => fill(words.isRight, { address: () => address }),
    steps: {
      ...words.steps,
      position: (number, count) => fill(words.steps.position, { n: () => number, count: () => count }),
    },
    resume: {
      ...words.resume,
      message: (day) => fill(words.resume.message, { day: () => day }),
      mailed: (address) => fill(words.resume.mailed, { address: () => address }),
    },
    change: {
      ...words.change,
      until: (moment) =>
        moment === undefined ? words.change.open : fill(words.change.until, { moment: () => moment }),
      storedNow: (value) => fill(words.change.storedNow, { value: () => value }),
    },
    closed: (found, timeZone) => {
      if (found.reason === "full") return closed.full;
      const at = found.reason === "closed" ? found.closesAt : found.opensAt;
      const { heading, message } = closed[found.reason];
      return { heading, message: fill(message, { moment: () => momentText(at, locale, timeZone) }) };
    },
    failures: {
      ...failures,
      bad_request: { heading: words.badRequest, message: failures.bad_request },
      gone: { heading: closed.closed.heading, message: failures.gone },
      invalid_content_type: { heading: words.badRequest, message: failures.invalid_content_type },
    },
    wait: (seconds) => fill(words.wait, { n: () => seconds }),
    hints: hintWords,
    momentBounds,
    say: (sentence, subject) =>
      fill(typeof sentence === "function" ? sentence(subject) : sentence, valuesOf(subject)),
    sentences: {
      ...sentences,
      required: {
        ...sentences.required,
        email: ({ label }) => (ownLabels.email.test(label) ? cases.ownEmail : sentences.required.email),
        phone: ({ label }) => (ownLabels.phone.test(label) ? cases.ownPhone : sentences.required.phone),
        boolean: words.yesOrNo,
        consent: words.tick,
        select: words.oneOption,
      },
      type_mismatch: {
        ...sentences.type_mismatch,
        rating: words.oneOption,
        select: words.oneOption,
        multi_select: words.oneOption,
        boolean: words.yesOrNo,
      },
      format: {
        ...sentences.format,
        phone: ({ field: { constraints } }) =>
          constraints.country === undefined || phoneExample(constraints.country).national === undefined
            ? cases.phone.international
            : cases.phone.national,
      },
      max_length: ({ expected }) => (expected === undefined ? cases.tooLong : sentences.max_length),
      not_accepted: words.tick,
      invalid_option: {
        any: cases.option,
        matrix: ({ part }) => (part === undefined ? cases.columns : cases.columnsOfRow),
      },
      max_bytes: ({ constraint }) =>
        constraint === "storage"
          ? cases.noSpace
          : constraint === "maxTotalBytes"
            ? cases.filesTooLarge
            : cases.fileTooLarge,
      type_not_accepted: (subject) => {
        if (subject.constraint === "scan") return cases.malware;
        if (subject.constraint === "minBytes") return cases.emptyFile;
        return subject.constraint === "name"
          ? withKinds(subject, cases.otherContent, cases.otherContentThan)
          : withKinds(subject, cases.otherType, cases.otherTypeThan);
      },
      incomplete_ranking: words.rankAll,
      incomplete_matrix: ({ part }) => (part === undefined ? cases.everyRow : cases.row),
    },
  };
}
