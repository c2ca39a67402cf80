/**
 * How commands find the database: as the server does. `DATABASE_URL`, or the embedded PostgreSQL, started for the command if nobody else
 * has, and left as it was found.
 *
 * @module
 */
import type { Config } from "../config.ts";
import { connect, type Sql } from "../db.ts";
import { embedded } from "../embedded/index.ts";
import { migrate, schemaState, waitForDatabase } from "../migrate.ts";

/** SQLSTATE of "permission denied". */
const insufficientPrivilege = "42501";

export interface Database {
  sql: Sql;
  /** For migrating; the same as `sql`'s where one role does both. */
  ownerUrl: string;
  close(): Promise<void>;
}

/** Lines for people about what takes time; never on stdout, which belongs to the answer. */
export const report = (line: string): void => console.error(line);

/**
 * Reaches the database, in whatever state it is.
 *
 * @throws {Error} with one line for people: not reachable within 30 s.
 */
export async function connectDatabase(
  config: Config,
  { poolSize = 1, asOwner = false } = {},
): Promise<Database> {
  const cluster = config.DATABASE_URL
    ? undefined
    : await embedded(config.FORMD_DATA_DIR, report, { explicit: !config.dataDirIsDefault });
  const url = config.DATABASE_URL ?? cluster?.url ?? "";
  const ownerUrl = cluster?.ownerUrl ?? config.MIGRATION_DATABASE_URL ?? url;
  const sql = connect(asOwner ? ownerUrl : url, { poolSize, prepare: config.DATABASE_PREPARE });
  const close = async () => {
    await sql.end({ timeout: 5 });
    await cluster?.release();
  };
  await cleanUpOnError(waitForDatabase(sql), close);
  return { sql, ownerUrl, close };
}

/**
 * Reaches the database and, unless told not to, migrates it if it is older than this build.
 *
 * @throws {Error} with one line for people: not reachable, newer than this build, or not migrated and not to be.
 */
export async function openMigratedDatabase(
  config: Config,
  { mayMigrate = true, poolSize = 1, asOwner = false } = {},
): Promise<Database> {
  const database = await connectDatabase(config, { poolSize, asOwner });
  await cleanUpOnError(bringUpToDate(database, mayMigrate), database.close);
  return database;
}

async function bringUpToDate({ sql, ownerUrl }: Database, mayMigrate: boolean): Promise<void> {
  const { state, sentence } = await schemaState(sql);
  if (state === "current") return;
  if (state === "newer" || !mayMigrate) throw new Error(sentence);
  report("migrating the database");
  await migrate(ownerUrl, report);
}

/** Tidies up when the work fails, and fails all the same. */
async function cleanUpOnError(work: Promise<void>, tidy: () => Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    await tidy();
    throw error;
  }
}

/**
 * Opens the database for a command's work and closes it whatever happens. As the owner: the server's role may not execute what only
 * commands call.
 */
export async function withDatabase<T>(config: Config, work: (sql: Sql) => Promise<T>): Promise<T> {
  const database = await openMigratedDatabase(config, { asOwner: true });
  try {
    return await work(database.sql);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== insufficientPrivilege) throw error;
    throw new Error(
      `${message}: set MIGRATION_DATABASE_URL to the owner's connection, or connect as a member of formd_admin`,
      { cause: error },
    );
  } finally {
    await database.close();
  }
}
