/**
 * Request signatures: HTTP Message Signatures (RFC 9421) in the specification's profile, Ed25519 only.
 * Parsing and checking have no side effects and return the failed step. A caller always gets a plain 401.
 *
 * With `tag="web-bot-auth"` the parameters are those of Web Bot Auth
 * (draft-ietf-webbotauth-httpsig-protocol). The components that the specification requires stay required, so
 * that one signature satisfies both.
 */
import { timingSafeEqual } from "node:crypto";
import type { Dictionary, InnerList, Item, Parameters } from "structured-headers";
import { parseDictionary, serializeInnerList, serializeItem } from "structured-headers";
import { limits } from "../../limits.ts";
import { isThumbprint } from "./public-key.ts";
import { sha256 } from "./secret.ts";

const { maxSkewSeconds } = limits.signature;
const { maxLifetimeHours, minNonceBytes, maxNonceBytes } = limits.webBotAuth;

/** The parts of a request that a signature can cover (RFC 9421, section 2). */
export interface SignedMessage {
  method: string;
  /** The Host header: lowercase, without the scheme's default port (section 2.2.3). */
  authority: string;
  /** The path as received, not decoded (section 2.2.6). */
  path: string;
  /** The query with its `?`, or `?` alone if it is empty (section 2.2.7). */
  query: string;
  headers: Headers;
  /** Absent: the body is read after the signature is verified. Call {@link digestMatches} then. */
  bytes?: Uint8Array | undefined;
}

/** The step that a request failed at, in the order in which the steps are checked. */
export type FailureStep =
  | "signature-input" // not a dictionary, or sig1 not there once
  | "signature" // not a dictionary, sig1 not there once, or not 64 bytes with a canonical S
  | "components" // one twice, with parameters, unknown, absent from the request, or a required one missing
  // created, keyid, alg or nonce (Web Bot Auth: not alg, but expires) missing or of the wrong kind
  | "parameters"
  | "created" // too far from our clock, or expired
  | "content-digest" // missing, or not of this body
  | "key" // not registered here, revoked, or expired
  | "verify"; // the signature is not by this key over this base

/** A well-formed signature whose cryptography is still to be checked. */
export interface ParsedSignature {
  /** The registered key id, or for Web Bot Auth possibly the key's thumbprint. */
  keyId: string;
  /** 16 bytes. */
  nonce: Uint8Array;
  /** Time from which the nonce may be purged: `created` is then too old for the clock of any server. */
  nonceExpiresAt: Date;
  signature: Uint8Array<ArrayBuffer>;
  /** The member sig1 of Signature-Input, serialized. */
  input: string;
  /** The signature base (section 2.5). */
  base: string;
}

export interface SignatureOptions {
  /** True for the only route where `x-form-access-key` is optional. If sent, it must be covered. */
  accessKeyIsOptional?: boolean;
  /** The body is a stream, which the route compares with the digest when it has read it. */
  digestIsCheckedLater?: boolean;
}

type ParseResult = { step: FailureStep; base?: string } | ({ step?: never } & ParsedSignature);

/** "A signature is present": either header exists, even if empty. A token is not tried then. */
export const isSigned = ({ headers }: { headers: Headers }): boolean =>
  headers.has("signature") || headers.has("signature-input");

/** Checks everything about a signed request that needs no key. @param now seconds since 1970 */
export function parseSignature(
  message: SignedMessage,
  now: number,
  { accessKeyIsOptional = false }: SignatureOptions = {},
): ParseResult {
  const input = sig1Member(message.headers.get("signature-input"));
  if (!input || !isInnerList(input)) return { step: "signature-input" };
  const signature = sig1Member(message.headers.get("signature"));
  if (!signature || isInnerList(signature) || !(signature[0] instanceof ArrayBuffer))
    return { step: "signature" };
  const signatureBytes = new Uint8Array(signature[0]);
  if (signatureBytes.length !== 64 || !isCanonical(signatureBytes)) return { step: "signature" };

  const [items, parameters] = input;
  const base = signatureBase(message, input);
  if (base === undefined) return { step: "components" };
  const names = items.map(([name]) => name);
  const required = ["@method", "@authority", "@path"];
  if (!accessKeyIsOptional || message.headers.has("x-form-access-key")) required.push("x-form-access-key");
  if (isWebBotAuth(parameters) && message.headers.has("signature-agent")) required.push("signature-agent");
  if (required.some((name) => !names.includes(name))) return { step: "components", base };

  const stated = isWebBotAuth(parameters) ? webBotAuthParameters(parameters) : ownParameters(parameters);
  if (!stated) return { step: "parameters", base };
  const { created, keyId, nonce, expires } = stated;
  if (Math.abs(now - created) > maxSkewSeconds || (expires !== undefined && now > expires))
    return { step: "created", base };

  const covered = names.includes("content-digest");
  const isCovered = covered
    ? message.bytes === undefined || digestMatches(message.headers, message.bytes)
    : message.bytes?.length === 0;
  if (!isCovered) return { step: "content-digest", base };
  if (isThumbprint(keyId) && !isWebBotAuth(parameters)) return { step: "key", base };
  const nonceExpiresAt = new Date((created + 2 * maxSkewSeconds) * 1000);
  return { keyId, nonce, nonceExpiresAt, signature: signatureBytes, input: serializeInnerList(input), base };
}

/** Parses the specification's parameters. Undefined: one is missing or has the wrong type. */
function ownParameters(parameters: Parameters) {
  const { created, keyid, alg, nonce, expires } = Object.fromEntries(parameters);
  const nonceBytes = nonceOf(nonce);
  if (!isInteger(created) || typeof keyid !== "string" || alg !== "ed25519" || !nonceBytes) return undefined;
  if (expires !== undefined && !isInteger(expires)) return undefined;
  return { created, keyId: keyid, nonce: nonceBytes, expires };
}

/** Web Bot Auth's parameters: the key sets the algorithm; `expires` and a nonce: a request is valid once. */
function webBotAuthParameters(parameters: Parameters) {
  const { created, keyid, alg = "ed25519", nonce, expires } = Object.fromEntries(parameters);
  const nonceBytes = longNonceOf(nonce);
  if (!isInteger(created) || typeof keyid !== "string" || alg !== "ed25519" || !nonceBytes) return undefined;
  if (!isInteger(expires) || expires < created || expires - created > maxLifetimeHours * 3600)
    return undefined;
  return { created, keyId: keyid, nonce: nonceBytes, expires };
}

export const isWebBotAuth = (parameters: Parameters): boolean => parameters.get("tag") === "web-bot-auth";

const isInteger = (value: unknown): value is number => Number.isInteger(value);

/** Verifies that the signature is by this key over this base. */
export async function verifyWithKey(
  key: CryptoKey,
  { signature, base }: Pick<ParsedSignature, "signature" | "base">,
): Promise<boolean> {
  return await crypto.subtle.verify("Ed25519", key, signature, new TextEncoder().encode(base));
}

/** A key to verify with, from checked SPKI. */
export const importKey = (spki: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey("spki", spki, "Ed25519", false, ["verify"]);

const isInnerList = (member: Item | InnerList): member is InnerList => Array.isArray(member[0]);

/** The member `sig1` of a dictionary (RFC 8941, section 3.2), if there once. Ignores other labels. */
function sig1Member(header: string | null): Item | InnerList | undefined {
  if (header === null) return undefined;
  try {
    // RFC 8941 lets the last of two equal keys win, and an attacker could add one. An unterminated string is
    // matched as a whole, otherwise the search would restart at each quote.
    const unquoted = header.replace(/"(?:[^"\\]|\\.)*"?/g, '""');
    if ([...unquoted.matchAll(/(?:^|,)[ \t]*sig1[ \t]*(?==|;|,|$)/g)].length !== 1) return undefined;
    return parseDictionary(header).get("sig1");
  } catch {
    return undefined;
  }
}

/** The signature base (section 2.5). Undefined: a component is unknown, repeated or absent. */
export function signatureBase(message: SignedMessage, input: InnerList): string | undefined {
  const [items, parameters] = input;
  const lines = new Map<string, string>();
  // Members of Signature-Agent, parsed once: a signature can cover hundreds of them.
  let members: Dictionary | undefined;
  for (const item of items) {
    const [name, itemParameters] = item;
    const identifier = serializeItem(item);
    if (typeof name !== "string" || lines.has(identifier)) return undefined;
    let value: string | undefined;
    if (itemParameters.size === 0) value = componentOf(message, name);
    else if (isWebBotAuth(parameters) && name === "signature-agent") {
      members ??= dictionaryOf(message.headers.get(name));
      value = memberOf(members, itemParameters);
    }
    if (value === undefined) return undefined;
    lines.set(identifier, value);
  }
  const covered = [...lines].map(([identifier, value]) => `${identifier}: ${value}`);
  return [...covered, `"@signature-params": ${serializeInnerList(input)}`].join("\n");
}

/** Parses a dictionary field. Returns an empty dictionary if it is malformed. */
function dictionaryOf(header: string | null): Dictionary {
  try {
    return parseDictionary(header ?? "");
  } catch {
    return new Map();
  }
}

/** The dictionary member that a component's only parameter `key` names, serialized (section 2.1.2). */
function memberOf(members: Dictionary, parameters: Parameters): string | undefined {
  const key = parameters.get("key");
  if (parameters.size !== 1 || typeof key !== "string") return undefined;
  const member = members.get(key);
  return member && (isInnerList(member) ? serializeInnerList(member) : serializeItem(member));
}

/** A component's value. Sections 2.2 (derived) and 2.1 (a field: trimmed values, joined). */
function componentOf({ method, authority, path, query, headers }: SignedMessage, name: string) {
  if (name === "@method") return method;
  if (name === "@authority") return authority;
  if (name === "@path") return path;
  if (name === "@query") return query;
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return undefined;
  const value = headers.get(name)?.trim();
  // The base is ASCII (section 2.5). Runtimes decode other bytes differently.
  return value !== undefined && /^[\t -~]*$/.test(value) ? value : undefined;
}

/** Parses 16 bytes in base64url: 22 characters, optionally with `==`. */
function nonceOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || !/^[\w-]{22}(?:==)?$/.test(text)) return undefined;
  return Buffer.from(text, "base64url");
}

/** Parses 16 to 64 bytes in base64(url), padded or not. Returns 16 bytes to store: half of their SHA-256. */
function longNonceOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || !/^[\w+/-]{22,86}={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length < minNonceBytes || bytes.length > maxNonceBytes
    ? undefined
    : sha256(bytes).subarray(0, 16);
}

/** Checks Content-Digest (RFC 9530, section 2): sha-256 is required and must match, others are ignored. */
export function digestMatches(headers: Headers, bytes: Uint8Array): boolean {
  return isDigest(headers, sha256(bytes));
}

/** Checks whether Content-Digest (RFC 9530) has this SHA-256. */
export function isDigest(headers: Headers, expected: Uint8Array): boolean {
  try {
    const [digest] = parseDictionary(headers.get("content-digest") ?? "").get("sha-256") ?? [];
    if (!(digest instanceof ArrayBuffer)) return false;
    return digest.byteLength === expected.length && timingSafeEqual(new Uint8Array(digest), expected);
  } catch {
    return false;
  }
}

/** The order of the base point, L = 2^252 + 27742317777372353535851937790883648493, big-endian. */
const order = Buffer.from("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed", "hex");

/** S < L (RFC 8032, section 5.1.7): otherwise S + L would be a second signature of the same message. */
const isCanonical = (signature: Uint8Array): boolean =>
  Buffer.compare(Buffer.from(signature.subarray(32)).reverse(), order) < 0;
