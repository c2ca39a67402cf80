/**
 * Brings a database to what this build needs: tables by dbmate from `db/migrations`, then the functions of `sql/` in one
 * transaction. `formd.schema_migrations` and a digest of `sql/` in the schema's comment tell what a database has.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { resolveBinary } from "dbmate";
import postgres from "postgres";
import { asset, assetNames, isBundled } from "./assets.ts";
import { connectOnce, isUnavailable, type Sql } from "./db.ts";
import { distributeTables, isDistributed } from "./distribution.ts";
import type { Report } from "./report.ts";

export interface Migrated {
  /** Names of the migrations that this call applied, in order. */
  migrations: string[];
  /** Functions in schema formd now. */
  functions: number;
}

/**
 * `older`, `newer`: its tables, than this build needs. `different`: the tables are right, the functions are another build's. `absent`: no
 * formd has migrated it. Before a start all but `current` must be migrated or refused; a server that runs already works on with `newer` and
 * `different`, since a release keeps what servers of the release before it call.
 */
export interface SchemaState {
  /** `unreadable`: there is one, and the role may not see it. */
  state: "current" | "older" | "newer" | "different" | "absent" | "unreadable";
  /** What is wrong and what to do. */
  sentence: string;
}

interface Needed {
  /** File names in `db/migrations`, in order. */
  migrations: string[];
  /** The files of `sql/`, in order. */
  functions: { name: string; text: string }[];
  digest: string;
}

/**
 * How long a migration waits for a lock on a table: requests that need the table wait behind it meanwhile, and a function of the previous
 * release that returns a row of the table fails when the row has gained a column while it waited. Its transaction is then rolled back, and
 * tried again after a pause in which they proceed, until `lockWaitTimeoutMs` have passed: a backup reads every table for hours.
 */
const lockTimeoutMs = 50;
const lockPauseMs = 500;
const lockWaitTimeoutMs = 600_000;
/** Key of the advisory lock that lets one machine migrate at a time; any constant, the same in every version of formd. */
const lockKey = 7_041_003;
/** How long a start waits for its database. */
const waitTimeoutMs = 30_000;
const waitReportMs = 5_000;
/** The file that drops what earlier releases had. */
const retiredFile = "998_retired.sql";
/** How long dropping functions waits for transactions in progress: longer than a server's statement_timeout. */
const inFlightLimitMs = 15_000;

/**
 * Migrates. Safe to run again and from several machines at once: one works, the others wait and then have nothing to do.
 *
 * @param ownerUrl a role that may create schema formd, on a connection of its own (no transaction pooler)
 * @throws Error with one line: which migration or which line of which file failed, or that the database is newer
 */
export async function migrate(ownerUrl: string, report: Report): Promise<Migrated> {
  await using sql = connectOnce(ownerUrl);
  await waitForDatabase(sql, report);
  // Most starts have nothing to do: no lock, no other program.
  const before = await schemaState(sql);
  if (before.state === "current") return { migrations: [], functions: await countFunctions(sql) };
  const connection = await sql.reserve();
  try {
    await lockMigrations(connection, report);
    return await migrateLocked(connection, ownerUrl, report);
  } finally {
    connection.release();
  }
}

/**
 * Migrates, and distributes the tables that are not distributed yet. Idempotent.
 *
 * @param ownerUrl the owner's connection to the coordinator of a Citus cluster
 * @returns the names of the tables that this call has distributed
 * @throws Error with one line: those of `migrate`; the database has no Citus
 */
export async function distribute(ownerUrl: string, report: Report): Promise<{ tables: string[] }> {
  await using sql = connectOnce(ownerUrl);
  await waitForDatabase(sql, report);
  const connection = await sql.reserve();
  try {
    const [citus] = await connection`select from pg_catalog.pg_extension where extname = 'citus'`;
    if (!citus) throw new Error("the database has no Citus: run create extension citus as its superuser");
    await lockMigrations(connection, report);
    await migrateLocked(connection, ownerUrl, report);
    const tables = await distributeTables(connection);
    // Functions reach the other machines when they are created, and only after the tables whose rows they return.
    await loadFunctionsIfOther(connection, report);
    return { tables };
  } finally {
    connection.release();
  }
}

/** One machine migrates at a time. The advisory lock ends with the connection. */
async function lockMigrations(sql: Sql, report: Report): Promise<void> {
  // The role may have the request path's limits; waiting for another machine and rewriting a table take longer.
  await sql`set statement_timeout = 0`;
  await sql`set lock_timeout = 0`;
  const locked = async () => {
    const [attempt] = await sql`select pg_try_advisory_lock(${lockKey}) as held`;
    return attempt?.held;
  };
  if (!(await locked())) {
    report("another process is migrating this database: waiting for it");
    // Not in one statement: its snapshot would hold up the other's "create index concurrently", which waits for all older ones.
    while (!(await locked())) await delay(100);
  }
}

async function migrateLocked(sql: Sql, ownerUrl: string, report: Report): Promise<Migrated> {
  const { state, sentence } = await schemaState(sql);
  // The functions of this build might not fit the tables of a later one.
  if (state === "newer" || state === "unreadable") throw new Error(sentence);
  const needed = await readNeeded();
  const before = state === "absent" ? new Set<string>() : await appliedVersions(sql);
  const migrations = needed.migrations.filter((name) => !before.has(version(name)));
  if (state === "absent") await applyMigrations(ownerUrl, needed.migrations);
  else await applyBesideTraffic(sql, ownerUrl, needed.migrations, migrations, report);
  if (state === "absent") report(`created the tables: ${migrations.length} migrations`);
  else for (const name of migrations) report(`applied ${name}`);
  await loadFunctionsIfOther(sql, report);
  return { migrations, functions: await countFunctions(sql) };
}

/** Unless the database has those of this build. */
async function loadFunctionsIfOther(sql: Sql, report: Report): Promise<void> {
  if ((await schemaState(sql)).state === "current") return;
  const needed = await readNeeded();
  await loadFunctions(sql, needed);
  report(`loaded the functions of ${needed.functions.length} files`);
  for (const statement of await databaseRightsToRevoke(sql))
    report(`let the database's owner run: ${statement}`);
}

/**
 * Applies pending migrations to a database that servers use. Those in a transaction have a lock timeout and are tried again. Those outside of
 * one have none: what runs `concurrently` waits for every older transaction, and blocks neither reads nor writes while it waits.
 *
 * @throws Error with one line that names the migration that failed
 */
async function applyBesideTraffic(
  sql: Sql,
  ownerUrl: string,
  all: string[],
  pending: string[],
  report: Report,
): Promise<void> {
  const giveUpAt = Date.now() + lockWaitTimeoutMs;
  const distributed = await isDistributed(sql);
  for (const name of pending) {
    const text = String(await asset(`db/migrations/${name}`));
    const isConcurrent =
      /^-- migrate:up transaction:false$/m.test(text) && /^(create|drop) .*concurrently/m.test(text);
    if (isConcurrent) await dropInvalidIndexes(sql, text);
    const url = isConcurrent ? ownerUrl : withParameter(ownerUrl, "lock_timeout", String(lockTimeoutMs));
    for (;;) {
      const error = await applyMigrations(url, all.slice(0, all.indexOf(name) + 1)).catch(
        (error: Error) => error,
      );
      if (!error) break;
      if (!/lock timeout/.test(error.message) || Date.now() > giveUpAt) throw error;
      report(`${name} waits for another transaction to end: next attempt in ${lockPauseMs / 1000} s`);
      await delay(lockPauseMs);
    }
    // Before the next migration, which may refer to a table that this one has created.
    if (distributed) await distributeTables(sql);
  }
}

/** An index whose concurrent build was broken off stays, is never used, and is in the way of the next attempt. */
async function dropInvalidIndexes(sql: Sql, migration: string): Promise<void> {
  const indexes = await sql<{ name: string }[]>`
    select c.relname as name from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = 'formd'::regnamespace`;
  for (const { name } of indexes)
    if (new RegExp(`create (unique )?index concurrently ${name} `).test(migration))
      await sql`drop index concurrently formd.${sql(name)}`;
}

export interface Plan {
  /** Names of the migrations that are pending, in order. */
  migrations: string[];
  /** Files of functions that would be loaded: all of them, or none. */
  functions: number;
  /** For each of the migrations the locks that it takes on tables that servers use, as its file says. */
  locks: { migration: string; locks: string }[];
}

/** What `migrate` would do. Changes nothing. */
export async function planMigration(sql: Sql): Promise<Plan> {
  await waitForDatabase(sql);
  const [{ state, sentence }, needed] = [await schemaState(sql), await readNeeded()];
  if (state === "newer" || state === "unreadable") throw new Error(sentence);
  const applied = state === "absent" ? new Set<string>() : await appliedVersions(sql);
  const migrations = needed.migrations.filter((name) => !applied.has(version(name)));
  const locks = migrations.map(async (migration) => ({ migration, locks: await locksOf(migration) }));
  return {
    migrations,
    functions: state === "current" ? 0 : needed.functions.length,
    locks: await Promise.all(locks),
  };
}

/** Migrations of 0.1 do not state them: they create a new database only. */
async function locksOf(migration: string): Promise<string> {
  const text = String(await asset(`db/migrations/${migration}`));
  return /^-- Locks: (.*)\.$/m.exec(text)?.[1] ?? "those of a new database";
}

/** dbmate's term for the digits at the start of a migration's file name. */
const version = (name: string) => /^\d+/.exec(name)?.[0] ?? name;

/** Read once: a start and every readiness check need it, and the files of a running build do not change. */
let neededFiles: Promise<Needed> | undefined;
const readNeeded = () => (neededFiles ??= readFiles());

async function readFiles(): Promise<Needed> {
  const functions = await Promise.all(
    (await sqlFiles("sql")).map(async (name) => ({ name, text: String(await asset(`sql/${name}`)) })),
  );
  const digest = createHash("sha256").update(JSON.stringify(functions)).digest("hex");
  return { migrations: await sqlFiles("db/migrations"), functions, digest };
}

const sqlFiles = async (directory: string) =>
  (await assetNames(directory)).filter((name) => name.endsWith(".sql"));

/**
 * The files of these migrations, by their versions.
 *
 * @throws Error with one line when this build does not have one of them
 */
export async function migrationFiles(versions: string[]): Promise<string[]> {
  const { migrations } = await readNeeded();
  return versions.map((each) => {
    const file = migrations.find((name) => version(name) === each);
    if (!file)
      throw new Error(`migration ${each} is not in this formd: use the one that created it, or a later one`);
    return file;
  });
}

async function appliedVersions(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ version: string }[]>`select version from formd.schema_migrations`;
  return new Set(rows.map((row) => row.version));
}

async function countFunctions(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from pg_catalog.pg_proc where pronamespace = to_regnamespace('formd')`;
  return row?.count ?? 0;
}

/**
 * Applies those of these migrations that are pending, each in a transaction of its own, by dbmate.
 *
 * dbmate gets the URL in its environment, where other users of the machine do not see the password. `migrate`, not `up`, which would
 * create the database. `--strict`: a migration that sorts before an applied one is a mistake in a merge.
 *
 * @param names of files in `db/migrations`
 * @throws Error with one line that names the migration that failed
 */
export async function applyMigrations(ownerUrl: string, names: string[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "formd-migrate-"));
  const files = join(directory, "migrations");
  const args = [
    "--no-dump-schema",
    `--migrations-dir=${files}`,
    "--migrations-table=formd.schema_migrations",
    "migrate",
    "--strict",
  ];
  const env = { ...process.env, DATABASE_URL: await withSslmode(ownerUrl) };
  try {
    await mkdir(files);
    for (const name of names)
      await writeFile(join(files, name), withDown(String(await asset(`db/migrations/${name}`))));
    await promisify(execFile)(await dbmateIn(directory), args, { cwd: directory, env });
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: string; stdout?: string; stderr?: string };
    if (code === "EACCES")
      throw new Error(`programs cannot run in ${directory}: set TMPDIR to a directory where they can`);
    const applying = [...stdout.matchAll(/^Applying: (.*)$/gm)].at(-1)?.[1];
    const reason = /^Error: (.*)$/m.exec(stderr)?.[1] ?? (stderr.trim() || String(error));
    throw new Error(`migration ${applying ?? ""} failed: ${reason}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Migrations are forward-only, but dbmate requires a down part: an empty one. (Those of 0.1 have one.) */
const withDown = (text: string) => (text.includes("-- migrate:down") ? text : `${text}\n-- migrate:down\n`);

/** dbmate's program: the npm package's, or the bundled one, unpacked for this run (zstd checks its checksum). */
async function dbmateIn(directory: string): Promise<string> {
  if (!isBundled()) return resolveBinary();
  const path = join(directory, "dbmate");
  await writeFile(path, await promisify(zstdDecompress)(await asset("dbmate.zst")), { mode: 0o700 });
  return path;
}

/** dbmate's driver knows no "prefer", which is libpq's default: whether the server has TLS is asked first. */
async function withSslmode(url: string): Promise<string> {
  const [, parameter = "", mode = "prefer"] = /[?&](sslmode=(\w[\w-]*))/.exec(url) ?? [];
  if (mode !== "prefer" && mode !== "allow") return url;
  await using sql = connectOnce(url);
  const [row] = await sql<{ ssl: boolean }[]>`
    select ssl from pg_catalog.pg_stat_ssl where pid = pg_backend_pid()`;
  const sslmode = row?.ssl ? "require" : "disable";
  return parameter ? url.replace(parameter, `sslmode=${sslmode}`) : withParameter(url, "sslmode", sslmode);
}

/** Textual: what libpq takes is not always a URL to WHATWG's parser. dbmate's driver sends unknown parameters to the server as settings. */
const withParameter = (url: string, name: string, value: string) =>
  `${url}${url.includes("?") ? "&" : "?"}${name}=${value}`;

/**
 * Loads all files in one transaction. Then, once the calls in progress have ended, drops the functions of earlier releases and sets the digest:
 * a call in progress continues with the body that it started with, and would fail where that calls a dropped function.
 */
async function loadFunctions(sql: Sql, { functions, digest }: Needed): Promise<void> {
  const { current = [], retired = [] } = Object.groupBy(functions, ({ name }) =>
    name === retiredFile ? "retired" : "current",
  );
  await inTransaction(sql, async () => {
    // A function may call one of a later file. Bodies are checked when they run, and by the tests.
    await sql`set local check_function_bodies = off`;
    await runFiles(sql, current);
  });
  await waitForTransactions(sql);
  await inTransaction(sql, async () => {
    await runFiles(sql, retired);
    await sql.unsafe(`comment on schema formd is 'functions sha256:${digest}'`);
  });
}

async function inTransaction(sql: Sql, work: () => Promise<void>): Promise<void> {
  await sql`begin`;
  try {
    await work();
    await sql`commit`;
  } catch (error) {
    await sql`rollback`.catch(() => {});
    throw error;
  }
}

async function runFiles(sql: Sql, files: Needed["functions"]): Promise<void> {
  for (const { name, text } of files) await sql.unsafe(text).catch((error) => explain(error, name, text));
}

/**
 * Waits until the other transactions that run now in this database have ended, at most for `inFlightLimitMs`: a backup's may run for hours,
 * and calls no function. By pg_locks, where every role sees every transaction.
 */
async function waitForTransactions(sql: Sql): Promise<void> {
  const running = async () => {
    const rows = await sql<{ transaction: string }[]>`
      select l.virtualtransaction as transaction
      from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a using (pid)
      where l.locktype = 'virtualxid' and a.datname = current_database() and a.usename is not null and pid <> pg_backend_pid()`;
    return new Set(rows.map(({ transaction }) => transaction));
  };
  const giveUpAt = Date.now() + inFlightLimitMs;
  for (
    let left = await running();
    left.size > 0 && Date.now() < giveUpAt;
    left = left.intersection(await running())
  )
    await delay(50);
}

/** The statements that 999_privileges.sql could not run, since another role owns the database. */
async function databaseRightsToRevoke(sql: Sql): Promise<string[]> {
  const rows = await sql<{ statement: string }[]>`
    select format('revoke temporary on database %I from public', datname) as statement
    from pg_catalog.pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
    where datname = current_database() and grantee = 0 and privilege_type = 'TEMPORARY'
    union all
    select 'revoke create on schema public from public'
    from pg_catalog.pg_namespace, aclexplode(nspacl)
    where nspname = 'public' and grantee = 0 and privilege_type = 'CREATE'`;
  return rows.map(({ statement }) => statement);
}

function explain(error: unknown, name: string, text: string): never {
  if (!(error instanceof postgres.PostgresError)) throw error;
  const line = text.slice(0, Number(error.position ?? 1) - 1).split("\n").length;
  throw new Error(`sql/${name}:${line}: ${error.message}`, { cause: error });
}

/**
 * Compares the database with the files of this build. The role needs usage on schema formd and select on formd.schema_migrations, which
 * the application's has.
 *
 * @throws what postgres.js throws when the query fails
 */
export async function schemaState(sql: Sql): Promise<SchemaState> {
  const needed = await readNeeded();
  // From the catalog: to_regclass would raise for a role without usage on the schema.
  const [found] = await sql<{ readable: boolean; comment: string | null }[]>`
    select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable,
      obj_description(n.oid, 'pg_namespace') as comment
    from pg_catalog.pg_namespace n
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'schema_migrations'
    where n.nspname = 'formd'`;
  const is = (state: SchemaState["state"], sentence: string): SchemaState => ({ state, sentence });
  if (!found) return is("absent", "the database has no formd schema: run formd migrate");
  if (!found.readable)
    return is(
      "unreadable",
      "this role may not see formd's tables: run formd migrate, and grant it the role formd_app",
    );
  const applied = await appliedVersions(sql);
  const needs = needed.migrations.map(version);
  const unknown = [...applied.difference(new Set(needs))].join(", ");
  if (unknown)
    return is(
      "newer",
      `the database is newer than this formd (migration ${unknown}): run the formd that migrated it, or a later one`,
    );
  const missing = needs.filter((each) => !applied.has(each)).length;
  if (missing > 0)
    return is(
      "older",
      `the database is older than this formd (migrations to apply: ${missing}): run formd migrate`,
    );
  if (found.comment !== `functions sha256:${needed.digest}`)
    return is("different", "the database holds other functions than this formd: run formd migrate");
  return is("current", "the database is what this formd needs");
}

/** At a start a mistake in the URL, more likely than an outage: no later attempt succeeds. */
const wrongAddressCodes = new Set(["ENOTFOUND", "TLS_REFUSED"]);

/**
 * Waits until the database responds.
 *
 * @param report gets a line at once and every 5 s: a supervisor's log shows why the start takes long
 * @throws Error with one line, without the password: after 30 s, or at once when a later attempt cannot succeed
 */
export async function waitForDatabase(sql: Sql, report: Report = () => {}): Promise<void> {
  const startedAt = Date.now();
  for (let reportAt = startedAt; ; await delay(500)) {
    const error = await sql`select`.then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (!error) return;
    const isFinal = !isUnavailable(error) || wrongAddressCodes.has(error.code ?? "");
    if (isFinal || Date.now() > startedAt + waitTimeoutMs)
      throw new Error(`no connection to ${nameOf(sql)}: ${reasonOf(error)}`, { cause: error });
    if (Date.now() < reportAt) continue;
    report(`waiting for ${nameOf(sql)} (${reasonOf(error)}), ${waitTimeoutMs / 1000} s at most`);
    reportAt += waitReportMs;
  }
}

/** Where a pool connects to, without the password. */
function nameOf(sql: Sql): string {
  const { user, database, path, host, port } = sql.options;
  const address = path || host.map((name, index) => `${name}:${port[index]}`).join(",");
  return `database ${database} at ${address} as ${user}`;
}

/** Without the driver's code before the sentence. */
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string => message.replace(`${code}: `, "");
