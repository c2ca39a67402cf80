/** Submit: `POST /papi/v1/submitter/form/submissions` (specification, "Submitter" and "Validation and submission semantics"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import type { Deps } from "../app.ts";
import { sha256 } from "../auth/secret.ts";
import type { Fault } from "../fields/compile.ts";
import { ok } from "../http/envelope.ts";
import { type FieldError, fieldErrors } from "../http/field-errors.ts";
import { type Rate, rateHeaders, rateLimited } from "../http/rate-limits.ts";
import { addressOf } from "../http/request-context.ts";
import { Problem } from "../problem.ts";
import {
  type Answer,
  bytea,
  type Call,
  callerOf,
  callOf,
  type Published,
  refusalOf,
  withPublished,
} from "./request.ts";
import { grouped } from "./batch.ts";
import { type Submission, submissionOf } from "./shapes.ts";

/** What a body came to, before anyone has looked at credentials. */
type Reading =
  | { problem: Problem }
  | { problem?: never; submission: Submission; partial: boolean; idempotencyKey: string | null };

/** A row of formd.submissions_receive; `answer` is what a 200 or a 422 says. */
interface Created extends Answer, Rate {
  answer: { id: string; status: string; missingRequired: string[] } | { errors: FieldError[] } | null;
}

const path = "/papi/v1/submitter/form/submissions";

export const submissions = (deps: Deps) => {
  const { sql } = deps;
  const create = grouped(
    (team, items: Item[]) =>
      sql<Created[]>`select * from formd.submissions_receive(${team}, ${sql.json(items as never)})`,
  );
  return new Elysia({ name: path }).post(path, async ({ request, query, set }) => {
    const call = await callOf(deps, request);
    const reading = read(call, query);
    const { outcome, answer, errors, ...rate } = await withPublished(call, async (published) => {
      const { item, errors } = itemOf(deps, call, reading, published);
      return { ...(await create(call.team, item, call.bytes.length)), errors };
    });
    if (outcome === "rate_limited") throw rateLimited(rate);
    Object.assign(set.headers, rateHeaders(rate));
    if (outcome === "malformed" && reading.problem) throw reading.problem;
    const refused = outcome === "rejected" ? errors : answer && "errors" in answer && answer.errors;
    if (refused) throw new Problem("validation_failed", undefined, { errors: refused });
    if (outcome !== "stored" && outcome !== "replayed") throw await refusalOf(deps, call, outcome);
    return ok(answer);
  });
};

/** Parses without judging; what is wrong is kept for after the credentials. */
function read({ request, bytes }: Call, { partial = "false" }: Record<string, string>): Reading {
  try {
    if (partial !== "true" && partial !== "false")
      throw new Problem("bad_request", "partial must be true or false.");
    const idempotencyKey = request.headers.get("idempotency-key");
    if (idempotencyKey !== null && (idempotencyKey.length < 1 || idempotencyKey.length > 255)) {
      throw new Problem("bad_request", "Idempotency-Key must have 1 to 255 characters.");
    }
    return { submission: submissionOf(request, bytes), partial: partial === "true", idempotencyKey };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

/** Judges the payload by the version at hand: an item of formd.submissions_receive, and the errors of a 422. */
function itemOf({ config }: Deps, call: Call, reading: Reading, published: Published | undefined) {
  const { submission, partial = false, idempotencyKey = null } = reading.problem ? {} : reading;
  const { data, missing, faults } = judge(submission, partial, published);
  const errors = fieldErrors(config, faults);
  const accepted = submission !== undefined && errors.length === 0;
  const item = {
    ...callerOf(call, published),
    ip_bucket: `submit:ip:${addressOf(call.request)}`,
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
        : bytea(sha256(Buffer.concat([Buffer.from(partial ? "partial\n" : "\n"), call.bytes]))),
  };
  return { item, errors };
}

type Item = ReturnType<typeof itemOf>["item"];

/** The severity table's right column: on submit every finding is an error, but for missing values of a partial row. */
function judge(
  submission: Submission | undefined,
  partial: boolean,
  published: Published | undefined,
): { data: Record<string, unknown>; missing: string[]; faults: Fault[] } {
  if (!submission || !published) return { data: {}, missing: [], faults: [] };
  const { form } = published;
  const { data, errors, unknown, missing } = form.check(submission.data, submission.spoiled);
  return {
    data,
    missing,
    faults: [...errors, ...unknown, ...(partial ? [] : missing.map((id) => form.missingFault(id)))],
  };
}
