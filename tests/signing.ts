/**
 * Signs requests as an agent would: the specification's "Signed-request rules" and node:crypto, none of our own code. What a test wants
 * wrong, it says in the recipe.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign as signBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import {
  type Agent,
  type Asking,
  ask,
  makeAgent,
  type PublishedForm,
  type Reply,
  type Service,
  type Team,
} from "./setup.ts";

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

/** A key that the agent has registered. */
export async function makeSigner({ database: { sql } }: Service, team: Team, agent: string): Promise<Key> {
  const key = newKey();
  await sql`select from formd.signing_key_register(${team.id}, null, ${agent}, ${uuidv7()}, ${key.id}, ${key.pem}, null)`;
  return key;
}

/** An agent with a grant for the form, a session and a key. */
export async function makeSigningAgent(
  on: Service,
  team: Team,
  form: PublishedForm,
  scopes?: string[],
): Promise<Agent & { key: Key }> {
  const agent = await makeAgent(on, team, form, scopes);
  return { ...agent, key: await makeSigner(on, team, agent.id) };
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
  /** Set, replace or (null) leave out a signature parameter: the serialized value, such as `"ed25519"` with its quotes. */
  parameters?: Record<string, string | null>;
  /** What the base says of a component, whatever the request says. */
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

/** A POST about a form that is ready to be signed. */
export function unsigned(
  { url }: { url: string },
  path: string,
  form: PublishedForm | null,
  body: unknown,
): Unsigned {
  const text = body === undefined ? "" : JSON.stringify(body);
  return {
    method: "POST",
    authority: new URL(url).host,
    path,
    headers: {
      ...(form && { "x-form-access-key": form.accessKey }),
      ...(text && { "content-type": "application/json", "content-digest": digestOf(text) }),
    },
    body: text,
  };
}

/** Sends a request as it stands; `more` adds headers or a client address. */
export const send = (
  on: { url: string },
  { method, path, query = "", headers, body }: Unsigned,
  more: Asking = {},
): Promise<Reply> =>
  ask(on, method, path + query, {
    ...more,
    headers: { ...headers, ...more.headers },
    ...(body && { body }),
  });

/** Signs and sends a POST. */
export const askSigned = (
  on: { url: string },
  path: string,
  {
    key,
    form,
    body,
    recipe = {},
    ...more
  }: { key: Key; form: PublishedForm | null; recipe?: Recipe } & Asking,
): Promise<Reply> => send(on, signed(key, unsigned(on, path, form, body), recipe), more);
