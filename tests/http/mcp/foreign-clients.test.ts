// stacks: one
/** MCP clients that formd does not use, as an agent's program has them. */
import { describe, expect, test } from "bun:test";
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { baseOf } from "../../mcp-client.ts";
import { type Agent, makeForm } from "../../setup.ts";
import { type Json, mcpFixture } from "./fixture.ts";

const { app, team, agentOf } = await mcpFixture();

const choices = ["s", { value: "m", label: "Medium" }];
const fields = [
  { id: "full name", type: "text", label: "Full name", required: true, validation: { maxLength: 80 } },
  { id: "名前", type: "email", label: "Mail" },
  { id: "age", type: "integer", label: "Age", validation: { minimum: 18 } },
  { id: "size", type: "select", label: "Size", options: choices },
  { id: "level", type: "select", label: "Level", options: [{ value: 1 }, { value: 2 }] },
  { id: "tags", type: "multi_select", label: "Tags", options: choices, validation: { maxItems: 1 } },
  { id: "terms", type: "consent", label: "Terms", required: true },
  { id: "day", type: "date", label: "Day" },
  { id: "home", type: "address", label: "Home", validation: { requiredParts: ["city"] } },
  { id: "rates", type: "matrix", label: "Rates", rows: ["the speed", "price"], columns: ["good", "bad"] },
];
const stored = {
  ...{ "full name": "Ada", 名前: "ada@example.org", age: 36, size: "m", level: 2, tags: ["s"], terms: true },
  ...{ day: "2026-11-28", home: { city: "Ulm" }, rates: { "the speed": "good" } },
};

/** A program's view of the tool of a form: its schema, and a call. */
interface View {
  schema: Json;
  submit: (given: object) => Promise<Json>;
}

const clients: [name: string, open: (agent: Agent) => Promise<View>][] = [
  [
    "@langchain/mcp-adapters",
    async ({ secret }) => {
      const server = { url: `${baseOf(app)}/mcp`, headers: { "x-agent-secret": secret } };
      const client = new MultiServerMCPClient({ mcpServers: { formd: { transport: "http", ...server } } });
      const tool = (await client.getTools()).find(({ name }) => name.startsWith("submit_")) as Json;
      return {
        schema: tool.schema,
        submit: async (given) => (await tool.invoke(given)).structuredContent,
      };
    },
  ],
  [
    "@ai-sdk/mcp",
    async ({ secret }) => {
      const url = `${baseOf(app)}/mcp`;
      const client = await createMCPClient({
        transport: { type: "http", url, headers: { "x-agent-secret": secret } },
      });
      const [, tool] =
        Object.entries<Json>(await client.tools()).find(([name]) => name.startsWith("submit_")) ?? [];
      return {
        schema: await tool.inputSchema.jsonSchema,
        submit: async (given) =>
          (await tool.execute(given, { toolCallId: "1", messages: [] })).structuredContent,
      };
    },
  ],
];

describe.each(clients)("%s", (_, open) => {
  test("sees type and options of every question, and submits by them", async () => {
    const form = await makeForm(app, team, fields);
    const { schema, submit } = await open(await agentOf(undefined, form));
    const keys = Object.keys(schema.properties);
    expect(keys).toHaveLength(fields.length);
    expect(Object.values(schema.properties)).toMatchObject([
      { type: "string", description: expect.stringContaining('"Full name"'), maxLength: 80 },
      { type: "string" },
      { type: "integer", minimum: 18 },
      { type: "string", enum: ["s", "m"] },
      { type: "string", enum: ["1", "2"] },
      { type: "array", items: { type: "string", enum: ["s", "m"] }, maxItems: 1 },
      { type: "boolean" },
      { type: "string" },
      { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      { type: "object", properties: { price: { type: "string", enum: ["good", "bad"] } } },
    ]);
    expect(schema.required).toEqual([keys[0], "terms"]);

    const [speed = ""] = Object.keys(schema.properties.rates.properties);
    const values = Object.values({ ...stored, level: "2", rates: { [speed]: "good" } });
    const given = Object.fromEntries(keys.map((key, index) => [key, values[index]]));
    expect(await submit(given)).toMatchObject({ status: "completed" });
    const [row] = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
    expect(row?.data).toEqual(stored);
  });
});
