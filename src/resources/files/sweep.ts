/** The sweep: deletes the bytes, then the rows, of unclaimed uploads and of deleted submissions' files. */
import type { Sql } from "../../platform/database/db.ts";
import type { Files } from "../../platform/files/files.ts";
import { storageKey } from "../../platform/files/store.ts";
import type { Logger } from "../../platform/log.ts";
import { scanPending } from "./scan.ts";

const intervalMs = 60_000;
const batchFiles = 500;

/** Sweeps once. The row of a file that the store cannot delete stays for a later sweep. */
export async function sweepFiles(sql: Sql, { store }: Files, log: Logger): Promise<void> {
  for (let more = true; more; ) {
    const rows = await sql<{ teamId: string; formId: string; id: string }[]>`
      select * from formd.files_expire(p_limit => ${batchFiles})`;
    for (const { teamId, formId, id } of rows) {
      try {
        await store.remove(storageKey(teamId, id));
      } catch (error) {
        log.warn({ file: id, reason: (error as Error).message }, "a file could not be deleted");
        continue;
      }
      await sql`select formd.files_remove(p_team => ${teamId}, p_form => ${formId}, p_ids => ${[id]})`;
    }
    more = rows.length >= batchFiles;
  }
}

/** Sweeps and scans now and every minute, independently of each other. @returns a function that stops both */
export function startSweeping(sql: Sql, files: Files, log: Logger): () => void {
  const stopSweep = eachMinute(log, "files could not be swept", () => sweepFiles(sql, files, log));
  if (!files.scanner) return stopSweep;
  const stopScan = eachMinute(log, "files could not be scanned", () => scanPending({ sql, log }, files));
  return () => {
    stopSweep();
    stopScan();
  };
}

function eachMinute(log: Logger, failure: string, work: () => Promise<void>): () => void {
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    await work().catch((error) => log.warn({ reason: (error as Error).message }, failure));
    isRunning = false;
  };
  void run();
  const timer = setInterval(run, intervalMs * (0.9 + Math.random() / 5));
  return () => clearInterval(timer);
}
