// stacks: one months
/** Calls by the keys of a form's own tool, on servers that have not listed it. */
import { expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { asAgentToken, connect } from "../../mcp-client.ts";
import { makeForm, type PublishedForm, server } from "../../setup.ts";
import { call, type Json, mcpFixture, submitTool } from "./fixture.ts";

const { app, team, agentOf, connectAgent } = await mcpFixture();

const fields = [
  { id: "full name", type: "text", label: "Full name", required: true },
  { id: "the rates", type: "matrix", label: "Rates", rows: ["the speed"], columns: ["good", "bad"] },
];
const dataOf = async ({ id }: PublishedForm) =>
  (await app.database.sql`select data from formd.submissions where form_id = ${id} order by id`).map(
    ({ data }) => data,
  );
/** The keys of the tool by the labels of its questions. */
async function keysOf(agent: { token: string }): Promise<Record<string, string>> {
  const { tools } = await (await connectAgent(agent)).listTools();
  const properties: Json = tools.find(({ name }) => name.startsWith("submit_"))?.inputSchema.properties;
  return Object.fromEntries(
    Object.keys(properties).map((key) => [/^"([^"]*)"/.exec(properties[key].description)?.[1], key]),
  );
}

test("a server that knows no version of the form, or an older one, stores values under their ids", async () => {
  const form = await makeForm(app, team, fields);
  const [agent, later] = [await agentOf(undefined, form), await agentOf(undefined, form)];
  const { "Full name": name = "", Rates: rates = "" } = await keysOf(agent);
  const tool = await submitTool(await connectAgent(agent));
  const other = await server({ DATABASE_URL: app.database.url });
  const given = { [name]: "Ada", [rates]: { speed: "good" } };
  const refused = await call(await connect(other, asAgentToken(agent)), tool, given);
  expect(refused.structuredContent).toMatchObject({
    errors: [{ field: rates, constraint: "rows.speed", code: "invalid_option" }],
  });
  const [row = ""] = refused.structuredContent.errors[0].expected;
  const first = await agentOf(undefined, form);
  await call(await connect(other, asAgentToken(first)), tool, { ...given, [rates]: { [row]: "good" } });

  const operations = [{ op: "addField", field: { id: "E-Mail", type: "email", label: "Mail" } }];
  await app.database.sql`
    select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${app.database.sql.json(operations as never)}, null, null)`;
  await publishForm(app.database.sql, cliActor, team.id, form.id);
  const { Mail: mail = "", "Full name": sameName } = await keysOf(later);
  expect([sameName, mail]).toEqual([name, expect.stringMatching(/^e_mail_[0-9a-f]{8}$/)]);
  await call(await connect(other, asAgentToken(later)), tool, { [name]: "Bob", [mail]: "bob@example.org" });
  expect(await dataOf(form)).toEqual([
    { "full name": "Ada", "the rates": { "the speed": "good" } },
    { "full name": "Bob", "E-Mail": "bob@example.org" },
  ]);
  await other.stop();
});

test("what a person is asked for is stored beside values by key, and named by key if it is declined", async () => {
  const form = await makeForm(app, team, fields);
  const agent = await agentOf(undefined, form);
  const { "Full name": name, Rates: rates = "" } = await keysOf(agent);
  const tool = await submitTool(await connectAgent(agent));
  const declining = await connectAgent(agent, () => ({ action: "decline" }));
  const declined = await call(declining, tool, {});
  expect(declined.structuredContent).toMatchObject({ code: "declined", fields: [name] });
  const filling = await connectAgent(agent, () => ({ action: "accept", content: { "full name": "Ada" } }));
  const wrong = await call(filling, tool, { [rates]: "good" });
  expect(wrong.structuredContent.errors).toMatchObject([{ field: rates, code: "type_mismatch" }]);
  const other = await connectAgent(await agentOf(undefined, form), () => ({
    action: "accept",
    content: { "full name": "Ada" },
  }));
  await call(other, tool, { [rates]: {} });
  expect(await dataOf(form)).toEqual([{ "full name": "Ada" }]);
});

test("the tools that take ids take keys too, and name each field as it was sent", async () => {
  const form = await makeForm(app, team, fields);
  const agent = await agentOf(undefined, form);
  const { "Full name": name = "" } = await keysOf(agent);
  const client = await connectAgent(agent);
  const validated = async (data: object) =>
    (await call(client, "validate", { formId: form.id, data })).structuredContent;
  expect(await validated({ [name]: "Ada" })).toMatchObject({ valid: true });
  expect(await validated({ [name]: 7 })).toMatchObject({ errors: [{ field: name }] });
  expect(await validated({ "full name": 7 })).toMatchObject({ errors: [{ field: "full name" }] });
  expect(await validated({})).toMatchObject({ missingRequired: ["full name"] });
});
