import { beforeEach, describe, expect, test } from "bun:test";
import { makeSalt } from "../../../src/platform/auth/password.ts";
import { outcome, until } from "../../expect.ts";
import {
  addOperator,
  ask,
  freePort,
  freshIp,
  makeAgent,
  makeForm,
  makeTeam,
  server,
  service,
  signIn,
} from "../../setup.ts";

const app = await service();
const team = await makeTeam(app);

// Every test signs in to the same account.
beforeEach(async () => {
  await app.database.sql`delete from formd.rate_limits where key like 'login:account:%'`;
});

const login = (body: unknown, more: { headers?: Record<string, string>; ip?: string } = {}) =>
  ask(app, "POST", "/console/login", { body, ...more });
const agents = async (cookie: string, to = "") =>
  (await ask(app, "GET", `/papi/v1/identity/agents${to}`, { headers: { cookie } })).status;
const right = () => ({ email: team.operator.email, password: team.operator.password });

/** A response to its last byte, without the two headers that differ in every response. */
async function exactly(body: object) {
  const reply = await fetch(`${app.url}/console/login`, {
    method: "POST",
    headers: { "x-forwarded-for": freshIp(), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const headers = [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id").sort();
  return { status: reply.status, headers, body: await reply.text() };
}

describe("POST /console/login", () => {
  test("by JSON: the cookie is for this site's own requests only, and opens the identity routes", async () => {
    // The one operator in the tests whose password is hashed at full strength.
    const { operator } = await makeTeam(app, makeSalt());
    const reply = await login({ email: operator.email, password: operator.password });
    expect(reply.status).toBe(200);
    expect(reply.body.data.operatorId).toBe(operator.id);
    const [pair = "", ...attributes] = (reply.headers.getSetCookie()[0] ?? "").split("; ");
    expect(pair).toMatch(/^formd_session=fdo_[\w-]+$/);
    expect(attributes.filter((attribute) => !attribute.startsWith("Max-Age=")).sort()).toEqual([
      "HttpOnly",
      "Path=/",
      "SameSite=Strict",
    ]);
    expect(JSON.stringify(reply.body)).not.toContain(pair.slice("formd_session=".length));
    expect(await agents(pair)).toBe(200);
  });

  test("by form post, as a page without script sends it", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: app.url };
    const reply = await login(new URLSearchParams(right()).toString(), { headers });
    expect(reply.status).toBe(200);
    expect(await agents(reply.headers.get("set-cookie")?.split(";")[0] ?? "")).toBe(200);
  });

  test("the session that the browser had ends, and none when the password is wrong", async () => {
    const headers = { cookie: await signIn(app, team.operator.email, team.operator.password) };
    expect((await login({ ...right(), password: "wrong horse" }, { headers })).status).toBe(401);
    expect(await agents(headers.cookie)).toBe(200);
    expect((await login(right(), { headers })).status).toBe(200);
    expect(await agents(headers.cookie)).toBe(401);
  });

  test("with an https BASE_URL the cookie is Secure and has the prefix that no other host can set", async () => {
    const port = String(await freePort());
    const secure = await server({
      DATABASE_URL: app.database.url,
      PORT: port,
      BASE_URL: "https://forms.example.org",
      ALLOWED_HOSTS: `127.0.0.1:${port}`,
    });
    const reply = await ask(secure, "POST", "/console/login", {
      body: right(),
      headers: { origin: "https://forms.example.org" },
    });
    expect(reply.status).toBe(200);
    const [pair = "", ...attributes] = (reply.headers.getSetCookie()[0] ?? "").split("; ");
    expect(pair).toMatch(/^__Host-formd_session=fdo_[\w-]+$/);
    expect(attributes).toEqual(expect.arrayContaining(["Secure", "Path=/", "HttpOnly", "SameSite=Strict"]));
    const statusWith = async (cookie: string) =>
      (await ask(secure, "GET", "/papi/v1/identity/agents", { headers: { cookie } })).status;
    expect(await statusWith(pair)).toBe(200);
    expect(await statusWith(pair.replace("__Host-", ""))).toBe(401);
    await secure.stop();
  });

  test("an unknown e-mail, a wrong password and a person without a role get the same response", async () => {
    const { id, email } = await addOperator(app, team.id, team.workspace, "viewer");
    await app.database.sql`delete from formd.workspace_roles where operator_id = ${id}`;
    const first = await exactly({ ...right(), password: "wrong horse" });
    expect([first.status, JSON.parse(first.body).code]).toEqual([401, "unauthorized"]);
    expect(first.headers.map(([name]) => name)).not.toContain("set-cookie");
    const others = [
      { email: "nobody@example.org", password: "wrong horse" },
      { email: "", password: "" },
      { email: "' or 1=1 --", password: "x" },
      { email, password: "correct horse" },
      { ...right(), teamId: "01900000-0000-7000-8000-000000000000" },
    ];
    for (const body of others) expect(await exactly(body)).toEqual(first);
  });

  const foreign = { origin: "https://evil.example" };
  const formPost = { "content-type": "application/x-www-form-urlencoded" };
  const faults: [title: string, body: unknown, headers: Record<string, string>, expected: string][] = [
    ["no password", { email: "a@example.org" }, {}, "400 invalid_body"],
    ["a password that is no text", { email: "a@example.org", password: 1 }, {}, "400 invalid_body"],
    ["no JSON", "{", {}, "400 invalid_body"],
    ["text/plain", "{}", { "content-type": "text/plain" }, "415 invalid_content_type"],
    ["a foreign Origin", {}, foreign, "403 csrf_rejected"],
    [
      "a form post from a foreign page",
      "email=a&password=b",
      { ...foreign, ...formPost },
      "403 csrf_rejected",
    ],
  ];
  test.each(faults)("%s is refused", async (_title, body, headers, expected) => {
    const reply = await login(body, { headers });
    expect(outcome(reply)).toBe(expected);
    expect(reply.headers.get("set-cookie")).toBeNull();
  });

  test("thirty per client IP and minute; the 31st waits, even with the right password; another client IP does not", async () => {
    const ip = "192.0.2.40";
    for (let left = 29; left >= 0; left--) {
      const reply = await login({}, { ip });
      expect(reply.status).toBe(400);
      expect(reply.headers.get("ratelimit")).toStartWith(`"ip";r=${left};t=`);
    }
    const reply = await login(right(), { ip });
    expect([reply.status, reply.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(reply.headers.get("set-cookie")).toBeNull();
    expect((await login(right(), { ip: "192.0.2.41" })).status).toBe(200);
  });

  test("ten wrong passwords per account, client IP and minute; the 11th waits, for known and unknown accounts, even if right", async () => {
    for (const { email, password } of [right(), { email: "unknown@example.org", password: "x" }]) {
      const ip = freshIp();
      for (let index = 0; index < 10; index++)
        expect((await login({ email, password: "wrong horse" }, { ip })).status).toBe(401);
      const reply = await login({ email: email.toUpperCase(), password }, { ip });
      expect(outcome(reply)).toBe("429 rate_limited");
      expect(reply.headers.get("ratelimit")).toStartWith('"account";r=0;t=');
    }
    // Right ones count nowhere.
    const ip = freshIp();
    for (let index = 0; index < 12; index++) expect((await login(right(), { ip })).status).toBe(200);
  });

  test("a hundred wrong passwords from many client IPs block a browser that never signed in, not one that did", async () => {
    const { sql } = app.database;
    const cookies = (await login(right())).headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
    const device = cookies.find((cookie) => cookie?.startsWith("formd_device=")) ?? "";
    const { email } = right();
    for (let index = 0; index < 100; index++)
      await sql`select formd.operator_login_admit(${email}, null, ${`10.9.1.${index}`}, 10, 100)`;
    const stranger = await login(right());
    expect([stranger.status, stranger.body.limit]).toEqual([429, "account-everywhere"]);
    const known = await login(right(), { headers: { cookie: device } });
    expect(known.status).toBe(200);
    for (const cookie of [device.slice(0, -2), device.replace("=", "=A"), "formd_device=."])
      expect((await login(right(), { headers: { cookie } })).status).toBe(429);
    // Its own window: who took the cookie does not guess without end.
    for (let index = 0; index < 10; index++)
      expect((await login({ email, password: "wrong" }, { headers: { cookie: device } })).status).toBe(401);
    expect((await login(right(), { headers: { cookie: device } })).status).toBe(429);
    // And of no other account.
    const other = (await makeTeam(app)).operator;
    for (let index = 0; index < 100; index++)
      await sql`select formd.operator_login_admit(${other.email}, null, ${`10.9.1.${index}`}, 10, 100)`;
    const { email: otherEmail, password } = other;
    expect((await login({ email: otherEmail, password }, { headers: { cookie: device } })).status).toBe(429);
  });

  test("a wrong password is an event of the account, at most one per minute; for an unknown account there is no event", async () => {
    const own = await makeTeam(app);
    const events = () =>
      app.database.sql`
        select object_id, details from formd.audit_events
        where kind = 'operator.sign_in_failed' and team_id = ${own.id}`;
    await login({ email: own.operator.email, password: own.operator.password });
    expect([...(await events())]).toEqual([]);
    for (let index = 0; index < 3; index++) {
      await login({ email: own.operator.email, password: "the wrong text" });
      await login({ email: "nobody@example.org", password: "the wrong text" });
    }
    expect([...(await events())]).toEqual([{ objectId: own.operator.id, details: {} }]);
    await until(() => app.log().includes(`"account":"${own.operator.id}"`));
  });

  test("an IPv6 site (/48) may do four times as much as one client IP, however many of its networks it uses", async () => {
    const statuses = [];
    for (let index = 0; index <= 120; index++)
      statuses.push((await login({}, { ip: `2001:db8:77:${index.toString(16)}::1` })).status);
    expect(statuses).toEqual([...Array(120).fill(400), 429]);
    expect((await login({}, { ip: "2001:db8:78::1" })).status).toBe(400);
  });

  test("logins and token mints of one client IP do not share a rate limit", async () => {
    const ip = "192.0.2.42";
    for (let index = 0; index < 30; index++) await login({}, { ip });
    expect((await ask(app, "POST", "/papi/v1/auth/token", { ip, body: {} })).status).toBe(401);
  });
});

describe("POST /console/logout", () => {
  const json = { "content-type": "application/json" };
  const logout = (headers: Record<string, string>) => ask(app, "POST", "/console/logout", { headers });

  test("takes the cookie away, and says the same again without a session", async () => {
    const cookie = await signIn(app, right().email, right().password);
    const reply = await logout({ cookie, ...json });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("set-cookie")).toMatch(/^formd_session=; Max-Age=0(;|$)/);
    expect(await agents(cookie)).toBe(401);
    expect((await logout({ cookie, ...json })).status).toBe(200);
  });

  test("does nothing for a forged request", async () => {
    const cookie = await signIn(app, right().email, right().password);
    for (const headers of [
      {},
      { "content-type": "text/plain" },
      { ...json, origin: "https://evil.example" },
    ]) {
      expect(outcome(await logout({ cookie, ...headers }))).toBe("403 csrf_rejected");
    }
    expect(await agents(cookie)).toBe(200);
  });
});

test("who works for two teams says in which one, once the password is right", async () => {
  const other = await makeTeam(app);
  await app.database.sql`
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (${other.id}, ${other.workspace}, ${team.operator.id}, 'admin', now())`;
  const undecided = await login(right());
  expect([outcome(undecided), undecided.headers.has("set-cookie")]).toEqual(["409 conflict", false]);
  const ids = undecided.body.teams.map(({ id }: { id: string }) => id);
  expect(ids.toSorted()).toEqual([team.id, other.id].toSorted());
  const wrong = await login({ ...right(), password: "not the password" });
  expect([wrong.status, wrong.body.teams]).toEqual([401, undefined]);
  const theirs = await makeAgent(app, other, await makeForm(app, other, []), []);
  for (const [teamId, status] of [
    [team.id, 404],
    [other.id, 200],
  ] as const) {
    const reply = await login({ ...right(), teamId });
    const cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(await agents(cookie, `/${theirs.id}`)).toBe(status);
  }
  await app.database.sql`
    delete from formd.workspace_roles where team_id = ${other.id} and operator_id = ${team.operator.id}`;
});
