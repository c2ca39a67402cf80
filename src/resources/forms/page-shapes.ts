/** Shapes of the page of a form, for programs that use it. */
import { type } from "arktype";
import { documented } from "../../platform/http/documented.ts";

/** The names of the page's own hidden fields. */
export const ownNames = {
  version: "formd.version",
  key: "formd.key",
  /** The step that was sent, from 1. */
  step: "formd.step",
  /** The step that a button leads to, from 1, or `back`; absent: the next one. */
  goTo: "formd.goto",
  /** Shows the values to check after this step. */
  change: "formd.change",
  /** A field that was changed by a publish, and not shown on a page since. */
  unseen: "formd.unseen",
  /** A field that applies because of values of others. */
  asked: "formd.asked",
  /** The id of an upload that a button removes. */
  remove: "formd.remove",
  /** An e-mail address that the page has asked about. */
  confirmed: "formd.confirmed",
  /** The language of the page, in which it writes numbers and days, and reads them. */
  language: "formd.language",
  /** The time zone of dates and times, on a page that does not ask for it. */
  zone: "formd.zone",
  /** A button that saves the page for later. */
  save: "formd.save",
  /** When the draft of the page was last saved, as the page shows it. */
  saved: "formd.saved",
  /** The token of the invitation, on a page that was opened from a draft. */
  invitation: "formd.invitation",
  /** When the submission that the page changes was last changed, as the page shows it. */
  seen: "formd.seen",
  /** The furthest step that the page has shown, from 1. Absent: nothing was sent from the page yet. */
  reached: "formd.reached",
  /** The language of a button that shows the page in it. */
  switch: "formd.switch",
} as const;

export const PageSubmit = documented(
  type({
    method: "'POST'",
    url: "string",
    contentType: "'application/x-www-form-urlencoded' | 'multipart/form-data'",
    names: { "[string]": "string[]" },
    version: "string",
    key: "string",
    "captcha?": {
      provider: "'turnstile' | 'hcaptcha' | 'recaptcha' | 'altcha'",
      name: "string",
      "siteKey?": "string",
    },
  }),
  {
    text: "How the page is sent.",
    members: {
      names: "By field id, the names by which its value is sent.",
      version:
        "The name by which the version that was read is sent. Optional; when another one is published, `conflict`.",
      key: "The name of a key that makes a retry safe. Optional.",
      contentType: "With files it is `multipart/form-data`; the key comes before them.",
      captcha: "When it is present, its token is required, by this name.",
    },
  },
);

export const PageValues = documented(
  type({ "[string]": "string" }),
  `The values by the names of the controls: the id of a field, \`id.part\` for a part of an address or a row of a matrix. The name of a field with several values is repeated. With \`Accept: application/json\` numbers and days are written as in JSON and ISO 8601, otherwise in the language of the page. \`${ownNames.version}\` and \`${ownNames.key}\` are the page's own.`,
);
