/** Submissions that are edited and deleted, by the SQL functions, of one form or several. */
import { expect } from "bun:test";
import type { Sql } from "../../src/platform/database/db.ts";
import { makeForm, type PublishedForm } from "../setup.ts";
import { type NewSubmission, sqlFixture, submit as submitOne } from "./fixture.ts";

export interface Row {
  id: string;
  formId: string;
  status: string;
  data: object;
  updatedAt: Date;
}

/** The totals of a form by status: what the counters say, which must be what is there. */
export async function totalsOf(sql: Sql, { id }: { id: string }): Promise<Record<string, number>> {
  const counted = await sql`
    select status, sum(total)::int as total from formd.submission_counts where form_id = ${id} group by status having sum(total) <> 0 order by status`;
  const stored = await sql`
    select status, count(*)::int as total from formd.submissions where form_id = ${id} group by status order by status`;
  expect([...counted]).toEqual([...stored]);
  return Object.fromEntries(stored.map(({ status, total }) => [status, total]));
}

export async function submissionsFixture(fields: object[] = [{ id: "a", type: "text", label: "A" }]) {
  const { app, sql, team } = await sqlFixture();
  const actor = `(api_key,${team.keyId},request)`;
  const freshForm = (settings?: object): Promise<PublishedForm> =>
    makeForm(app, team, fields, settings && { settings });
  const form = await freshForm();

  async function patch(row: Row, edits: object[], whole = true, each: Sql = sql): Promise<Row> {
    const [patched] = await each<[Row]>`
      select * from formd.submission_patch(${team.id}, ${actor}, ${row.formId}, ${row.id}, ${row.updatedAt}, ${each.json(edits as never)}, ${whole})`;
    return patched;
  }
  const remove = ({ id, formId }: Row, each: Sql = sql) =>
    each`select formd.submission_delete(${team.id}, ${actor}, ${formId}, ${id})`;

  /** Submits one, which must be stored. */
  async function stored(submission: Partial<NewSubmission> = {}, each: Sql = sql): Promise<Row> {
    const { outcome, response } = await submitOne(each, team, { form, ...submission });
    expect(outcome).toBe("stored");
    const [row] = await each<[Row]>`
      select * from formd.submissions
      where form_id = ${(submission.form ?? form).id} and id = ${response?.id ?? null}`;
    return row;
  }

  const editsOf = (id: string) =>
    sql`select field_id, old_value, new_value, actor_id, erased_at is not null as erased
      from formd.submission_edits where submission_id = ${id} order by id`;

  return { app, sql, team, actor, form, freshForm, patch, remove, stored, editsOf };
}
