/** Submissions for their owners: `/papi/v1/management/forms/{form_id}/submissions` (specification, "Management"). @module */
import { Elysia } from "elysia";
import type { Deps } from "../app.ts";
import { apiKey } from "../auth/credentials.ts";
import { ok } from "../http/envelope.ts";
import { idOf, offsetOf, paged, queryOf } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { SubmissionListQuery } from "./shapes.ts";

/** A row of formd.submissions. */
export interface SubmissionRow {
  id: string;
  formId: string;
  formVersion: number;
  status: "pending" | "completed" | "partial";
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  submitterType: "agent" | "anonymous" | "api_key";
  submitterId: string;
  respondentId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const submissionOf = (row: SubmissionRow) => ({
  id: row.id,
  formId: row.formId,
  formVersion: row.formVersion,
  status: row.status,
  data: row.data,
  metadata: row.metadata,
  submitter: { type: row.submitterType, id: row.submitterId },
  respondentId: row.respondentId,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const path = "/papi/v1/management/forms/:form_id/submissions";

export const submissions = (deps: Deps) => {
  const { sql } = deps;
  return new Elysia({ name: path })
    .get(path, async ({ request, params, query }) => {
      const { team } = await apiKey(deps, request, "submissions:read");
      const form = idOf(params, "form_id");
      const page = queryOf(query, SubmissionListQuery);
      const within = sql`team_id = ${team} and form_id = ${form} ${page.status ? sql`and status = ${page.status}` : sql``}`;
      const rows = await sql<(SubmissionRow & { total: number })[]>`
        select s.*, t.total
        from (select coalesce(sum(total), 0)::float8 as total from formd.submission_counts where ${within}) t
        join formd.forms f on f.team_id = ${team} and f.id = ${form}
        left join (select * from formd.submissions where ${within} order by id desc limit ${page.limit} offset ${offsetOf(page)}) s on true
        order by s.id desc`;
      if (rows.length === 0) throw new Problem("not_found", "There is no such form.");
      const { items, pagination } = paged(rows, page);
      return ok({ submissions: items.map(submissionOf), pagination });
    })
    .get(`${path}/:submission_id`, async ({ request, params }) => {
      const { team } = await apiKey(deps, request, "submissions:read");
      const [submission] = await sql<SubmissionRow[]>`
        select * from formd.submissions
        where team_id = ${team} and form_id = ${idOf(params, "form_id")} and id = ${idOf(params, "submission_id")}`;
      if (!submission) throw new Problem("not_found", "There is no such submission.");
      return ok({ submission: submissionOf(submission) });
    });
};
