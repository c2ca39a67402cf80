import { beforeAll, describe, expect, test } from "bun:test";
import { unknownId, uuid } from "../../expect.ts";
import {
  type Agent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  makeWorkspace,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const path = "/papi/v1/identity/agents";

let app: Service;
let team: Team;
let form: PublishedForm;
let secondWorkspace: string;
let key: Record<string, string> = {};

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  form = await makeForm(app, team, []);
  secondWorkspace = await makeWorkspace(app, team);
  key = { "x-api-key": team.key };
});

const call = (headers: Record<string, string>, method: string, to: string, body?: unknown) =>
  ask(app, method, to, {
    headers: { "content-type": "application/json", ...headers },
    body,
  });
const freshAgent = () => makeAgent(app, team, form, []);
const read = async (id: string) => (await call(key, "GET", `${path}/${id}`)).body.data.agent;
describe(`POST ${path}`, () => {
  test("answers the agent with its secret, in the team's oldest workspace unless told otherwise", async () => {
    const { status, body } = await call(key, "POST", path, { name: "Robot" });
    expect(status).toBe(200);
    expect(body).toEqual({
      apiVersion: "v1",
      data: {
        id: expect.stringMatching(uuid),
        clientId: expect.any(String),
        secret: expect.stringMatching(/^fda_[\w-]{65}$/),
        secretPrefix: expect.any(String),
        name: "Robot",
        status: "active",
        workspaceId: team.workspace,
      },
    });
    expect(body.data.secret.startsWith(body.data.secretPrefix)).toBe(true);
    const elsewhere = await call(key, "POST", path, { name: "Robot", workspaceId: secondWorkspace });
    expect(elsewhere.body.data.workspaceId).toBe(secondWorkspace);
  });

  const faults: [body: unknown, status: number, code: string][] = [
    [{}, 400, "invalid_body"],
    [{ name: 7 }, 400, "invalid_body"],
    [{ name: null }, 400, "invalid_body"],
    [{ name: "  " }, 400, "bad_request"],
    [{ name: "a\u0000b" }, 400, "invalid_body"],
    [{ name: "A", workspaceId: "main" }, 400, "invalid_body"],
    [{ name: "A", workspaceId: unknownId }, 404, "not_found"],
    [[], 400, "invalid_body"],
    ["{", 400, "invalid_body"],
  ];
  test.each(faults)("%j is refused with %d %s", async (body, status, code) => {
    const reply = await call(key, "POST", path, body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  test("a body that is not said to be JSON is 415, and 401 without a credential", async () => {
    const plain = { body: "name=A", headers: { "content-type": "text/plain" } };
    expect((await ask(app, "POST", path, { ...plain, headers: { ...plain.headers, ...key } })).status).toBe(
      415,
    );
    expect((await ask(app, "POST", path, plain)).status).toBe(401);
  });
});

describe(`GET ${path}`, () => {
  test("lists newest first, by page", async () => {
    const mine = await makeTeam(app);
    const headers = { "x-api-key": mine.key };
    const made: string[] = [];
    for (const name of ["1", "2", "3"])
      made.unshift((await call(headers, "POST", path, { name })).body.data.id);
    const page = async (query: string) => {
      const { agents, pagination } = (await call(headers, "GET", `${path}${query}`)).body.data;
      return { ids: agents.map((agent: { id: string }) => agent.id), pagination };
    };
    expect(await page("")).toEqual({ ids: made, pagination: { page: 1, limit: 100, total: 3 } });
    expect(await page("?limit=2&page=2")).toEqual({
      ids: made.slice(2),
      pagination: { page: 2, limit: 2, total: 3 },
    });
    expect(await page("?page=9")).toEqual({ ids: [], pagination: { page: 9, limit: 100, total: 3 } });
  });

  test.each(["page=0", "limit=0", "limit=101", "page=x", "page=1.5"])(
    "?%s is refused by name",
    async (query) => {
      const reply = await call(key, "GET", `${path}?${query}`);
      expect([reply.status, reply.body.code]).toEqual([400, "bad_request"]);
      expect(reply.body.error).toContain(query.split("=")[0] ?? "");
    },
  );
});

describe(`one agent: ${path}/{agent_id}`, () => {
  const calls = (id: string): [string, string, unknown?][] => [
    ["GET", `${path}/${id}`],
    ["PATCH", `${path}/${id}`, { name: "N" }],
    ["DELETE", `${path}/${id}`],
    ["POST", `${path}/${id}/rotate-secret`],
  ];
  test("an id that is none is 400 and names the parameter; an unknown one is 404", async () => {
    for (const [method, to, body] of calls("robot")) {
      const reply = await call(key, method, to, body);
      expect([reply.status, reply.body.code]).toEqual([400, "bad_request"]);
      expect(reply.body.error).toContain("agent_id");
      expect((await call({}, method, to, body)).status).toBe(401);
    }
    for (const [method, to, body] of calls(unknownId)) {
      const reply = await call(key, method, to, body);
      expect([reply.status, reply.body.code]).toEqual([404, "not_found"]);
    }
  });

  test("PATCH changes name and status, one or both, and answers the agent as GET does", async () => {
    const { id } = await freshAgent();
    for (const [body, name, status] of [
      [{ name: "New" }, "New", "active"],
      [{ status: "disabled" }, "New", "disabled"],
      [{ status: "disabled" }, "New", "disabled"],
      [{ name: "Newer", status: "active" }, "Newer", "active"],
    ] as const) {
      const reply = await call(key, "PATCH", `${path}/${id}`, body);
      expect(reply.body.data.agent).toMatchObject({ id, name, status });
      expect(reply.body.data.agent).toEqual(await read(id));
    }
  });

  const refused: [body: unknown, code: string][] = [
    [{}, "bad_request"],
    [{ status: "revoked" }, "invalid_body"],
    [{ status: "on" }, "invalid_body"],
    [{ status: null }, "invalid_body"],
    [{ name: "" }, "bad_request"],
    [{ name: 1 }, "invalid_body"],
  ];
  test.each(refused)("PATCH %j is 400 %s", async (body, code) => {
    const reply = await call(key, "PATCH", `${path}/${(await freshAgent()).id}`, body);
    expect([reply.status, reply.body.code]).toEqual([400, code]);
  });

  test("DELETE revokes for good: a second one says the same, and nothing brings the agent back", async () => {
    const { id } = await freshAgent();
    await call(key, "PATCH", `${path}/${id}`, { status: "disabled" });
    const first = await call(key, "DELETE", `${path}/${id}`);
    expect([first.status, first.body]).toEqual([200, { apiVersion: "v1", data: { id, status: "revoked" } }]);
    const revoked = await read(id);
    expect(revoked.status).toBe("revoked");
    expect((await call(key, "DELETE", `${path}/${id}`)).body).toEqual(first.body);
    for (const [method, to, body] of [
      ["PATCH", "", { status: "active" }],
      ["PATCH", "", { name: "Back" }],
      ["POST", "/rotate-secret", undefined],
      ["POST", "/grants", { formId: form.id, scopes: ["agent:read"] }],
    ] as const) {
      const reply = await call(key, method, `${path}/${id}${to}`, body);
      expect([method, to, reply.status, reply.body.code]).toEqual([method, to, 409, "conflict"]);
    }
    expect(await read(id)).toEqual(revoked);
    const { agents } = (await call(key, "GET", path)).body.data;
    expect(agents.find((agent: { id: string }) => agent.id === id)?.status).toBe("revoked");
  });
});

describe("an agent's secret", () => {
  const mints = async (clientSecret: string) =>
    (await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } })).status;

  test("is shown by register and rotate only, and no other answer holds a member of that name", async () => {
    const made = (await call(key, "POST", path, { name: "Shy" })).body.data;
    const answers = [
      await call(key, "GET", `${path}/${made.id}`),
      await call(key, "GET", path),
      await call(key, "PATCH", `${path}/${made.id}`, { name: "Shy still" }),
      await call(key, "POST", `${path}/${made.id}/grants`, { formId: form.id, scopes: ["agent:read"] }),
      await call(key, "GET", `${path}/${made.id}/grants`),
      await call(key, "DELETE", `${path}/${made.id}`),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/"secret"|hash/i);
      expect(JSON.stringify(body)).not.toContain(made.secret);
    }
  });

  test("rotation gives a new one that mints at once; the old one mints nothing; the status stays", async () => {
    const agent: Agent = await freshAgent();
    expect(await mints(agent.secret)).toBe(200);
    const { status, body } = await call(key, "POST", `${path}/${agent.id}/rotate-secret`);
    expect(status).toBe(200);
    expect(Object.keys(body.data).sort()).toEqual(["id", "secret", "secretPrefix"]);
    expect(body.data.secret).not.toBe(agent.secret);
    expect([await mints(agent.secret), await mints(body.data.secret)]).toEqual([401, 200]);
    await call(key, "PATCH", `${path}/${agent.id}`, { status: "disabled" });
    const whileDisabled = await call(key, "POST", `${path}/${agent.id}/rotate-secret`);
    expect([whileDisabled.status, (await read(agent.id)).status]).toEqual([200, "disabled"]);
    expect(await mints(whileDisabled.body.data.secret)).toBe(401);
  });

  test("of rotations at the same time one secret stands", async () => {
    const { id } = await freshAgent();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => call(key, "POST", `${path}/${id}/rotate-secret`)),
    );
    const minted = await Promise.all(replies.map(({ body }) => mints(body.data.secret)));
    expect(minted.filter((status) => status === 200)).toHaveLength(1);
  });
});
