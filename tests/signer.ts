/**
 * Signs requests as an agent would: the specification's "Signed-request rules" and node:crypto, none of our
 * own code. What a test wants wrong, it says in the recipe.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign as signBytes } from "node:crypto";

/** An agent's key pair; `id` is what the specification calls its public half. */
export interface Key {
  id: string;
  pem: string;
  privateKey: KeyObject;
}

export const idOf = (pem: string): string =>
  `key_${createHash("sha256").update(pem).digest("hex").slice(0, 16)}`;

export function newKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  return { id: idOf(pem), pem, privateKey };
}

export const nonce = (): string => randomBytes(16).toString("base64url");
export const now = (): number => Math.floor(Date.now() / 1000);
export const digestOf = (body: string | Uint8Array): string =>
  `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;

/** A request before it is signed; header names in lower case. */
export interface Unsigned {
  method: string;
  authority: string;
  path: string;
  query?: string;
  headers: Record<string, string>;
  body: string;
}

export interface Recipe {
  /** Default: what the specification requires of this request. */
  components?: string[];
  /**
   * Set, replace or (null) leave out a signature parameter: the serialized value, such as `"ed25519"` with
   * its quotes.
   */
  parameters?: Record<string, string | null>;
  /** Values of components in the signature base, in place of the request's values. */
  values?: Record<string, string>;
}

/** The signature base and the value of the two headers, without their label. */
export function sign(key: Key, request: Unsigned, { components, parameters = {}, values = {} }: Recipe = {}) {
  const names =
    components ??
    ["@method", "@authority", "@path", "x-form-access-key", "content-digest"].filter(
      (name) => name.startsWith("@") || name in request.headers,
    );
  const all: Record<string, string | undefined> = {
    "@method": request.method,
    "@authority": request.authority,
    "@path": request.path,
    "@query": request.query || "?",
    ...request.headers,
    ...values,
  };
  const stated = Object.entries({
    created: String(now()),
    keyid: `"${key.id}"`,
    alg: '"ed25519"',
    nonce: `"${nonce()}"`,
    ...parameters,
  }).filter(([, value]) => value !== null);
  const input = `(${names.map((name) => `"${name}"`).join(" ")})${stated.map(([name, value]) => `;${name}=${value}`).join("")}`;
  const base = [
    ...names.map((name) => `"${name}": ${all[name] ?? ""}`),
    `"@signature-params": ${input}`,
  ].join("\n");
  return {
    base,
    input,
    signature: `:${signBytes(null, Buffer.from(base), key.privateKey).toString("base64")}:`,
  };
}

/** The request with the headers that sign it under `sig1`. */
export function signed(key: Key, request: Unsigned, recipe: Recipe = {}): Unsigned {
  const { input, signature } = sign(key, request, recipe);
  return {
    ...request,
    headers: { ...request.headers, "signature-input": `sig1=${input}`, signature: `sig1=${signature}` },
  };
}
