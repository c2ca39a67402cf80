/**
 * Months: tables divided by the time in their ids. sql/910_partitions.sql changes the catalog; this file
 * has the order of the steps, each a transaction: an interrupted command continues.
 */
import type { Report, Steps } from "../log.ts";
import { oneRow, type Sql } from "./db.ts";
import { hasCitus } from "./migrations/distribution.ts";
import { retryWhileLocked } from "./migrations/locked.ts";

/** Months that exist ahead of this one. */
export const monthsAhead = 24;

/** The smallest table first, so that errors occur early. */
const divided = ["submission_edits", "audit_events", "submissions"] as const;
type DividedTable = (typeof divided)[number];

export interface Partition {
  table: DividedTable;
  name: string;
  /** `detached`: no longer part of its table, and not dropped yet. `detaching`: a detach was interrupted. */
  state: "attached" | "detaching" | "detached";
  /** Edits whose submissions are dropped. */
  isOrphaned: boolean;
  /** Its first month, as `2027-01`; null: it begins with the first row. */
  from: string | null;
  /** The month before which it ends; null: it is the first, and there is no other. */
  before: string | null;
  /** Estimate of the last ANALYZE. */
  estimatedRows: number;
  bytes: number;
}

/** The partitions of all divided tables, in order. Empty if no table is divided. */
export const listPartitions = (sql: Sql): Promise<Partition[]> => sql<Partition[]>`
  select parent as table, name, state, is_orphaned, to_char(formd.uuid_time(first_id) at time zone 'UTC', 'YYYY-MM') as from,
    to_char(formd.uuid_time(end_id) at time zone 'UTC', 'YYYY-MM') as before,
    estimated_rows::float8 as estimated_rows, bytes::float8 as bytes
  from formd.partition_list()`;

/**
 * Describes the remaining steps of `enablePartitions`, in sentences.
 * @throws Error with one line that names what others attached to the tables, and what to do about it
 */
export async function planPartitions(sql: Sql): Promise<string[]> {
  await requireNoObstacles(sql);
  const plain = await sql<{ name: string; rows: number; bounded: boolean }[]>`
    select c.relname as name, greatest(c.reltuples, 0)::float8 as rows, exists (
      select from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.conname = c.relname || '_bound_check') as bounded
    from pg_catalog.pg_class c
    where c.relnamespace = 'formd'::regnamespace and c.relkind = 'r' and c.relname in ${sql(divided)}
    order by c.relname`;
  const steps = plain.flatMap(({ name, rows, bounded }) => [
    ...(bounded ? [] : [`${name}: add a bound, not validated (access exclusive, an instant)`]),
    `${name}: validate the bound (reads about ${rows} rows, blocks no request)`,
    `${name}: put a divided table in its place, with it as the first partition (access exclusive, some milliseconds; no row moves)`,
  ]);
  const [months] = await sql<{ left: number | null }[]>`select formd.partition_months_left() as left`;
  return steps.length === 0 && (months?.left ?? 0) >= monthsAhead
    ? []
    : [...steps, `make the months up to ${monthsAhead} ahead (blocks no request)`];
}

async function requireNoObstacles(sql: Sql): Promise<void> {
  const found = await sql<{ obstacle: string }[]>`
    select distinct o as obstacle
    from pg_catalog.pg_class c, formd.partition_obstacles(c.oid) as o
    where c.relnamespace = 'formd'::regnamespace and c.relkind = 'r' and c.relname in ${sql(divided)}
    order by 1`;
  if (found.length > 0)
    throw new Error(
      `the tables cannot be divided yet, and nothing has changed. ${found.map(({ obstacle }) => obstacle).join("; ")}`,
    );
}

/**
 * Divides the tables that are not divided yet, while servers run. Idempotent.
 * @param sql one connection of the owner, which no other migration uses
 * @param steps counts the tables, and making the months as one more
 * @returns the tables that this call has divided, and the duration of each swap's lock, in milliseconds
 * @throws Error with one line: the tables are distributed; an id is beyond the bound; as `planPartitions`
 */
export async function enablePartitions(
  sql: Sql,
  report: Report,
  steps: Steps = { done: 0 },
): Promise<{ table: DividedTable; lockedMs: number }[]> {
  if (await hasCitus(sql)) throw new Error("the database has Citus: there the shards divide the tables");
  await requireNoObstacles(sql);
  await sql`set statement_timeout = 0`;
  const enabled: { table: DividedTable; lockedMs: number }[] = [];
  steps.total = divided.length + 1;
  for (const [index, table] of divided.entries()) {
    steps.done = index;
    const bound = () => sql<{ next: string }[]>`select formd.partition_bound(${table}) as next`;
    const { next } = oneRow(await retryWhileLocked(`the bound of ${table}`, bound, report));
    if (next === "nothing") continue;
    if (next === "validate") {
      report(`${table}: validating the bound`);
      const validate = () =>
        sql.unsafe(`alter table formd.${table} validate constraint ${table}_bound_check`);
      await retryWhileLocked(`validating ${table}`, validate, report);
    }
    const swap = async () => {
      const startedAt = performance.now();
      await sql`select formd.partition_swap(${table})`;
      return Math.round(performance.now() - startedAt);
    };
    const lockedMs = await retryWhileLocked(`dividing ${table}`, swap, report);
    report(`${table} is divided: its lock was held for ${lockedMs} ms`);
    enabled.push({ table, lockedMs });
  }
  steps.done = divided.length;
  const make = () => sql<{ made: number }[]>`select formd.partition_make(${monthsAhead}, 1) as made`;
  while (oneRow(await retryWhileLocked("making months", make, report)).made > 0);
  steps.done++;
  return enabled;
}

/**
 * Refuses what must find every submission. A caller that reads for long asks again at its end.
 * @throws {Problem} `conflict`: a month of submissions is detached
 */
export const requireAttached = (sql: Sql) => sql`select formd.partition_require_attached()`;

const endsBefore =
  (month: string) =>
  ({ before }: Partition) =>
    before !== null && before <= month;

/** The partitions of these tables without rows from `month` on, in order, attached or not. */
export const partitionsBefore = async (sql: Sql, month: string, ...tables: DividedTable[]) =>
  (await listPartitions(sql)).filter(endsBefore(month)).filter(({ table }) => tables.includes(table));

/** Detaches a partition while requests continue. Must not run in a transaction. */
export async function detachPartition(sql: Sql, { table, name, state }: Partition, report: Report) {
  if (state === "detached") return;
  // Waits for the transactions that have read the partition, without blocking others.
  await sql`set lock_timeout = 0`;
  await sql`set statement_timeout = 0`;
  const how = state === "detaching" ? "finalize" : "concurrently";
  const detach = () => sql.unsafe(`alter table formd.${table} detach partition formd.${name} ${how}`);
  await retryWhileLocked(`detaching ${name}`, detach, report);
}

/** Drops a detached partition. For submissions, their counts are removed in the same transaction. */
export const dropPartition = (sql: Sql, { name }: Partition, report: Report) =>
  retryWhileLocked(`dropping ${name}`, async () => sql`select formd.partition_drop(${name})`, report);

/** Makes a partition a part of its table again. Idempotent. Must not run in a transaction. */
export async function attachPartition(sql: Sql, partition: Partition, report: Report): Promise<void> {
  const { name, state } = partition;
  if (state === "attached") return;
  // Only a detach that has ended can be undone.
  await detachPartition(sql, partition, report);
  await retryWhileLocked(
    `attaching ${name}`,
    async () => sql`select formd.partition_attach(${name})`,
    report,
  );
}

/**
 * Drops the submissions of the months before `month`, with their edits: month by month, submissions first.
 * An interrupted call is continued by the next one, or undone by `attachPartition`.
 * @param steps counts the partitions
 * @returns the partitions that this call has dropped, in this order
 * @throws Error with one line that names what is held: then no month is dropped, or none that is left
 */
export async function dropMonths(
  sql: Sql,
  month: string,
  report: Report,
  steps: Steps = { done: 0 },
): Promise<Partition[]> {
  const isAsked = endsBefore(month);
  const other = (await listPartitions(sql)).find(
    (each) => each.table !== "audit_events" && each.state === "detaching" && !isAsked(each),
  );
  if (other)
    throw new Error(`${other.name} is being detached: formd partition attach ${other.name}, or drop it too`);
  await requireNoHolds(sql, await partitionsBefore(sql, month, "submissions"), report);
  steps.total = (await partitionsBefore(sql, month, "submission_edits", "submissions")).length;
  const dropped: Partition[] = [];
  for (;;) {
    // In order, edits come first: those of submissions that are there stay. A detach that was interrupted is
    // ended before the table can have another.
    const parts = (await partitionsBefore(sql, month, "submission_edits", "submissions")).filter(
      ({ table, isOrphaned }) => table === "submissions" || isOrphaned,
    );
    const next = parts.find(({ state }) => state !== "attached") ?? parts[0];
    if (!next) return dropped;
    await detachPartition(sql, next, report);
    try {
      await dropPartition(sql, next, report);
    } catch (error) {
      // A hold was placed since the months were looked at.
      await attachPartition(sql, { ...next, state: "detached" }, report);
      await requireNoHolds(sql, [{ ...next, state: "attached" }], report);
      throw error;
    }
    report(`${next.name} dropped`);
    dropped.push(next);
    steps.done++;
  }
}

const maxNamedHolds = 10;

/**
 * Looks for holds. If there are some, months that an interrupted drop has detached are attached again.
 * @throws Error with one line that names the holds
 */
async function requireNoHolds(sql: Sql, months: Partition[], report: Report): Promise<void> {
  if (months.length === 0) return;
  const held = await sql<{ name: string; formId: string; submissionId: string | null; total: number }[]>`
    select name, form_id, submission_id, total::float8 as total
    from formd.partition_holds(${months.map(({ name }) => name)}, ${maxNamedHolds})`;
  const [first] = held;
  if (!first) return;
  for (const month of months) await attachPartition(sql, month, report);
  const named = held.map(({ name, formId, submissionId }) =>
    submissionId
      ? `submission ${submissionId} of form ${formId} (${name})`
      : `form ${formId} (from ${name} on)`,
  );
  const more = first.total > held.length ? [`${first.total - held.length} more`] : [];
  throw new Error(
    `not dropped, since there are holds: ${[...named, ...more].join(", ")}. Release them, or name an earlier month.`,
  );
}

/** The rows of a partition as lines of JSON, in order, in chunks. */
export async function* partitionLines(sql: Sql, { name }: Partition): AsyncGenerator<string[]> {
  const rows = sql<{ line: string }[]>`
    select to_jsonb(e)::text as line from ${sql(`formd.${name}`)} e order by e.id`;
  for await (const part of rows.cursor(1_000)) yield part.map(({ line }) => line);
}

/** Counts the rows of a partition. */
export const countRows = async (sql: Sql, { name }: Partition): Promise<number> =>
  oneRow(await sql<{ total: number }[]>`select count(*)::float8 as total from ${sql(`formd.${name}`)}`).total;
