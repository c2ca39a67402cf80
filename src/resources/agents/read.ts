import type { Sql } from "../../platform/database/db.ts";
import type { Row } from "../../platform/http/resource.ts";
import type { ProblemCode } from "../../problem.ts";
import type { Grant } from "../grants/shapes.ts";
import type { AgentKey } from "../signing-keys/shapes.ts";
import type { Agent } from "./shapes.ts";

export type AgentEntry = Row<typeof Agent>;

export type GrantEntry = Omit<typeof Grant.infer, "agentId" | "createdAt" | "updatedAt"> & {
  formName: string;
};

export type KeyEntry = Pick<typeof AgentKey.infer, "keyId" | "alg" | "status" | "createdAt" | "expiresAt">;

export interface RefusedRequests {
  code: ProblemCode;
  total: number;
  lastAt: Date;
}

export interface AgentDetails {
  agent: AgentEntry & { lastTokenAt: Date | null };
  grants: GrantEntry[];
  keys: KeyEntry[];
  /** Refused requests of the last days, the most frequent code first. */
  refusedRequests: RefusedRequests[];
  forms: { id: string; name: string }[];
}

const dayMs = 86_400_000;

/**
 * Reads an agent with its newest grants, keys, refused requests and forms.
 * @param maxItems of each kind @param recentDays in which refused requests are counted
 * @throws {Problem} `not_found`, also if the operator has no role in the agent's workspace.
 */
export async function readAgentDetails(
  sql: Sql,
  { team, operator }: { team: string; operator: string },
  id: string,
  { maxItems, recentDays }: { maxItems: number; recentDays: number },
): Promise<AgentDetails> {
  const [agent] = await sql<[AgentDetails["agent"]]>`
    select a.*, (
      select s.created_at from formd.sessions s
      where s.team_id = ${team} and s.agent_id = ${id} order by s.expires_at desc limit 1) as last_token_at
    from formd.agent_get(p_team => ${team}, p_operator => ${operator}, p_agent => ${id}) a`;
  const [lists] = await sql<[Omit<AgentDetails, "agent">]>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'formId', g.form_id, 'formName', f.name, 'scopes', g.scopes,
         'respondentId', g.respondent_id, 'bindingRequired', g.binding_required, 'respondent', g.respondent) order by g.id desc), '[]')
       from (select * from formd.grants h where h.team_id = ${team} and h.agent_id = ${id} order by h.id desc limit ${maxItems}) g
       join formd.forms f on f.team_id = g.team_id and f.id = g.form_id) as grants,
      (select coalesce(jsonb_agg(jsonb_build_object('keyId', k.key_id, 'alg', k.alg, 'status', k.status, 'createdAt', k.created_at,
         'expiresAt', k.expires_at) order by k.id desc), '[]')
       from (select * from formd.signing_keys j where j.team_id = ${team} and j.agent_id = ${id} order by j.id desc limit ${maxItems}) k) as keys,
      (select coalesce(jsonb_agg(jsonb_build_object('code', r.outcome, 'total', r.total, 'lastAt', r.last_at) order by r.total desc, r.outcome), '[]')
       from (
         select d.outcome, sum(d.total) as total, max(d.last_at) as last_at from formd.agent_days d
         where d.team_id = ${team} and d.agent_id = ${id} and d.day > ${Math.floor(Date.now() / dayMs) - recentDays} and d.outcome <> 'stored'
         group by d.outcome) r) as refused_requests,
      (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'name', f.name) order by f.name), '[]')
       from (
         select h.id, h.name from formd.forms h
         where h.team_id = ${team} and h.workspace_id = ${agent.workspaceId} and h.status <> 'archived'
         order by h.id desc limit ${maxItems}) f) as forms`;
  return { agent, ...lists };
}

const maxNewest = 100;

export const newestAgents = (sql: Sql, team: string, workspace: string) => sql<
  Pick<AgentEntry, "id" | "name">[]
>`
  select a.id, a.name from formd.agents a
  where a.team_id = ${team} and a.workspace_id = ${workspace}
  order by a.id desc limit ${maxNewest}`;
