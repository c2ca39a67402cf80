import { describe, expect, test } from "bun:test";
import { unknownId } from "../../expect.ts";
import { ask, makeOperator, makeTeam, makeWorkspace, type Reply, service } from "../../setup.ts";
import { newKey } from "../../signing.ts";
import { makeCallers } from "../callers.ts";
import { agentsFixture, agentsPath } from "./fixture.ts";

const { app, team, form, key, call, freshAgent, read, grantsOf, keysOf } = await agentsFixture(
  await service(),
);
const secondWorkspace = await makeWorkspace(app, team);
const callers: Awaited<ReturnType<typeof makeCallers>> = {
  ...(await makeCallers(app, team, await makeTeam(app), secondWorkspace)),
  "a wrong key": { "x-api-key": "fdk_wrong" },
};
const admin = callers.admin ?? {};
const register = (headers: Record<string, string>, agent: string) =>
  call(headers, "POST", `/${agent}/keys`, { publicKeyPem: newKey().pem });

describe("who may call the routes of agents, grants and keys", () => {
  const ada = "01900000-0000-7000-8000-00000000ada0";
  const grant = (headers: Record<string, string>, id: string, more: object) =>
    call(headers, "POST", `/${id}/grants`, {
      formId: form.id,
      scopes: ["agent:read", "agent:validate"],
      ...more,
    });
  /** A grant and a key of the agent. */
  interface Owned {
    grant: string;
    key: string;
  }
  type Calling = (headers: Record<string, string>, agent: string, of: Owned) => Promise<Reply>;
  const routes: Record<string, Calling> = {
    make: (headers) => call(headers, "POST", "", { name: "A", workspaceId: team.workspace }),
    list: (headers) => call(headers, "GET", ""),
    read: (headers, agent) => call(headers, "GET", `/${agent}`),
    edit: (headers, agent) => call(headers, "PATCH", `/${agent}`, { name: "B", status: "disabled" }),
    end: (headers, agent) => call(headers, "DELETE", `/${agent}`),
    turn: (headers, agent) => call(headers, "POST", `/${agent}/rotate-secret`),
    held: (headers, agent) => call(headers, "GET", `/${agent}/grants`),
    give: (headers, agent) => grant(headers, agent, {}),
    subm: (headers, agent) => grant(headers, agent, { scopes: ["agent:submit"] }),
    bind: (headers, agent) => grant(headers, agent, { respondentId: ada }),
    take: (headers, agent, of) => call(headers, "DELETE", `/${agent}/grants/${of.grant}`),
    keys: (headers, agent) => call(headers, "GET", `/${agent}/keys`),
    add: register,
    drop: (headers, agent, of) => call(headers, "DELETE", `/${agent}/keys/${of.key}`),
  };
  // "held", "give", "subm", "bind" and "take" are about grants, "subm" with agent:submit and "bind" with a
  // respondent; "keys", "add" and "drop" about keys. "none" is a list without the agent.
  const table = `
    caller                      make list read edit end  turn held give subm bind take keys add  drop
    no credentials              401  401  401  401  401  401  401  401  401  401  401  401  401  401
    a wrong key                 401  401  401  401  401  401  401  401  401  401  401  401  401  401
    key forms:write             ok   ok   ok   ok   ok   ok   ok   ok   key  bind ok   ok   ok   ok
    key forms:read              no   no   no   no   no   no   no   no   no   no   no   no   no   no
    key submissions:read        no   no   no   no   no   no   no   no   no   no   no   no   no   no
    key submissions:update      no   no   no   no   no   no   no   no   no   no   no   no   no   no
    key submissions:delete      no   no   no   no   no   no   no   no   no   no   no   no   no   no
    key submissions:write       no   no   no   no   no   no   no   no   no   no   no   no   no   no
    admin                       ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
    editor                      ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
    viewer                      role ok   ok   role role role ok   role role role role ok   role role
    admin of another workspace  role none 404  404  404  404  404  404  404  404  404  404  404  404
    key of another team         404  none 404  404  404  404  404  404  key  bind 404  404  404  404
    admin of another team       404  none 404  404  404  404  404  404  404  404  404  404  404  404
    admin; a revoked agent      ok   ok   ok   409  ok   409  ok   409  409  409  409  ok   409  409
    admin; an unknown agent     ok   none 404  404  404  404  404  404  404  404  404  404  404  404
    admin; an id that is none   ok   none 400  400  400  400  400  400  400  400  400  400  400  400`;
  const meaning: Record<string, string> = {
    ok: "200",
    none: "200 without the agent",
    401: "401 unauthorized",
    no: "403 missing_scope",
    role: "403 insufficient_workspace_role",
    key: "403 submit_not_grantable_by_api_key",
    bind: "403 respondent_binding_requires_session",
    400: "400 bad_request",
    404: "404 not_found",
    409: "409 conflict",
  };
  /** Agents that a call names instead of an active one. */
  const others: Record<string, (id: string) => string | Promise<string>> = {
    "a revoked agent": async (id) => (await call(admin, "DELETE", `/${id}`)).body.data.id,
    "an unknown agent": () => unknownId,
    "an id that is none": () => "robot",
  };
  const [[, ...columns] = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => {
      const [caller = "", cells = ""] = line.trim().split(/ {2,}(.*)/);
      return [caller, ...cells.split(/ +/)];
    });
  for (const [row = "", ...cells] of rows) {
    const [caller = "", other = ""] = row.split("; ");
    test(`${row}; and what is refused changes nothing`, async () => {
      const state = async (id: string) => ({
        ...{ agent: await read(id), grants: await grantsOf(id), keys: await keysOf(id) },
      });
      for (const [index, column] of columns.entries()) {
        const id = await freshAgent();
        await grant(admin, id, {});
        await register(admin, id);
        const meant = (await others[other]?.(id)) ?? id;
        const before = await state(id);
        const owned = { grant: before.grants[0].id, key: before.keys[0].keyId };
        const reply = await routes[column]?.(callers[caller] ?? {}, meant, owned);
        const isListed = reply?.body.data?.agents?.some((agent: { id: string }) => agent.id === meant);
        const outcome = [reply?.status, reply?.body.code ?? (isListed === false && "without the agent")]
          .filter(Boolean)
          .join(" ");
        expect({ column, outcome }).toEqual({ column, outcome: meaning[cells[index] ?? ""] ?? "?" });
        if (reply?.status === 400) expect(reply.body.error).toContain("agent_id");
        if (reply?.status !== 200) expect(await state(id)).toEqual(before);
      }
    });
  }

  test("an operator's role is checked before the body, then its type, and its shape", async () => {
    const id = await freshAgent();
    for (const [method, to] of [
      ["POST", ""],
      ["PATCH", `/${id}`],
      ["POST", `/${id}/grants`],
      ["POST", `/${id}/keys`],
    ] as const) {
      const codes = [];
      for (const caller of ["viewer", "editor"])
        codes.push((await call(callers[caller] ?? {}, method, to, { scopes: 1, status: 1 })).body.code);
      codes.push((await call({ ...key, "content-type": "text/plain" }, method, to, "{")).body.code);
      const expected = ["insufficient_workspace_role", "invalid_body", "invalid_content_type"];
      expect([to, codes]).toEqual([to, expected]);
    }
  });

  test("a person with roles in two workspaces sees the agents of both", async () => {
    const cookie = await makeOperator(app, team, "viewer");
    const { id } = (await call(key, "POST", "", { name: "S", workspaceId: secondWorkspace })).body.data;
    const sees = async () => (await call({ cookie }, "GET", `/${id}`)).status;
    expect(await sees()).toBe(404);
    await app.database.sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      select team_id, ${secondWorkspace}, operator_id, 'viewer', now() from formd.operator_sessions order by id desc limit 1`;
    expect(await sees()).toBe(200);
  });
});

describe("a change by cookie", () => {
  const json = { "content-type": "application/json" };
  const localhost = app.url.replace("127.0.0.1", "localhost");
  const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
  const cases: [title: string, headers: Record<string, string>, expected: number][] = [
    ["with a JSON content type and no Origin passes", json, 200],
    ["with this server's own Origin passes", { ...json, origin: app.url }, 200],
    ["with BASE_URL's Origin passes", { ...json, origin: localhost }, 200],
    ["with a foreign Origin is refused", { ...json, origin: "https://evil.example" }, 403],
    [
      "with this host's Origin in another scheme is refused",
      { ...json, origin: app.url.replace("http:", "https:") },
      403,
    ],
    ["with the Origin of another port is refused", { ...json, origin: "http://localhost:1" }, 403],
    ["with the Origin null is refused", { ...json, origin: "null" }, 403],
    ["with a form's content type is refused", urlencoded, 403],
    ["with text/plain is refused", { "content-type": "text/plain" }, 403],
  ];
  test.each(cases)("%s", async (_title, headers, expected) => {
    const id = await freshAgent();
    const granted = { formId: form.id, scopes: ["agent:read"] };
    const { grant } = (await call(key, "POST", `/${id}/grants`, granted)).body.data;
    const { keyId } = (await register(key, id)).body.data;
    const changes: [method: string, to: string, body?: unknown][] = [
      ["POST", "", { name: "C" }],
      ["PATCH", `/${id}`, { name: "C" }],
      ["POST", `/${id}/rotate-secret`],
      ["POST", `/${id}/grants`, granted],
      ["DELETE", `/${id}/grants/${grant.id}`],
      ["POST", `/${id}/keys`, { publicKeyPem: newKey().pem }],
      ["DELETE", `/${id}/keys/${keyId}`],
      ["DELETE", `/${id}`],
    ];
    const code = expected === 403 ? "csrf_rejected" : undefined;
    for (const [method, to, body] of changes) {
      const reply = await ask(app, method, agentsPath + to, { headers: { ...admin, ...headers }, body });
      expect([method, to, reply.status, reply.body.code]).toEqual([method, to, expected, code]);
    }
    // A rejected call has written nothing, although the write is one statement with the authentication.
    const { name, status } = await read(id);
    const keys = (await keysOf(id)).map((each: { status: string }) => each.status);
    expect([name, status, keys]).toEqual(
      expected === 403 ? ["Agent", "active", ["active"]] : ["C", "revoked", ["active", "revoked"]],
    );
  });

  test("without a body needs the content type all the same, on DELETE and on rotate", async () => {
    const id = await freshAgent();
    for (const [method, to] of [
      ["POST", `${agentsPath}/${id}/rotate-secret`],
      ["DELETE", `${agentsPath}/${id}`],
    ] as const) {
      const reply = await ask(app, method, to, { headers: admin });
      expect([reply.status, reply.body.code]).toEqual([403, "csrf_rejected"]);
    }
    expect((await read(id)).status).toBe("active");
  });

  test("a forged session is 401 before anyone looks for forgery of another kind", async () => {
    const reply = await ask(app, "POST", agentsPath, {
      headers: { cookie: "formd_session=fdo_nothing", "content-type": "text/plain" },
      body: "{}",
    });
    expect([reply.status, reply.body.code]).toEqual([401, "unauthorized"]);
  });

  test("reading by cookie needs neither", async () => {
    const reply = await ask(app, "GET", agentsPath, {
      headers: { ...admin, origin: "https://evil.example" },
    });
    expect(reply.status).toBe(200);
  });

  test("with x-api-key the cookie is ignored: team, errors and the forgery rule are the key's", async () => {
    const sent = { ...admin, origin: "https://evil.example", "content-type": "application/json" };
    const byKey = await ask(app, "POST", agentsPath, { headers: { ...sent, ...key }, body: { name: "K" } });
    expect(byKey.status).toBe(200);
    const byWrongKey = await ask(app, "GET", agentsPath, { headers: { ...admin, "x-api-key": "wrong" } });
    expect([byWrongKey.status, byWrongKey.body.code]).toEqual([401, "unauthorized"]);
    const otherTeam = callers["key of another team"] ?? {};
    const byAnother = await call({ ...admin, ...otherTeam }, "GET", `/${await freshAgent()}`);
    expect(byAnother.status).toBe(404);
  });
});
