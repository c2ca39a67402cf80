// stacks: one
import { describe, expect, test } from "bun:test";
import { asAgent, ask, makeAgent, makeForm } from "../../setup.ts";
import { submissionsFixture } from "../submissions/fixture.ts";

const path = "/papi/v1/submitter/form";
const fields = [
  { id: "name", type: "text", label: "Name", required: true, agentHint: "as in the passport" },
  { id: "color", type: "select", label: "Colour", options: ["red", { value: "green", label: "Green" }] },
];
const { app, team, form, freshForm, agentOn, anonymousOn, publishAnew, call } =
  await submissionsFixture(fields);
const agent = await makeAgent(app, team, form, ["agent:read"]);
const read = (headers: Record<string, string>) => ask(app, "GET", path, { headers });

// Access is tested in access.test.ts.
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
    const another = await freshForm();
    const session = await anonymousOn(form);
    expect((await read(session)).body.data.form.id).toBe(form.id);
    const elsewhere = await read({ ...session, "x-form-access-key": another.accessKey });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([401, "unauthorized"]);
  });

  test("the draft moves on unseen, name and description included, until the next publish", async () => {
    const operations = [
      { op: "setMeta", name: "Renamed", description: "Now with a description" },
      { op: "addField", field: { id: "age", type: "integer", label: "Age" } },
    ];
    await call("PATCH", `/papi/v1/management/forms/${form.id}`, { body: { operations } });
    const before = (await read(asAgent(form, agent))).body.data;
    expect([before.form.name, before.form.version, before.form.schema.fields.length]).toEqual(["Test", 1, 2]);
    await publishAnew(form);
    const after = (await read(asAgent(form, agent))).body.data;
    expect(after.form).toMatchObject({ name: "Renamed", description: "Now with a description", version: 2 });
    expect(Object.keys(after.jsonSchema.properties)).toEqual(["name", "color", "age"]);
    expect(after.form.schema.fields).toHaveLength(3);
  });

  test("a field named __proto__ is one of the schema's properties", async () => {
    const odd = await makeForm(app, team, [{ id: "__proto__", type: "text", label: "P", required: true }]);
    const { body } = await read(await agentOn(odd));
    expect(Object.keys(body.data.jsonSchema.properties)).toEqual(["__proto__"]);
    expect(body.data.jsonSchema.required).toEqual(["__proto__"]);
  });

  test("has no rate limit: a hundred reads from one client IP pass", async () => {
    const headers = asAgent(form, agent);
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => ask(app, "GET", path, { headers, ip: "10.9.9.9" })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("another method is 405 with what is allowed", async () => {
    const reply = await ask(app, "PUT", path, { headers: asAgent(form, agent), body: {} });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
