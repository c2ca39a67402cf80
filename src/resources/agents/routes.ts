/** Agents: `/papi/v1/identity/agents` (specification, "Identity"). */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import {
  identityOperation,
  identityReadCodes,
  identityRiskyCodes,
  identityWriteCodes,
  withApiKeyOrOperator,
} from "../../platform/auth/caller.ts";
import { makeSecret, type Secret } from "../../platform/auth/secret.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { resourceResponse, success, successResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { memberResponse, pageResponse } from "../../platform/http/responses.ts";
import { FullPageQuery, parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { proofs } from "../operators/proofs.ts";
import {
  agentList,
  clientIdOf,
  createAgentQuery,
  endSessionsQuery,
  patchAgentQuery,
  revokeAgentQuery,
  rotateAgentSecretQuery,
} from "./agents.ts";
import {
  Agent,
  AgentCreateRequest,
  AgentPatchRequest,
  AgentRegistration,
  AgentRevocation,
  AgentRotateRequest,
  AgentSecret,
  AgentSessionsEnd,
} from "./shapes.ts";

const path = "/papi/v1/identity/agents";

export const agentRoutes = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(Agent)(sql);
  return new Elysia({ name: path })
    .post(
      path,
      async ({ request }) => {
        const { run } = withApiKeyOrOperator(deps, request, { proof: proofs["agent.created"] });
        const id = uuidv7();
        let made!: Secret;
        const agent = await run(({ team, actor, bytes }) => {
          const { name, workspaceId = null } = parseBody(request, bytes, AgentCreateRequest);
          made = makeSecret("fda", team);
          return createAgentQuery(sql, { team, actor }, { id, name, workspaceId }, made);
        });
        const { secret, prefix: secretPrefix } = made;
        return success({ ...JSON.parse(agent ?? ""), clientId: clientIdOf(id), secret, secretPrefix });
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
        codes: [...identityRiskyCodes, "not_found"],
      }),
    )
    .get(
      path,
      ({ request, query }) =>
        pageOf(deps, request, withApiKeyOrOperator(deps, request), (caller) =>
          agentList(sql, caller, parseQuery(query, FullPageQuery)),
        ),
      operation({
        ...identityOperation,
        id: "listAgents",
        summary: "List agents",
        description: "Newest first, revoked ones included.",
        query: { shape: FullPageQuery },
        response: pageResponse("A page of agents.", "agents", Agent, examples.agent),
        codes: identityReadCodes,
      }),
    )
    .get(
      `${path}/:agent_id`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request);
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
        response: memberResponse("The agent.", "agent", Agent, examples.agent),
        codes: [...identityReadCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:agent_id`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, { agentId: params.agent_id });
        const agent = await run((caller) => {
          const id = uuidParam(params, "agent_id");
          return patchAgentQuery(deps, caller, id, parseBody(request, caller.bytes, AgentPatchRequest));
        });
        return resourceResponse(request, "agent", agent);
      },
      operation({
        ...identityOperation,
        id: "patchAgent",
        summary: "Rename, disable or enable an agent",
        description:
          "A disabled agent's calls fail with `agent_inactive` from the next one on. Once it is enabled again, tokens from before are 401.",
        body: {
          shape: AgentPatchRequest,
          examples: {
            disable: { summary: "Disable it", value: { status: "disabled" } },
            enable: { summary: "Enable and rename it", value: { status: "active", name: "Intake agent 2" } },
          },
        },
        response: memberResponse("The agent as it is now.", "agent", Agent, examples.agent),
        codes: [...identityWriteCodes, "not_found", "conflict", "submit_not_grantable_by_api_key"],
      }),
    )
    .delete(
      `${path}/:agent_id`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, { agentId: params.agent_id });
        const revoked = await run((caller) => revokeAgentQuery(deps, caller, uuidParam(params, "agent_id")));
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
        const { run } = withApiKeyOrOperator(deps, request, {
          agentId: params.agent_id,
          proof: proofs["agent.secret_rotated"],
        });
        let secret!: Secret;
        await run((caller) => {
          const { bytes, team } = caller;
          const asked = bytes.length === 0 ? {} : parseBody(request, bytes, AgentRotateRequest);
          secret = makeSecret("fda", team);
          return rotateAgentSecretQuery(deps, caller, uuidParam(params, "agent_id"), secret, asked);
        });
        return success({ id: params.agent_id, secret: secret.secret, secretPrefix: secret.prefix });
      },
      operation({
        ...identityOperation,
        id: "rotateAgentSecret",
        summary: "Give an agent a new secret",
        description:
          "Sessions that were minted with the previous one remain valid, unless `endSessions` is true.",
        body: {
          shape: AgentRotateRequest,
          optional: true,
          examples: { leaked: { summary: "The previous one leaked", value: { endSessions: true } } },
        },
        response: {
          description: "The new secret, in this response only.",
          data: AgentSecret,
          example: examples.agentSecretResponse,
        },
        codes: [...identityRiskyCodes, "not_found", "conflict", "submit_not_grantable_by_api_key"],
      }),
    )
    .delete(
      `${path}/:agent_id/sessions`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, { agentId: params.agent_id });
        const ended = await run((caller) => endSessionsQuery(deps, caller, uuidParam(params, "agent_id")));
        return successResponse(request, ended);
      },
      operation({
        ...identityOperation,
        id: "deleteAgentSessions",
        summary: "End an agent's sessions",
        description: "Its tokens are 401 from now on. With its secret or a key it opens new ones.",
        response: {
          description: "They are ended.",
          data: AgentSessionsEnd,
          example: { id: examples.ids.agent, ended: 1 },
        },
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    );
};
