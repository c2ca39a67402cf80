/** Checks that this server's storage has the files of the database, and that its scanner responds. */
import { randomUUID } from "node:crypto";
import { advises, type CheckResult, failsBy } from "../check.ts";
import type { Sql } from "../database/db.ts";
import { isUuid } from "../http/shapes.ts";
import type { Files } from "./files.ts";
import { type FileStore, isAbsent, storageKey } from "./store.ts";

/** A file that identifies a storage: all servers of a database must show the same. */
const markerKey = "formd-files";
const sampleFiles = 100;
const maxListed = 100_000;
const maxReported = 1_000;
const maxNamed = 5;

export async function checkFiles(sql: Sql, files: Files | undefined): Promise<CheckResult> {
  if (!files) return { ok: true, message: "This server stores no files." };
  const marker = await markerOf(files.store);
  // In the table's order: if servers have separate directories, the sample has files of each.
  const sample = await sql<{ teamId: string; id: string }[]>`
    select team_id, id from formd.files
    where state in ('uploaded', 'claimed') and scan <> 'infected' limit ${sampleFiles}`;
  let missing = 0;
  for (const { teamId, id } of sample) await files.store.read(storageKey(teamId, id)).catch(() => missing++);
  const place = `The storage of files is the one with the marker ${marker}`;
  if (missing > 0)
    return failsBy(
      `${place}, and ${missing} of ${sample.length} files are not there. Compare the marker with that of the other servers: they share one directory or bucket. After a restore, bring back its files.`,
    );
  let fault = "";
  const unknown = await keysWithoutRow(sql, files.store).catch(({ message }: Error) => {
    fault = message;
    return [];
  });
  const advice = fault
    ? ` Files without a row were not looked for: ${fault}`
    : unknown.length > 0
      ? ` In it ${unknown.length === 1 ? "one file has" : `${unknown.length} files have`} no row, as after a restore to an earlier time, and cannot be found or erased: ${unknown.slice(0, maxNamed).join(", ")}.`
      : "";
  const message = `${place}. On each server it must be the same.${advice}`;
  return advises(unknown.length > 0 && message, message);
}

/**
 * Returns the first keys without a row, which is created before the bytes, that still exist.
 * @throws the error of the storage
 */
async function keysWithoutRow(sql: Sql, store: FileStore): Promise<string[]> {
  const keys = new Map<string, string>();
  let listed = 0;
  for await (const key of store.keys()) {
    const [, id = ""] = key.split("/");
    if (isUuid(id)) keys.set(id, key);
    if (++listed >= maxListed) break;
  }
  const rows = await sql<{ id: string }[]>`
    select f.id from formd.files f where f.id = any (${[...keys.keys()]}::uuid[])`;
  for (const { id } of rows) keys.delete(id);
  const found: string[] = [];
  for (const key of keys.values()) {
    if (found.length >= maxReported) break;
    if (await isThere(store, key)) found.push(key);
  }
  return found;
}

async function isThere(store: FileStore, key: string): Promise<boolean> {
  try {
    await store.read(key);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function markerOf(store: FileStore): Promise<string> {
  const read = async () => {
    const parts: Uint8Array[] = [];
    for await (const chunk of await store.read(markerKey)) parts.push(chunk);
    return Buffer.concat(parts).toString();
  };
  return await read().catch(async (error: unknown) => {
    if (!isAbsent(error)) throw error;
    const sink = await store.create(markerKey);
    await sink.write(Buffer.from(randomUUID()));
    await sink.finish();
    return await read();
  });
}

export async function checkScanner(sql: Sql, files: Files | undefined): Promise<CheckResult> {
  const [{ waiting }] = await sql<[{ waiting: number }]>`select ${filesWaiting(sql)} as waiting`;
  const wait = waiting > 0 ? ` Nobody can download ${waiting} files: they wait to be scanned.` : "";
  const fault = await files?.scanner?.requireAlerts().catch(({ message }: Error) => message);
  if (fault) return failsBy(`Files are not scanned: ${fault}${wait}`);
  const state = files?.scanner ? "clamd scans files." : "Files are not scanned: CLAMD_URL is not set.";
  return advises(wait && state + wait, state);
}

/** Counts the files that wait for the scanner, using files_scan_idx. */
export const filesWaiting = (sql: Sql) => sql`
  (select count(*)::integer from formd.files f where f.scan = 'pending' and f.state in ('uploaded', 'claimed'))`;
