/**
 * What every submitter route starts with: the form that the access key names, who calls, and the form's published version, compiled.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { Deps } from "../app.ts";
import { nilTeam, routeOf } from "../auth/secret.ts";
import { isSigned } from "../auth/http-signature.ts";
import { isUnclaimed, type Proof, proofOf } from "../auth/verify-signature.ts";
import { compile, type Form } from "../fields/compile.ts";
import { readBytes } from "../http/body.ts";
import { type Code, Problem } from "../problem.ts";

/** Who calls about which form, as the SQL functions want it. Only a signature is proven yet. */
export interface Call {
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
  proof: Proof | null;
}

/**
 * Reads the headers and verifies a signature. One credential counts: a signature, be it good or bad, before a respondent token, before an
 * API key (which stands in the token's place only). An access key in the URL is not looked for.
 *
 * @throws {Problem} `payload_too_large`.
 */
export async function callOf(deps: Deps, request: Request): Promise<Call> {
  const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
  const { headers } = request;
  const { team, form, hash: accessKeyHash } = routeOf("fdf", headers.get("x-form-access-key") ?? "");
  const about = { request, bytes, team, form, accessKeyHash };
  if (deps.config.FEATURE_AGENT_SIGNING && isSigned(request)) {
    const proof = await proofOf(deps, request, bytes, team);
    return { ...about, credential: "signature", credentialTeam: team, credentialHash: null, proof };
  }
  const credential = headers.has("x-api-key") && !headers.has("x-respondent-token") ? "api_key" : "session";
  const { team: credentialTeam, hash: credentialHash } =
    credential === "api_key"
      ? routeOf("fdk", headers.get("x-api-key") ?? "")
      : routeOf("fds", headers.get("x-respondent-token") ?? "");
  return { ...about, credential, credentialTeam, credentialHash, proof: null };
}

/** The arguments that every submitter function begins with. */
export const whoCalls = (
  { sql }: Deps,
  { team, form, accessKeyHash, credential, credentialHash, proof }: Call,
) =>
  sql`${team}, ${form}, ${accessKeyHash}, ${credential}, ${credentialHash}, ${proof?.keyId ?? null}, ${proof?.nonce ?? null}, ${proof?.nonceExpiresAt ?? null}`;

/** The same as members of an item of a group's list, with the version that this process holds. */
export const callerOf = (
  { form, accessKeyHash, credential, credentialHash, proof }: Call,
  published: Published | undefined,
) => ({
  form,
  access_key_hash: bytea(accessKeyHash),
  credential,
  credential_hash: bytea(credentialHash),
  key_id: proof?.keyId,
  nonce: bytea(proof?.nonce),
  nonce_expires_at: proof?.nonceExpiresAt,
  version: published?.version,
});

/** Bytes as PostgreSQL reads them from JSON. */
export const bytea = (bytes: Uint8Array | null | undefined) =>
  bytes && `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;

/** A published version as this process last saw it. */
export interface Published {
  version: number;
  form: Form;
}

/** What a SQL function answers that was told the version it is called for. */
export interface Answer {
  outcome: string;
  formVersion: number | null;
  formSchema: { fields: unknown[] } | null;
}

/** Compiled versions by form id; those used last are kept. Checked at every call, not trusted: see {@link withPublished}. */
const compiled = new LRUCache<string, Published>({ max: 1000 });

/**
 * Calls `ask` with the published version at hand; when the database says that it is another by now (or this process has none), compiles
 * that one and asks again. One round trip in the steady state, two after a publish.
 *
 * @throws {Problem} `unavailable` when the form is published faster than it can be asked for.
 */
export async function withPublished<T extends Answer>(
  { form }: Call,
  ask: (published: Published | undefined) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const published = compiled.get(form);
    const answer = await ask(published);
    if (answer.outcome !== "stale_version" || answer.formVersion === null || answer.formSchema === null) {
      return answer;
    }
    compiled.set(form, { version: answer.formVersion, form: compile(answer.formSchema) });
  }
  throw new Problem(
    "unavailable",
    "The form is being published again and again.",
    {},
    { "retry-after": "1" },
  );
}

/**
 * The refusal that an outcome is. A credential that is good, but for another team than the access key's, is `tenant_mismatch` (or
 * `agent_inactive`, which comes first); that look is one more round trip, and only for a caller who is refused anyway.
 */
export async function refusalOf(deps: Deps, call: Call, outcome: string): Promise<Problem> {
  const { sql } = deps;
  if (isUnclaimed(deps, call.request, outcome)) return new Problem("unauthorized");
  const mayBeAbroad =
    call.team !== call.credentialTeam && call.team !== nilTeam && call.credentialTeam !== nilTeam;
  if (outcome !== "unauthorized" || !mayBeAbroad) return new Problem(outcome as Code);
  const [known] = await sql<[{ abroad: Code | null; accessKey: boolean }]>`
    select formd.credential_abroad(${call.credentialTeam}, ${call.credential}, ${call.credentialHash}) as abroad,
      formd.access_key_known(${call.team}, ${call.form}, ${call.accessKeyHash}) as access_key`;
  return new Problem((known.accessKey && known.abroad) || "unauthorized");
}
