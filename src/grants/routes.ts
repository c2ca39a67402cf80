/** Grants: `/papi/v1/identity/agents/{agent_id}/grants` (specification, "Identity" and "Grant rules"). */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { asCaller, identityOperation, identityReadCodes, identityWriteCodes } from "../auth/caller.ts";
import type { Deps } from "../deps.ts";
import { parseBody } from "../http/body.ts";
import { resourceResponse, success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { pageOf } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { jsonOf } from "../http/resource.ts";
import { Deleted, FullPageQuery, Pagination, parseQuery, uuidParam } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { Grant, GrantRequest } from "./shapes.ts";

const path = "/papi/v1/identity/agents/:agent_id/grants";

export const grants = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(sql, Grant);
  return new Elysia({ name: path })
    .get(
      path,
      ({ request, params, query }) =>
        pageOf(deps, request, asCaller(deps, request), ({ team, operator }) => {
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
        response: {
          description: "A page of grants.",
          members: { grants: [Grant], pagination: Pagination },
          example: { grants: [examples.grant], pagination: examples.fullPagination },
        },
        codes: [...identityReadCodes, "not_found"],
      }),
    )
    .post(
      path,
      async ({ request, params }) => {
        const { run } = asCaller(deps, request, { agentId: params.agent_id });
        const grant = await run(({ team, actor, bytes }) => {
          const agent = uuidParam(params, "agent_id");
          const {
            formId,
            scopes,
            respondentId,
            bindingRequired = null,
          } = parseBody(request, bytes, GrantRequest);
          if (scopes.length === 0)
            throw new Problem("bad_request", "scopes must not be empty; to take all away, delete the grant.");
          return sql`
            select ${json} from formd.grant_upsert(
              p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_id => ${uuidv7()}, p_form => ${formId},
              p_scopes => ${[...new Set(scopes)]}, p_respondent_given => ${respondentId !== undefined},
              p_respondent => ${respondentId ?? null}, p_binding_required => ${bindingRequired})`;
        });
        return resourceResponse(request, "grant", grant);
      },
      operation({
        ...identityOperation,
        id: "putGrant",
        summary: "Grant an agent scopes on a form",
        description:
          "One grant per agent and form: granting again replaces the scopes. `agent:submit` and the binding of a respondent need an operator with the role of admin or editor in the form's workspace.",
        body: {
          shape: GrantRequest,
          examples: {
            validate: {
              summary: "Read and validate",
              value: { formId: examples.ids.form, scopes: examples.grant.scopes },
            },
          },
        },
        response: {
          description: "The grant.",
          members: { grant: Grant },
          example: { grant: examples.grant },
        },
        codes: [
          ...identityWriteCodes,
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
        const { run } = asCaller(deps, request, { agentId: params.agent_id });
        await run(({ team, actor }) => {
          const [id, agent] = [uuidParam(params, "grant_id"), uuidParam(params, "agent_id")];
          return sql`
            select formd.grant_remove(p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_grant => ${id})`;
        });
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
