/**
 * Secrets: `<kind>_<base64url(team)…><base64url(32 random bytes)>`. One names its team (an access key also
 * its form) for one look-up by key. Its SHA-256 is stored: 256 random bits need no slow hash.
 */
import { hash, randomBytes } from "node:crypto";

/**
 * fdk_ API key, fda_ agent secret, fds_ session, fdf_ form access key, fdo_ operator cookie, fdi_ invitation,
 * fdr_ link to choose a new password (it names the operator in place of the team), fdu_ first start's link,
 * fdn_ an operator's news feed of a form (it names the form too).
 */
export type SecretKind = "fdk" | "fda" | "fds" | "fdf" | "fdo" | "fdi" | "fdr" | "fdu" | "fdn";

export interface Secret {
  /** The whole text. It is shown once, to its holder. */
  secret: string;
  /** The first characters, for people: kind, ids and 6 of the 43 random characters. */
  prefix: string;
  /** The SHA-256 that is stored. */
  hash: Uint8Array;
}

/** The ids that a secret names, and its hash. A malformed one names the nil team, which does not exist. */
export interface ParsedSecret {
  team: string;
  form: string;
  hash: Uint8Array;
}

/** A hash as the key of a map. */
export const hashText = (hash: Uint8Array): string => Buffer.from(hash).toString("base64");

/** An id that no object has. */
export const nilUuid = "00000000-0000-0000-0000-000000000000";
const randomLength = 43;

/** A new secret that names these ids: a team, or a team and a form. */
export function makeSecret(kind: SecretKind, ...ids: string[]): Secret {
  const route = Buffer.from(ids.join("").replaceAll("-", ""), "hex").toString("base64url");
  const secret = `${kind}_${route}${randomBytes(32).toString("base64url")}`;
  return { secret, prefix: secret.slice(0, 4 + route.length + 6), hash: sha256(secret) };
}

/** Parses a secret. Does not throw for a malformed one, so that it costs the same work as an unknown one. */
export function parseSecret(kind: SecretKind, text: string): ParsedSecret {
  const hash = sha256(text);
  const ids = kind === "fdf" || kind === "fdn" ? 2 : 1;
  const routeLength = ids === 2 ? 43 : 22;
  if (
    text.length !== 4 + routeLength + randomLength ||
    !text.startsWith(`${kind}_`) ||
    !/^[\w-]+$/.test(text)
  ) {
    return { team: nilUuid, form: nilUuid, hash };
  }
  const hex = Buffer.from(text.slice(4, 4 + routeLength), "base64url").toString("hex");
  return { team: uuidOf(hex.slice(0, 32)), form: ids === 2 ? uuidOf(hex.slice(32, 64)) : nilUuid, hash };
}

/**
 * The token of the session behind an agent's secret at `/mcp`. It is derived, so that every server gets the
 * same token without a query. The secret is needed to derive it, and the database has only its hash.
 */
export const tokenBehind = (agentSecret: string): string => {
  const { team } = parseSecret("fda", agentSecret);
  const route = Buffer.from(team.replaceAll("-", ""), "hex").toString("base64url");
  return `fds_${route}${Buffer.from(sha256(`token at /mcp of ${agentSecret}`)).toString("base64url")}`;
};

/** SHA-256 of a text's UTF-8 or of bytes. */
export const sha256 = (data: string | Uint8Array): Uint8Array => hash("sha256", data, "buffer");

/** Formats 32 hexadecimal digits as a UUID. */
export const uuidOf = (hex: string) =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
