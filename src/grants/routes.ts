/** Grants: `/papi/v1/identity/agents/{agent_id}/grants` (specification, "Identity" and "Grant rules"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { visibleAgents } from "../agents/routes.ts";
import {
  identityOperation,
  identityReadCodes,
  identityWriteCodes,
  requireCaller,
} from "../auth/credentials.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { operation } from "../http/operation.ts";
import { pick, type Row } from "../http/resource.ts";
import {
  Deleted,
  FullPageQuery,
  offsetOf,
  Pagination,
  parseQuery,
  toPage,
  uuidParam,
} from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { Grant, GrantRequest } from "./shapes.ts";

const path = "/papi/v1/identity/agents/:agent_id/grants";

export const grants = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: path })
    .get(
      path,
      async ({ request, params, query }) => {
        const who = await requireCaller(deps, request);
        const agent = uuidParam(params, "agent_id");
        const page = parseQuery(query, FullPageQuery);
        const within = sql`team_id = ${who.team} and agent_id = ${agent}`;
        const rows = await sql<(Row<typeof Grant> & { total: number })[]>`
        select g.*, t.total
        from (select count(*)::int as total from formd.grants where ${within}) t
        join (select from formd.agents where ${visibleAgents(deps, who)} and id = ${agent}) a on true
        left join (select * from formd.grants where ${within} order by id desc limit ${page.limit} offset ${offsetOf(page)}) g on true
        order by g.id desc`;
        if (rows.length === 0) throw new Problem("not_found", "There is no such agent.");
        const { items, pagination } = toPage(rows, page);
        return success({ grants: items.map((row) => pick(Grant, row)), pagination });
      },
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
        const bytes = await readBytes(request, config.MAX_BODY_BYTES);
        const { team, operator } = await requireCaller(deps, request);
        const agent = uuidParam(params, "agent_id");
        const {
          formId,
          scopes,
          respondentId,
          bindingRequired = null,
        } = parseBody(request, bytes, GrantRequest);
        if (scopes.length === 0)
          throw new Problem(
            "bad_request",
            "scopes: at least one is needed; to take all away, delete the grant.",
          );
        const [grant] = await sql<[Row<typeof Grant>]>`
        select * from formd.grant_put(${team}, ${operator}, ${agent}, ${uuidv7()}, ${formId}, ${[...new Set(scopes)]},
          ${respondentId !== undefined}, ${respondentId ?? null}, ${bindingRequired})`;
        return success({ grant: pick(Grant, grant) });
      },
      operation({
        ...identityOperation,
        id: "putGrant",
        summary: "Grant an agent scopes on a form",
        description:
          "One grant an agent and form: granting again replaces the scopes. `agent:submit` and the binding of a respondent take an operator with the role of admin or editor in the form's workspace.",
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
        const { team, operator } = await requireCaller(deps, request);
        const id = uuidParam(params, "grant_id");
        await sql`select from formd.grant_delete(${team}, ${operator}, ${uuidParam(params, "agent_id")}, ${id})`;
        return success({ id, deleted: true });
      },
      operation({
        ...identityOperation,
        id: "deleteGrant",
        summary: "Take a grant away",
        description: "From the agent's next call on.",
        response: {
          description: "It is gone.",
          data: Deleted,
          example: { id: examples.ids.grant, deleted: true },
        },
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    );
};
