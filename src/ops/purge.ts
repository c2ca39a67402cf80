/** The purge job: deletes expired rows, in every instance and a little apart. */
import type { Sql } from "../db.ts";
import type { Logger } from "./log.ts";

const intervalMs = 300_000;
/** Rows of each table that one call deletes at most: each call is a transaction of its own, so that no request waits for it. */
const batchRows = 5_000;
/** What is left after this many calls waits for the next run. */
const maxBatches = 100;

/** Starts the job. @returns what stops it */
export function startPurging(sql: Sql, log: Logger): () => void {
  const timer = setInterval(() => purge(sql, log), intervalMs * (0.9 + Math.random() / 5));
  return () => clearInterval(timer);
}

async function purge(sql: Sql, log: Logger): Promise<void> {
  try {
    for (let batch = 0, more = true; more && batch < maxBatches; batch++) {
      const purged = await sql<
        { deleted: number }[]
      >`select deleted from formd.expired_purge(p_limit => ${batchRows})`;
      more = purged.some(({ deleted }) => deleted === batchRows);
    }
  } catch (error) {
    log.warn({ reason: (error as Error).message }, "expired rows could not be purged");
  }
}
