/**
 * How often a request goes to the database and back. Between server and PostgreSQL stands a proxy that counts ReadyForQuery, which
 * PostgreSQL sends once a round trip; the server has one connection, so that none goes by uncounted.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, connect as dial } from "node:net";
import { join } from "node:path";
import {
  type Agent,
  asAgent,
  ask,
  database,
  makeAgent,
  makeForm,
  makeKey,
  makeOperator,
  makeTeam,
  type PublishedForm,
  type Reply,
  type RequestOptions,
  type Service,
  server,
  type Team,
  temporaryFolder,
} from "../setup.ts";
import { type Key, makeSigner, newKey, send, signed, unsigned } from "../signing.ts";

const unknownId = "0193a1b2-0000-7000-8000-000000000000";
let trips = 0;

/** Counts the messages of type Z (PostgreSQL documentation, "Message Formats": a byte of type, a length that counts itself). */
function counter(): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      if (rest[0] === 90) trips++;
      rest = rest.subarray(1 + rest.readInt32BE(1));
    }
  };
}

/** A socket folder in front of PostgreSQL's. */
async function counting(url: string): Promise<{ url: string; close(): void }> {
  const [, folder = ""] = /host=([^&]+)/.exec(url) ?? [];
  const upstream = join(decodeURIComponent(folder), ".s.PGSQL.5432");
  const front = temporaryFolder();
  const proxy = createServer((client) => {
    const backend = dial(upstream);
    backend.on("data", counter());
    client.pipe(backend).pipe(client);
    client.on("error", () => backend.destroy());
    backend.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(join(front, ".s.PGSQL.5432"), resolve));
  return { url: url.replace(folder, encodeURIComponent(front)), close: () => void proxy.close() };
}

let app: Service;
let team: Team;
let form: PublishedForm;
let cookie: string;
let close: () => void;
const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "mail", type: "email", label: "Mail" },
];

beforeAll(async () => {
  const made = await database();
  const proxy = await counting(made.url);
  close = proxy.close;
  app = {
    ...(await server({
      DATABASE_URL: proxy.url,
      DATABASE_POOL_SIZE: "1",
      FEATURE_AGENT_SIGNING: "true",
      // Delivery asks the database now and then.
      WEBHOOKS: "false",
    })),
    database: made,
  };
  team = await makeTeam(app);
  form = await makeForm(app, team, fields);
  cookie = await makeOperator(app, team, "admin");
  // Warm-up: every statement prepared, the form compiled.
  const agent = await makeAgent(app, team, form);
  await submit(agent, { data: { name: "x" } });
  await validate(agent, { data: { name: "x" } });
  await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret: agent.secret } });
}, 60_000);

const table: { request: string; status: number; roundTrips: number }[] = [];
afterAll(() => {
  console.table(table.toSorted((a, b) => a.roundTrips - b.roundTrips));
  close();
});

/** Makes the request and says how many round trips it took. */
async function count(
  name: string,
  request: () => Promise<Reply>,
): Promise<[status: number, roundTrips: number]> {
  const before = trips;
  const { status } = await request();
  const roundTrips = trips - before;
  table.push({ request: name, status, roundTrips });
  return [status, roundTrips];
}

const submitter =
  (what: string) =>
  (who: { token: string }, body: unknown, { headers = {}, ...more }: RequestOptions = {}) =>
    ask(app, "POST", `/papi/v1/submitter/form/${what}`, {
      headers: { ...asAgent(form, who), ...headers },
      body,
      ...more,
    });
const submit = submitter("submissions");
const validate = submitter("validation");
const newAgent = (scopes?: string[]) => makeAgent(app, team, form, scopes);
/** A secret of the same team that no caller has. */
const unknown = (secret: string) => `${secret.slice(0, -4)}AAAA`;
const unknownKey = () => ({ "x-form-access-key": unknown(form.accessKey) });
const good = { data: { name: "x" } };

describe("POST /papi/v1/submitter/form/submissions", () => {
  const cases: [name: string, status: number, (agent: Agent) => Promise<Reply>][] = [
    ["stored", 200, (agent) => submit(agent, good)],
    [
      "stored, with an Idempotency-Key",
      200,
      (agent) => submit(agent, good, { headers: { "idempotency-key": "once" } }),
    ],
    ["refused by the form", 422, (agent) => submit(agent, { data: { mail: "no" } })],
    ["not JSON", 400, (agent) => submit(agent, "{")],
    ["unknown access key", 401, (agent) => submit(agent, good, { headers: unknownKey() })],
    ["unknown token", 401, ({ token }) => submit({ token: unknown(token) }, good)],
  ];
  test.each(cases)("%s (%i): one round trip", async (name, status, request) => {
    const agent = await newAgent();
    await request(await newAgent()); // a statement is prepared once for each set of types
    expect(await count(`submit: ${name}`, () => request(agent))).toEqual([status, 1]);
  });

  test("missing scope (403): one round trip", async () => {
    const agent = await newAgent(["agent:read"]);
    expect(await count("submit: missing scope", () => submit(agent, good))).toEqual([403, 1]);
  });

  test("throttled, by agent and by address (429): one round trip", async () => {
    const agent = await newAgent();
    await submit(agent, good);
    expect(await count("submit: agent throttled", () => submit(agent, good))).toEqual([429, 1]);
    const ip = "192.0.2.7";
    for (let i = 0; i < 30; i++) await submit({ token: "none" }, good, { ip });
    expect(await count("submit: address throttled", () => submit(agent, good, { ip }))).toEqual([429, 1]);
    // The server knows until when the database refuses this client IP.
    expect(await count("submit: address still throttled", () => submit(agent, good, { ip }))).toEqual([
      429, 0,
    ]);
  });
});

describe("POST /papi/v1/submitter/form/validation", () => {
  const cases: [name: string, status: number, (agent: Agent) => Promise<Reply>][] = [
    ["valid", 200, (agent) => validate(agent, good)],
    ["invalid", 200, (agent) => validate(agent, { data: { mail: "no" } })],
    ["not JSON", 400, (agent) => validate(agent, "{")],
    ["unknown access key", 401, (agent) => validate(agent, good, { headers: unknownKey() })],
    ["unknown token", 401, ({ token }) => validate({ token: unknown(token) }, good)],
  ];
  test.each(cases)("%s (%i): one round trip", async (name, status, request) => {
    const agent = await newAgent();
    await request(await newAgent());
    expect(await count(`validate: ${name}`, () => request(agent))).toEqual([status, 1]);
  });

  test("throttled (429): one round trip", async () => {
    const agent = await newAgent();
    for (let i = 0; i < 30; i++) await validate(agent, good);
    expect(await count("validate: agent throttled", () => validate(agent, good))).toEqual([429, 1]);
  });
});

test("the first submit after a publish takes two round trips, the next one", async () => {
  const { sql } = app.database;
  const [draft] = await sql`select updated_at from formd.forms where id = ${form.id}`;
  await sql`select from formd.form_publish(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${draft?.updatedAt})`;
  const [first, second] = [await newAgent(), await newAgent()];
  expect(await count("submit: first after a publish", () => submit(first, good))).toEqual([200, 2]);
  expect(await count("submit: second after a publish", () => submit(second, good))).toEqual([200, 1]);
});

test("a body of more than 16 KiB is authorized in one round trip, and stored in a second", async () => {
  const large = { data: { name: "x".repeat(17_000) } };
  expect(await count("submit: large", async () => submit(await newAgent(), large))).toEqual([200, 2]);
  expect(await count("submit: large, unknown token", () => submit({ token: "none" }, large))).toEqual([
    401, 1,
  ]);
});

test("a signed submit is one round trip, one more when its key is new to the process", async () => {
  const path = "/papi/v1/submitter/form/submissions";
  const [first, second] = [await newAgent(), await newAgent()];
  const key = await makeSigner(app, team, first.id);
  const request = () => send(app, signed(key, unsigned(app, path, form, good)));
  expect(await count("submit: signed, key not seen before", request)).toEqual([200, 2]);
  expect(await count("submit: signed, agent throttled", request)).toEqual([429, 1]);
  const known = await makeSigner(app, team, second.id);
  await send(app, signed(known, unsigned(app, "/papi/v1/submitter/form/challenges", form, undefined)));
  const submitted = () => send(app, signed(known, unsigned(app, path, form, good)));
  expect(await count("submit: signed", submitted)).toEqual([200, 1]);
});

test("an invalid signature costs the same round trips whether its key is cached, stored or unknown", async () => {
  const path = "/papi/v1/submitter/form/submissions";
  const [cached, stored] = [
    await makeSigner(app, team, (await newAgent()).id),
    await makeSigner(app, team, (await newAgent()).id),
  ];
  const forged = (key: Key) =>
    send(app, signed({ ...newKey(), id: key.id }, unsigned(app, path, form, good)));
  await send(app, signed(cached, unsigned(app, path, form, good)));
  const counts = [];
  for (const [name, key] of Object.entries({ cached, stored, unknown: newKey() }))
    counts.push(await count(`submit: invalid signature, key ${name}`, () => forged(key)));
  expect(counts).toEqual(Array(3).fill([401, 2]));
});

test("the form is read in one round trip", async () => {
  const agent = await newAgent();
  const read = () => ask(app, "GET", "/papi/v1/submitter/form", { headers: asAgent(form, agent) });
  await read();
  expect(await count("GET /submitter/form", read)).toEqual([200, 1]);
});

test("a token is minted in one round trip, and refused in one", async () => {
  const { secret } = await newAgent();
  const mint = (clientSecret: string) => ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } });
  expect(await count("token: minted", () => mint(secret))).toEqual([200, 1]);
  expect(await count("token: refused", () => mint("fda_none"))).toEqual([401, 1]);
});

describe("management and identity: a read is one round trip; a write is one for the credential, one for the work", () => {
  const routes: [method: string, path: (ids: Ids) => string, body?: (ids: Ids) => object][] = [
    ["GET", () => "/papi/v1/management/forms"],
    ["POST", () => "/papi/v1/management/forms", () => ({ name: "New" })],
    ["GET", ({ form }) => `/papi/v1/management/forms/${form}`],
    [
      "PATCH",
      ({ form }) => `/papi/v1/management/forms/${form}`,
      () => ({ operations: [{ op: "setMeta", name: "x" }] }),
    ],
    ["GET", ({ form }) => `/papi/v1/management/forms/${form}/submissions`],
    ["GET", ({ form, submission }) => `/papi/v1/management/forms/${form}/submissions/${submission}`],
    ["GET", ({ form, submission }) => `/papi/v1/management/forms/${form}/submissions/${submission}/edits`],
    ["GET", () => "/papi/v1/identity/agents"],
    ["POST", () => "/papi/v1/identity/agents", () => ({ name: "New" })],
    ["GET", ({ agent }) => `/papi/v1/identity/agents/${agent}`],
    ["PATCH", ({ agent }) => `/papi/v1/identity/agents/${agent}`, () => ({ name: "x" })],
    ["GET", ({ agent }) => `/papi/v1/identity/agents/${agent}/grants`],
    ["GET", ({ agent }) => `/papi/v1/identity/agents/${agent}/keys`],
    [
      "POST",
      ({ agent }) => `/papi/v1/identity/agents/${agent}/grants`,
      ({ form }) => ({ formId: form, scopes: ["agent:read"] }),
    ],
    ["POST", ({ agent }) => `/papi/v1/identity/agents/${agent}/rotate-secret`],
    ["DELETE", ({ agent }) => `/papi/v1/identity/agents/${agent}`],
    ["DELETE", ({ form, submission }) => `/papi/v1/management/forms/${form}/submissions/${submission}`],
  ];
  interface Ids {
    form: string;
    agent: string;
    submission: string;
  }
  const dots = { form: "…", agent: "…", submission: "…" };
  let ids: Ids[];
  beforeAll(async () => {
    ids = [];
    for (let i = 0; i < 2; i++) {
      const agent = await newAgent();
      const { body } = await submit(agent, good);
      ids.push({ form: form.id, agent: agent.id, submission: body.data.id });
    }
  });

  for (const [method, path, body] of routes)
    test(`${method} ${path(dots)}`, async () => {
      const isIdentity = path(dots).includes("/identity/");
      const request = (at: Ids, headers: Record<string, string>) =>
        ask(app, method, path(at), {
          headers: { "content-type": "application/json", ...headers },
          ...(body && { body: body(at) }),
        });
      await request(ids[1] as Ids, { "x-api-key": team.key });
      const name = `${method} ${path(dots).slice("/papi/v1".length)}`;
      const roundTrips = method === "GET" ? 1 : 2;
      expect(await count(name, () => request(ids[0] as Ids, { "x-api-key": team.key }))).toEqual([
        200,
        roundTrips,
      ]);
      if (!isIdentity || method === "DELETE") return;
      await request(ids[1] as Ids, { cookie });
      expect(await count(`${name} (cookie)`, () => request(ids[0] as Ids, { cookie }))).toEqual([
        200,
        roundTrips,
      ]);
    });

  test("a read that ends in 404 marks the key as used, also when SQL raises the problem", async () => {
    for (const path of ["", "/submissions"]) {
      const { id, key } = await makeKey(app, team);
      const url = `/papi/v1/management/forms/${unknownId}${path}`;
      expect(await ask(app, "GET", url, { headers: { "x-api-key": key } })).toMatchObject({ status: 404 });
      const [used] = await app.database.sql`select last_used_at from formd.api_keys where id = ${id}`;
      expect(used?.lastUsedAt).toBeDate();
    }
  });

  test("PATCH of a submission: credential, row and version, write", async () => {
    const path = `/papi/v1/management/forms/${form.id}/submissions`;
    const headers = { "x-api-key": team.key };
    const patch = async () => {
      const { body } = await submit(await newAgent(), good);
      const row = await ask(app, "GET", `${path}/${body.data.id}`, { headers });
      const edits = [{ fieldId: "name", value: "y" }];
      const expectedUpdatedAt = row.body.data.submission.updatedAt;
      return () =>
        ask(app, "PATCH", `${path}/${body.data.id}`, { headers, body: { expectedUpdatedAt, edits } });
    };
    await (await patch())();
    const request = await patch();
    expect(await count("PATCH /management/forms/…/submissions/…", request)).toEqual([200, 4]);
  });
});
