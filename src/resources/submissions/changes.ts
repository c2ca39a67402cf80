/** Submissions of a form that were added, changed or deleted since an instant, for an external copy. */
import type { Sql } from "../../platform/database/db.ts";
import { instantJson } from "../../platform/http/resource.ts";
import { submissionJson } from "./shapes.ts";

/** Rows per step. The steps follow the primary key, since no index has the time of a change. */
const stepRows = 1_000;

/** Overlap of two runs: a change gets its time before it commits. Some rows are therefore in both runs. */
const overlapMs = 60_000;

export interface ChangesPart {
  lines: string;
  submissions: number;
  deleted: number;
  /** Rows that were read for it, also those without a change. */
  read: number;
}

/** Start time for the next run, by the clock of the database, which dates the changes. */
export async function nextSince(sql: Sql): Promise<Date> {
  const [{ now }] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
  return new Date(now.getTime() - overlapMs);
}

/** Counts the rows that `changesSince` reads. */
export async function countChanges(
  sql: Sql,
  team: string,
  form: string,
  since: Date | null,
): Promise<number> {
  const [{ total }] = await sql<[{ total: number }]>`
    select ((select count(*) from formd.submissions where team_id = ${team} and form_id = ${form})
      + (select count(*) from formd.submission_erasures
        where team_id = ${team} and form_id = ${form} and created_at >= ${since}::timestamptz))::float8 as total`;
  return total;
}

/**
 * Yields submissions as `GET …/submissions` has them; with `since` also a line with `id` and `deletedAt` per
 * deleted one. Of two lines of one, the later counts. @param since null: all submissions of the form
 */
export async function* changesSince(
  sql: Sql,
  team: string,
  form: string,
  since: Date | null,
): AsyncGenerator<ChangesPart, void> {
  for (let after: string | null = null, more = true; more; ) {
    const rows: { id: string; line: string | null }[] = await sql<{ id: string; line: string | null }[]>`
      select id, case when ${since}::timestamptz is null or updated_at >= ${since}::timestamptz
        then (${submissionJson(sql)})::text end as line
      from formd.submissions
      where team_id = ${team} and form_id = ${form} and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${stepRows}`;
    const lines = rows.flatMap(({ line }) => (line === null ? [] : [`${line}\n`]));
    yield { lines: lines.join(""), submissions: lines.length, deleted: 0, read: rows.length };
    after = rows.at(-1)?.id ?? null;
    more = rows.length === stepRows;
  }
  for (let after: string | null = null, more = since !== null; more; ) {
    const rows: { id: string; line: string }[] = await sql<{ id: string; line: string }[]>`
      select submission_id as id,
        json_build_object('id', submission_id, 'deletedAt', ${sql.unsafe(instantJson("created_at"))})::text as line
      from formd.submission_erasures
      where team_id = ${team} and form_id = ${form} and created_at >= ${since}::timestamptz
        and (${after}::uuid is null or submission_id > ${after}::uuid)
      order by submission_id limit ${stepRows}`;
    const lines = rows.map(({ line }) => `${line}\n`).join("");
    yield { lines, submissions: 0, deleted: rows.length, read: rows.length };
    after = rows.at(-1)?.id ?? null;
    more = rows.length === stepRows;
  }
}
