/** Retention: the rule that deletes submissions of a form, and its next deletions. */
import type { Fragment } from "postgres";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { jsonb, rowOf, type Sql } from "../../platform/database/db.ts";
import { instantJson } from "../../platform/http/resource.ts";
import type { RetentionRule } from "../forms/settings.ts";
import { holdJson, holdList } from "../holds/holds.ts";

export type Rule = typeof RetentionRule.infer;

/** Query for the rule of a form as JSON. It raises `not_found`, `insufficient_workspace_role`. */
export const retentionQuery = (
  sql: Sql,
  { team, actor }: { team: string; actor: Fragment },
  form: string,
) => sql`
  select json_build_object('rule', r.rule, 'source', r.source, 'dueBy', ${sql.unsafe(instantJson("r.due_by"))},
    'due', r.due, 'held', r.held,
    'holds', (select coalesce(json_agg((${holdJson(sql)})::json), '[]') from ${holdList(sql, team, form)}))
  from formd.retention_read(p_team => ${team}, p_actor => ${actor}, p_form => ${form}, p_rule => null) as r`;

/** A rule with the number of submissions that it deletes within a day, and of held ones. */
export interface Due {
  rule: Rule | null;
  source: "form" | "team" | null;
  due: number;
  held: number;
}

/**
 * Reads the number of submissions that the rule in effect, or another one, deletes within a day.
 * @param rule rule of the form, without `deleteAfter` the rule of the team; null: the rule in effect
 * @throws {Problem} `not_found`, `insufficient_workspace_role`.
 */
export async function readDue(
  sql: Sql,
  actor: Actor,
  { team, form }: { team: string; form: string },
  rule: Partial<Rule> | null = null,
): Promise<Due> {
  return await rowOf(sql<Due[]>`
    select rule, source, due::integer, held::integer from formd.retention_read(p_team => ${team},
      p_actor => ${toSql(sql, actor)}, p_form => ${form}, p_rule => ${rule && jsonb(sql, rule)}::jsonb)`);
}

/** Sets a team's rule; null: none. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function setTeamRetention(sql: Sql, actor: Actor, team: string, rule: Rule | null) {
  await sql`
    select formd.team_set_retention(p_team => ${team}, p_actor => ${toSql(sql, actor)},
      p_rule => ${rule && jsonb(sql, rule)}::jsonb)`;
}
