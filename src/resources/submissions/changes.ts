/** What was submitted, changed or deleted in a form since a moment, for a copy that is kept elsewhere. */
import type { Sql } from "../../platform/database/db.ts";
import { instantJson } from "../../platform/http/resource.ts";
import { submissionJson } from "./shapes.ts";

/** Rows of a step: the form is walked by its key, since no index holds when a row was changed. */
const stepRows = 1_000;

/** A change has its time before it commits: the next run begins so much earlier, and has some rows again. */
const overlapMs = 60_000;

/** A part of the file: lines of JSON. */
export interface ChangesPart {
  lines: string;
  submissions: number;
  deleted: number;
}

/** From when on the run after one that begins now asks for changes: by the clock that dates these. */
export async function nextSince(sql: Sql): Promise<Date> {
  const [{ now }] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
  return new Date(now.getTime() - overlapMs);
}

/**
 * Submissions as `GET …/submissions` has them; then, with `since`, a line with `id` and `deletedAt` for each
 * that was deleted. A row may be in two files: the later one counts.
 *
 * @param since null: all that the form has
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
    yield { lines: lines.join(""), submissions: lines.length, deleted: 0 };
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
    yield { lines: rows.map(({ line }) => `${line}\n`).join(""), submissions: 0, deleted: rows.length };
    after = rows.at(-1)?.id ?? null;
    more = rows.length === stepRows;
  }
}
