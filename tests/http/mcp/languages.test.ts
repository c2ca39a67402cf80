import { expect, test } from "bun:test";
import { makeForm } from "../../setup.ts";
import { call, type Json, mcpFixture, submitTool } from "./fixture.ts";

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
const { app, team, agentOf, connectAgent, submitRound } = await mcpFixture();
const form = await makeForm(app, team, fields, { settings: { languages: ["en", "de"] } });
const agent = await agentOf(undefined, form);
const client = await connectAgent(agent);

test("form_get has the texts in the language that is asked for, by look-up, or else in the first", async () => {
  const read = async (given: object) =>
    (await call(client, "form_get", { formId: form.id, ...given })).structuredContent;
  const german = await read({ lang: "de-AT" });
  expect([german.form.language, german.jsonSchema.properties.room.title]).toEqual(["de", "Zimmer"]);
  expect(german.form.schema.fields[0].translations).toBeUndefined();
  for (const lang of ["ja", "", "\0", "&lang=de", "\ud800", "de-".repeat(4_000)]) {
    const { form, jsonSchema } = await read({ lang });
    expect([form.language, jsonSchema.properties.room.title]).toEqual(["en", "Room"]);
  }
  expect((await read({})).form).toMatchObject({ language: "en", schema: { fields } });
});

test("a lang that is no text is refused", async () => {
  for (const lang of [7, null, ["de"], { de: true }]) {
    const refused = await call(client, "form_get", { formId: form.id, lang });
    expect([refused.isError, refused.structuredContent.code]).toEqual([true, "bad_request"]);
  }
});

test("the tool of the form and a question to a person are in the first language", async () => {
  const name = await submitTool(client);
  const tool: Json = (await client.listTools()).tools.find((each) => each.name === name);
  expect(tool.inputSchema.properties.room.description).toContain('"Room"');
  expect(JSON.stringify(tool)).not.toContain("Zimmer");
  const { result } = await submitRound(agent, { formId: form.id, data: {} });
  const { requestedSchema } = result.inputRequests.values.params;
  expect(requestedSchema.properties.room).toMatchObject({ title: "Room" });
});
