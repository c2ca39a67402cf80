/** Scans an upload at once; the sweep scans files whose scan failed. */
import { LRUCache } from "lru-cache";
import type { Deps } from "../../platform/deps.ts";
import type { Files } from "../../platform/files/files.ts";
import { storageKey } from "../../platform/files/store.ts";

interface FileIds {
  teamId: string;
  formId: string;
  id: string;
}

type Of = Pick<Deps, "sql" | "log">;

const batchFiles = 100;

/**
 * Time of the next try for a file whose scan failed, by its id: after a minute, then twice as long each time.
 * A file that clamd never finishes would otherwise delay the others each minute. Per process.
 */
const retries = new LRUCache<string, { at: number; waitMs: number }>({ max: 10_000 });
const minWaitMs = 60_000;
const maxWaitMs = 6 * 3_600_000;

/**
 * Scans a pending file. An infected one's bytes go before its row changes: a crash leaves it pending.
 * @param maxSilenceMs default: longer than a scan @returns pending: the scan failed, the sweep repeats it
 */
export async function scanFile(
  { sql, log }: Of,
  { store, scanner }: Files,
  { teamId, formId, id }: FileIds,
  maxSilenceMs?: number,
): Promise<"none" | "pending" | "clean" | "infected"> {
  if (!scanner) return "none";
  const key = storageKey(teamId, id);
  try {
    const malware = await scanner.scan(await store.read(key), maxSilenceMs);
    if (malware !== undefined) {
      log.warn({ file: id, form: formId, malware }, "a file is infected, and its bytes are deleted");
      await store.remove(key);
    }
    await sql`
      select formd.file_scanned(p_team => ${teamId}, p_form => ${formId}, p_id => ${id},
        p_malware => ${malware ?? null})`;
    return malware === undefined ? "clean" : "infected";
  } catch (error) {
    log.warn({ file: id, reason: (error as Error).message }, "a file could not be scanned");
    return "pending";
  }
}

/** Scans pending files, as long as the scanner responds. */
export async function scanPending(of: Of, files: Files): Promise<void> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const rows = await of.sql<FileIds[]>`
      select f.team_id, f.form_id, f.id from formd.files f
      where f.scan = 'pending' and f.state in ('uploaded', 'claimed') and f.id > ${after}
      order by f.id limit ${batchFiles}`;
    const last = rows.at(-1);
    if (!last) return;
    await files.scanner?.ping();
    for (const row of rows) {
      const retry = retries.get(row.id);
      if (retry && Date.now() < retry.at) continue;
      if ((await scanFile(of, files, row)) !== "pending") {
        retries.delete(row.id);
        continue;
      }
      const waitMs = Math.min(maxWaitMs, 2 * (retry?.waitMs ?? minWaitMs / 2));
      retries.set(row.id, { at: Date.now() + waitMs, waitMs });
    }
    after = last.id;
  }
}
