/** Scanning: an upload at once, and by the sweep what could not be scanned then. */
import { LRUCache } from "lru-cache";
import type { Deps } from "../../platform/deps.ts";
import type { Files } from "../../platform/files/files.ts";
import { storageKey } from "../../platform/files/store.ts";

/** A file by its ids. */
interface FileIds {
  teamId: string;
  formId: string;
  id: string;
}

type Of = Pick<Deps, "sql" | "log">;

const batchFiles = 100;

/**
 * When a file that could not be scanned is tried again, by its id: a minute later, then twice as long each
 * time. One that clamd never finishes would hold the others up each minute. A process counts its own.
 */
const retries = new LRUCache<string, { at: number; waitMs: number }>({ max: 10_000 });
const minWaitMs = 60_000;
const maxWaitMs = 6 * 3_600_000;

/**
 * Scans a file that waits for it. The bytes of one that is infected are gone before its row says so: a server
 * that dies in between leaves a row that stays pending.
 *
 * @param maxSilenceMs how long the scanner may be silent; by default longer than a scan takes
 * @returns pending: it could not be scanned, and waits for the sweep
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

/** Scans what waits, while the scanner responds. */
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
