import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { DateTime, FullCursorQuery, Timestamp, Uuid } from "../../platform/http/shapes.ts";

/** The events that a webhook can listen to. tests/sql/webhooks.test.ts compares them with the check. */
export const eventTypes = [
  "submission.created",
  "submission.updated",
  "submission.reviewed",
  "submission.deleted",
  "form.published",
  "form.archived",
  "grant.changed",
  "agent.revoked",
] as const;

const EventTypes = type
  .enumerated(...eventTypes)
  .array()
  .atLeastLength(1)
  .atMostLength(eventTypes.length);
const Payload = type("'thin' | 'full'");
const Url = type.string.atMostLength(limits.webhook.maxUrlLength);
const payloadText = `\`thin\`: ids. \`full\`: also the submission or form as it is when it is sent, if the body then has at most ${limits.webhook.maxFullPayloadBytes} bytes; else \`truncated\` is true.`;
const readerText = "`full` needs the scope `submissions:read` too.";

export const WebhookCreateRequest = documented(
  type({ url: Url, eventTypes: EventTypes, "payload?": Payload, "formId?": Uuid, "workspaceId?": Uuid }),
  {
    members: {
      url: { text: "https, without user, password and fragment.", schema: { format: "uri" } },
      payload: `Default: \`thin\`. ${payloadText} ${readerText}`,
      formId: "Default: every form of the workspace.",
      workspaceId: "Default: the form's, or else the team's oldest one.",
    },
  },
);

export const WebhookPatchRequest = documented(
  type({ "url?": Url, "eventTypes?": EventTypes, "payload?": Payload, "status?": "'active' | 'paused'" }),
  {
    schema: { minProperties: 1 },
    members: {
      payload: `${readerText} So does a change of \`url\` or \`eventTypes\` while it is \`full\`.`,
      status: "`paused`: events wait. `active` also enables a disabled webhook; what waits is then sent.",
    },
  },
);

export const Webhook = documented(
  type({
    id: Uuid,
    workspaceId: Uuid,
    formId: Uuid.or("null"),
    url: "string",
    eventTypes: type.enumerated(...eventTypes).array(),
    payload: Payload,
    status: "'active' | 'paused' | 'disabled'",
    disabledReason: "'gone' | 'failing' | null",
    previousSecretEndsAt: Timestamp.or("null"),
    failingSinceAt: Timestamp.or("null"),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    text: "Where events are sent, by POST with the headers of Standard Webhooks.",
    members: {
      formId: "Null: every form of the workspace.",
      payload: payloadText,
      status: "`disabled`: by the server, and no new events are recorded for it.",
      disabledReason: "`gone`: a response had the status 410. `failing`: no delivery succeeded for too long.",
      previousSecretEndsAt: "Until then deliveries are signed with the previous secret as well.",
      failingSinceAt: "The first failure since the last success.",
    },
  },
);

export const WebhookSecrets = documented(type({ secret: "string", publicKey: "string" }), {
  text: "What a receiver verifies with: one of them is enough.",
  members: {
    secret: "For signatures `v1` (HMAC-SHA-256). It is shown only here.",
    publicKey: "For signatures `v1a` (Ed25519). It is not secret.",
  },
});

export const WebhookReplayRequest = documented(
  type({ "eventId?": Uuid, "from?": DateTime, "to?": DateTime }).narrow(
    ({ eventId, from, to }, context) =>
      (eventId === undefined ? Boolean(from && to) : !from && !to) ||
      context.reject("eventId, or from and to"),
  ),
  {
    text: "One event, or those from one moment (inclusive) to another (exclusive).",
    // arktype generates no JSON Schema for a rule between members.
    schema: {
      type: "object",
      properties: {
        eventId: { type: "string", format: "uuid" },
        from: { type: "string", format: "date-time" },
        to: { type: "string", format: "date-time" },
      },
    },
  },
);

export const WebhookReplay = documented(type({ replayed: "number.integer >= 0" }), {
  members: { replayed: "Deliveries that are due again." },
});

export const WebhookTest = type({ eventId: Uuid });

export const DeliveryListQuery = FullCursorQuery.and({
  "state?": "'due' | 'delivered' | 'failed'",
}).onUndeclaredKey("delete");

export const WebhookDelivery = documented(
  type({
    id: Uuid,
    type: "string",
    formId: Uuid.or("null"),
    subjectId: Uuid,
    state: "'due' | 'delivered' | 'failed'",
    attempts: "number.integer >= 0",
    dueAt: Timestamp.or("null"),
    lastStatus: "number.integer | null",
    lastError: "string | null",
    deliveredAt: Timestamp.or("null"),
    createdAt: Timestamp,
  }),
  {
    text: "An event for a webhook.",
    members: {
      id: "The event's, as in the header `webhook-id`.",
      subjectId: "The submission, form, agent or grant that it is about.",
      state: "`failed`: the last retry has failed.",
      dueAt: "The next attempt, or the end of the one that is pending; null when there is none.",
      lastStatus: "The HTTP status of the last response; null when there was none.",
      createdAt: "When it happened.",
    },
  },
);

export const WebhookAttempt = documented(
  type({
    attempt: "number.integer >= 1",
    startedAt: Timestamp,
    durationMs: "number.integer >= 0",
    responseStatus: "number.integer | null",
    error: "string | null",
    responseStart: "string | null",
  }),
  {
    members: { error: "Null: it succeeded.", responseStart: "The first characters of a failure's response." },
  },
);
