/** Agents: `/papi/v1/identity/agents` (specification, "Identity"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import {
  type Caller,
  identityOperation,
  identityReadCodes,
  identityWriteCodes,
  requireCaller,
} from "../auth/credentials.ts";
import { makeSecret } from "../auth/secret.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { operation } from "../http/operation.ts";
import { columnsOf, pick, type Row } from "../http/resource.ts";
import { FullPageQuery, offsetOf, Pagination, parseQuery, toPage, uuidParam } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import {
  Agent,
  AgentCreateRequest,
  AgentPatchRequest,
  AgentRegistration,
  AgentRevocation,
  AgentSecret,
} from "./shapes.ts";

/** The agents that a caller sees: a key its team's, an operator those of the workspaces in which it has a role. */
export const visibleAgents = ({ sql }: Deps, { team, operator }: Caller) =>
  operator === null
    ? sql`team_id = ${team}`
    : sql`team_id = ${team} and workspace_id in
        (select r.workspace_id from formd.workspace_roles r where r.team_id = ${team} and r.operator_id = ${operator})`;

const path = "/papi/v1/identity/agents";

export const agents = (deps: Deps) => {
  const { sql, config } = deps;
  const columns = columnsOf(sql, Agent);
  return new Elysia({ name: path })
    .post(
      path,
      async ({ request }) => {
        const bytes = await readBytes(request, config.MAX_BODY_BYTES);
        const { team, operator } = await requireCaller(deps, request);
        const { name, workspaceId = null } = parseBody(request, bytes, AgentCreateRequest);
        const { secret, prefix, hash } = makeSecret("fda", team);
        const id = uuidv7();
        const clientId = `agent_${id.replaceAll("-", "")}`;
        const [agent] = await sql<[{ id: string; workspaceId: string; status: string }]>`
        select * from formd.agent_register(${team}, ${operator}, ${workspaceId}, ${id}, ${name}, ${clientId}, ${prefix}, ${hash})`;
        return success({ ...agent, clientId, secret, secretPrefix: prefix, name });
      },
      operation({
        ...identityOperation,
        id: "createAgent",
        summary: "Register an agent",
        description: "The secret is in this answer only.",
        body: {
          shape: AgentCreateRequest,
          examples: {
            named: { summary: "In the team's oldest workspace", value: { name: examples.agent.name } },
          },
        },
        response: {
          description: "The agent and its secret.",
          data: AgentRegistration,
          example: examples.agentRegistration,
        },
        codes: [...identityWriteCodes, "not_found"],
      }),
    )
    .get(
      path,
      async ({ request, query }) => {
        const visible = visibleAgents(deps, await requireCaller(deps, request));
        const page = parseQuery(query, FullPageQuery);
        const rows = await sql<(Row<typeof Agent> & { total: number })[]>`
        select a.*, t.total
        from (select count(*)::int as total from formd.agents where ${visible}) t
        left join (select ${columns} from formd.agents where ${visible} order by id desc limit ${page.limit} offset ${offsetOf(page)}) a on true
        order by a.id desc`;
        const { items, pagination } = toPage(rows, page);
        return success({ agents: items.map((row) => pick(Agent, row)), pagination });
      },
      operation({
        ...identityOperation,
        id: "listAgents",
        summary: "List agents",
        description: "Newest first, revoked ones included.",
        query: { shape: FullPageQuery },
        response: {
          description: "A page of agents.",
          members: { agents: [Agent], pagination: Pagination },
          example: { agents: [examples.agent], pagination: examples.fullPagination },
        },
        codes: identityReadCodes,
      }),
    )
    .get(
      `${path}/:agent_id`,
      async ({ request, params }) => {
        const visible = visibleAgents(deps, await requireCaller(deps, request));
        const [agent] = await sql<
          Row<typeof Agent>[]
        >`select ${columns} from formd.agents where ${visible} and id = ${uuidParam(params, "agent_id")}`;
        if (!agent) throw new Problem("not_found", "There is no such agent.");
        return success({ agent: pick(Agent, agent) });
      },
      operation({
        ...identityOperation,
        id: "getAgent",
        summary: "Read an agent",
        response: {
          description: "The agent.",
          members: { agent: Agent },
          example: { agent: examples.agent },
        },
        codes: [...identityReadCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:agent_id`,
      async ({ request, params }) => {
        const bytes = await readBytes(request, config.MAX_BODY_BYTES);
        const { team, operator } = await requireCaller(deps, request);
        const id = uuidParam(params, "agent_id");
        const { name, status } = parseBody(request, bytes, AgentPatchRequest);
        if (name === undefined && status === undefined)
          throw new Problem("bad_request", "Send name, status or both.");
        const [agent] = await sql<[Row<typeof Agent>]>`
        select ${columns} from formd.agent_update(${team}, ${operator}, ${id}, ${name ?? null}, ${status ?? null})`;
        return success({ agent: pick(Agent, agent) });
      },
      operation({
        ...identityOperation,
        id: "patchAgent",
        summary: "Rename, disable or enable an agent",
        description: "A disabled agent's calls fail with `agent_inactive` from the next one on.",
        body: {
          shape: AgentPatchRequest,
          examples: {
            disable: { summary: "Disable it", value: { status: "disabled" } },
            enable: { summary: "Enable and rename it", value: { status: "active", name: "Intake agent 2" } },
          },
        },
        response: {
          description: "The agent as it is now.",
          members: { agent: Agent },
          example: { agent: examples.agent },
        },
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    )
    .delete(
      `${path}/:agent_id`,
      async ({ request, params }) => {
        const { team, operator } = await requireCaller(deps, request);
        const agent = uuidParam(params, "agent_id");
        return success(oneRow(await sql`select * from formd.agent_revoke(${team}, ${operator}, ${agent})`));
      },
      operation({
        ...identityOperation,
        id: "deleteAgent",
        summary: "Revoke an agent",
        description: "For good; its grants and sessions stop at once. It stays readable.",
        response: {
          description: "It is revoked.",
          data: AgentRevocation,
          example: { id: examples.ids.agent, status: "revoked" },
        },
        codes: [...identityWriteCodes, "not_found"],
      }),
    )
    .post(
      `${path}/:agent_id/rotate-secret`,
      async ({ request, params }) => {
        const { team, operator } = await requireCaller(deps, request);
        const id = uuidParam(params, "agent_id");
        const { secret, prefix, hash } = makeSecret("fda", team);
        await sql`select from formd.agent_rotate_secret(${team}, ${operator}, ${id}, ${prefix}, ${hash})`;
        return success({ id, secret, secretPrefix: prefix });
      },
      operation({
        ...identityOperation,
        id: "rotateAgentSecret",
        summary: "Give an agent a new secret",
        description: "Sessions that were minted with the old one live on; disable the agent to cut them.",
        response: {
          description: "The new secret, in this answer only.",
          data: AgentSecret,
          example: examples.agentSecretResponse,
        },
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    );
};
