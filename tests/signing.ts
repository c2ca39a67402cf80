/** Agents with keys, and their signed requests to a server under test. */
import { v7 as uuidv7 } from "uuid";
import {
  type Agent,
  ask,
  makeAgent,
  type PublishedForm,
  type Reply,
  type RequestOptions,
  type Service,
  type Team,
} from "./setup.ts";
import { digestOf, type Key, newKey, type Recipe, signed, type Unsigned } from "./signer.ts";

export * from "./signer.ts";

/** A key that the agent has registered. */
export async function makeSigner({ database: { sql } }: Service, team: Team, agent: string): Promise<Key> {
  const key = newKey();
  await sql`select from formd.signing_key_add(${team.id}, '(cli,,)'::formd.actor, ${agent}, ${uuidv7()}, ${key.id}, ${key.pem}, null, false)`;
  return key;
}

/** An agent with a grant for the form, a session and a key. */
export async function makeSigningAgent(
  app: Service,
  team: Team,
  form: PublishedForm,
  scopes?: string[],
): Promise<Agent & { key: Key }> {
  const agent = await makeAgent(app, team, form, scopes);
  return { ...agent, key: await makeSigner(app, team, agent.id) };
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
  app: { url: string },
  { method, path, query = "", headers, body }: Unsigned,
  more: RequestOptions = {},
): Promise<Reply> =>
  ask(app, method, path + query, {
    ...more,
    headers: { ...headers, ...more.headers },
    ...(body && { body }),
  });

/** Signs and sends a POST. */
export const askSigned = (
  app: { url: string },
  path: string,
  {
    key,
    form,
    body,
    recipe = {},
    ...more
  }: { key: Key; form: PublishedForm | null; recipe?: Recipe } & RequestOptions,
): Promise<Reply> => send(app, signed(key, unsigned(app, path, form, body), recipe), more);
