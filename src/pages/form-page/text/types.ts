/** The words that a page needs in each language. */

import type { FieldCode } from "../../../fields/codes.ts";
import type { Field } from "../../../fields/definition.ts";
import type { HintWords } from "../../../fields/presentation.ts";
import type { FieldKind } from "../../../fields/types.ts";
import type { Closed } from "../../../platform/auth/submitter.ts";
import type { ProblemCode } from "../../../problem.ts";
import type { FieldWords } from "../../ui/fields/props.ts";

/** What a sentence about a field is made from. */
interface Subject {
  /** The field's label. */
  label: string;
  field: Field;
  /** What the rule requires, as the field error has it. */
  expected: unknown;
  constraint?: string | undefined;
  /** The label of the part that is meant: of an address, or the row of a matrix. */
  part: string | undefined;
}

export type Sentence = (subject: Subject) => string;
/** The sentence per code: for every type of field, and those for single types. A rule has its own message. */
type Sentences = Record<
  Exclude<FieldCode, "rule">,
  Sentence | ({ any: Sentence } & Partial<Record<FieldKind, Sentence>>)
>;

/** Why there is no form to fill in. */
export interface Failure {
  heading: string;
  message: string;
}

export interface PageText extends FieldWords {
  /** BCP 47, for days. */
  locale: string;
  submit: string;
  /** How many characters are left, for the script: `{n}` is their number. */
  characters: { left: string; over: string };
  /** Before the title of a page with errors. */
  errorTitle: (title: string) => string;
  errorHeading: string;
  /** For errors of a submission that belong to no field on the page. */
  unknownName: (name: string) => string;
  /** The form was published anew while it was filled in. */
  changed: { heading: string; message: string; field: string };
  /** Questions that apply because of what was entered. */
  more: Failure & {
    field: string;
    /** For screen readers, when the script shows them: one, or `{n}`. */
    appeared: readonly [one: string, several: string];
  };
  /** A value that the server calculates, before what it needs is known. */
  notCalculated: string;
  captcha: { noScript: string; working: string; failed: Failure };
  /** Files that the script sends: `{names}` are theirs. */
  uploads: { drop: string; sending: string; sent: string; removed: string; failed: string };
  /** A form in several steps. */
  steps: {
    position: (number: number, count: number) => string;
    next: string;
    back: string;
    /** Before the form is sent. */
    check: { heading: string; message: string };
    change: string;
    noValue: string;
    /** Values of other steps are not those that the page had. */
    altered: Failure;
  };
  /** What was entered and not sent, in the browser. */
  draft: { restored: string; kept: string; clear: string };
  /** Links at the foot of the page. */
  footer: { privacy: string; imprint: string; contact: string; newTab: string };
  alreadySent: { heading: string; message: string; again: string };
  sent: {
    heading: string;
    message: string;
    reference: string;
    /** Above what was entered. */
    values: string;
    /** In place of a sensitive value. */
    notShown: string;
    copy: string;
    copied: string;
    print: string;
    again: string;
  };
  /** Before a value that can be read but not edited on a page. */
  retry: string;
  kept: string;
  /** Why the form takes no submissions now; the time zone is the form's, without one UTC. */
  closed: (closed: Closed, timeZone?: string) => Failure;
  failures: Partial<Record<ProblemCode, Failure>> & Record<"bad_request" | "internal_error", Failure>;
  /** How long to wait, beside the failure. */
  wait: (seconds: number) => string;
  request: string;
  /** Hints about a field's rules, before anything is entered. */
  hints: HintWords;
  sentences: Sentences;
}
