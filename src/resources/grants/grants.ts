/** Queries on grants for a caller, shared by the routes and the console. */
import { v7 as uuidv7 } from "uuid";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Deps } from "../../platform/deps.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { Problem } from "../../problem.ts";
import { Grant, type GrantRequest } from "./shapes.ts";

const grantJson = jsonOf(Grant);

/** Grants an agent scopes on a form; the result is JSON. @throws {Problem} `bad_request` (no scope). */
export function upsertQuery(
  { sql }: Deps,
  { team, actor }: SqlCaller,
  agent: string,
  request: typeof GrantRequest.infer,
) {
  const { formId, scopes, respondentId, bindingRequired = null, respondent } = request;
  const isAsserted = respondent === undefined ? null : respondent === "asserted";
  if (scopes.length === 0)
    throw new Problem("bad_request", "scopes must not be empty; to take all away, delete the grant.");
  return sql`
    select ${grantJson(sql)} from formd.grant_upsert(
      p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_id => ${uuidv7()}, p_form => ${formId},
      p_scopes => ${[...new Set(scopes)]}, p_respondent_given => ${respondentId !== undefined},
      p_respondent => ${respondentId ?? null}, p_binding_required => ${bindingRequired},
      p_asserted => ${isAsserted})`;
}

export const removeQuery = ({ sql }: Deps, { team, actor }: SqlCaller, agent: string, id: string) => sql`
  select formd.grant_remove(p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_grant => ${id})`;
