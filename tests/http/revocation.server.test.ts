import { describe, expect, test } from "bun:test";
import { outcome, until } from "../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  formd,
  makeAgent,
  makeForm,
  makeKey,
  makeTeam,
  type PublishedForm,
  type Reply,
  server,
  service,
  settingsFor,
  signIn,
} from "../setup.ts";

/**
 * Two instances on one database: what is taken away through the one is gone for the very next call to the
 * other.
 */
const here = await service();
const there = await server({ DATABASE_URL: here.database.url });
const team = await makeTeam(here);
const form = await makeForm(here, team, []);

const identity = async (method: string, path: string, body?: unknown) => {
  const reply = await ask(here, method, `/papi/v1/identity/agents/${path}`, {
    headers: { "x-api-key": team.key },
    body,
  });
  expect(reply.status).toBe(200);
  return reply.body.data;
};
/** Runs a command of formd on the same database and returns its stdout. */
const command = async (...args: string[]) => {
  const ran = await formd(args, settingsFor(here.database));
  expect(ran).toMatchObject({ code: 0 });
  return ran.stdout;
};
const calls = (headers: Record<string, string>): (() => Promise<Reply>)[] =>
  ["validation", "submissions"].map(
    (what) => () => ask(there, "POST", `/papi/v1/submitter/form/${what}`, { headers, body: { data: {} } }),
  );

const everyOne = async (calls: (() => Promise<Reply>)[]) =>
  new Set((await Promise.all(calls.map((call) => call()))).map(outcome));
const mint = async (clientSecret: string) =>
  outcome(await ask(there, "POST", "/papi/v1/auth/token", { body: { clientSecret } }));

describe("through one instance, for the next call on another", () => {
  const agentCases: [title: string, revoke: (agent: Agent) => Promise<unknown>, expected: string][] = [
    [
      "a revoked grant",
      async ({ id }) =>
        identity("DELETE", `${id}/grants/${(await identity("GET", `${id}/grants`)).grants[0].id}`),
      "403 no_grant",
    ],
    [
      "a grant of fewer scopes",
      ({ id }) => identity("POST", `${id}/grants`, { formId: form.id, scopes: ["agent:read"] }),
      "403 missing_scope",
    ],
    ["a disabled agent", ({ id }) => identity("PATCH", id, { status: "disabled" }), "403 agent_inactive"],
    ["a revoked agent", ({ id }) => identity("DELETE", id), "403 agent_inactive"],
  ];
  test.each(agentCases)("%s", async (_title, revoke, expected) => {
    const agent = await makeAgent(here, team, form);
    expect(await everyOne(calls(asAgent(form, agent)))).toEqual(new Set(["ok"]));
    await revoke(agent);
    expect(await everyOne(calls(asAgent(form, agent)))).toEqual(new Set([expected]));
  });

  test("a disabled agent that is active again mints again, and its earlier tokens are over", async () => {
    const agent = await makeAgent(here, team, form);
    for (const [status, minted, called] of [
      ["disabled", "401 unauthorized", "403 agent_inactive"],
      ["active", "ok", "401 unauthorized"],
    ] as const) {
      await identity("PATCH", agent.id, { status });
      expect(await mint(agent.secret)).toBe(minted);
      expect(await everyOne(calls(asAgent(form, agent)))).toEqual(new Set([called]));
    }
  });

  test("a rotated secret", async () => {
    const { id, secret } = await makeAgent(here, team, form);
    expect(await mint(secret)).toBe("ok");
    const { secret: next } = await identity("POST", `${id}/rotate-secret`);
    expect([await mint(secret), await mint(next)]).toEqual(["401 unauthorized", "ok"]);
  });

  test("an API key", async () => {
    const { id, key } = await makeKey(here, team);
    const headers = { "x-api-key": key };
    const everywhere = [
      () => ask(there, "GET", "/papi/v1/management/forms", { headers }),
      () => ask(there, "GET", "/papi/v1/identity/agents", { headers }),
      ...calls({ ...headers, "x-form-access-key": form.accessKey }),
    ];
    expect(await everyOne(everywhere)).toEqual(new Set(["ok"]));
    await command("api-key", "revoke", id);
    expect(await everyOne(everywhere)).toEqual(new Set(["401 unauthorized"]));
  });

  const formCases: [title: string, end: (form: PublishedForm) => Promise<unknown>, expected: string][] = [
    [
      "a form's access key",
      async ({ id }) => {
        const { accessKeys } = JSON.parse(await command("access-key", "list", id, "--json"));
        await command("access-key", "revoke", accessKeys[0].id);
      },
      "401 unauthorized",
    ],
    ["an archived form", ({ id }) => command("form", "archive", id), "403 form_not_published"],
  ];
  test.each(formCases)("%s", async (_title, end, expected) => {
    const one = await makeForm(here, team, []);
    const agent = await makeAgent(here, team, one);
    expect(await everyOne(calls(asAgent(one, agent)))).toEqual(new Set(["ok"]));
    await end(one);
    expect(await everyOne(calls(asAgent(one, agent)))).toEqual(new Set([expected]));
  });

  test("keys whose time has come: the same 401 as a revoked one, everywhere", async () => {
    const one = await makeForm(here, team, []);
    const agent = await makeAgent(here, team, one);
    const anonymous = () =>
      ask(there, "POST", "/papi/v1/auth/anonymous", { headers: { "x-form-access-key": one.accessKey } });
    const { id, key } = await makeKey(here, team);
    const withKey = { "x-api-key": key };
    const mcp = (headers: Record<string, string>) =>
      ask(there, "POST", "/mcp", {
        headers: { ...headers, accept: "application/json, text/event-stream" },
        body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      });
    const byApiKey = [
      () => ask(there, "GET", "/papi/v1/management/forms", { headers: withKey }),
      () => ask(there, "POST", "/papi/v1/management/forms", { headers: withKey, body: { name: "A" } }),
      () => ask(there, "GET", "/papi/v1/identity/agents", { headers: withKey }),
      () => mcp(withKey),
      ...calls({ ...withKey, "x-form-access-key": form.accessKey }),
    ];
    const byAccessKey = [
      anonymous,
      () => ask(there, "GET", "/papi/v1/submitter/form", { headers: asAgent(one, agent) }),
      ...calls(asAgent(one, agent)),
    ];
    for (const call of [...byApiKey, ...byAccessKey]) expect((await call()).status).toBe(200);
    const { sql } = here.database;
    const past = sql`created_at = now() - interval '2 hours', expires_at = now() - interval '1 second'`;
    await sql`update formd.api_keys set ${past} where id = ${id}`;
    await sql`update formd.form_access_keys set ${past} where form_id = ${one.id}`;
    const refusals = async () => {
      const replies = await Promise.all([...byApiKey, ...byAccessKey].map((call) => call()));
      return replies.map(({ status, body }) => [status, body.code, body.error]);
    };
    const expired = await refusals();
    for (const refusal of expired) expect(refusal.slice(0, 2)).toEqual([401, "unauthorized"]);
    await sql`update formd.api_keys set expires_at = null, revoked_at = now() where id = ${id}`;
    await sql`update formd.form_access_keys set expires_at = null, revoked_at = now() where form_id = ${one.id}`;
    expect(await refusals()).toEqual(expired);
    await sql`update formd.form_access_keys set ${past}, revoked_at = null where form_id = ${one.id}`;
    // Several at once are one list for the database.
    const submits = Array.from({ length: 8 }, () => calls(asAgent(one, agent)).slice(1)).flat();
    expect(await everyOne(submits)).toEqual(new Set(["401 unauthorized"]));
  });

  test("the first use of a key is noted within seconds, whatever it was used for", async () => {
    const one = await makeForm(here, team, []);
    const [agent, submitting, reading, unused] = [
      await makeAgent(here, team, one),
      await makeKey(here, team, "submissions:write"),
      await makeKey(here, team, "forms:read"),
      await makeKey(here, team),
    ];
    const { sql } = here.database;
    const used = async () =>
      (
        await sql<{ id: string }[]>`
          select id from formd.api_keys where team_id = ${team.id} and last_used_at is not null
          union all select form_id from formd.form_access_keys where last_used_at is not null`
      ).map(({ id }) => id);
    const withKey = calls({ "x-form-access-key": one.accessKey, "x-api-key": submitting.key });
    expect(await everyOne(withKey)).toEqual(new Set(["ok"]));
    const agents = { headers: { "x-api-key": reading.key } };
    expect(outcome(await ask(there, "GET", "/papi/v1/identity/agents", agents))).toBe("403 missing_scope");
    const wrong = { ...asAgent(form, agent), "x-respondent-token": "fds_none" };
    expect(await everyOne(calls(wrong))).toEqual(new Set(["401 unauthorized"]));
    const expected = [one.id, submitting.id, reading.id];
    await until(async () => new Set(expected).isSubsetOf(new Set(await used())));
    expect(await used()).not.toContain(unused.id);
  });

  test("an operator who has logged out", async () => {
    const cookie = await signIn(here, team.operator.email, team.operator.password);
    const list = async () =>
      outcome(await ask(there, "GET", "/papi/v1/identity/agents", { headers: { cookie } }));
    expect(await list()).toBe("ok");
    await ask(here, "POST", "/console/logout", { headers: { cookie, "content-type": "application/json" } });
    expect(await list()).toBe("401 unauthorized");
  });

  test("a published version: the other instance, which has cached the previous one, validates by the new one", async () => {
    const one = await makeForm(here, team, []);
    const headers = { "x-form-access-key": one.accessKey, "x-api-key": team.key };
    const validate = async () => (await calls(headers)[0]?.())?.body.data.missingRequired;
    expect(await validate()).toEqual([]);
    const field = { id: "name", type: "text", label: "Name", required: true };
    const sent = { headers, body: { operations: [{ op: "addField", field }] } };
    expect((await ask(here, "PATCH", `/papi/v1/management/forms/${one.id}`, sent)).status).toBe(200);
    expect(await validate()).toEqual([]);
    await command("form", "publish", one.id);
    expect(await validate()).toEqual(["name"]);
  });
});
