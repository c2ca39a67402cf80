/**
 * The purge job: deletes expired rows and submissions due by their form's retention rule, and creates the
 * months that divided tables lack. It runs in every instance, at slightly different times.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "../database/db.ts";
import { isLockError } from "../database/migrations/locked.ts";
import { monthsAhead } from "../database/partitions.ts";
import type { Logger } from "../log.ts";

const intervalMs = 300_000;
/** Maximum of rows per table and call, a transaction. An event of a webhook has its deliveries. */
const batchRows = 5_000;
/** Calls per run. The next run deletes the remaining rows. */
const maxBatches = 500;
/** Submissions per step of a rule: a submit in the same slot waits for the end of a step. */
const expireRows = 100;
/** Submissions that a rule looks at in one read, without a lock. */
const lookedAtRows = 10_000;
/** Time for which a rule that has deleted nothing is not looked at: a submission stays that much longer. */
const sleepMs = 3_600_000;
/** SQLSTATE of a statement that ran into `statement_timeout`, or was cancelled. */
const cancelledSqlState = "57014";
/** Months created per run. The three tables need one each per month. */
const monthsPerRun = 3;

/** Starts the job. @returns a function that stops it after the current step */
export function startPurging(sql: Sql, log: Logger): () => void {
  const { run, stop } = purging(sql, log);
  const timer = setInterval(run, intervalMs * (0.9 + Math.random() / 5));
  return () => {
    clearInterval(timer);
    stop();
  };
}

/** The job. `run` does nothing while a previous run is in progress: a rule's first run may take hours. */
export function purging(sql: Sql, log: Logger): { run: () => Promise<void>; stop: () => void } {
  const stopping = new AbortController();
  const asleep: Asleep = new Map();
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await purge(sql, log, batchRows, stopping.signal);
      if (!stopping.signal.aborted) await makeMonths(sql, log);
      await expireSubmissions(sql, log, expireRows, stopping.signal, asleep);
    } finally {
      isRunning = false;
    }
  };
  return { run, stop: () => stopping.abort() };
}

/**
 * Deletes expired rows, in calls of at most `rows` per table. A call that exceeds `statement_timeout`, as on
 * a cold disk, is rolled back. The next ones take a tenth, or each run would meet the same rows.
 */
export async function purge(sql: Sql, log: Logger, rows = batchRows, stopping?: AbortSignal): Promise<void> {
  try {
    for (let batch = 0, more = true; more && batch < maxBatches && !stopping?.aborted; batch++) {
      const purged = await sql<{ work: number }[]>`select work from formd.expired_purge(p_limit => ${rows})`;
      more = purged.some(({ work }) => work >= rows);
    }
  } catch (error) {
    if ((error as { code?: string }).code === cancelledSqlState && rows > 1)
      return await purge(sql, log, Math.ceil(rows / 10), stopping);
    log.warn({ reason: (error as Error).message }, "expired rows could not be purged");
  }
}

/** Rules that have deleted nothing, and the times until which they sleep. A changed rule is another one. */
type Asleep = Map<string, number>;

/**
 * Deletes the due submissions, form by form, in steps of `rows`, with pauses as long as the steps. Those
 * that another server is deleting are skipped. An error of one form does not delay others.
 */
export async function expireSubmissions(
  sql: Sql,
  log: Logger,
  rows = expireRows,
  stopping?: AbortSignal,
  asleep: Asleep = new Map(),
) {
  let total = 0;
  if (stopping?.aborted) return total;
  for (const [rule, until] of asleep) if (until <= Date.now()) asleep.delete(rule);
  try {
    for (const form of await sql<RuledForm[]>`select team_id, form_id, rule from formd.retention_forms()`) {
      if (stopping?.aborted) break;
      const rule = `${form.formId} ${JSON.stringify(form.rule)}`;
      if (asleep.has(rule)) continue;
      const deleted = await expireForm(sql, log, form, rows, stopping);
      if (deleted === 0 && !stopping?.aborted) asleep.set(rule, Date.now() + sleepMs);
      total += deleted ?? 0;
    }
  } catch (error) {
    log.warn({ reason: (error as Error).message }, "rules of retention could not be read");
  }
  return total;
}

type RuledForm = { teamId: string; formId: string; rule: object };
type NextDue = { isDue: boolean | null; lastId: string | null };

/** @returns the number of deleted submissions; undefined after an error that came before the first */
async function expireForm(
  sql: Sql,
  log: Logger,
  { teamId, formId }: RuledForm,
  rows: number,
  stopping?: AbortSignal,
): Promise<number | undefined> {
  let [total, after]: [number | undefined, string | null] = [0, null];
  try {
    do {
      const [next]: NextDue[] = await sql<NextDue[]>`
        select is_due, last_id from formd.retention_next(p_team => ${teamId}, p_form => ${formId},
          p_after => ${after}::uuid, p_limit => ${lookedAtRows})`;
      after = next?.lastId ?? null;
      if (!next?.isDue) continue;
      const startedAt = performance.now();
      const [step]: { deleted: number; lastId: string | null }[] = await sql<
        { deleted: number; lastId: string | null }[]
      >`
        select deleted, last_id from formd.submissions_expire(p_team => ${teamId}, p_form => ${formId},
          p_after => ${after}::uuid, p_limit => ${rows})`;
      total += step?.deleted ?? 0;
      after = step?.lastId ?? null;
      if (after !== null && !stopping?.aborted) await delay(performance.now() - startedAt);
    } while (after !== null && !stopping?.aborted);
  } catch (error) {
    log.warn({ reason: (error as Error).message, formId }, "submissions could not be deleted by their rule");
    total ||= undefined;
  }
  if (total) log.info({ formId, submissions: total }, "submissions were deleted by their rule");
  return total;
}

/** Creates months. Does nothing if the tables are not divided, or another server holds the lock. */
async function makeMonths(sql: Sql, log: Logger): Promise<void> {
  try {
    await sql`select formd.partition_make(p_ahead => ${monthsAhead}, p_limit => ${monthsPerRun})`;
  } catch (error) {
    if (!isLockError(error as Error))
      log.warn({ reason: (error as Error).message }, "months could not be made");
  }
}
