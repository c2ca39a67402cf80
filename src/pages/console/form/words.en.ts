/** Words that the pages of one form share. */

import { clauses, faults, formFaults } from "../../../fields/clauses.ts";
import { type SentencesOf, sentenceIn } from "../../../messages.ts";
import { factsEnglish } from "../../../resources/submissions/fact-words.ts";
import { fieldWordsIn } from "../../form-page/text/text.ts";

/** Ids come in quotation marks, as the names of questions do. */
const faultsEnglish: SentencesOf<typeof faults> = {
  file_field: ({ id }) => `the question ${id} takes files, which cannot be read`,
  later_field: ({ id }) => `the question ${id} comes later, and only earlier ones can be read`,
  no_option: faults.no_option,
  own_field: "a question cannot depend on itself",
  text_field: ({ id }) => `the question ${id} shows text and has no value`,
  unknown_field: ({ id, near }) =>
    `there is no question that programs know as ${id}${near === undefined ? "" : `: is "${near}" meant?`}`,
};

const clausesEnglish: SentencesOf<typeof clauses> = {
  ...clauses,
  entry: ({ entry }) => `is not valid in entry ${entry}`,
  excludes: ({ member }) => `excludes “${member}”: the server calculates the value`,
  option_limit: ({ entry }) => `needs a whole number, 0 or more, under “Places” of choice ${entry}`,
  invalid_expression: ({ fault, message, ...values }) =>
    clauses.invalid_expression({
      ...values,
      fault,
      message: fault ? sentenceIn(faultsEnglish, fault) : message,
    }),
};

export const formEnglish = {
  statuses: { draft: "Draft", published: "Published", archived: "Archived" },
  copyOf: (name: string) => `${name} (copy)`,
  emptyStep: "This step has no question after it. People do not see it.",
  form: {
    page: "View the page",
    tabs: "Form",
    edit: "Build",
    settings: "Settings",
    publish: "Review and publish",
    share: "Share",
    invitations: "Invite people",
    tabNames: {
      build: "Build",
      share: "Share",
      results: "Results",
      settings: "Settings",
      more: "More",
    },
    bar: {
      never: "People do not see this form yet",
      unseen: (count: number) => `People do not see ${count === 1 ? "1 change" : `${count} changes`} yet`,
      unpublished: (count: number) =>
        `${count === 1 ? "1 change is" : `${count} changes are`} not published yet`,
      unnoticed: "Changes that people do not notice are not published yet",
      review: "Review",
      reviewOf: (count: number) => (count === 1 ? "Review 1 change" : `Review ${count} changes`),
      publish: "Publish",
    },
    states: {
      online: "Online",
      changed: "Online with changes",
      invited: "Online for invited people",
      offline: "Offline",
      opens: (day: string) => `Opens ${day}`,
      closed: "Closed",
      full: "Full",
    },
    submissions: "Submissions",
    answers: "Summary",
    review: "Review",
    languages: "Languages",
    mails: "E-mail",
    translate: "Translate",
    accessKeys: "For programs",
    charts: "Charts",
    export: "Export",
    more: "More",
    toShare: "Share the form",
    fillIn: "Fill it in yourself",
    fresh: (count: string) => `${count} new`,
  },
  /** Sentences about the effect of a change, for all pages. */
  effect: {
    now: "Already in effect.",
    waits: "Takes effect when you publish.",
    saved: "Saved. Some changes take effect when you publish.",
  },
  menu: {
    label: "More actions",
    copy: "Copy this form",
    download: "Download as a file",
    replace: "Replace by a file",
    close: "Close now",
    closeHint: "The form takes no submissions from then on. You can open it again.",
    reopen: "Open again",
    archive: "Archive",
    archiveHint: "An archived form takes no submissions and no changes. Its submissions are kept.",
    archiveConfirm: "Archive this form",
    restore: "Restore this form",
  },
  results: {
    sent: (count: string) => `${count} sent`,
    recent: (count: string, days: number) => `${count} in the last ${days} days`,
    waiting: (count: string) => `${count} to review`,
    opened: (opened: string, begun: string, days: number) =>
      `page opened: ${opened}, begun: ${begun} in the last ${days} days`,
    time: (about: string) => `${about} to send`,
    about: (seconds: number) => {
      const [size, unit] =
        seconds < 60
          ? ([seconds, "second"] as const)
          : seconds < 5_400
            ? ([seconds / 60, "minute"] as const)
            : ([seconds / 3_600, "hour"] as const);
      const count = Math.max(1, Math.round(size));
      return `about ${count} ${unit}${count === 1 ? "" : "s"}`;
    },
  },
  fieldInput: {
    ...fieldWordsIn("en"),
    addressParts: {
      ...fieldWordsIn("en").addressParts,
      line1: "Street and number",
      line2: "Second line",
      city: "City",
      region: "Region",
    },
  },
  rules: {
    minLength: "At least … characters",
    maxLength: "At most … characters",
    pattern: "Pattern",
    country: "Country",
    allowedDomains: "Only addresses of these domains",
    minimum: "At least",
    maximum: "At most",
    multipleOf: "In steps of",
    minimumLabel: "Label of the lowest number",
    maximumLabel: "Label of the highest number",
    options: "Choices",
    allowOther: "Allow other answers",
    minItems: "At least … choices",
    maxItems: "At most … choices",
    rankAll: "Every choice must be ranked",
    requiredParts: "Parts that must be filled in",
    rows: "Rows",
    columns: "Columns",
    allRows: "Every row needs an answer",
    accept: "Kinds of files",
    maxBytes: "Largest file in MB",
  },
  fileKinds: { pdf: "PDF", pictures: "Pictures", office: "Word and Excel", any: "Any" },
  fileRules: { minItems: "At least … files", maxItems: "At most … files" },
  /** For a day, a time or a moment. */
  timeRules: { minimum: "Earliest", maximum: "Latest" },
  issues: {
    label: "Enter the question.",
    statementLabel: "Enter the text.",
    options: "Enter at least one choice.",
    rows: "Enter at least one row.",
    columns: "Enter at least one column.",
    of: (name: string, clause: string) => `“${name}” ${clause}`,
    ofEntry: (entry: number, sentence: string) => `Question ${entry}: ${sentence}`,
  },
  formFaults: {
    ...formFaults,
    not_an_object: ({ entry }: { entry: number }) => `Question ${entry} must be an object.`,
  },
  clauses: clausesEnglish,
  changes: {
    added: "added",
    addedRequired: "added, and required",
    removed: "removed",
    moved: "moved",
    type: (from: string, to: string) => `changes its type from ${from} to ${to}`,
    nowRequired: "becomes required",
    nowOptional: "becomes optional",
    optionsRemoved: (values: string) => `loses the options ${values}`,
    optionsAdded: (values: string) => `gains the options ${values}`,
    none: "none",
    text: (name: string) => `${name} changes`,
    translations: (languages: string) => `changes its texts in ${languages}`,
    languages: (from: string, to: string) => `The languages change: ${from} → ${to}`,
    formName: (from: string, to: string) => `The form's name changes from “${from}” to “${to}”`,
    formDescription: "The form's description changes",
  },
  holds: {
    since: "Since",
    reason: "Reason",
    reasonHint: "For example a case number. It is kept for good.",
    placeConfirm: "Put on hold",
    placed: "Put on hold.",
    releaseHint: "Deletion is possible again, also automatically.",
    releaseConfirm: "Release the hold",
    released: "Hold released.",
    one: "Submission",
    list: (count: number) => (count === 1 ? "1 submission is on hold" : `${count} submissions are on hold`),
    form: {
      held: "All submissions of this form are on hold: they cannot be deleted.",
      place: "Put all submissions on hold",
      placeHint: "They cannot be deleted until you release the hold. This includes new ones.",
      release: "Release the form",
    },
    submission: {
      held: "This submission is on hold: it cannot be deleted.",
      place: "Put on hold",
      placeHint: "It cannot be deleted until you release the hold.",
      release: "Release",
    },
  },
  retention: {
    wrong: "Enter a whole number, 1 or more, and a time of at most 20 years.",
    count: "Delete after",
    countHint: "Leave empty to follow the team's rule, if there is one.",
    unit: "Unit",
    units: { D: "days", W: "weeks", M: "months", Y: "years" },
    from: "Counted from",
    moments: { created: "the submission", completed: "its completion" },
    confirm: "Name of the form, to confirm",
    confirmMissing: "Enter the name of the form.",
    confirmHint: (due: number) =>
      `When you publish this, ${due === 1 ? "1 submission is" : `${due} submissions are`} deleted for good within a day.`,
    removeHint: (due: number) =>
      due > 0
        ? `When you publish this, the team's rule applies: ${due === 1 ? "1 submission is" : `${due} submissions are`} deleted for good within a day.`
        : "When you publish this, this form has no rule of its own. Unless the team has one, its submissions are kept.",
    due: (due: number, held: number) =>
      `${due === 1 ? "1 submission is" : `${due} submissions are`} deleted within a day${held > 0 ? `; ${held} on hold ${held === 1 ? "is" : "are"} kept` : ""}.`,
    team: "The team's rule applies.",
  },
  fieldTypes: {
    text: "Short text",
    textarea: "Long text",
    email: "E-mail address",
    phone: "Phone number",
    url: "Web address",
    number: "Number",
    integer: "Whole number",
    rating: "Rating",
    boolean: "Yes or no",
    consent: "Consent",
    select: "One choice",
    multi_select: "Several choices",
    ranking: "Ranking",
    date: "Date",
    time: "Time of day",
    datetime: "Date and time",
    address: "Address",
    matrix: "Table of choices",
    file: "Files",
    hidden: "Hidden value",
    statement: "Text without a question",
    heading: "Heading",
    divider: "Line",
    page_break: "New step",
  },
  statementMembers: { label: "Text" },
  members: {
    label: "Question",
    help: "Help below the question",
    id: "Name for programs",
    type: "Type of answer",
    required: "An answer is required",
    prefill: "Let links fill this in",
    default: "Default answer",
    showIf: "Ask this only if",
    showTextIf: "Show this only if",
    requireIf: "An answer is required if",
    compute: "Calculate the answer",
    rules: "Conditions for the answers",
    description: "Description",
    placeholder: "Example in the empty box",
    agentHint: "Hint for agents",
  },
  submission: factsEnglish,
};
