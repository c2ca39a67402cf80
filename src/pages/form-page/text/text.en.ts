/** English. A label is any text, a question too, so that it stands in quotation marks. */
import { phoneExample } from "../../../fields/phone.ts";
import type { BoundsWords, HintWords } from "../../../fields/presentation.ts";
import { dayText, instantText, numberText } from "../../../fields/spelling.ts";
import { sizeText } from "../../../fields/types/file.ts";
import { writtenDays } from "../../../fields/written-days.ts";
import { fieldEnglish } from "../../ui/fields/words.en.ts";
import { momentText } from "../../ui/text.tsx";
import { kindsOfFiles } from "./kinds-of-files.ts";
import type { PageText, Sentence } from "./types.ts";

const quoted = (label: string) => `“${label}”`;

/** Abbreviations are read letter by letter, some of which begin with a vowel. */
const withArticle = (word: string) => `${/^[AEFHILMNORSX]/.test(word) ? "an" : "a"} ${word}`;
const kinds = (accept: unknown) =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(
    kindsOfFiles(accept, {
      "image/*": "a picture",
      "audio/*": "an audio file",
      "video/*": "a video",
      "text/*": "a text file",
      "text/plain": "a text file",
      jpg: "a JPEG",
      doc: "a Word document",
      docx: "a Word document",
      xls: "an Excel workbook",
      xlsx: "an Excel workbook",
      ppt: "a PowerPoint presentation",
      pptx: "a PowerPoint presentation",
      other: withArticle,
    }),
  );

const choose: Sentence = ({ label }) => `Choose an option for ${quoted(label)}.`;

const count = (value: unknown, one: string) =>
  `${Number(value).toLocaleString("en")} ${one}${Number(value) === 1 ? "" : "s"}`;
const listOf = (values: unknown) =>
  new Intl.ListFormat("en", { type: "disjunction" }).format([values].flat().map(String));
const { locale } = fieldEnglish;
const number = (value: unknown) =>
  typeof value === "number" ? numberText(value, locale, "large") : String(value);
const dayOf = (value: unknown) => dayText(String(value), { locale });
const boundOf = (value: unknown, timeZone?: string) => instantText(String(value), { locale, timeZone });
const momentOf = (value: unknown, timeZone?: string) => momentText(value, locale, timeZone);

const bounds = (show: (value: unknown) => string, low: string, high: string): BoundsWords => ({
  between: (least, greatest) => `From ${show(least)} to ${show(greatest)}.`,
  least: (least) => `${show(least)} or ${low}.`,
  greatest: (greatest) => `${show(greatest)} or ${high}.`,
});

const counted = (one: string): BoundsWords => ({
  between: (least, greatest) => `${least} to ${count(greatest, one)}.`,
  least: (least) => `At least ${count(least, one)}.`,
  greatest: (greatest) => `At most ${count(greatest, one)}.`,
});

const momentBounds = (timeZone?: string) => bounds((value) => boundOf(value, timeZone), "later", "earlier");

const hints: HintWords = {
  length: counted("character"),
  number: bounds(number, "more", "less"),
  date: bounds(dayOf, "later", "earlier"),
  time: bounds(String, "later", "earlier"),
  datetime: momentBounds(),
  items: {
    exactly: (count) => `Choose ${count}.`,
    between: (least, greatest) => `Choose ${least} to ${greatest}.`,
    least: (least) => `Choose at least ${least}.`,
    greatest: (greatest) => `Choose at most ${greatest}.`,
    any: "Choose all that apply.",
  },
  files: counted("file"),
  fileSize: (greatest, isOne) => `At most ${sizeText(greatest)}${isOne ? "" : " each"}.`,
  domains: (domains) => `An address at ${listOf(domains)}.`,
  phoneCountry: "GB",
  phone: (international, national) =>
    national === undefined
      ? `With + and the country code, for example ${international}.`
      : `For example ${national} or ${international}.`,
  url: "For example https://example.com.",
  whole: "A whole number.",
  steps: (step) => `In steps of ${number(step)}.`,
  rankAll: "Give every option a place.",
  allRows: (isRequired) => (isRequired ? "Choose in every row." : "If you choose, then in every row."),
};

export const english: PageText = {
  ...fieldEnglish,
  written: writtenDays,
  characters: { left: "Characters left: {n}", over: "Characters too many: {n}" },
  submit: "Submit",
  errorTitle: (title) => `Error: ${title}`,
  errorHeading: "There is a problem",
  unknownName: (name) => `This form has no field ${quoted(name)}.`,
  changed: {
    heading: "This form has changed",
    message:
      "It was updated while you were filling it in, and nothing has been sent yet. Your answers are still here. Check the marked fields, then submit again.",
    field: "New or changed",
  },
  more: {
    heading: "There are more questions",
    message:
      "They follow from your answers, and nothing has been sent yet. Answer the marked questions, then continue.",
    field: "New question",
    appeared: ["1 more question has appeared.", "{n} more questions have appeared."],
  },
  notCalculated: "Calculated from your other answers",
  captcha: {
    noScript: "This form needs JavaScript for its security check.",
    working: "Security check…",
    failed: {
      heading: "This form was not sent",
      message: "The security check did not succeed. Please send the form again.",
    },
  },
  uploads: {
    drop: "Files can be dropped here.",
    sending: "Uploading…",
    sent: "Uploaded: {names}",
    removed: "Removed: {names}",
    failed: "Uploading did not succeed. Choose the file again, or send it with the form.",
  },
  meant: ({ label }, readings) => `Did you mean ${listOf(readings)} for ${quoted(label)}? Enter it that way.`,
  skipped: ({ label }) =>
    `The time for ${quoted(label)} does not exist on that day: the clocks go forward. Enter an earlier or a later one.`,
  isRight: ({ label }, address) =>
    `Is ${quoted(address)} right for ${quoted(label)}? The part after @ has no dot. Correct it, or send it again as it is.`,
  steps: {
    position: (number, count) => `Step ${number} of ${count}`,
    next: "Continue",
    back: "Back",
    check: {
      heading: "Check your answers",
      message: "Nothing has been sent yet. You can change the answers of each step.",
    },
    change: "Change",
    noValue: "Not answered",
    altered: {
      heading: "Check your answers again",
      message:
        "Your earlier answers did not arrive unchanged. Nothing has been stored. Go through the steps again: each shows what was sent.",
    },
  },
  draft: {
    restored: "Your earlier answers are here again. They were kept in this browser.",
    kept: "What you enter is kept in this browser for a week, or until you send it.",
    clear: "Clear it",
  },
  footer: { privacy: "Privacy", imprint: "Legal notice", contact: "Contact", newTab: "opens in a new tab" },
  alreadySent: {
    heading: "You have already sent this form",
    message:
      "It was sent from this page with other answers. The answers here have not been sent. To send them as well, submit again.",
  },
  openForLong: {
    heading: "This page has been open for more than a week",
    message:
      "If it was sent before, this can no longer be told. The answers here have not been sent now. If you have not sent them yet, submit again.",
  },
  sent: {
    heading: "Thank you",
    message: "Your form has been sent.",
    reference: "Your reference",
    values: "What you sent",
    notShown: "Sent, and not shown here",
    copy: "Copy",
    copied: "Copied",
    print: "Print",
    again: "Send another",
  },
  retry: "Try again",
  kept: "Your answers are kept on this page.",
  closed: (closed, timeZone) => {
    if (closed.reason === "not_open")
      return {
        heading: "This form is not open yet",
        message: `It opens on ${momentOf(closed.opensAt, timeZone)}.`,
      };
    if (closed.reason === "closed")
      return {
        heading: "This form is closed",
        message: `It closed on ${momentOf(closed.closesAt, timeZone)}.`,
      };
    return {
      heading: "This form is full",
      message: "All places are taken. Nothing has been sent.",
    };
  },
  failures: {
    bad_request: {
      heading: "This request is not valid",
      message: "The page that you came from may be out of date. Open the form again.",
    },
    not_found: {
      heading: "There is no form here",
      message: "Check the address. The form may have been moved or switched off.",
    },
    form_not_published: {
      heading: "This form is not open yet",
      message: "It has not been published. Come back later, or ask the person who sent you the link.",
    },
    anonymous_not_allowed: {
      heading: "This form is not open to the public",
      message: "It takes no submissions from this page. Ask the person who sent you the link.",
    },
    declared_agent_refused: {
      heading: "This form is for people",
      message: "Programs cannot submit it on this page. An agent can use the API, if its owner allows it.",
    },
    captcha_unavailable: {
      heading: "This form cannot be sent right now",
      message: "The security check is not available. Please try again later.",
    },
    gone: { heading: "This form is closed", message: "It has been archived and takes no more submissions." },
    method_not_allowed: { heading: "This address is for reading only", message: "Open the form again." },
    payload_too_large: {
      heading: "This is too much to send",
      message: "Go back, shorten what you entered, and submit again. Nothing has been stored.",
    },
    invalid_content_type: {
      heading: "This request is not valid",
      message: "The form must be sent by its own page. Open the form again.",
    },
    rate_limited: {
      heading: "Please wait a moment",
      message: "There have been too many requests from your network. Nothing has been stored.",
    },
    internal_error: {
      heading: "Something went wrong",
      message: "We do not know whether your form has been stored. Sending it again from this page is safe.",
    },
    unavailable: {
      heading: "The service is not available right now",
      message: "Please try again in a moment. Sending the same form again from this page stores it once.",
    },
  },
  wait: (seconds) => `You can try again in ${count(seconds, "second")}.`,
  request: "Request",
  hints,
  momentBounds,
  sentences: {
    required: {
      any: ({ label }) => `Enter an answer for ${quoted(label)}.`,
      boolean: ({ label }) => `Choose yes or no for ${quoted(label)}.`,
      consent: ({ label }) => `Tick ${quoted(label)} to continue.`,
      select: choose,
      multi_select: ({ label }) => `Choose at least one option for ${quoted(label)}.`,
      ranking: ({ label }) => `Rank the options for ${quoted(label)}.`,
      file: ({ label }) => `Choose a file for ${quoted(label)}.`,
      rating: ({ label }) => `Choose a rating for ${quoted(label)}.`,
      matrix: ({ label }) => `Choose an option in the rows of ${quoted(label)}.`,
    },
    not_applicable: ({ label }) => `${quoted(label)} is not asked with these answers.`,
    computed: ({ label }) => `${quoted(label)} is calculated from other answers. Check it.`,
    unknown_field: ({ label }) => `This form takes no answer for ${quoted(label)}.`,
    type_mismatch: {
      any: ({ label }) => `${quoted(label)} is not a valid answer.`,
      number: ({ label }) => `${quoted(label)} must be a number, such as 12.5, without a unit.`,
      integer: ({ label }) => `${quoted(label)} must be a whole number, such as 12.`,
      rating: choose,
      select: choose,
      multi_select: choose,
      boolean: ({ label }) => `Choose yes or no for ${quoted(label)}.`,
    },
    format: {
      any: ({ label }) => `${quoted(label)} has characters that cannot be stored.`,
      email: ({ label }) => `${quoted(label)} must be an e-mail address, such as name@example.com.`,
      phone: ({ label, field: { constraints } }) => {
        const { country } = constraints;
        const { national, international } = phoneExample(country ?? hints.phoneCountry);
        return country === undefined || national === undefined
          ? `${quoted(label)} must begin with + and the country code, such as ${international}.`
          : `${quoted(label)} must be a phone number, such as ${national} or ${international}.`;
      },
      url: ({ label }) => `${quoted(label)} must be a web address, such as https://example.com.`,
      date: ({ label }) => `${quoted(label)} must be a real date, such as 20 November 2026 or 2026-11-20.`,
      time: ({ label }) => `${quoted(label)} must be a time, such as 09:30.`,
      datetime: ({ label }) => `${quoted(label)} must be a real date and time.`,
      address: () => "Choose a country from the list.",
    },
    pattern: ({ label }) => `${quoted(label)} does not have the expected format.`,
    min_length: ({ label, expected }) =>
      `${quoted(label)} must have at least ${count(expected, "character")}.`,
    max_length: ({ label, expected }) =>
      expected === undefined
        ? `${quoted(label)} is too long. Shorten it.`
        : `${quoted(label)} must have at most ${count(expected, "character")}.`,
    domain_not_allowed: ({ label, expected }) =>
      `${quoted(label)} must be an address at ${listOf(expected)}.`,
    min_value: {
      any: ({ label, expected }) => `${quoted(label)} must be ${number(expected)} or more.`,
      date: ({ label, expected }) => `${quoted(label)} must be ${dayOf(expected)} or later.`,
      time: ({ label, expected }) => `${quoted(label)} must be ${expected} or later.`,
      datetime: ({ label, expected, timeZone }) =>
        `${quoted(label)} must be ${boundOf(expected, timeZone)} or later.`,
    },
    max_value: {
      any: ({ label, expected }) => `${quoted(label)} must be ${number(expected)} or less.`,
      date: ({ label, expected }) => `${quoted(label)} must be ${dayOf(expected)} or earlier.`,
      time: ({ label, expected }) => `${quoted(label)} must be ${expected} or earlier.`,
      datetime: ({ label, expected, timeZone }) =>
        `${quoted(label)} must be ${boundOf(expected, timeZone)} or earlier.`,
    },
    step: ({ label, expected }) => `${quoted(label)} must be a multiple of ${number(expected)}.`,
    not_accepted: ({ label }) => `Tick ${quoted(label)} to continue.`,
    invalid_option: {
      any: ({ label }) => `Choose one of the options for ${quoted(label)}.`,
      matrix: ({ label, part }) => `Choose one of the columns for ${quoted(part ?? label)}.`,
    },
    option_full: ({ label }) => `An option that you chose for ${quoted(label)} is full. Choose another one.`,
    duplicate_item: {
      any: ({ label }) => `Choose each option once for ${quoted(label)}.`,
      ranking: ({ label }) => `Give each option of ${quoted(label)} one place only.`,
    },
    min_items: {
      any: ({ label, expected }) => `Choose at least ${count(expected, "option")} for ${quoted(label)}.`,
      file: ({ label, expected }) => `Choose at least ${count(expected, "file")} for ${quoted(label)}.`,
    },
    max_items: {
      any: ({ label, expected }) => `Choose at most ${count(expected, "option")} for ${quoted(label)}.`,
      file: ({ label, expected }) => `${quoted(label)} takes at most ${count(expected, "file")}.`,
    },
    max_bytes: ({ label, expected, constraint }) => {
      if (constraint === "storage")
        return `A file for ${quoted(label)} was not accepted: there is no space left for files. Please tell the owner of the form.`;
      const most = sizeText(Number(expected));
      return constraint === "maxTotalBytes"
        ? `The files of the form are too large: together they may have at most ${most}.`
        : `A file for ${quoted(label)} is too large: it may have at most ${most}.`;
    },
    type_not_accepted: ({ label, constraint, expected }) => {
      if (constraint === "scan") return `A file for ${quoted(label)} contains malware and was not accepted.`;
      if (constraint === "minBytes") return `A file for ${quoted(label)} is empty.`;
      const accepted = kinds(expected);
      if (constraint === "name")
        return accepted === ""
          ? `The type of a file for ${quoted(label)} does not match the end of its name.`
          : `${quoted(label)}: This file is not ${accepted}, or the end of its name is that of another kind.`;
      return accepted === ""
        ? `A file for ${quoted(label)} is of a type that is not accepted.`
        : `${quoted(label)}: This file is not ${accepted}.`;
    },
    upload_not_found: ({ label }) => `A file for ${quoted(label)} is no longer there. Choose it again.`,
    incomplete_ranking: ({ label }) => `Give every option of ${quoted(label)} a place.`,
    required_part: ({ label, part = "" }) => `Fill in ${quoted(part)} of ${quoted(label)}.`,
    incomplete_matrix: ({ label, part }) =>
      part === undefined
        ? `Choose an option in every row of ${quoted(label)}.`
        : `Choose an option for ${quoted(part)}.`,
  },
};
