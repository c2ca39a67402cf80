/** Reviews: an owner decides on a submission that is pending. */
import type { Fragment } from "postgres";
import type { Sql } from "../db.ts";
import { type ReviewRequest, submissionJson } from "./shapes.ts";

/**
 * The query that approves, rejects or reopens a submission. Its result is the submission as it is then, as JSON. It raises `not_found`;
 * `insufficient_workspace_role`; `conflict` with what is current, when the submission is not pending or was changed since `expectedUpdatedAt`.
 *
 * @param ids the actor is an expression
 */
export const reviewQuery = (
  sql: Sql,
  { team, actor, form, id }: { team: string; actor: Fragment; form: string; id: string },
  { decision, reason = null, expectedUpdatedAt }: typeof ReviewRequest.infer,
) => sql`
  select ${submissionJson(sql)} from formd.submission_review(p_team => ${team}, p_actor => ${actor}, p_form => ${form},
    p_submission => ${id}, p_decision => ${decision}, p_reason => ${reason}, p_expected_updated_at => ${expectedUpdatedAt})`;
