/** Submissions that are edited and deleted, by the SQL functions, of one form. */
import type { Sql } from "../../src/platform/database/db.ts";
import { makeForm } from "../setup.ts";
import { type NewSubmission, newIds, sqlFixture, submit as submitOne } from "./fixture.ts";

export interface Row {
  id: string;
  status: string;
  data: object;
  updatedAt: Date;
}

export async function submissionsFixture() {
  const { app, sql, team } = await sqlFixture();
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);

  async function patch({ id, updatedAt }: Row, edits: object[], whole = true, each: Sql = sql): Promise<Row> {
    const [row] = await each<[Row]>`
      select * from formd.submission_patch(${team.id}, ${`(api_key,${team.keyId},request)`}, ${form.id}, ${id}, ${updatedAt}, ${each.json(edits as never)}, ${whole},
        ${newIds(edits.length)})`;
    return row;
  }

  async function stored(submission: Partial<NewSubmission> = {}): Promise<Row> {
    const submissionId = (await submitOne(sql, team, { form, ...submission })).response?.id ?? null;
    const [row] = await sql<
      [Row]
    >`select * from formd.submissions where form_id = ${form.id} and id = ${submissionId}`;
    return row;
  }

  const editsOf = (id: string) =>
    sql`select field_id, old_value, new_value, actor_id, erased_at is not null as erased
      from formd.submission_edits where submission_id = ${id} order by id`;

  /** What the counters say and what is there, by status. */
  async function totals() {
    const counted = await sql`
      select status, sum(total)::int as total from formd.submission_counts where form_id = ${form.id} group by status having sum(total) <> 0 order by status`;
    const stored = await sql`
      select status, count(*)::int as total from formd.submissions where form_id = ${form.id} group by status order by status`;
    return { counted: [...counted], stored: [...stored] };
  }

  return { app, sql, team, form, patch, stored, editsOf, totals };
}
