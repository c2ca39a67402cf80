import { describe, expect, test } from "bun:test";
import {
  ask,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  makeWorkspace,
  type Reply,
  service,
} from "../../setup.ts";
import { makeCallers } from "../callers.ts";

const path = "/papi/v1/identity/agents";

const app = await service();
const team = await makeTeam(app);
const form = await makeForm(app, team, []);
const secondWorkspace = await makeWorkspace(app, team);
const callers: Awaited<ReturnType<typeof makeCallers>> = {
  ...(await makeCallers(app, team, await makeTeam(app), secondWorkspace)),
  "a wrong key": { "x-api-key": "fdk_wrong" },
};
const key = { "x-api-key": team.key };
const admin = callers.admin ?? {};

/** A request as a careful browser would send it: with a JSON content type, also where there is no body. */
const call = (headers: Record<string, string>, method: string, to: string, body?: unknown) =>
  ask(app, method, to, {
    headers: { "content-type": "application/json", ...headers },
    body,
  });
const freshAgent = () => makeAgent(app, team, form, []);
const read = async (id: string) => (await call(key, "GET", `${path}/${id}`)).body.data.agent;
const grantsOf = async (id: string) => (await call(key, "GET", `${path}/${id}/grants`)).body.data.grants;

describe("who may call the routes of agents and grants", () => {
  const ada = "01900000-0000-7000-8000-00000000ada0";
  const grant = (headers: Record<string, string>, id: string, more: object) =>
    call(headers, "POST", `${path}/${id}/grants`, {
      formId: form.id,
      scopes: ["agent:read", "agent:validate"],
      ...more,
    });
  type Calling = (headers: Record<string, string>, agent: string, grant: string) => Promise<Reply>;
  const routes: Record<string, Calling> = {
    register: (headers) => call(headers, "POST", path, { name: "A", workspaceId: team.workspace }),
    list: (headers) => call(headers, "GET", path),
    read: (headers, agent) => call(headers, "GET", `${path}/${agent}`),
    change: (headers, agent) => call(headers, "PATCH", `${path}/${agent}`, { name: "B", status: "disabled" }),
    delete: (headers, agent) => call(headers, "DELETE", `${path}/${agent}`),
    rotate: (headers, agent) => call(headers, "POST", `${path}/${agent}/rotate-secret`),
    grants: (headers, agent) => call(headers, "GET", `${path}/${agent}/grants`),
    grant: (headers, agent) => grant(headers, agent, {}),
    submit: (headers, agent) => grant(headers, agent, { scopes: ["agent:submit"] }),
    bind: (headers, agent) => grant(headers, agent, { respondentId: ada }),
    ungrant: (headers, agent, grant) => call(headers, "DELETE", `${path}/${agent}/grants/${grant}`),
  };
  // "empty" is a list without the agent. "submit" and "bind" are grants with agent:submit and with a
  // respondent.
  const table = `
    caller                      register  list   read   change  delete  rotate  grants  grant  submit  bind   ungrant
    no credentials              401       401    401    401     401     401     401     401    401     401    401
    a wrong key                 401       401    401    401     401     401     401     401    401     401    401
    key forms:write             ok        ok     ok     ok      ok      ok      ok      ok     key     bound  ok
    key forms:read              scope     scope  scope  scope   scope   scope   scope   scope  scope   scope  scope
    key submissions:read        scope     scope  scope  scope   scope   scope   scope   scope  scope   scope  scope
    key submissions:update      scope     scope  scope  scope   scope   scope   scope   scope  scope   scope  scope
    key submissions:delete      scope     scope  scope  scope   scope   scope   scope   scope  scope   scope  scope
    key submissions:write       scope     scope  scope  scope   scope   scope   scope   scope  scope   scope  scope
    admin                       ok        ok     ok     ok      ok      ok      ok      ok     ok      ok     ok
    editor                      ok        ok     ok     ok      ok      ok      ok      ok     ok      ok     ok
    viewer                      role      ok     ok     role    role    role    ok      role   role    role   role
    admin of another workspace  role      empty  404    404     404     404     404     404    404     404    404
    key of another team         404       empty  404    404     404     404     404     404    key     bound  404
    admin of another team       404       empty  404    404     404     404     404     404    404     404    404`;
  const meaning: Record<string, string> = {
    ok: "200",
    empty: "200 without the agent",
    401: "401 unauthorized",
    scope: "403 missing_scope",
    role: "403 insufficient_workspace_role",
    key: "403 submit_not_grantable_by_api_key",
    bound: "403 respondent_binding_requires_session",
    404: "404 not_found",
  };
  const [[, ...columns] = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));
  for (const [caller = "", ...cells] of rows) {
    test(`${caller}; and what is refused changes nothing`, async () => {
      for (const [index, column] of columns.entries()) {
        const { id } = await freshAgent();
        await grant(admin, id, {});
        const before = { agent: await read(id), grants: await grantsOf(id) };
        const reply = await routes[column]?.(callers[caller] ?? {}, id, before.grants[0].id);
        const isListed = reply?.body.data?.agents?.some((agent: { id: string }) => agent.id === id);
        const outcome = [reply?.status, reply?.body.code ?? (isListed === false && "without the agent")]
          .filter(Boolean)
          .join(" ");
        expect({ column, outcome }).toEqual({ column, outcome: meaning[cells[index] ?? ""] ?? "?" });
        if (reply?.status !== 200)
          expect({ agent: await read(id), grants: await grantsOf(id) }).toEqual(before);
      }
    });
  }

  test("an operator's role is checked before the body", async () => {
    const { id } = await freshAgent();
    for (const [method, to] of [
      ["POST", path],
      ["PATCH", `${path}/${id}`],
      ["POST", `${path}/${id}/grants`],
      ["POST", `${path}/${id}/keys`],
    ] as const) {
      const codes = [];
      for (const caller of ["viewer", "editor"])
        codes.push((await call(callers[caller] ?? {}, method, to, { scopes: 1, status: 1 })).body.code);
      expect([to, ...codes]).toEqual([to, "insufficient_workspace_role", "invalid_body"]);
    }
  });

  test("a person with roles in two workspaces sees the agents of both", async () => {
    const cookie = await makeOperator(app, team, "viewer");
    const inSecond = (await call(key, "POST", path, { name: "S", workspaceId: secondWorkspace })).body.data
      .id;
    const sees = async () => (await call({ cookie }, "GET", `${path}/${inSecond}`)).status;
    expect(await sees()).toBe(404);
    await app.database.sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      select team_id, ${secondWorkspace}, operator_id, 'viewer', now() from formd.operator_sessions order by id desc limit 1`;
    expect(await sees()).toBe(200);
  });
});

describe("a change by cookie", () => {
  const json = { "content-type": "application/json" };
  const cases: [title: string, headers: () => Record<string, string>, expected: number][] = [
    ["with a JSON content type and no Origin passes", () => json, 200],
    ["with this server's own Origin passes", () => ({ ...json, origin: app.url }), 200],
    [
      "with BASE_URL's Origin passes",
      () => ({ ...json, origin: app.url.replace("127.0.0.1", "localhost") }),
      200,
    ],
    ["with a foreign Origin is refused", () => ({ ...json, origin: "https://evil.example" }), 403],
    [
      "with this host's Origin in another scheme is refused",
      () => ({ ...json, origin: app.url.replace("http:", "https:") }),
      403,
    ],
    ["with the Origin of another port is refused", () => ({ ...json, origin: "http://localhost:1" }), 403],
    ["with the Origin null is refused", () => ({ ...json, origin: "null" }), 403],
    [
      "with a form's content type is refused",
      () => ({ "content-type": "application/x-www-form-urlencoded" }),
      403,
    ],
    ["with text/plain is refused", () => ({ "content-type": "text/plain" }), 403],
  ];
  for (const [title, headers, expected] of cases) {
    test(title, async () => {
      const { id } = await freshAgent();
      const granted = { formId: form.id, scopes: ["agent:read"] };
      const grantId = (await call(key, "POST", `${path}/${id}/grants`, granted)).body.data.grant.id;
      const changes: [string, string, unknown?][] = [
        ["POST", path, { name: "C" }],
        ["PATCH", `${path}/${id}`, { name: "C" }],
        ["POST", `${path}/${id}/rotate-secret`],
        ["POST", `${path}/${id}/grants`, granted],
        ["DELETE", `${path}/${id}/grants/${grantId}`],
        ["DELETE", `${path}/${id}`],
      ];
      for (const [method, to, body] of changes) {
        const sent = { headers: { ...admin, ...headers() }, body };
        const reply = await ask(app, method, to, sent);
        expect([method, to, reply.status, reply.body.code]).toEqual([
          method,
          to,
          expected,
          expected === 403 ? "csrf_rejected" : undefined,
        ]);
      }
      // What is rejected has written nothing, although the write is one statement with the authentication.
      const { agent } = (await call(key, "GET", `${path}/${id}`)).body.data;
      expect([agent.name, agent.status]).toEqual(expected === 403 ? ["Agent", "active"] : ["C", "revoked"]);
    });
  }

  test("without a body needs the content type all the same, on DELETE and on rotate", async () => {
    const { id } = await freshAgent();
    for (const [method, to] of [
      ["POST", `${path}/${id}/rotate-secret`],
      ["DELETE", `${path}/${id}`],
    ] as const) {
      const reply = await ask(app, method, to, { headers: admin });
      expect([reply.status, reply.body.code]).toEqual([403, "csrf_rejected"]);
    }
    expect((await read(id)).status).toBe("active");
  });

  test("a forged session is 401 before anyone looks for forgery of another kind", async () => {
    const reply = await ask(app, "POST", path, {
      headers: { cookie: "formd_session=fdo_nothing", "content-type": "text/plain" },
      body: "{}",
    });
    expect([reply.status, reply.body.code]).toEqual([401, "unauthorized"]);
  });

  test("reading by cookie needs neither", async () => {
    const reply = await ask(app, "GET", path, { headers: { ...admin, origin: "https://evil.example" } });
    expect(reply.status).toBe(200);
  });

  test("with x-api-key the cookie is ignored: its team, its faults and the forgery rule all are the key's", async () => {
    const sent = { ...admin, origin: "https://evil.example", "content-type": "application/json" };
    const byKey = await ask(app, "POST", path, { headers: { ...sent, ...key }, body: { name: "K" } });
    expect(byKey.status).toBe(200);
    const byWrongKey = await ask(app, "GET", path, { headers: { ...admin, "x-api-key": "wrong" } });
    expect([byWrongKey.status, byWrongKey.body.code]).toEqual([401, "unauthorized"]);
    const otherTeam = callers["key of another team"] ?? {};
    const { id } = await freshAgent();
    expect((await ask(app, "GET", `${path}/${id}`, { headers: { ...admin, ...otherTeam } })).status).toBe(
      404,
    );
  });
});
