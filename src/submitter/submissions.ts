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
import { type Answer, type Call, callOf, type Published, refusalOf, withPublished } from "./call.ts";
import { grouped } from "./group.ts";
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

export const submissions = (deps: Deps) => {
  const enter = grouped((team, items: Item[]) => createAll(deps, team, items));
  return new Elysia({ name: path }).post(path, async ({ request, query, set }) => {
    const call = await callOf(deps, request);
    const reading = read(call, query);
    const { outcome, answer, errors, ...rate } = await withPublished(call, async (published) => {
      const { item, errors } = itemOf(deps, call, reading, published);
      return { ...(await enter(call.team, item, call.bytes.length)), errors };
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

/** One call for submits of one team; they go in the order of their addresses, which is the order in which throttles are locked. */
async function createAll({ sql }: Deps, team: string, items: readonly Item[]): Promise<Created[]> {
  const sorted = items
    .map((item, index) => ({ item, index }))
    .sort((a, b) => (a.item.ip_bucket < b.item.ip_bucket ? -1 : 1));
  const rows = await sql<(Created & { item: number })[]>`
    select * from formd.submissions_create(${team}, ${sql.json(sorted.map(({ item }) => item) as never)})`;
  const results: Created[] = [];
  for (const { item: place, ...row } of rows) results[sorted[place]?.index ?? 0] = row;
  return results;
}

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

/** Judges the payload by the version at hand: the arguments of formd.submission_create, and the errors of a 422. */
function itemOf({ config }: Deps, call: Call, reading: Reading, published: Published | undefined) {
  const { submission, partial = false, idempotencyKey = null } = reading.problem ? {} : reading;
  const { data, missing, faults } = judge(submission, partial, published);
  const errors = fieldErrors(config, faults);
  const accepted = submission !== undefined && errors.length === 0;
  const item = {
    form: call.form,
    access_key_hash: bytea(call.accessKeyHash),
    credential: call.credential,
    credential_hash: bytea(call.credentialHash),
    key_id: call.proof?.keyId,
    nonce: bytea(call.proof?.nonce),
    nonce_expires_at: call.proof?.nonceExpiresAt,
    version: published?.version,
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

/** Bytes as PostgreSQL reads them from JSON. */
const bytea = (bytes: Uint8Array | null | undefined) =>
  bytes && `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;

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
