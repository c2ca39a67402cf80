/**
 * `formd backup`: the embedded database's rows and the files of submissions in one file.
 *
 * The file is a gzipped SQL script: a header with the migrations behind the rows, one COPY per table from one
 * snapshot, parents before children, the files as comments in Base64, and the script's SHA-256. It has rows
 * and no copy of PostgreSQL's files: it is small, can be taken while the server runs, and can be restored by
 * a later PostgreSQL and into later tables, also by psql. The cost: a restore rebuilds the indexes. UNLOGGED
 * tables (the rate limits' counters) are left out.
 *
 * pg_dump is not used: the npm package lacks it, it needs at least the server's major version, and building
 * it for every platform costs more than the 300 lines of this file and restore.ts.
 */
import { createHash } from "node:crypto";
import { open, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type } from "arktype";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../platform/config.ts";
import { connectOnce, oneRow, type Sql } from "../platform/database/db.ts";
import { schemaState } from "../platform/database/migrations/state.ts";
import { openFiles } from "../platform/files/files.ts";
import { type FileStore, storageKey } from "../platform/files/store.ts";
import { openEmbedded, report } from "./database.ts";
import { type CliCommand, jsonOption, printResult, type Settings } from "./options.ts";
import { showProgress } from "./progress.ts";

/** Header of a backup, on line 2, as JSON. `migrations`: versions behind the rows, in order. */
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
/** A file: its key, then lines of bytes, then its end. */
export const filePrefix = "-- file ";
export const bytesPrefix = "-- bytes ";
const endOfFile = "-- end of file\n";

interface Counts {
  rows: number;
  files: number;
  /** Bytes of the files that were reached. */
  fileBytes: number;
  /** Files whose bytes were not found, for example of a submission that was deleted meanwhile. */
  missing: number;
}

/** Rows that the server sends at a time. */
const cursorRows = 500;

export function backupCommand(root: CliCommand, settings: Settings): void {
  root
    .command("backup")
    .description("write the embedded database's rows and files to a new file; the server may run meanwhile")
    .argument("<file>", "must not exist yet; it will hold all submitted data")
    .addOption(jsonOption)
    .showsProgress()
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { rows, files, missing, bytes } = await backup(requireEmbedded(settings()), file);
      printResult(
        json,
        { file, rows, files, missing, bytes },
        `${file}: ${rows} rows, ${files} files, ${bytes} bytes`,
      );
      if (missing > 0 && !json) report(`the bytes of ${missing} files were not found, and are not in it`);
      if (!json)
        report("it does not hold the master key: keep secret.key, or FORMD_SECRET_KEY, apart from it");
    });
}

/** @throws {Error} with one line if DATABASE_URL is set: PostgreSQL has better tools for your own server. */
export function requireEmbedded(config: Config): Config {
  if (config.DATABASE_URL)
    throw new Error(
      "DATABASE_URL is set: its database is backed up and restored with pg_dump and pg_restore",
    );
  return config;
}

async function backup(config: Config, file: string): Promise<Counts & { bytes: number }> {
  await using handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") throw new Error(`${file} exists: a backup overwrites nothing`);
    if (error.code === "ENOENT")
      throw new Error(`${resolve(file)} cannot be created: there is no such directory`);
    throw error;
  });
  await using onError = new AsyncDisposableStack();
  onError.defer(() => rm(file));
  await using cluster = await openEmbedded(config, false);
  await using sql = connectOnce(cluster.ownerUrl);
  const { state, sentence } = await schemaState(sql);
  if (state === "absent" || state === "unreadable") throw new Error(sentence);
  const files = await openFiles(config, cluster.directory, { mayCreate: false });
  const counter = { rows: 0, files: 0, fileBytes: 0, missing: 0 };
  await pipeline(Readable.from(script(sql, files?.store, counter)), createGzip(), async (compressed) => {
    for await (const chunk of compressed) await handle.writeFile(chunk);
  });
  await handle.sync();
  onError.move();
  return { ...counter, bytes: (await stat(file)).size };
}

/** Generates the script in chunks, and counts the rows and files. */
async function* script(sql: Sql, store: FileStore | undefined, counter: Counts): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const text of statements(sql, store, counter)) {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`${checksumPrefix}${hash.digest("hex")}\n`);
}

async function* statements(sql: Sql, store: FileStore | undefined, counter: Counts): AsyncGenerator<string> {
  const snapshot = await sql.reserve();
  try {
    await snapshot`set statement_timeout = 0`;
    await snapshot`begin isolation level repeatable read, read only`;
    const applied = await snapshot<{ version: string }[]>`
      select version from formd.schema_migrations order by version`;
    const header: typeof Header.infer = {
      format: 1,
      formd: manifest.version,
      takenAt: new Date().toISOString(),
      migrations: applied.map((row) => row.version),
    };
    yield `${firstLine}\n-- ${JSON.stringify(header)}\nbegin;\n`;
    yield* copies(snapshot, counter);
    yield* files(snapshot, store, counter);
    yield "commit;\n";
    await snapshot`commit`;
  } finally {
    snapshot.release();
  }
}

/** The rows of all tables. */
async function* copies(snapshot: Sql, counter: Counts): AsyncGenerator<string> {
  const ordered = parentsFirst(await tables(snapshot));
  // Counts all rows, for a hundredth of the time in which they are read.
  const counts = ordered.map(({ source }) => `(select count(*) from formd.${source})`).join(" + ");
  const { total } = oneRow(await snapshot.unsafe<{ total: number }[]>(`select (${counts})::float8 as total`));
  using _shown = showProgress("rows", "rows", () => ({ done: counter.rows, total }));
  for (const { name, source, columns } of ordered) {
    yield `copy formd.${name} (${columns.join(", ")}) from stdin;\n`;
    // Uses a cursor, as the driver's own COPY stalls forever once its reader is slower than PostgreSQL.
    const texts = columns.map((column) => `${column}::text`).join(", ");
    const select = snapshot.unsafe(`select ${texts} from formd.${source}`).values();
    for await (const rows of select.cursor(cursorRows)) {
      counter.rows += rows.length;
      yield rows.map((row) => `${row.map(copyText).join("\t")}\n`).join("");
    }
    yield "\\.\n";
  }
}

async function* files(snapshot: Sql, store: FileStore | undefined, counter: Counts): AsyncGenerator<string> {
  const stored = snapshot`from formd.files where state in ('uploaded', 'claimed') and scan <> 'infected'`;
  const { total } = oneRow(
    await snapshot<{ total: number }[]>`select coalesce(sum(size), 0)::float8 as total ${stored}`,
  );
  using _shown = showProgress("files", "bytes", () => ({ done: counter.fileBytes, total }));
  const select = snapshot<{ team: string; id: string; size: number }[]>`
    select team_id as team, id, size::float8 as size ${stored}`;
  for await (const rows of select.cursor(cursorRows))
    for (const { team, id, size } of rows) {
      counter.fileBytes += size;
      const key = storageKey(team, id);
      const chunks = await store?.read(key).catch(() => undefined);
      if (!chunks) {
        counter.missing++;
        continue;
      }
      counter.files++;
      yield `${filePrefix}${key}\n`;
      for await (const chunk of chunks) yield `${bytesPrefix}${Buffer.from(chunk).toString("base64")}\n`;
      yield endOfFile;
    }
}

const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Formats a value in COPY's text format (PostgreSQL documentation, "COPY", "File Formats"). */
const copyText = (value: string | null): string =>
  value === null ? "\\N" : value.replace(/[\\\t\n\r]/g, (character) => escapes[character] as string);

interface Table {
  /** Target of a restore: a month that is detached goes back to its table, whose counters have it. */
  name: string;
  source: string;
  /** Quoted names, without generated columns. */
  columns: string[];
  parents: string[];
}

async function tables(sql: Sql): Promise<Table[]> {
  return await sql<Table[]>`
    select coalesce(l.parent, c.relname) as name, c.relname as source,
      array(select quote_ident(attname) from pg_catalog.pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      array(select p.relname::text from pg_catalog.pg_constraint f join pg_catalog.pg_class p on p.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and p.oid <> c.oid) as parents
    from pg_catalog.pg_class c left join formd.partition_list() as l on l.name = c.relname
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
      and not c.relispartition
      and c.relname <> 'schema_migrations'
    order by c.relname`;
}

/** Sorts the tables so that the foreign keys of every row hold when it is copied. */
function parentsFirst(tables: Table[]): Table[] {
  const ordered = new Map<string, Table>();
  while (ordered.size < tables.length) {
    const next = tables.find(
      ({ source, parents }) => !ordered.has(source) && parents.every((parent) => ordered.has(parent)),
    );
    if (!next) throw new Error("formd's tables reference each other in a cycle: they cannot be backed up");
    ordered.set(next.source, next);
  }
  return [...ordered.values()];
}
