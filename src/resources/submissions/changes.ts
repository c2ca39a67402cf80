/** Submissions of a form that were added, changed or deleted since an instant, for an external copy. */
import { setTimeout as delay } from "node:timers/promises";
import { oneRow, type Sql } from "../../platform/database/db.ts";
import { instantJson } from "../../platform/http/resource.ts";
import { submissionJson } from "./shapes.ts";

/** Rows per step. The steps follow the primary key, since no index has the time of a change. */
const stepRows = 1_000;

/** Looks until the transactions have ended that run when an export begins. The first three need no pause. */
const looks = { count: 20, pauseMs: 100 };

export interface ChangesPart {
  lines: string;
  submissions: number;
  deleted: number;
  /** Rows that were read for it, also those without a change. */
  read: number;
}

/**
 * Makes marks, and returns up to which instant all changes can be read (sql/010_feed.sql). It is now, unless
 * a transaction runs for longer than two seconds. A standby makes no marks, and has those of its primary.
 * @throws {Error} if there are no marks: on a standby of a primary without servers, or on a logical copy.
 */
export async function readableUntil(sql: Sql): Promise<Date> {
  const { isStandby, isCopy } = oneRow(
    await sql<{ isStandby: boolean; isCopy: boolean }[]>`
      select pg_is_in_recovery() as is_standby, formd.feed_is_copied() as is_copy`,
  );
  const look = () =>
    isStandby
      ? sql<Look[]>`select formd.feed_end() as up_to_at`
      : sql<Look[]>`select clock_at, up_to_at from formd.feed_mark(p_at_once => true)`;
  let [startedAt, until]: (Date | null | undefined)[] = [];
  for (let looked = 0; !isCopy && looked < looks.count; looked++) {
    if (looked > 2) await delay(looks.pauseMs);
    const { clockAt, upToAt } = oneRow(await look());
    startedAt ??= clockAt;
    until = upToAt;
    if (until && (!startedAt || until >= startedAt)) break;
  }
  if (until) return until;
  throw new Error(
    "It is not known up to when the rows of this database are complete: export from the primary, or from a standby while servers run.",
  );
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
type Look = { clockAt?: Date; upToAt: Date | null };

/**
 * Yields submissions as `GET …/submissions` has them; with `since` also a line with `id` and `deletedAt` per
 * deleted one. What changes meanwhile is in the next file. @param since null: all submissions of the form
 * @param until from {@link readableUntil}
 */
export async function* changesSince(
  sql: Sql,
  team: string,
  form: string,
  since: Date | null,
  until: Date,
): AsyncGenerator<ChangesPart, void> {
  for (let after: string | null = null, more = true; more; ) {
    const rows: { id: string; line: string | null }[] = await sql<{ id: string; line: string | null }[]>`
      select id, case when updated_at < ${until}
          and (${since}::timestamptz is null or updated_at >= ${since}::timestamptz)
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
        and created_at < ${until} and (${after}::uuid is null or submission_id > ${after}::uuid)
      order by submission_id limit ${stepRows}`;
    const lines = rows.map(({ line }) => `${line}\n`).join("");
    yield { lines, submissions: 0, deleted: rows.length, read: rows.length };
    after = rows.at(-1)?.id ?? null;
    more = rows.length === stepRows;
  }
}
