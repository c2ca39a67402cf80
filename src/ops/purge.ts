/** The purge job: deletes expired rows, in every instance and a little apart. */
import type { Sql } from "../db.ts";
import type { Logger } from "./log.ts";

const intervalMs = 300_000;
/** Rows that one call deletes at most: each is a transaction of its own, so that no request waits for it. */
const batchRows = 10_000;
/** What is left after so many calls waits for the next run. */
const maxBatches = 100;

/** Starts the job. @returns what stops it */
export function startPurging(sql: Sql, log: Logger): () => void {
  const timer = setInterval(() => purge(sql, log), intervalMs * (0.9 + Math.random() / 5));
  return () => clearInterval(timer);
}

async function purge(sql: Sql, log: Logger): Promise<void> {
  try {
    for (const name of ["rate_limits_purge", "idempotency_keys_purge"]) {
      let batches = 0;
      let deleted = batchRows;
      while (deleted === batchRows && batches++ < maxBatches)
        [{ deleted }] = await sql<[{ deleted: number }]>`select formd.${sql(name)}() as deleted`;
    }
  } catch (error) {
    log.warn({ reason: (error as Error).message }, "expired rows could not be purged");
  }
}
