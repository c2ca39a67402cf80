/**
 * Migrates a database to this build: tables by dbmate from `db/migrations`, then the functions of `sql/` in
 * one transaction. `formd.schema_migrations` and a digest of `sql/` in the schema's comment record its state.
 *
 * A new migration is written by `bun run migration NAME` (.ci/migration.ts).
 */
import { setTimeout as delay } from "node:timers/promises";
import { asset } from "../../assets.ts";
import type { Report, Steps } from "../../log.ts";
import { loading, type Repaired, repairCatalog } from "../catalog/repair.ts";
import { connectOnce, oneRow, type Sql } from "../db.ts";
import { applyMigrations, withParameter } from "./dbmate.ts";
import { distributeTables, hasCitus, hasDistributedTables } from "./distribution.ts";
import { loadFunctionsIfOther } from "./functions.ts";
import { lockTimeoutMs, retryWhileLocked } from "./locked.ts";
import { readNeeded, version } from "./needed.ts";
import { appliedToPartitions } from "./partitioned.ts";
import { appliedVersions, countFunctions, isForeign, schemaState } from "./state.ts";
import { waitForDatabase } from "./wait.ts";

interface Migrated {
  /** Names of the migrations that this call applied, in order. */
  migrations: string[];
  /** Functions in schema formd now. */
  functions: number;
}

/** Key of the advisory lock for migrations: arbitrary, the same in every version. */
const lockKey = 7_041_003;

/**
 * Migrates. Idempotent, also on several machines at once: one works, the others wait for it.
 * @param ownerUrl a role that may create schema formd, on a connection of its own (no transaction pooler)
 * @param steps counts the applied migrations
 * @throws Error with one line: the failed migration, or file and line; or the database is not upgradable
 */
export async function migrate(
  ownerUrl: string,
  report: Report,
  steps: Steps = { done: 0 },
): Promise<Migrated> {
  await using sql = connectOnce(ownerUrl);
  await waitForDatabase(sql, report);
  // Most starts have nothing to do, and need no lock and no other program.
  const before = await schemaState(sql);
  if (before.state === "current") return { migrations: [], functions: await countFunctions(sql) };
  return await withMigrationLock(ownerUrl, report, (locked) =>
    migrateLocked(locked, ownerUrl, report, steps),
  );
}

/**
 * Migrates, and distributes the tables that are not distributed yet. Idempotent.
 * @param ownerUrl the owner's connection to the coordinator of a Citus cluster
 * @returns the names of the tables that this call has distributed
 * @throws Error with one line: as `migrate`, or the database has no Citus
 */
export async function distribute(ownerUrl: string, report: Report): Promise<{ tables: string[] }> {
  return await withMigrationLock(ownerUrl, report, async (sql) => {
    if (!(await hasCitus(sql)))
      throw new Error("the database has no Citus: run create extension citus as its superuser");
    await migrateLocked(sql, ownerUrl, report, { done: 0 });
    const tables = await distributeTables(sql);
    // Citus copies functions when they are created, and only after the tables whose rows they return.
    await loadFunctionsIfOther(sql, report);
    return { tables };
  });
}

/** Migrates, then creates missing objects that hold no data. @throws Error with one line: as `migrate` */
export async function repair(
  ownerUrl: string,
  report: Report,
  steps: Steps = { done: 0 },
): Promise<Migrated & Repaired> {
  return await withMigrationLock(ownerUrl, report, async (sql) => {
    const { state } = await schemaState(sql);
    // Migrating loads missing functions by itself.
    const loaded = state === "damaged" ? [loading] : [];
    const migrated = await migrateLocked(sql, ownerUrl, report, steps);
    const { repaired, left } = await repairCatalog(sql, report);
    return { ...migrated, repaired: [...new Set([...loaded, ...repaired])], left };
  });
}

/** Runs `work` on a connection of the owner while no other process migrates or holds this lock. */
export async function withMigrationLock<T>(
  ownerUrl: string,
  report: Report,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  await using sql = connectOnce(ownerUrl);
  const connection = await sql.reserve();
  try {
    await lockMigrations(connection, report);
    return await work(connection);
  } finally {
    connection.release();
  }
}

/** Waits for other migrations: the lock ends with its connection, the statement of a killed run later. */
async function lockMigrations(sql: Sql, report: Report): Promise<void> {
  const { isStandby } = oneRow(
    await sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`,
  );
  if (isStandby)
    throw new Error("this server is a standby, which accepts no changes: give the primary's URL");
  // The role may have the timeouts for requests. Waiting and rewriting a table take longer.
  await sql`set statement_timeout = 0`;
  await sql`set lock_timeout = 0`;
  const locked = async () => {
    const [attempt] = await sql`select pg_try_advisory_lock(${lockKey}) as held`;
    return attempt?.held;
  };
  if (!(await locked())) {
    report("another process is migrating this database: waiting for it");
    // Polls: the snapshot of one waiting statement would block the other's "create index concurrently".
    while (!(await locked())) await delay(100);
  }
  // Workers of Citus could still build parts of an index that is dropped meanwhile.
  const statements = () => sql<{ pid: number }[]>`
    select pid from pg_catalog.pg_stat_activity
    where datname = current_database() and usename = session_user and pid <> pg_backend_pid() and state = 'active'
      and query ~ '^(-- migrate:up|drop index concurrently)'`;
  const [statement] = await statements();
  if (statement) {
    report(`a statement of an earlier run is not finished: waiting for it (process ${statement.pid})`);
    while ((await statements()).length > 0) await delay(100);
  }
}

async function migrateLocked(sql: Sql, ownerUrl: string, report: Report, steps: Steps): Promise<Migrated> {
  const { state, sentence } = await schemaState(sql);
  if (isForeign(state)) throw new Error(sentence);
  if (state !== "current") await requireOwner(sql);
  if (state === "absent") await requireUnicode(sql);
  const needed = await readNeeded();
  const before = state === "absent" ? new Set<string>() : await appliedVersions(sql);
  const migrations = needed.migrations.filter((name) => !before.has(version(name)));
  // A month that is detached would be left out, and could not be attached again.
  const [month] =
    migrations.length === 0
      ? []
      : await sql<{ name: string }[]>`
          select relname as name from pg_catalog.pg_class
          where relnamespace = to_regnamespace('formd') and relkind = 'r' and not relispartition
            and relname ~ '_(first|\\d{4}_\\d{2})$' limit 1`;
  if (month) throw new Error(`${month.name} is detached: drop it or attach it first (formd partition list)`);
  steps.total = migrations.length;
  if (state === "absent") {
    await applyMigrations(ownerUrl, needed.migrations);
    steps.done = migrations.length;
    report(`created the tables: ${migrations.length} migrations`);
  } else await applyBesideTraffic(sql, ownerUrl, needed.migrations, migrations, report, steps);
  await loadFunctionsIfOther(sql, report);
  return { migrations, functions: await countFunctions(sql) };
}

/** Requires the right to make tables: dbmate's error names no login and no way out. */
async function requireOwner(sql: Sql): Promise<void> {
  const { login, mayCreate } = oneRow(
    await sql<{ login: string; mayCreate: boolean }[]>`
      select current_user as login, coalesce(has_schema_privilege(to_regnamespace('formd')::oid, 'create'),
        has_database_privilege(current_database(), 'create')) as "mayCreate"`,
  );
  if (!mayCreate)
    throw new Error(`${login} may make no tables: set MIGRATION_DATABASE_URL, or serve with --no-migrate`);
}

/** Requires UTF-8: functions and submitted values have characters of every language. */
async function requireUnicode(sql: Sql): Promise<void> {
  const { encoding } = oneRow(
    await sql<{ encoding: string }[]>`select current_setting('server_encoding') as encoding`,
  );
  if (encoding !== "UTF8")
    throw new Error(`the database has the encoding ${encoding}: create it with encoding 'UTF8'`);
}

/**
 * Applies pending migrations to a database that servers use. Migrations in a transaction have a lock timeout
 * and are retried. Others have none: a `concurrently` statement waits for every older transaction, and blocks
 * neither reads nor writes meanwhile.
 *
 * @throws Error with one line that names the migration that failed
 */
async function applyBesideTraffic(
  sql: Sql,
  ownerUrl: string,
  all: string[],
  pending: string[],
  report: Report,
  steps: Steps,
): Promise<void> {
  const distributed = await hasDistributedTables(sql);
  // The role may have the timeout for requests, as in lockMigrations.
  const unlimitedUrl = withParameter(ownerUrl, "statement_timeout", "0");
  for (const name of pending) {
    const text = String(await asset(`db/migrations/${name}`));
    const isConcurrent =
      /^-- migrate:up transaction:false$/m.test(text) && /^(create|drop) .*concurrently/m.test(text);
    const lockTimeout = isConcurrent ? 0 : lockTimeoutMs;
    const url = withParameter(unlimitedUrl, "lock_timeout", String(lockTimeout));
    const apply = async () => {
      // "if not exists" is not enough, as Citus marks an existing index as invalid with it.
      if (isConcurrent && ((await appliedToPartitions(sql, text)) || (await hasIndexOf(sql, text))))
        await sql`insert into formd.schema_migrations values (${version(name)}) on conflict do nothing`;
      else await applyMigrations(url, all.slice(0, all.indexOf(name) + 1));
    };
    await retryWhileLocked(name, apply, report, async ({ message }) =>
      message.includes(await lockTimeoutMessage(ownerUrl)),
    );
    // Distributes before the next migration, which may refer to a table that this one has created.
    if (distributed) await distributeTables(sql);
    steps.done++;
    report(`applied ${name}`);
  }
}

/** The server's message for a lock timeout, in its language: dbmate reports no SQLSTATE. */
async function lockTimeoutMessage(ownerUrl: string): Promise<string> {
  await using sql = connectOnce(ownerUrl);
  await sql`set lock_timeout = 1`;
  const error = await sql`select pg_advisory_lock(${lockKey})`.catch((error: Error) => error);
  if (!(error instanceof Error)) throw new Error("the lock of migrations is not held");
  return error.message;
}

/** Checks for the index of a migration, which a killed run may have made. An invalid one is dropped. */
async function hasIndexOf(sql: Sql, migration: string): Promise<boolean> {
  const [, name] = /^create (?:unique )?index concurrently (?:if not exists )?(\w+)/m.exec(migration) ?? [];
  if (!name) return false;
  const [index] = await sql<{ isValid: boolean }[]>`
    select indisvalid as "isValid" from pg_catalog.pg_index where indexrelid = to_regclass(${`formd.${name}`})`;
  if (index && !index.isValid) await sql`drop index concurrently if exists formd.${sql(name)}`;
  return index?.isValid ?? false;
}

export interface Plan {
  /** Names of the migrations that are pending, in order. */
  migrations: string[];
  /** Files of functions that would be loaded: all of them, or none. */
  functions: number;
  /** The locks that each migration takes on tables that servers use, as its file states them. */
  locks: { migration: string; locks: string }[];
}

/** Plans `migrate`, without changing anything. */
export async function planMigration(sql: Sql): Promise<Plan> {
  await waitForDatabase(sql);
  const [{ state, sentence }, needed] = [await schemaState(sql), await readNeeded()];
  if (isForeign(state)) throw new Error(sentence);
  const applied = state === "absent" ? new Set<string>() : await appliedVersions(sql);
  const migrations = needed.migrations.filter((name) => !applied.has(version(name)));
  const locks = migrations.map(async (migration) => ({ migration, locks: await locksOf(migration) }));
  return {
    migrations,
    functions: state === "current" ? 0 : needed.functions.length,
    locks: await Promise.all(locks),
  };
}

async function locksOf(migration: string): Promise<string> {
  const text = String(await asset(`db/migrations/${migration}`));
  return /^-- Locks: (.*)\.$/m.exec(text)?.[1] ?? "not stated";
}
