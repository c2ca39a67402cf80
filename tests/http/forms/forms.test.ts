import { describe, expect, test } from "bun:test";
import { pageLanguages } from "../../../src/resources/forms/settings.ts";
import { templateNames } from "../../../src/resources/forms/templates.ts";
import { outcome, timestamp, unknownId, uuid } from "../../expect.ts";
import { ask, makeForm, makeKey, makeTeam, makeWorkspace, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
const app = await service();
const [team, other] = [await makeTeam(app), await makeTeam(app)];

const as = ({ key }: { key: string }) => ({ "x-api-key": key });
const create = (body: unknown, who = team) => ask(app, "POST", path, { headers: as(who), body });
const list = (query = "", who: { key: string } = team) => ask(app, "GET", path + query, { headers: as(who) });
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
        warnings: [],
        publishUrl: `${app.url.replace("127.0.0.1", "localhost")}/console/forms/${body.data.form.id}/publish`,
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
          publishedSettings: null,
          status: "draft",
          currentVersion: 0,
          teamId: team.id,
          workspaceId: team.workspace,
          createdAt: expect.stringMatching(timestamp),
          updatedAt: expect.stringMatching(timestamp),
        },
      },
    });
    expect((await get(body.data.form.id)).body.data.form).toEqual(body.data.form);
  });

  test("a workspace of the team is accepted; another team's and an unknown one are 404", async () => {
    const second = await makeWorkspace(app, team);
    expect((await made({ name: "A", workspaceId: second })).workspaceId).toBe(second);
    for (const workspaceId of [other.workspace, unknownId])
      expect(outcome(await create({ name: "A", workspaceId }))).toBe("404 not_found");
  });

  test("a schema comes back as it was sent, invalid definitions and unknown members included", async () => {
    const validation = { pattern: "(?=", minLength: -1 };
    const x = [0.1, 1e-7, 5e-324, 1.5e-300, -0.5, 9007199254740992, true, null, [], {}, ""];
    const fields = [
      { id: "a", type: "text", label: "Ä \u{1f600} \u2028", required: true, validation },
      { id: "b", type: 7, label: null, x },
      { id: "c" },
    ];
    const schema = { fields, layout: { columns: 2 } };
    const form = await made({ name: "  padded  ", description: "", schema });
    expect([form.schema, form.name, form.description]).toEqual([schema, "  padded  ", ""]);
  });

  test("a template begins the draft, in English or in German; members of the request have precedence", async () => {
    const page = { submitLabel: "Send message", thankYou: expect.stringContaining("two working days") };
    const contact = { name: "Contact", status: "draft", workspaceId: team.workspace };
    const form = await made({ template: "contact" });
    expect(form).toMatchObject({ ...contact, description: expect.stringContaining("reply") });
    expect(form.settings).toEqual({ ...(await made({ name: "A" })).settings, page });
    const workspaceId = await makeWorkspace(app, team);
    const own = { name: "Schreiben Sie uns", description: null, workspaceId };
    const german = await made({ template: "contact", language: "de", ...own });
    expect(german).toMatchObject({ ...own, settings: { page: { language: "de" } } });
    expect(german.schema.fields.map(({ label }: { label: string }) => label)).toContain("Ihre Nachricht");
  });

  test("each template is a draft without warnings, and without problems where the server stores files", async () => {
    for (const template of templateNames)
      for (const language of pageLanguages) {
        const reply = await ask(app, "POST", `${path}?problems=true`, {
          ...{ headers: as(team), body: { template, language } },
        });
        const { warnings, problems } = reply.body.data;
        const needsFiles = template === "job-application";
        expect([template, warnings, problems.length > 0]).toEqual([template, [], needsFiles]);
      }
  });

  test.each<[object, string]>([
    [{ template: "contract" }, 'template must be "contact", "data-subject-request", '],
    [{ template: "__proto__" }, "template must be "],
    [{ template: "contact", schema: { fields: [] } }, "schema must be left out, since the template has one."],
    [{ name: "A", language: "de" }, "language must be left out without a template."],
    [{ template: "contact", language: "fr" }, 'language must be "de" or "en".'],
    [{ description: "A" }, "name is missing: it takes a string."],
  ])("%j is 400 invalid_body, and the message says what is wrong", async (body, message) => {
    const reply = await create(body);
    expect(outcome(reply)).toBe("400 invalid_body");
    expect(reply.body.error).toStartWith(message);
  });

  test("ids such as __proto__, constructor and 0 are accepted, and ids of 128 characters", async () => {
    const longest = ["x".repeat(128), "\u{1f600}".repeat(64)];
    const ids = ["__proto__", "constructor", "toString", "0", "-1", " ", "a.b", "{x}", '"', ...longest];
    const form = await made({ name: "A", schema: { fields: ids.map((id) => ({ id })) } });
    expect(form.schema.fields.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  const schemas = [
    ...[[], null, {}, { fields: {} }],
    ...["a", [], { type: "text" }, { id: 0 }, { id: "" }, { id: "x".repeat(129) }].map((field) => ({
      fields: [field],
    })),
  ];
  test.each<unknown>([
    ...[{}, { name: 1 }, { name: null }, { name: "A", description: 1 }],
    ...["main", null].map((workspaceId) => ({ name: "A", workspaceId })),
    ...schemas.map((schema) => ({ name: "A", schema })),
  ])("%j is 400 invalid_body", async (body) => {
    expect(outcome(await create(body))).toBe("400 invalid_body");
  });

  const twins = { fields: ["x", "twin", "twin"].map((id) => ({ id })) };
  test.each<[string, object, string, string]>([
    ["an empty name", { name: "" }, "400 bad_request", "name"],
    ["a name of blanks", { name: " \t\n" }, "400 bad_request", "name"],
    ["a name of other blanks", { name: "\u00a0\u2003" }, "400 bad_request", "name"],
    ["a second field of one id", { name: "A", schema: twins }, "409 conflict", "twin"],
  ])("%s is refused, and the message names it", async (_, body, expected, named) => {
    const reply = await create(body);
    expect([outcome(reply), reply.body.error]).toEqual([expected, expect.stringContaining(named)]);
  });
});

describe(`GET ${path}`, () => {
  test("newest first, each once, with the true total on every page and past the last", async () => {
    const fresh = await makeTeam(app);
    expect((await list("", fresh)).body.data).toEqual({
      forms: [],
      pagination: { page: 1, limit: 20, total: 0, next: null },
    });
    const ids: string[] = [];
    for (let i = 0; i < 23; i++) ids.unshift((await made({ name: `${i}` }, fresh)).id);
    for (const [query, expected, page, limit] of [
      ["", ids.slice(0, 20), 1, 20],
      ["?page=2", ids.slice(20), 2, 20],
      ["?page=3", [], 3, 20],
      ["?page=3&limit=5", ids.slice(10, 15), 3, 5],
      ["?limit=100", ids, 1, 100],
      ["?limit=1&page=23", ids.slice(22), 23, 1],
      ["?page=2147483647&limit=100", [], 2147483647, 100],
    ] as const) {
      const { forms, pagination } = (await list(query, fresh)).body.data;
      expect(forms.map(({ id }: { id: string }) => id)).toEqual([...expected]);
      expect(pagination).toMatchObject({ page, limit, total: 23 });
    }
  });

  test("an item equals the form that GET returns, without publishedSettings", async () => {
    const { publishedSettings, ...form } = await made({ name: "Newest", schema: { fields: fields(2) } });
    expect((await list("?limit=1")).body.data.forms).toEqual([form]);
  });

  test("workspaceId filters list and total; another team's workspace has an empty list", async () => {
    const second = await makeWorkspace(app, team);
    const { publishedSettings, ...form } = await made({ name: "A", workspaceId: second });
    await made({ name: "B" }, other);
    expect((await list(`?workspaceId=${second}`)).body.data).toEqual({
      forms: [form],
      pagination: { page: 1, limit: 20, total: 1, next: null },
    });
    for (const foreign of [other.workspace, unknownId])
      expect((await list(`?workspaceId=${foreign}`)).body.data).toEqual({
        forms: [],
        pagination: { page: 1, limit: 20, total: 0, next: null },
      });
  });

  test("an invalid parameter is 400 bad_request, and named", async () => {
    const wrong = {
      page: ["0", "-1", "1.5", "x", "", "1e1", "2147483648", "99999999999999999999", "%20"],
      limit: ["0", "101", "-5", "ten", "0x10"],
      workspaceId: ["main", ""],
    };
    for (const [name, values] of Object.entries(wrong))
      for (const value of values) {
        const reply = await list(`?${name}=${value}`);
        expect([value, outcome(reply)]).toEqual([value, "400 bad_request"]);
        expect(reply.body.error).toContain(name);
      }
  });

  test("unknown parameters are ignored", async () => {
    expect((await list("?sort=name&status=x&__proto__=1&page[]=7&constructor=")).status).toBe(200);
  });
});

describe(`GET ${path}/{form_id}`, () => {
  test("an unknown form is 404", async () => {
    expect(outcome(await get(unknownId))).toBe("404 not_found");
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
  test("a key without the scope gets the name of the scope that it needs", async () => {
    const reply = await list("", await makeKey(app, team, "submissions:read"));
    expect([outcome(reply), reply.body.error]).toEqual([
      "403 missing_scope",
      expect.stringContaining("forms:read"),
    ]);
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
      expect(outcome(await list("", { key }))).toBe("401 unauthorized");
  });
});
