/** Shapes of invitations. */
import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { FullCursorQuery, InstantText, JsonObject, Timestamp, Uuid } from "../../platform/http/shapes.ts";

const { maxPerRequest, maxLabelLength, maxPrefillBytes, defaultDays, maxDays, maxMails } = limits.invitation;
const maxEmailLength = 254;
const maxTagLength = 50;

export const NewInvitation = documented(
  type({
    "label?": type.string.atMostLength(maxLabelLength),
    "email?": type.string.atMostLength(maxEmailLength),
    "respondentId?": Uuid,
    "values?": JsonObject,
    "language?": type.string.atMostLength(maxTagLength),
    "expiresAt?": InstantText,
  }),
  {
    members: {
      label: "Your name for it, in lists.",
      email: "Stored encrypted. It needs FORMD_SECRET_KEY.",
      respondentId: "The respondent whose submission it becomes. Only an operator sets it.",
      values: `Values of fields with \`prefill: true\`, by field, with which the page begins; at most ${maxPrefillBytes} bytes as PostgreSQL writes JSON.`,
      language: "Of the mail and of the page: one of the form's.",
      expiresAt: `Default: in ${defaultDays} days. At most ${maxDays} days from now.`,
    },
  },
);

export const InvitationsRequest = documented(
  type({
    invitations: NewInvitation.array().atLeastLength(1).atMostLength(maxPerRequest),
    "send?": "boolean",
  }),
  { members: { send: "True: each one with an address is mailed." } },
);

export const MadeInvitation = documented(
  type({
    id: Uuid,
    link: "string",
    label: "string | null",
    email: "string | null",
    expiresAt: Timestamp,
  }),
  {
    text: "An invitation with its link, which is shown only here.",
    members: { link: "Whose it is: a secret." },
  },
);

export const FormInvitation = documented(
  type({
    id: Uuid,
    label: "string | null",
    email: "string | null",
    respondentId: Uuid.or("null"),
    language: "string | null",
    state: "'open' | 'submitted' | 'revoked'",
    submissionId: Uuid.or("null"),
    createdAt: Timestamp,
    expiresAt: Timestamp,
    lastMailedAt: Timestamp.or("null"),
    mails: "number.integer >= 0",
    bounced: "boolean",
    unsubscribed: "boolean",
  }),
  {
    text: "A person who is invited to fill in a form, without the link.",
    members: {
      email: "Null: it has none, or the server has not the master key that it was stored with.",
      state: "`submitted`: it was used. `revoked`: it was ended, and what names the person is erased.",
      submissionId: "Null: there is none, or `settings.invitations.anonymous` is true.",
      lastMailedAt: "When the last mail was sent or is due.",
      mails: `The first mail and the reminders; at most ${maxMails}.`,
      bounced: "A mail server refused the address for good.",
      unsubscribed: "The person wants no more mail about the form.",
    },
  },
);

export const InvitationListQuery = FullCursorQuery.and({
  "state?": "'open' | 'submitted' | 'revoked'",
  "q?": type.string.atLeastLength(1).atMostLength(maxEmailLength),
}).onUndeclaredKey("delete");

export const InvitationCounts = documented(
  type({
    open: "number.integer >= 0",
    submitted: "number.integer >= 0",
    revoked: "number.integer >= 0",
    mailed: "number.integer >= 0",
  }),
  { text: "How many the form has. Null in a page by `cursor`.", members: { mailed: "Of all states." } },
);

export const RevokedInvitation = type({ id: Uuid, state: "'submitted' | 'revoked'" });

export const RemindRequest = documented(
  type({
    "notRemindedFor?": type("string")
      .narrow((text) => /^P[1-9]\d?D$/.test(text))
      .describe("whole days such as P3D (ISO 8601), at most P99D"),
  }),
  {
    members: {
      notRemindedFor: "Only those whose last mail is older. Default, and the least that counts: P1D.",
    },
  },
);

export const Reminded = documented(type({ reminded: "number.integer >= 0" }), {
  members: { reminded: "Invitations for which a mail was recorded." },
});
