/** `formd restore`: a backup's rows into an embedded database that holds none. @module */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { type } from "arktype";
import type { Command } from "commander";
import type { Config } from "../config.ts";
import { connect, type Sql } from "../db.ts";
import { embedded } from "../embedded.ts";
import { applyMigrations, migrate, migrationFiles } from "../migrate.ts";
import { embeddedOnly, firstLine, Header, hashMark } from "./backup.ts";
import { report } from "./database.ts";
import { answer, jsonOption, type Settings } from "./program.ts";

/** Filled beside the real one, and given its name when it is whole. */
const scratch = "formd_restoring";
/** COPY's own end mark, which no row can be. */
const endOfRows = Buffer.from("\\.\n");

export function restoreCommand(root: Command, settings: Settings): void {
  root
    .command("restore")
    .description("fill an embedded database that holds no data from a backup; no server may be running")
    .argument("<file>", "written by formd backup")
    .addOption(jsonOption)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const rows = await restore(embeddedOnly(settings()), file);
      answer(json, { file, rows }, `${file}: ${rows} rows are back`);
    });
}

async function restore(config: Config, file: string): Promise<number> {
  await access(file); // before a cluster is made for nothing
  const place = await embedded(config.FORMD_DATA_DIR, report, { explicit: !config.dataDirIsDefault });
  const inDatabase = (url: string, name: string) => url.replace("/formd?", `/${name}?`);
  try {
    return await place.alone(async (admin) => {
      if (await holdsData(place.ownerUrl))
        throw new Error(`there is data in ${config.FORMD_DATA_DIR}: move it away, or set FORMD_DATA_DIR`);
      await admin.unsafe(`drop database if exists ${scratch}`);
      await admin.unsafe(`create database ${scratch} owner formd_owner`);
      try {
        const rows = await fill(inDatabase(place.ownerUrl, scratch), file);
        await admin`drop database formd`;
        await admin.unsafe(`alter database ${scratch} rename to formd`);
        return rows;
      } catch (error) {
        await admin.unsafe(`drop database if exists ${scratch}`);
        throw error;
      }
    });
  } finally {
    await place.leave();
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
async function fill(ownerUrl: string, file: string): Promise<number> {
  const lines = linesOf(file);
  const { migrations } = await headerOf(lines);
  await applyMigrations(ownerUrl, await migrationFiles(migrations));
  const sql = connect(ownerUrl, { poolSize: 1, prepare: false });
  try {
    const rows = await copyIn(sql, lines);
    await migrate(ownerUrl, report);
    await sql`analyze`;
    return rows;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

interface Line {
  bytes: Buffer;
  /** SHA-256 of the lines before this one, in hex. */
  digest(): string;
}

/** The lines, with their ends. */
async function* linesOf(file: string): AsyncGenerator<Line> {
  const hash = createHash("sha256");
  const digest = () => hash.copy().digest("hex");
  let rest = Buffer.alloc(0);
  const unpacked = createGunzip();
  createReadStream(file)
    .on("error", (error) => unpacked.destroy(error))
    .pipe(unpacked);
  for await (const chunk of unpacked) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const line = bytes.subarray(from, end + 1);
      yield { bytes: line, digest };
      hash.update(line);
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
}

const damaged = () => new Error("the file is no whole backup of formd: nothing was restored");

async function nextLine(lines: AsyncGenerator<Line>): Promise<Line> {
  // What zlib says of a broken file is no sentence for people.
  const { value, done } = await lines.next().catch(() => ({ done: true, value: undefined }));
  if (done || !value) throw damaged();
  return value;
}

async function headerOf(lines: AsyncGenerator<Line>): Promise<typeof Header.infer> {
  if (String((await nextLine(lines)).bytes) !== `${firstLine}\n`) throw damaged();
  const header = Header(String((await nextLine(lines)).bytes).slice("-- ".length));
  if (header instanceof type.errors) throw damaged();
  return header;
}

/** @returns how many rows came in; all of them, since the last line holds the hash of what is before it */
async function copyIn(sql: Sql, lines: AsyncGenerator<Line>): Promise<number> {
  const counted = { rows: 0 };
  for (;;) {
    const { bytes, digest } = await nextLine(lines);
    const line = String(bytes);
    const copy = /^(copy formd\.\w+ \([^()]+\) from stdin);\n$/.exec(line)?.[1];
    if (copy) await pipeline(Readable.from(rowsOf(lines, counted)), await sql.unsafe(copy).writable());
    else if (line === `${hashMark}${digest()}\n`) return counted.rows;
    else if (line !== "begin;\n" && line !== "commit;\n") throw damaged();
  }
}

/** A table's rows, some at a time. */
async function* rowsOf(lines: AsyncGenerator<Line>, counted: { rows: number }): AsyncGenerator<Buffer> {
  let rows: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { bytes } = await nextLine(lines);
    const last = bytes.equals(endOfRows);
    if (!last) {
      counted.rows++;
      rows.push(bytes);
      size += bytes.length;
    }
    if (rows.length > 0 && (last || size > 65_536)) {
      yield Buffer.concat(rows);
      rows = [];
      size = 0;
    }
    if (last) return;
  }
}
