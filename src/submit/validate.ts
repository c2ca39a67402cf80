/** The dry run: `POST /papi/v1/submitter/form/validation` (specification, "Submitter"). @module */
import { Elysia } from "elysia";
import type { Deps } from "../app.ts";
import { ok } from "../http/envelope.ts";
import { fieldErrors } from "../http/field-errors.ts";
import { type Rate, rateHeaders, rateLimited } from "../http/rate-limits.ts";
import { addressOf } from "../http/request-context.ts";
import {
  type Answer,
  type Call,
  callerOf,
  callOf,
  type Published,
  refusalOf,
  withPublished,
} from "./request.ts";
import { grouped } from "./batch.ts";
import { type Submission, submissionOf } from "./shapes.ts";

const path = "/papi/v1/submitter/form/validation";

/** A row of formd.submissions_validate. */
interface Admitted extends Answer, Rate {}

export const validation = (deps: Deps) => {
  const { sql } = deps;
  const admit = grouped(
    (team, items: Item[]) =>
      sql<Admitted[]>`select * from formd.submissions_validate(${team}, ${sql.json(items as never)})`,
  );
  return new Elysia({ name: path }).post(path, async ({ request, set }) => {
    const call = await callOf(deps, request);
    const { published, ...answer } = await withPublished(call, async (published) => {
      const item = itemOf(deps, call, published);
      return { ...(await admit(call.team, item, itemBytes)), published };
    });
    if (answer.outcome === "rate_limited") throw rateLimited(answer);
    Object.assign(set.headers, rateHeaders(answer));
    if (answer.outcome !== "allowed" || !published) throw await refusalOf(deps, call, answer.outcome);
    return ok(judge(deps, published, submissionOf(request, call.bytes)));
  });
};

/** What an item without its payload comes to, about; the payload is judged here. */
const itemBytes = 500;

const itemOf = ({ config }: Deps, call: Call, published: Published | undefined) => ({
  ...callerOf(call, published),
  ip_bucket: `validate:ip:${addressOf(call.request)}`,
  ip_limit: config.RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE,
  agent_limit: config.RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE,
});

type Item = ReturnType<typeof itemOf>;

/** The severity table's left column: on a dry run, what the form does not know is a warning, and what is missing a list of its own. */
function judge({ config }: Deps, { form }: Published, { data, spoiled }: Submission) {
  const { errors, unknown, missing } = form.check(data, spoiled);
  return {
    valid: errors.length === 0 && missing.length === 0,
    errors: fieldErrors(config, errors),
    warnings: fieldErrors(config, unknown),
    missingRequired: missing,
  };
}
