/**
 * Signatures of deliveries by Standard Webhooks 1.0.0 (https://www.standardwebhooks.com): `v1` is
 * HMAC-SHA-256, `v1a` is Ed25519, both over `<webhook-id>.<webhook-timestamp>.<body>`.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { MasterKey } from "../../platform/master-key.ts";

const secretPrefix = "whsec_";
const publicKeyPrefix = "whpk_";

/** Identifies a webhook's keys in the derivation from the master key. */
interface SecretId {
  team: string;
  webhook: string;
  version: number;
  /** Fingerprint of the master key. */
  key: string;
}

const nameOf = ({ team, webhook, version }: SecretId) => `${team} ${webhook} ${version}`;
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** The secrets to show to the owner. @throws {Problem} `unavailable` without a master key. */
export async function secretsOf(masterKeys: MasterKey, id: SecretId) {
  const masterKey = masterKeys.of(id.key);
  const { publicKey } = await masterKey.signingKey("webhook-ed25519", nameOf(id));
  return {
    /** For `v1`. It signs as well: keep it secret. */
    secret: secretPrefix + base64(masterKey.derive("webhook-hmac", nameOf(id))),
    /** For `v1a`. */
    publicKey: publicKeyPrefix + base64(publicKey),
  };
}

interface SigningKeys {
  hmac: Uint8Array;
  ed25519: CryptoKey;
}

/** Signs deliveries. Caches the keys used last, since deriving them takes longer than signing. */
export class DeliverySigner {
  readonly #masterKey: MasterKey;
  readonly #keys = new LRUCache<string, Promise<SigningKeys>>({ max: 1_000 });

  constructor(masterKey: MasterKey) {
    this.#masterKey = masterKey;
  }

  /** The value of `webhook-signature`: both signatures by each of the keys. */
  async sign(ids: readonly SecretId[], event: string, timestamp: number, body: string): Promise<string> {
    const content = signedContent(event, String(timestamp), body);
    const signatures = ids.map(async (id) => {
      const { hmac, ed25519 } = await this.#keysOf(id);
      const signature = await crypto.subtle.sign("Ed25519", ed25519, content);
      return `v1,${hmacOf(hmac, content)} v1a,${base64(new Uint8Array(signature))}`;
    });
    return (await Promise.all(signatures)).join(" ");
  }

  #keysOf(id: SecretId): Promise<SigningKeys> {
    const masterKey = this.#masterKey.of(id.key);
    const name = `${masterKey.fingerprint} ${nameOf(id)}`;
    const keys = this.#keys.get(name) ?? this.#derive(masterKey, nameOf(id));
    this.#keys.set(name, keys);
    return keys;
  }

  async #derive(masterKey: MasterKey, name: string): Promise<SigningKeys> {
    const { privateKey } = await masterKey.signingKey("webhook-ed25519", name);
    return { hmac: masterKey.derive("webhook-hmac", name), ed25519: privateKey };
  }
}

const signedContent = (event: string, timestamp: string, body: string | Uint8Array) =>
  Buffer.concat([Buffer.from(`${event}.${timestamp}.`), Buffer.from(body as string)]);

const hmacOf = (key: Uint8Array, content: Uint8Array) =>
  createHmac("sha256", key).update(content).digest("base64");

/** Maximum difference of a delivery's time from now, as in the libraries of Standard Webhooks. */
const maxSkewSeconds = 300;

/**
 * Verifies a delivery, for `formd webhook listen`. @returns undefined if it is valid, else the reason
 * @param headers lower-case names @param secret with or without its prefix @param nowSeconds since 1970
 */
export function verifyDelivery(
  headers: Record<string, string | undefined>,
  body: Uint8Array,
  secret: string,
  nowSeconds = Date.now() / 1000,
): string | undefined {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (!id || !timestamp || !signatures)
    return "a header is missing: webhook-id, webhook-timestamp or webhook-signature";
  if (!(Math.abs(Number(timestamp) - nowSeconds) <= maxSkewSeconds))
    return `webhook-timestamp is more than ${maxSkewSeconds} s from this clock`;
  const key = Buffer.from(secret.replace(secretPrefix, ""), "base64");
  const expected = Buffer.from(`v1,${hmacOf(key, signedContent(id, timestamp, body))}`);
  const isValid = signatures
    .split(" ")
    .some((each) => each.length === expected.length && timingSafeEqual(Buffer.from(each), expected));
  return isValid ? undefined : "no v1 signature of webhook-signature is by this secret";
}
