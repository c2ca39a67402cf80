/**
 * `formd backup`: the embedded database's rows in one file.
 *
 * The file is a gzipped SQL script: a header that names the migrations behind the rows, one COPY a table out of one snapshot, parents
 * before children, and the SHA-256 of it all. Rows, and no copy of PostgreSQL's files: it is small, it is taken while the server works, it
 * outlives a change of PostgreSQL's major version and of our tables (`restore` makes the old tables, fills them and migrates on), and a
 * migrated database anywhere takes it too: `zcat FILE | psql`. The price is that a restore builds the indexes anew. Throttle counters,
 * which are worth a minute, stay behind.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { open, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type } from "arktype";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import { connect, type Sql } from "../db.ts";
import { embedded } from "../embedded/index.ts";
import { schemaState } from "../migrate.ts";
import { report } from "./database.ts";
import { jsonOption, print, type Settings } from "./options.ts";

/** The header of a backup, on its second line: JSON. `migrations` are the versions that the rows stand on, in order. */
export const Header = type("string.json.parse").to({
  format: "1",
  formd: "string",
  takenAt: "string",
  migrations: "string[]",
});

/** The first line of every backup. */
export const firstLine =
  "-- formd backup: gzipped SQL for formd restore, or for psql into an empty, migrated database";
export const checksumPrefix = "-- sha256 ";

export function backupCommand(root: Command, settings: Settings): void {
  root
    .command("backup")
    .description("write the embedded database's rows to a new file, while the server runs or not")
    .argument("<file>", "must not exist yet; it will hold everything that was submitted")
    .addOption(jsonOption)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { rows, bytes } = await backup(requireEmbedded(settings()), file);
      print(json, { file, rows, bytes }, `${file}: ${rows} rows, ${bytes} bytes`);
    });
}

/** Refuses settings that name a PostgreSQL of one's own, which has better tools for this. */
export function requireEmbedded(config: Config): Config {
  if (config.DATABASE_URL)
    throw new Error(
      "DATABASE_URL is set: its database is backed up and restored with pg_dump and pg_restore",
    );
  return config;
}

async function backup(config: Config, file: string): Promise<{ rows: number; bytes: number }> {
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new Error(`${file} exists: a backup overwrites nothing`) : error;
  });
  try {
    const place = await embedded(config.FORMD_DATA_DIR, report, { explicit: !config.dataDirIsDefault });
    const sql = connect(place.ownerUrl, { poolSize: 1, prepare: false });
    try {
      const { state, sentence } = await schemaState(sql);
      if (state === "absent") throw new Error(sentence);
      const counted = { rows: 0 };
      await pipeline(Readable.from(script(sql, counted)), createGzip(), async (packed) => {
        for await (const chunk of packed) await handle.writeFile(chunk);
      });
      await handle.sync();
      return { ...counted, bytes: (await stat(file)).size };
    } finally {
      await sql.end({ timeout: 1 });
      await place.release();
    }
  } catch (error) {
    await rm(file);
    throw error;
  } finally {
    await handle.close();
  }
}

/** The script, in pieces; the rows are counted on the way. */
async function* script(sql: Sql, counted: { rows: number }): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const piece of pieces(sql, counted)) {
    const bytes = Buffer.from(piece);
    hash.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`${checksumPrefix}${hash.digest("hex")}\n`);
}

async function* pieces(sql: Sql, counted: { rows: number }): AsyncGenerator<string | Uint8Array> {
  const held = await sql.reserve();
  try {
    await held`set statement_timeout = 0`;
    await held`begin isolation level repeatable read, read only`;
    const header: typeof Header.infer = {
      format: 1,
      formd: manifest.version,
      takenAt: new Date().toISOString(),
      migrations: (
        await held<{ version: string }[]>`select version from formd.schema_migrations order by version`
      ).map((row) => row.version),
    };
    yield `${firstLine}\n-- ${JSON.stringify(header)}\nbegin;\n`;
    for (const { name, columns } of parentsFirst(await tables(held))) {
      yield `copy formd.${name} (${columns.join(", ")}) from stdin;\n`;
      // A cursor, as COPY would have it: the driver's COPY stops for good once its reader is slower than PostgreSQL.
      const texts = columns.map((column) => `${column}::text`).join(", ");
      for await (const rows of held.unsafe(`select ${texts} from formd.${name}`).values().cursor(500)) {
        counted.rows += rows.length;
        yield rows.map((row) => `${row.map(copyText).join("\t")}\n`).join("");
      }
      yield "\\.\n";
    }
    yield "commit;\n";
    await held`commit`;
  } finally {
    held.release();
  }
}

const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A value in COPY's text format (PostgreSQL documentation, "COPY", "File Formats"). */
const copyText = (value: string | null): string =>
  value === null ? "\\N" : value.replace(/[\\\t\n\r]/g, (character) => escapes[character] as string);

interface Table {
  name: string;
  /** Quoted; generated ones make themselves. */
  columns: string[];
  parents: string[];
}

async function tables(sql: Sql): Promise<Table[]> {
  return await sql<Table[]>`
    select c.relname as name,
      array(select quote_ident(attname) from pg_catalog.pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      array(select p.relname::text from pg_catalog.pg_constraint f join pg_catalog.pg_class p on p.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and p.oid <> c.oid) as parents
    from pg_catalog.pg_class c
    where c.relnamespace = 'formd'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname <> 'schema_migrations'
    order by c.relname`;
}

/** So that every row's foreign keys hold when it comes in. */
function parentsFirst(tables: Table[]): Table[] {
  const placed = new Map<string, Table>();
  while (placed.size < tables.length) {
    const next = tables.find(
      ({ name, parents }) => !placed.has(name) && parents.every((parent) => placed.has(parent)),
    );
    if (!next) throw new Error("tables of formd refer to each other in a circle: they cannot be backed up");
    placed.set(next.name, next);
  }
  return [...placed.values()];
}
