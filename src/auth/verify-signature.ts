/**
 * From a signed request to its proof: which key signed it, and the nonce to claim. The key's state is not judged here but by the call that
 * uses the proof, live.
 */
import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { hostOf } from "../http/host.ts";
import { contextOf, pathOf, rawQueryOf } from "../http/request-context.ts";
import {
  type FailureStep,
  importKey,
  type Message,
  type ParsedSignature,
  parseSignature,
  type SignatureOptions,
  verifyWithKey,
} from "./http-signature.ts";
import { spkiOf } from "./public-key.ts";

/** What a verified signature proves: that the holder of this key made this request. */
export interface VerifiedSignature {
  keyId: string;
  nonce: Uint8Array;
  nonceExpiresAt: Date;
}

/** Public keys by team and key id; those used last are kept. A key id stands for one PEM for good, so nothing here goes stale. */
const keys = new LRUCache<string, CryptoKey>({ max: 10_000 });

/** Somebody's key, to verify with when there is none, so that an unknown key id takes as long as a known one. */
const dummyKey = importKey(
  new Uint8Array(Buffer.from("MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=", "base64")),
);

/**
 * The proof of a request's signature, or null. Null is all that the caller may be told (a uniform 401); the log says the step, and at debug
 * level the signature base that was expected. No round trip for a key that this process has seen, else one.
 */
export async function verifySignature(
  deps: Deps,
  request: Request,
  bytes: Uint8Array,
  team: string,
  options: SignatureOptions = {},
): Promise<VerifiedSignature | null> {
  const message = messageOf(deps.config, request, bytes);
  const examined = parseSignature(message, Math.floor(Date.now() / 1000), options);
  const step = examined.step ?? (await verifyStep(deps, team, examined));
  if (step === undefined) return examined as ParsedSignature;
  logRefused(deps, request, step);
  deps.log.debug({ requestId: contextOf(request).requestId, base: examined.base }, "expected signature base");
  return null;
}

const refusalSteps: Record<string, "key" | "nonce"> = { key_unusable: "key", nonce_used: "nonce" };

/** Whether an outcome is `formd.signature_claim`'s refusal of a proof: a 401 like any other, with the step in the log. */
export function logSignatureRefusal(deps: Deps, request: Request, outcome: string): boolean {
  const step = refusalSteps[outcome];
  if (step) logRefused(deps, request, step);
  return step !== undefined;
}

const logRefused = ({ log }: Deps, request: Request, step: FailureStep | "nonce") =>
  log.info({ requestId: contextOf(request).requestId, step }, "signature refused");

async function verifyStep(
  deps: Deps,
  team: string,
  examined: ParsedSignature,
): Promise<FailureStep | undefined> {
  const key = await keyOf(deps, team, examined.keyId);
  const verified = await verifyWithKey(key ?? (await dummyKey), examined);
  return !key ? "key" : !verified ? "verify" : undefined;
}

async function keyOf({ sql }: Deps, team: string, keyId: string): Promise<CryptoKey | undefined> {
  const name = `${team}/${keyId}`;
  let key = keys.get(name);
  if (!key) {
    const { publicKeyPem } = oneRow(
      await sql<{ publicKeyPem: string | null }[]>`
        select (select public_key_pem from formd.signing_keys where team_id = ${team} and key_id = ${keyId})`,
    );
    if (publicKeyPem === null) return undefined;
    key = await importKey(spkiOf(publicKeyPem));
    keys.set(name, key);
  }
  return key;
}

/** A request as RFC 9421 sees it. The request hook has checked the host. */
export const messageOf = (
  config: Pick<Config, "BASE_URL">,
  request: Request,
  bytes: Uint8Array,
): Message => ({
  method: request.method,
  authority: hostOf(request, config),
  path: pathOf(request),
  query: rawQueryOf(request) || "?",
  headers: request.headers,
  bytes,
});
