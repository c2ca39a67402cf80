/** Agents' public keys: which PEM is taken, and what it is called. */
import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { Problem } from "../problem.ts";
import { sha256 } from "./secret.ts";

/** SubjectPublicKeyInfo of Ed25519 up to the 32 bytes of the point (RFC 8410, section 4). */
const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex");
/** One block. Adjacent parts have no character in common, so that no text makes the match slow. Encoding the bytes again checks the padding. */
const block = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/;

/** The specification's canonical id: `key_` and the first 16 hex characters of the SHA-256 of the PEM text, exactly as it was sent. */
export const keyIdOf = (pem: string): string =>
  `key_${createHash("sha256").update(pem).digest("hex").slice(0, 16)}`;

/** Whether a text is the JWK thumbprint of a key: 32 bytes in base64url (RFC 7638). A canonical id has 20 characters. */
export const isThumbprint = (keyId: string): boolean => /^[\w-]{43}$/.test(keyId);

/** An Ed25519 public key as JWK (RFC 8037), with its thumbprint (RFC 7638) as key id. @param point 32 bytes */
export function jwkOfPoint(point: Uint8Array) {
  const members = { crv: "Ed25519", kty: "OKP", x: Buffer.from(point).toString("base64url") };
  return { ...members, kid: Buffer.from(sha256(JSON.stringify(members))).toString("base64url") };
}

/** {@link jwkOfPoint} of SPKI. */
export const jwkOf = (spki: Uint8Array) => jwkOfPoint(spki.subarray(spkiPrefix.length));

/**
 * The 44 bytes of DER in a PEM.
 *
 * The point is decoded here, since WebCrypto imports points of small order on both runtimes: with the neutral element as key, one constant
 * signature would verify every message (RFC 8032, section 8.9 on what such keys are).
 *
 * @throws {Problem} `bad_request` for anything but one SPKI block with a canonical Ed25519 point that is not of small order.
 */
export function spkiOf(pem: string): Uint8Array<ArrayBuffer> {
  const body = block.exec(pem)?.[1]?.replace(/\s/g, "");
  if (body === undefined)
    throw invalid(
      "one block between BEGIN PUBLIC KEY and END PUBLIC KEY; a private key never leaves its agent",
    );
  const der = Buffer.from(body, "base64");
  if (der.length !== 44 || !der.subarray(0, 12).equals(spkiPrefix) || der.toString("base64") !== body) {
    throw invalid("the SubjectPublicKeyInfo of an Ed25519 key (44 bytes of DER)");
  }
  if (!isUsablePoint(der.subarray(12))) throw invalid("a canonical Ed25519 point that is not of small order");
  return new Uint8Array(der);
}

function isUsablePoint(point: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(new Uint8Array(point), false).isSmallOrder();
  } catch {
    return false;
  }
}

const invalid = (expected: string) => new Problem("bad_request", `publicKeyPem must be ${expected}.`);
