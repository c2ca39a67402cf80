/** Agents: `/papi/v1/identity/agents` (specification, "Identity"). */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { asCaller, identityOperation, identityReadCodes, identityWriteCodes } from "../auth/caller.ts";
import { makeSecret, type Secret } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import { parseBody } from "../http/body.ts";
import { resourceResponse, success, successResponse } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { pageOf } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { jsonOf } from "../http/resource.ts";
import { FullPageQuery, Pagination, parseQuery, uuidParam } from "../http/shapes.ts";
import { clientIdOf, createQuery, patchQuery, revokeQuery, rotateSecretQuery } from "./agents.ts";
import {
  Agent,
  AgentCreateRequest,
  AgentPatchRequest,
  AgentRegistration,
  AgentRevocation,
  AgentSecret,
} from "./shapes.ts";

const path = "/papi/v1/identity/agents";

export const agents = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(sql, Agent);
  return new Elysia({ name: path })
    .post(
      path,
      async ({ request }) => {
        const { run } = asCaller(deps, request);
        const id = uuidv7();
        let secret!: Secret;
        const agent = await run(({ team, actor, bytes }) => {
          const { name, workspaceId = null } = parseBody(request, bytes, AgentCreateRequest);
          secret = makeSecret("fda", team);
          return createQuery(sql, { team, actor }, { id, name, workspaceId }, secret);
        });
        return success({
          ...JSON.parse(agent ?? ""),
          clientId: clientIdOf(id),
          secret: secret.secret,
          secretPrefix: secret.prefix,
        });
      },
      operation({
        ...identityOperation,
        id: "createAgent",
        summary: "Register an agent",
        description: "The secret is in this response only.",
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
      ({ request, query }) =>
        pageOf(deps, request, asCaller(deps, request), ({ team, operator }) => ({
          name: "agents",
          page: parseQuery(query, FullPageQuery),
          item: json,
          rows: ({ limit, offset }) => sql`
            formd.agent_list(p_team => ${team}, p_operator => ${operator}, p_limit => ${limit}, p_offset => ${offset})`,
        })),
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
        const { run } = asCaller(deps, request);
        const agent = await run(
          ({ team, operator }) => sql`
            select ${json}
            from formd.agent_get(p_team => ${team}, p_operator => ${operator}, p_agent => ${uuidParam(params, "agent_id")})`,
        );
        return resourceResponse(request, "agent", agent);
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
        const { run } = asCaller(deps, request, { agentId: params.agent_id });
        const agent = await run((caller) => {
          const id = uuidParam(params, "agent_id");
          return patchQuery(deps, caller, id, parseBody(request, caller.bytes, AgentPatchRequest));
        });
        return resourceResponse(request, "agent", agent);
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
        codes: [...identityWriteCodes, "not_found", "conflict", "submit_not_grantable_by_api_key"],
      }),
    )
    .delete(
      `${path}/:agent_id`,
      async ({ request, params }) => {
        const { run } = asCaller(deps, request, { agentId: params.agent_id });
        const revoked = await run((caller) => revokeQuery(deps, caller, uuidParam(params, "agent_id")));
        return successResponse(request, revoked);
      },
      operation({
        ...identityOperation,
        id: "deleteAgent",
        summary: "Revoke an agent",
        description: "This cannot be undone. Its grants and sessions stop at once. It can still be read.",
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
        const { run } = asCaller(deps, request, { agentId: params.agent_id });
        let secret!: Secret;
        await run((caller) => {
          secret = makeSecret("fda", caller.team);
          return rotateSecretQuery(deps, caller, uuidParam(params, "agent_id"), secret);
        });
        return success({ id: params.agent_id, secret: secret.secret, secretPrefix: secret.prefix });
      },
      operation({
        ...identityOperation,
        id: "rotateAgentSecret",
        summary: "Give an agent a new secret",
        description:
          "Sessions that were minted with the previous one remain valid; disable the agent to end them.",
        response: {
          description: "The new secret, in this response only.",
          data: AgentSecret,
          example: examples.agentSecretResponse,
        },
        codes: [...identityWriteCodes, "not_found", "conflict", "submit_not_grantable_by_api_key"],
      }),
    );
};
