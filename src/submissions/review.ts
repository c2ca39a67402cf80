/** Reviews: an owner decides on a submission that is pending. */
import { type Actor, toSql } from "../auth/actor.ts";
import type { Sql } from "../db.ts";
import { type ReviewRequest, type SubmissionRow, submissionColumns, toSubmission } from "./shapes.ts";

/**
 * Approves, rejects or reopens a submission.
 *
 * @returns the submission as it is then
 * @throws {Problem} `not_found`; `insufficient_workspace_role`; `conflict` with what is current, when it is not pending or was changed since
 *   `expectedUpdatedAt`.
 */
export async function reviewSubmission(
  sql: Sql,
  actor: Actor,
  { team, form, id }: { team: string; form: string; id: string },
  { decision, reason = null, expectedUpdatedAt }: typeof ReviewRequest.infer,
) {
  const [row] = await sql<[SubmissionRow]>`
    select ${sql(submissionColumns)} from formd.submission_review(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${form},
      p_submission => ${id}, p_decision => ${decision}, p_reason => ${reason}, p_expected_updated_at => ${expectedUpdatedAt})`;
  return toSubmission(row);
}
