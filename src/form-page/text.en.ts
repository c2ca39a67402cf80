/** English. */
import type { Field } from "../fields/definition.ts";
import { samplePhone } from "../fields/types/text.ts";
import type { PageText, Sentence } from "./words.ts";

/** A label that can stand in a sentence: "First name", not "What is your name?". */
const isNounPhrase = (label: string) =>
  /^[\p{L}\p{N}][\p{L}\p{N}' -]{0,30}$/u.test(label) &&
  label.split(" ").length <= 4 &&
  !/^(?:a|an|the|my|our|i|we|what|which|who|how|when|where|why|do|does|did|is|are|have|can|please|enter|choose|select)\b/i.test(
    label,
  );

/** The label in the middle of a sentence; an abbreviation stays as it is. */
const inSentence = (label: string) =>
  /^\p{Lu}(?:\p{Ll}|$|-\p{Ll})/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;

const quoted = (label: string) => `“${label}”`;

const your = (label: string) => {
  if (/^your\b/i.test(label)) return inSentence(label);
  return isNounPhrase(label) ? `your ${inSentence(label)}` : quoted(label);
};
const the = (label: string) =>
  isNounPhrase(label) && !/^your\b/i.test(label) ? `the ${inSentence(label)}` : your(label);

const enterYour: Sentence = ({ label }) =>
  isNounPhrase(label) ? `Enter ${your(label)}` : `Enter a value for ${quoted(label)}`;
const enterThe: Sentence = ({ label }) =>
  isNounPhrase(label) ? `Enter ${the(label)}` : `Enter a number for ${quoted(label)}`;
const choose: Sentence = ({ label }) => `Choose an option for ${quoted(label)}`;

const count = (value: unknown, one: string, several = `${one}s`) =>
  `${Number(value).toLocaleString("en")} ${Number(value) === 1 ? one : several}`;
const listOf = (values: unknown, word: "or" | "and") =>
  new Intl.ListFormat("en", { type: word === "or" ? "disjunction" : "conjunction" }).format(
    [values].flat().map(String),
  );
const dayOf = (value: unknown) =>
  new Date(`${value}T00:00:00Z`).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
/** A leap second, which `Date` does not hold, stays as it is written. */
const momentOf = (value: unknown) =>
  Number.isNaN(Date.parse(String(value)))
    ? String(value)
    : `${new Date(String(value)).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })} UTC`;
const start = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** The subject of a sentence. */
const subject = (label: string) => (isNounPhrase(label) ? start(your(label)) : quoted(label));

function rules({ kind, constraints, ownerSet, required }: Field): string[] {
  const { minLength = 0, maxLength, minimum, maximum, multipleOf, minItems = 0, maxItems } = constraints;
  const range = (show: (value: unknown) => string, low: string, high: string) =>
    minimum !== undefined && maximum !== undefined
      ? `From ${show(minimum)} to ${show(maximum)}.`
      : minimum !== undefined
        ? `${show(minimum)} or ${low}.`
        : maximum !== undefined
          ? `${show(maximum)} or ${high}.`
          : "";
  const hints: string[] = [];
  switch (kind) {
    case "text":
    case "textarea":
    case "email":
    case "phone":
    case "url":
      if (minLength > 1 && maxLength !== undefined && ownerSet.has("maxLength"))
        hints.push(`${minLength} to ${count(maxLength, "character")}.`);
      else if (minLength > 1) hints.push(`At least ${count(minLength, "character")}.`);
      else if (maxLength !== undefined && ownerSet.has("maxLength"))
        hints.push(`At most ${count(maxLength, "character")}.`);
      if (constraints.allowedDomains)
        hints.push(`An address at ${listOf(constraints.allowedDomains, "or")}.`);
      if (kind === "phone" && constraints.country === undefined)
        hints.push(`With the country code, for example ${samplePhone}.`);
      if (kind === "url") hints.push("For example https://example.com.");
      break;
    case "number":
    case "integer":
      if (kind === "integer") hints.push("A whole number.");
      hints.push(range(String, "more", "less"));
      if (multipleOf !== undefined && multipleOf !== 1) hints.push(`In steps of ${multipleOf}.`);
      break;
    case "date":
      hints.push(range(dayOf, "later", "earlier"));
      break;
    case "time":
      hints.push(range(String, "later", "earlier"));
      break;
    case "datetime":
      hints.push(range(momentOf, "later", "earlier"));
      break;
    case "multi_select":
    case "ranking":
      if (constraints.rankAll) hints.push("Give every option a place.");
      else if (minItems > 1 && minItems === maxItems) hints.push(`Choose ${minItems}.`);
      else if (minItems > 1 && maxItems !== undefined) hints.push(`Choose ${minItems} to ${maxItems}.`);
      else if (minItems > 1) hints.push(`Choose at least ${minItems}.`);
      else if (maxItems !== undefined) hints.push(`Choose at most ${maxItems}.`);
      else if (kind === "multi_select") hints.push("Choose all that apply.");
      break;
    case "matrix":
      if (constraints.allRows)
        hints.push(required ? "Choose in every row." : "If you choose, then in every row.");
      break;
  }
  return hints.filter((hint) => hint !== "");
}

export const english: PageText = {
  lang: "en",
  yes: "Yes",
  no: "No",
  choose: "Choose…",
  other: "Other",
  optional: "optional",
  place: (position) => {
    const ends: Record<string, string> = { one: "st", two: "nd", few: "rd", other: "th" };
    return `${position}${ends[new Intl.PluralRules("en", { type: "ordinal" }).select(position)]} place`;
  },
  addressParts: {
    line1: "Address line 1",
    line2: "Address line 2",
    city: "Town or city",
    region: "State or region",
    postalCode: "Postal code",
    country: "Country",
  },
  moment: { local: "Date and time", zone: "Time zone" },
  characters: { left: "Characters left: {n}", over: "Characters too many: {n}" },
  submit: "Submit",
  errorTitle: (title) => `Error: ${title}`,
  errorHeading: "There is a problem",
  unknownName: (name) => `This form has no field ${quoted(name)}`,
  changed: {
    heading: "This form has changed",
    message:
      "It was published anew while you filled it in, and nothing has been sent yet. What you entered is still here. Check the marked fields, then submit again.",
    field: "New or changed",
  },
  captcha: {
    noScript: "This form can only be sent with JavaScript: it checks that you are not a program.",
    working: "Checking that you are not a program…",
    failed: {
      heading: "This form was not sent",
      message: "The check that you are not a program did not succeed. Please send the form again.",
    },
  },
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
        "The page that was sent does not have the answers that you gave before. Nothing has been stored. Go through the steps again: each shows what was sent.",
    },
  },
  day: dayOf,
  alreadySent: {
    heading: "You have already sent this form",
    message:
      "It was sent from this page before, with other values. What you see here has not been sent. To send it as well, submit it again.",
    again: "Fill in the form again",
  },
  sent: {
    heading: "Thank you",
    message: "Your form has been sent.",
    reference: "Your reference",
  },
  retry: "Try again",
  kept: "What you entered is kept on this page.",
  closed: (closed) => {
    if (closed.reason === "not_open")
      return { heading: "This form is not open yet", message: `It opens on ${momentOf(closed.opensAt)}.` };
    if (closed.reason === "closed")
      return { heading: "This form is closed", message: `It closed on ${momentOf(closed.closesAt)}.` };
    return {
      heading: "This form is full",
      message: "It has as many submissions as it accepts. Nothing has been sent.",
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
      message: "It has not been published. Come back later, or ask who sent you the link.",
    },
    anonymous_not_allowed: {
      heading: "This form is not open to the public",
      message: "It takes no submissions from this page. Ask who sent you the link.",
    },
    captcha_unavailable: {
      heading: "This form cannot be sent right now",
      message: "The check that you are not a program is not available. Please try again later.",
    },
    gone: {
      heading: "This form is closed",
      message: "It has been archived and takes no more submissions.",
    },
    method_not_allowed: {
      heading: "This address is for reading only",
      message: "Open the form again.",
    },
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
  rules,
  sentences: {
    required: {
      any: enterYour,
      number: enterThe,
      integer: enterThe,
      date: enterThe,
      time: enterThe,
      datetime: enterThe,
      boolean: ({ label }) => `Choose yes or no for ${quoted(label)}`,
      consent: ({ label }) => `Tick ${quoted(label)} to continue`,
      select: choose,
      multi_select: ({ label }) => `Choose at least one option for ${quoted(label)}`,
      ranking: ({ label }) => `Rank the options for ${quoted(label)}`,
      address: ({ label }) =>
        /\baddress\b/i.test(label) ? `Enter ${your(label)}` : `Enter an address for ${quoted(label)}`,
      rating: ({ label }) => `Choose a rating for ${quoted(label)}`,
      matrix: ({ label }) => `Choose an option in the rows of ${quoted(label)}`,
    },
    unknown_field: ({ label }) => `This form takes no value for ${quoted(label)}`,
    type_mismatch: {
      any: ({ label }) => `${subject(label)} is not a valid value`,
      number: ({ label }) => `${subject(label)} must be a number, such as 12.5, without spaces or units`,
      integer: ({ label }) => `${subject(label)} must be a whole number, such as 12`,
      rating: choose,
      select: choose,
      multi_select: choose,
      boolean: ({ label }) => `Choose yes or no for ${quoted(label)}`,
    },
    format: {
      any: ({ label }) => `${subject(label)} has characters that cannot be stored`,
      email: ({ label }) => `${subject(label)} must be an e-mail address, such as name@example.com`,
      phone: ({ label }) => `${subject(label)} must be a phone number, such as ${samplePhone}`,
      url: ({ label }) => `${subject(label)} must be a web address, such as https://example.com`,
      date: ({ label }) => `${subject(label)} must be a real date, such as 2026-11-20`,
      time: ({ label }) => `${subject(label)} must be a time, such as 09:30`,
      datetime: ({ label }) => `${subject(label)} must be a real date and time`,
      address: () => "Choose a country from the list",
    },
    pattern: ({ label }) => `${subject(label)} does not have the expected form`,
    min_length: ({ label, expected }) =>
      `${subject(label)} must have at least ${count(expected, "character")}`,
    max_length: {
      any: ({ label, expected }) =>
        expected === undefined
          ? `${subject(label)} is too long. Shorten it`
          : `${subject(label)} must have at most ${count(expected, "character")}`,
    },
    domain_not_allowed: ({ label, expected }) =>
      `${subject(label)} must be an address at ${listOf(expected, "or")}`,
    min_value: {
      any: ({ label, expected }) => `${subject(label)} must be ${expected} or more`,
      date: ({ label, expected }) => `${subject(label)} must be ${dayOf(expected)} or later`,
      time: ({ label, expected }) => `${subject(label)} must be ${expected} or later`,
      datetime: ({ label, expected }) => `${subject(label)} must be ${momentOf(expected)} or later`,
    },
    max_value: {
      any: ({ label, expected }) => `${subject(label)} must be ${expected} or less`,
      date: ({ label, expected }) => `${subject(label)} must be ${dayOf(expected)} or earlier`,
      time: ({ label, expected }) => `${subject(label)} must be ${expected} or earlier`,
      datetime: ({ label, expected }) => `${subject(label)} must be ${momentOf(expected)} or earlier`,
    },
    step: ({ label, expected }) => `${subject(label)} must be a multiple of ${expected}`,
    not_accepted: ({ label }) => `Tick ${quoted(label)} to continue`,
    invalid_option: {
      any: ({ label }) => `Choose one of the options for ${quoted(label)}`,
      matrix: ({ label, part }) => `Choose one of the columns for ${quoted(part ?? label)}`,
    },
    duplicate_item: {
      any: ({ label }) => `Choose each option once for ${quoted(label)}`,
      ranking: ({ label }) => `Give each option of ${quoted(label)} one place only`,
    },
    min_items: ({ label, expected }) => `Choose at least ${count(expected, "option")} for ${quoted(label)}`,
    max_items: ({ label, expected }) => `Choose at most ${count(expected, "option")} for ${quoted(label)}`,
    incomplete_ranking: ({ label }) => `Give every option of ${quoted(label)} a place`,
    required_part: ({ label, part = "" }) => `Enter the ${inSentence(part)} of ${your(label)}`,
    incomplete_matrix: ({ label, part }) =>
      part === undefined
        ? `Choose an option in every row of ${quoted(label)}`
        : `Choose an option for ${quoted(part)}`,
  },
};
