// stacks: one
import { describe, expect, test } from "bun:test";
import { unknownId } from "../expect.ts";
import {
  asAgent,
  ask,
  freshIp,
  makeAgent,
  makeForm,
  makeKey,
  makeOperator,
  makeTeam,
  service,
} from "../setup.ts";
import { type Key, makeSigner, newKey, signed, unsigned } from "../signing.ts";
import { Browser, expectRedirect, secretOf } from "./console/browser.ts";

const most = 3;
const limits = { RATE_LIMIT_MANAGEMENT_PER_MINUTE: String(most) };
const app = await service({ ...limits, FEATURE_AGENT_SIGNING: "true" });
const team = await makeTeam(app);
const form = await makeForm(app, team, []);
const agent = await makeAgent(app, team, form);
const signingKey = await makeSigner(app, team, agent.id);
const cookie = await makeOperator(app, team, "viewer");

const agents = "/papi/v1/identity/agents";
const published = "/papi/v1/submitter/form";
const accountPage = "/console/account";
type Headers = Record<string, string>;
/** Returns the outcome of a request: its status, or the limit that it exceeded. */
async function send(method: string, path: string, headers: Headers, ip: string, body?: object) {
  if (path === accountPage) return await visit(headers, ip);
  const reply = await ask(app, method, path, { headers, ip, ...(body && { body }) });
  return reply.status === 429 ? reply.body.limit : reply.status;
}
async function visit(headers: Headers, ip: string) {
  const reply = await fetch(app.url + accountPage, {
    headers: { ...headers, "x-forwarded-for": ip, accept: "text/html" },
    redirect: "manual",
  });
  const isRefused = (await reply.text()).includes("per client IP without a valid credential");
  return reply.status === 429 && isRefused ? "unknown-caller" : reply.status;
}
const read = (path: string, headers: Headers, ip: string) => send("GET", path, headers, ip);
const asSigner = (key: Key) => () =>
  signed(key, { ...unsigned(app, published, form, undefined), method: "GET" }).headers;
const tools = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const asMcp = (token: string) => ({
  authorization: `Bearer ${token}`,
  accept: "application/json, text/event-stream",
});

/** The headers of a caller that is known, and of one that is not. */
type Route = [path: string, known: () => Headers, unknown: () => Headers, body?: object];
const noKey = () => ({ "x-api-key": "fdk_none" });
const noSession = () => ({ cookie: "formd_session=fdo_none" });
const noToken = () => asAgent(form, { token: "fds_none" });
const noAccessKey = () => asAgent({ id: "", accessKey: "fdf_none" }, { token: `${agent.token}x` });
const asOperator = () => ({ cookie });
const asKnownAgent = () => asAgent(form, agent);
const malformed = () => ({ ...asSigner(signingKey)(), "signature-input": "sig1=none" });
const knownMcp = () => asMcp(agent.token);
const noMcp = () => asMcp("fds_none");
const call = { ...tools, method: "tools/call", params: { name: "none" } };
const routes: [name: string, Route][] = [
  ["an API key of an owner", [agents, () => ({ "x-api-key": team.key }), noKey]],
  ["an operator's session", [agents, asOperator, noSession]],
  ["a page of the console", [accountPage, asOperator, noSession]],
  ["an agent's token", [published, asKnownAgent, noToken]],
  ["an access key", [published, asKnownAgent, noAccessKey]],
  ["a receipt", [`/papi/v1/submitter/receipts/${unknownId}`, asKnownAgent, noToken]],
  ["a signature by an unknown key", [published, asSigner(signingKey), () => asSigner(newKey())()]],
  [
    "a signature that names a known key",
    [published, asSigner(signingKey), () => asSigner({ ...newKey(), id: signingKey.id })()],
  ],
  ["a malformed signature", [published, asSigner(signingKey), malformed]],
  ["MCP", ["/mcp", knownMcp, noMcp, tools]],
  ["MCP without a credential", ["/mcp", knownMcp, () => ({ accept: asMcp("").accept }), tools]],
  ["MCP, for an unknown tool", ["/mcp", knownMcp, noMcp, call]],
  ["MCP, with a batch", ["/mcp", knownMcp, noMcp, [tools]]],
];

describe.each(routes)("%s", (_name, [path, known, unknown, body]) => {
  test("that is unknown counts per client IP; one that is known, and other client IPs, are not refused", async () => {
    const [ip, other] = [freshIp(), freshIp()];
    const call = (headers: Headers, from = ip) => send(body ? "POST" : "GET", path, headers, from, body);
    const whenKnown = await call(known());
    expect([200, 400, 404]).toContain(whenKnown);
    for (let index = 0; index < most; index++) expect(await call(unknown())).not.toBe("unknown-caller");
    expect(await call(unknown())).toBe("unknown-caller");
    expect(await call(known())).toBe(whenKnown);
    expect(await call(unknown(), other)).not.toBe("unknown-caller");
  });
});

/** A client IP from which no more unknown credentials are looked up. */
async function spentIp(): Promise<string> {
  const ip = freshIp();
  for (let index = 0; index < most; index++)
    expect(await read(agents, { "x-api-key": "fdk_none" }, ip)).toBe(401);
  expect(await read(agents, {}, ip)).toBe("unknown-caller");
  return ip;
}

test.each(routes)(
  "%s: of unknown ones that arrive at once no more are looked up",
  async (_name, [path, , unknown, body]) => {
    const ip = freshIp();
    const statuses = await Promise.all(
      Array.from({ length: 40 }, () => send(body ? "POST" : "GET", path, unknown(), ip, body)),
    );
    expect(statuses.filter((status) => status !== "unknown-caller")).toHaveLength(most);
  },
);

test("a signature whose nonce was used, and one of a key that is gone, count as unknown, though this process has the key", async () => {
  const ip = freshIp();
  const key = await makeSigner(app, team, agent.id);
  const used = asSigner(key)();
  expect(await read(published, used, ip)).toBe(200);
  for (let index = 0; index < most; index++) expect(await read(published, used, ip)).toBe(401);
  expect(await read(published, used, ip)).toBe("unknown-caller");
  const other = freshIp();
  expect(await read(published, asSigner(key)(), other)).toBe(200);
  await app.database.sql`delete from formd.signing_keys where key_id = ${key.id}`;
  for (let index = 0; index < most; index++) expect(await read(published, asSigner(key)(), other)).toBe(401);
  expect(await read(published, asSigner(key)(), other)).toBe("unknown-caller");
});

test("all unknown credentials of a client IP share one limit, and a key that this process has not seen is not known", async () => {
  const ip = await spentIp();
  const { key } = await makeKey(app, team, "forms:write");
  for (const [path, headers] of [
    [agents, { "x-api-key": key }],
    [published, asAgent(form, { token: "fds_none" })],
    [accountPage, { cookie: "formd_session=fdo_none" }],
  ] as const)
    expect(await read(path, headers, ip)).toBe("unknown-caller");
});

test("what this process has made is known: a session after a sign-in or a switch of the team, a token after a mint, an API key of the console", async () => {
  const ip = await spentIp();
  const { email, password } = team.operator;
  const login = await ask(app, "POST", "/console/login", { ip, body: { email, password } });
  expect(login.status).toBe(200);
  const own = { cookie: login.headers.get("set-cookie")?.split(";")[0] ?? "" };
  expect(await read(accountPage, own, ip)).toBe(200);
  const browser = new Browser(app, own.cookie);
  const made = await browser.post("/console/api-keys", { name: "x", scopes: "forms:write" });
  expect(await read(agents, { "x-api-key": secretOf(made) }, ip)).toBe(200);
  const other = await makeTeam(app);
  await app.database.sql`
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (${other.id}, ${other.workspace}, ${team.operator.id}, 'viewer', now())`;
  expectRedirect(await browser.post("/console/team", { team: other.id }), "/console");
  expect(await read(accountPage, { cookie: browser.cookie }, ip)).toBe(200);
  const minted = await ask(app, "POST", "/papi/v1/auth/token", { ip, body: { clientSecret: agent.secret } });
  expect(await read(published, asAgent(form, minted.body.data), ip)).toBe(200);
});

test("what no longer exists is unknown again: a session after the sign-out", async () => {
  const ended = { cookie: await makeOperator(app, team, "viewer") };
  expect(await read(agents, ended, freshIp())).toBe(200);
  const ip = await spentIp();
  expect(await read(agents, ended, ip)).toBe(200);
  expect(await send("POST", "/console/logout", ended, ip, {})).toBe(200);
  expect(await read(agents, ended, ip)).toBe("unknown-caller");
});

test.each(["sign-out", "sign-out-everywhere", "team"])(
  "what no longer exists is unknown again: a session after POST /console/%s",
  async (name) => {
    const cookie = await makeOperator(app, team, "viewer");
    const other = await makeTeam(app);
    await app.database.sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      select ${other.id}, ${other.workspace}, operator_id, 'viewer', now() from formd.operator_sessions
      where team_id = ${team.id} order by id desc limit 1`;
    const ip = await spentIp();
    expect(await read(agents, { cookie }, ip)).toBe(200);
    expectRedirect(await new Browser(app, cookie).post(`/console/${name}`, { team: other.id }), "/console");
    expect(await read(agents, { cookie }, ip)).toBe("unknown-caller");
  },
);

test("a sign-out does not count", async () => {
  const ip = freshIp();
  for (let index = 0; index < most; index++) {
    const ended = { cookie: await makeOperator(app, team, "viewer") };
    expect(await read(accountPage, ended, ip)).toBe(200);
    expect(await send("POST", "/console/logout", ended, ip, {})).toBe(200);
  }
  expect(await read(agents, { "x-api-key": "fdk_none" }, ip)).toBe(401);
});

test("without a cookie a page of the console asks to sign in, whatever others of the client IP send", async () => {
  expect(await read(accountPage, {}, await spentIp())).toBe(303);
});

test("the public keys of receipts, which anyone may read, are read as often as unknown credentials", async () => {
  const ip = freshIp();
  const keys = `/papi/v1/receipt-keys?team=${team.id}`;
  for (let index = 0; index < most; index++) expect(await read(keys, {}, ip)).toBe(200);
  expect(await read(keys, {}, ip)).toBe("unknown-caller");
  expect(await read(keys, {}, freshIp())).toBe(200);
});

test.each([
  "/papi/v1/auth/token",
  "/papi/v1/auth/anonymous",
  "/console/login",
  `/papi/v1/submitter/challenges/${unknownId}/responses`,
])(
  "POST %s: a client IP whose bodies are refused before its limit counts them is refused there",
  async (path) => {
    const ip = freshIp();
    const post = (from: string, name: string) => send("POST", path, {}, from, { name });
    const tooLong = "a".repeat(16_384);
    for (let index = 0; index < most; index++) expect(await post(ip, tooLong)).toBe(413);
    expect(await post(ip, "a")).toBe("refused");
    expect(await post(freshIp(), "a")).not.toBe("refused");
    expect(await read(published, asAgent(form, agent), ip)).toBe(200);
  },
);

test.each(["/developer/search?q=form", "/papi/v1/openapi.json"])(
  "%s, which costs some milliseconds, counts as one without a valid credential",
  async (path) => {
    const ip = freshIp();
    const statuses = [];
    for (let count = 0; count <= most; count++) statuses.push(await read(path, {}, ip));
    expect(statuses).toEqual([...Array(most).fill(200), "unknown-caller"]);
  },
);
