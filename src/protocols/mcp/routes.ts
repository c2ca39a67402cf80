/** The Model Context Protocol (2026-07-28): `POST /mcp`. No sessions: any instance serves any request. */
import { Elysia } from "elysia";
import { requireSameOrigin } from "../../platform/auth/csrf.ts";
import { checkUnknownCallers } from "../../platform/auth/unknown-callers.ts";
import type { Deps } from "../../platform/deps.ts";
import { RequestBody } from "../../platform/http/body.ts";
import { operation, type Route } from "../../platform/http/operation.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { once } from "../../platform/once.ts";
import { agentTools } from "./agent-tools.ts";
import { callerOf, type McpCaller, readGrantedForms, readScopes } from "./caller.ts";
import { type JsonRpcMessage, McpMessage, parseMessage } from "./message.ts";
import { type Described, ownerTools } from "./owner-tools.ts";
import type { Fetch } from "./rest.ts";
import { withSession } from "./secret-session.ts";

const path = "/mcp";

/** The routes of the server, which the tools call. */
interface App {
  routes: () => readonly Route[];
  described: Described;
  fetch: Fetch;
}

export const mcpRoutes = (deps: Deps, app: App) => {
  // Imports the SDK at the first request: most servers do not need it.
  const loadServer = once(() => import("./server.ts"));
  const toolsets = { agent: agentTools, owner: ownerTools(app.routes, app.described) };

  async function respond(request: Request, caller: McpCaller, body: RequestBody): Promise<Response> {
    if (body.isLarge) await authenticate(deps, request, caller);
    const message = await readMessage(deps, request, caller, body);
    if (!isAuthenticatedLater(message)) await authenticate(deps, request, caller);
    const { handle } = await loadServer();
    const toolset = toolsets[caller.kind];
    let isPassedOn = false;
    const fetch: Fetch = (own) => {
      isPassedOn = true;
      return app.fetch(own);
    };
    const params = message.params ?? {};
    const response = await handle({ deps, fetch, request, caller, toolset, params }, message);
    // Not passed on: for example the call of an unknown tool.
    if (!isPassedOn) await authenticate(deps, request, caller);
    return response;
  }

  return new Elysia({ name: path }).post(
    path,
    async ({ request }) => {
      requireSameOrigin(deps, request);
      const caller = callerOf(deps, request);
      checkUnknownCallers(deps, request, caller.hash);
      const body = new RequestBody(request, deps.config.MAX_BODY_BYTES);
      await body.readSmall();
      return await withSession(deps, request, caller, () => respond(request, caller, body));
    },
    operation({
      id: "callMcp",
      tag: "protocol",
      summary: "Speak the Model Context Protocol",
      description:
        "Revision 2026-07-28, and older ones without sessions. An agent has tools to read, validate and submit, and one for each form that it may submit to; an owner has one for each route that the API key may call. The `data` of the route is the tool's `structuredContent`.",
      security: [{ bearerToken: [] }, { agentSecret: [] }, { apiKey: [] }],
      body: {
        shape: McpMessage,
        examples: {
          list: {
            summary: "The tools",
            value: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
          },
        },
      },
      response: {
        description: "The JSON-RPC response, as JSON or as one event.",
        media: {
          "application/json": { schema: { type: "object", additionalProperties: {} } },
          "text/event-stream": { schema: { type: "string" } },
        },
      },
      codes: ["unauthorized", "agent_inactive", "missing_scope", "csrf_rejected", "rate_limited"],
    }),
  );
};

/** Checks whether the method authenticates: the list reads the rights, a call is up to its route. */
const isAuthenticatedLater = ({ method }: JsonRpcMessage): boolean =>
  method === "tools/list" || method === "tools/call";

/** Reads a message. Only an authenticated caller gets its problem. @throws {Problem} */
async function readMessage(deps: Deps, request: Request, caller: McpCaller, body: RequestBody) {
  const bytes = await body.read();
  try {
    return parseMessage(request, bytes);
  } catch (error) {
    await authenticate(deps, request, caller);
    throw error;
  }
}

/** Looks up the credential once. @throws {Problem} `rate_limited`, `unauthorized`, `agent_inactive` */
async function authenticate(deps: Deps, request: Request, caller: McpCaller): Promise<void> {
  if (contextOf(request).caller !== undefined) return;
  if (caller.kind === "agent") await readGrantedForms(deps, request, caller, { limit: 0 });
  else await readScopes(deps, request, caller);
}
