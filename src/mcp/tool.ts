/** A tool, and what a call of one ends in. */
import type { Deps } from "../deps.ts";
import type { Schema } from "../http/operation.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { challenge, type McpCaller, unauthorized } from "./caller.ts";
import { callRest, type Fetch, type RestCall, type RestResult } from "./rest.ts";

/** As `tools/list` has it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema & { type: "object" };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: boolean };
}

/** `structuredContent` is the `data` of the route, or what is wrong. */
export interface ToolResult {
  isError?: boolean;
  content: { type: "text"; text: string }[];
  structuredContent: Record<string, unknown>;
}

/** Asks a person before the call goes on: for values by a form, or to open a page. */
export interface InputRequest {
  ask:
    | { mode: "form"; message: string; requestedSchema: Schema }
    | { mode: "url"; message: string; url: string };
  /** What the tool remembers until the retry. */
  remembered: Record<string, unknown>;
}

/** What the person has done with an {@link InputRequest}. */
export interface Answer {
  action: string;
  content: Record<string, unknown>;
  remembered: Record<string, unknown>;
  /** Names the round: the same for each repetition of it. */
  round: string;
}

/** A call of a tool. */
export interface ToolCall {
  deps: Deps;
  fetch: Fetch;
  /** Of the MCP client. */
  request: Request;
  caller: McpCaller;
  name: string;
  arguments: Record<string, unknown>;
  /** Ways in which the client can ask a person. */
  canAsk: { form: boolean; url: boolean };
  /** Of a retry. */
  answer?: Answer | undefined;
}

/** The tools of one kind of caller. */
export interface Toolset {
  /** Sorted by name. */
  list(deps: Deps, request: Request, caller: McpCaller): Promise<Tool[]>;
  /** Undefined: there is no such tool. */
  call(call: ToolCall): Promise<ToolResult | InputRequest | undefined>;
}

export const annotations = (method: string) => ({
  readOnlyHint: method === "GET",
  destructiveHint: method === "DELETE",
  openWorldHint: false,
});

const resultOf = (structuredContent: Record<string, unknown>, isError: boolean): ToolResult => ({
  ...(isError && { isError }),
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

export const toolResult = (data: Record<string, unknown>): ToolResult => resultOf(data, false);

/** A problem as the result of a tool: with the members of the API's error, and `retryAfter` in seconds. */
export const problemResult = ({ code, message, extras }: Problem): ToolResult =>
  resultOf({ code, message, ...extras }, true);

/**
 * Calls the route that a tool stands for.
 *
 * @throws {Problem} `unauthorized`, and for an agent `missing_scope`: HTTP responses by which an OAuth client knows that it needs another token.
 */
export async function callRoute(
  { deps, fetch, request, caller }: ToolCall,
  call: RestCall,
): Promise<ToolResult> {
  const result = await callRest(fetch, request, {
    ...call,
    headers: { ...call.headers, ...caller.credential },
  });
  requireScope(deps, caller, result);
  const { data, error, code, apiVersion, _docs, _guide, ...more } = result.body;
  if (result.status < 300) return toolResult(data as Record<string, unknown>);
  const { retryAfter } = result;
  return resultOf({ code, message: error, ...more, ...(retryAfter && { retryAfter }) }, true);
}

function requireScope({ config }: Deps, { kind }: McpCaller, { status, body }: RestResult): void {
  if (status === 401) throw unauthorized(config);
  if (kind === "agent" && body.code === "missing_scope")
    throw new Problem(body.code as ProblemCode, {
      message: String(body.error),
      headers: challenge(config, {
        error: "insufficient_scope",
        scope: "agent:read agent:validate agent:submit",
      }),
    });
}
