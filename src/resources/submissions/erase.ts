/** Deleting submissions, one at a time or several. */
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Sql } from "../../platform/database/db.ts";
import { toProblem } from "../../problem.ts";

export const deleteSubmissionQuery = (
  sql: Sql,
  { team, actor }: Pick<SqlCaller, "team" | "actor">,
  form: string,
  id: string,
) => sql`
  select formd.submission_delete(p_team => ${team}, p_actor => ${actor}, p_form => ${form}, p_submission => ${id})`;

/**
 * Deletes submissions, each in a transaction with its audit event, and the values of their edits. Held ones
 * stay. Missing ones count as neither. @throws {Problem} `insufficient_workspace_role`.
 */
export async function deleteEach(
  sql: Sql,
  actor: Actor,
  { teamId, formId }: { teamId: string; formId: string },
  ids: readonly string[],
): Promise<{ deleted: number; held: number }> {
  const counts = { deleted: 0, held: 0 };
  for (const id of ids) {
    try {
      await deleteSubmissionQuery(sql, { team: teamId, actor: toSql(sql, actor) }, formId, id);
      counts.deleted++;
    } catch (error) {
      const { code } = toProblem(error);
      if (code === "held") counts.held++;
      else if (code !== "not_found") throw error;
    }
  }
  return counts;
}
