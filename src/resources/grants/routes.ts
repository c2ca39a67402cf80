/** Grants: `/papi/v1/identity/agents/{agent_id}/grants` (specification, "Identity" and "Grant rules"). */
import { Elysia } from "elysia";
import {
  identityOperation,
  identityReadCodes,
  identityWriteCodes,
  withApiKeyOrOperator,
} from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { resourceResponse, success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { memberResponse, pageResponse } from "../../platform/http/responses.ts";
import { Deleted, FullPageQuery, parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { proofs } from "../operators/proofs.ts";
import { removeQuery, upsertQuery } from "./grants.ts";
import { Grant, GrantRequest } from "./shapes.ts";

const path = "/papi/v1/identity/agents/:agent_id/grants";

export const grantRoutes = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(Grant)(sql);
  return new Elysia({ name: path })
    .get(
      path,
      ({ request, params, query }) =>
        pageOf(deps, request, withApiKeyOrOperator(deps, request), ({ team, operator }) => {
          const agent = uuidParam(params, "agent_id");
          return {
            name: "grants",
            page: parseQuery(query, FullPageQuery),
            item: json,
            rows: ({ limit, offset }) => sql`
              formd.grant_list(p_team => ${team}, p_operator => ${operator}, p_agent => ${agent},
                p_limit => ${limit}, p_offset => ${offset})`,
          };
        }),
      operation({
        ...identityOperation,
        id: "listGrants",
        summary: "List an agent's grants",
        query: { shape: FullPageQuery },
        response: pageResponse("A page of grants.", "grants", Grant, examples.grant),
        codes: [...identityReadCodes, "not_found"],
      }),
    )
    .post(
      path,
      async ({ request, params }) => {
        // Before the body is read: each grant by a cookie needs what one to submit does.
        const proof = proofs["grant.submitting"];
        const { run } = withApiKeyOrOperator(deps, request, { agentId: params.agent_id, proof });
        const grant = await run((caller) => {
          const agent = uuidParam(params, "agent_id");
          return upsertQuery(deps, caller, agent, parseBody(request, caller.bytes, GrantRequest));
        });
        return resourceResponse(request, "grant", grant);
      },
      operation({
        ...identityOperation,
        id: "putGrant",
        summary: "Grant an agent scopes on a form",
        description:
          "One grant per agent and form: granting again replaces the scopes. `agent:submit`, the binding of a respondent and `respondent` need an operator with the role of admin or editor in the form's workspace.",
        body: {
          shape: GrantRequest,
          examples: {
            validate: {
              summary: "Read and validate",
              value: { formId: examples.ids.form, scopes: examples.grant.scopes },
            },
          },
        },
        response: memberResponse("The grant.", "grant", Grant, examples.grant),
        codes: [
          ...identityWriteCodes,
          "password_required",
          "passkey_required",
          "not_found",
          "conflict",
          "workspace_mismatch",
          "submit_not_grantable_by_api_key",
          "respondent_binding_requires_session",
        ],
      }),
    )
    .delete(
      `${path}/:grant_id`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, { agentId: params.agent_id });
        await run((caller) =>
          removeQuery(deps, caller, uuidParam(params, "agent_id"), uuidParam(params, "grant_id")),
        );
        return success({ id: params.grant_id, deleted: true });
      },
      operation({
        ...identityOperation,
        id: "deleteGrant",
        summary: "Delete a grant",
        description: "Counts from the agent's next call on.",
        response: {
          description: "It is deleted.",
          data: Deleted,
          example: { id: examples.ids.grant, deleted: true },
        },
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    );
};
