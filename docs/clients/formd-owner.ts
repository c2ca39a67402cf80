/**
 * formd-owner for TypeScript: a client for owners of forms of formd, in one file without packages. Copy it into your
 * project, or install the package `formd-owner`. The file runs as it is on Node 22.18 and later, Bun and Deno, and on
 * Node 20 by `npx tsx`.
 *
 *     const owner = new Owner({ base, apiKey });
 *     const form = await owner.createForm({ name: "Contact" });      // a draft: a person publishes it
 *     const field = { id: "email", type: "email", label: "E-mail" };
 *     await owner.patchForm(form.id, () => [{ op: "addField", field }]);
 *     for await (const submission of owner.submissions(form.id, { status: "pending" })) …
 *     await owner.exportTo("submissions.csv", form.id, { format: "csv" });
 */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

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

/** Something that the server stored or ignored, and that has no effect as it was sent. */
export interface Warning {
  message: string;
  /** Where it is, such as `settings.captcha.enabled`, or the name of a parameter. */
  path?: string;
  /** The known name that is nearest. */
  nearest?: string;
}

export interface OwnerOptions {
  /** The server, such as `https://forms.example.org`. */
  base: string;
  /** The API key, `fdk_…`. */
  apiKey: string;
  /** Takes each warning of a response. Default: console.warn. */
  onWarning?: (warning: Warning) => void;
  /**
   * The longest time that a call waits and repeats after 429, 502, 503 and 504, in seconds; one that creates something
   * after 429 only, since it may have been carried out. Default 60.
   */
  maxWaitSeconds?: number;
  /**
   * The longest time of one request and its response, in seconds; then an error named `TimeoutError`. An export must
   * only begin within it. Default 60.
   */
  timeoutSeconds?: number;
}

/** A form; `schema` is the draft. */
export interface Form {
  id: string;
  name: string;
  description: string | null;
  schema: { fields: Record<string, unknown>[] };
  settings: Record<string, unknown>;
  status: "draft" | "published" | "archived";
  currentVersion: number;
  updatedAt: string;
  [member: string]: unknown;
}

export interface Submission {
  id: string;
  formId: string;
  formVersion: number;
  status: "pending" | "completed" | "partial";
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  createdAt: string;
  updatedAt: string;
  [member: string]: unknown;
}

export interface Webhook {
  id: string;
  url: string;
  eventTypes: string[];
  status: "active" | "paused" | "disabled";
  [member: string]: unknown;
}

/** An operation of a patch: `setMeta`, `addField`, `updateField`, `removeField` or `moveField`. */
export type Operation = { op: string; [member: string]: unknown };
/** The new value of a field of a submission; null removes it. */
export type Edit = { fieldId: string; value: unknown };
/** Parameters of a request, by name. */
export type Query = Record<string, string | number | boolean>;

/** Times that an edit is made again on what another one has left. */
const maxRebases = 5;

export class Owner {
  readonly #options: OwnerOptions;

  constructor(options: OwnerOptions) {
    this.#options = options;
  }

  /** Creates a draft. A person publishes it, in the console or with `formd form publish`. */
  createForm = (form: {
    name?: string;
    description?: string | null;
    schema?: object;
    template?: string;
    language?: string;
    workspaceId?: string;
  }) => this.#member<Form>("form", "POST", "/forms", form);

  form = (formId: string) => this.#member<Form>("form", "GET", at`/forms/${formId}`);

  /** Every form of the team, newest first. */
  forms = (query: Query = {}) => this.#items<Form>("/forms", { total: false, ...query });

  /**
   * Edits the draft of a form. If another edit came first (409), the function is called again with the form as it is
   * then, so that neither edit is lost.
   *
   * @param operationsOf returns the operations for this state of the form; none: nothing is sent
   * @returns the form as it is then
   */
  patchForm(formId: string, operationsOf: (form: Form) => Operation[] | Promise<Operation[]>): Promise<Form> {
    return this.#rebased("form", at`/forms/${formId}`, "operations", operationsOf);
  }

  /**
   * Every submission of a form, newest first.
   *
   * @param query filters, such as `{ status: "pending", q: "Ada", createdAfter: "2026-01-01T00:00:00Z" }`
   */
  submissions = (formId: string, query: Query = {}) =>
    this.#items<Submission>(at`/forms/${formId}/submissions`, { total: false, ...query });

  submission = (formId: string, submissionId: string) =>
    this.#member<Submission>("submission", "GET", at`/forms/${formId}/submissions/${submissionId}`);

  /** Edits values of a submission, as `patchForm` edits a form: again on the submission as it is after a 409. */
  editSubmission(
    formId: string,
    submissionId: string,
    editsOf: (submission: Submission) => Edit[] | Promise<Edit[]>,
  ): Promise<Submission> {
    return this.#rebased("submission", at`/forms/${formId}/submissions/${submissionId}`, "edits", editsOf);
  }

  /** The edits of a submission, one per field, newest first. */
  edits = (formId: string, submissionId: string) =>
    this.#items<Record<string, unknown>>(at`/forms/${formId}/submissions/${submissionId}/edits`, { total: false });

  /**
   * Decides on a submission as it was read. If it has changed since, the decision is refused: 409, with `current`.
   *
   * @param reason kept in the audit, at most 1,000 characters
   */
  reviewSubmission(
    { id, formId, updatedAt }: Submission,
    decision: "approve" | "reject" | "reopen",
    reason: string | null = null,
  ): Promise<Submission> {
    const body = { decision, reason, expectedUpdatedAt: updatedAt };
    return this.#member("submission", "POST", at`/forms/${formId}/submissions/${id}/review`, body);
  }

  /** Erases the values of a submission, in its edits too. */
  async deleteSubmission(formId: string, submissionId: string): Promise<void> {
    await this.#call("DELETE", at`/forms/${formId}/submissions/${submissionId}`);
  }

  /**
   * Writes an export to a file as it arrives. The file is there once it is complete.
   *
   * @param query `format` is `csv`, `jsonl` or `xlsx`; `files: "zip"` adds the files; the filters of `submissions`
   */
  async exportTo(file: string, formId: string, query: Query): Promise<void> {
    const path = at`/forms/${formId}/submissions/export` + textOf(query);
    const response = await this.#call("GET", path, undefined, true);
    const found = (response.headers.get("warning") ?? "").matchAll(/299 formd "((?:[^"\\]|\\.)*)"/g);
    this.#warn([...found].map(([, message = ""]) => ({ message: message.replace(/\\(.)/g, "$1") })));
    // A name of its own, so that two exports to one file do not mix.
    const part = `${file}.${crypto.randomUUID()}.part`;
    try {
      if (!response.body) throw new Error("The export has no body.");
      await pipeline(response.body as unknown as AsyncIterable<Uint8Array>, createWriteStream(part));
      await rename(part, file);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Makes a webhook. `secrets` are in this response only: `secret` (`whsec_…`) and `publicKey` (`whpk_…`). */
  createWebhook = (webhook: {
    url: string;
    eventTypes: string[];
    payload?: "thin" | "full";
    formId?: string;
    workspaceId?: string;
  }): Promise<{ webhook: Webhook; secrets: { secret: string; publicKey: string } }> =>
    this.#data("POST", "/webhooks", webhook);

  /** Every webhook of the team, newest first. */
  webhooks = (query: Query = {}) => this.#items<Webhook>("/webhooks", query);

  async deleteWebhook(webhookId: string): Promise<void> {
    await this.#call("DELETE", at`/webhooks/${webhookId}`);
  }

  /**
   * The pages of a list, such as `/forms/…/submissions`: the items, and the next cursor. A page may be empty. With
   * `order: "oldest"` keep the cursor of the last one, and go on with `cursor` later.
   */
  async *readPages<Item = Record<string, unknown>>(
    path: string,
    query: Query = {},
  ): AsyncGenerator<{ items: Item[]; cursor: string | null }, void> {
    for (let sent = query; ; ) {
      const { pagination, warnings, ...lists }: Page = await this.#data<Page>("GET", path + textOf(sent));
      const { page, limit, total = 0, next, hasMore = typeof next === "string" } = pagination;
      yield { items: Object.values(lists).find(Array.isArray) as Item[], cursor: next ?? null };
      // A list of few items has pages by number, and no cursors.
      if (next === undefined ? page * limit >= total : !hasMore) return;
      sent = { ...query, ...(typeof next === "string" ? { cursor: next } : { page: page + 1 }) };
    }
  }

  async *#items<Item>(path: string, query: Query): AsyncGenerator<Item, void> {
    for await (const { items } of this.readPages<Item>(path, query)) yield* items;
  }

  /** Reads, edits by its `updatedAt`, and begins again after a 409 that another edit was the reason of. */
  async #rebased<Resource extends { updatedAt: string }, Change>(
    name: string,
    path: string,
    member: string,
    changesOf: (resource: Resource) => Change[] | Promise<Change[]>,
  ): Promise<Resource> {
    for (let rebases = 0; ; rebases++) {
      const read = await dataOf<Record<string, Resource>>(await this.#call("GET", path));
      const resource = read[name] as Resource;
      const changes = await changesOf(resource);
      if (changes.length === 0) return resource;
      try {
        const body = { [member]: changes, expectedUpdatedAt: resource.updatedAt };
        return await this.#member<Resource>(name, "PATCH", path, body);
      } catch (error) {
        if (!(error instanceof FormdError) || error.code !== "conflict" || rebases === maxRebases) throw error;
        // Without a newer state the changes themselves are in conflict, such as a field that exists.
        const current = error.body.current as { updatedAt?: string } | undefined;
        if (!current?.updatedAt || current.updatedAt === resource.updatedAt) throw error;
      }
    }
  }

  #member = async <Member>(name: string, method: string, path: string, body?: object): Promise<Member> =>
    (await this.#data<Record<string, Member>>(method, path, body))[name] as Member;

  async #data<Data>(method: string, path: string, body?: object): Promise<Data> {
    const data = await dataOf<Data & { warnings?: Warning[] }>(await this.#call(method, path, body));
    this.#warn(data.warnings ?? []);
    return data;
  }

  #warn(warnings: Warning[]): void {
    const { onWarning = ({ message }: Warning) => console.warn(`formd: ${message}`) } = this.#options;
    for (const warning of warnings) onWarning(warning);
  }

  #call(method: string, path: string, body?: object, isStream = false): Promise<Response> {
    const { base, apiKey, maxWaitSeconds = 60, timeoutSeconds } = this.#options;
    const headers: Record<string, string> = { "x-api-key": apiKey };
    if (body) headers["content-type"] = "application/json";
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const deadline = Date.now() + maxWaitSeconds * 1000;
    const limits = { deadline, timeoutSeconds, mayRepeat: method !== "POST", isStream };
    return send(`${base}/papi/v1/management${path}`, init, limits);
  }
}

interface Page {
  pagination: { page: number; limit: number; total?: number; next?: string | null; hasMore?: boolean };
  warnings?: unknown;
}

/** A path. An id is one part of it, also if it has a slash. */
const at = ({ raw }: TemplateStringsArray, ...ids: string[]) =>
  String.raw({ raw }, ...ids.map((id) => encodeURIComponent(id)));

function textOf(query: Query): string {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

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
const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

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
