/** Callers of `/mcp`: an agent by the token of its session or by its secret, or an owner by an API key. */
import { parseSecret, sha256, tokenBehind } from "../../platform/auth/secret.ts";
import { limitUnknownCallers, recordLookup } from "../../platform/auth/unknown-callers.ts";
import type { Config } from "../../platform/config.ts";
import { oneRow } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { Problem } from "../../problem.ts";
import { resourceMetadataPath } from "../oauth/routes.ts";

export interface McpCaller {
  kind: "agent" | "owner";
  team: string;
  /** Hash of the token or the key. */
  hash: Uint8Array;
  /** The header that authenticates this caller to the routes of the API. */
  credential: Record<string, string>;
  /** Hash of the agent's secret, if the token belongs to the session behind it (secret-session.ts). */
  secretHash?: Uint8Array;
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

/** Message with the accepted credentials. An agent's secret in another header is the usual mistake. */
const expected =
  "A session token (authorization: Bearer fds_…), an agent's secret (x-agent-secret: fda_…) or an API key (x-api-key: fdk_…) is required.";

export const unauthorized = (config: Config, message = expected): Problem =>
  new Problem("unauthorized", { message, headers: challenge(config) });

/** The caller: by bearer token, agent secret or API key. @throws {Problem} `rate_limited`, `unauthorized` */
export function callerOf(deps: Deps, request: Request): McpCaller {
  const { headers } = request;
  const [, token] = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  const secret = headers.get("x-agent-secret");
  const key = headers.get("x-api-key");
  if (token !== undefined) return agentBy(token);
  if (secret !== null && !headers.has("authorization"))
    return { ...agentBy(tokenBehind(secret)), secretHash: sha256(secret) };
  if (key === null || headers.has("authorization")) {
    limitUnknownCallers(deps, request);
    throw unauthorized(deps.config);
  }
  return { kind: "owner", ...parseSecret("fdk", key), credential: { "x-api-key": key } };
}

const agentBy = (token: string): McpCaller => ({
  kind: "agent",
  ...parseSecret("fds", token),
  credential: { "x-respondent-token": token },
});

/** A published form that an agent has a grant for. */
export interface GrantedForm {
  id: string;
  name: string;
  description: string | null;
  version: number;
  /** Scopes that both the grant and the token have. */
  scopes: string[];
  grantScopes: string[];
}

interface AgentRow extends Omit<GrantedForm, "grantScopes"> {
  /** Null: every scope. */
  tokenScopes: string[] | null;
  outcome: string;
  agentId: string | null;
  total: number;
}

/**
 * A page of an agent's forms, newest grant first, in one round trip.
 * @throws {Problem} `rate_limited`, `unauthorized`, `agent_inactive`.
 */
export async function readGrantedForms(
  deps: Deps,
  request: Request,
  { team, hash }: McpCaller,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<{ forms: GrantedForm[]; total: number }> {
  limitUnknownCallers(deps, request, hash);
  const rows = await deps.sql<AgentRow[]>`
    select outcome, agent_id, total, id, name, description, version, scopes, token_scopes
    from formd.mcp_agent_forms(p_team => ${team}, p_token_hash => ${hash}, p_limit => ${limit}, p_offset => ${offset})`;
  const [first] = rows;
  if (!first) throw new Error("The forms of an agent have returned no row.");
  recordLookup(request, hash, first.outcome !== "unauthorized");
  if (first.outcome !== "allowed")
    throw first.outcome === "agent_inactive" ? new Problem("agent_inactive") : unauthorized(deps.config);
  contextOf(request).caller = `agent:${first.agentId}`;
  const forms = rows
    .filter(({ id }) => id !== null)
    .map(({ id, name, description, version, scopes, tokenScopes }) => ({
      ...{ id, name, description, version },
      scopes: tokenScopes ? scopes.filter((scope) => tokenScopes.includes(scope)) : scopes,
      grantScopes: scopes,
    }));
  return { forms, total: first.total };
}

/** The scopes of an owner's key. One round trip. @throws {Problem} `rate_limited`, `unauthorized`. */
export async function readScopes(deps: Deps, request: Request, { team, hash }: McpCaller): Promise<string[]> {
  limitUnknownCallers(deps, request, hash);
  const { outcome, apiKeyId, scopes } = oneRow(
    await deps.sql<{ outcome: string; apiKeyId: string; scopes: string[] }[]>`
      select * from formd.mcp_owner_scopes(p_team => ${team}, p_hash => ${hash})`,
  );
  recordLookup(request, hash, outcome === "allowed");
  if (outcome !== "allowed") throw unauthorized(deps.config);
  contextOf(request).caller = `api_key:${apiKeyId}`;
  deps.keyUses.addApiKey(team, apiKeyId);
  return scopes;
}
