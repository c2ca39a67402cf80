// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeKey,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const path = "/papi/v1/submitter/form";
const fields = [
  { id: "name", type: "text", label: "Name", required: true, agentHint: "as in the passport" },
  { id: "color", type: "select", label: "Colour", options: ["red", { value: "green", label: "Green" }] },
];

let app: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  form = await makeForm(app, team, fields);
  agent = await makeAgent(app, team, form, ["agent:read"]);
});

const read = (headers: Record<string, string>, suffix = "") => ask(app, "GET", path + suffix, { headers });
const patch = (operations: object[]) =>
  ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
    headers: { "x-api-key": team.key },
    body: { operations },
  });
const anonymous = async (of: PublishedForm) => {
  const { body } = await ask(app, "POST", "/papi/v1/auth/anonymous", {
    headers: { "x-form-access-key": of.accessKey },
    body: {},
  });
  return { "x-form-access-key": of.accessKey, "x-respondent-token": body.data.token };
};

describe("GET /papi/v1/submitter/form", () => {
  test("an agent with agent:read gets the published form and its JSON Schema, and nothing else of the form", async () => {
    const { status, body } = await read(asAgent(form, agent));
    expect([status, body.apiVersion]).toEqual([200, "v1"]);
    expect(body.data.form).toEqual({
      id: form.id,
      name: "Test",
      description: null,
      version: 1,
      schema: { fields },
    });
    expect(Object.keys(body.data)).toEqual(["form", "jsonSchema"]);
    expect(body.data.jsonSchema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      required: ["name"],
      additionalProperties: false,
      properties: {
        name: { title: "Name", description: "as in the passport", type: "string" },
        color: { title: "Colour", anyOf: [{}, { enum: ["red", "green"] }] },
      },
    });
  });

  test("an anonymous session of the form reads it too, and one of another form does not", async () => {
    const other = await makeForm(app, team, fields);
    const session = await anonymous(form);
    expect((await read(session)).body.data.form.id).toBe(form.id);
    const elsewhere = await read({ ...session, "x-form-access-key": other.accessKey });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([401, "unauthorized"]);
  });

  test("the draft moves on unseen, name and description included, until the next publish", async () => {
    const mine = form;
    await patch([
      { op: "setMeta", name: "Renamed", description: "Now with a description" },
      { op: "addField", field: { id: "age", type: "integer", label: "Age" } },
    ]);
    const before = (await read(asAgent(mine, agent))).body.data;
    expect([before.form.name, before.form.version, before.form.schema.fields.length]).toEqual(["Test", 1, 2]);
    const { sql } = app.database;
    const [draft] =
      await sql`select updated_at from formd.forms where team_id = ${team.id} and id = ${mine.id}`;
    await sql`select from formd.form_publish(${team.id}, '(cli,,)'::formd.actor, ${mine.id}, ${draft?.updatedAt})`;
    const after = (await read(asAgent(mine, agent))).body.data;
    expect(after.form).toMatchObject({ name: "Renamed", description: "Now with a description", version: 2 });
    expect(Object.keys(after.jsonSchema.properties)).toEqual(["name", "color", "age"]);
    expect(after.form.schema.fields).toHaveLength(3);
  });

  test("a field named __proto__ is one of the schema's properties", async () => {
    const odd = await makeForm(app, team, [{ id: "__proto__", type: "text", label: "P", required: true }]);
    const { body } = await read(asAgent(odd, await makeAgent(app, team, odd)));
    expect(Object.keys(body.data.jsonSchema.properties)).toEqual(["__proto__"]);
    expect(body.data.jsonSchema.required).toEqual(["__proto__"]);
  });

  test.each([
    ["no access key", () => ({ "x-respondent-token": agent.token }), 401, "unauthorized"],
    ["no token", () => ({ "x-form-access-key": form.accessKey }), 401, "unauthorized"],
    ["a token that is none", () => asAgent(form, { token: "fds_nonsense" }), 401, "unauthorized"],
    [
      "an API key, whatever its scopes",
      () => ({ "x-form-access-key": form.accessKey, "x-api-key": team.key }),
      401,
      "unauthorized",
    ],
  ] as const)("%s is refused", async (_, headers, status, code) => {
    const reply = await read(headers() as Record<string, string>);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  test("an access key in the URL is not looked for", async () => {
    const reply = await read({ "x-respondent-token": agent.token }, `?x-form-access-key=${form.accessKey}`);
    expect([reply.status, reply.body.code]).toEqual([401, "unauthorized"]);
  });

  test("a grant without agent:read is missing_scope, no grant is no_grant, a disabled agent is agent_inactive", async () => {
    const submitter = await makeAgent(app, team, form, ["agent:validate", "agent:submit"]);
    const stranger = await makeAgent(app, team, form, []);
    const disabled = await makeAgent(app, team, form);
    await ask(app, "PATCH", `/papi/v1/identity/agents/${disabled.id}`, {
      headers: { "x-api-key": (await makeKey(app, team)).key },
      body: { status: "disabled" },
    });
    const codes = await Promise.all(
      [submitter, stranger, disabled].map(async (each) => {
        const { status, body } = await read(asAgent(form, each));
        return [status, body.code];
      }),
    );
    expect(codes).toEqual([
      [403, "missing_scope"],
      [403, "no_grant"],
      [403, "agent_inactive"],
    ]);
  });

  test("another team's agent is tenant_mismatch, and learns nothing with a wrong access key", async () => {
    const theirs = await makeTeam(app);
    const visitor = await makeAgent(app, theirs, await makeForm(app, theirs, fields));
    const reply = await read(asAgent(form, visitor));
    expect([reply.status, reply.body.code]).toEqual([403, "tenant_mismatch"]);
    const guess = await read(asAgent({ ...form, accessKey: `${form.accessKey.slice(0, -4)}AAAA` }, visitor));
    expect([guess.status, guess.body.code]).toEqual([401, "unauthorized"]);
  });

  test("an archived form is form_not_published, also for who has read it before", async () => {
    const gone = await makeForm(app, team, fields);
    const reader = await makeAgent(app, team, gone);
    expect((await read(asAgent(gone, reader))).status).toBe(200);
    await app.database
      .sql`select from formd.form_set_archived(${team.id}, '(cli,,)'::formd.actor, ${gone.id}, true)`;
    const reply = await read(asAgent(gone, reader));
    expect([reply.status, reply.body.code]).toEqual([403, "form_not_published"]);
  });

  test("a grant that is revoked reads no more", async () => {
    const short = await makeAgent(app, team, form);
    expect((await read(asAgent(form, short))).status).toBe(200);
    await app.database.sql`delete from formd.grants where agent_id = ${short.id}`;
    expect((await read(asAgent(form, short))).body.code).toBe("no_grant");
  });

  test("no throttle is named for it: a hundred reads from one address pass", async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, () =>
        ask(app, "GET", path, { headers: asAgent(form, agent), ip: "10.9.9.9" }),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("another method is 405 with what is allowed", async () => {
    const reply = await ask(app, "PUT", path, { headers: asAgent(form, agent), body: {} });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
