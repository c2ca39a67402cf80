/** Agents: `/papi/v1/identity/agents` (specification, "Identity"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { type Caller, requireCaller } from "../auth/credentials.ts";
import { makeSecret } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import { FullPageQuery, offsetOf, parseQuery, toPage, uuidParam } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { AgentCreateRequest, AgentPatchRequest } from "./shapes.ts";

/** The columns of formd.agents that are not secret. */
export interface AgentRow {
  id: string;
  clientId: string;
  secretPrefix: string;
  name: string;
  status: "active" | "disabled" | "revoked";
  workspaceId: string;
  createdAt: Date;
  updatedAt: Date;
}

const agentOf = (row: AgentRow) => ({
  id: row.id,
  clientId: row.clientId,
  secretPrefix: row.secretPrefix,
  name: row.name,
  status: row.status,
  workspaceId: row.workspaceId,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** The agents that a caller sees: a key its team's, an operator those of the workspaces in which it has a role. */
export const visibleAgents = ({ sql }: Deps, { team, operator }: Caller) =>
  operator === null
    ? sql`team_id = ${team}`
    : sql`team_id = ${team} and workspace_id in
        (select r.workspace_id from formd.workspace_roles r where r.team_id = ${team} and r.operator_id = ${operator})`;

const path = "/papi/v1/identity/agents";

export const agents = (deps: Deps) => {
  const { sql, config } = deps;
  const columns = sql`id, client_id, secret_prefix, name, status, workspace_id, created_at, updated_at`;
  return new Elysia({ name: path })
    .post(path, async ({ request }) => {
      const bytes = await readBytes(request, config.MAX_BODY_BYTES);
      const { team, operator } = await requireCaller(deps, request);
      const { name, workspaceId = null } = parseBody(request, bytes, AgentCreateRequest);
      const { secret, prefix, hash } = makeSecret("fda", team);
      const id = uuidv7();
      const clientId = `agent_${id.replaceAll("-", "")}`;
      const [agent] = await sql<[{ id: string; workspaceId: string; status: string }]>`
        select * from formd.agent_register(${team}, ${operator}, ${workspaceId}, ${id}, ${name}, ${clientId}, ${prefix}, ${hash})`;
      return success({ ...agent, clientId, secret, secretPrefix: prefix, name });
    })
    .get(path, async ({ request, query }) => {
      const visible = visibleAgents(deps, await requireCaller(deps, request));
      const page = parseQuery(query, FullPageQuery);
      const rows = await sql<(AgentRow & { total: number })[]>`
        select a.*, t.total
        from (select count(*)::int as total from formd.agents where ${visible}) t
        left join (select ${columns} from formd.agents where ${visible} order by id desc limit ${page.limit} offset ${offsetOf(page)}) a on true
        order by a.id desc`;
      const { items, pagination } = toPage(rows, page);
      return success({ agents: items.map(agentOf), pagination });
    })
    .get(`${path}/:agent_id`, async ({ request, params }) => {
      const visible = visibleAgents(deps, await requireCaller(deps, request));
      const [agent] = await sql<
        AgentRow[]
      >`select ${columns} from formd.agents where ${visible} and id = ${uuidParam(params, "agent_id")}`;
      if (!agent) throw new Problem("not_found", "There is no such agent.");
      return success({ agent: agentOf(agent) });
    })
    .patch(`${path}/:agent_id`, async ({ request, params }) => {
      const bytes = await readBytes(request, config.MAX_BODY_BYTES);
      const { team, operator } = await requireCaller(deps, request);
      const id = uuidParam(params, "agent_id");
      const { name, status } = parseBody(request, bytes, AgentPatchRequest);
      if (name === undefined && status === undefined)
        throw new Problem("bad_request", "Send name, status or both.");
      const [agent] = await sql<[AgentRow]>`
        select ${columns} from formd.agent_update(${team}, ${operator}, ${id}, ${name ?? null}, ${status ?? null})`;
      return success({ agent: agentOf(agent) });
    })
    .delete(`${path}/:agent_id`, async ({ request, params }) => {
      const { team, operator } = await requireCaller(deps, request);
      const [agent] =
        await sql`select * from formd.agent_revoke(${team}, ${operator}, ${uuidParam(params, "agent_id")})`;
      return success(agent);
    })
    .post(`${path}/:agent_id/rotate-secret`, async ({ request, params }) => {
      const { team, operator } = await requireCaller(deps, request);
      const id = uuidParam(params, "agent_id");
      const { secret, prefix, hash } = makeSecret("fda", team);
      await sql`select from formd.agent_rotate_secret(${team}, ${operator}, ${id}, ${prefix}, ${hash})`;
      return success({ id, secret, secretPrefix: prefix });
    });
};
