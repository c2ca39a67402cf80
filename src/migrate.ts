/**
 * Brings a database to what this build needs: tables by dbmate from `db/migrations`, then the functions of `sql/` in one
 * transaction. What stands there is told by `formd.schema_migrations` and by a digest of `sql/` in the schema's comment.
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
import { connect, isUnavailable, type Sql } from "./db.ts";

export interface Migrated {
  /** Names of the migrations that this call applied, in order. */
  migrations: string[];
  /** Functions that stand in schema formd now. */
  functions: number;
}

/** `older`, `newer`: than this build needs. `absent`: no formd has been here. */
export interface SchemaState {
  state: "current" | "older" | "newer" | "absent";
  /** For people: what is the matter and what to do. */
  sentence: string;
}

interface Needed {
  /** File names in `db/migrations`, in order. */
  migrations: string[];
  /** The files of `sql/`, in order. */
  functions: { name: string; text: string }[];
  digest: string;
}

/** Key of the advisory lock that lets one machine migrate at a time; any constant, the same in every version of formd. */
const lockKey = 7_041_003;
/** Milliseconds that a start waits for its database. */
const waitTimeoutMs = 30_000;
/** The file that drops what earlier releases had. */
const retiredFile = "998_retired.sql";
/** Milliseconds that dropping waits for transactions in flight; more than a server's statement_timeout. */
const inFlightLimitMs = 15_000;

/**
 * Migrates. Safe to run again and from several machines at once: one works, the others wait and then find all done.
 *
 * @param ownerUrl a role that may create schema formd, on a connection of its own (no transaction pooler)
 * @throws Error with one line: which migration or which line of which file failed, or that the database is newer
 */
export async function migrate(ownerUrl: string, report: (line: string) => void): Promise<Migrated> {
  const sql = connect(ownerUrl, { poolSize: 1, prepare: false });
  try {
    await waitForDatabase(sql);
    // Nothing to do is the usual start; it takes no lock and no other process.
    const before = await schemaState(sql);
    if (before.state === "current") return { migrations: [], functions: await countFunctions(sql) };
    const held = await sql.reserve();
    try {
      return await migrateAlone(held, ownerUrl, report);
    } finally {
      held.release();
    }
  } finally {
    // Gives the lock back too.
    await sql.end({ timeout: 1 });
  }
}

async function migrateAlone(sql: Sql, ownerUrl: string, report: (line: string) => void): Promise<Migrated> {
  // The role may carry the limits of the request path; waiting for another machine and rewriting a table take longer.
  await sql`set statement_timeout = 0`;
  await sql`set lock_timeout = 0`;
  const [attempt] = await sql`select pg_try_advisory_lock(${lockKey}) as held`;
  if (!attempt?.held) {
    report("another process is migrating this database: waiting for it");
    await sql`select pg_advisory_lock(${lockKey})`;
  }
  const { state, sentence } = await schemaState(sql);
  // The functions of this build might not fit the tables of a later one.
  if (state === "newer") throw new Error(sentence);
  const needed = await readNeeded();
  const before = state === "absent" ? new Set<string>() : await appliedVersions(sql);
  const migrations = needed.migrations.filter((name) => !before.has(version(name)));
  if (migrations.length > 0) {
    await applyMigrations(ownerUrl, needed.migrations);
    for (const name of migrations) report(`applied ${name}`);
  }
  if ((await schemaState(sql)).state !== "current") {
    await loadFunctions(sql, needed);
    report(`loaded the functions of ${needed.functions.length} files`);
    for (const statement of await databaseRightsToRevoke(sql))
      report(`let the database's owner run: ${statement}`);
  }
  return { migrations, functions: await countFunctions(sql) };
}

/** dbmate's word for what stands before the first underscore of a migration's file name. */
const version = (name: string) => /^\d+/.exec(name)?.[0] ?? name;

/** Read once: a start and every readiness check ask for it, and the files of a running build do not change. */
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
      throw new Error(`migration ${each} is not in this formd: take the one that made it, or a later one`);
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
 * dbmate gets the URL in its environment, where other users of the machine do not see the password. `migrate`, not `up`:
 * making databases is not ours. `--strict`: a migration that sorts before one already applied is a mistake in a merge.
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
  const env = { ...process.env, DATABASE_URL: withSslmode(ownerUrl) };
  try {
    await mkdir(files);
    for (const name of names)
      await writeFile(join(files, name), withDown(String(await asset(`db/migrations/${name}`))));
    await promisify(execFile)(await dbmateIn(directory), args, { cwd: directory, env });
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: string; stdout?: string; stderr?: string };
    if (code === "EACCES")
      throw new Error(`no program can run in ${directory}: set TMPDIR to where they may`);
    const applying = stdout
      .match(/^Applying: .*$/gm)
      ?.at(-1)
      ?.slice("Applying: ".length);
    const reason =
      stderr.match(/^Error: .*$/m)?.[0].slice("Error: ".length) ?? (stderr.trim() || String(error));
    throw new Error(`migration ${applying ?? ""} failed: ${reason}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Migrations only go forward, and dbmate insists on a way back: an empty one. (Those of 0.1 have one.) */
const withDown = (text: string) => (text.includes("-- migrate:down") ? text : `${text}\n-- migrate:down\n`);

/** dbmate's program: the npm package's, or the carried one (which zstd's checksum vouches for), unpacked for this one run. */
async function dbmateIn(directory: string): Promise<string> {
  if (!isBundled()) return resolveBinary();
  const path = join(directory, "dbmate");
  await writeFile(path, await promisify(zstdDecompress)(await asset("dbmate.zst")), { mode: 0o700 });
  return path;
}

/** postgres.js takes no TLS when the URL does not ask for it, dbmate's driver refuses to go without: the former's rule. */
function withSslmode(url: string): string {
  if (/[?&]sslmode=/.test(url)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}sslmode=disable`;
}

/**
 * All files or none; then, once the calls that began before have ended, the functions of earlier releases go, together with the digest that
 * vouches for all of it. A call in flight goes on with the body that it began with, and would fail where that calls a function that is gone.
 */
async function loadFunctions(sql: Sql, { functions, digest }: Needed): Promise<void> {
  const retired = functions.filter(({ name }) => name === retiredFile);
  await inTransaction(sql, async () => {
    // A function may call one of a later file. Calls are checked when they are made, and by the tests.
    await sql`set local check_function_bodies = off`;
    await runFiles(
      sql,
      functions.filter((file) => !retired.includes(file)),
    );
  });
  await transactionsToEnd(sql);
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
 * Returns once the transactions of others that run now in this database have ended, or after `inFlightLimitMs`: a backup's may run for hours,
 * and calls no function. From pg_locks, where every role sees every transaction.
 */
async function transactionsToEnd(sql: Sql): Promise<void> {
  const running = async () => {
    const rows = await sql<{ transaction: string }[]>`
      select l.virtualtransaction as transaction
      from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a using (pid)
      where l.locktype = 'virtualxid' and a.datname = current_database() and a.usename is not null and pid <> pg_backend_pid()`;
    return new Set(rows.map(({ transaction }) => transaction));
  };
  const giveUp = Date.now() + inFlightLimitMs;
  for (
    let left = await running();
    left.size > 0 && Date.now() < giveUp;
    left = left.intersection(await running())
  )
    await delay(50);
}

/** What 999_privileges.sql could not revoke, since another role owns the database. */
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
 * Compares the database with the files of this build. The application's role may ask: it needs usage on schema formd and
 * select on formd.schema_migrations.
 *
 * @throws what postgres.js throws when the database cannot be asked
 */
export async function schemaState(sql: Sql): Promise<SchemaState> {
  const needed = await readNeeded();
  // From the catalog: to_regclass would raise for a role that may not look into the schema.
  const [found] = await sql<{ readable: boolean; comment: string | null }[]>`
    select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable,
      obj_description(n.oid, 'pg_namespace') as comment
    from pg_catalog.pg_namespace n
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'schema_migrations'
    where n.nspname = 'formd'`;
  if (!found) return { state: "absent", sentence: "the database has no formd schema: run formd migrate" };
  if (!found.readable)
    return {
      state: "absent",
      sentence: "this role may not see formd's tables: run formd migrate, and grant it the role formd_app",
    };
  const applied = await appliedVersions(sql);
  const known = new Set(needed.migrations.map(version));
  const unknown = [...applied].filter((each) => !known.has(each));
  if (unknown.length > 0)
    return {
      state: "newer",
      sentence: `the database is newer than this formd (migration ${unknown.join(", ")}): run the formd that migrated it, or a later one`,
    };
  const missing = needed.migrations.filter((name) => !applied.has(version(name)));
  if (missing.length > 0)
    return {
      state: "older",
      sentence: `the database is older than this formd (migrations to apply: ${missing.length}): run formd migrate`,
    };
  if (found.comment !== `functions sha256:${needed.digest}`)
    return {
      state: "older",
      sentence: "the database holds other functions than this formd: run formd migrate",
    };
  return { state: "current", sentence: "the database is what this formd needs" };
}

/**
 * Returns once the database answers.
 *
 * @throws Error with one line, without the password, after 30 s; at once when the database refuses us by name
 */
export async function waitForDatabase(sql: Sql): Promise<void> {
  const giveUp = Date.now() + waitTimeoutMs;
  for (;;) {
    const error = await sql`select`.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!error) return;
    if (!isUnavailable(error) || Date.now() > giveUp) throw unreachable(sql, error);
    await delay(500);
  }
}

function unreachable(sql: Sql, cause: unknown): Error {
  const { user, database, path, host, port } = sql.options;
  const place = path || host.map((name, index) => `${name}:${port[index]}`).join(",");
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`no connection to database ${database} at ${place} as ${user}: ${reason}`, { cause });
}
