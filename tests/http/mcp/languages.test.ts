import { expect, test } from "bun:test";
import { makeForm } from "../../setup.ts";
import { call, callHeaders, envelope, type Json, mcpFixture, submitTool } from "./fixture.ts";

const fields = [
  {
    id: "room",
    type: "select",
    label: "Room",
    required: true,
    options: ["single", { value: "double", label: "Double" }],
    translations: { de: { label: "Zimmer", options: { double: "Doppelzimmer" } } },
  },
];
const { app, team, agentOf, connectAgent, post } = await mcpFixture();
const form = await makeForm(app, team, fields, { settings: { languages: ["en", "de"] } });
const agent = await agentOf(undefined, form);
const client = await connectAgent(agent);

test("form_get has the texts in the language that is asked for, by look-up, or else in the first", async () => {
  const read = async (given: object) =>
    (await call(client, "form_get", { formId: form.id, ...given })).structuredContent;
  const german = await read({ lang: "de-AT" });
  expect([german.language, german.jsonSchema.properties.room.title]).toEqual(["de", "Zimmer"]);
  expect(german.form.schema.fields[0].translations).toBeUndefined();
  for (const lang of ["ja", "", "\0", "&lang=de", "\ud800", "de-".repeat(4_000)]) {
    const { language, jsonSchema } = await read({ lang });
    expect([language, jsonSchema.properties.room.title]).toEqual(["en", "Room"]);
  }
  expect(await read({})).toMatchObject({ language: "en", form: { schema: { fields } } });
});

test("a lang that is no text is refused", async () => {
  for (const lang of [7, null, ["de"], { de: true }]) {
    const refused = await call(client, "form_get", { formId: form.id, lang });
    expect([refused.isError, refused.structuredContent.code]).toEqual([true, "bad_request"]);
  }
});

test("the tool of the form is in the first language", async () => {
  const name = await submitTool(client);
  const tool: Json = (await client.listTools()).tools.find((each) => each.name === name);
  expect(tool.inputSchema.properties.room.description).toContain('"Room"');
  expect(JSON.stringify(tool)).not.toContain("Zimmer");
});

test.each([
  ["", "Room"],
  ["*", "Room"],
  ["ja", "Room"],
  ["en, de;q=0.9", "Room"],
  ["de-AT, en;q=0.5", "Zimmer"],
  ["en;q=0.1, de;q=0.2, ja", "Zimmer"],
  [`${"x-".repeat(2_000)}, de`, "Zimmer"],
])("a question to a person is in the language that the client accepts: %p", async (accepted, title) => {
  const headers = {
    authorization: `Bearer ${agent.token}`,
    ...callHeaders("submit"),
    "accept-language": accepted,
  };
  const _meta = envelope({ elicitation: { form: {} } });
  const params = { name: "submit", arguments: { formId: form.id, data: {} }, _meta };
  const { result } = (await post(headers, { method: "tools/call", params })).body;
  const { room } = result.inputRequests.values.params.requestedSchema.properties;
  expect(room.title).toBe(title);
  expect(JSON.stringify(room)).toContain('"single"');
});
