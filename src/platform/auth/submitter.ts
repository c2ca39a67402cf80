/** First step of every submitter route: reads the form of the access key, and the credentials. */

import { Problem, type ProblemCode, problemFromSql } from "../../problem.ts";
import { jsonb, oneRow, toByteaText } from "../database/db.ts";
import type { Deps } from "../deps.ts";
import { type ReadableBody, RequestBody, requireSize, unreadBody } from "../http/body.ts";
import type { Requirement } from "../http/operation.ts";
import { admitIp, type RateLimitState, requireRateLimit } from "../http/rate-limits.ts";
import { contextOf, ownRequests } from "../http/request-context.ts";
import { submitterHint } from "./credential-hint.ts";
import { isSigned, type SignatureOptions } from "./http-signature.ts";
import { nilUuid, parseSecret } from "./secret.ts";
import { limitUnknownCallers, recordLookup } from "./unknown-callers.ts";
import type { VerifiedSignature } from "./verify-signature.ts";
import { forgetKey, logRefusedSignature, signatureRefused, verifySignature } from "./verify-signature.ts";

/** Security of the submitter routes: the access key with a token, a signature, or an API key. */
export const sessionSecurity: Requirement = { formAccessKey: [], respondentToken: [] };
export const signatureSecurity: Requirement = { formAccessKey: [], requestSignature: [] };
export const submitApiKeySecurity: Requirement = { formAccessKey: [], apiKey: ["submissions:write"] };
/** The codes of a refused authorization. */
export const authorizationCodes = [
  "unauthorized",
  "agent_inactive",
  "no_grant",
  "missing_scope",
  "tenant_mismatch",
  "workspace_mismatch",
  "form_not_published",
  "anonymous_not_allowed",
] as const satisfies ProblemCode[];

/** Columns of formd.submitter_credentials (a test compares them). Undefined is null in SQL. */
export interface SubmitterCredentials {
  /** Undefined: the form is named by the caller's grant. */
  access_key_hash: string | undefined;
  /** `page`: the page of a form, whose session is created with its submission. */
  credential: "session" | "api_key" | "signature" | "page";
  credential_hash: string | undefined;
  /** Key of a verified signature. The SQL function checks its state and claims the nonce. */
  key_id: string | undefined;
  nonce: string | undefined;
  /** Text: a Date would make JSON.stringify of a whole batch four times as slow. */
  nonce_expires_at: string | undefined;
  /** Hashes of the tokens of a page's draft and invitation, and of the proof of a claim. */
  draft_hash?: string | undefined;
  invitation_hash?: string | undefined;
  claim_hash?: string | undefined;
}

/** A request of a submitter route. Only a signature has been verified so far. */
export interface SubmitterRequest {
  request: Request;
  body: ReadableBody;
  team: string;
  form: string;
  credentials: SubmitterCredentials;
  /** The verified signature of a signed request; null: it is not valid. */
  signature?: VerifiedSignature | null;
  /** The origin of the program that sent a page, or empty; see declared-agent.ts. */
  declaredAgent?: string | undefined;
  /** Fetches the origin's key directory and returns the verified origin. `declaredAgent` is "" until then. */
  proveAgent?: (() => Promise<string | undefined>) | undefined;
  credentialTeam: string;
  /** Hash of the token or API key. */
  credentialHash?: Uint8Array;
  /** Key of the route's rate limit per client IP; "" if the route has no such limit. */
  ipKey: string;
}

/** A formd.submitter_result; if `admitted` with the version, unless the request named that one. */
export interface SubmitterResult extends Required<RateLimitState> {
  outcome: string;
  callerType: string | null;
  callerId: string | null;
  /** `provenance` of the submission; null before the caller is known. */
  provenance: string | null;
  /** The reason for form_closed. */
  response: object | null;
  formVersion: number | null;
  formSchema: { fields: unknown[] } | null;
}

/**
 * Reads the headers and a small body, and verifies a signature. A large signed body is read after its
 * signature is verified. One credential is used: a signature (valid or not), else a respondent token, else an
 * API key. An access key in the URL is ignored.
 *
 * @param limit the name of the route's rate limit per client IP; without it, unknown callers have theirs
 * @throws {Problem} `payload_too_large`, `rate_limited`.
 */
export async function readSubmitterRequest(
  deps: Deps,
  request: Request,
  limit?: string,
): Promise<SubmitterRequest> {
  const { MAX_BODY_BYTES } = deps.config;
  const ipKey = limit === undefined ? "" : admitIp(request, limit);
  requireSize(request, MAX_BODY_BYTES);
  const body = new RequestBody(request, MAX_BODY_BYTES);
  await body.readSmall();
  return await readCredentials(deps, request, body, ipKey);
}

/**
 * {@link readSubmitterRequest} for a body that the route reads as a stream, and compares with
 * `content-digest`, which a signature must cover. @throws {Problem} `payload_too_large`, `rate_limited`.
 */
export async function readStreamedRequest(
  deps: Deps,
  request: Request,
  limit: string,
  maxBytes: number,
): Promise<SubmitterRequest> {
  const ipKey = admitIp(request, limit);
  requireSize(request, maxBytes);
  return await readCredentials(deps, request, unreadBody, ipKey, { digestIsCheckedLater: true });
}

async function readCredentials(
  deps: Deps,
  request: Request,
  body: SubmitterRequest["body"],
  ipKey: string,
  options: SignatureOptions = {},
): Promise<SubmitterRequest> {
  const { headers } = request;
  const accessKey = parseSecret("fdf", headers.get("x-form-access-key") ?? "");
  const { team, form } = accessKey;
  contextOf(request).form = { team, id: form };
  const access_key_hash = toByteaText(accessKey.hash);
  if (deps.config.FEATURE_AGENT_SIGNING && isSigned(request)) {
    const signature = await verifySignature(deps, request, body, team, options);
    if (!signature) limitUnknownCallers(deps, request);
    const credentials = { access_key_hash, ...signatureCredentials(signature) };
    return { request, body, team, form, credentials, signature, credentialTeam: team, ipKey };
  }
  const credential = headers.has("x-api-key") && !headers.has("x-respondent-token") ? "api_key" : "session";
  const secret =
    credential === "api_key"
      ? parseSecret("fdk", headers.get("x-api-key") ?? "")
      : parseSecret("fds", headers.get("x-respondent-token") ?? "");
  limitUnknownCallers(deps, request, secret.hash);
  const credentials = {
    access_key_hash,
    credential,
    credential_hash: toByteaText(secret.hash),
    key_id: undefined,
    nonce: undefined,
    nonce_expires_at: undefined,
  } as const;
  const credentialOwner = { credentialTeam: secret.team, credentialHash: secret.hash };
  const granted = ownRequests.get(request)?.form;
  if (granted !== undefined) {
    const named = {
      team: secret.team,
      form: granted,
      credentials: { ...credentials, access_key_hash: undefined },
    };
    contextOf(request).form = { team: secret.team, id: granted };
    return { request, body, ...named, ...credentialOwner, ipKey };
  }
  return { request, body, team, form, credentials, ...credentialOwner, ipKey };
}

/** The credentials of a signed request; null: the signature is not valid. */
export const signatureCredentials = (signature: VerifiedSignature | null) =>
  ({
    credential: "signature",
    credential_hash: undefined,
    key_id: signature?.keyId,
    nonce: signature ? toByteaText(signature.nonce) : undefined,
    nonce_expires_at: signature?.nonceExpiresAt.toJSON(),
  }) as const;

/** The credentials as an argument of a SQL function. */
export const credentialsArgument = ({ sql }: Deps, credentials: SubmitterCredentials) =>
  sql`p_credentials => jsonb_populate_record(null::formd.submitter_credentials, ${jsonb(sql, credentials)})`;

type Caller = Pick<SubmitterResult, "callerType" | "callerId">;

/** Sets the caller for the log. */
function noteCaller(request: Request, { callerType, callerId }: Caller): void {
  if (callerId) contextOf(request).caller = `${callerType}:${callerId}`;
}

/** Records that the keys of a request were used. They are valid if the caller is known. */
export function noteKeys(
  { keyUses }: Deps,
  { team, form, credentials: { access_key_hash } }: SubmitterRequest,
  { callerType, callerId }: Caller,
): void {
  if (!callerId) return;
  if (callerType === "api_key") keyUses.addApiKey(team, callerId);
  if (access_key_hash !== undefined) keyUses.addAccessKey(team, form, access_key_hash);
}

/** Records the caller, and counts a refused one. @throws {Problem} for every outcome except `allowed`. */
export async function requireAllowed(
  deps: Deps,
  submitter: SubmitterRequest,
  row: Caller & { outcome: string },
): Promise<void> {
  const { request, credentialHash, credentialTeam, signature } = submitter;
  noteCaller(request, row);
  noteKeys(deps, submitter, row);
  recordLookup(request, credentialHash, row.callerId !== null);
  if (signature && row.callerId === null) forgetKey(credentialTeam, signature.keyId);
  if (row.outcome !== "allowed") throw await problemFor(deps, submitter, row.outcome);
}

/** The `response` of the outcome form_closed. */
export type Closed =
  | { reason: "not_open"; opensAt: string }
  | { reason: "closed"; closesAt: string }
  | { reason: "full" };

function closedMessage(closed: Closed): string {
  if (closed.reason === "not_open") return `The form opens at ${closed.opensAt}.`;
  if (closed.reason === "closed") return `The form closed at ${closed.closesAt}.`;
  return "The form is full.";
}

export const closedProblem = (closed: Closed) =>
  new Problem("form_closed", { message: closedMessage(closed), extras: closed });

/** Records caller and rate limit. @throws {Problem} `rate_limited`; `form_closed` with the reason. */
export function requireWithinLimit(request: Request, result: SubmitterResult): void {
  noteCaller(request, result);
  requireRateLimit(request, result.outcome, result);
  if (result.outcome === "form_closed") throw closedProblem(result.response as Closed);
}

/**
 * The problem for an outcome: `tenant_mismatch`, or `agent_inactive`, for a valid credential of another team.
 * It takes one more round trip, only for refused callers.
 */
export async function problemFor(deps: Deps, submitter: SubmitterRequest, outcome: string): Promise<Problem> {
  const { request, team, form, credentials, credentialTeam } = submitter;
  const isRefused = logRefusedSignature(deps, request, outcome) || outcome === "unauthorized";
  if (isRefused && credentials.credential === "signature") return signatureRefused(request);
  const isCrossTenant = team !== credentialTeam && team !== nilUuid && credentialTeam !== nilUuid;
  const { credential } = credentials;
  if (outcome === "unauthorized" && !isCrossTenant && (credential === "session" || credential === "api_key"))
    return new Problem("unauthorized", submitterHint(request.headers, credential));
  if (outcome !== "unauthorized" || !isCrossTenant) return problemFromSql(outcome);
  const row = oneRow(
    await deps.sql<{ outcome: string }[]>`
      select formd.credential_cross_tenant(p_team => ${team}, p_form => ${form}, ${credentialsArgument(deps, credentials)},
        p_credential_team => ${credentialTeam}) as outcome`,
  );
  return problemFromSql(row.outcome);
}
