/**
 * formd-agent for TypeScript: a client for agents that submit to forms of formd, in one file without packages.
 * Copy it into your project. It runs on Bun, Deno, Node 20 and later, and in browsers with Ed25519 in WebCrypto.
 *
 *     const agent = new Agent({ base, accessKey, secret });          // or { base, accessKey, keyId, privateKey }
 *     const { valid, errors } = await agent.validate(data);          // stores nothing
 *     const { id, status } = await agent.submit(data);               // safe to repeat with the same idempotencyKey
 */

/** A response that is no success. `code` is the one to branch on; `errors` has the faults of a submission, by field. */
export class FormdError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: { field?: string; code: string; message: string; expected?: unknown }[];
  /** The response as it came. */
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(`${status} ${body.code}: ${body.error}`);
    this.name = "FormdError";
    this.status = status;
    this.code = String(body.code);
    this.errors = (body.errors as FormdError["errors"]) ?? [];
    this.body = body;
  }
}

/** Where the form is, and one of two proofs of who the agent is: its secret, or a registered Ed25519 key. */
export interface AgentOptions {
  /** The server, such as `https://forms.example.org`. */
  base: string;
  /** The form's access key, `fdf_…`. */
  accessKey: string;
  /** The agent's secret, `fda_…`: exchanged for a session token, which is kept until it expires. */
  secret?: string;
  /** The id of the agent's registered key: each request is signed, and needs no token. */
  keyId?: string;
  /** The private key of that id: PKCS #8 as PEM, or a CryptoKey. */
  privateKey?: string | CryptoKey;
  /** The longest time that a call waits and repeats after 429, 502, 503 and 504, in seconds. Default 60. */
  maxWaitSeconds?: number;
}

export class Agent {
  readonly #options: AgentOptions;
  readonly #fetch: typeof fetch;
  #token = "";
  #expiresAt = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#fetch = options.keyId && options.privateKey ? signedFetch(options.keyId, options.privateKey) : fetch;
  }

  /** The published form with its fields, and the JSON Schema of `data`. */
  form = () => this.#call("GET", "/submitter/form");

  /** The dry run: `{ valid, errors, warnings, missingRequired }`. Nothing is stored, and it costs no wait. */
  validate = (data: object) => this.#call("POST", "/submitter/form/validation", { data });

  /**
   * Submits. A repeat with the same `idempotencyKey` stores nothing twice, so that a lost response does no harm.
   *
   * @returns `{ id, status, missingRequired }`
   * @throws {FormdError} such as `validation_failed`, whose `errors` say what to fix
   */
  submit(data: object, { idempotencyKey = crypto.randomUUID() as string, partial = false, metadata = {} } = {}) {
    const path = `/submitter/form/submissions${partial ? "?partial=true" : ""}`;
    return this.#call("POST", path, { data, metadata }, { "idempotency-key": idempotencyKey });
  }

  async #call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const deadline = Date.now() + (this.#options.maxWaitSeconds ?? 60) * 1000;
    for (let isRenewed = false; ; ) {
      const token = this.#options.secret ? { "x-respondent-token": await this.#tokenUntil(deadline) } : {};
      const all = { "x-form-access-key": this.#options.accessKey, ...token, ...headers };
      try {
        return await this.#send(method, path, all, deadline, body);
      } catch (error) {
        // The token may have been ended before its time: one new one is tried.
        if (!(error instanceof FormdError) || error.status !== 401 || !this.#options.secret || isRenewed) throw error;
        isRenewed = true;
        this.#token = "";
      }
    }
  }

  async #tokenUntil(deadline: number): Promise<string> {
    if (this.#token && Date.now() < this.#expiresAt - 60_000) return this.#token;
    const headers = { "x-agent-secret": this.#options.secret ?? "" };
    const { token, expiresAt } = await this.#send("POST", "/auth/token", headers, deadline);
    this.#expiresAt = Date.parse(expiresAt);
    this.#token = token;
    return token;
  }

  /** Sends until the response is none of a moment, or the wait would pass the deadline. A proxy's is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the members of `data` are those of the route.
  async #send(method: string, path: string, headers: object, deadline: number, body?: object): Promise<any> {
    const type = body && { "content-type": "application/json" };
    for (;;) {
      const init = { method, headers: { ...type, ...headers }, ...(body && { body: JSON.stringify(body) }) };
      const response = await this.#fetch(`${this.#options.base}/papi/v1${path}`, init);
      const other = { code: "not_json", error: "The response is not of formd: it is no JSON." };
      const content = (await response.json().catch(() => other)) as Record<string, unknown>;
      if ("data" in content) return content.data;
      const waitMs = (Number(response.headers.get("retry-after") ?? 1) || 1) * 1000; // A proxy's may be a date.
      const isTemporary = [429, 502, 503, 504].includes(response.status);
      if (!isTemporary || Date.now() + waitMs > deadline) throw new FormdError(response.status, content);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

const encoder = new TextEncoder();
const base64 = (bytes: ArrayBuffer | Uint8Array) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

/** A private key of PKCS #8 as PEM. */
const importPrivateKey = (pem: string) =>
  crypto.subtle.importKey("pkcs8", bytesOf(pem.replace(/-----.*?-----|\s/g, "")), "Ed25519", false, ["sign"]);

/**
 * The pages of an owner's list, such as `/management/forms/…/submissions`: the items, and the next cursor. A page may
 * be empty. With `order: "oldest"` keep the cursor of the last one, and go on with `cursor` later.
 */
export async function* readPages<Item = Record<string, unknown>>(
  base: string,
  apiKey: string,
  path: string,
  query: Record<string, string | number | boolean> = {},
): AsyncGenerator<{ items: Item[]; cursor: string | null }, void> {
  for (let cursor: string | null = null; ; ) {
    const sent = Object.entries({ ...query, ...(cursor !== null && { cursor }) });
    const asked = new URLSearchParams(sent.map(([name, value]) => [name, String(value)]));
    const response = await fetch(`${base}/papi/v1${path}?${asked}`, { headers: { "x-api-key": apiKey } });
    const body = await response.json();
    if (!response.ok) throw new FormdError(response.status, body);
    const items = Object.values(body.data).find(Array.isArray) as Item[];
    cursor = body.data.pagination.next as string | null;
    yield { items, cursor };
    if (!(body.data.pagination.hasMore ?? cursor !== null)) return;
  }
}

/**
 * A `fetch` that signs each request by HTTP Message Signatures (RFC 9421), as formd verifies them: method, host, path,
 * query if there is one, the access key, and a digest of the body if there is one. Bodies are texts.
 */
export function signedFetch(keyId: string, privateKey: string | CryptoKey): typeof fetch {
  const imported = typeof privateKey === "string" ? importPrivateKey(privateKey) : privateKey;
  const signed = async (input: Request | URL | string, init: RequestInit = {}) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = typeof init.body === "string" ? encoder.encode(init.body) : undefined;
    if (body) request.headers.set("content-digest", `sha-256=:${base64(await sha256(body))}:`);
    const values: Record<string, string> = { "@method": request.method, "@authority": url.host, "@path": url.pathname };
    if (url.search) values["@query"] = url.search;
    for (const name of ["x-form-access-key", "content-digest"]) {
      const value = request.headers.get(name);
      if (value !== null) values[name] = value;
    }
    const nonce = base64(crypto.getRandomValues(new Uint8Array(16))).replaceAll("+", "-").replaceAll("/", "_");
    const names = Object.keys(values).map((name) => `"${name}"`);
    const created = Math.floor(Date.now() / 1000);
    const parameters = `(${names.join(" ")});created=${created};keyid="${keyId}";alg="ed25519";nonce="${nonce.slice(0, 22)}"`;
    const lines = Object.entries(values).map(([name, value]) => `"${name}": ${value}`);
    const signatureBase = encoder.encode([...lines, `"@signature-params": ${parameters}`].join("\n"));
    const signature = await crypto.subtle.sign("Ed25519", await imported, signatureBase);
    request.headers.set("signature-input", `sig1=${parameters}`);
    request.headers.set("signature", `sig1=:${base64(signature)}:`);
    return fetch(request.url, { ...init, headers: request.headers });
  };
  return signed as typeof fetch;
}

/**
 * Verifies a webhook (Standard Webhooks 1.0.0).
 *
 * @param secret the webhook's secret `whsec_…`, or its public key `whpk_…`
 * @throws {Error} that says which check fails
 */
export async function verifyWebhook(headers: Headers, body: string, secret: string): Promise<void> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => headers.get(`webhook-${name}`));
  if (!id || !timestamp || !signatures) throw new Error("A header is missing: webhook-id, -timestamp or -signature.");
  if (!(Math.abs(Number(timestamp) - Date.now() / 1000) <= 300)) throw new Error("webhook-timestamp is over 300 s away.");
  const content = encoder.encode(`${id}.${timestamp}.${body}`);
  const isPublic = secret.startsWith("whpk_");
  const algorithm = isPublic ? "Ed25519" : { name: "HMAC", hash: "SHA-256" };
  const bytes = bytesOf(secret.replace(/^wh(sec|pk)_/, ""));
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  for (const [version, signature = ""] of signatures.split(" ").map((each) => each.split(",")))
    if (version === (isPublic ? "v1a" : "v1"))
      if (await crypto.subtle.verify(isPublic ? "Ed25519" : "HMAC", key, bytesOf(signature), content)) return;
  throw new Error("No signature in webhook-signature is by this secret.");
}

/**
 * Verifies a receipt (a C2SP signed note).
 *
 * @param key the key that signed it, as `GET /papi/v1/receipt-keys?team=…` lists it
 * @param body the exact body of the request, to check that the receipt is for it
 * @returns what the receipt states, by name
 * @throws {Error} that says which check fails
 */
export async function verifyReceipt(receipt: string, key: string, body?: string): Promise<Record<string, string>> {
  const [, text = "", name, signed = ""] = /^([\s\S]*\n)\n\u2014 (\S+) (\S+)\n$/.exec(receipt) ?? [];
  const [, keyName, keyBytes = ""] = /^(.+)\+[0-9a-f]{8}\+(\S+)$/.exec(key) ?? [];
  if (!text || !keyName) throw new Error("This is no receipt, or no key of one.");
  const typed = bytesOf(keyBytes);
  const hash = (await sha256(join(encoder.encode(`${keyName}\n`), typed))).subarray(0, 4);
  const bytes = bytesOf(signed);
  if (name !== keyName || base64(bytes.subarray(0, 4)) !== base64(hash)) throw new Error("Another key signed it.");
  const verifyKey = await crypto.subtle.importKey("raw", typed.slice(1), "Ed25519", false, ["verify"]);
  if (!(await crypto.subtle.verify("Ed25519", verifyKey, bytes.subarray(4), encoder.encode(text))))
    throw new Error("The signature is not by this key over this receipt.");
  const members = Object.fromEntries(text.trimEnd().split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
  if (body !== undefined && members["request-digest"] !== `sha-256=:${base64(await sha256(encoder.encode(body)))}:`)
    throw new Error("The receipt is for another body.");
  return members;
}
