/** Queries on agents for a caller, shared by the routes and the console. */
import type { Secret } from "../../platform/auth/secret.ts";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import type { List } from "../../platform/http/list.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { Problem } from "../../problem.ts";
import type { AgentPatchRequest, AgentRotateRequest } from "./shapes.ts";
import { Agent, AgentRevocation, AgentSessionsEnd } from "./shapes.ts";

const agentJson = jsonOf(Agent);
const revocationJson = jsonOf(AgentRevocation);
const sessionsEndJson = jsonOf(AgentSessionsEnd);

export const clientIdOf = (id: string): string => `agent_${id.replaceAll("-", "")}`;

/** Registers an agent, by default in the team's oldest workspace. The result is JSON. */
export const createAgentQuery = (
  sql: Sql,
  { team, actor }: Pick<SqlCaller, "team" | "actor">,
  { id, name, workspaceId }: { id: string; name: string; workspaceId: string | null },
  { prefix, hash }: Secret,
) => sql`
  select json_build_object('id', id, 'workspaceId', workspace_id, 'status', status, 'name', ${name}::text)
  from formd.agent_create(
    p_team => ${team}, p_actor => ${actor}, p_workspace => ${workspaceId}, p_id => ${id}, p_name => ${name},
    p_client_id => ${clientIdOf(id)}, p_secret_prefix => ${prefix}, p_secret_hash => ${hash})`;

/** The agents of the team, newest first. An operator gets only the agents of their workspaces. */
export const agentList = (
  sql: Sql,
  { team, operator }: { team: string; operator: SqlCaller["operator"] | string },
  page: List["page"],
): List => ({
  name: "agents",
  page,
  item: agentJson(sql),
  rows: ({ limit, offset }) => sql`
    formd.agent_list(p_team => ${team}, p_operator => ${operator}, p_limit => ${limit}, p_offset => ${offset})`,
});

/** Changes an agent; the result is JSON. @throws {Problem} `bad_request` (nothing to change). */
export function patchAgentQuery(
  { sql, config }: Deps,
  { team, actor }: SqlCaller,
  id: string,
  request: typeof AgentPatchRequest.infer,
) {
  const { name = null, status = null } = request;
  if (name === null && status === null) throw new Problem("bad_request", "Send name, status or both.");
  return sql`
    select ${agentJson(sql)} from formd.agent_patch(
      p_team => ${team}, p_actor => ${actor}, p_agent => ${id}, p_name => ${name}, p_status => ${status},
      p_require_operator => ${config.AGENT_CREDENTIALS === "operator"})`;
}

/** Revokes an agent; the result is an AgentRevocation as JSON. */
export const revokeAgentQuery = ({ sql }: Deps, { team, actor }: SqlCaller, id: string) => sql`
  select ${revocationJson(sql)} from formd.agent_delete(p_team => ${team}, p_actor => ${actor}, p_agent => ${id})`;

/** Replaces an agent's secret, and ends its sessions if the request requires it. */
export const rotateAgentSecretQuery = (
  { sql, config }: Deps,
  { team, actor }: SqlCaller,
  id: string,
  { prefix, hash }: Secret,
  { endSessions = false }: typeof AgentRotateRequest.infer,
) => sql`
  select formd.agent_secret_rotate(
    p_team => ${team}, p_actor => ${actor}, p_agent => ${id}, p_secret_prefix => ${prefix}, p_secret_hash => ${hash},
    p_require_operator => ${config.AGENT_CREDENTIALS === "operator"}, p_end_sessions => ${endSessions})`;

/** Ends an agent's sessions; the result is an AgentSessionsEnd as JSON. */
export const endSessionsQuery = ({ sql }: Deps, { team, actor }: SqlCaller, id: string) => sql`
  select ${sessionsEndJson(sql)} from formd.agent_sessions_end(p_team => ${team}, p_actor => ${actor}, p_agent => ${id})`;
