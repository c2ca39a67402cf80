// stacks: one deno
/**
 * Number of database round trips per request. A proxy between server and PostgreSQL counts ReadyForQuery,
 * which PostgreSQL sends once per round trip. The server has one connection, so that all are counted.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { createServer, connect as dial } from "node:net";
import { join } from "node:path";
import { unknownId, until } from "../expect.ts";
import { invite } from "../invite.ts";
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
  type Reply,
  type RequestOptions,
  server,
  temporaryFolder,
} from "../setup.ts";
import { type Key, makeSigner, newKey, send, signed, unsigned } from "../signing.ts";
import { Browser } from "./console/browser.ts";
import { formsOf, getPage, postForm } from "./form-page/fixture.ts";

let trips = 0;

/**
 * Splits what a side sends into messages (PostgreSQL documentation, "Message Formats"): a byte of type, a
 * length that counts itself.
 */
function messages(onMessage: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    // The first message of a client has no type, and a length below 2^24.
    if (rest[0] === 0 && rest.length >= 4) rest = rest.subarray(rest.readInt32BE(0));
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, end));
      rest = rest.subarray(end);
    }
  };
}

/**
 * Counts what the server has asked and PostgreSQL has ended with a message of type Z, without what is written
 * beside the requests: the counts for charts and the last uses of keys, by their parameters, which nothing
 * else has, and the marks of each second, by the name of their prepared statement.
 */
function counter() {
  const asked: boolean[] = [];
  let isBeside = false;
  let marking = "none";
  return {
    fromServer: messages((type, body) => {
      const isMarking = type === "P" && body.includes("formd.feed_mark(");
      if (isMarking) marking = body.toString("latin1", 0, body.indexOf(0) + 1);
      isBeside ||=
        isMarking || (type === "B" && [marking, '"day":', '"used_a'].some((beside) => body.includes(beside)));
      if (type !== "S" && type !== "Q") return;
      asked.push(!isBeside);
      isBeside = false;
    }),
    fromDatabase: messages((type) => {
      if (type === "Z" && asked.shift()) trips++;
    }),
  };
}

/** A socket directory in front of PostgreSQL's. */
async function counting(url: string): Promise<{ url: string; close(): void }> {
  const [, folder = ""] = /host=([^&]+)/.exec(url) ?? [];
  const upstream = join(decodeURIComponent(folder), ".s.PGSQL.5432");
  const front = temporaryFolder();
  const proxy = createServer((client) => {
    const backend = dial(upstream);
    const { fromServer, fromDatabase } = counter();
    client.on("data", fromServer);
    backend.on("data", fromDatabase);
    client.pipe(backend).pipe(client);
    client.on("error", () => backend.destroy());
    backend.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(join(front, ".s.PGSQL.5432"), resolve));
  return { url: url.replace(folder, encodeURIComponent(front)), close: () => void proxy.close() };
}

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "mail", type: "email", label: "Mail" },
];
const made = await database();
const { url: DATABASE_URL, close } = await counting(made.url);
// Delivery asks the database now and then.
const settings = { DATABASE_POOL_SIZE: "1", FEATURE_AGENT_SIGNING: "true", WEBHOOKS: "false" };
const app = { ...(await server({ DATABASE_URL, ...settings })), database: made };
const team = await makeTeam(app);
const form = await makeForm(app, team, fields);
const cookie = await makeOperator(app, team, "admin");

const table: { request: string; status: number; roundTrips: number }[] = [];
afterAll(() => {
  console.table(table.toSorted((a, b) => a.roundTrips - b.roundTrips));
  close();
});

/** Makes the request and says how many round trips it took. */
async function count(
  name: string,
  request: () => Promise<{ status: number }>,
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
const invalid = { data: { mail: "no" } };
const once = { headers: { "idempotency-key": "once" } };

// Warm-up: every statement prepared, the form compiled.
const warm = await newAgent();
await submit(warm, good);
await validate(warm, good);
await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret: warm.secret } });
await until(async () => (await made.sql`select from formd.submission_days`).length > 0);

test.each<[name: string, status: number, (agent: Agent) => Promise<Reply>]>([
  ["submit: stored", 200, (agent) => submit(agent, good)],
  ["submit: stored, with an Idempotency-Key", 200, (agent) => submit(agent, good, once)],
  ["submit: refused by the form", 422, (agent) => submit(agent, invalid)],
  ["submit: not JSON", 400, (agent) => submit(agent, "{")],
  ["submit: unknown access key", 401, (agent) => submit(agent, good, { headers: unknownKey() })],
  ["submit: unknown token", 401, ({ token }) => submit({ token: unknown(token) }, good)],
  ["validate: valid", 200, (agent) => validate(agent, good)],
  ["validate: invalid", 200, (agent) => validate(agent, invalid)],
  ["validate: not JSON", 400, (agent) => validate(agent, "{")],
  ["validate: unknown access key", 401, (agent) => validate(agent, good, { headers: unknownKey() })],
  ["validate: unknown token", 401, ({ token }) => validate({ token: unknown(token) }, good)],
])("%s (%i): one round trip", async (name, status, request) => {
  const agent = await newAgent();
  await request(await newAgent()); // a statement is prepared once for each set of types
  expect(await count(name, () => request(agent))).toEqual([status, 1]);
});

describe("POST /papi/v1/submitter/form/submissions", () => {
  test("missing scope (403): one round trip", async () => {
    const agent = await newAgent(["agent:read"]);
    expect(await count("submit: missing scope", () => submit(agent, good))).toEqual([403, 1]);
  });

  test("over a rate limit, of agent or client IP (429): one round trip", async () => {
    const agent = await newAgent();
    await submit(agent, good);
    expect(await count("submit: agent throttled", () => submit(agent, good))).toEqual([429, 1]);
    const ip = "192.0.2.7";
    for (let i = 0; i < 30; i++) await submit({ token: "none" }, good, { ip });
    expect(await count("submit: address throttled", () => submit(agent, good, { ip }))).toEqual([429, 1]);
    // The server knows until when the database refuses this client IP.
    const still = await count("submit: address still throttled", () => submit(agent, good, { ip }));
    expect(still).toEqual([429, 0]);
  });
});

test("validation, over a rate limit (429): one round trip", async () => {
  const agent = await newAgent();
  for (let i = 0; i < 30; i++) await validate(agent, good);
  expect(await count("validate: agent throttled", () => validate(agent, good))).toEqual([429, 1]);
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
  const refused = await count("submit: large, unknown token", () => submit({ token: "none" }, large));
  expect(refused).toEqual([401, 1]);
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

type Ids = Awaited<ReturnType<typeof makeIds>>;
/** Rows of which every route with an API key can be called once, by what its path names. */
async function makeIds() {
  const { sql } = app.database;
  const agent = await newAgent();
  const submission_id: string = (await submit(agent, good)).body.data.id;
  const key = await makeSigner(app, team, agent.id);
  const [grant] = await sql<{ id: string }[]>`select id from formd.grants where agent_id = ${agent.id}`;
  // A webhook of its own form: it does not listen to what others of this test do.
  const hooked = await makeForm(app, team, fields);
  const headers = { "x-api-key": team.key };
  const body = { url: "https://hooks.example.org/", formId: hooked.id, eventTypes: ["submission.created"] };
  const webhook = await ask(app, "POST", "/papi/v1/management/webhooks", { headers, body });
  const webhook_id: string = webhook.body.data.webhook.id;
  const tested = await ask(app, "POST", `/papi/v1/management/webhooks/${webhook_id}/test`, { headers });
  const [row] = await sql<{ updatedAt: Date }[]>`
    update formd.submissions set status = 'pending', completed_at = null where id = ${submission_id} returning updated_at`;
  const [invitation] = await sql<{ id: string }[]>`
    insert into formd.invitations (team_id, form_id, id, token_hash, expires_at)
    values (${team.id}, ${form.id}, formd.uuid_make(), sha256(convert_to(${agent.id}, 'UTF8')), now() + interval '1 day')
    returning id`;
  return {
    form_id: form.id,
    invitation_id: invitation?.id ?? "",
    submission_id,
    agent_id: agent.id,
    grant_id: grant?.id ?? "",
    key_id: key.id,
    webhook_id,
    event_id: tested.body.data.eventId as string,
    updatedAt: row?.updatedAt.toISOString() ?? "",
  };
}

const ids = await Promise.all(Array.from({ length: 4 }, makeIds));

describe("management and identity: one round trip, of a write too", () => {
  /**
   * An edit is validated between reading and writing: against the other values of the row and the schema of
   * its version.
   */
  const edit = "PATCH /papi/v1/management/forms/{form_id}/submissions/{submission_id}";
  /** A file is compared with the draft between reading and writing. */
  const apply = "POST /papi/v1/management/forms/{form_id}/file";
  /** A form of another tool is read for an authenticated caller alone. */
  const importing = "POST /papi/v1/management/forms/import";
  /** The values of invitations are validated against the published version, which is read before. */
  const inviting = "POST /papi/v1/management/forms/{form_id}/invitations";
  const scopes = ["agent:read"];
  const published = { url: "https://hooks.example.org/", eventTypes: ["form.published"] };
  /** The routes with an API key, in an order in which each finds what it is about. */
  const bodies: Record<string, ((ids: Ids) => object) | null> = {
    "GET /papi/v1/management/forms": null,
    "POST /papi/v1/management/forms": () => ({ name: "New" }),
    "GET /papi/v1/management/forms/{form_id}": null,
    "PATCH /papi/v1/management/forms/{form_id}": () => ({ operations: [{ op: "setMeta", name: "x" }] }),
    "GET /papi/v1/management/forms/{form_id}/file": null,
    [importing]: () => ({ format: "formd/form/1", name: "z", schema: { fields } }),
    [apply]: () => ({ format: "formd/form/1", name: "y", schema: { fields } }),
    "GET /papi/v1/management/forms/{form_id}/audit": null,
    "GET /papi/v1/management/audit": null,
    "GET /papi/v1/management/forms/{form_id}/progress": null,
    "GET /papi/v1/management/forms/{form_id}/retention": null,
    "GET /papi/v1/management/forms/{form_id}/submissions": null,
    "GET /papi/v1/management/forms/{form_id}/submissions/export?format=csv": null,
    "GET /papi/v1/management/forms/{form_id}/submissions/export?format=jsonl": null,
    "GET /papi/v1/management/forms/{form_id}/submissions/{submission_id}": null,
    "GET /papi/v1/management/forms/{form_id}/submissions/{submission_id}/receipt": null,
    "POST /papi/v1/management/forms/{form_id}/submissions/{submission_id}/review": ({
      updatedAt: expectedUpdatedAt,
    }) => ({ decision: "approve", expectedUpdatedAt }),
    [edit]: ({ updatedAt }) => ({
      expectedUpdatedAt: updatedAt,
      edits: [{ fieldId: "name", value: "y" }],
    }),
    "GET /papi/v1/management/forms/{form_id}/submissions/{submission_id}/edits": null,
    "DELETE /papi/v1/management/forms/{form_id}/submissions/{submission_id}": null,
    "GET /papi/v1/identity/agents": null,
    "POST /papi/v1/identity/agents": () => ({ name: "New" }),
    "GET /papi/v1/identity/agents/{agent_id}": null,
    "PATCH /papi/v1/identity/agents/{agent_id}": () => ({ name: "x" }),
    "POST /papi/v1/identity/agents/{agent_id}/rotate-secret": null,
    "DELETE /papi/v1/identity/agents/{agent_id}/sessions": null,
    "GET /papi/v1/identity/agents/{agent_id}/grants": null,
    "DELETE /papi/v1/identity/agents/{agent_id}/grants/{grant_id}": null,
    "POST /papi/v1/identity/agents/{agent_id}/grants": ({ form_id: formId }) => ({ formId, scopes }),
    "GET /papi/v1/identity/agents/{agent_id}/keys": null,
    "DELETE /papi/v1/identity/agents/{agent_id}/keys/{key_id}": null,
    "POST /papi/v1/identity/agents/{agent_id}/keys": () => ({ publicKeyPem: newKey().pem }),
    "DELETE /papi/v1/identity/agents/{agent_id}": null,
    "GET /papi/v1/management/forms/{form_id}/mails": null,
    [inviting]: () => ({ invitations: [{ label: "Ada" }] }),
    "GET /papi/v1/management/forms/{form_id}/invitations": null,
    "DELETE /papi/v1/management/forms/{form_id}/invitations/{invitation_id}": null,
    "GET /papi/v1/management/webhooks": null,
    "POST /papi/v1/management/webhooks": ({ form_id: formId }) => ({ ...published, formId }),
    "GET /papi/v1/management/webhooks/{webhook_id}": null,
    "PATCH /papi/v1/management/webhooks/{webhook_id}": () => ({ status: "paused" }),
    "POST /papi/v1/management/webhooks/{webhook_id}/rotate-secret": null,
    "POST /papi/v1/management/webhooks/{webhook_id}/test": null,
    "POST /papi/v1/management/webhooks/{webhook_id}/replay": ({ event_id }) => ({ eventId: event_id }),
    "GET /papi/v1/management/webhooks/{webhook_id}/deliveries": null,
    "GET /papi/v1/management/webhooks/{webhook_id}/deliveries/{event_id}": null,
    "DELETE /papi/v1/management/webhooks/{webhook_id}": null,
  };
  const requestOf = (route: string, at: Ids, headers: Record<string, string>) => {
    const [method = "", path = ""] = route.split(" ");
    const body = bodies[route]?.(at);
    const to = path.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => at[name]);
    const type = method === "GET" ? {} : { "content-type": "application/json" };
    return ask(app, method, to, { headers: { ...type, ...headers }, ...(body && { body }) });
  };
  /** An approval changes the submission, so that the update after it needs its new time. */
  const refresh = async (at: Ids) => {
    const [row] = await app.database.sql<{ updatedAt: Date }[]>`
      select updated_at from formd.submissions where id = ${at.submission_id}`;
    if (row) at.updatedAt = row.updatedAt.toISOString();
  };

  for (const route of Object.keys(bodies))
    test(route.replace("/papi/v1", ""), async () => {
      const [first, second, third, fourth] = ids as [Ids, Ids, Ids, Ids];
      const key = { "x-api-key": team.key };
      const roundTrips = [edit, apply, importing, inviting].includes(route) ? 2 : 1;
      for (const each of ids) await refresh(each);
      // A statement is prepared once for each set of types.
      await requestOf(route, second, key);
      expect(await count(route, () => requestOf(route, first, key))).toEqual([200, roundTrips]);
      if (!/identity|review|audit/.test(route)) return;
      await requestOf(route, fourth, { cookie });
      const byCookie = await count(`${route} (cookie)`, () => requestOf(route, third, { cookie }));
      expect(byCookie).toEqual([200, roundTrips]);
    });

  test("every route with an API key is here", async () => {
    const { paths } = (await ask(app, "GET", "/papi/v1/openapi.json")).body;
    const isByKey = (each: object) => "apiKey" in each && !("formAccessKey" in each);
    const routes = Object.entries<Record<string, { security: object[] }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security.some(isByKey))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    // A server with files or mail asks now and then, which would be counted: this one has neither.
    const isApart = (route: string) => /\/files\/\{file_id\}$|\/resend$|\/remind$| \/mcp$/.test(route);
    const here = new Set(Object.keys(bodies).map((route) => route.replace(/\?.*/, "")));
    expect(routes.length).toBeGreaterThan(30);
    expect(routes.filter((each) => !here.has(each) && !isApart(each))).toEqual([]);
  });

  test("a body of more than 16 KiB: the credential first", async () => {
    const large = { name: "New", description: "x".repeat(17_000) };
    const create = (key: string) =>
      ask(app, "POST", "/papi/v1/management/forms", { headers: { "x-api-key": key }, body: large });
    await create(team.key);
    expect(await count("POST /management/forms: large", () => create(team.key))).toEqual([200, 2]);
    const refused = await count("POST /management/forms: large, unknown key", () =>
      create(unknown(team.key)),
    );
    expect(refused).toEqual([401, 1]);
  });

  test("a read that ends in 404 marks the key as used, also when SQL raises the problem", async () => {
    for (const path of ["", "/submissions"]) {
      const { id, key } = await makeKey(app, team);
      const url = `/papi/v1/management/forms/${unknownId}${path}`;
      expect(await ask(app, "GET", url, { headers: { "x-api-key": key } })).toMatchObject({ status: 404 });
      const isUsed = () =>
        app.database.sql`select from formd.api_keys where id = ${id} and last_used_at is not null`;
      await until(async () => (await isUsed()).length > 0);
    }
  });

  test("a write that fails is counted: in the response, and in the limit", async () => {
    const { key } = await makeKey(app, team);
    const write = async (path: string, body: object) => {
      const { status, headers } = await ask(app, "PATCH", `/papi/v1/management/forms/${path}`, {
        headers: { "x-api-key": key },
        body,
      });
      return [status, Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])];
    };
    const rename = { operations: [{ op: "setMeta", name: "x" }] };
    const [, left = 0] = await write(form.id, rename);
    expect(await write(unknownId, rename)).toEqual([404, left - 1]);
    expect(await write(form.id, { operations: "none" })).toEqual([400, left - 2]);
    expect(await write(form.id, rename)).toEqual([200, left - 3]);
  });
});

test("a page of the console takes at most three round trips; Publish, Settings and Submissions four", async () => {
  const agent = await newAgent();
  const browser = new Browser(app, cookie);
  const ofForm = [
    ...["", "/replace", "/publish", "/share", "/settings", "/submissions", "/submissions?state=waiting"],
    ...[
      "/review",
      "/review/several",
      "/charts",
      "/access-keys",
      "/translate",
      "/translate.csv",
      "/invitations",
    ],
  ];
  const pages = [
    "",
    ...ofForm.map((page) => `/forms/${form.id}${page}`),
    ...["", `/${agent.id}`].map((page) => `/agents${page}`),
    ...["/api-keys", "/webhooks", "/operators", "/audit", "/account"],
  ];
  for (const page of pages) {
    const request = () => browser.get(`/console${page}`);
    await request();
    const [status, roundTrips] = await count(`console: ${page.replace(/[0-9a-f-]{36}/, "…")}`, request);
    // The page of submissions reads the names of agents beside its rows, at the same time.
    const most = /\/(publish|settings|submissions(\?.*)?)$/.test(page) ? 4 : 3;
    expect([page, status, roundTrips <= most]).toEqual([page, 200, true]);
  }
});

test("a draft is saved in one round trip and opened in one; by an invitation, or of an earlier version, in two", async () => {
  const page = { enabled: true, resume: { enabled: true } };
  const { published, pathOf, republish } = formsOf(app, team);
  const open = (path: string) => getPage(app, path);
  const savedForm = await published(fields, page);
  const { sql } = made;
  const paths = [pathOf(savedForm), `${pathOf(savedForm)}/i/${await invite(sql, team, savedForm)}`];
  const links: string[] = [];
  for (const path of paths) {
    const { hidden } = await open(path);
    const save = () => postForm(app, `${path}/steps`, new URLSearchParams([...hidden, ["formd.save", "1"]]));
    let saved = await save();
    expect(await count("page: save", async () => (saved = await save()))).toEqual([303, 1]);
    links.push((saved.headers.get("location") ?? "").replace(/\/saved$/, ""));
  }
  const counts = async () => {
    const found: unknown[] = [];
    for (const link of links) found.push(await count("page: open a draft", () => open(link)));
    return found;
  };
  expect(await counts()).toEqual([
    [200, 1],
    [200, 2],
  ]);
  await republish(savedForm, [{ op: "updateField", fieldId: "name", set: { label: "Full name" } }]);
  await open(pathOf(savedForm));
  expect(await counts()).toEqual([
    [200, 2],
    [200, 2],
  ]);
});

test("/readyz asks for the functions once in 5 s: two round trips, however often it is asked", async () => {
  const ready = () => ask(app, "GET", "/readyz");
  await ready();
  const began = performance.now();
  const [, again] = await count("/readyz", ready);
  // One that was asked more than 5 s later asks again.
  if (performance.now() - began < 1000) expect(again).toBe(2);
});
