/** Verifies a signed request: its key, and the nonce that SQL claims. SQL also checks the key's state. */
import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Problem } from "../../problem.ts";
import type { Config } from "../config.ts";
import { oneRow } from "../database/db.ts";
import type { Deps } from "../deps.ts";
import type { ReadableBody } from "../http/body.ts";
import { hostOf } from "../http/host.ts";
import { contextOf, pathOf, rawQueryOf, requestIdsOf } from "../http/request-context.ts";
import type { FailureStep, ParsedSignature, SignatureOptions, SignedMessage } from "./http-signature.ts";
import { digestMatches, importKey, parseSignature, verifyWithKey } from "./http-signature.ts";
import { isThumbprint, spkiOf } from "./public-key.ts";
import { limitUnknownCallers } from "./unknown-callers.ts";

/** A verified signature. It proves that the holder of this key made this request. */
export type VerifiedSignature = Omit<ParsedSignature, "base">;

/** Cache of public keys by team and key id, which never change: an id is a digest of the key or its PEM. */
const keys = new LRUCache<string, CryptoKey>({ max: 10_000 });

const keyName = (team: string, keyId: string) => `${team}/${keyId}`;

/** Removes a refused key from the cache. The next request with it then counts as an unknown caller's. */
export const forgetKey = (team: string, keyId: string): void => void keys.delete(keyName(team, keyId));

/** Key for an unknown key id, so that the response takes as long as for a known one. */
export const dummyKey = importKey(
  new Uint8Array(Buffer.from("MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=", "base64")),
);

/**
 * The verified signature, or null, to which the response must be uniform (401): the log has the step, and at
 * debug level the expected signature base. A valid signature with a cached key needs no round trip, any other
 * needs one.
 */
export async function verifySignature(
  deps: Deps,
  request: Request,
  body: ReadableBody,
  team: string,
  options: SignatureOptions = {},
): Promise<VerifiedSignature | null> {
  const message = signedMessageOf(deps.config, request, body.bytes);
  const examined = parseSignature(message, Math.floor(Date.now() / 1000), options);
  const step =
    examined.step ??
    (await verifyStep(deps, request, team, examined)) ??
    (options.digestIsCheckedLater ? undefined : await digestStep(request, body, message));
  if (step === undefined) return examined as ParsedSignature;
  logFailure(deps, request, step);
  deps.log.debug({ ...requestIdsOf(request), base: examined.base }, "expected signature base");
  return null;
}

const failureSteps: Record<string, "key" | "nonce"> = { key_unusable: "key", nonce_used: "nonce" };

/** Logs the step of an outcome of `formd.signature_claim`. @returns true if it is one: a uniform 401. */
export function logRefusedSignature(deps: Deps, request: Request, outcome: string): boolean {
  const step = failureSteps[outcome];
  if (step) logFailure(deps, request, step);
  return step !== undefined;
}

/** `Accept-Signature` (RFC 9421, section 5.1) by the request alone. The nonce is new, and not remembered. */
function acceptSignature({ headers }: Request, { accessKeyIsOptional }: SignatureOptions): string {
  const hasBody = headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
  const isNamed = !accessKeyIsOptional || headers.has("x-form-access-key");
  const components = [
    ...["@method", "@authority", "@path"],
    ...(isNamed ? ["x-form-access-key"] : []),
    ...(hasBody ? ["content-digest"] : []),
  ];
  return `sig1=(${components.map((name) => `"${name}"`).join(" ")});created;nonce="${randomBytes(16).toString("base64url")}";alg="ed25519"`;
}

/** The 401 of a signed request. It is the same whatever is wrong with the request or its access key. */
export const signatureRefused = (request: Request, options: SignatureOptions = {}): Problem =>
  new Problem("unauthorized", { headers: { "accept-signature": acceptSignature(request, options) } });

/** Logs the step in a separate line and in the request's. Steps: FailureStep of ./http-signature.ts. */
function logFailure({ log }: Deps, request: Request, step: FailureStep | "nonce"): void {
  const context = contextOf(request);
  context.cause = { step };
  log.info({ ...requestIdsOf(request), step }, "signature refused");
}

async function verifyStep(deps: Deps, request: Request, team: string, examined: ParsedSignature) {
  const name = keyName(team, examined.keyId);
  const cached = keys.get(name);
  const key = cached ?? (await readKey(deps, request, team, examined.keyId));
  const isVerified = await verifyWithKey(key ?? (await dummyKey), examined);
  if (key && !cached) keys.set(name, key);
  // A failure takes one round trip for any key, so that its duration reveals nothing about the key id.
  if (cached && !isVerified) await readKey(deps, request, team, examined.keyId);
  return !key ? "key" : !isVerified ? "verify" : undefined;
}

/** Checks the digest of a body that was not read before. */
async function digestStep({ headers }: Request, body: ReadableBody, { bytes }: SignedMessage) {
  if (bytes !== undefined || digestMatches(headers, await body.read())) return undefined;
  return "content-digest";
}

async function readKey(deps: Deps, request: Request, team: string, keyId: string) {
  limitUnknownCallers(deps, request);
  const { sql } = deps;
  // An es256 key verifies assertions only.
  const isNamed = isThumbprint(keyId) ? sql`k.thumbprint = ${keyId} limit 1` : sql`k.key_id = ${keyId}`;
  const { publicKeyPem } = oneRow(
    await sql<{ publicKeyPem: string | null }[]>`
      select (select k.public_key_pem from formd.signing_keys k where k.team_id = ${team} and k.alg = 'ed25519' and ${isNamed})`,
  );
  return publicKeyPem === null ? undefined : await importKey(spkiOf(publicKeyPem));
}

/** A request as RFC 9421 sees it. The request hook has checked the host. */
export const signedMessageOf = (
  config: Pick<Config, "BASE_URL">,
  request: Request,
  bytes: Uint8Array | undefined,
): SignedMessage => ({
  method: request.method,
  authority: hostOf(request, config),
  path: pathOf(request),
  query: rawQueryOf(request) || "?",
  headers: request.headers,
  bytes,
});
