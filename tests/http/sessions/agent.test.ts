import { beforeAll, describe, expect, test } from "bun:test";
import {
  type Agent,
  asAgent,
  ask,
  freshIp,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const path = "/papi/v1/auth/token";

let app: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  form = await makeForm(app, team, []);
  agent = await makeAgent(app, team, form);
});

const mint = (body?: unknown, header?: string) =>
  ask(app, "POST", path, {
    body,
    headers: header === undefined ? {} : { "x-agent-secret": header },
  });
const identity = (method: string, to: string, body?: unknown) =>
  ask(app, method, `/papi/v1/identity/agents/${to}`, {
    headers: { "x-api-key": team.key },
    body,
  });
const validate = async (token: string) => {
  const reply = await ask(app, "POST", "/papi/v1/submitter/form/validation", {
    headers: asAgent(form, { token }),
    body: { data: {} },
  });
  return reply.status === 200 ? "ok" : `${reply.status} ${reply.body.code}`;
};

/** A response to its last byte, without the two headers that differ in every response. */
async function exactly(secret: string, by: "body" | "header") {
  const reply = await fetch(app.url + path, {
    method: "POST",
    headers: {
      "x-forwarded-for": freshIp(),
      "content-type": "application/json",
      ...(by === "header" && { "x-agent-secret": secret }),
    },
    body: by === "body" ? JSON.stringify({ clientSecret: secret }) : "{}",
  });
  const headers = [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id").sort();
  return { status: reply.status, headers, body: await reply.text() };
}

describe(`POST ${path}`, () => {
  test("the secret in the body gives a session of seven days that works at once", async () => {
    const before = Date.now();
    const { status, body } = await mint({ clientSecret: agent.secret });
    expect([status, Object.keys(body).sort(), Object.keys(body.data).sort()]).toEqual([
      200,
      ["apiVersion", "data"],
      ["expiresAt", "token"],
    ]);
    expect(body.data.token).toMatch(/^fds_/);
    const lifetime = Date.parse(body.data.expiresAt) - before;
    expect(Math.abs(lifetime - 7 * 86_400_000)).toBeLessThan(10_000);
    expect(await validate(body.data.token)).toBe("ok");
  });

  const ways: [
    title: string,
    body: (secret: string) => unknown,
    header: (secret: string) => string | undefined,
    expected: string,
  ][] = [
    ["in the header, with no body", () => undefined, (secret) => secret, "200"],
    ["in the header, with an empty object", () => ({}), (secret) => secret, "200"],
    ["in both, the same", (secret) => ({ clientSecret: secret }), (secret) => secret, "200"],
    [
      "in both, different, the body's right",
      (secret) => ({ clientSecret: secret }),
      () => "fda_other",
      "401 unauthorized",
    ],
    [
      "in both, different, the header's right",
      () => ({ clientSecret: "fda_other" }),
      (secret) => secret,
      "401 unauthorized",
    ],
    ["nowhere, with an empty object", () => ({}), () => undefined, "401 unauthorized"],
    ["nowhere, with no body", () => undefined, () => undefined, "401 unauthorized"],
    ["the empty text", () => ({ clientSecret: "" }), () => undefined, "401 unauthorized"],
    ["a number", () => ({ clientSecret: 7 }), () => undefined, "400 invalid_body"],
    ["null", () => ({ clientSecret: null }), () => undefined, "400 invalid_body"],
    ["a list with the secret", (secret) => ({ clientSecret: [secret] }), () => undefined, "400 invalid_body"],
    ["a number beside a right header", () => ({ clientSecret: 7 }), (secret) => secret, "400 invalid_body"],
    ["in a body that is no object", (secret) => JSON.stringify(secret), () => undefined, "400 invalid_body"],
    ["in a body that is no JSON", (secret) => `clientSecret=${secret}`, () => undefined, "400 invalid_body"],
    [
      "with white space around it",
      (secret) => ({ clientSecret: ` ${secret} ` }),
      () => undefined,
      "401 unauthorized",
    ],
  ];
  test.each(ways)("secret %s", async (_title, body, header, expected) => {
    const reply = await mint(body(agent.secret), header(agent.secret));
    expect([String(reply.status), reply.body.code].filter(Boolean).join(" ")).toBe(expected);
  });

  test("a body that is not said to be JSON is 415", async () => {
    const reply = await ask(app, "POST", path, {
      headers: { "content-type": "text/plain" },
      body: agent.secret,
    });
    expect([reply.status, reply.body.code]).toEqual([415, "invalid_content_type"]);
  });

  test("the secret in the URL is not read", async () => {
    expect((await ask(app, "POST", `${path}?clientSecret=${agent.secret}`, { body: {} })).status).toBe(401);
  });

  test("unknown, malformed, disabled, revoked, rotated-out and foreign secrets are told apart by nothing", async () => {
    const [disabled, revoked, rotated] = [
      await makeAgent(app, team, form),
      await makeAgent(app, team, form),
      await makeAgent(app, team, form),
    ];
    await identity("PATCH", disabled.id, { status: "disabled" });
    await identity("DELETE", revoked.id);
    await identity("POST", `${rotated.id}/rotate-secret`);
    const secrets = [
      `${agent.secret.slice(0, -4)}AAAA`,
      "x",
      "",
      "fda_ünïcode",
      "x".repeat(5000),
      agent.token,
      team.key,
      disabled.secret,
      revoked.secret,
      rotated.secret,
    ];
    const first = await exactly(secrets[0] ?? "", "body");
    expect(first.status).toBe(401);
    expect(Object.keys(JSON.parse(first.body)).sort()).toEqual([
      "_docs",
      "_guide",
      "apiVersion",
      "code",
      "error",
    ]);
    for (const secret of secrets)
      expect({ secret, ...(await exactly(secret, "body")) }).toEqual({ secret, ...first });
    for (const secret of [disabled.secret, revoked.secret, rotated.secret])
      expect(await exactly(secret, "header")).toEqual(first);
  });

  test("a disabled agent mints again once it is active", async () => {
    const { id, secret } = await makeAgent(app, team, form);
    await identity("PATCH", id, { status: "disabled" });
    expect((await mint({ clientSecret: secret })).status).toBe(401);
    await identity("PATCH", id, { status: "active" });
    expect((await mint({ clientSecret: secret })).status).toBe(200);
  });

  test("a malformed request is counted as well, and once the limit is reached it is 429 like any other", async () => {
    const ip = "192.0.2.32";
    const malformed = () => ask(app, "POST", path, { ip, body: '{"clientSecret": 1e400}' });
    for (let left = 29; left >= 0; left--) {
      const { status, headers } = await malformed();
      expect([status, headers.get("ratelimit")?.split(";")[1]]).toEqual([400, `r=${left}`]);
    }
    expect((await malformed()).status).toBe(429);
  });

  test("a body of more than 16 KiB is 413, and is not read", async () => {
    const body = { clientSecret: agent.secret, more: "x".repeat(16_384) };
    const reply = await ask(app, "POST", path, { body });
    expect([reply.status, reply.body.code]).toEqual([413, "payload_too_large"]);
  });

  test("thirty of one address in a minute, right or wrong; the next waits, and other addresses do not", async () => {
    const from = (ip: string, clientSecret: string) => ask(app, "POST", path, { ip, body: { clientSecret } });
    const ip = "192.0.2.30";
    const begun = performance.now();
    for (let left = 29; left >= 0; left--) {
      const reply = await from(ip, left % 2 ? agent.secret : "wrong");
      expect(reply.status).toBe(left % 2 ? 200 : 401);
      expect(reply.headers.get("ratelimit")).toMatch(new RegExp(`^"ip";r=${left};t=\\d+$`));
      expect(reply.headers.get("ratelimit-policy")).toBe('"ip";q=30;w=60');
    }
    for (const secret of [agent.secret, "wrong"]) {
      const reply = await from(ip, secret);
      expect([reply.status, reply.body.code]).toEqual([429, "rate_limited"]);
      expect(reply.headers.get("ratelimit")).toMatch(/^"ip";r=0;t=\d+$/);
      const after = Number(reply.headers.get("retry-after"));
      expect(after).toBeWithin(Math.floor(60 - (performance.now() - begun) / 1000), 61);
    }
    expect((await from("192.0.2.31", agent.secret)).status).toBe(200);
  });
});

describe("an agent's session", () => {
  test("survives the rotation of the secret it was minted with, and other mints", async () => {
    const { id, secret } = await makeAgent(app, team, form);
    const { token } = (await mint({ clientSecret: secret })).body.data;
    const { secret: next } = (await identity("POST", `${id}/rotate-secret`)).body.data;
    const { token: second } = (await mint({ clientSecret: next })).body.data;
    expect(second).not.toBe(token);
    expect([await validate(token), await validate(second)]).toEqual(["ok", "ok"]);
  });

  test("is agent_inactive while the agent is disabled or revoked, and over once it is active again", async () => {
    const { id, token } = await makeAgent(app, team, form);
    await identity("PATCH", id, { status: "disabled" });
    expect(await validate(token)).toBe("403 agent_inactive");
    await identity("PATCH", id, { status: "active" });
    expect(await validate(token)).toBe("401 unauthorized");
    const later = await makeAgent(app, team, form);
    await identity("DELETE", later.id);
    expect(await validate(later.token)).toBe("403 agent_inactive");
  });

  test("that has expired is 401", async () => {
    const { id, token } = await makeAgent(app, team, form);
    await app.database
      .sql`update formd.sessions set expires_at = now() - interval '1 second' where agent_id = ${id}`;
    expect(await validate(token)).toBe("401 unauthorized");
  });

  test("is stored as a hash: neither token nor secret stands in the database", async () => {
    const { token } = (await mint({ clientSecret: agent.secret })).body.data;
    const rows = await app.database
      .sql`select to_jsonb(s) as row from formd.sessions s union all select to_jsonb(a) from formd.agents a`;
    const everything = JSON.stringify(rows);
    for (const secret of [token, agent.secret, agent.token]) expect(everything).not.toContain(secret);
  });
});
