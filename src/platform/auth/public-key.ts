/** Agents' public keys: accepted PEM texts, and key ids. */
import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import { sha256 } from "./secret.ts";

/** Algorithm of a registered key. `ed25519` signs requests and assertions, `es256` OAuth assertions only. */
export type KeyAlgorithm = "ed25519" | "es256";

/** SubjectPublicKeyInfo of Ed25519 up to the 32 bytes of the point (RFC 8410, section 4). */
const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex");
/** The same prefix for P-256, up to the 65 bytes of an uncompressed point (RFC 5480). */
const p256Prefix = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");
/** A PEM with one block. Adjacent parts share no character: linear. Re-encoding checks the padding. */
const block = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/;

/** The specification's id: `key_` and 16 hex characters of the SHA-256 of the PEM text as sent. */
export const keyIdOf = (pem: string): string =>
  `key_${createHash("sha256").update(pem).digest("hex").slice(0, 16)}`;

/** Checks for a JWK thumbprint: 32 bytes in base64url (RFC 7638). A canonical id has 20 characters. */
export const isThumbprint = (keyId: string): boolean => /^[\w-]{43}$/.test(keyId);

/** An Ed25519 public key (32 bytes) as JWK (RFC 8037), its thumbprint (RFC 7638) as key id. */
export function jwkOfPoint(point: Uint8Array) {
  const members = { crv: "Ed25519", kty: "OKP", x: Buffer.from(point).toString("base64url") };
  return { ...members, kid: Buffer.from(sha256(JSON.stringify(members))).toString("base64url") };
}

/** {@link jwkOfPoint} of SPKI. */
export const jwkOf = (spki: Uint8Array) => jwkOfPoint(spki.subarray(spkiPrefix.length));

/** SPKI of an Ed25519 point. Undefined for an invalid point and one of small order ({@link spkiOf}). */
export const spkiOfPoint = (point: Uint8Array): Uint8Array<ArrayBuffer> | undefined =>
  point.length === 32 && isUsablePoint(point) ? new Uint8Array([...spkiPrefix, ...point]) : undefined;

/**
 * The 44 bytes of DER in a PEM.
 *
 * The point is decoded here, since WebCrypto imports points of small order on both runtimes. With the neutral
 * element as the key, one constant signature would verify every message (RFC 8032, section 8.9).
 *
 * @throws {Problem} `bad_request` unless it is one SPKI block with a canonical point, not of small order
 */
export function spkiOf(pem: string): Uint8Array<ArrayBuffer> {
  const der = derOf(pem, spkiPrefix, "the SubjectPublicKeyInfo of an Ed25519 key (44 bytes of DER)", 44);
  if (!isUsablePoint(der.subarray(12))) throw invalid("a canonical Ed25519 point that is not of small order");
  return new Uint8Array(der);
}

/**
 * The 91 bytes of DER in a PEM of a P-256 key.
 * @throws {Problem} `bad_request` unless the PEM is one SPKI block with an uncompressed point of the curve.
 */
export function p256SpkiOf(pem: string): Uint8Array<ArrayBuffer> {
  const expected = "with alg es256 the SubjectPublicKeyInfo of a P-256 key (91 bytes of DER)";
  const der = derOf(pem, p256Prefix, expected, 91);
  if (!isPointOfP256(der.subarray(26))) throw invalid("with alg es256 a point of the curve P-256");
  return new Uint8Array(der);
}

/** The algorithm of a PEM: `es256` if it has the prefix of a P-256 key. */
export function algorithmOf(pem: string): KeyAlgorithm {
  const der = Buffer.from(block.exec(pem)?.[1] ?? "", "base64");
  return der.subarray(0, p256Prefix.length).equals(p256Prefix) ? "es256" : "ed25519";
}

/** The bytes of the only block. @throws {Problem} `bad_request` unless they have this prefix and length. */
function derOf(pem: string, prefix: Buffer, expected: string, length: number): Buffer {
  const body = block.exec(pem)?.[1]?.replace(/\s/g, "");
  if (body === undefined)
    throw invalid(
      "one block between BEGIN PUBLIC KEY and END PUBLIC KEY; a private key never leaves its agent",
    );
  const der = Buffer.from(body, "base64");
  if (
    der.length !== length ||
    !der.subarray(0, prefix.length).equals(prefix) ||
    der.toString("base64") !== body
  )
    throw invalid(expected);
  return der;
}

function isPointOfP256(point: Uint8Array): boolean {
  try {
    p256.Point.fromBytes(new Uint8Array(point)).assertValidity();
    return point[0] === 4;
  } catch {
    return false;
  }
}

function isUsablePoint(point: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(new Uint8Array(point), false).isSmallOrder();
  } catch {
    return false;
  }
}

const invalid = (expected: string) => new Problem("bad_request", say("public_key_invalid", { expected }));
