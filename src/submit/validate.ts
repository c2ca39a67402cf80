/** The dry run: `POST /papi/v1/submitter/form/validation` (specification, "Submitter"). @module */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { fieldErrors } from "../http/field-errors.ts";
import { ipLimit, operation } from "../http/operation.ts";
import { type RateLimitState, rateLimited, rateLimitHeaders } from "../http/rate-limits.ts";
import { rateLimitKeyOf } from "../http/request-context.ts";
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
  toCallerItem,
  type VersionedResult,
  withCurrentVersion,
} from "./request.ts";
import { type Submission, SubmissionRequest, submissionOf, ValidateResult } from "./shapes.ts";

const path = "/papi/v1/submitter/form/validation";

/** A row of formd.submissions_validate. */
interface ValidateResultRow extends VersionedResult, RateLimitState {}

export const validation = (deps: Deps) => {
  const { sql } = deps;
  const admit = createBatcher(
    (team, items: Item[]) =>
      sql<
        ValidateResultRow[]
      >`select * from formd.submissions_validate(${team}, ${sql.json(items as never)})`,
  );
  return new Elysia({ name: path }).post(
    path,
    async ({ request, set }) => {
      const call = await readSubmitterRequest(deps, request);
      const { published, ...answer } = await withCurrentVersion(call, async (published) => {
        const item = toBatchItem(deps, call, published);
        return { ...(await admit(call.team, item, itemBytes)), published };
      });
      if (answer.outcome === "rate_limited") throw rateLimited(answer);
      Object.assign(set.headers, rateLimitHeaders(answer));
      if (answer.outcome !== "allowed" || !published) throw await problemFor(deps, call, answer.outcome);
      return success(validate(deps, published, submissionOf(request, call.bytes)));
    },
    operation({
      id: "validateSubmission",
      tag: "submitter",
      summary: "Judge a payload",
      description:
        "A dry run: always 200 for a payload that can be read, and nothing is stored. Agents need `agent:validate`.",
      security: [sessionSecurity, signatureSecurity, submitApiKeySecurity],
      body: {
        shape: SubmissionRequest,
        examples: {
          good: examples.wholePayload,
          faulty: { summary: "With faults", value: { data: { name: "A", topic: "gossip" } } },
        },
      },
      response: {
        description: "What is wrong with it, if anything.",
        data: ValidateResult,
        example: { valid: false, errors: [], warnings: [], missingRequired: ["email"] },
      },
      codes: authorizationCodes,
      limits: [
        { scope: "agent", seconds: 60, setting: "RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE" },
        ipLimit("RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE"),
      ],
    }),
  );
};

/** What an item without its payload comes to, about; the payload is judged here. */
const itemBytes = 500;

const toBatchItem = ({ config }: Deps, call: SubmitterRequest, published: CompiledVersion | undefined) => ({
  ...toCallerItem(call, published),
  ip_bucket: `validate:ip:${rateLimitKeyOf(call.request)}`,
  ip_limit: config.RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE,
  agent_limit: config.RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE,
});

type Item = ReturnType<typeof toBatchItem>;

/** The severity table's left column: on a dry run, what the form does not know is a warning, and what is missing a list of its own. */
function validate({ config }: Deps, { form }: CompiledVersion, { data, spoiled }: Submission) {
  const { errors, unknown, missing } = form.validate(data, spoiled);
  return {
    valid: errors.length === 0 && missing.length === 0,
    errors: fieldErrors(config, errors),
    warnings: fieldErrors(config, unknown),
    missingRequired: missing,
  };
}
