/**
 * The master key, from which every other key of the server is derived by HKDF-SHA-256 (RFC 5869), so that
 * they are not stored. During a rotation there are several: one derives new keys, all verify.
 *
 * The info of a derivation is `formd/1 <use> <id>`: no use or id shares a key with another.
 */
import { hkdfSync, randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { say } from "../messages.ts";
import { Problem, unavailable } from "../problem.ts";

/** Purpose of a derived key. Its name never changes, since a new name would change the derived keys. */
export type KeyUse =
  | "webhook-hmac"
  | "webhook-ed25519"
  | "receipt"
  | "receipt-server"
  | "mcp-state"
  | "form-page"
  | "change-link"
  | "page-draft"
  | "altcha"
  | "device-cookie"
  | "mail-address"
  | "mail-unsubscribe"
  | "invitation"
  | "invitation-address"
  | "http-message-signatures"
  | "sign-in-connection"
  | "sign-in-session"
  | "sign-in-state"
  | "fingerprint"
  | "cursor"
  | "previous-master-key";

const keyBytes = 32;
/** Enough to distinguish a person's keys, and useless to anyone who searches for the key. */
const fingerprintBytes = 8;
const ivBytes = 12;

/** The bytes before the seed in a PKCS #8 document with an Ed25519 seed (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** An Ed25519 key pair. */
export interface SigningKeyPair {
  /** Can only sign, and is not extractable. */
  privateKey: CryptoKey;
  /** 32 bytes. */
  publicKey: Uint8Array;
}

/** The bytes of a master key. */
export type MasterKeyBytes = Uint8Array<ArrayBuffer>;

export class MasterKey {
  readonly #bytes: MasterKeyBytes | undefined;
  /** All keys by fingerprint, this one first. */
  readonly #all: ReadonlyMap<string, MasterKey>;
  /** Fingerprints of keys that were given up and replaced by this one. */
  readonly #lost: ReadonlySet<string>;
  /** Names the key in the database, in hexadecimal; "" without a key. */
  readonly fingerprint: string;

  /**
   * @param bytes from {@link parseMasterKey}; undefined: the server has none, and every derivation throws
   * @param others other known keys
   * @param lost fingerprints of the keys that this one replaces
   */
  constructor(
    bytes: MasterKeyBytes | undefined,
    others: readonly MasterKeyBytes[] = [],
    lost: string[] = [],
  ) {
    this.#bytes = bytes;
    this.fingerprint = bytes
      ? Buffer.from(this.derive("fingerprint", "")).toString("hex", 0, fingerprintBytes)
      : "";
    const keys = others
      .map((each) => new MasterKey(each))
      .filter((each) => each.fingerprint !== this.fingerprint);
    this.#all = new Map([this, ...keys].map((each) => [each.fingerprint, each]));
    this.#lost = new Set(lost);
  }

  /** This key, then the others that verify. */
  get all(): MasterKey[] {
    return [...this.#all.values()];
  }

  /** The key with this fingerprint, or its replacement. @throws {Problem} `unavailable` */
  of(fingerprint: string): MasterKey {
    if (this.#bytes === undefined) return this;
    const key = this.#all.get(fingerprint) ?? (this.#lost.has(fingerprint) ? this : undefined);
    if (key) return key;
    throw new Problem("unavailable", {
      ...say("master_key_missing", { fingerprint }),
      headers: { "retry-after": "60" },
    });
  }

  /** Encrypts another master key with this one, for the database. */
  async seal(key: MasterKey): Promise<Uint8Array> {
    return await this.encrypt("previous-master-key", key.fingerprint, key.#bytes as MasterKeyBytes);
  }

  /** Decrypts the result of {@link seal}. @returns undefined if another key has sealed it */
  async open(fingerprint: string, sealed: Uint8Array): Promise<MasterKeyBytes | undefined> {
    return await this.decrypt("previous-master-key", fingerprint, sealed);
  }

  /** Encrypts with AES-256-GCM. The result begins with the random IV. Throws as {@link derive}. */
  async encrypt(use: KeyUse, id: string, bytes: Uint8Array<ArrayBuffer>): Promise<Buffer> {
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
    const by = await this.aesKey(use, id);
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, by, bytes);
    return Buffer.concat([iv, new Uint8Array(sealed)]);
  }

  /** Decrypts the result of {@link encrypt}. @returns undefined if another key has encrypted it */
  async decrypt(use: KeyUse, id: string, sealed: Uint8Array): Promise<MasterKeyBytes | undefined> {
    const by = await this.aesKey(use, id);
    const [iv, data] = [sealed.slice(0, ivBytes), sealed.slice(ivBytes)];
    return await crypto.subtle.decrypt({ name: "AES-GCM", iv }, by, data).then(
      (bytes) => new Uint8Array(bytes),
      () => undefined,
    );
  }

  /** Decrypts with this key or another that verifies. @returns undefined if none of them fits */
  async decryptByAny(use: KeyUse, id: string, sealed: Uint8Array): Promise<MasterKeyBytes | undefined> {
    const opened = await Promise.all(this.all.map((key) => key.decrypt(use, id, sealed)));
    return opened.find((bytes) => bytes !== undefined);
  }

  /** True if features that need the key can work. */
  get isPresent(): boolean {
    return this.#bytes !== undefined;
  }

  /** @throws {Problem} as {@link derive}, without an id. */
  requirePresent(): void {
    this.derive("webhook-hmac", "");
  }

  /**
   * Derives the 32 bytes for a use and an id.
   * @param id for example a team's id and a version: the use has one key per id
   * @throws {Problem} `unavailable`, naming the variable, if the server has no master key
   */
  derive(use: KeyUse, id: string): Uint8Array<ArrayBuffer> {
    if (!this.#bytes)
      throw unavailable(
        "This needs FORMD_SECRET_KEY, which is not set on this server: formd secret generate makes one.",
        60,
      );
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
export function parseMasterKey(text: string): MasterKeyBytes | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === keyBytes && bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
}

/** Parses several master keys, separated by commas. @returns undefined if one is invalid */
export function parseMasterKeys(text: string): MasterKeyBytes[] | undefined {
  const keys = text.split(",").map((each) => parseMasterKey(each));
  return keys.every((key) => key !== undefined) ? keys : undefined;
}
