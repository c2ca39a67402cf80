/** How an agent authenticates at the token endpoint: by its secret, or by an assertion that one of its keys signed (RFC 7523). */
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import { importKey } from "../auth/http-signature.ts";
import { spkiOf } from "../auth/public-key.ts";
import { sha256 } from "../auth/secret.ts";
import { dummyKey } from "../auth/verify-signature.ts";
import type { Config } from "../config.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import type { ClientCredentialsRequest } from "./shapes.ts";

const { maxLifetimeSeconds, maxSkewSeconds, maxIdLength } = limits.clientAssertion;
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export const issuerOf = ({ BASE_URL }: Config): string => BASE_URL;
export const tokenEndpointOf = ({ BASE_URL }: Config): string => `${BASE_URL}/oauth/token`;

export type ClientAuthentication =
  | { method: "secret"; clientId: string; secret: string }
  | { method: "assertion"; clientId: string; assertion: string };

/**
 * What the client authenticates with. A part that is missing is the empty text, which nothing has: the client gets the uniform 401.
 *
 * @throws {Problem} `bad_request` when it authenticates in two ways (RFC 6749, section 2.3).
 */
export function clientAuthentication(
  request: Request,
  {
    client_id,
    client_secret,
    client_assertion,
    client_assertion_type,
  }: typeof ClientCredentialsRequest.infer,
): ClientAuthentication {
  const header = request.headers.get("authorization");
  if ([header ?? undefined, client_secret, client_assertion].filter((way) => way !== undefined).length > 1)
    throw new Problem("bad_request", "The client must authenticate in one way.");
  if (client_assertion !== undefined) {
    if (client_assertion_type !== assertionType)
      throw new Problem("bad_request", `client_assertion_type must be ${assertionType}.`);
    return {
      method: "assertion",
      clientId: client_id ?? subjectOf(client_assertion),
      assertion: client_assertion,
    };
  }
  if (header === null) return { method: "secret", clientId: client_id ?? "", secret: client_secret ?? "" };
  const basic = basicOf(header);
  const isOther = client_id !== undefined && client_id !== basic.clientId;
  return { method: "secret", clientId: isOther ? "" : basic.clientId, secret: basic.secret };
}

/** The id and the secret of the header, each form-encoded (RFC 6749, section 2.3.1). */
function basicOf(header: string): { clientId: string; secret: string } {
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header) ?? [];
  const [id = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":");
  const decoded = (text: string) =>
    new URLSearchParams(`text=${text.replaceAll("&", "%26")}`).get("text") ?? "";
  return { clientId: decoded(id), secret: decoded(secret.join(":")) };
}

function subjectOf(assertion: string): string {
  try {
    const { sub } = decodeJwt(assertion);
    return typeof sub === "string" ? sub : "";
  } catch {
    return "";
  }
}

/** An active key of the client, as formd.oauth_client_admit returns it. */
export interface ClientKey {
  keyId: string;
  thumbprint: string;
  publicKeyPem: string;
}

/** What a verified assertion proves; the nonce is made of its `jti`, and stored until the assertion is past. */
export interface VerifiedAssertion {
  keyId: string;
  nonce: Uint8Array;
  nonceExpiresAt: Date;
}

/**
 * Verifies an assertion with the key that its `kid` names (the canonical id or the thumbprint), or without `kid` with each: an agent has at
 * most {@link limits.signingKey.maxActive}.
 *
 * @returns null when it is not valid, which the client is not told the reason of
 */
export async function verifyAssertion(
  config: Config,
  { clientId, assertion }: { clientId: string; assertion: string },
  keys: readonly ClientKey[],
): Promise<VerifiedAssertion | null> {
  let kid: string | undefined;
  try {
    kid = decodeProtectedHeader(assertion).kid;
  } catch {
    return null;
  }
  const named = keys.filter((key) => kid === undefined || kid === key.keyId || kid === key.thumbprint);
  // An unknown client or key costs one verification, as a wrong signature does.
  if (named.length === 0) await verifyWith(await dummyKey, config, clientId, assertion);
  for (const { keyId, publicKeyPem } of named) {
    const claims = await verifyWith(await importKey(spkiOf(publicKeyPem)), config, clientId, assertion);
    if (claims) return { keyId, ...nonceOf(claims) };
  }
  return null;
}

async function verifyWith(
  key: CryptoKey,
  config: Config,
  clientId: string,
  assertion: string,
): Promise<Required<Pick<JWTPayload, "exp" | "jti">> | null> {
  try {
    const { payload } = await jwtVerify(assertion, key, {
      algorithms: ["EdDSA"],
      issuer: clientId,
      subject: clientId,
      audience: [issuerOf(config), tokenEndpointOf(config)],
      clockTolerance: maxSkewSeconds,
      requiredClaims: ["exp", "jti"],
    });
    const { exp = 0, jti } = payload;
    const isShort = exp <= Date.now() / 1000 + maxLifetimeSeconds + maxSkewSeconds;
    return isShort && typeof jti === "string" && jti.length <= maxIdLength ? { exp, jti } : null;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}

const nonceOf = ({ exp, jti }: { exp: number; jti: string }) => ({
  nonce: sha256(`jti ${jti}`).subarray(0, 16),
  nonceExpiresAt: new Date((exp + 2 * maxSkewSeconds) * 1000),
});
