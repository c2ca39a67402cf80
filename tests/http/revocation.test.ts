import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { outcome } from "../expect.ts";
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
  type Server,
  type Service,
  server,
  service,
  settingsFor,
  signIn,
  type Team,
} from "../setup.ts";

// A test that starts a process of formd waits for it, on a busy machine too.
setDefaultTimeout(120_000);

/** Two instances on one database: what is taken away through the one is gone for the very next call to the other. */
let here: Service;
let there: Server;
let team: Team;
let form: PublishedForm;

beforeAll(async () => {
  here = await service();
  there = await server({ DATABASE_URL: here.database.url });
  team = await makeTeam(here);
  form = await makeForm(here, team, []);
}, 120_000);

const identity = async (method: string, path: string, body?: unknown) => {
  const reply = await ask(here, method, `/papi/v1/identity/agents/${path}`, {
    headers: { "x-api-key": team.key },
    body,
  });
  expect(reply.status).toBe(200);
  return reply.body.data;
};
/** Runs a command of formd on the same database and answers its stdout. */
const command = async (...args: string[]) => {
  const ran = await formd(args, settingsFor(here.database));
  expect(ran).toMatchObject({ code: 0 });
  return ran.stdout;
};
const calls = (headers: Record<string, string>): (() => Promise<Reply>)[] =>
  ["validation", "submissions"].map(
    (what) => () => ask(there, "POST", `/papi/v1/submitter/form/${what}`, { headers, body: { data: {} } }),
  );

describe("through one instance, for the next call on another", () => {
  const agentCases: [title: string, revoke: (agent: Agent) => Promise<unknown>, expected: string][] = [
    [
      "a revoked grant",
      async ({ id }) => {
        const [{ id: grantId }] = (await identity("GET", `${id}/grants`)).grants;
        await identity("DELETE", `${id}/grants/${grantId}`);
      },
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
    for (const call of calls(asAgent(form, agent))) expect(outcome(await call())).toBe("ok");
    await revoke(agent);
    for (const call of calls(asAgent(form, agent))) expect(outcome(await call())).toBe(expected);
  });

  test("a disabled agent that is active again may go on, and mints again", async () => {
    const agent = await makeAgent(here, team, form);
    const mint = async () =>
      outcome(await ask(there, "POST", "/papi/v1/auth/token", { body: { clientSecret: agent.secret } }));
    await identity("PATCH", agent.id, { status: "disabled" });
    expect([await mint(), outcome((await calls(asAgent(form, agent))[0]?.()) as Reply)]).toEqual([
      "401 unauthorized",
      "403 agent_inactive",
    ]);
    await identity("PATCH", agent.id, { status: "active" });
    expect([await mint(), outcome((await calls(asAgent(form, agent))[0]?.()) as Reply)]).toEqual([
      "ok",
      "ok",
    ]);
  });

  test("a rotated secret", async () => {
    const { id, secret } = await makeAgent(here, team, form);
    const mint = async (clientSecret: string) =>
      outcome(await ask(there, "POST", "/papi/v1/auth/token", { body: { clientSecret } }));
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
    for (const call of everywhere) expect(outcome(await call())).toBe("ok");
    await command("api-key", "revoke", id);
    for (const call of everywhere) expect(outcome(await call())).toBe("401 unauthorized");
  });

  test("a form's access key", async () => {
    const one = await makeForm(here, team, []);
    const agent = await makeAgent(here, team, one);
    for (const call of calls(asAgent(one, agent))) expect(outcome(await call())).toBe("ok");
    const [{ id }] = JSON.parse(await command("access-key", "list", one.id, "--json")).accessKeys;
    await command("access-key", "revoke", id);
    for (const call of calls(asAgent(one, agent))) expect(outcome(await call())).toBe("401 unauthorized");
  });

  test("an archived form", async () => {
    const one = await makeForm(here, team, []);
    const agent = await makeAgent(here, team, one);
    for (const call of calls(asAgent(one, agent))) expect(outcome(await call())).toBe("ok");
    await command("form", "archive", one.id);
    for (const call of calls(asAgent(one, agent)))
      expect(outcome(await call())).toBe("403 form_not_published");
  });

  test("an operator who has logged out", async () => {
    const cookie = await signIn(here, team.operator.email, team.operator.password);
    const list = async () =>
      outcome(await ask(there, "GET", "/papi/v1/identity/agents", { headers: { cookie } }));
    expect(await list()).toBe("ok");
    await ask(here, "POST", "/console/logout", { headers: { cookie, "content-type": "application/json" } });
    expect(await list()).toBe("401 unauthorized");
  });

  test("a published version: the other instance, which holds the one before, judges by the new one", async () => {
    const one = await makeForm(here, team, []);
    const headers = { "x-form-access-key": one.accessKey, "x-api-key": team.key };
    const validate = async () => (await calls(headers)[0]?.())?.body.data.missingRequired;
    expect(await validate()).toEqual([]);
    const add = {
      operations: [{ op: "addField", field: { id: "name", type: "text", label: "Name", required: true } }],
    };
    expect(
      (await ask(here, "PATCH", `/papi/v1/management/forms/${one.id}`, { headers, body: add })).status,
    ).toBe(200);
    expect(await validate()).toEqual([]);
    await command("form", "publish", one.id);
    expect(await validate()).toEqual(["name"]);
  });
});
