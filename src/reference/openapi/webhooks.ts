/** `webhooks` of the document: the request to a webhook, per type of event. */
import { limits } from "../../limits.ts";
import type { Schema } from "../../platform/http/operation.ts";
import type { eventTypes } from "../../resources/webhooks/shapes.ts";

type EventType = (typeof eventTypes)[number] | "webhook.test";

const id: Schema = { type: "string", format: "uuid" };
const submission = { submissionId: id, formId: id };
const form = { formId: id };
const status: Schema = { enum: ["pending", "completed", "partial"] };
const grantDetails: Schema = {
  type: ["object", "null"],
  properties: {
    scopes: { type: "array", items: { type: "string" } },
    respondentId: { type: ["string", "null"], format: "uuid" },
    bindingRequired: { type: "boolean" },
    respondent: { enum: ["asserted", null] },
  },
  additionalProperties: false,
};

/** The event, and the members of `data`. Members in `optional` may be absent. */
const events: Record<EventType, { summary: string; data: Record<string, Schema>; optional?: string[] }> = {
  "submission.created": {
    summary: "A submission was stored",
    data: { ...submission, formVersion: { type: "integer", minimum: 1 }, status },
  },
  "submission.updated": { summary: "A submission was edited", data: { ...submission, status } },
  "submission.reviewed": {
    summary: "A decision on a submission was made",
    data: { ...submission, decision: { enum: ["approve", "reject", "reopen"] } },
  },
  "submission.deleted": {
    summary: "A submission was deleted",
    data: { ...submission, fieldIds: { type: "array", items: { type: "string" } } },
  },
  "form.published": {
    summary: "A form was published",
    data: { ...form, version: { type: "integer", minimum: 1 } },
  },
  "form.archived": { summary: "A form was archived", data: form },
  "grant.changed": {
    summary: "A grant was made, changed or removed",
    data: { grantId: id, formId: id, agentId: id, before: grantDetails, after: grantDetails },
    optional: ["before", "after"],
  },
  "agent.revoked": { summary: "An agent was revoked", data: { agentId: id } },
  "webhook.test": {
    summary: "A test was asked for",
    data: { webhookId: id, formId: id },
    optional: ["formId"],
  },
};

/** Members that a full payload adds: the record at the time of sending. */
function recordOf(type: string): Record<string, Schema> {
  const truncated: Schema = {
    const: true,
    description: `Of a full payload of more than ${limits.webhook.maxFullPayloadBytes} bytes, which is sent thin.`,
  };
  if (type.startsWith("submission."))
    return { submission: { $ref: "#/components/schemas/Submission" }, truncated };
  return type.startsWith("form.") ? { form: { $ref: "#/components/schemas/Form" }, truncated } : {};
}

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const parameters = [
  header("webhook-id", "The same for each attempt: a receiver that must not act twice remembers it."),
  header("webhook-timestamp", "Seconds since 1970, of this attempt."),
  header("webhook-signature", "`v1,…` by the secret and `v1a,…` by the public key (Standard Webhooks)."),
  header("content-digest", "`sha-256=:…:` of the body (RFC 9530)."),
];

/** The object `webhooks` (OpenAPI 3.1). */
export const webhooks = () =>
  Object.fromEntries(
    Object.entries(events).map(([type, { summary, data, optional = [] }]) => [
      type,
      { post: operationOf(type, summary, data, optional) },
    ]),
  );

function operationOf(type: string, summary: string, data: Record<string, Schema>, optional: string[]) {
  return {
    operationId: `on${type.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}`,
    tags: ["management"],
    summary,
    security: [{}],
    parameters,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              type: { const: type },
              timestamp: { type: "string", format: "date-time" },
              data: {
                type: "object",
                properties: { ...data, ...recordOf(type) },
                required: Object.keys(data).filter((name) => !optional.includes(name)),
                additionalProperties: false,
              },
            },
            required: ["type", "timestamp", "data"],
            additionalProperties: false,
          },
        },
      },
    },
    responses: {
      "2XX": { description: "Received. Anything else is a failure, and is tried again." },
      "410": { description: "Never again: the webhook is disabled." },
    },
  };
}
