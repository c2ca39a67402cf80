/**
 * Assertions signed by an agent's key (RFC 7523), as `private_key_jwt`. Algorithms have their JOSE names:
 * Ed25519 is `EdDSA` (RFC 8037) and `Ed25519` (RFC 9864), P-256 is `ES256`.
 */
import { decodeProtectedHeader, errors, type JWTHeaderParameters, jwtVerify } from "jose";
import { limits } from "../../limits.ts";
import { importKey } from "../../platform/auth/http-signature.ts";
import { type KeyAlgorithm, p256SpkiOf, spkiOf } from "../../platform/auth/public-key.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import { dummyKey } from "../../platform/auth/verify-signature.ts";
import type { Config } from "../../platform/config.ts";

/** Identifiers of this server for clients and identity providers. */
export const issuerOf = ({ BASE_URL }: Config): string => BASE_URL;
export const tokenEndpointOf = ({ BASE_URL }: Config): string => `${BASE_URL}/oauth/token`;

const { maxLifetimeSeconds, maxSkewSeconds, maxIdLength } = limits.clientAssertion;

/** The kind of key that an `alg` needs. */
const kinds: Readonly<Record<string, KeyAlgorithm>> = {
  EdDSA: "ed25519",
  Ed25519: "ed25519",
  ES256: "es256",
};
export const assertionAlgorithms = Object.keys(kinds);

/** An active key of the client, as formd.oauth_client_admit returns it. */
export interface ClientKey {
  keyId: string;
  thumbprint: string;
  alg: KeyAlgorithm;
  publicKeyPem: string;
}

/** The step that failed, for the log. The SQL function that creates the session returns the last three. */
export type AssertionStep =
  | "jwt" // not three parts of base64url with a JSON header
  | "alg" // none of {@link assertionAlgorithms}
  | "key" // the client is unknown, or has no active key of that kind and `kid`
  | "signature" // not by the client's key
  | Claim
  | "key_unusable"
  | "nonce_used"
  | "agent_inactive";

type Claim = "typ" | "iss" | "sub" | "aud" | "exp" | "nbf" | "iat" | "jti";

/** A verified assertion. The nonce is derived from its `jti`, and stored until the assertion expires. */
type VerifiedAssertion = { step?: never; keyId: string; nonce: Uint8Array; nonceExpiresAt: Date };

/** `expected` is for the client. It must not disclose which clients and keys exist. */
interface RefusedAssertion {
  step: AssertionStep;
  expected?: string;
}

/**
 * Verifies an assertion with the key that `kid` names (id or thumbprint), or each key of that kind: at most
 * {@link limits.signingKey.maxActive}. Claims are checked after the signature: only the holder of the key
 * gets their errors.
 */
export async function verifyAssertion(
  config: Config,
  { clientId, assertion }: { clientId: string; assertion: string },
  keys: readonly ClientKey[],
): Promise<VerifiedAssertion | RefusedAssertion> {
  const header = headerOf(assertion);
  if (!header) return { step: "jwt", expected: "client_assertion must be a JWT." };
  const { kid, alg } = header;
  const kind = Object.hasOwn(kinds, alg) ? kinds[alg] : undefined;
  if (!kind) return { step: "alg", expected: `alg must be one of ${assertionAlgorithms.join(", ")}.` };
  const named = keys.filter(
    (key) => key.alg === kind && (kid === undefined || kid === key.keyId || kid === key.thumbprint),
  );
  // An unknown client or key costs one verification, like a wrong signature.
  if (named.length === 0) {
    await verifyWith(await dummyKeys[kind], config, clientId, assertion);
    return { step: "key" };
  }
  for (const { keyId, publicKeyPem } of named) {
    const verified = await verifyWith(await importers[kind](publicKeyPem), config, clientId, assertion);
    if (!verified.step) return { keyId, ...nonceOf(verified) };
    if (verified.step !== "signature") return verified;
  }
  return { step: "signature" };
}

/** The members of a JWT's header that are read before the signature is verified. */
function headerOf(assertion: string): { kid: string | undefined; alg: string } | undefined {
  try {
    const { kid, alg } = decodeProtectedHeader(assertion);
    return { kid, alg: String(alg) };
  } catch {
    return undefined;
  }
}

const importP256 = (spki: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey("spki", spki, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);

const importers: Record<KeyAlgorithm, (pem: string) => Promise<CryptoKey>> = {
  ed25519: (pem) => importKey(spkiOf(pem)),
  es256: (pem) => importP256(p256SpkiOf(pem)),
};

const dummyKeys: Record<KeyAlgorithm, Promise<CryptoKey>> = {
  ed25519: dummyKey,
  // The base point.
  es256: importP256(
    new Uint8Array(
      Buffer.from(
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==",
        "base64",
      ),
    ),
  ),
};

type Verified = { step?: never; exp: number; jti: string };

async function verifyWith(
  key: CryptoKey,
  config: Config,
  clientId: string,
  assertion: string,
): Promise<Verified | RefusedAssertion> {
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, key, {
      algorithms: assertionAlgorithms,
      issuer: clientId,
      subject: clientId,
      audience: [issuerOf(config), tokenEndpointOf(config)],
      clockTolerance: maxSkewSeconds,
      requiredClaims: ["exp", "jti"],
    });
    const { exp = 0, jti, aud } = payload;
    const wrong =
      wrongType(protectedHeader) ??
      // With a second audience, that party could replay it (RFC 8725, section 3.9).
      (typeof aud !== "string" && aud?.length !== 1 ? "aud" : undefined) ??
      (exp > Date.now() / 1000 + maxLifetimeSeconds + maxSkewSeconds ? "exp" : undefined);
    if (wrong) return refusedFor(config, wrong);
    return typeof jti === "string" && jti.length <= maxIdLength ? { exp, jti } : refusedFor(config, "jti");
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
      return refusedFor(config, error.claim as Claim);
    if (error instanceof errors.JOSEError || error instanceof TypeError) return { step: "signature" };
    throw error;
  }
}

/** Refuses tokens of other kinds (RFC 8725, section 3.11). */
function wrongType({ typ = "JWT" }: JWTHeaderParameters): "typ" | undefined {
  const isAssertion = ["jwt", "client-authentication+jwt"].includes(
    typ.toLowerCase().replace(/^application\//, ""),
  );
  return isAssertion ? undefined : "typ";
}

const refusedFor = (config: Config, claim: Claim): RefusedAssertion => {
  const expected: Record<Claim, string> = {
    typ: "typ must be JWT or client-authentication+jwt, or be left out.",
    iss: "iss must be the client_id.",
    sub: "sub must be the client_id.",
    aud: `aud must be ${issuerOf(config)} or ${tokenEndpointOf(config)}, and nothing else.`,
    exp: `exp must be in the future, by at most ${maxLifetimeSeconds} seconds.`,
    nbf: "nbf must not be in the future.",
    iat: "iat must not be in the future.",
    jti: `jti must be a text of at most ${maxIdLength} characters.`,
  };
  return { step: claim, expected: expected[claim] };
};

const nonceOf = ({ exp, jti }: { exp: number; jti: string }) => ({
  nonce: sha256(`jti ${jti}`).subarray(0, 16),
  nonceExpiresAt: new Date((exp + 2 * maxSkewSeconds) * 1000),
});
