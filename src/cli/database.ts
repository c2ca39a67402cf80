/** Opens the database for commands, as the server does: DATABASE_URL, or the embedded PostgreSQL. */
import { join } from "node:path";
import process from "node:process";
import type { Config } from "../platform/config.ts";
import { connect, type Sql } from "../platform/database/db.ts";
import { type Embedded, embedded } from "../platform/database/embedded/index.ts";
import { readSecretKeys, secretKeyFile } from "../platform/database/embedded/secret-key.ts";
import { useMasterKey } from "../platform/database/master-keys.ts";
import { migrate } from "../platform/database/migrations/index.ts";
import { schemaState } from "../platform/database/migrations/state.ts";
import { waitForDatabase } from "../platform/database/migrations/wait.ts";
import type { Report } from "../platform/log.ts";
import type { MasterKey, MasterKeyBytes } from "../platform/master-key.ts";
import { Problem } from "../problem.ts";
import { clearProgress } from "./progress.ts";

/** SQLSTATE of "permission denied". */
const insufficientPrivilege = "42501";

/** Closed at the end of its scope (`await using`). */
export interface Database extends AsyncDisposable {
  sql: Sql;
  /** URL for migrations. It equals `sql`'s if one role does both. */
  ownerUrl: string;
  /** The data directory of the embedded database; undefined with DATABASE_URL. */
  directory: string | undefined;
}

/** Prints created and started objects on stderr, since stdout is for the result. */
export const report: Report = (line) => {
  clearProgress();
  // Bun shows what console.error prints on a terminal in red, as if it were an error.
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
  else console.error(line);
};

/** @param mayCreate true: a missing cluster is created */
export const openEmbedded = (config: Config, mayCreate: boolean): Promise<Embedded> =>
  embedded(config.FORMD_DATA_DIR, report, {
    explicit: !config.dataDirIsDefault,
    mayCreate,
    programs: config.POSTGRES_PROGRAMS,
  });

/**
 * Connects to the database, in any state.
 * @param options `once`: there is one attempt
 * @throws {Error} with one line: not reachable within 30 s, or at once
 */
export async function connectDatabase(
  config: Config,
  { poolSize = 1, asOwner = false, mayCreate = true, once = false } = {},
): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  const cluster = config.DATABASE_URL ? undefined : opened.use(await openEmbedded(config, mayCreate));
  const url = config.DATABASE_URL ?? cluster?.url ?? "";
  const ownerUrl = cluster?.ownerUrl ?? config.MIGRATION_DATABASE_URL ?? url;
  const sql = connect(asOwner ? ownerUrl : url, { poolSize, prepare: config.DATABASE_PREPARE });
  opened.defer(() => sql.end({ timeout: once ? 0 : 5 }));
  await waitForDatabase(sql, report, { once });
  const kept = opened.move();
  return { sql, ownerUrl, directory: cluster?.directory, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/**
 * Returns the master key of the setting, or of the data directory, where the first call creates it.
 * @param options `acceptsNew`: a key that differs from the database's replaces it
 * @throws {Error} with one line if the key differs
 */
export async function openMasterKey(
  config: Config,
  { sql, directory }: Pick<Database, "sql" | "directory">,
  options: { acceptsNew?: boolean } = {},
): Promise<MasterKey> {
  const { keys, source } = await masterKeysOf(config, directory, { mayCreate: true });
  return await useMasterKey(sql, keys, source, options);
}

/** Returns the master keys and their source. The list is empty if there are none and none may be created. */
export async function masterKeysOf(
  { FORMD_SECRET_KEY: keys = [] }: Config,
  directory: string | undefined,
  { mayCreate = false } = {},
): Promise<{ keys: MasterKeyBytes[]; source: string }> {
  if (keys.length > 0 || directory === undefined) return { keys, source: "FORMD_SECRET_KEY" };
  const source = join(directory, secretKeyFile);
  return { keys: (await readSecretKeys(directory, mayCreate)) ?? [], source };
}

/**
 * Connects to the database, and migrates it if it is older than this build and `mayMigrate` is true.
 * @throws {Error} with one line: not reachable, newer, of an earlier commit, or older and not to be migrated
 */
export async function openMigratedDatabase(
  config: Config,
  { mayMigrate = true, poolSize = 1, asOwner = false, mayCreate = true } = {},
): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await connectDatabase(config, { poolSize, asOwner, mayCreate }));
  const { state, sentence } = await schemaState(database.sql);
  if (state !== "current") {
    if (state === "newer" || state === "unrelated" || !mayMigrate) throw new Error(sentence);
    report("migrating the database");
    await migrate(database.ownerUrl, report);
  }
  opened.move();
  return database;
}

/**
 * Opens the database as the owner: the server's role may not execute functions that only commands call.
 * @param options `mayCreate`: a missing database is created, which no server may use
 */
export async function withDatabase<T>(
  config: Config,
  work: (sql: Sql, database: Database) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  await using database = await openMigratedDatabase(config, { asOwner: true, mayCreate });
  try {
    return await work(database.sql, database);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== insufficientPrivilege) throw error;
    throw new Error(
      `${message}: set MIGRATION_DATABASE_URL to the owner's connection, or connect as a member of formd_admin`,
      { cause: error },
    );
  }
}

/** Tables in which commands look up an object by its id alone, in any team. */
const tables = { form: "forms", "API key": "api_keys", workspace: "workspaces" } as const;

/** The team of an object. @throws {Problem} `not_found`. */
export async function teamOf(sql: Sql, noun: keyof typeof tables, id: string): Promise<string> {
  const [row] = await sql<{ teamId: string }[]>`
    select team_id from ${sql(`formd.${tables[noun]}`)} where id = ${id}`;
  if (!row) throw new Problem("not_found", `There is no such ${noun}.`);
  return row.teamId;
}
