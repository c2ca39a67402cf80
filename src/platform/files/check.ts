/** Checks that this server's storage has the files of the database, and that its scanner responds. */
import { advises, type CheckResult, failsBy } from "../check.ts";
import type { Sql } from "../database/db.ts";
import { isUuid } from "../http/shapes.ts";
import type { Files } from "./files.ts";
import { ensureMarker, readMarker } from "./marker.ts";
import { type FileStore, isAbsent, storageKey } from "./store.ts";

const sampleFiles = 100;
const maxListed = 100_000;
const maxReported = 1_000;
const maxNamed = 5;

/**
 * Checks a storage, and writes nothing there.
 * @param sql undefined: files are not looked for
 * @param isNamed true if FILES_URL names the storage. The first start makes another one
 */
export async function checkFiles(
  sql: Sql | undefined,
  files: Files | undefined,
  isNamed = true,
): Promise<CheckResult> {
  if (!files) return { ok: true, message: "This server stores no files." };
  const absent = await absentDirectory(files.store);
  if (absent && sql && !isNamed)
    return failsBy(
      (await sampleOf(sql, files.store)).looked > 0 &&
        `${absent} is not there, though the database has files. Bring them back, as from a backup.`,
      "The first start makes the storage of files.",
    );
  if (absent)
    return failsBy(
      `${absent} is not there. Correct FILES_URL, or start the server, which makes this directory.`,
    );
  const marker = await readMarker(files.store);
  const place =
    marker === undefined
      ? "The storage of files has no marker yet, which a server makes when it starts"
      : `The storage of files is the one with the marker ${marker}`;
  if (!sql) return { ok: true, message: `${place}.` };
  const { looked, missing } = await sampleOf(sql, files.store);
  if (missing > 0)
    return failsBy(
      `${place}, and ${missing} of ${looked} files are not there. Compare the marker with that of the other servers: they share one directory or bucket. After a restore, bring back its files.`,
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
  const same = marker === undefined ? "" : " On each server it must be the same.";
  const message = `${place}.${same}${advice}`;
  return advises(unknown.length > 0 && message, message);
}

/** Looks for files in the table's order: of separate directories of servers, the sample has files of each. */
async function sampleOf(sql: Sql, store: FileStore): Promise<{ looked: number; missing: number }> {
  const sample = await sql<{ teamId: string; id: string }[]>`
    select team_id, id from formd.files
    where state in ('uploaded', 'claimed') and scan <> 'infected' limit ${sampleFiles}`;
  let missing = 0;
  for (const { teamId, id } of sample) await store.read(storageKey(teamId, id)).catch(() => missing++);
  return { looked: sample.length, missing };
}

/**
 * Creates the marker of a storage that has none, at a start.
 * @throws {Error} if it has none of the database's files, as a directory that is not mounted; errors of it
 */
export async function markStorage(sql: Sql, store: FileStore): Promise<void> {
  if ((await readMarker(store)) !== undefined) return;
  const { looked, missing } = await sampleOf(sql, store);
  if (looked > 0 && missing === looked)
    throw new Error("It has no file of the database. Correct or mount FILES_URL, or bring its files back.");
  await ensureMarker(store);
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

/** The directory of a storage, if it does not exist. */
const absentDirectory = async (store: FileStore): Promise<string | undefined> =>
  await store.freeBytes().then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (isAbsent(error) ? error.path : undefined),
  );

/** Checks the scanner. @param sql undefined: what waits for it is not counted */
export async function checkScanner(sql: Sql | undefined, files: Files | undefined): Promise<CheckResult> {
  const [{ waiting }] = sql
    ? await sql<[{ waiting: number }]>`select ${filesWaiting(sql)} as waiting`
    : [{ waiting: 0 }];
  const wait = waiting > 0 ? ` Nobody can download ${waiting} files: they wait to be scanned.` : "";
  const fault = await files?.scanner?.requireAlerts().catch(({ message }: Error) => message);
  if (fault) return failsBy(`Files are not scanned: ${fault}${wait}`);
  const state = files?.scanner ? "clamd scans files." : "Files are not scanned: CLAMD_URL is not set.";
  return advises(wait && state + wait, state);
}

/** Counts the files that wait for the scanner, using files_scan_idx. */
export const filesWaiting = (sql: Sql) => sql`
  (select count(*)::integer from formd.files f where f.scan = 'pending' and f.state in ('uploaded', 'claimed'))`;
