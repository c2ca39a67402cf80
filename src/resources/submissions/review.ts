/** Reviews: an owner decides on a submission that is pending. */
import type { Fragment } from "postgres";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { jsonb, type Sql } from "../../platform/database/db.ts";
import { type ReviewRequest, submissionJson } from "./shapes.ts";

/** A decision. Only the console has `undo`, which reverts the last one, even an approval. */
type Review = Omit<typeof ReviewRequest.infer, "decision"> & {
  decision: (typeof ReviewRequest.infer)["decision"] | "undo";
};

/**
 * Query that approves, rejects or reopens a submission. Its result is the changed submission as JSON. It
 * raises `not_found`; `insufficient_workspace_role`; `conflict`, with the current state, if the submission is
 * not pending or was changed since `expectedUpdatedAt`.
 * @param ids the actor is an expression
 */
export const reviewQuery = (
  sql: Sql,
  { team, actor, form, id }: { team: string; actor: Fragment; form: string; id: string },
  { decision, reason = null, expectedUpdatedAt }: Review,
) => sql`
  select ${submissionJson(sql)} from formd.submission_review(p_team => ${team}, p_actor => ${actor}, p_form => ${form},
    p_submission => ${id}, p_decision => ${decision}, p_reason => ${reason}, p_expected_updated_at => ${expectedUpdatedAt})`;

/**
 * Decides on several submissions of a form, in one call; `undo` reverts the last decision on each.
 * @param items as the reviewer has seen them, at most `limits.submission.maxReviews`
 * @returns the unchanged submissions, which were changed, decided or deleted in the meantime
 * @throws {Problem} `insufficient_workspace_role`, `bad_request`.
 */
export async function reviewSubmissions(
  sql: Sql,
  actor: Actor,
  { team, form }: { team: string; form: string },
  items: readonly { id: string; updatedAt: string }[],
  { decision, reason }: { decision: "approve" | "reject" | "undo"; reason: string | null },
): Promise<{ submissionId: string; code: "conflict" | "not_found" }[]> {
  return await sql<{ submissionId: string; code: "conflict" | "not_found" }[]>`
    select submission_id, code from formd.submissions_review(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${form}, p_items => ${jsonb(sql, items)},
      p_decision => ${decision}, p_reason => ${reason})
    where code is not null`;
}

export async function lastChangeOf(
  sql: Sql,
  { team, form }: { team: string; form: string },
  ids: readonly string[],
): Promise<Date> {
  const [row] = await sql<{ at: Date | null }[]>`
    select max(updated_at)::timestamptz as at from formd.submissions
    where team_id = ${team} and form_id = ${form} and id = any (${ids}::uuid[])`;
  return row?.at ?? new Date();
}
