/**
 * What every submitter route starts with: the form that the access key names, who calls, and the form's published version, compiled.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import { isSigned } from "../auth/http-signature.ts";
import { nilUuid, parseSecret } from "../auth/secret.ts";
import { logSignatureRefusal, type VerifiedSignature, verifySignature } from "../auth/verify-signature.ts";
import type { Deps } from "../deps.ts";
import { type CompiledForm, compile } from "../fields/compile.ts";
import { readBytes } from "../http/body.ts";
import type { Requirement } from "../http/operation.ts";
import { Problem, type ProblemCode, problemFromSql } from "../problem.ts";

/** What authorizes a submitter call, for the document: the form's access key with a session's token, a signature, or an API key. */
export const sessionSecurity: Requirement = { formAccessKey: [], respondentToken: [] };
export const signatureSecurity: Requirement = { formAccessKey: [], requestSignature: [] };
export const submitApiKeySecurity: Requirement = { formAccessKey: [], apiKey: ["submissions:write"] };
/** The codes with which authorization of a submitter call is refused. */
export const authorizationCodes = [
  "unauthorized",
  "agent_inactive",
  "no_grant",
  "missing_scope",
  "tenant_mismatch",
  "workspace_mismatch",
  "form_not_published",
] as const satisfies ProblemCode[];

/** Who calls about which form, as the SQL functions want it. Only a signature is proven yet. */
export interface SubmitterRequest {
  request: Request;
  bytes: Uint8Array;
  team: string;
  form: string;
  accessKeyHash: Uint8Array;
  credential: "session" | "api_key" | "signature";
  /** The team that the credential says it belongs to. */
  credentialTeam: string;
  credentialHash: Uint8Array | null;
  /** Of a signature that verified. */
  proof: VerifiedSignature | null;
}

/**
 * Reads the headers and verifies a signature. One credential counts: a signature, be it good or bad, before a respondent token, before an
 * API key (which stands in the token's place only). An access key in the URL is not looked for.
 *
 * @throws {Problem} `payload_too_large`.
 */
export async function readSubmitterRequest(deps: Deps, request: Request): Promise<SubmitterRequest> {
  const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
  const { headers } = request;
  const { team, form, hash: accessKeyHash } = parseSecret("fdf", headers.get("x-form-access-key") ?? "");
  const about = { request, bytes, team, form, accessKeyHash };
  if (deps.config.FEATURE_AGENT_SIGNING && isSigned(request)) {
    const proof = await verifySignature(deps, request, bytes, team);
    return { ...about, credential: "signature", credentialTeam: team, credentialHash: null, proof };
  }
  const credential = headers.has("x-api-key") && !headers.has("x-respondent-token") ? "api_key" : "session";
  const { team: credentialTeam, hash: credentialHash } =
    credential === "api_key"
      ? parseSecret("fdk", headers.get("x-api-key") ?? "")
      : parseSecret("fds", headers.get("x-respondent-token") ?? "");
  return { ...about, credential, credentialTeam, credentialHash, proof: null };
}

/** The arguments that every submitter function begins with. */
export const callerArguments = (
  { sql }: Deps,
  { team, form, accessKeyHash, credential, credentialHash, proof }: SubmitterRequest,
) =>
  sql`${team}, ${form}, ${accessKeyHash}, ${credential}, ${credentialHash}, ${proof?.keyId ?? null}, ${proof?.nonce ?? null}, ${proof?.nonceExpiresAt ?? null}`;

/** The same as members of an item of a group's list, with the version that this process holds. */
export const toCallerItem = (
  { form, accessKeyHash, credential, credentialHash, proof }: SubmitterRequest,
  published: CompiledVersion | undefined,
) => ({
  form,
  access_key_hash: toByteaText(accessKeyHash),
  credential,
  credential_hash: toByteaText(credentialHash),
  key_id: proof?.keyId,
  nonce: toByteaText(proof?.nonce),
  nonce_expires_at: proof?.nonceExpiresAt,
  version: published?.version,
});

/** Bytes as PostgreSQL reads them from JSON. */
export const toByteaText = (bytes: Uint8Array | null | undefined) =>
  bytes && `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;

/** A published version as this process last saw it. */
export interface CompiledVersion {
  version: number;
  form: CompiledForm;
}

/** What a SQL function answers that was told the version it is called for. */
export interface VersionedResult {
  outcome: string;
  formVersion: number | null;
  formSchema: { fields: unknown[] } | null;
}

/** Compiled versions by form id; those used last are kept. Checked at every call, not trusted: see {@link withCurrentVersion}. */
const compiledVersions = new LRUCache<string, CompiledVersion>({ max: 1000 });

/**
 * Calls `ask` with the published version at hand; when the database says that it is another by now (or this process has none), compiles
 * that one and asks again. One round trip in the steady state, two after a publish.
 *
 * @throws {Problem} `unavailable` when the form is published faster than it can be asked for.
 */
export async function withCurrentVersion<T extends VersionedResult>(
  { form }: SubmitterRequest,
  ask: (published: CompiledVersion | undefined) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const published = compiledVersions.get(form);
    const answer = await ask(published);
    if (answer.outcome !== "stale_version" || answer.formVersion === null || answer.formSchema === null) {
      return answer;
    }
    compiledVersions.set(form, { version: answer.formVersion, form: compile(answer.formSchema) });
  }
  throw new Problem("unavailable", {
    message: "The form is being published again and again.",
    headers: { "retry-after": "1" },
  });
}

/**
 * The refusal that an outcome is. A credential that is good, but for another team than the access key's, is `tenant_mismatch` (or
 * `agent_inactive`, which comes first); that look is one more round trip, and only for a caller who is refused anyway.
 */
export async function problemFor(deps: Deps, call: SubmitterRequest, outcome: string): Promise<Problem> {
  const { sql } = deps;
  if (logSignatureRefusal(deps, call.request, outcome)) return new Problem("unauthorized");
  const isCrossTenant =
    call.team !== call.credentialTeam && call.team !== nilUuid && call.credentialTeam !== nilUuid;
  if (outcome !== "unauthorized" || !isCrossTenant) return problemFromSql(outcome);
  const [known] = await sql<[{ abroad: string | null; accessKey: boolean }]>`
    select formd.credential_abroad(${call.credentialTeam}, ${call.credential}, ${call.credentialHash}) as abroad,
      formd.access_key_is_valid(${call.team}, ${call.form}, ${call.accessKeyHash}) as access_key`;
  return problemFromSql((known.accessKey && known.abroad) || "unauthorized");
}
