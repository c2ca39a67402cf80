/** What the server refuses of what a person entered, whose words for it are those of the API. */
import type { Words } from "../../ui/words.ts";

export const problemTexts = {
  /** What was entered, by the name that it was sent by. */
  entered: {
    name: "The name",
    team: "The name of the team",
    workspace: "The name of the workspace",
    reason: "The reason",
    url: "The address",
    password: "The password",
    q: "The search",
    value: "The value",
  },
  other: "What you entered",
  tooLong: (entered: string, max: string) => `${entered} may have at most ${max} characters.`,
  noId: "An id is letters and digits such as 01a204aa-9c1e-7b61-8b2f-5d7a2a1c9f10.",
  day: "Enter a day such as 2026-11-20.",
  moment: "Enter a day and a time.",
  zone: "Enter a time zone such as Europe/Berlin.",
  chooseForm: "Choose a form.",
  chooseRight: "Choose at least one right.",
  chooseEvent: "Choose at least one event.",
  chooseSubmission: "Choose at least one submission.",
  questionAndValue: "Choose a question, and enter what the person entered there.",
  https: "The address must begin with https://.",
  noLogin: "The address must have no name or password in it.",
  plainIssuer: "The address of the provider must have no name, password, ? or # in it.",
  noHash: "The address must have no # in it.",
  taken: (address: string) => `${address} is the address of another form. Choose another one.`,
  addresses: (max: string) => `At most ${max} forms of a team have an address of their own.`,
  tooMuch: "This form has become too large. Remove something, or divide it into two forms.",
};

/** A message of the API, and what a person is told. */
const sentences: readonly [RegExp, (words: Words<typeof problemTexts>, ...named: string[]) => string][] = [
  [
    /^(\w+) must be at most length (\d+)\.$/,
    ({ entered, other, tooLong }, name = "", max = "") =>
      tooLong(Object.hasOwn(entered, name) ? entered[name as keyof typeof entered] : other, max),
  ],
  [/^(?:after|before) must be a day/, ({ day }) => day],
  [/^(?:from|to) must be a Date\.$/, ({ moment }) => moment],
  [/^timeZone must be/, ({ zone }) => zone],
  [/^form must be a UUID\.$/, ({ chooseForm }) => chooseForm],
  [/^\w+ must be a UUID(?: or "")?\.$/, ({ noId }) => noId],
  [/^scopes must be non-empty\.$/, ({ chooseRight }) => chooseRight],
  [/^eventTypes must be non-empty\.$/, ({ chooseEvent }) => chooseEvent],
  [/^submissions must be non-empty\.$/, ({ chooseSubmission }) => chooseSubmission],
  [/^The body must be (?:non-empty or )?a string/, ({ questionAndValue }) => questionAndValue],
  [/^(?:url|issuer): it must be an https URL\.$/, ({ https }) => https],
  [/^issuer: it must be without user/, ({ plainIssuer }) => plainIssuer],
  [/^url: it must not contain a user or password\.$/, ({ noLogin }) => noLogin],
  [/^url: it must not contain a fragment\.$/, ({ noHash }) => noHash],
  [
    /^settings\.page\.alias: (.+) is the address of another form\.$/s,
    ({ taken }, address = "") => taken(address),
  ],
  [/^settings\.page\.alias: at most (\d+) forms/, ({ addresses }, max = "") => addresses(max)],
  [/^A form's (?:schema|settings) ha(?:s|ve) at most \d+ KiB\.$/, ({ tooMuch }) => tooMuch],
];

/** @returns undefined for what no person can have entered */
export function problemText(message: string, words: Words<typeof problemTexts>): string | undefined {
  for (const [pattern, toText] of sentences) {
    const found = pattern.exec(message);
    if (found) return toText(words, ...found.slice(1));
  }
  return undefined;
}
