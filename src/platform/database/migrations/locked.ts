/** How a migration gets its locks beside the traffic: it waits briefly, and tries again. */
import { setTimeout as delay } from "node:timers/promises";
import type { Report } from "../../log.ts";

/**
 * How long a migration waits for a lock on a table: requests that need the table wait behind it meanwhile.
 * Its transaction is then rolled back, and tried again after a pause in which they proceed, until
 * `lockWaitTimeoutMs` have passed: a backup reads every table for hours.
 */
export const lockTimeoutMs = 50;
const lockPauseMs = 500;
const lockWaitTimeoutMs = 600_000;

/** Whether a statement waited longer than lock_timeout, or PostgreSQL has ended it for a deadlock. */
export const isLockError = (error: NodeJS.ErrnoException): boolean =>
  ["55P03", "40P01"].includes(error.code ?? "");

/**
 * Does some work, again while another transaction holds what it needs, or waits for it as it does for the
 * other (a deadlock).
 *
 * @param name of what waits, for the report
 * @param isLocked whether an error without a SQLSTATE means that
 * @throws what `work` throws otherwise, and after 10 minutes
 */
export async function retryWhileLocked(
  name: string,
  work: () => Promise<void>,
  report: Report,
  isLocked: (error: Error) => Promise<boolean> = async () => false,
): Promise<void> {
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
