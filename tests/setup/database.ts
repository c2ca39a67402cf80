/** Databases of tests, each a copy of the migrated one. */
import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { asUser, cluster, inDatabase } from "./cluster.ts";
import { cleanUp, onCleanup, wholeRun } from "./run.ts";

export interface Database {
  /** The server's connection: role formd. */
  url: string;
  /** The owner's. */
  ownerUrl: string;
  /** The superuser's, for what the API does not show. */
  sql: Sql;
}

/** The settings of a formd on a database whose server and owner are two roles. */
export const settingsFor = ({ url, ownerUrl }: Database) => ({
  DATABASE_URL: url,
  MIGRATION_DATABASE_URL: ownerUrl,
});

/** A database with formd's tables and functions, and no rows. */
export const database = (owner = Bun.main): Promise<Database> => createDatabase("template formd", owner);

/** A database without formd. */
export const emptyDatabase = (): Promise<Database> => createDatabase("owner formd_owner");

/**
 * Lets connections that are opened from now on wait a minute for locks, not 5 s: a test that holds one
 * decides when the wait ends, and of many that wait for one another the last waits long on a busy machine.
 */
export async function waitForLocks({ sql }: Database): Promise<void> {
  const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
  for (const role of ["formd", "formd_owner"])
    for (const setting of ["lock_timeout", "statement_timeout"])
      await sql.unsafe(`alter role ${role} in database ${name} set ${setting} = '60s'`);
}

async function createDatabase(options: string, owner = Bun.main): Promise<Database> {
  await cleanUp((other) => other !== wholeRun && other !== Bun.main);
  const { urls, nodes } = await cluster();
  const name = `test_${uuidv7().replaceAll("-", "")}`;
  // Citus has a process for each database, and PostgreSQL a maximum of them.
  if (nodes.length > 1) onCleanup(() => dropDatabase(name, nodes), owner);
  // Each node of a cluster copies its own, where object ids stay the same. Citus's connections to the
  // template end first, those of the coordinator to the workers before the workers' own; they come back.
  for (const node of nodes)
    await onceUnused(async () => {
      for (const each of nodes.length > 1 ? nodes : [])
        await each`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'formd'`;
      await node.unsafe(`create database ${name} ${options}`);
    });
  const sql = connect(inDatabase(asUser(urls.ownerUrl, "postgres"), name), { poolSize: 4, prepare: true });
  onCleanup(() => sql.end({ timeout: 1 }), owner);
  const ownerUrl = inDatabase(urls.ownerUrl, name);
  // Tests open forty connections at once, each a new process of PostgreSQL.
  const patient = `${ownerUrl}${ownerUrl.includes("?") ? "&" : "?"}connect_timeout=60`;
  return { url: inDatabase(urls.url, name), ownerUrl: patient, sql };
}

/** Drops it on each node. */
async function dropDatabase(name: string, nodes: Sql[]): Promise<void> {
  for (const node of nodes)
    await onceUnused(() => node.unsafe(`drop database if exists ${name} with (force)`));
}

/**
 * Changes a database that nobody may use meanwhile. PostgreSQL gives other sessions 5 s to end, which is too
 * short for Citus's process while it starts.
 */
async function onceUnused(change: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const error = await change().then(
      () => undefined,
      (error: { code?: string }) => error,
    );
    if (!error) return;
    if (error.code !== "55006" || attempt === 5) throw error;
  }
}

/** The tables in which a text is, as text or as bytes. */
export async function tablesWith(sql: Sql, marker: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`;
  const hex = Buffer.from(marker).toString("hex");
  const found: string[] = [];
  for (const { name } of tables) {
    const [{ count }] = await sql.unsafe<[{ count: number }]>(
      `select count(*)::int from formd.${name} t where t::text ilike '%${marker}%' or t::text like '%${hex}%'`,
    );
    if (count > 0) found.push(name);
  }
  return found;
}

/** A digest of the rows of each table that has some, a divided one as a whole. @param others are left out */
export async function digests(sql: Sql, ...others: string[]): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'formd'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all (${others}) order by c.relname`;
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const [{ digest }] = await sql.unsafe<[{ digest: string | null }]>(
      `select md5(string_agg(t::text, ' ' order by t::text)) as digest from formd.${name} t`,
    );
    if (digest) found[name] = digest;
  }
  return found;
}
