/**
 * Deleting a submission, and erasing one person's values: every submission of a respondent is deleted as an
 * owner deletes it.
 */
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Sql } from "../../platform/database/db.ts";

export interface RespondentForm {
  teamId: string;
  formId: string;
  /** How many submissions of the respondent it has. */
  submissions: number;
}

/** Deletes a submission. */
export const deleteQuery = (
  sql: Sql,
  { team, actor }: Pick<SqlCaller, "team" | "actor">,
  form: string,
  id: string,
) => sql`
  select formd.submission_delete(p_team => ${team}, p_actor => ${actor}, p_form => ${form}, p_submission => ${id})`;

/** The forms with submissions of a respondent, in every team. */
export const formsOfRespondent = (sql: Sql, respondent: string) => sql<RespondentForm[]>`
  select f.team_id, f.id as form_id, count(*)::int as submissions
  from formd.forms f join formd.submissions s on s.team_id = f.team_id and s.form_id = f.id
  where s.respondent_id = ${respondent}
  group by f.team_id, f.id order by f.team_id, f.id`;

/**
 * Deletes the submissions that a respondent has on a form now, each in a transaction with its audit event.
 * Values of earlier edits go with them; who did what and when stays. Run again, it continues where it was
 * interrupted.
 *
 * @returns how many it has deleted
 * @throws {Problem} `insufficient_workspace_role`
 */
export async function eraseRespondent(
  sql: Sql,
  actor: Actor,
  respondent: string,
  { teamId, formId }: Pick<RespondentForm, "teamId" | "formId">,
): Promise<number> {
  const rows = await sql<{ id: string }[]>`
    select id from formd.submissions
    where team_id = ${teamId} and form_id = ${formId} and respondent_id = ${respondent} order by id`;
  for (const { id } of rows) await deleteQuery(sql, { team: teamId, actor: toSql(sql, actor) }, formId, id);
  return rows.length;
}
