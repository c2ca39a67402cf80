/** The session, submitter and challenge routes, for the OpenAPI document. @module */
import { type } from "arktype";
import { limits as fixed } from "../config.ts";
import type { ProblemCode } from "../problem.ts";
import { agentSecret, expiresAt, form, ids, payload, sessionToken } from "./examples.ts";
import type { Limit, Operation, Requirement } from "./operation.ts";

/** The form's key with a session's token, or with a signature. */
const session: Requirement = { formAccessKey: [], respondentToken: [] };
const signature: Requirement = { formAccessKey: [], requestSignature: [] };
const apiKey: Requirement = { formAccessKey: [], apiKey: ["submissions:write"] };
const agentRefusals: ProblemCode[] = [
  "unauthorized",
  "agent_inactive",
  "no_grant",
  "missing_scope",
  "tenant_mismatch",
  "workspace_mismatch",
  "form_not_published",
];

const ip = (setting: NonNullable<Limit["setting"]>): Limit => ({ scope: "ip", seconds: 60, setting });
const perAgent: Limit = {
  scope: "agent",
  requests: fixed.agentSubmit.requests,
  seconds: fixed.agentSubmit.windowMs / 1000,
};
const token = { token: sessionToken, expiresAt };
const payloads = {
  good: { summary: "A whole payload", value: { data: payload } },
};

export const submitter: readonly Operation[] = [
  {
    method: "post",
    path: "/papi/v1/auth/token",
    id: "createToken",
    tag: "submitter",
    summary: "Mint an agent's session token",
    description:
      "The agent's secret, in the body or in `x-agent-secret`, buys a session of 7 days. Reuse the token until it expires.",
    security: [{ agentSecret: [] }, {}],
    body: {
      shape: "TokenRequest",
      optional: true,
      examples: { secret: { summary: "By body", value: { clientSecret: agentSecret } } },
    },
    response: { description: "The session.", data: "SessionToken", example: token },
    codes: ["unauthorized"],
    limits: [ip("RATE_LIMIT_PAPI_AUTH_PER_MINUTE")],
  },
  {
    method: "post",
    path: "/papi/v1/auth/anonymous",
    id: "createAnonymousSession",
    tag: "submitter",
    summary: "Open a respondent's session",
    description:
      "Short-lived, for one form. With `settings.captcha.enabled` it takes a CAPTCHA token, verified once.",
    security: [{ formAccessKey: [] }],
    body: {
      shape: "AnonymousRequest",
      optional: true,
      examples: { plain: { summary: "Without a CAPTCHA", value: {} } },
    },
    response: { description: "The session.", data: "SessionToken", example: token },
    codes: [
      "unauthorized",
      "form_not_published",
      "anonymous_not_allowed",
      "captcha_required",
      "captcha_failed",
      "captcha_unavailable",
    ],
    limits: [ip("RATE_LIMIT_PAPI_AUTH_PER_MINUTE")],
  },
  {
    method: "get",
    path: "/papi/v1/submitter/form",
    id: "getPublishedForm",
    tag: "submitter",
    summary: "Read the form to fill in",
    description:
      "The published version, as fields and as a JSON Schema (2020-12) of a submission's `data`. Agents need `agent:read`.",
    security: [session, signature],
    response: {
      description: "The form.",
      data: {
        form: "PublishedForm",
        jsonSchema: {
          type: "object",
          additionalProperties: {},
          description: "Of `data`. Where it is looser than the form, `$comment` says so.",
        },
      },
      example: {
        form: {
          id: ids.form,
          name: form.name,
          description: form.description,
          version: 1,
          schema: form.schema,
        },
        jsonSchema: {
          type: "object",
          properties: { email: { title: "E-mail", type: "string" } },
          required: ["email"],
        },
      },
    },
    codes: [...agentRefusals, "payload_too_large"],
  },
  {
    method: "post",
    path: "/papi/v1/submitter/form/validation",
    id: "validateSubmission",
    tag: "submitter",
    summary: "Judge a payload",
    description:
      "A dry run: always 200 for a payload that can be read, and nothing is stored. Agents need `agent:validate`.",
    security: [session, signature, apiKey],
    body: {
      shape: "SubmissionRequest",
      examples: {
        ...payloads,
        faulty: { summary: "With faults", value: { data: { name: "A", topic: "gossip" } } },
      },
    },
    response: {
      description: "What is wrong with it, if anything.",
      data: "ValidateResult",
      example: { valid: false, errors: [], warnings: [], missingRequired: ["email"] },
    },
    codes: agentRefusals,
    limits: [
      { scope: "agent", seconds: 60, setting: "RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE" },
      ip("RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE"),
    ],
  },
  {
    method: "post",
    path: "/papi/v1/submitter/form/submissions",
    id: "createSubmission",
    tag: "submitter",
    summary: "Submit a payload",
    description:
      "Judges, then stores. With `partial=true` (agents and respondents only) missing required fields are no fault; malformed values are. Agents need `agent:submit`; an API key with `submissions:write` may stand in the token's place.",
    security: [session, signature, apiKey],
    query: {
      shape: type({ "partial?": "boolean" }),
      notes: { partial: "Store an incomplete row, with status `partial`." },
    },
    headers: {
      "idempotency-key": {
        type: "string",
        minLength: 1,
        maxLength: 255,
        description:
          "Makes a retry safe: for 24 hours the same key with the same body answers what it answered the first time. Another body: 422 `idempotency_key_reused`.",
      },
    },
    body: { shape: "SubmissionRequest", examples: payloads },
    response: {
      description: "It is stored.",
      data: "SubmissionReceipt",
      example: { id: ids.submission, status: "completed", missingRequired: [] },
    },
    codes: [
      ...agentRefusals,
      "binding_required",
      "challenge_required",
      "partial_not_allowed",
      "respondent_not_assigned",
      "conflict",
      "idempotency_key_reused",
      "validation_failed",
    ],
    limits: [perAgent, ip("RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE")],
  },
  {
    method: "post",
    path: "/papi/v1/submitter/form/challenges",
    id: "createChallenge",
    tag: "challenge",
    summary: "Ask for a challenge",
    description:
      "A question about the rules of one of the form's fields, for agents; good for 2 minutes and 3 answers. An agent has at most 5 open on a form.",
    security: [session, signature],
    response: {
      description: "The challenge.",
      data: "Challenge",
      example: {
        challengeId: ids.challenge,
        type: "schema",
        prompt: 'Send any value that the form would accept in its field "email".',
        fieldId: "email",
        expiresAt: "2026-11-20T09:02:00.123Z",
        maxAttempts: 3,
      },
    },
    codes: [...agentRefusals, "agent_required", "no_checkable_field", "payload_too_large"],
    limits: [ip("RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE")],
  },
  {
    method: "post",
    path: "/papi/v1/submitter/challenges/{challenge_id}/responses",
    id: "respondToChallenge",
    tag: "challenge",
    summary: "Answer a challenge",
    description:
      "Signed requests only, by the agent that was asked. `x-form-access-key` may be left out; when it is sent, the signature covers it. A right answer earns a pass, which a form with `settings.challenge.required` asks for on submit.",
    security: [{ requestSignature: [] }, signature],
    body: {
      shape: "ChallengeRespondRequest",
      examples: { email: { summary: "An e-mail address", value: { answer: "ada@example.org" } } },
    },
    response: {
      description: "Whether it was right.",
      data: "ChallengeResult",
      example: { passed: true, passExpiresAt: "2026-11-20T09:11:00.123Z" },
    },
    codes: [
      "unauthorized",
      "agent_inactive",
      "no_grant",
      "signature_required",
      "challenge_expired",
      "challenge_failed",
      "not_found",
    ],
    limits: [ip("RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE")],
  },
];
