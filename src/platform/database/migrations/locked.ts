/** Locks of a migration beside the traffic: it waits briefly, and tries again. */
import { setTimeout as delay } from "node:timers/promises";
import type { Report } from "../../log.ts";
import type { Sql } from "../db.ts";

/**
 * Time that a migration waits for a lock on a table: requests for the table wait behind it meanwhile. Its
 * transaction is then rolled back, and retried after a pause in which they proceed, until `lockWaitTimeoutMs`
 * have passed: a backup reads every table for hours.
 */
export const lockTimeoutMs = 50;
const lockPauseMs = 500;
const lockWaitTimeoutMs = 600_000;

/** Runs a statement that waits only {@link lockTimeoutMs} for its locks. */
export async function runBriefly(sql: Sql, statement: string): Promise<void> {
  await sql.unsafe(`set lock_timeout = ${lockTimeoutMs}`);
  await sql.unsafe(statement).finally(() => sql`set lock_timeout = 0`);
}

/** Checks whether a statement ended by lock_timeout or a deadlock. */
export const isLockError = (error: NodeJS.ErrnoException): boolean =>
  ["55P03", "40P01"].includes(error.code ?? "");

/**
 * Runs `work`, and runs it again after a lock timeout or a deadlock.
 * @param name of the waiting work, for the report
 * @param isLocked checks whether an error without a SQLSTATE is a lock timeout
 * @throws other errors of `work`, and every error after 10 minutes
 */
export async function retryWhileLocked<T>(
  name: string,
  work: () => Promise<T>,
  report: Report,
  isLocked: (error: Error) => Promise<boolean> = async () => false,
): Promise<T> {
  const giveUpAt = Date.now() + lockWaitTimeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isKnown = isLockError(error as Error);
      if (Date.now() > giveUpAt || !(isKnown || (await isLocked(error as Error)))) throw error;
    }
    report(`${name} waits for another transaction to end: next attempt in ${lockPauseMs / 1000} s`);
    await delay(lockPauseMs);
  }
}
