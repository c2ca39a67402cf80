import { beforeAll, describe, expect, test } from "bun:test";
import { outcome, timestamp, unknownId, uuid } from "../../expect.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  makeWorkspace,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const ada = "01900000-0000-7000-8000-00000000ada0";
const bob = "01900000-0000-7000-8000-00000000b0b0";

let app: Service;
let team: Team;
let form: PublishedForm;
let formElsewhere: PublishedForm;
let formOfOthers: PublishedForm;
let key: Record<string, string> = {};
let admin: Record<string, string> = {};
let adminElsewhere: Record<string, string> = {};
let adminOfBoth: Record<string, string> = {};

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  const secondWorkspace = await makeWorkspace(app, team);
  form = await makeForm(app, team, []);
  formElsewhere = await makeForm(app, team, [], { workspaceId: secondWorkspace });
  formOfOthers = await makeForm(app, await makeTeam(app), []);
  key = { "x-api-key": team.key };
  admin = { cookie: await makeOperator(app, team, "admin") };
  adminElsewhere = { cookie: await makeOperator(app, team, "admin", secondWorkspace) };
  adminOfBoth = { cookie: await makeOperator(app, team, "admin") };
  await app.database.sql`
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    select team_id, ${secondWorkspace}, operator_id, 'admin', now() from formd.operator_sessions order by id desc limit 1`;
});

const call = (headers: Record<string, string>, method: string, to: string, body?: unknown) =>
  ask(app, method, `/papi/v1/identity/agents/${to}`, {
    headers: { "content-type": "application/json", ...headers },
    body,
  });
const grant = (headers: Record<string, string>, agent: string, more: object = {}) =>
  call(headers, "POST", `${agent}/grants`, { formId: form.id, scopes: ["agent:read"], ...more });
const list = async (agent: string) => (await call(key, "GET", `${agent}/grants`)).body.data.grants;
const freshAgent = async () => (await makeAgent(app, team, form, [])).id;

describe("POST /papi/v1/identity/agents/{agent_id}/grants", () => {
  test("answers the whole grant, as the list does", async () => {
    const id = await freshAgent();
    const { body } = await grant(admin, id, {
      scopes: ["agent:submit"],
      respondentId: ada,
      bindingRequired: true,
    });
    expect(body).toEqual({
      apiVersion: "v1",
      data: {
        grant: {
          id: expect.stringMatching(uuid),
          agentId: id,
          formId: form.id,
          scopes: ["agent:submit"],
          respondentId: ada,
          bindingRequired: true,
          respondent: null,
          createdAt: expect.stringMatching(timestamp),
          updatedAt: expect.stringMatching(timestamp),
        },
      },
    });
    expect(await list(id)).toEqual([body.data.grant]);
  });

  test("granting again replaces the scopes of the same grant and keeps what is not said", async () => {
    const id = await freshAgent();
    const first = (
      await grant(admin, id, {
        scopes: ["agent:read", "agent:submit"],
        respondentId: ada,
        bindingRequired: true,
      })
    ).body.data.grant;
    const again = (await grant(admin, id, { scopes: ["agent:validate"] })).body.data.grant;
    expect(again).toEqual({ ...first, scopes: ["agent:validate"], updatedAt: expect.any(String) });
    expect(again.updatedAt > first.updatedAt).toBe(true);
    expect(await list(id)).toEqual([again]);
  });

  test("an operator binds another respondent, and null unbinds", async () => {
    const id = await freshAgent();
    const steps: [more: object, respondentId: string | null, bindingRequired: boolean][] = [
      [{ respondentId: ada }, ada, false],
      [{ bindingRequired: true }, ada, true],
      [{ respondentId: bob }, bob, true],
      [{ respondentId: null, bindingRequired: false }, null, false],
    ];
    for (const [more, respondentId, bindingRequired] of steps) {
      expect((await grant(admin, id, more)).body.data.grant).toMatchObject({ respondentId, bindingRequired });
    }
  });

  test("an API key replaces the scopes of a bound grant and never touches the binding", async () => {
    const id = await freshAgent();
    const bound = (
      await grant(admin, id, { scopes: ["agent:submit"], respondentId: ada, bindingRequired: true })
    ).body.data.grant;
    const again = (await grant(key, id, { scopes: ["agent:read", "agent:validate"] })).body.data.grant;
    expect(again).toMatchObject({
      id: bound.id,
      scopes: ["agent:read", "agent:validate"],
      respondentId: ada,
      bindingRequired: true,
    });
    expect(outcome(await grant(key, id, { respondentId: bob }))).toBe(
      "403 respondent_binding_requires_session",
    );
    expect(outcome(await grant(key, id, { respondentId: ada }))).toBe(
      "403 respondent_binding_requires_session",
    );
    expect(outcome(await grant(key, id, { bindingRequired: false }))).toBe(
      "403 respondent_binding_requires_session",
    );
    await grant(key, id, { respondentId: null });
    expect((await list(id))[0]).toMatchObject({ id: bound.id, respondentId: ada, bindingRequired: true });
  });

  test("scopes given twice count once", async () => {
    const { body } = await grant(key, await freshAgent(), { scopes: ["agent:read", "agent:read"] });
    expect(body.data.grant.scopes).toEqual(["agent:read"]);
  });

  const faults: [more: object, expected: string][] = [
    [{ scopes: [] }, "400 bad_request"],
    [{ scopes: ["agent:delete"] }, "400 invalid_body"],
    [{ scopes: ["agent:read", "forms:write"] }, "400 invalid_body"],
    [{ scopes: "agent:read" }, "400 invalid_body"],
    [{ scopes: null }, "400 invalid_body"],
    [{ formId: "form" }, "400 invalid_body"],
    [{ formId: undefined }, "400 invalid_body"],
    [{ respondentId: "ada" }, "400 invalid_body"],
    [{ bindingRequired: "true" }, "400 invalid_body"],
    [{ bindingRequired: null }, "400 invalid_body"],
    [{ formId: unknownId }, "404 not_found"],
  ];
  test.each(faults)("%j is %s, and there is no grant", async (more, expected) => {
    const id = await freshAgent();
    expect(outcome(await grant(admin, id, more))).toBe(expected);
    expect(await list(id)).toEqual([]);
  });

  test("a body that is no object is invalid_body; one that is not said to be JSON is 415", async () => {
    const id = await freshAgent();
    for (const body of ["{", "[]", "null", '"grant"', ""])
      expect(outcome(await call(key, "POST", `${id}/grants`, body || " "))).toBe("400 invalid_body");
    expect(outcome(await grant({ ...key, "content-type": "text/plain" }, id))).toBe(
      "415 invalid_content_type",
    );
  });

  test("a form of another workspace is workspace_mismatch, for a key as for an operator of both", async () => {
    const id = await freshAgent();
    const there = { formId: formElsewhere.id };
    expect(outcome(await grant(key, id, there))).toBe("403 workspace_mismatch");
    expect(outcome(await grant(adminOfBoth, id, there))).toBe("403 workspace_mismatch");
    expect(await list(id)).toEqual([]);
  });

  test("the role that counts is the one in the form's workspace", async () => {
    const there = { formId: formElsewhere.id };
    expect(outcome(await grant(admin, await freshAgent(), there))).toBe("403 insufficient_workspace_role");
    const agentElsewhere = (await makeAgent(app, team, formElsewhere, [])).id;
    expect(outcome(await grant(adminElsewhere, agentElsewhere, there))).toBe("ok");
  });

  test("a form of another team is not there", async () => {
    const id = await freshAgent();
    for (const headers of [key, admin])
      expect(outcome(await grant(headers, id, { formId: formOfOthers.id }))).toBe("404 not_found");
  });

  test("a draft may be granted before it is published", async () => {
    const draft = await ask(app, "POST", "/papi/v1/management/forms", {
      headers: key,
      body: { name: "Draft" },
    });
    expect(outcome(await grant(key, await freshAgent(), { formId: draft.body.data.form.id }))).toBe("ok");
  });

  test("fifty grants of one agent on one form at the same time are one grant, with the scopes of one of them", async () => {
    const id = await freshAgent();
    const sets = [
      ["agent:read"],
      ["agent:validate"],
      ["agent:submit"],
      ["agent:read", "agent:validate", "agent:submit"],
    ];
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => grant(admin, id, { scopes: sets[index % 4] })),
    );
    expect(replies.map(outcome)).toEqual(replies.map(() => "ok"));
    expect(new Set(replies.map(({ body }) => body.data.grant.id)).size).toBe(1);
    const grants = await list(id);
    expect(grants).toHaveLength(1);
    expect(sets).toContainEqual(grants[0].scopes);
  });
});

describe("GET /papi/v1/identity/agents/{agent_id}/grants", () => {
  test("lists newest first, by page", async () => {
    const id = await freshAgent();
    const made: string[] = [];
    for (const { id: formId } of [form, await makeForm(app, team, []), await makeForm(app, team, [])]) {
      made.unshift((await grant(key, id, { formId })).body.data.grant.id);
    }
    const page = async (query: string) => {
      const { grants, pagination } = (await call(key, "GET", `${id}/grants${query}`)).body.data;
      return { ids: grants.map((one: { id: string }) => one.id), pagination };
    };
    expect(await page("")).toEqual({ ids: made, pagination: { page: 1, limit: 100, total: 3 } });
    expect(await page("?limit=2&page=2")).toEqual({
      ids: made.slice(2),
      pagination: { page: 2, limit: 2, total: 3 },
    });
    expect(await page("?page=5")).toEqual({ ids: [], pagination: { page: 5, limit: 100, total: 3 } });
    expect(outcome(await call(key, "GET", `${id}/grants?limit=101`))).toBe("400 bad_request");
  });

  test("of an agent that is not there is 404, of an id that is none 400", async () => {
    expect(outcome(await call(key, "GET", `${unknownId}/grants`))).toBe("404 not_found");
    expect(outcome(await call(key, "GET", "x/grants"))).toBe("400 bad_request");
  });

  test("of a revoked agent can still be read, and not be changed", async () => {
    const id = await freshAgent();
    const { grant: before } = (await grant(key, id)).body.data;
    await call(key, "DELETE", id);
    expect(await list(id)).toEqual([before]);
    expect(outcome(await grant(admin, id))).toBe("409 conflict");
    expect(outcome(await call(admin, "DELETE", `${id}/grants/${before.id}`))).toBe("409 conflict");
  });
});

describe("DELETE /papi/v1/identity/agents/{agent_id}/grants/{grant_id}", () => {
  test("says what it did; a second time there is nothing; granting again makes another grant", async () => {
    const id = await freshAgent();
    const { id: grantId } = (await grant(admin, id, { respondentId: ada })).body.data.grant;
    const reply = await call(key, "DELETE", `${id}/grants/${grantId}`);
    expect([reply.status, reply.body]).toEqual([
      200,
      { apiVersion: "v1", data: { id: grantId, deleted: true } },
    ]);
    expect(outcome(await call(key, "DELETE", `${id}/grants/${grantId}`))).toBe("404 not_found");
    const next = (await grant(key, id)).body.data.grant;
    expect(next).toMatchObject({ respondentId: null, bindingRequired: false });
    expect(next.id).not.toBe(grantId);
  });

  test("finds a grant under its own agent only", async () => {
    const [mine, another] = [await freshAgent(), await freshAgent()];
    const { id: grantId } = (await grant(key, mine)).body.data.grant;
    expect(outcome(await call(key, "DELETE", `${another}/grants/${grantId}`))).toBe("404 not_found");
    expect(outcome(await call(key, "DELETE", `${mine}/grants/${unknownId}`))).toBe("404 not_found");
    expect(outcome(await call(key, "DELETE", `${mine}/grants/first`))).toBe("400 bad_request");
    expect(await list(mine)).toHaveLength(1);
  });

  test("counts from the agent's next call on, and so does a grant of fewer scopes", async () => {
    const agent = await makeAgent(app, team, form, ["agent:validate"]);
    const validates = async () => {
      const reply = await ask(app, "POST", "/papi/v1/submitter/form/validation", {
        headers: asAgent(form, agent),
        body: { data: {} },
      });
      return outcome(reply);
    };
    expect(await validates()).toBe("ok");
    const { id: grantId } = (await grant(key, agent.id, { scopes: ["agent:read"] })).body.data.grant;
    expect(await validates()).toBe("403 missing_scope");
    await call(key, "DELETE", `${agent.id}/grants/${grantId}`);
    expect(await validates()).toBe("403 no_grant");
  });
});
