/** The dry run: `POST /papi/v1/submitter/form/validation` (specification, "Submitter"). @module */
import { Elysia } from "elysia";
import type { Deps } from "../app.ts";
import { ok } from "../http/envelope.ts";
import { fieldErrors } from "../http/field-errors.ts";
import { type Rate, rateHeaders, rateLimited } from "../http/rate-limit.ts";
import { addressOf } from "../http/walk.ts";
import {
  type Answer,
  type Call,
  callOf,
  type Published,
  refusalOf,
  whoCalls,
  withPublished,
} from "./call.ts";
import { submissionOf } from "./shapes.ts";

const path = "/papi/v1/submitter/form/validation";

export const validation = (deps: Deps) =>
  new Elysia({ name: path }).post(path, async ({ request, set }) => {
    const call = await callOf(deps, request);
    const { answer, published } = await authorize(deps, call);
    if (answer.outcome === "rate_limited") throw rateLimited(answer);
    Object.assign(set.headers, rateHeaders(answer));
    if (answer.outcome !== "allowed" || !published) throw await refusalOf(deps, call, answer.outcome);
    const { data, spoiled } = submissionOf(request, call.bytes);
    const { errors, unknown, missing } = published.form.check(data, spoiled);
    return ok({
      valid: errors.length === 0 && missing.length === 0,
      errors: fieldErrors(deps.config, errors),
      warnings: fieldErrors(deps.config, unknown),
      missingRequired: missing,
    });
  });

/** Whether the caller may have a payload judged, as `formd.submission_validate` says, and the published form to judge it by. */
async function authorize(deps: Deps, call: Call) {
  const { sql, config } = deps;
  let published: Published | undefined;
  const answer = await withPublished(call, async (current) => {
    published = current;
    const [row] = await sql<[Answer & Rate]>`
      select * from formd.submission_validate(${whoCalls(deps, call)},
        ${current?.version ?? null}, ${`validate:ip:${addressOf(call.request)}`}, ${config.RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE},
        ${config.RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE})`;
    return row;
  });
  return { answer, published };
}
