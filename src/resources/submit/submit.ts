/**
 * Submit: `POST /papi/v1/submitter/form/submissions` (specification, "Submitter" and "Validation and
 * submission semantics"). When the database is lost in between, platform/database/batch.ts makes it 503,
 * without another attempt: it may be stored.
 */
import { createHash } from "node:crypto";
import { type } from "arktype";
import { Elysia } from "elysia";
import type { CompiledForm } from "../../fields/compile.ts";
import { fullOptionIssues } from "../../fields/option-limits.ts";
import { limits } from "../../limits.ts";
import { sha256 } from "../../platform/auth/secret.ts";
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
import type { VerifiedSignature } from "../../platform/auth/verify-signature.ts";
import type { Config } from "../../platform/config.ts";
import { createBatcher } from "../../platform/database/batch.ts";
import { jsonb, rowOf, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { contextOf, ownRequests } from "../../platform/http/request-context.ts";
import { type FieldError, fieldErrors } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import { completeData, type NamedUpload, totalIssues, unclaimedIssues, uploadsIn } from "../files/claim.ts";
import { signedResponse } from "../receipts/response-signature.ts";
import type { SubmitBody } from "./shapes.ts";
import {
  booleanParameter,
  fullOptionsIn,
  idempotencyKeyPattern,
  languageParameter,
  parseSubmission,
  requireIdempotencyKey,
  SubmissionReceipt,
  SubmissionRequest,
  tooManyMembers,
} from "./shapes.ts";
import { type CompiledVersion, requestedForm, withPublishedVersion } from "./versions.ts";

/** The columns of formd.submission_item; a test compares them. Undefined is null there, and not sent. */
export interface SubmissionItem {
  team_id: string;
  form_id: string;
  version: number | undefined;
  credentials: SubmitterCredentials;
  admitted: boolean;
  ip_key: string;
  ip_limit: number;
  validation: "accepted" | "rejected" | "malformed" | "pending";
  data: Record<string, unknown> | undefined;
  metadata: Record<string, unknown> | null | undefined;
  respondent_id: string | undefined;
  partial: boolean;
  missing_required: string[];
  idempotency_key_hash: string | undefined;
  body_hash: string | undefined;
  request_digest: string | undefined;
  signature_input: string | undefined;
  signature: string | undefined;
  declared_agent: string | undefined;
  validation_limit: number | undefined;
}

export interface SubmitResult extends SubmitterResult {
  response:
    | { id: string; status: string; missingRequired: string[]; errors?: never }
    | { errors: FieldError[] }
    | null;
}

/** A request, as far as it is parsed. Its `problem` is reported after the credentials are checked. */
export interface ParsedRequest {
  partial: boolean;
  idempotencyKey: string | undefined;
  /** Language of the messages of the owner's rules, as asked for. */
  lang?: string | undefined;
  /** The bytes that a repeated request has in common with the first one. Absent: the body. */
  content?: Uint8Array | undefined;
  submission?: SubmitBody;
  problem?: Problem;
}

/** Code points × instructions that are searched before the credentials are checked: about 3 ms at most. */
const maxUnadmittedWork = 50_000;

const path = "/papi/v1/submitter/form/submissions";

export type SubmitBatch = (
  item: SubmissionItem,
  payloadBytes: number,
  uploads?: readonly NamedUpload[],
) => Promise<SubmitResult>;

/**
 * True: formd.submissions_submit_set may store the item with others. A list with another one would be looked
 * up there first, and then decided item by item all the same.
 */
const mayBePlain = ({ credentials, idempotency_key_hash: key }: SubmissionItem): boolean =>
  credentials.credential === "session" && key === undefined;

export const createSubmitBatch = (deps: Deps): SubmitBatch => {
  const submitBatch = createBatcher(
    (team, items: SubmissionItem[]) => {
      const list = jsonb(deps.sql, items);
      return team === null && items.length > 1 && items.every(mayBePlain)
        ? deps.sql<
            SubmitResult[]
          >`select * from formd.submissions_submit_set(p_team => null, p_items => ${list})`
        : deps.sql<
            SubmitResult[]
          >`select * from formd.submissions_submit(p_team => ${team}, p_items => ${list})`;
    },
    ({ ip_key }) => ip_key,
    deps,
  );
  return async (item, payloadBytes, uploads = []) =>
    uploads.length === 0 ? submitBatch(item, payloadBytes) : await submitWithUploads(deps, item, uploads);
};

const submitWithUploads = async ({ sql }: Deps, item: SubmissionItem, uploads: readonly NamedUpload[]) =>
  await rowOf(sql<SubmitResult[]>`
    select * from formd.submission_submit_files(p_team => ${item.team_id}, p_item => ${jsonb(sql, item)},
      p_files => ${jsonb(sql, uploads)})`);

export const submitRoutes = (deps: Deps, submitBatch: SubmitBatch) =>
  new Elysia({ name: path }).post(
    path,
    async ({ request, query }) => {
      const submitter = await readSubmitterRequest(deps, request, "submit");
      const parameters = parseParameters(request, query);
      const parse: Parse = (parsed, ...read) => parseBody(parsed, request, ...read);
      const { result, problem } = await submit(deps, submitBatch, submitter, parameters, parse);
      requireWithinLimit(request, result);
      if (result.outcome === "malformed" && problem) throw problem;
      if (!result.response) throw await problemFor(deps, submitter, result.outcome);
      const response = success(requireReceipt(request, result.response));
      return request.headers.has("accept-signature")
        ? await signedResponse(deps, request, submitter.team, response)
        : response;
    },
    operation({
      id: "createSubmission",
      tag: "submitter",
      summary: "Submit data",
      description:
        "Validates the data, then stores it. With `partial=true` (agents and respondents only) missing required fields are not an error. Agents need `agent:submit`; an API key with `submissions:write` may be used instead of a token.",
      security: [sessionSecurity, signatureSecurity, submitApiKeySecurity],
      query: {
        shape: type({ "partial?": "boolean", ...languageParameter.shape }),
        notes: {
          partial: "Store an incomplete row, with status `partial`.",
          lang: `Of the messages of the owner's rules. ${languageParameter.note}`,
        },
      },
      headers: {
        "idempotency-key": {
          type: "string",
          pattern: idempotencyKeyPattern.source,
          description: `Makes a retry safe: for ${limits.idempotency.lifetimeHours} hours the same key with the same body returns the response of the stored submission. Another body: 422 \`idempotency_key_reused\`. A refused request does not keep its key.`,
        },
        "accept-signature": {
          type: "string",
          description:
            'Asks for a signed response (RFC 9421, section 5): `sig1=("@status" "content-digest" "@method";req "@path";req)`. It is signed by the key of the team\'s receipts.',
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
        "form_closed",
        "partial_not_allowed",
        "respondent_not_assigned",
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

/** Returns a stored submission's response, and notes its status. @throws {Problem} `validation_failed`. */
export function requireReceipt(request: Request, response: NonNullable<SubmitResult["response"]>) {
  if (response.errors) throw new Problem("validation_failed", { extras: response });
  contextOf(request).submitted = response.status;
  return response;
}

function parseParameters(request: Request, query: Record<string, string>): ParsedRequest {
  try {
    const key = request.headers.get("idempotency-key") ?? undefined;
    return {
      partial: booleanParameter(query, "partial"),
      idempotencyKey: requireIdempotencyKey(key, "Idempotency-Key"),
      lang: query.lang,
    };
  } catch (error) {
    if (error instanceof Problem) return malformedRequest(error);
    throw error;
  }
}

/** Parses a body; a result without a submission or a problem is parsed again in the next call. */
export type Parse = (
  parsed: ParsedRequest,
  bytes: Uint8Array,
  published: CompiledVersion | undefined,
  admitted: boolean,
) => ParsedRequest;

function parseBody(
  parsed: ParsedRequest,
  request: Request,
  bytes: Uint8Array,
  published: CompiledVersion | undefined,
  admitted: boolean,
): ParsedRequest {
  if (parsed.problem) return parsed;
  try {
    const submission =
      parsed.submission ?? parseSubmission(request, bytes, admitted ? published?.form : undefined);
    // Until it is admitted a newer version may have more fields.
    const tooMany = published && tooManyMembers(submission, published.form);
    if (tooMany) return admitted ? malformedRequest(tooMany) : parsed;
    return { ...parsed, submission };
  } catch (error) {
    if (error instanceof Problem) return malformedRequest(error);
    throw error;
  }
}

export const malformedRequest = (problem: Problem): ParsedRequest => ({
  partial: false,
  idempotencyKey: undefined,
  problem,
});

/**
 * Submits, usually by one call, which also checks the credentials. A large body is read, and a costly one
 * validated, only after a first call has admitted the request. With an Idempotency-Key the body is read
 * before, to be compared.
 * @param earlier the result of an earlier call that has counted the request; its requirement has been met
 * since
 */
export async function submit(
  deps: Deps,
  submitBatch: SubmitBatch,
  submitter: SubmitterRequest,
  parameters: ParsedRequest,
  parse: Parse,
  earlier?: SubmitResult,
) {
  const { form, body } = submitter;
  let parsed = parameters;
  const call = async (published: CompiledVersion | undefined, admitted: boolean) => {
    if (admitted && submitter.proveAgent) submitter.declaredAgent = await submitter.proveAgent();
    const bytes = admitted || parameters.idempotencyKey !== undefined ? await body.read() : body.bytes;
    if (bytes && (admitted || !body.isLarge)) parsed = parse(parsed, bytes, published, admitted);
    const known = await withData(deps, submitter, parsed, published);
    const { item, errors } = toItem(deps, submitter, known, published, admitted);
    const uploads = published && item.data ? uploadsIn(published.form, item.data) : [];
    const row = await submitBatch(item, bytes?.length ?? 0, uploads);
    noteKeys(deps, submitter, row);
    const issues =
      row.outcome === "option_full"
        ? fullOptionIssues(published?.form.fields ?? [], item.data ?? {}, fullOptionsIn(row.response))
        : row.outcome === "upload_not_found"
          ? unclaimedIssues(uploads)
          : undefined;
    const found = issues ? fieldErrors(deps.config, issues) : errors;
    count(deps, submitter, item, row, found);
    return rejectedOutcomes.includes(row.outcome) ? { ...row, response: { errors: found } } : row;
  };
  const result = await withPublishedVersion<SubmitResult>(form, call, earlier);
  return { result, problem: parsed.problem };
}

const rejectedOutcomes: readonly string[] = ["rejected", "option_full", "upload_not_found"];

async function withData(
  deps: Deps,
  submitter: SubmitterRequest,
  parsed: ParsedRequest,
  published: CompiledVersion | undefined,
): Promise<ParsedRequest> {
  const { submission } = parsed;
  const isWhole = published?.form.fileFields.length === 0 && !ownRequests.has(submitter.request);
  if (!published || !submission || isWhole) return parsed;
  return { ...parsed, submission: await completeData(deps, submitter, published.form, submission) };
}

function count(
  { counts }: Deps,
  { team, form }: SubmitterRequest,
  { version }: SubmissionItem,
  { outcome, response, callerType, callerId, provenance }: SubmitResult,
  errors: FieldError[],
): void {
  if (rejectedOutcomes.includes(outcome) && version !== undefined)
    counts.addErrors(team, form, version, errors);
  if (outcome !== "stored" || !response || response.errors || !provenance) return;
  counts.addSubmission(team, form, response.id, response.status, provenance);
  if (callerType === "agent" && callerId) counts.addAgentOutcome(team, form, callerId, outcome);
}

/** Converts the request to an item, validated against `published` if that is allowed yet. */
function toItem(
  { config }: Deps,
  { request, body: { bytes }, team, form, credentials, signature, declaredAgent, ipKey }: SubmitterRequest,
  { problem, submission, partial, idempotencyKey, lang, content }: ParsedRequest,
  published: CompiledVersion | undefined,
  admitted: boolean,
): { item: SubmissionItem; errors: FieldError[] } {
  const validated =
    submission && published && (admitted || published.form.work(submission.data) <= maxUnadmittedWork)
      ? validate(config, submission, partial, requestedForm(published, lang).form)
      : undefined;
  const errors = fieldErrors(config, validated?.issues ?? []);
  const isAccepted = validated !== undefined && errors.length === 0;
  const item: SubmissionItem = {
    team_id: team,
    form_id: form,
    version: published?.version,
    credentials,
    admitted,
    ip_key: ipKey,
    ip_limit: config.RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE,
    validation: problem ? "malformed" : !validated ? "pending" : isAccepted ? "accepted" : "rejected",
    data: isAccepted ? validated.data : undefined,
    metadata: isAccepted ? submission?.metadata : undefined,
    respondent_id: submission?.respondentId,
    partial,
    missing_required: validated?.missing ?? [],
    idempotency_key_hash: idempotencyKey === undefined ? undefined : toByteaText(sha256(idempotencyKey)),
    body_hash: idempotencyKey && bytes ? toByteaText(bodyHash(content ?? bytes, partial)) : undefined,
    request_digest: isAccepted && bytes ? toByteaText(sha256(bytes)) : undefined,
    ...signatureItem(isAccepted ? signature : undefined),
    declared_agent: declaredAgent,
    validation_limit: ownRequests.has(request) ? config.RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE : undefined,
  };
  return { item, errors };
}

function signatureItem(signature: VerifiedSignature | null | undefined) {
  if (!signature || signature.input.length > limits.receipt.maxSignatureInputLength)
    return { signature_input: undefined, signature: undefined };
  const value = `:${Buffer.from(signature.signature).toString("base64")}:`;
  return { signature_input: signature.input, signature: value };
}

const bodyHash = (bytes: Uint8Array, partial: boolean) =>
  createHash("sha256")
    .update(partial ? "partial\n" : "\n")
    .update(bytes)
    .digest();

/** The severity table's right column: every issue is an error, except missing values with `partial`. */
function validate(config: Config, { data, unstorable }: SubmitBody, partial: boolean, form: CompiledForm) {
  const { data: known, errors, unknown, missing } = form.validate(data, unstorable);
  const required = partial ? [] : missing.map((id) => form.requiredIssue(id));
  if (errors.length === 0) errors.push(...totalIssues(config, form, known));
  return { data: known, missing, issues: [...errors, ...unknown, ...required] };
}
