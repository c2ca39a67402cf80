/**
 * Assertions of an identity provider about the person for whom an agent acts (ID-JAG,
 * draft-ietf-oauth-identity-assertion-authz-grant-04), as in MCP's enterprise-managed authorization. Only the
 * log has the reason of a refused one.
 */
import { decodeJwt, type errors, exportJWK, type JWK, jwtVerify } from "jose";
import { limits } from "../../limits.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import type { Config } from "../../platform/config.ts";
import { isStorable } from "../../platform/http/body.ts";
import { once } from "../../platform/once.ts";
import { errorSentence } from "../../platform/outgoing/request.ts";
import { agentScopes } from "../../resources/grants/shapes.ts";
import { providerAlgorithms, providerKeys } from "../../resources/operators/identity-provider.ts";
import { issuerOf } from "./assertion.ts";

/** The URL of the MCP endpoint, which is the resource of a token. */
export const resourceOf = ({ BASE_URL }: Config): string => `${BASE_URL}/mcp`;

export const personGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const personProfile = "urn:ietf:params:oauth:grant-profile:id-jag";

const { maxIdLength, maxLifetimeMinutes } = limits.personAssertion;
const { clockSkewSeconds, maxSubjectLength, maxUrlLength } = limits.signInConnection;
const maxReasonCharacters = 300;

type Scope = (typeof agentScopes)[number];

/** A verified assertion. */
interface VerifiedPerson {
  reason?: never;
  issuer: string;
  subject: string;
  /** Scopes that the token may have. */
  scopes: Scope[];
  nonce: Uint8Array;
  nonceExpiresAt: Date;
}

/** The issuer that an unverified assertion names; empty: none. */
export function assertedIssuer(assertion: string): string {
  try {
    const { iss = "" } = decodeJwt(assertion);
    return typeof iss === "string" && iss.length <= maxUrlLength && isStorable(iss) ? iss : "";
  } catch {
    return "";
  }
}

/** A public key without a known private key. It makes an untrusted issuer as slow as a wrong signature. */
const nobodysKey = once(async (): Promise<JWK> => {
  const kind = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 };
  const publicExponent = new Uint8Array([1, 0, 1]);
  const { publicKey } = await crypto.subtle.generateKey({ ...kind, publicExponent }, false, [
    "sign",
    "verify",
  ]);
  // The algorithm is omitted, so that the key fits all algorithms of its kind.
  const { kty, n, e } = await exportJWK(publicKey);
  return { kty, n, e } as JWK;
});

/**
 * Verifies an assertion for an authenticated client. Claims that are not enforced here, such as a sender's
 * key or authorization details, are refused.
 * @param issuer of a connection; null: no connection accepts agents of the assertion's issuer
 * @returns its contents, or the reason why it is refused
 */
export async function verifyPerson(
  config: Config,
  { clientId, assertion, issuer }: { clientId: string; assertion: string; issuer: string | null },
): Promise<VerifiedPerson | { reason: string }> {
  const untrusted = { reason: "No connection accepts agents of this issuer." };
  try {
    const provider = issuer === null ? { issuer: "", keys: nobodysKey } : await providerKeys(config, issuer);
    const { payload } = await jwtVerify(assertion, provider.keys, {
      algorithms: providerAlgorithms,
      typ: "oauth-id-jag+jwt",
      issuer: provider.issuer,
      clockTolerance: clockSkewSeconds,
      requiredClaims: ["sub", "aud", "client_id", "jti", "exp", "iat", "resource"],
    });
    if (issuer === null) return untrusted;
    const { sub = "", jti = "", exp = 0, iat = 0, client_id, scope = agentScopes.join(" ") } = payload;
    const named = String(scope).split(" ");
    const resource = [payload.resource].flat();
    const now = Date.now() / 1000;
    const isOfDay = iat <= now + clockSkewSeconds && exp <= now + maxLifetimeMinutes * 60 + clockSkewSeconds;
    // With a second audience, that party could use it here (RFC 8725, section 3.9).
    const wrong = Object.entries({
      aud: [payload.aud].flat().join() === issuerOf(config),
      client_id: client_id === clientId,
      resource: resource.length === 1 && resource[0] === resourceOf(config),
      sub: typeof sub === "string" && sub !== "" && sub.length <= maxSubjectLength && isStorable(sub),
      jti: typeof jti === "string" && jti !== "" && jti.length <= maxIdLength,
      exp: isOfDay,
      scope: typeof scope === "string",
      cnf: payload.cnf === undefined,
      authorization_details: payload.authorization_details === undefined,
    }).find(([, isRight]) => !isRight);
    if (wrong) return { reason: `The claim ${wrong[0]} is not as expected.` };
    const scopes = agentScopes.filter((name) => named.includes(name));
    if (scopes.length === 0) return { reason: "It has no scope of this server." };
    return {
      issuer: provider.issuer,
      subject: sub,
      scopes,
      nonce: sha256(`id-jag ${provider.issuer} ${jti}`).subarray(0, 16),
      nonceExpiresAt: new Date((exp + 2 * clockSkewSeconds) * 1000),
    };
  } catch (error) {
    if (issuer === null) return untrusted;
    const { code } = error as Partial<errors.JOSEError>;
    return { reason: `${code ? `${code}: ` : ""}${errorSentence(error, maxReasonCharacters)}` };
  }
}
