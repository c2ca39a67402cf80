/**
 * formd-agent for TypeScript: a client for agents that submit to forms of formd, in one file without packages.
 * Copy it into your project, or install the package `formd-agent`. The file runs as it is on Node 22.18 and later, Bun
 * and Deno, on Node 20 by `npx tsx`, and in browsers with Ed25519 in WebCrypto once it is built.
 *
 *     const agent = new Agent({ base, accessKey, secret });          // or { base, accessKey, keyId, privateKey }
 *     const { valid, errors } = await agent.validate(data);          // stores nothing
 *     const { id: cv } = await agent.upload("cv", "cv.pdf", bytes);  // for a field of the type file: [{ id: cv }]
 *     const { id, status, body } = await agent.submit(data);         // safe to repeat with the same idempotencyKey
 *     const { receipt, key } = await agent.receipt(id);              // keep both, and the body
 *     await verifyReceipt(receipt, key, body);                       // without a network
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

/** A session of an agent: keep it, and give it to the next Agent, since new ones are rate limited per client IP. */
export interface Session {
  /** Sent as `x-respondent-token`. */
  token: string;
  expiresAt: string;
}

/** A question about a field of the form. Any value that the field accepts is right. */
export interface Challenge {
  /** The question, for a person or a model. */
  prompt: string;
  fieldId: string;
  expiresAt: string;
  remainingAttempts: number;
}

/** A file that was uploaded. `[{ id }]` is the value of its field, in a submission by the same agent. */
export interface Upload {
  id: string;
  name: string;
  size: number;
  type: string;
  sha256: string;
  expiresAt: string;
}

/** Where the form is, and one of two proofs of who the agent is: its secret, or a registered Ed25519 key. */
export interface AgentOptions {
  /** The server, such as `https://forms.example.org`. */
  base: string;
  /** The form's access key, `fdf_…`. */
  accessKey: string;
  /** The agent's secret, `fda_…`: exchanged for a session, which is kept until it expires. */
  secret?: string;
  /** A session of an earlier run, as `session()` has returned it. */
  session?: Session;
  /** The id of the agent's registered key: each request is signed, and needs no session. */
  keyId?: string;
  /** The private key of that id: PKCS #8 as PEM, or a CryptoKey. */
  privateKey?: string | CryptoKey;
  /** The longest time that a call waits and repeats after 429, 502, 503 and 504, in seconds. Default 60. */
  maxWaitSeconds?: number;
  /** The longest time of one request and its response, in seconds; then an error named `TimeoutError`. Default 60. */
  timeoutSeconds?: number;
}

export class Agent {
  readonly #options: AgentOptions;
  readonly #fetch: typeof fetch;
  readonly #isSigning: boolean;
  #session: Session | undefined;
  /** A session that is being made: calls at the same time wait for it. */
  #made: Promise<Session> | undefined;

  constructor(options: AgentOptions) {
    const { keyId, privateKey } = options;
    this.#options = options;
    this.#session = options.session;
    this.#isSigning = Boolean(keyId && privateKey);
    this.#fetch = keyId && privateKey ? signedFetch(keyId, privateKey) : fetch;
  }

  /** The session by which this agent calls, a new one if there is none: for requests of your own, or a later run. */
  session = (): Promise<Session> => this.#sessionUntil(this.#deadline());

  /** The published form with its fields, and the JSON Schema of `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: the members of `data` are those of the route.
  form = (): Promise<any> => this.#read("GET", "/submitter/form");

  /** The dry run: `{ valid, errors, warnings, missingRequired }`. Nothing is stored, and it costs no wait. */
  // biome-ignore lint/suspicious/noExplicitAny: the members of `data` are those of the route.
  validate = (data: object): Promise<any> => this.#read("POST", "/submitter/form/validation", toJson({ data }));

  /**
   * Submits. A repeat with the same `idempotencyKey` stores nothing twice, so that a lost response does no harm.
   *
   * @returns `{ id, status, missingRequired }`, and `body`, as it was sent: keep it, to verify the receipt
   * @throws {FormdError} such as `validation_failed`, whose `errors` say what to fix
   */
  async submit(data: object, { idempotencyKey = crypto.randomUUID() as string, partial = false, metadata = {} } = {}) {
    const path = `/submitter/form/submissions${partial ? "?partial=true" : ""}`;
    const body = JSON.stringify({ data, metadata });
    const headers = { ...jsonType, "idempotency-key": idempotencyKey };
    const stored = await this.#read<Submitted>("POST", path, { body, headers });
    return { ...stored, body };
  }

  /** Uploads a file for a field of the type `file`. Submit with `[{ id }]` as its value, within 24 hours. */
  upload(field: string, name: string, bytes: Uint8Array): Promise<Upload> {
    const headers = { "content-type": "application/octet-stream" };
    const path = `/submitter/form/files?${new URLSearchParams({ field, name })}`;
    return this.#read("POST", path, { body: new Uint8Array(bytes), headers });
  }

  /**
   * Passes a challenge, which a form may require before a submission (403 `challenge_required`). The agent needs a
   * registered key (`keyId`, `privateKey`).
   *
   * @param answerOf returns a value that the field accepts; asked again while the value is wrong and attempts remain
   * @returns until when the agent may submit
   * @throws {FormdError} `challenge_failed` after the last attempt
   */
  async challenge(answerOf: (challenge: Challenge) => unknown): Promise<{ passExpiresAt: string }> {
    const issued = await this.#read<Issued>("POST", "/submitter/form/challenges", toJson({}));
    for (let remainingAttempts = issued.maxAttempts; remainingAttempts > 0; ) {
      const answer = await answerOf({ ...issued, remainingAttempts });
      const path = `/submitter/challenges/${issued.challengeId}/responses`;
      const result = await this.#read<Attempt>("POST", path, toJson({ answer }));
      if (result.passed) return { passExpiresAt: result.passExpiresAt };
      remainingAttempts = result.remainingAttempts;
    }
    throw new FormdError(403, { code: "challenge_failed", error: "No attempt at the challenge had a right value." });
  }

  /**
   * The receipt of a submission by this agent, and the key that signed it, as the server lists it now. Keep both.
   * `salt` is for a check of the stored data: `formd receipt verify --data FILE --salt SALT`.
   */
  async receipt(id: string): Promise<{ receipt: string; salt: string; key: string }> {
    const response = await this.#call("GET", `/submitter/receipts/${encodeURIComponent(id)}`);
    const receipt = await response.text();
    const [, name = "", signed = ""] = /\n\u2014 (\S+) (\S+)\n$/.exec(receipt) ?? [];
    const path = `/receipt-keys?team=${name.slice(name.lastIndexOf("/") + 1)}`;
    const { keys } = await this.#read<{ keys: { key: string }[] }>("GET", path);
    const hash = [...bytesOf(signed).subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const key = keys.find((each) => each.key.startsWith(`${name}+${hash}+`))?.key ?? "";
    return { receipt, salt: response.headers.get("receipt-salt") ?? "", key };
  }

  #deadline = () => Date.now() + (this.#options.maxWaitSeconds ?? 60) * 1000;

  #read = async <Data>(method: string, path: string, sent: Sent = {}): Promise<Data> =>
    dataOf(await this.#call(method, path, sent));

  async #call(method: string, path: string, { body, headers }: Sent = {}): Promise<Response> {
    const { base, accessKey, secret, timeoutSeconds } = this.#options;
    const deadline = this.#deadline();
    for (let isRenewed = this.#isSigning || !secret; ; isRenewed = true) {
      const all: Record<string, string> = { ...headers, "x-form-access-key": accessKey };
      const session = this.#isSigning ? undefined : await this.#sessionUntil(deadline);
      if (session) all["x-respondent-token"] = session.token;
      const init = { method, headers: all, ...(body && { body }) };
      try {
        return await send(`${base}/papi/v1${path}`, init, { deadline, timeoutSeconds, by: this.#fetch });
      } catch (error) {
        // The session may have been ended before its time: one new one is tried.
        if (!(error instanceof FormdError) || error.status !== 401 || isRenewed) throw error;
        if (this.#session === session) this.#session = undefined;
      }
    }
  }

  async #sessionUntil(deadline: number): Promise<Session> {
    const { base, secret = "", timeoutSeconds } = this.#options;
    if (this.#session && (!secret || Date.now() < Date.parse(this.#session.expiresAt) - 60_000)) return this.#session;
    const init = { method: "POST", headers: { "x-agent-secret": secret } };
    this.#made ??= send(`${base}/papi/v1/auth/token`, init, { deadline, timeoutSeconds })
      .then((response) => dataOf<Session>(response))
      .finally(() => {
        this.#made = undefined;
      });
    this.#session = await this.#made;
    return this.#session;
  }
}

type Body = string | Uint8Array<ArrayBuffer>;
type Sent = { body?: Body; headers?: Record<string, string> };
type Submitted = { id: string; status: "completed" | "pending" | "partial"; missingRequired: string[] };
type Issued = Omit<Challenge, "remainingAttempts"> & { challengeId: string; maxAttempts: number };
type Attempt = { passed: true; passExpiresAt: string } | { passed: false; remainingAttempts: number };

const jsonType = { "content-type": "application/json" };
const toJson = (value: object): Sent => ({ body: JSON.stringify(value), headers: jsonType });

interface Limits {
  /** Until when a request is repeated. */
  deadline: number;
  timeoutSeconds?: number | undefined;
  /** False: after 502, 503 and 504 the request may have been carried out, and is not repeated. */
  mayRepeat?: boolean;
  /** Whether the time is over once the body begins. */
  isStream?: boolean;
  by?: typeof fetch;
}

/**
 * Sends, and after 429, 502, 503 and 504 waits as told and repeats, until the deadline.
 *
 * @throws {FormdError} for any other response that is no success
 * @throws {DOMException} `TimeoutError` if the server is silent
 */
async function send(url: string, init: RequestInit, limits: Limits): Promise<Response> {
  const { deadline, timeoutSeconds = 60, mayRepeat = true, isStream = false, by = fetch } = limits;
  const repeated = mayRepeat ? [429, 502, 503, 504] : [429];
  for (;;) {
    // A redirect would take the secrets in the headers to another server.
    const begun = new AbortController();
    const late = new DOMException(`No response within ${timeoutSeconds} s.`, "TimeoutError");
    const timer = setTimeout(() => begun.abort(late), timeoutSeconds * 1000);
    const signal = isStream ? begun.signal : AbortSignal.timeout(timeoutSeconds * 1000);
    const response = await by(url, { ...init, redirect: "manual", signal }).finally(() => clearTimeout(timer));
    if (response.ok) return response;
    // A proxy's may be a date, or 0.
    const waitMs = Math.max(1, Number(response.headers.get("retry-after")) || 1) * 1000;
    const content = await contentOf(response);
    if (!repeated.includes(response.status) || Date.now() + waitMs > deadline)
      throw new FormdError(response.status, content);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** The JSON of a response. A proxy's may be none. */
async function contentOf(response: Response): Promise<Record<string, unknown>> {
  const other = { code: "not_json", error: "The response is not of formd: it is no JSON." };
  const content: unknown = await response.json().catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
    return other;
  });
  return content instanceof Object && !Array.isArray(content) ? (content as Record<string, unknown>) : other;
}

async function dataOf<Data>(response: Response): Promise<Data> {
  const content = await contentOf(response);
  if (!("data" in content)) throw new FormdError(response.status, content);
  return content.data as Data;
}

const encoder = new TextEncoder();
const base64 = (bytes: ArrayBuffer | Uint8Array) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

/** A private key of PKCS #8 as PEM. */
const importPrivateKey = (pem: string) =>
  crypto.subtle.importKey("pkcs8", bytesOf(pem.replace(/-----.*?-----|\s/g, "")), "Ed25519", false, ["sign"]);

interface Page {
  pagination: { next: string | null; hasMore?: boolean };
  warnings?: unknown;
}

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
    const init = { headers: { "x-api-key": apiKey } };
    const response = await send(`${base}/papi/v1${path}?${asked}`, init, { deadline: Date.now() + 60_000 });
    const { pagination, warnings, ...lists } = await dataOf<Page>(response);
    const items = Object.values(lists).find(Array.isArray) as Item[];
    cursor = pagination.next;
    yield { items, cursor };
    if (!(pagination.hasMore ?? cursor !== null)) return;
  }
}

/**
 * A `fetch` that signs each request by HTTP Message Signatures (RFC 9421), as formd verifies them: method, host, path,
 * query if there is one, the access key, and a digest of the body if there is one. Bodies are texts or bytes.
 */
export function signedFetch(keyId: string, privateKey: string | CryptoKey): typeof fetch {
  const imported = typeof privateKey === "string" ? importPrivateKey(privateKey) : privateKey;
  const signed = async (input: Request | URL | string, init: RequestInit = {}) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = typeof init.body === "string" ? encoder.encode(init.body) : (init.body as Uint8Array<ArrayBuffer>);
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
export async function verifyReceipt(
  receipt: string,
  key: string,
  body?: string | Uint8Array,
): Promise<Record<string, string>> {
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
  const sent = typeof body === "string" ? encoder.encode(body) : body && new Uint8Array(body);
  if (sent && members["request-digest"] !== `sha-256=:${base64(await sha256(sent))}:`)
    throw new Error("The receipt is for another body.");
  return members;
}
