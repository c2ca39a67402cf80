/** `formd restore`: fills an embedded database without data. backup.ts explains why not pg_restore. */
import { createHash } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { type } from "arktype";
import type { Config } from "../platform/config.ts";
import { connectOnce, type Sql } from "../platform/database/db.ts";
import { applyMigrations } from "../platform/database/migrations/dbmate.ts";
import { migrate } from "../platform/database/migrations/index.ts";
import { migrationFiles } from "../platform/database/migrations/needed.ts";
import { openFiles } from "../platform/files/files.ts";
import type { FileStore } from "../platform/files/store.ts";
import { bytesPrefix, checksumPrefix, filePrefix, firstLine, Header, requireEmbedded } from "./backup.ts";
import { openEmbedded, report } from "./database.ts";
import { type CliCommand, jsonOption, printResult, type Settings } from "./options.ts";
import { showProgress } from "./progress.ts";

/** Database that is filled beside the real one, and renamed when it is complete. */
const scratchDatabase = "formd_restoring";
/** COPY's end mark. No row can equal it. */
const endOfRows = Buffer.from("\\.\n");
/** Only keys of this form are accepted, so that a backup cannot write elsewhere. */
const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Bytes that are sent to COPY at a time. */
const copyBytes = 65_536;

export function restoreCommand(root: CliCommand, settings: Settings): void {
  root
    .command("restore")
    .description("fill an embedded database that holds no data from a backup; no server may be running")
    .argument("<file>", "written by formd backup")
    .addOption(jsonOption)
    .showsProgress()
    .action(async (file: string, { json }: { json?: boolean }) => {
      const config = requireEmbedded(settings());
      const { rows, files, skipped } = await restore(config, file);
      printResult(json, { file, rows, files, skipped }, `${file}: ${rows} rows and ${files} files restored`);
      if (skipped > 0 && !json) report(`FILES_URL is none: ${skipped} files are not restored`);
      if (!json && !config.FORMD_SECRET_KEY)
        report(
          `the master key is not in a backup: put the previous secret.key into ${config.FORMD_DATA_DIR} before the first start`,
        );
    });
}

async function restore(config: Config, file: string): Promise<Counts> {
  const migrations = await verify(file); // first, so that an invalid file creates no cluster
  await using cluster = await openEmbedded(config, true);
  const scratchUrl = cluster.ownerUrl.replace("/formd?", `/${scratchDatabase}?`);
  return await cluster.exclusively(async (admin) => {
    if (await holdsData(cluster.ownerUrl))
      throw new Error(`there is data in ${config.FORMD_DATA_DIR}: move it away, or set FORMD_DATA_DIR`);
    const dropScratch = () => admin.unsafe(`drop database if exists ${scratchDatabase}`);
    await dropScratch();
    await using onError = new AsyncDisposableStack();
    onError.defer(async () => void (await dropScratch()));
    await admin.unsafe(`create database ${scratchDatabase} owner formd_owner`);
    const files = await openFiles(config, cluster.directory);
    const counts = await fill(scratchUrl, file, migrations, files?.store);
    await admin`drop database formd`;
    await admin.unsafe(`alter database ${scratchDatabase} rename to formd`);
    onError.move();
    return counts;
  });
}

/** Checks for data. Every row references a team, except operators. */
async function holdsData(ownerUrl: string): Promise<boolean> {
  await using sql = connectOnce(ownerUrl);
  const [schema] = await sql`select to_regclass('formd.operators') is not null as migrated`;
  if (!schema?.migrated) return false;
  const [data] = await sql`
    select exists (select from formd.teams) or exists (select from formd.operators) as found`;
  return data?.found;
}

/** Creates the tables of the backup's migrations, copies rows and files, applies later migrations. */
async function fill(ownerUrl: string, file: string, migrations: string[], store: FileStore | undefined) {
  await applyMigrations(ownerUrl, migrations);
  await using sql = connectOnce(ownerUrl);
  const counts = await read("restoring", file, (lines) => copyAll(sql, store, lines));
  await migrate(ownerUrl, report);
  await sql`analyze`;
  return counts;
}

/** More than the longest row that formd stores, in the text format of COPY. */
const maxLineBytes = 128 * 1024 ** 2;

/** Reads a backup by `work`, and shows how much of the file is read. */
async function read<T>(task: string, file: string, work: (lines: AsyncGenerator<Buffer>) => Promise<T>) {
  const { size: total } = await stat(file);
  const compressed = createReadStream(file);
  using _shown = showProgress(task, "bytes", () => ({ done: compressed.bytesRead, total }));
  return await work(linesOf(compressed));
}

/** The decompressed lines, with their line feeds. @throws {Error} for a line that is too long. */
async function* linesOf(compressed: ReadStream): AsyncGenerator<Buffer> {
  // The chunks of an unfinished line, joined once at its end: chunk by chunk is quadratic.
  let rest: Buffer[] = [];
  let restBytes = 0;
  const decompressed = createGunzip();
  compressed.on("error", (error) => decompressed.destroy(error)).pipe(decompressed);
  for await (const chunk of decompressed) {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      const line = chunk.subarray(from, end + 1);
      yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
      rest = [];
      restBytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    rest.push(chunk.subarray(from));
    restBytes += chunk.length - from;
    if (restBytes > maxLineBytes) throw new Error(`${compressed.path} has a line of more than 128 MiB`);
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** Verifies the whole file. @returns the files of its migrations @throws {Error} with one line */
async function verify(file: string): Promise<string[]> {
  const hash = createHash("sha256");
  const head: string[] = [];
  let last = "";
  try {
    await read("verifying", file, async (lines) => {
      for await (const line of lines) {
        if (head.length < 2) head.push(String(line));
        if (last) hash.update(last);
        last = "";
        if (line.subarray(0, checksumPrefix.length).equals(Buffer.from(checksumPrefix))) last = String(line);
        else hash.update(line);
      }
    });
  } catch (cause) {
    const { code = "", syscall } = cause as NodeJS.ErrnoException;
    if (syscall) throw new Error(`${file} cannot be read: ${code}`, { cause });
    if (!code.startsWith("Z_")) throw cause;
    throw new Error(`${file} is not a complete backup of formd`, { cause }); // zlib: no gzip, or cut short
  }
  const header = Header((head[1] ?? "").slice("-- ".length));
  const isComplete = head[0] === `${firstLine}\n` && last === `${checksumPrefix}${hash.digest("hex")}\n`;
  if (!isComplete || header instanceof type.errors)
    throw new Error(`${file} is not a complete backup of formd`);
  return await migrationFiles(header.migrations);
}

interface Counts {
  rows: number;
  files: number;
  /** Files that were skipped, since the server stores none. */
  skipped: number;
}

async function copyAll(sql: Sql, store: FileStore | undefined, lines: AsyncGenerator<Buffer>) {
  const counter = { rows: 0, files: 0, skipped: 0 };
  for (;;) {
    const { value: line } = await lines.next();
    if (!line) return counter;
    const copy = /^(copy formd\.\w+ \([^()]+\) from stdin);\n$/.exec(String(line))?.[1];
    if (copy) await pipeline(Readable.from(rowsOf(lines, counter)), await sql.unsafe(copy).writable());
    const key = new RegExp(`^${filePrefix}(${uuid}/${uuid})\n$`).exec(String(line))?.[1];
    if (key && store) await copyFile(store, key, lines);
    if (key) counter[store ? "files" : "skipped"]++;
  }
}

/** Restores a file. Replaces the rest of an earlier, failed restore. */
async function copyFile(store: FileStore, key: string, lines: AsyncGenerator<Buffer>): Promise<void> {
  await store.remove(key);
  const sink = await store.create(key);
  try {
    for (;;) {
      const { value: line = "" } = await lines.next();
      const text = String(line);
      if (!text.startsWith(bytesPrefix)) break;
      await sink.write(Buffer.from(text.slice(bytesPrefix.length), "base64"));
    }
  } catch (error) {
    await sink.abort();
    throw error;
  }
  await sink.finish();
}

/** A table's rows, up to the end mark, in chunks. */
async function* rowsOf(lines: AsyncGenerator<Buffer>, counter: { rows: number }): AsyncGenerator<Buffer> {
  let rows: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { value: line = endOfRows } = await lines.next();
    const isEnd = line.equals(endOfRows);
    if (!isEnd) {
      counter.rows++;
      rows.push(line);
      size += line.length;
    }
    if (rows.length > 0 && (isEnd || size > copyBytes)) {
      yield Buffer.concat(rows);
      rows = [];
      size = 0;
    }
    if (isEnd) return;
  }
}
