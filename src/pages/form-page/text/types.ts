/** The words that a page needs in each language. */
import type { FieldCode } from "../../../fields/codes.ts";
import type { Field } from "../../../fields/definition.ts";
import type { BoundsWords, HintWords } from "../../../fields/presentation.ts";
import type { FieldKind } from "../../../fields/types.ts";
import type { Closed } from "../../../platform/auth/submitter.ts";
import type { ProblemCode } from "../../../problem.ts";
import type { FieldWords } from "../../ui/fields/props.ts";
import type { SentenceTemplate } from "./words.ts";

export interface Subject {
  label: string;
  field: Field;
  /** Requirement of the rule, as in the field error. */
  expected: unknown;
  constraint?: string | undefined;
  /** Time zone of the page's dates and times. */
  timeZone?: string | undefined;
  /** Label of the part of an address, or of the row of a matrix. */
  part: string | undefined;
}

/** A template, or the choice between several. {@link PageText.say} fills it. */
export type Sentence = SentenceTemplate | ((subject: Subject) => SentenceTemplate);
/** Sentence per code: for all types of fields, or per type. A rule has its own message. */
type Sentences = Record<
  Exclude<FieldCode, "rule">,
  Sentence | ({ any: Sentence } & Partial<Record<FieldKind, Sentence>>)
>;

/** Reason why there is no form to fill in, or why it was not sent. */
export interface Failure {
  heading: string;
  message: string;
}

export interface PageText extends FieldWords {
  /** The language of the page's own words (BCP 47): that of the page, or the nearest one that has words. */
  wordsLang: string;
  /** The direction in which the language of the page is written. */
  dir: "ltr" | "rtl";
  /** BCP 47, for numbers and days. */
  locale: string;
  submit: string;
  /** Text of a button while the page is sent. */
  sending: string;
  /** Number of characters that are left, or too many, for the script: `{n}` is the number. */
  characters: { left: string; over: string };
  errorTitle: (title: string) => string;
  errorHeading: string;
  /** For errors of a submission that belong to no field on the page. */
  unknownName: (name: string) => string;
  /** The form was published anew while it was filled in. */
  changed: { heading: string; message: string; field: string };
  /** Questions that apply because of the entered values. */
  more: Failure & {
    field: string;
    /** For screen readers, when the script shows them: one, or `{n}`. */
    appeared: readonly [one: string, several: string];
  };
  /** In place of a calculated value, before the values that it needs are known. */
  notCalculated: string;
  captcha: { noScript: string; working: string; failed: Failure };
  /** Files that the script sends: `{names}` are theirs. */
  uploads: { drop: string; sending: string; sent: string; removed: string; failed: string };
  /** A sentence of a field away from its control. */
  inSummary: (label: string, sentence: string) => string;
  /** A text that can mean several values, each as the page writes it. */
  meant: (readings: readonly string[]) => string;
  /** A date and time that does not exist: the clocks go forward. */
  skipped: string;
  /** Question about an e-mail address that is likely wrong. */
  isRight: (address: string) => string;
  steps: {
    position: (number: number, count: number) => string;
    next: string;
    back: string;
    check: { heading: string; message: string };
    change: string;
    noValue: string;
    /** Values of other steps do not match their signature. */
    altered: Failure;
  };
  /** Draft in the browser: values that were entered and not sent. */
  draft: { restored: string; kept: string; clear: string };
  footer: { privacy: string; imprint: string; contact: string; newTab: string };
  alreadySent: Failure;
  openForLong: Failure;
  sent: {
    heading: string;
    message: string;
    reference: string;
    values: string;
    /** In place of a sensitive value. */
    notShown: string;
    copy: string;
    copied: string;
    print: string;
    again: string;
  };
  resume: {
    save: string;
    heading: string;
    message: (day: string) => string;
    link: string;
    keep: string;
    shared: string;
    mail: string;
    address: string;
    addressHint: string;
    mailed: (address: string) => string;
    notMailed: string;
    continue: string;
    conflict: Failure;
    tooMuch: Failure;
    refused: Failure;
  };
  change: {
    link: string;
    /** The time for changes; without a moment, as long as the form is open. */
    until: (moment?: string) => string;
    heading: string;
    message: string;
    /** At a sensitive field, in place of the value. */
    notShown: string;
    submit: string;
    done: Failure;
    nothing: Failure;
    conflict: Failure;
    storedNow: (value: string) => string;
    withdraw: { button: string; heading: string; message: string; keep: string; done: Failure };
  } & Record<"ended" | "off" | "reviewed" | "held", Failure>;
  links: Record<"unknown" | "used" | "needed", Failure>;
  retry: string;
  kept: string;
  /** Reason why the form takes no submissions now, with times in its time zone (default: UTC). */
  closed: (closed: Closed, timeZone?: string) => Failure;
  /** The form was online before. */
  offline: Failure;
  failures: Partial<Record<ProblemCode, Failure>> & Record<"bad_request" | "internal_error", Failure>;
  wait: (seconds: number) => string;
  request: string;
  hints: HintWords;
  /** The hints of bounds of a `datetime`, in a time zone. */
  momentBounds: (timeZone: string | undefined) => BoundsWords;
  sentences: Sentences;
  /** Fills a sentence with what an error says. */
  say: (sentence: Sentence, subject: Subject) => string;
}
