import { describe, expect, test } from "bun:test";
import { outcome, timestamp, unknownId, uuid } from "../../expect.ts";
import { ask, makeForm, makeOperator, makeWorkspace, service } from "../../setup.ts";
import { agentsFixture } from "../agents/fixture.ts";

const ada = "01900000-0000-7000-8000-00000000ada0";
const bob = "01900000-0000-7000-8000-00000000b0b0";

const { app, team, form, key, call, freshAgent, grantsOf: list } = await agentsFixture(await service());
const admin = { cookie: await makeOperator(app, team, "admin") };
const elsewhere = await makeForm(app, team, [], { workspaceId: await makeWorkspace(app, team) });

const grant = (headers: Record<string, string>, agent: string, more: object = {}) =>
  call(headers, "POST", `/${agent}/grants`, { formId: form.id, scopes: ["agent:read"], ...more });
const remove = (agent: string, id: string) => call(key, "DELETE", `/${agent}/grants/${id}`);

describe("POST /papi/v1/identity/agents/{agent_id}/grants", () => {
  test("returns the whole grant, as the list does", async () => {
    const id = await freshAgent();
    const given = { scopes: ["agent:submit"], respondentId: ada, bindingRequired: true };
    const { body } = await grant(admin, id, given);
    expect(body).toEqual({
      apiVersion: "v1",
      data: {
        grant: {
          id: expect.stringMatching(uuid),
          agentId: id,
          formId: form.id,
          ...given,
          respondent: null,
          createdAt: expect.stringMatching(timestamp),
          updatedAt: expect.stringMatching(timestamp),
        },
      },
    });
    expect(await list(id)).toEqual([body.data.grant]);
  });

  test("an operator binds another respondent, and null unbinds; an omitted member stays", async () => {
    const id = await freshAgent();
    const steps: [more: object, respondentId: string | null, bindingRequired: boolean][] = [
      [{ respondentId: ada }, ada, false],
      [{ bindingRequired: true }, ada, true],
      [{ respondentId: bob }, bob, true],
      [{ respondentId: null, bindingRequired: false }, null, false],
    ];
    for (const [more, respondentId, bindingRequired] of steps)
      expect((await grant(admin, id, more)).body.data.grant).toMatchObject({ respondentId, bindingRequired });
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
    [{ formId: elsewhere.id }, "403 workspace_mismatch"],
  ];
  test.each(faults)("%j is %s, and no grant is made", async (more, expected) => {
    const id = await freshAgent();
    expect(outcome(await grant(key, id, more))).toBe(expected);
    expect(await list(id)).toEqual([]);
  });

  test("a draft may be granted before it is published", async () => {
    const body = { name: "Draft" };
    const draft = await ask(app, "POST", "/papi/v1/management/forms", { headers: key, body });
    expect(outcome(await grant(key, await freshAgent(), { formId: draft.body.data.form.id }))).toBe("ok");
  });
});

describe("GET /papi/v1/identity/agents/{agent_id}/grants", () => {
  test("lists newest first, by page", async () => {
    const id = await freshAgent();
    const made: string[] = [];
    for (const { id: formId } of [form, await makeForm(app, team, []), await makeForm(app, team, [])])
      made.unshift((await grant(key, id, { formId })).body.data.grant.id);
    const page = async (query: string) => {
      const { grants, pagination } = (await call(key, "GET", `/${id}/grants${query}`)).body.data;
      return [grants.map((one: { id: string }) => one.id), pagination];
    };
    expect(await page("")).toEqual([made, { page: 1, limit: 100, total: 3 }]);
    expect(await page("?limit=2&page=2")).toEqual([made.slice(2), { page: 2, limit: 2, total: 3 }]);
    expect(await page("?page=5")).toEqual([[], { page: 5, limit: 100, total: 3 }]);
    expect(outcome(await call(key, "GET", `/${id}/grants?limit=101`))).toBe("400 bad_request");
  });
});

describe("DELETE /papi/v1/identity/agents/{agent_id}/grants/{grant_id}", () => {
  test("says what it did; a second time there is nothing; granting again makes another grant", async () => {
    const id = await freshAgent();
    const { id: grantId } = (await grant(admin, id, { respondentId: ada })).body.data.grant;
    const { status, body } = await remove(id, grantId);
    expect([status, body]).toEqual([200, { apiVersion: "v1", data: { id: grantId, deleted: true } }]);
    expect(outcome(await remove(id, grantId))).toBe("404 not_found");
    const next = (await grant(key, id)).body.data.grant;
    expect(next).toMatchObject({ respondentId: null, bindingRequired: false });
    expect(next.id).not.toBe(grantId);
  });

  test("finds a grant under its own agent only", async () => {
    const [mine, another] = [await freshAgent(), await freshAgent()];
    const { id: grantId } = (await grant(key, mine)).body.data.grant;
    expect(outcome(await remove(another, grantId))).toBe("404 not_found");
    expect(outcome(await remove(mine, unknownId))).toBe("404 not_found");
    expect(outcome(await remove(mine, "first"))).toBe("400 bad_request");
    expect(await list(mine)).toHaveLength(1);
  });
});
