/** Words that the pages of one form share. */
import { clauses, faults } from "../../../fields/clauses.ts";
import { type SentencesOf, sentenceIn } from "../../../messages.ts";
import { fieldEnglish } from "../../ui/fields/words.en.ts";
import { formatDay } from "../../ui/text.tsx";

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
  excludes: ({ member }) => `excludes “${member}”: the server calculates the value`,
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
  form: {
    page: "Page for respondents",
    tabs: "Form",
    edit: "Questions",
    settings: "Settings",
    publish: "Publish",
    share: "Share",
    states: {
      online: "Online",
      offline: "Offline",
      opens: (day: string) => `Opens ${day}`,
      closed: "Closed",
      full: "Full",
    },
    submissions: "Submissions",
    answers: "Answers",
    review: "Review",
    mails: "E-mail",
    accessKeys: "For programs",
    charts: "Charts",
    toShare: "Share the form",
    fillIn: "Fill it in yourself",
  },
  fieldInput: {
    ...fieldEnglish,
    day: (day: unknown) => formatDay(new Date(`${day}T00:00:00Z`)),
    addressParts: {
      ...fieldEnglish.addressParts,
      line1: "Street and number",
      line2: "Second line",
      city: "City",
      region: "Region",
    },
  },
  rules: {
    minLength: "At least … characters",
    maxLength: "At most … characters",
    pattern: "Pattern (RE2)",
    country: "Country of numbers without a country code",
    allowedDomains: "Only addresses of these domains",
    minimum: "At least",
    maximum: "At most",
    multipleOf: "In steps of",
    minimumLabel: "What the lowest number means",
    maximumLabel: "What the highest number means",
    options: "Choices",
    allowOther: "Other answers are accepted too",
    minItems: "At least … choices",
    maxItems: "At most … choices",
    rankAll: "Every choice must be ranked",
    requiredParts: "Parts that must be filled in",
    rows: "Rows",
    columns: "Columns",
    allRows: "Every row needs an answer",
    accept: "Only files of these types",
    maxBytes: "At most … bytes per file",
  },
  fileRules: { minItems: "At least … files", maxItems: "At most … files" },
  /** For a day, a time or a moment. */
  timeRules: { minimum: "Earliest", maximum: "Latest" },
  issues: {
    label: "Write the question.",
    options: "Write at least one choice.",
    rows: "Write at least one row.",
    columns: "Write at least one column.",
    of: (name: string, clause: string) => `“${name}” ${clause}`,
  },
  clauses: clausesEnglish,
  holds: {
    since: "Since",
    reason: "Reason",
    reasonHint: "Such as the number of a case. It is kept for good.",
    placeConfirm: "Hold it",
    placed: "It is held.",
    releaseHint: "From then on people and rules may delete it again.",
    releaseConfirm: "Release it",
    released: "It is released.",
    one: "Submission",
    list: (count: number) => (count === 1 ? "1 submission is held" : `${count} submissions are held`),
    form: {
      held: "All submissions of this form are held: nothing deletes them.",
      place: "Hold all submissions",
      placeHint: "No one and no rule deletes a submission of this form until you release it, new ones too.",
      release: "Release the form",
    },
    submission: {
      held: "This submission is held: nothing deletes it.",
      place: "Hold",
      placeHint: "No one and no rule deletes it until you release it.",
      release: "Release",
    },
  },
  retention: {
    wrong: "Write a whole number, 1 or more, and a time of at most 20 years.",
    count: "Delete after",
    countHint: "A whole number. Empty: this form has no rule of its own.",
    unit: "Days, weeks, months or years",
    units: { D: "days", W: "weeks", M: "months", Y: "years" },
    from: "Counted from",
    moments: { created: "the submission", completed: "its completion" },
    confirm: "Name of the form, to confirm",
    confirmMissing: "Write the name of the form.",
    confirmHint: (due: number) =>
      `Once this is published, ${due === 1 ? "1 submission is" : `${due} submissions are`} deleted within a day, for good.`,
    removeHint: (due: number) =>
      due > 0
        ? `Once this is published, the rule of the team counts: ${due === 1 ? "1 submission is" : `${due} submissions are`} deleted within a day, for good.`
        : "Once this is published, this form has no rule of its own: unless the team has one, nothing deletes its submissions.",
    due: (due: number, held: number) =>
      `Within a day ${due === 1 ? "1 submission goes" : `${due} submissions go`} by the rule in force${held > 0 ? `; ${held} of its age stay, since they are held` : ""}.`,
    team: "The rule in force is that of the team.",
  },
  members: {
    label: "Question",
    help: "Help below the question",
    id: "Name for programs",
    type: "People answer with",
    required: "An answer is required",
    prefill: "The address of the page may give the answer",
    default: "Value at the beginning",
    showIf: "Ask this only if",
    showTextIf: "Show this only if",
    requireIf: "An answer is required if",
    compute: "Calculate the answer",
    rules: "What the answers must meet",
  },
  submission: {
    states: { waiting: "Waiting", accepted: "Accepted", rejected: "Rejected", incomplete: "Incomplete" },
    submitters: { agent: "Agent", anonymous: "Anonymous", api_key: "API key" },
    provenances: {
      person: "A person (anonymous)",
      declared_agent: "A program that declares itself",
      agent: "An agent (secret)",
      agent_signed: "An agent (signed)",
      agent_for_person: "An agent for a person",
      owner: "The owner (API key)",
    },
  },
};
