/** English. A label is any text, a question too, so that sentences do not have it. */
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

const choose: Sentence = () => "Choose an option.";
const isOwnEmail = (label: string) => /^(your )?e-?mail( address)?\??$/i.test(label);
const isOwnPhone = (label: string) => /^(your )?(tele)?(phone|mobile)( number)?\??$/i.test(label);

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
  sending: "Sending…",
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
  // A question ends by itself.
  inSummary: (label, sentence) =>
    /[?!.:]$/.test(label)
      ? `${label} ${sentence}`
      : `${label}: ${sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())}`,
  meant: (readings) => `Did you mean ${listOf(readings)}? Enter it that way.`,
  skipped: "This time does not exist on that day: the clocks go forward. Enter an earlier or a later one.",
  isRight: (address) =>
    `Is ${quoted(address)} right? The part after @ has no dot. Correct it, or send it again as it is.`,
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
  offline: {
    heading: "This form is not online at the moment",
    message: "Try again later, or ask the person who sent you the link.",
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
      any: () => "Enter an answer.",
      email: ({ label }) => (isOwnEmail(label) ? "Enter your e-mail address." : "Enter an e-mail address."),
      phone: ({ label }) => (isOwnPhone(label) ? "Enter your phone number." : "Enter a phone number."),
      url: () => "Enter a web address.",
      number: () => "Enter a number.",
      integer: () => "Enter a whole number.",
      date: () => "Enter a date.",
      time: () => "Enter a time.",
      datetime: () => "Enter a date and a time.",
      boolean: () => "Choose yes or no.",
      consent: () => "Tick the box to continue.",
      select: choose,
      multi_select: () => "Choose at least one option.",
      ranking: () => "Rank the options.",
      file: () => "Choose a file.",
      rating: () => "Choose a rating.",
      matrix: () => "Choose an option in each row.",
    },
    not_applicable: () => "This is not asked with your other answers.",
    computed: () => "This is calculated from your other answers. Check it.",
    unknown_field: () => "This form takes no answer here.",
    type_mismatch: {
      any: () => "Enter a valid answer.",
      number: () => "Enter a number without a unit, such as 12.5.",
      integer: () => "Enter a whole number, such as 12.",
      rating: choose,
      select: choose,
      multi_select: choose,
      boolean: () => "Choose yes or no.",
    },
    format: {
      any: () => "Remove the characters that cannot be stored.",
      email: () => "Enter an e-mail address, such as name@example.com.",
      phone: ({ field: { constraints } }) => {
        const { country } = constraints;
        const { national, international } = phoneExample(country ?? hints.phoneCountry);
        return country === undefined || national === undefined
          ? `Begin with + and the country code, such as ${international}.`
          : `Enter a phone number, such as ${national} or ${international}.`;
      },
      url: () => "Enter a web address, such as https://example.com.",
      date: () => "Enter a real date, such as 20 November 2026 or 2026-11-20.",
      time: () => "Enter a time, such as 09:30.",
      datetime: () => "Enter a real date and a time.",
      address: () => "Choose a country from the list.",
    },
    pattern: () => "Enter it in the expected format.",
    min_length: ({ expected }) => `Enter at least ${count(expected, "character")}.`,
    max_length: ({ expected }) =>
      expected === undefined
        ? "This is too long. Shorten it."
        : `Enter at most ${count(expected, "character")}.`,
    domain_not_allowed: ({ expected }) => `Enter an address at ${listOf(expected)}.`,
    min_value: {
      any: ({ expected }) => `Enter ${number(expected)} or more.`,
      date: ({ expected }) => `Enter ${dayOf(expected)} or a later date.`,
      time: ({ expected }) => `Enter ${expected} or a later time.`,
      datetime: ({ expected, timeZone }) => `Enter ${boundOf(expected, timeZone)} or a later time.`,
    },
    max_value: {
      any: ({ expected }) => `Enter ${number(expected)} or less.`,
      date: ({ expected }) => `Enter ${dayOf(expected)} or an earlier date.`,
      time: ({ expected }) => `Enter ${expected} or an earlier time.`,
      datetime: ({ expected, timeZone }) => `Enter ${boundOf(expected, timeZone)} or an earlier time.`,
    },
    step: ({ expected }) => `Enter a multiple of ${number(expected)}.`,
    not_accepted: () => "Tick the box to continue.",
    invalid_option: {
      any: () => "Choose one of the options.",
      matrix: ({ part }) =>
        part === undefined ? "Choose one of the columns." : `Choose one of the columns for ${quoted(part)}.`,
    },
    option_full: () => "An option that you chose is full. Choose another one.",
    duplicate_item: {
      any: () => "Choose each option once.",
      ranking: () => "Give each option one place only.",
    },
    min_items: {
      any: ({ expected }) => `Choose at least ${count(expected, "option")}.`,
      file: ({ expected }) => `Choose at least ${count(expected, "file")}.`,
    },
    max_items: {
      any: ({ expected }) => `Choose at most ${count(expected, "option")}.`,
      file: ({ expected }) => `Choose at most ${count(expected, "file")}.`,
    },
    max_bytes: ({ expected, constraint }) => {
      if (constraint === "storage")
        return "There is no space left for files. Please tell the owner of the form.";
      const most = sizeText(Number(expected));
      return constraint === "maxTotalBytes"
        ? `Choose smaller files: together they may have at most ${most}.`
        : `Choose a smaller file: it may have at most ${most}.`;
    },
    type_not_accepted: ({ constraint, expected }) => {
      if (constraint === "scan") return "A file contains malware and was not accepted. Choose another one.";
      if (constraint === "minBytes") return "A file is empty. Choose another one.";
      const accepted = kinds(expected);
      if (constraint === "name")
        return accepted === ""
          ? "The content of a file does not match the end of its name. Choose another one."
          : `This file is not ${accepted}, or the end of its name is that of another kind. Choose another one.`;
      return accepted === ""
        ? "Files of this type are not accepted here."
        : `This file is not ${accepted}. Choose another one.`;
    },
    upload_not_found: () => "A file is no longer there. Choose it again.",
    incomplete_ranking: () => "Give every option a place.",
    required_part: ({ part = "" }) => `Fill in ${quoted(part)}.`,
    incomplete_matrix: ({ part }) =>
      part === undefined ? "Choose an option in every row." : `Choose an option for ${quoted(part)}.`,
  },
};
