// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { outcome, unknownId, uuid } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeTeam, makeWorkspace, service } from "../../setup.ts";
import { agentsFixture, agentsPath } from "./fixture.ts";

const { app, team, form, key, call, freshAgent, read } = await agentsFixture(await service());
const secondWorkspace = await makeWorkspace(app, team);
/** A call by the team's API key. */
const byKey = (method: string, to: string, body?: unknown) => call(key, method, to, body);

describe(`POST ${agentsPath}`, () => {
  test("returns the agent with its secret, by default in the team's oldest workspace", async () => {
    const { status, body } = await byKey("POST", "", { name: "Robot" });
    const data = {
      ...{ name: "Robot", status: "active", workspaceId: team.workspace },
      ...{ id: expect.stringMatching(uuid), clientId: expect.any(String) },
      ...{ secret: expect.stringMatching(/^fda_[\w-]{65}$/), secretPrefix: expect.any(String) },
    };
    expect([status, body]).toEqual([200, { apiVersion: "v1", data }]);
    expect(body.data.secret.startsWith(body.data.secretPrefix)).toBe(true);
    const elsewhere = await byKey("POST", "", { name: "Robot", workspaceId: secondWorkspace });
    expect(elsewhere.body.data.workspaceId).toBe(secondWorkspace);
  });

  const faults: [body: unknown, expected: string][] = [
    [{}, "400 invalid_body"],
    [{ name: 7 }, "400 invalid_body"],
    [{ name: null }, "400 invalid_body"],
    [{ name: " \t" }, "400 bad_request"],
    [{ name: "a\u0000b" }, "400 invalid_body"],
    [{ name: "A", workspaceId: "main" }, "400 invalid_body"],
    [{ name: "A", workspaceId: unknownId }, "404 not_found"],
    [[], "400 invalid_body"],
    ["{", "400 invalid_body"],
  ];
  test.each(faults)("%j is refused with %s", async (body, expected) => {
    expect(outcome(await byKey("POST", "", body))).toBe(expected);
  });
});

describe(`GET ${agentsPath}`, () => {
  test("lists newest first, by page", async () => {
    const mine = await makeTeam(app);
    const headers = { "x-api-key": mine.key };
    const made: string[] = [];
    for (const name of ["1", "2", "3"])
      made.unshift((await call(headers, "POST", "", { name })).body.data.id);
    const page = async (query: string) => {
      const { agents, pagination } = (await call(headers, "GET", query)).body.data;
      return [agents.map((agent: { id: string }) => agent.id), pagination];
    };
    expect(await page("")).toEqual([made, { page: 1, limit: 100, total: 3 }]);
    expect(await page("?limit=2&page=2")).toEqual([made.slice(2), { page: 2, limit: 2, total: 3 }]);
    expect(await page("?page=9")).toEqual([[], { page: 9, limit: 100, total: 3 }]);
  });

  test.each(["page=0", "limit=0", "limit=101", "page=x", "page=1.5"])(
    "?%s is refused by name",
    async (query) => {
      const reply = await byKey("GET", `?${query}`);
      expect([reply.status, reply.body.code]).toEqual([400, "bad_request"]);
      expect(reply.body.error).toContain(query.split("=")[0] ?? "");
    },
  );
});

describe(`one agent: ${agentsPath}/{agent_id}`, () => {
  test("PATCH changes name and status, one or both, and returns the agent as GET does", async () => {
    const id = await freshAgent();
    for (const [body, name, status] of [
      [{ name: "New" }, "New", "active"],
      [{ status: "disabled" }, "New", "disabled"],
      [{ status: "disabled" }, "New", "disabled"],
      [{ name: "Newer", status: "active" }, "Newer", "active"],
    ] as const) {
      const reply = await byKey("PATCH", `/${id}`, body);
      expect(reply.body.data.agent).toMatchObject({ id, name, status });
      expect(reply.body.data.agent).toEqual(await read(id));
    }
  });

  const refused: [body: unknown, expected: string][] = [
    [{}, "400 bad_request"],
    [{ status: "revoked" }, "400 invalid_body"],
    [{ status: "on" }, "400 invalid_body"],
    [{ status: null }, "400 invalid_body"],
    [{ name: "" }, "400 bad_request"],
    [{ name: " \t" }, "400 bad_request"],
    [{ name: 1 }, "400 invalid_body"],
  ];
  test.each(refused)("PATCH %j is %s", async (body, expected) => {
    expect(outcome(await byKey("PATCH", `/${await freshAgent()}`, body))).toBe(expected);
  });

  test("DELETE revokes: a second one says the same, and the agent stays in the list", async () => {
    const id = await freshAgent();
    for (let i = 0; i < 2; i++) {
      const { status, body } = await byKey("DELETE", `/${id}`);
      expect([status, body]).toEqual([200, { apiVersion: "v1", data: { id, status: "revoked" } }]);
    }
    expect((await read(id)).status).toBe("revoked");
    const { agents } = (await byKey("GET", "")).body.data;
    expect(agents.find((agent: { id: string }) => agent.id === id)?.status).toBe("revoked");
  });
});

describe("an agent's secret", () => {
  const mints = async (clientSecret: string) =>
    (await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } })).status;

  test("is shown by register and rotate only, and no other response has a member of that name", async () => {
    const made = (await byKey("POST", "", { name: "Shy" })).body.data;
    const answers = [
      await byKey("GET", `/${made.id}`),
      await byKey("GET", ""),
      await byKey("PATCH", `/${made.id}`, { name: "Shy still" }),
      await byKey("POST", `/${made.id}/grants`, { formId: form.id, scopes: ["agent:read"] }),
      await byKey("GET", `/${made.id}/grants`),
      await byKey("DELETE", `/${made.id}`),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/"secret"|hash/i);
      expect(JSON.stringify(body)).not.toContain(made.secret);
    }
  });

  test("rotation gives a new one that mints at once; the old one mints nothing; the status stays", async () => {
    const { id, secret } = await makeAgent(app, team, form, []);
    expect(await mints(secret)).toBe(200);
    const { status, body } = await byKey("POST", `/${id}/rotate-secret`);
    expect(status).toBe(200);
    expect(Object.keys(body.data).sort()).toEqual(["id", "secret", "secretPrefix"]);
    expect(body.data.secret).not.toBe(secret);
    expect([await mints(secret), await mints(body.data.secret)]).toEqual([401, 200]);
    await byKey("PATCH", `/${id}`, { status: "disabled" });
    const whileDisabled = await byKey("POST", `/${id}/rotate-secret`);
    expect([whileDisabled.status, (await read(id)).status]).toEqual([200, "disabled"]);
    expect(await mints(whileDisabled.body.data.secret)).toBe(401);
  });
});

describe("the tokens of an agent", () => {
  const reads = async (agent: { token: string }) =>
    outcome(await ask(app, "GET", "/papi/v1/submitter/form", { headers: asAgent(form, agent) }));
  const mint = async (clientSecret: string) =>
    (await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } })).body.data;

  test("are 403 agent_inactive while it is disabled; enabled again, those from before are 401", async () => {
    const agent = await makeAgent(app, team, form);
    expect(await reads(agent)).toBe("ok");
    await byKey("PATCH", `/${agent.id}`, { status: "disabled" });
    expect(await reads(agent)).toBe("403 agent_inactive");
    await byKey("PATCH", `/${agent.id}`, { status: "active" });
    expect(await reads(agent)).toBe("401 unauthorized");
    expect(await reads(await mint(agent.secret))).toBe("ok");
  });

  test("a rename ends nothing; a revoked agent's tokens are 403 agent_inactive", async () => {
    const agent = await makeAgent(app, team, form);
    await byKey("PATCH", `/${agent.id}`, { name: "B", status: "active" });
    expect(await reads(agent)).toBe("ok");
    await byKey("DELETE", `/${agent.id}`);
    expect(await reads(agent)).toBe("403 agent_inactive");
  });

  test("a new secret leaves the tokens, as other mints do, and with endSessions it ends them", async () => {
    const agent = await makeAgent(app, team, form);
    const rotate = (body?: object) => byKey("POST", `/${agent.id}/rotate-secret`, body);
    for (const body of [undefined, {}, { endSessions: false }]) {
      const { secret } = (await rotate(body)).body.data;
      expect([await reads(await mint(secret)), await reads(agent)]).toEqual(["ok", "ok"]);
    }
    expect(outcome(await rotate({ endSessions: 1 }))).toBe("400 invalid_body");
    expect(outcome(await rotate({ endSessions: true }))).toBe("ok");
    expect(await reads(agent)).toBe("401 unauthorized");
  });

  test("an agent's sessions are ended alone, and no other agent's", async () => {
    const [agent, other] = [await makeAgent(app, team, form), await makeAgent(app, team, form)];
    const ended = await byKey("DELETE", `/${agent.id}/sessions`);
    expect(ended.body.data).toEqual({ id: agent.id, ended: 1 });
    expect([await reads(agent), await reads(other)]).toEqual(["401 unauthorized", "ok"]);
    expect((await byKey("DELETE", `/${agent.id}/sessions`)).body.data.ended).toBe(0);
  });
});
