/** The dry run: `POST /papi/v1/submitter/form/validation` (specification, "Submitter"). */
import { type } from "arktype";
import { Elysia } from "elysia";
import type { CompiledForm, ValidationResult } from "../../fields/compile.ts";
import { fullOptionIssues } from "../../fields/option-limits.ts";
import {
  authorizationCodes,
  noteKeys,
  problemFor,
  readSubmitterRequest,
  requireWithinLimit,
  type SubmitterCredentials,
  type SubmitterRequest,
  type SubmitterResult,
  sessionSecurity,
  signatureSecurity,
  submitApiKeySecurity,
} from "../../platform/auth/submitter.ts";
import { createBatcher } from "../../platform/database/batch.ts";
import { jsonb } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { fieldErrors } from "../../platform/http/shapes.ts";
import { completeData, totalIssues } from "../files/claim.ts";
import {
  booleanParameter,
  fullOptionsIn,
  languageParameter,
  parseSubmission,
  SubmissionRequest,
  type SubmitBody,
  ValidateResult,
} from "./shapes.ts";
import { type CompiledVersion, compiledVersion, publishedVersion, requestedForm } from "./versions.ts";

/** The columns of formd.validation_item; a test compares them. */
export interface ValidationItem {
  team_id: string;
  form_id: string;
  version: number | undefined;
  credentials: SubmitterCredentials;
  ip_key: string;
  ip_limit: number;
  agent_limit: number;
}

const path = "/papi/v1/submitter/form/validation";

export const validationRoute = (deps: Deps) => {
  const { sql } = deps;
  const admit = createBatcher(
    (team, items: ValidationItem[]) => sql<SubmitterResult[]>`
      select * from formd.validations_admit(p_team => ${team}, p_items => ${jsonb(sql, items)})`,
    ({ ip_key }) => ip_key,
    deps,
  );
  return new Elysia({ name: path }).post(
    path,
    async ({ request, query }) => {
      const submitter = await readSubmitterRequest(deps, request, "validate");
      const held = compiledVersion(submitter.form);
      const result = await admit(toItem(deps, submitter, held), 0);
      noteKeys(deps, submitter, result);
      requireWithinLimit(request, result);
      if (result.outcome !== "admitted") throw await problemFor(deps, submitter, result.outcome);
      const isExplained = booleanParameter(query, "explain");
      const published = publishedVersion(submitter.form, held, result);
      const { form, language } = requestedForm(published, query.lang);
      const sent = parseSubmission(request, await submitter.body.read(), form);
      const found = validateData(deps, form, await completeData(deps, submitter, form, sent), result);
      countErrors(deps, submitter, published, found);
      return success({ ...toResult(deps, form, found, isExplained), ...(language && { language }) });
    },
    operation({
      id: "validateSubmission",
      tag: "submitter",
      summary: "Validate data",
      description:
        "A dry run: 200 for any body of the right shape, and nothing is stored. Agents need `agent:validate`.",
      security: [sessionSecurity, signatureSecurity, submitApiKeySecurity],
      query: {
        shape: type({ "explain?": "boolean", ...languageParameter.shape }),
        notes: {
          explain: "Say why fields are not asked for.",
          lang: `Of the messages of the owner's rules. ${languageParameter.note}`,
        },
      },
      body: {
        shape: SubmissionRequest,
        examples: {
          good: examples.wholePayload,
          faulty: { summary: "With errors", value: { data: { name: "A", topic: "gossip" } } },
        },
      },
      response: {
        description: "The validation result.",
        data: ValidateResult,
        example: { valid: false, errors: [], warnings: [], missingRequired: ["email"] },
      },
      codes: [...authorizationCodes, "form_closed"],
      limits: [
        { scope: "agent", seconds: 60, setting: "RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE" },
        ipLimit("RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE"),
      ],
    }),
  );
};

const toItem = (
  { config }: Deps,
  { team, form, credentials, ipKey }: SubmitterRequest,
  held: CompiledVersion | undefined,
): ValidationItem => ({
  team_id: team,
  form_id: form,
  version: held?.version,
  credentials,
  ip_key: ipKey,
  ip_limit: config.RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE,
  agent_limit: config.RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE,
});

/** The errors of the fields, and of their combination: the size of all files, full options. */
function validateData(
  { config }: Deps,
  form: CompiledForm,
  { data, unstorable }: SubmitBody,
  { response }: SubmitterResult,
): ValidationResult {
  const found = form.validate(data, unstorable);
  if (found.errors.length === 0) found.errors.push(...totalIssues(config, form, found.data));
  found.errors.push(...fullOptionIssues(form.fields, found.data, fullOptionsIn(response)));
  return found;
}

const countErrors = (
  { counts }: Deps,
  { team, form }: SubmitterRequest,
  { version }: CompiledVersion,
  { errors, unknown }: ValidationResult,
): void => counts.addErrors(team, form, version, [...errors, ...unknown]);

/** The severity table's left column: unknown fields are warnings, and missing ones are listed apart. */
function toResult({ config }: Deps, form: CompiledForm, result: ValidationResult, isExplained: boolean) {
  const { errors, unknown, missing, logic } = result;
  return {
    valid: errors.length === 0 && missing.length === 0,
    errors: fieldErrors(config, errors),
    warnings: fieldErrors(config, unknown),
    missingRequired: missing,
    ...(logic && { applicable: logic.applicable }),
    ...(isExplained && { notApplicable: form.explain(result) }),
  };
}
