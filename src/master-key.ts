/**
 * The master key, from which every other key of the server is derived by HKDF-SHA-256 (RFC 5869), so that none of them is stored.
 *
 * The info of a derivation is `formd/1 <use> <id>`: a use never shares a key with another use, nor one id with another id.
 */
import { hkdfSync, randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { Problem } from "./problem.ts";

/** What a derived key is for. A use keeps its name for good: with another one, the keys that it has given change. */
export type KeyUse =
  | "webhook-hmac"
  | "webhook-ed25519"
  | "receipt"
  | "mcp-state"
  | "form-page"
  | "altcha"
  | "setup-link"
  | "http-message-signatures";

const keyBytes = 32;

/** Of a PKCS #8 document that holds an Ed25519 seed: all that precedes the seed (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** An Ed25519 key pair. */
export interface SigningKeyPair {
  /** Signs only, and is not extractable. */
  privateKey: CryptoKey;
  /** 32 bytes. */
  publicKey: Uint8Array;
}

export class MasterKey {
  readonly #bytes: Uint8Array<ArrayBuffer> | undefined;

  /** @param bytes as {@link parseMasterKey} returns them; undefined: the server has none, and every derivation is a problem */
  constructor(bytes: Uint8Array<ArrayBuffer> | undefined) {
    this.#bytes = bytes;
  }

  /** Whether features that need the key can work. */
  get isPresent(): boolean {
    return this.#bytes !== undefined;
  }

  /** @throws {Problem} as {@link derive}, before there is an id to derive for. */
  requirePresent(): void {
    this.derive("webhook-hmac", "");
  }

  /**
   * The 32 bytes for a use and an id.
   *
   * @param id such as a team's id and a version: whatever the use has one key for
   * @throws {Problem} `unavailable`, naming the variable, when the server has no master key
   */
  derive(use: KeyUse, id: string): Uint8Array<ArrayBuffer> {
    if (!this.#bytes)
      throw new Problem("unavailable", {
        message:
          "This needs FORMD_SECRET_KEY, which is not set on this server: formd secret generate makes one.",
        headers: { "retry-after": "60" },
      });
    return new Uint8Array(hkdfSync("sha256", this.#bytes, "", `formd/1 ${use} ${id}`, keyBytes));
  }

  /** The key for HMAC-SHA-256. Throws as {@link derive}. */
  async hmacKey(use: KeyUse, id: string): Promise<CryptoKey> {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    return await crypto.subtle.importKey("raw", this.derive(use, id), algorithm, false, ["sign", "verify"]);
  }

  /** The key for AES-256-GCM. Throws as {@link derive}. */
  async aesKey(use: KeyUse, id: string): Promise<CryptoKey> {
    return await crypto.subtle.importKey("raw", this.derive(use, id), "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
  }

  /** The key pair for Ed25519, whose seed is the derived bytes. Throws as {@link derive}. */
  async signingKey(use: KeyUse, id: string): Promise<SigningKeyPair> {
    const seed = this.derive(use, id);
    const document = Buffer.concat([pkcs8Prefix, seed]);
    const privateKey = await crypto.subtle.importKey("pkcs8", document, "Ed25519", false, ["sign"]);
    return { privateKey, publicKey: ed25519.getPublicKey(seed) };
  }
}

/** A new master key, as the setting takes it. */
export const generateMasterKey = (): string => randomBytes(keyBytes).toString("base64");

/** The bytes of a master key: 32, in base64 (RFC 4648, section 4). @returns undefined for any other text */
export function parseMasterKey(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === keyBytes && bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
}
