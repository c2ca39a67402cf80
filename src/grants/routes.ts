/** Grants: `/papi/v1/identity/agents/{agent_id}/grants` (specification, "Identity" and "Grant rules"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { visibleAgents } from "../agents/routes.ts";
import { requireCaller } from "../auth/credentials.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import { FullPageQuery, offsetOf, parseQuery, toPage, uuidParam } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { GrantRequest } from "./shapes.ts";

/** A row of formd.grants. */
interface GrantRow {
  id: string;
  agentId: string;
  formId: string;
  scopes: string[];
  respondentId: string | null;
  bindingRequired: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const grantOf = (row: GrantRow) => ({
  id: row.id,
  agentId: row.agentId,
  formId: row.formId,
  scopes: row.scopes,
  respondentId: row.respondentId,
  bindingRequired: row.bindingRequired,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const path = "/papi/v1/identity/agents/:agent_id/grants";

export const grants = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: path })
    .get(path, async ({ request, params, query }) => {
      const who = await requireCaller(deps, request);
      const agent = uuidParam(params, "agent_id");
      const page = parseQuery(query, FullPageQuery);
      const within = sql`team_id = ${who.team} and agent_id = ${agent}`;
      const rows = await sql<(GrantRow & { total: number })[]>`
        select g.*, t.total
        from (select count(*)::int as total from formd.grants where ${within}) t
        join (select from formd.agents where ${visibleAgents(deps, who)} and id = ${agent}) a on true
        left join (select * from formd.grants where ${within} order by id desc limit ${page.limit} offset ${offsetOf(page)}) g on true
        order by g.id desc`;
      if (rows.length === 0) throw new Problem("not_found", "There is no such agent.");
      const { items, pagination } = toPage(rows, page);
      return success({ grants: items.map(grantOf), pagination });
    })
    .post(path, async ({ request, params }) => {
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
      const [grant] = await sql<[GrantRow]>`
        select * from formd.grant_put(${team}, ${operator}, ${agent}, ${uuidv7()}, ${formId}, ${[...new Set(scopes)]},
          ${respondentId !== undefined}, ${respondentId ?? null}, ${bindingRequired})`;
      return success({ grant: grantOf(grant) });
    })
    .delete(`${path}/:grant_id`, async ({ request, params }) => {
      const { team, operator } = await requireCaller(deps, request);
      const id = uuidParam(params, "grant_id");
      await sql`select from formd.grant_delete(${team}, ${operator}, ${uuidParam(params, "agent_id")}, ${id})`;
      return success({ id, deleted: true });
    });
};
