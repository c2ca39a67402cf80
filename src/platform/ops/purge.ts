/**
 * The purge job: deletes expired rows and the submissions whose form has a rule of retention, and makes the
 * months that divided tables lack, in every instance and a little apart.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "../database/db.ts";
import { isLockError } from "../database/migrations/locked.ts";
import { monthsAhead } from "../database/partitions.ts";
import type { Logger } from "../log.ts";

const intervalMs = 300_000;
/**
 * Rows of each table that one call deletes at most: each call is a transaction of its own, so that no request
 * waits for it. An event of a webhook counts with its deliveries and their attempts.
 */
const batchRows = 5_000;
/** What is left after this many calls waits for the next run. */
const maxBatches = 500;
/** Submissions that one step of a rule looks at: a submit in the same slot waits for the end of a step. */
const expireRows = 100;
/** SQLSTATE of a statement that ran into `statement_timeout`, or was cancelled. */
const cancelledSqlState = "57014";
/** The three tables need one each per month. */
const monthsPerRun = 3;

/** Starts the job. @returns what stops it, after the step that it is in */
export function startPurging(sql: Sql, log: Logger): () => void {
  const { run, stop } = purging(sql, log);
  const timer = setInterval(run, intervalMs * (0.9 + Math.random() / 5));
  return () => {
    clearInterval(timer);
    stop();
  };
}

/** The job. `run` does nothing while an earlier run goes on: a first rule may take hours. */
export function purging(sql: Sql, log: Logger): { run: () => Promise<void>; stop: () => void } {
  const stopping = new AbortController();
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await purge(sql, log, batchRows, stopping.signal);
      if (!stopping.signal.aborted) await makeMonths(sql, log);
      await expireSubmissions(sql, log, expireRows, stopping.signal);
    } finally {
      isRunning = false;
    }
  };
  return { run, stop: () => stopping.abort() };
}

/**
 * Deletes what has expired, in calls of at most `rows` of each table. A call that runs into
 * `statement_timeout`, as on a cold disk, is rolled back: the next ones take a tenth, or each run would
 * encounter the same rows again.
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

/**
 * Deletes the submissions whose time is over, form by form, in steps of `rows`. After each step the job rests
 * as long as the step took, so that requests have half of the time to themselves. What other servers delete
 * meanwhile is skipped. A form that fails does not keep back the others.
 */
export async function expireSubmissions(
  sql: Sql,
  log: Logger,
  rows = expireRows,
  stopping?: AbortSignal,
): Promise<number> {
  let total = 0;
  if (stopping?.aborted) return total;
  try {
    for (const form of await sql<RuledForm[]>`select team_id, form_id from formd.retention_forms()`) {
      if (stopping?.aborted) break;
      total += await expireForm(sql, log, form, rows, stopping);
    }
  } catch (error) {
    log.warn({ reason: (error as Error).message }, "rules of retention could not be read");
  }
  return total;
}

interface RuledForm {
  teamId: string;
  formId: string;
}

async function expireForm(
  sql: Sql,
  log: Logger,
  { teamId, formId }: RuledForm,
  rows: number,
  stopping?: AbortSignal,
) {
  let [total, after]: [number, string | null] = [0, null];
  try {
    do {
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
  }
  if (total > 0) log.info({ formId, submissions: total }, "submissions were deleted by their rule");
  return total;
}

/** Does nothing while the tables are plain. Another server that makes months holds the lock. */
async function makeMonths(sql: Sql, log: Logger): Promise<void> {
  try {
    await sql`select formd.partition_make(p_ahead => ${monthsAhead}, p_limit => ${monthsPerRun})`;
  } catch (error) {
    if (!isLockError(error as Error))
      log.warn({ reason: (error as Error).message }, "months could not be made");
  }
}
