/** `formd restore`: a backup's rows into an embedded database that holds none. @module */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { type } from "arktype";
import type { Command } from "commander";
import type { Config } from "../config.ts";
import { connect, type Sql } from "../db.ts";
import { embedded } from "../embedded/index.ts";
import { applyMigrations, migrate, migrationFiles } from "../migrate.ts";
import { checksumPrefix, firstLine, Header, requireEmbedded } from "./backup.ts";
import { report } from "./database.ts";
import { jsonOption, print, type Settings } from "./options.ts";

/** Filled beside the real one, and given its name when it is whole. */
const scratchDatabase = "formd_restoring";
/** COPY's own end mark, which no row can be. */
const endOfRows = Buffer.from("\\.\n");

export function restoreCommand(root: Command, settings: Settings): void {
  root
    .command("restore")
    .description("fill an embedded database that holds no data from a backup; no server may be running")
    .argument("<file>", "written by formd backup")
    .addOption(jsonOption)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const rows = await restore(requireEmbedded(settings()), file);
      print(json, { file, rows }, `${file}: ${rows} rows are back`);
    });
}

async function restore(config: Config, file: string): Promise<number> {
  const migrations = await verify(file); // before a cluster is made for nothing
  const place = await embedded(config.FORMD_DATA_DIR, report, { explicit: !config.dataDirIsDefault });
  const inDatabase = (url: string, name: string) => url.replace("/formd?", `/${name}?`);
  try {
    return await place.exclusively(async (admin) => {
      if (await holdsData(place.ownerUrl))
        throw new Error(`there is data in ${config.FORMD_DATA_DIR}: move it away, or set FORMD_DATA_DIR`);
      await admin.unsafe(`drop database if exists ${scratchDatabase}`);
      await admin.unsafe(`create database ${scratchDatabase} owner formd_owner`);
      try {
        const rows = await fill(inDatabase(place.ownerUrl, scratchDatabase), file, migrations);
        await admin`drop database formd`;
        await admin.unsafe(`alter database ${scratchDatabase} rename to formd`);
        return rows;
      } catch (error) {
        await admin.unsafe(`drop database if exists ${scratchDatabase}`);
        throw error;
      }
    });
  } finally {
    await place.release();
  }
}

/** Everything hangs on a team, but for people. */
async function holdsData(ownerUrl: string): Promise<boolean> {
  const sql = connect(ownerUrl, { poolSize: 1, prepare: false });
  try {
    const [schema] = await sql`select to_regclass('formd.operators') is not null as migrated`;
    if (!schema?.migrated) return false;
    const [data] =
      await sql`select exists (select from formd.teams) or exists (select from formd.operators) as found`;
    return data?.found;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The tables as they were, the rows, then whatever has been added to the tables since. */
async function fill(ownerUrl: string, file: string, migrations: string[]): Promise<number> {
  await applyMigrations(ownerUrl, migrations);
  const sql = connect(ownerUrl, { poolSize: 1, prepare: false });
  try {
    const rows = await copyRows(sql, linesOf(file));
    await migrate(ownerUrl, report);
    await sql`analyze`;
    return rows;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The lines, with their ends. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  const unpacked = createGunzip();
  createReadStream(file)
    .on("error", (error) => unpacked.destroy(error))
    .pipe(unpacked);
  for await (const chunk of unpacked) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      yield bytes.subarray(from, end + 1);
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length > 0) yield rest;
}

/**
 * Reads the file through.
 *
 * @returns the migrations, by their files, that its rows stand on
 * @throws {Error} with one line: no backup, not the whole of it, changed since, or of a later formd.
 */
async function verify(file: string): Promise<string[]> {
  const hash = createHash("sha256");
  const head: string[] = [];
  let last = "";
  try {
    for await (const line of linesOf(file)) {
      if (head.length < 2) head.push(String(line));
      if (last) hash.update(last);
      last = "";
      if (line.subarray(0, checksumPrefix.length).equals(Buffer.from(checksumPrefix))) last = String(line);
      else hash.update(line);
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall) throw new Error(`${file} cannot be read: ${code}`); // anything else is zlib's
  }
  const header = Header((head[1] ?? "").slice("-- ".length));
  const isWhole = head[0] === `${firstLine}\n` && last === `${checksumPrefix}${hash.digest("hex")}\n`;
  if (!isWhole || header instanceof type.errors) throw new Error(`${file} is no whole backup of formd`);
  return await migrationFiles(header.migrations);
}

/** @returns how many rows came in */
async function copyRows(sql: Sql, lines: AsyncGenerator<Buffer>): Promise<number> {
  const counted = { rows: 0 };
  for (;;) {
    const { value: line } = await lines.next();
    if (!line) return counted.rows;
    const copy = /^(copy formd\.\w+ \([^()]+\) from stdin);\n$/.exec(String(line))?.[1];
    if (copy) await pipeline(Readable.from(rowsOf(lines, counted)), await sql.unsafe(copy).writable());
  }
}

/** A table's rows, some at a time. */
async function* rowsOf(lines: AsyncGenerator<Buffer>, counted: { rows: number }): AsyncGenerator<Buffer> {
  let rows: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { value: line = endOfRows } = await lines.next();
    const last = line.equals(endOfRows);
    if (!last) {
      counted.rows++;
      rows.push(line);
      size += line.length;
    }
    if (rows.length > 0 && (last || size > 65_536)) {
      yield Buffer.concat(rows);
      rows = [];
      size = 0;
    }
    if (last) return;
  }
}
