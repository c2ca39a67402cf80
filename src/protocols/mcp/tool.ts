/** Tools and results of their calls. Agents' are in agent-tools.ts, owners' in owner-tools.ts. */
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { missing } from "../../platform/http/body.ts";
import { unknownName } from "../../platform/http/known-members.ts";
import type { Schema } from "../../platform/http/operation.ts";
import { isUuid, Uuid } from "../../platform/http/shapes.ts";
import { Problem, type ProblemCode } from "../../problem.ts";
import { agentScopes } from "../../resources/grants/shapes.ts";
import { challenge, type McpCaller, unauthorized } from "./caller.ts";
import { callRest, type Fetch, type RestCall, type RestResult } from "./rest.ts";

/** A tool in the format of `tools/list`. */
export interface Tool {
  name: string;
  title?: string;
  description: string;
  inputSchema: Schema & { type: "object" };
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; openWorldHint: boolean };
}

/** `structuredContent` is the `data` of the route, or the problem. */
export interface ToolResult {
  isError?: boolean;
  content: { type: "text"; text: string }[];
  structuredContent: Record<string, unknown>;
}

/** Asks a person before the call continues: for values by a form, or to open a page. */
export interface InputRequest {
  ask:
    | { mode: "form"; message: string; requestedSchema: Schema }
    | { mode: "url"; message: string; url: string };
  /** Data that the tool remembers until the retry. */
  remembered: Record<string, unknown>;
}

/** Response of the person to an {@link InputRequest}. */
export interface Elicited {
  action: string;
  content: Record<string, unknown>;
  remembered: Record<string, unknown>;
  /** Identifies the round: equal for each repetition of it. */
  round: string;
}

/** A call of a tool. */
export interface ToolCall {
  deps: Deps;
  fetch: Fetch;
  /** The request of the MCP client. */
  request: Request;
  caller: McpCaller;
  name: string;
  arguments: Record<string, unknown>;
  /** Ways in which the client can ask a person. */
  canAsk: { form: boolean; url: boolean };
  /** Response that a retry brings. */
  elicited?: Elicited | undefined;
}

/** The tools of one kind of caller. */
export interface Toolset {
  /** Sorted by name. */
  list(deps: Deps, request: Request, caller: McpCaller): Promise<Tool[]>;
  /** Undefined: the tool does not exist. */
  call(call: ToolCall): Promise<ToolResult | InputRequest | undefined>;
}

/**
 * @param method of the route behind the tool
 * @param hints `destructive`: the call changes or removes data. `openWorld`: it returns texts of strangers,
 * or sends data to another party. Clients decide on approval by them.
 */
export const annotations = (method: string, { destructive = false, openWorld = false } = {}) => ({
  // Without the first a tool writes, and the second says something of such a tool only.
  ...(method === "GET" ? { readOnlyHint: true } : { destructiveHint: destructive }),
  openWorldHint: openWorld,
});

/** An argument that is an id. @throws {Problem} `bad_request` if it is missing or not a UUID */
export function idArgument(given: Record<string, unknown>, name: string): string {
  const id = given[name];
  if (id === undefined) throw new Problem("bad_request", missing(name, Uuid.description));
  if (typeof id !== "string" || !isUuid(id)) throw new Problem("bad_request", `${name} must be a UUID.`);
  return id;
}

/** Requires that a tool knows each argument. @throws {Problem} `bad_request` naming the nearest one */
export function requireKnownArguments(given: Record<string, unknown>, { inputSchema }: Tool): void {
  const properties = inputSchema.properties as Record<string, Schema>;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return;
  const inner = new Map(
    Object.entries(properties).flatMap(([name, schema]) =>
      Object.keys(schema.properties ?? {}).map((each) => [each, `${name}.${each}`] as const),
    ),
  );
  const nothing = "the tool has no arguments";
  throw new Problem("bad_request", unknownName(unknown, Object.keys(properties), { inner, nothing }).message);
}

const maxWords = limits.mcp.maxDescriptionLength;

/** Cuts to 1,000 characters by code points: JSON parsers refuse half of a surrogate pair. */
export function cut(text: string): string {
  if (text.length <= maxWords) return text;
  const points = [...text.slice(0, 2 * maxWords + 2)];
  return points.length <= maxWords ? text : `${points.slice(0, maxWords).join("")}…`;
}

/** Quotes the words of an owner or a respondent as data, in quotation marks that they cannot close. */
export const quoted = (text: string): string => JSON.stringify(cut(text));

/** Members of a JSON Schema that hold values. No text in them is an annotation. */
const values: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
/** Members whose own members are schemas by name. */
const named: ReadonlySet<string> = new Set(["properties", "$defs", "patternProperties", "dependentSchemas"]);

/** Applies `mark` to the titles and descriptions of a JSON Schema, and cuts its comments. */
export function withMarkedTexts(schema: unknown, mark: (text: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withMarkedTexts(each, mark));
  if (typeof schema !== "object" || schema === null) return schema;
  return mapped(schema, (value, name) => {
    if (values.has(name)) return value;
    if (named.has(name)) return mapped(value as object, (each) => withMarkedTexts(each, mark));
    if (typeof value !== "string") return withMarkedTexts(value, mark);
    if (name === "title" || name === "description") return mark(value);
    return name === "$comment" ? cut(value) : value;
  });
}

const mapped = (record: object, map: (value: unknown, name: string) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));

const resultOf = (structuredContent: Record<string, unknown>, isError: boolean): ToolResult => ({
  ...(isError && { isError }),
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

export const toolResult = (data: Record<string, unknown>): ToolResult => resultOf(data, false);

/** Converts a problem to a tool result, with the members of the API's error, and `retryAfter` in seconds. */
export const problemResult = ({ code, message, extras }: Problem): ToolResult =>
  resultOf({ code, message, ...extras }, true);

/**
 * Result if a person declined or closed the question. Neither is an error that a model can correct.
 * @param asked the request, as a text after "declined to" @param fields the requested fields
 */
export function declinedResult({ action }: Elicited, asked: string, fields: readonly string[]): ToolResult {
  const [code, did] =
    action === "decline"
      ? ["declined", `declined to ${asked}`]
      : ["cancelled", `closed the question without an answer, whether to ${asked}`];
  const message = `The person ${did}. Nothing was done. Ask again only if the person wants it.`;
  return resultOf({ code, message, ...(fields.length > 0 && { fields }) }, true);
}

/**
 * Calls a route. @param write writes the data or the problem as the caller names things
 * @throws {Problem} `unauthorized`, an agent's `missing_scope`: OAuth clients renew.
 */
export async function callRoute(
  { deps, fetch, request, caller }: ToolCall,
  call: RestCall,
  write = (content: Record<string, unknown>) => content,
): Promise<ToolResult> {
  const result = await callRest(fetch, request, {
    ...call,
    headers: { ...call.headers, ...caller.credential },
  });
  requireScope(deps, caller, call, result);
  const { data, error, code, apiVersion, _docs, _guide, ...more } = result.body;
  if (result.status < 300) return toolResult(write(data as Record<string, unknown>));
  const { retryAfter } = result;
  return resultOf(write({ code, message: error, ...more, ...(retryAfter && { retryAfter }) }), true);
}

/** Scopes for a new token: the call's and the lesser ones, since it replaces the old token. */
function scopesOf({ method, path }: RestCall): string {
  const count = method === "GET" ? 1 : path.endsWith("/validation") ? 2 : agentScopes.length;
  return agentScopes.slice(0, count).join(" ");
}

function requireScope({ config }: Deps, { kind }: McpCaller, call: RestCall, { status, body }: RestResult) {
  if (status === 401) throw unauthorized(config);
  if (kind === "agent" && body.code === "missing_scope")
    throw new Problem(body.code as ProblemCode, {
      message: String(body.error),
      headers: challenge(config, { error: "insufficient_scope", scope: scopesOf(call) }),
    });
}
