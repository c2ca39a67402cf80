/** A service with a team and a form, reached by the official MCP client and by single messages. */
import type { Client } from "@modelcontextprotocol/client";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Answer, asAgentToken, asOwner, connect } from "../../mcp-client.ts";
import {
  type Agent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever the tool returns; expectations say what it should be
export type Json = any;

export const fields = [
  { id: "email", type: "email", label: "E-mail", required: true },
  { id: "people", type: "integer", label: "People", validation: { minimum: 1 } },
  { id: "topic", type: "select", label: "Topic", options: ["a", { value: "b", label: "B" }] },
];
/** Data that the form accepts. */
export const whole = { email: "ada@example.org", people: 2 };

export const call = async (client: Client, name: string, given: object = {}): Promise<Json> =>
  await client.callTool({ name, arguments: given as Record<string, unknown> });

/** The tool of its own that the agent's newest form has. */
export const submitTool = async (client: Client): Promise<string> =>
  (await client.listTools()).tools.find(({ name }) => name.startsWith("submit_"))?.name ?? "none";

/** ajv as a client of revision 2020-12 has it. */
export function schemaCompiler() {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, multipleOfPrecision: 9 });
  addFormats(ajv);
  return ajv;
}

/** Members of `_meta` in each message of revision 2026-07-28. */
export const envelope = (capabilities: object = {}, version = "1") => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

/** The headers of a call in revision 2026-07-28. */
export const callHeaders = (name: string) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": name,
});

export async function mcpFixture() {
  const app: Service = await service(permissive);
  const team: Team = await makeTeam(app);
  const form: PublishedForm = await makeForm(app, team, fields);
  const answered = (answer?: Answer) => (answer ? { answer } : {});
  /** One message; of an older client unless it says otherwise, which needs no envelope. */
  const post = (headers: Record<string, string>, message: object | string = { method: "tools/list" }) =>
    ask(app, "POST", "/mcp", {
      headers: { accept: "application/json, text/event-stream", ...headers },
      body: typeof message === "string" ? message : { jsonrpc: "2.0", id: 1, ...message },
    });
  return {
    app,
    team,
    form,
    agentOf: (scopes?: string[], of = form) => makeAgent(app, team, of, scopes),
    connectAgent: (agent: { token: string }, answer?: Answer) =>
      connect(app, asAgentToken(agent), answered(answer)),
    connectOwner: (key = team.key, answer?: Answer) => connect(app, asOwner(key), answered(answer)),

    post,

    /** One round of a client that can show a form; `retry` is what it brings from the round before. */
    submitRound: async (agent: Agent, given: object, retry: object = {}): Promise<Json> => {
      const _meta = envelope({ elicitation: { form: {} } });
      const params = { name: "submit", arguments: given, _meta, ...retry };
      const headers = { authorization: `Bearer ${agent.token}`, ...callHeaders("submit") };
      return (await post(headers, { method: "tools/call", params })).body;
    },

    revokeGrants: async ({ id: agent }: Agent) => {
      for (const { id } of await app.database.sql<{ id: string }[]>`
        select id from formd.grants where team_id = ${team.id} and agent_id = ${agent}`)
        await app.database.sql`select from formd.grant_remove(${team.id}, '(cli,,)', ${agent}, ${id})`;
    },
  };
}
