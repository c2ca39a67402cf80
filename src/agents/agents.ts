/** What can be done with agents, as queries for a caller: for the routes and the console. */
import type { QueryCaller } from "../auth/authenticate.ts";
import type { Secret } from "../auth/secret.ts";
import type { Sql } from "../db.ts";
import type { Deps } from "../deps.ts";
import { jsonOf } from "../http/resource.ts";
import { Problem } from "../problem.ts";
import { Agent, type AgentPatchRequest, AgentRevocation } from "./shapes.ts";

/** The `client_id` of an agent. */
export const clientIdOf = (id: string): string => `agent_${id.replaceAll("-", "")}`;

/** Registers an agent; without a workspace in the team's oldest one. The result is what a registration says of it, as JSON. */
export const createQuery = (
  sql: Sql,
  { team, actor }: Pick<QueryCaller, "team" | "actor">,
  { id, name, workspaceId }: { id: string; name: string; workspaceId: string | null },
  { prefix, hash }: Secret,
) => sql`
  select json_build_object('id', id, 'workspaceId', workspace_id, 'status', status, 'name', ${name}::text)
  from formd.agent_create(
    p_team => ${team}, p_actor => ${actor}, p_workspace => ${workspaceId}, p_id => ${id}, p_name => ${name},
    p_client_id => ${clientIdOf(id)}, p_secret_prefix => ${prefix}, p_secret_hash => ${hash})`;

/** Renames, disables or enables an agent; the result is the agent as JSON. @throws {Problem} `bad_request` (nothing to change). */
export function patchQuery(
  { sql, config }: Deps,
  { team, actor }: QueryCaller,
  id: string,
  request: typeof AgentPatchRequest.infer,
) {
  const { name = null, status = null } = request;
  if (name === null && status === null) throw new Problem("bad_request", "Send name, status or both.");
  return sql`
    select ${jsonOf(sql, Agent)} from formd.agent_patch(
      p_team => ${team}, p_actor => ${actor}, p_agent => ${id}, p_name => ${name}, p_status => ${status},
      p_require_operator => ${config.AGENT_CREDENTIALS === "operator"})`;
}

/** Revokes an agent; the result is an AgentRevocation as JSON. */
export const revokeQuery = ({ sql }: Deps, { team, actor }: QueryCaller, id: string) => sql`
  select ${jsonOf(sql, AgentRevocation)} from formd.agent_delete(p_team => ${team}, p_actor => ${actor}, p_agent => ${id})`;

/** Replaces an agent's secret by a new one. */
export const rotateSecretQuery = (
  { sql, config }: Deps,
  { team, actor }: QueryCaller,
  id: string,
  { prefix, hash }: Secret,
) => sql`
  select formd.agent_secret_rotate(
    p_team => ${team}, p_actor => ${actor}, p_agent => ${id}, p_secret_prefix => ${prefix}, p_secret_hash => ${hash},
    p_require_operator => ${config.AGENT_CREDENTIALS === "operator"})`;
