import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { FullCursorQuery, Timestamp, Uuid } from "../../platform/http/shapes.ts";

const State = type("'due' | 'sent' | 'failed' | 'dropped'");

export const MailListQuery = FullCursorQuery.and({ "state?": State }).onUndeclaredKey("delete");

export const FormMail = documented(
  type({
    id: Uuid,
    kind: "'notice' | 'digest' | 'copy' | 'invitation'",
    submissionId: Uuid.or("null"),
    submissions: "number.integer >= 1",
    state: State,
    attempts: "number.integer >= 0",
    dueAt: Timestamp.or("null"),
    lastError: "string | null",
    sentAt: Timestamp.or("null"),
    createdAt: Timestamp,
  }),
  {
    text: "A mail of a form, without its text and its address, which are not kept.",
    members: {
      kind: "`notice`: to a recipient of `settings.notify`; `digest`: one for several submissions; `copy`: to the respondent; `invitation`: to a person who is invited.",
      submissionId: "Null: a digest, or an invitation.",
      submissions: "The number of submissions that it is about.",
      state: `\`failed\`: not tried again, after ${limits.mail.retryHours} hours (an invitation: ${limits.invitation.mailRetryDays} days) or once the mail server has refused it for good. \`dropped\`: there was nothing to send, or no recipient.`,
      dueAt: "The next attempt, or the end of the one that is pending; null when there is none.",
      lastError: "Why the last attempt failed, or why there was none.",
      sentAt: "When the mail server last took it.",
    },
  },
);

export const MailResend = type({ id: Uuid });
