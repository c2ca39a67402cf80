/** Who calls `/mcp`: an agent by the token of its session, or an owner by an API key. */
import { parseSecret } from "../auth/secret.ts";
import { countCaller, requireFewUnknown } from "../auth/unknown-callers.ts";
import type { Config } from "../config.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { contextOf } from "../http/request-context.ts";
import { resourceMetadataPath } from "../oauth/routes.ts";
import { Problem } from "../problem.ts";

export interface McpCaller {
  kind: "agent" | "owner";
  team: string;
  /** Of the token or the key. */
  hash: Uint8Array;
  /** The header by which the routes of the API know this caller. */
  credential: Record<string, string>;
}

/** The challenge of a 401 or a 403 (RFC 6750, section 3; RFC 9728, section 5.1). */
export const challenge = ({ BASE_URL }: Config, parameters: Record<string, string> = {}) => ({
  "www-authenticate": `Bearer ${Object.entries({
    ...parameters,
    resource_metadata: BASE_URL + resourceMetadataPath,
  })
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`,
});

export const unauthorized = (config: Config): Problem =>
  new Problem("unauthorized", {
    message: "A session token (authorization: Bearer) or an API key (x-api-key) is required.",
    headers: challenge(config),
  });

/** The caller that the request names, by a bearer token before an API key. @throws {Problem} `rate_limited`, `unauthorized` without either. */
export function callerOf(deps: Deps, request: Request): McpCaller {
  const { headers } = request;
  const [, token] = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  const key = headers.get("x-api-key");
  if (token !== undefined)
    return { kind: "agent", ...parseSecret("fds", token), credential: { "x-respondent-token": token } };
  if (key === null || headers.has("authorization")) {
    requireFewUnknown(deps, request);
    throw unauthorized(deps.config);
  }
  return { kind: "owner", ...parseSecret("fdk", key), credential: { "x-api-key": key } };
}

/** A published form that an agent has a grant for. */
export interface GrantedForm {
  id: string;
  name: string;
  description: string | null;
  version: number;
  scopes: string[];
}

interface AgentRow extends GrantedForm {
  outcome: string;
  agentId: string | null;
  total: number;
}

/** A page of an agent's forms, newest grant first. One round trip. @throws {Problem} `rate_limited`, `unauthorized`, `agent_inactive`. */
export async function readGrantedForms(
  deps: Deps,
  request: Request,
  { team, hash }: McpCaller,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<{ forms: GrantedForm[]; total: number }> {
  requireFewUnknown(deps, request, hash);
  const rows = await deps.sql<AgentRow[]>`
    select outcome, agent_id, total, id, name, description, version, scopes
    from formd.mcp_agent_forms(p_team => ${team}, p_token_hash => ${hash}, p_limit => ${limit}, p_offset => ${offset})`;
  const [first] = rows;
  if (!first) throw new Error("The forms of an agent have returned no row.");
  countCaller(request, hash, first.outcome !== "unauthorized");
  if (first.outcome !== "allowed")
    throw first.outcome === "agent_inactive" ? new Problem("agent_inactive") : unauthorized(deps.config);
  contextOf(request).caller = `agent:${first.agentId}`;
  const forms = rows
    .filter(({ id }) => id !== null)
    .map(({ id, name, description, version, scopes }) => ({ id, name, description, version, scopes }));
  return { forms, total: first.total };
}

/** The scopes of an owner's key. One round trip. @throws {Problem} `rate_limited`, `unauthorized`. */
export async function readScopes(deps: Deps, request: Request, { team, hash }: McpCaller): Promise<string[]> {
  requireFewUnknown(deps, request, hash);
  const { outcome, apiKeyId, scopes } = oneRow(
    await deps.sql<{ outcome: string; apiKeyId: string; scopes: string[] }[]>`
      select * from formd.mcp_owner_scopes(p_team => ${team}, p_hash => ${hash})`,
  );
  countCaller(request, hash, outcome === "allowed");
  if (outcome !== "allowed") throw unauthorized(deps.config);
  contextOf(request).caller = `api_key:${apiKeyId}`;
  return scopes;
}
