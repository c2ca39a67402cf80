/** Submit: `POST /papi/v1/submitter/form/submissions` (specification, "Submitter" and "Validation and submission semantics"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import type { Deps } from "../app.ts";
import { sha256 } from "../auth/secret.ts";
import type { Fault } from "../fields/compile.ts";
import { ok } from "../http/envelope.ts";
import { type FieldError, fieldErrors } from "../http/field-errors.ts";
import { type Rate, rateHeaders, rateLimited } from "../http/rate-limit.ts";
import { addressOf } from "../http/walk.ts";
import { Problem } from "../problem.ts";
import {
  type Answer,
  type Call,
  callOf,
  type Published,
  refusalOf,
  whoCalls,
  withPublished,
} from "./call.ts";
import { type Submission, submissionOf } from "./shapes.ts";

/** What a body came to, before anyone has looked at credentials. */
type Reading =
  | { problem: Problem }
  | { problem?: never; submission: Submission; partial: boolean; idempotencyKey: string | null };

/** A row of formd.submission_create; `answer` is what a 200 or a 422 says. */
interface Created extends Answer, Rate {
  answer: { id: string; status: string; missingRequired: string[] } | { errors: FieldError[] } | null;
}

const path = "/papi/v1/submitter/form/submissions";

export const submissions = (deps: Deps) =>
  new Elysia({ name: path }).post(path, async ({ request, query, set }) => {
    const call = await callOf(deps, request);
    const reading = read(call, query);
    const { outcome, answer, errors, ...rate } = await withPublished(call, (published) =>
      create(deps, call, reading, published),
    );
    if (outcome === "rate_limited") throw rateLimited(rate);
    Object.assign(set.headers, rateHeaders(rate));
    if (outcome === "malformed" && reading.problem) throw reading.problem;
    const refused = outcome === "rejected" ? errors : answer && "errors" in answer && answer.errors;
    if (refused) throw new Problem("validation_failed", undefined, { errors: refused });
    if (outcome !== "stored" && outcome !== "replayed") throw await refusalOf(deps, call, outcome);
    return ok(answer);
  });

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

/** Judges the payload by the version at hand and makes the one call that does everything else. */
async function create(
  deps: Deps,
  call: Call,
  reading: Reading,
  published: Published | undefined,
): Promise<Created & { errors: FieldError[] }> {
  const { sql, config } = deps;
  const { submission, partial = false, idempotencyKey = null } = reading.problem ? {} : reading;
  const { data, missing, faults } = judge(submission, partial, published);
  const errors = fieldErrors(deps.config, faults);
  const verdict = !submission ? "malformed" : errors.length > 0 ? "reject" : "accept";
  const stored = verdict === "accept";
  const bodyHash =
    idempotencyKey === null
      ? null
      : sha256(Buffer.concat([Buffer.from(partial ? "partial\n" : "\n"), call.bytes]));
  const [row] = await sql<[Created]>`
    select * from formd.submission_create(${whoCalls(deps, call)},
      ${published?.version ?? null}, ${`submit:ip:${addressOf(call.request)}`}, ${config.RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE},
      ${uuidv7()}, ${verdict}, ${stored ? sql.json(data as never) : null},
      ${stored && submission?.metadata ? sql.json(submission.metadata as never) : null}, ${submission?.respondentId ?? null}, ${partial},
      ${missing}, ${idempotencyKey !== null && errors.length > 0 ? sql.json(errors as never) : null}, ${idempotencyKey}, ${bodyHash})`;
  return { ...row, errors };
}

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
