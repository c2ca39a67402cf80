import { beforeAll, describe, expect, test } from "bun:test";
import { apiKeyScopes } from "../../../src/platform/auth/api-key.ts";
import { timestamp, unknownId, uuid } from "../../expect.ts";
import {
  ask,
  makeForm,
  makeKey,
  makeTeam,
  makeWorkspace,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const path = "/papi/v1/management/forms";
let app: Service;
let team: Team;
let other: Team;

beforeAll(async () => {
  app = await service();
  [team, other] = [await makeTeam(app), await makeTeam(app)];
});

const as = ({ key }: { key: string }) => ({ "x-api-key": key });
const create = (body: unknown, who = team) => ask(app, "POST", path, { headers: as(who), body });
const list = (query = "", who = team) => ask(app, "GET", path + query, { headers: as(who) });
const get = (id: string, who = team) => ask(app, "GET", `${path}/${id}`, { headers: as(who) });
const made = async (body: object, who = team) => (await create(body, who)).body.data.form;
const fields = (count: number, extra: object = {}) =>
  Array.from({ length: count }, (_, i) => ({ id: `f${i}`, type: "text", label: "F", ...extra }));

describe(`POST ${path}`, () => {
  test("a name is enough: the result is a draft of version 0 without fields, with default settings, in the oldest workspace", async () => {
    await makeWorkspace(app, team);
    const { status, body } = await create({ name: "Contact" });
    expect(status).toBe(200);
    expect(body).toEqual({
      apiVersion: "v1",
      data: {
        form: {
          id: expect.stringMatching(uuid),
          name: "Contact",
          description: null,
          schema: { fields: [] },
          settings: {
            captcha: { enabled: false },
            anonymous: { enabled: true },
            challenge: { required: false },
            review: { required: false },
          },
          status: "draft",
          currentVersion: 0,
          teamId: team.id,
          workspaceId: team.workspace,
          createdAt: expect.stringMatching(timestamp),
          updatedAt: expect.stringMatching(timestamp),
        },
      },
    });
    expect((await get(body.data.form.id)).body.data.form).toEqual({
      ...body.data.form,
      publishedSettings: null,
    });
  });

  test("a workspace of the team is accepted; another team's and an unknown one are 404", async () => {
    const second = await makeWorkspace(app, team);
    expect((await made({ name: "A", workspaceId: second })).workspaceId).toBe(second);
    for (const workspaceId of [other.workspace, unknownId])
      expect(await create({ name: "A", workspaceId })).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
  });

  test("a schema comes back as it was sent, invalid definitions and unknown members included", async () => {
    const schema = {
      fields: [
        {
          id: "a",
          type: "text",
          label: "Ä \u{1f600} \u2028",
          required: true,
          validation: { pattern: "(?=", minLength: -1 },
        },
        {
          id: "b",
          type: 7,
          label: null,
          x: [0.1, 1e-7, 5e-324, 1.5e-300, -0.5, 9007199254740992, true, null, [], {}, ""],
        },
        { id: "c" },
      ],
      layout: { columns: 2 },
    };
    const form = await made({ name: "  padded  ", description: "", schema });
    expect([form.schema, form.name, form.description]).toEqual([schema, "  padded  ", ""]);
  });

  test("ids such as __proto__, constructor and 0 are accepted, and ids of 128 characters", async () => {
    const ids = [
      "__proto__",
      "constructor",
      "toString",
      "0",
      "-1",
      " ",
      "a.b",
      "{x}",
      '"',
      "x".repeat(128),
      "\u{1f600}".repeat(64),
    ];
    const form = await made({ name: "A", schema: { fields: ids.map((id) => ({ id })) } });
    expect(form.schema.fields.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test.each<[string, unknown]>([
    ["no name", {}],
    ["a name that is no text", { name: 1 }],
    ["a name of null", { name: null }],
    ["a description that is no text", { name: "A", description: 1 }],
    ["a schema that is no object", { name: "A", schema: [] }],
    ["a schema of null", { name: "A", schema: null }],
    ["a schema without fields", { name: "A", schema: {} }],
    ["fields that are no array", { name: "A", schema: { fields: {} } }],
    ["a field that is no object", { name: "A", schema: { fields: ["a"] } }],
    ["a field that is an array", { name: "A", schema: { fields: [[]] } }],
    ["a field without id", { name: "A", schema: { fields: [{ type: "text" }] } }],
    ["an id that is no text", { name: "A", schema: { fields: [{ id: 0 }] } }],
    ["an empty id", { name: "A", schema: { fields: [{ id: "" }] } }],
    ["an id of 129 characters", { name: "A", schema: { fields: [{ id: "x".repeat(129) }] } }],
    ["a workspaceId that is no UUID", { name: "A", workspaceId: "main" }],
    ["a workspaceId of null", { name: "A", workspaceId: null }],
  ])("%s is 400 invalid_body", async (_, body) => {
    const reply = await create(body);
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_body"]);
  });

  test.each(["", "   ", "\t\n", "\u00a0\u2003"])(
    "a name of blanks only (%j) is 400 bad_request",
    async (name) => {
      expect(await create({ name })).toMatchObject({ status: 400, body: { code: "bad_request" } });
    },
  );

  test("two fields with one id are 409, and the message names the id", async () => {
    const reply = await create({
      name: "A",
      schema: { fields: [{ id: "x" }, { id: "twin" }, { id: "twin" }] },
    });
    expect(reply).toMatchObject({
      status: 409,
      body: { code: "conflict", error: expect.stringContaining("twin") },
    });
  });

  test("500 fields are accepted, 501 are not; 500 KiB of schema are accepted, 530 are not", async () => {
    expect((await create({ name: "A", schema: { fields: fields(500) } })).status).toBe(200);
    expect(await create({ name: "A", schema: { fields: fields(501) } })).toMatchObject({
      status: 400,
      body: { code: "bad_request", error: expect.stringContaining("500") },
    });
    expect(
      (await create({ name: "A", schema: { fields: [{ id: "a", x: "x".repeat(500 * 1024) }] } })).status,
    ).toBe(200);
    expect(
      await create({ name: "A", schema: { fields: [{ id: "a", x: "é".repeat(265 * 1024) }] } }),
    ).toMatchObject({ status: 400, body: { code: "bad_request", error: expect.stringContaining("512") } });
  });

  test("a rejected form is not stored", async () => {
    const before = (await list("", other)).body.data.pagination.total;
    for (const body of [
      { name: "" },
      { name: "A", schema: { fields: fields(501) } },
      { name: "A", workspaceId: unknownId },
    ])
      await create(body, other);
    expect((await list("", other)).body.data.pagination.total).toBe(before);
  });
});

describe(`GET ${path}`, () => {
  test("newest first, each once, with the true total on every page and past the last", async () => {
    const fresh = await makeTeam(app);
    expect((await list("", fresh)).body.data).toEqual({
      forms: [],
      pagination: { page: 1, limit: 20, total: 0 },
    });
    const ids: string[] = [];
    for (let i = 0; i < 23; i++) ids.unshift((await made({ name: `${i}` }, fresh)).id);
    const page = async (query: string) => {
      const { forms, pagination } = (await list(query, fresh)).body.data;
      return [forms.map(({ id }: { id: string }) => id), pagination];
    };
    expect(await page("")).toEqual([ids.slice(0, 20), { page: 1, limit: 20, total: 23 }]);
    expect(await page("?page=2")).toEqual([ids.slice(20), { page: 2, limit: 20, total: 23 }]);
    expect(await page("?page=3")).toEqual([[], { page: 3, limit: 20, total: 23 }]);
    expect(await page("?page=3&limit=5")).toEqual([ids.slice(10, 15), { page: 3, limit: 5, total: 23 }]);
    expect(await page("?limit=100")).toEqual([ids, { page: 1, limit: 100, total: 23 }]);
    expect(await page("?limit=1&page=23")).toEqual([ids.slice(22), { page: 23, limit: 1, total: 23 }]);
    expect(await page("?page=2147483647&limit=100")).toEqual([
      [],
      { page: 2147483647, limit: 100, total: 23 },
    ]);
  });

  test("an item equals the form that GET returns", async () => {
    const form = await made({ name: "Newest", schema: { fields: fields(2) } });
    expect((await list("?limit=1")).body.data.forms).toEqual([form]);
  });

  test("forms that are read at once, by API keys of two teams, are each its own; one of the other team is not found", async () => {
    const own = await made({ name: "Own" });
    const theirs = await made({ name: "Theirs" }, other);
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        ask(app, "GET", `${path}/${i % 3 ? own.id : theirs.id}`, {
          headers: { "x-api-key": i % 2 ? team.key : other.key },
        }),
      ),
    );
    for (const [i, { status, body }] of all.entries())
      if (i % 3 && i % 2) expect(body.data.form).toMatchObject(own);
      else if (i % 3 || i % 2) expect(status).toBe(404);
      else expect(body.data.form).toMatchObject(theirs);
  });

  test("workspaceId filters list and total; another team's workspace has an empty list", async () => {
    const second = await makeWorkspace(app, team);
    const form = await made({ name: "A", workspaceId: second });
    await made({ name: "B" }, other);
    expect((await list(`?workspaceId=${second}`)).body.data).toEqual({
      forms: [form],
      pagination: { page: 1, limit: 20, total: 1 },
    });
    for (const foreign of [other.workspace, unknownId])
      expect((await list(`?workspaceId=${foreign}`)).body.data).toEqual({
        forms: [],
        pagination: { page: 1, limit: 20, total: 0 },
      });
  });

  test.each([
    ["page", "0"],
    ["page", "-1"],
    ["page", "1.5"],
    ["page", "x"],
    ["page", ""],
    ["page", "1e1"],
    ["page", "2147483648"],
    ["page", "99999999999999999999"],
    ["page", "%20"],
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "-5"],
    ["limit", "ten"],
    ["limit", "0x10"],
    ["workspaceId", "main"],
    ["workspaceId", ""],
  ])("%s=%s is 400 bad_request and names the parameter", async (name, value) => {
    expect(await list(`?${name}=${value}`)).toMatchObject({
      status: 400,
      body: { code: "bad_request", error: expect.stringContaining(name) },
    });
  });

  test("unknown parameters are ignored", async () => {
    expect((await list("?sort=name&status=x&__proto__=1&page[]=7&constructor=")).status).toBe(200);
  });
});

describe(`GET ${path}/{form_id}`, () => {
  test("an unknown form is 404", async () => {
    expect(await get(unknownId)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("a published form shows its version and its draft", async () => {
    const { id } = await makeForm(app, team, fields(1));
    await ask(app, "PATCH", `${path}/${id}`, {
      headers: as(team),
      body: { operations: [{ op: "addField", field: { id: "late" } }] },
    });
    expect((await get(id)).body.data.form).toMatchObject({
      status: "published",
      currentVersion: 1,
      schema: { fields: [{ id: "f0" }, { id: "late" }] },
    });
  });
});

describe("authorization", () => {
  test.each(apiKeyScopes)(
    "a key with %s alone may do what the scope allows and nothing else",
    async (scope) => {
      const { id } = await makeForm(app, team, []);
      const key = await makeKey(app, team, scope);
      const calls: [string, string, string, object?][] = [
        ["forms:read", "GET", path],
        ["forms:read", "GET", `${path}/${id}`],
        ["forms:write", "POST", path, { name: "A" }],
        ["forms:write", "PATCH", `${path}/${id}`, { operations: [{ op: "setMeta", name: "B" }] }],
      ];
      for (const [needed, method, route, body] of calls) {
        const reply = await ask(app, method, route, { headers: as(key), body });
        if (scope === needed) expect([method, route, reply.status]).toEqual([method, route, 200]);
        else
          expect(reply).toMatchObject({
            status: 403,
            body: { code: "missing_scope", error: expect.stringContaining(needed) },
          });
      }
    },
  );

  test("no team reads or changes a form of another, by any id", async () => {
    const { id } = await makeForm(app, team, fields(1));
    const before = (await get(id)).body;
    for (const form of [id, unknownId]) {
      const read = await get(form, other);
      const patched = await ask(app, "PATCH", `${path}/${form}`, {
        headers: as(other),
        body: { operations: [{ op: "setMeta", name: "Mine" }] },
      });
      for (const reply of [read, patched])
        expect(reply).toMatchObject({
          status: 404,
          body: { code: "not_found", error: "There is no such form." },
        });
    }
    expect(JSON.stringify((await list("?limit=100", other)).body)).not.toContain(id);
    expect((await get(id)).body).toEqual(before);
  });

  test("a key whose team was replaced, or that is not exact, is 401", async () => {
    const forged = other.key.slice(0, 26) + team.key.slice(26);
    for (const key of [
      forged,
      `${team.key}x`,
      team.key.slice(0, -1),
      team.key.replace("fdk_", "fda_"),
      team.key.toUpperCase(),
    ])
      expect(await ask(app, "GET", path, { headers: { "x-api-key": key } })).toMatchObject({
        status: 401,
        body: { code: "unauthorized" },
      });
  });

  test("a revoked key is rejected from the next call on", async () => {
    const { id, key } = await makeKey(app, team);
    expect((await ask(app, "GET", path, { headers: { "x-api-key": key } })).status).toBe(200);
    await app.database.sql`select formd.api_key_revoke(${team.id}, '(cli,,)'::formd.actor, ${id})`;
    expect((await ask(app, "GET", path, { headers: { "x-api-key": key } })).status).toBe(401);
  });
});
