/** Submit: `POST /papi/v1/submitter/form/submissions` (specification, "Submitter" and "Validation and submission semantics"). @module */
import { type } from "arktype";
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import type { FieldIssue } from "../fields/compile.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { type FieldError, fieldErrors } from "../http/field-errors.ts";
import { ipLimit, operation } from "../http/operation.ts";
import { type RateLimitState, rateLimited, rateLimitHeaders } from "../http/rate-limits.ts";
import { rateLimitKeyOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { createBatcher } from "./batch.ts";
import {
  authorizationCodes,
  type CompiledVersion,
  problemFor,
  readSubmitterRequest,
  type SubmitterRequest,
  sessionSecurity,
  signatureSecurity,
  submitApiKeySecurity,
  toByteaText,
  toCallerItem,
  type VersionedResult,
  withCurrentVersion,
} from "./request.ts";
import { type Submission, SubmissionReceipt, SubmissionRequest, submissionOf } from "./shapes.ts";

/** What a body came to, before anyone has looked at credentials. */
type ParsedSubmission =
  | { problem: Problem }
  | { problem?: never; submission: Submission; partial: boolean; idempotencyKey: string | null };

/** A row of formd.submissions_receive; `answer` is what a 200 or a 422 says. */
interface SubmitResult extends VersionedResult, RateLimitState {
  answer: { id: string; status: string; missingRequired: string[] } | { errors: FieldError[] } | null;
}

const path = "/papi/v1/submitter/form/submissions";

export const submissions = (deps: Deps) => {
  const { sql } = deps;
  const create = createBatcher(
    (team, items: Item[]) =>
      sql<SubmitResult[]>`select * from formd.submissions_receive(${team}, ${sql.json(items as never)})`,
  );
  return new Elysia({ name: path }).post(
    path,
    async ({ request, query, set }) => {
      const call = await readSubmitterRequest(deps, request);
      const reading = parse(call, query);
      const { outcome, answer, errors, ...rate } = await withCurrentVersion(call, async (published) => {
        const { item, errors } = toBatchItem(deps, call, reading, published);
        return { ...(await create(call.team, item, call.bytes.length)), errors };
      });
      if (outcome === "rate_limited") throw rateLimited(rate);
      Object.assign(set.headers, rateLimitHeaders(rate));
      if (outcome === "malformed" && reading.problem) throw reading.problem;
      const refused = outcome === "rejected" ? errors : answer && "errors" in answer && answer.errors;
      if (refused) throw new Problem("validation_failed", { extras: { errors: refused } });
      if (outcome !== "stored" && outcome !== "replayed") throw await problemFor(deps, call, outcome);
      return success(answer);
    },
    operation({
      id: "createSubmission",
      tag: "submitter",
      summary: "Submit a payload",
      description:
        "Judges, then stores. With `partial=true` (agents and respondents only) missing required fields are no fault; malformed values are. Agents need `agent:submit`; an API key with `submissions:write` may stand in the token's place.",
      security: [sessionSecurity, signatureSecurity, submitApiKeySecurity],
      query: {
        shape: type({ "partial?": "boolean" }),
        notes: { partial: "Store an incomplete row, with status `partial`." },
      },
      headers: {
        "idempotency-key": {
          type: "string",
          minLength: 1,
          maxLength: limits.idempotency.maxKeyLength,
          description: `Makes a retry safe: for ${limits.idempotency.lifetimeHours} hours the same key with the same body returns the first response. Another body: 422 \`idempotency_key_reused\`.`,
        },
      },
      body: { shape: SubmissionRequest, examples: { good: examples.wholePayload } },
      response: {
        description: "It is stored.",
        data: SubmissionReceipt,
        example: { id: examples.ids.submission, status: "completed", missingRequired: [] },
      },
      codes: [
        ...authorizationCodes,
        "binding_required",
        "challenge_required",
        "partial_not_allowed",
        "respondent_not_assigned",
        "conflict",
        "idempotency_key_reused",
        "validation_failed",
      ],
      limits: [
        {
          scope: "agent",
          requests: limits.agentSubmit.requests,
          seconds: limits.agentSubmit.windowMs / 1000,
        },
        ipLimit("RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE"),
      ],
    }),
  );
};

/** Parses without judging; what is wrong is kept for after the credentials. */
function parse(
  { request, bytes }: SubmitterRequest,
  { partial = "false" }: Record<string, string>,
): ParsedSubmission {
  try {
    if (partial !== "true" && partial !== "false")
      throw new Problem("bad_request", "partial must be true or false.");
    const idempotencyKey = request.headers.get("idempotency-key");
    const { maxKeyLength } = limits.idempotency;
    if (idempotencyKey !== null && (idempotencyKey.length < 1 || idempotencyKey.length > maxKeyLength)) {
      throw new Problem("bad_request", `Idempotency-Key must have 1 to ${maxKeyLength} characters.`);
    }
    return { submission: submissionOf(request, bytes), partial: partial === "true", idempotencyKey };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

/** Judges the payload by the version at hand: an item of formd.submissions_receive, and the errors of a 422. */
function toBatchItem(
  { config }: Deps,
  call: SubmitterRequest,
  reading: ParsedSubmission,
  published: CompiledVersion | undefined,
) {
  const { submission, partial = false, idempotencyKey = null } = reading.problem ? {} : reading;
  const { data, missing, faults } = validate(submission, partial, published);
  const errors = fieldErrors(config, faults);
  const accepted = submission !== undefined && errors.length === 0;
  const item = {
    ...toCallerItem(call, published),
    ip_bucket: `submit:ip:${rateLimitKeyOf(call.request)}`,
    ip_limit: config.RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE,
    id: uuidv7(),
    verdict: !submission ? "malformed" : accepted ? "accept" : "reject",
    data: accepted ? data : undefined,
    metadata: accepted ? submission.metadata : undefined,
    respondent: submission?.respondentId,
    partial,
    missing,
    errors: idempotencyKey === null ? undefined : errors,
    idempotency_key: idempotencyKey,
    body_hash:
      idempotencyKey === null
        ? undefined
        : toByteaText(sha256(Buffer.concat([Buffer.from(partial ? "partial\n" : "\n"), call.bytes]))),
  };
  return { item, errors };
}

type Item = ReturnType<typeof toBatchItem>["item"];

/** The severity table's right column: on submit every finding is an error, but for missing values of a partial row. */
function validate(
  submission: Submission | undefined,
  partial: boolean,
  published: CompiledVersion | undefined,
): { data: Record<string, unknown>; missing: string[]; faults: FieldIssue[] } {
  if (!submission || !published) return { data: {}, missing: [], faults: [] };
  const { form } = published;
  const { data, errors, unknown, missing } = form.validate(submission.data, submission.spoiled);
  return {
    data,
    missing,
    faults: [...errors, ...unknown, ...(partial ? [] : missing.map((id) => form.requiredIssue(id)))],
  };
}
