/** A database whose tables are spread over several machines by team (Citus). */
import { asset } from "../../assets.ts";
import type { Sql } from "../db.ts";

export const hasCitus = async (sql: Sql): Promise<boolean> =>
  (await sql`select from pg_catalog.pg_extension where extname = 'citus'`).length > 0;

/** Names of the tables that Citus distributes or keeps on every machine, without their schema. */
async function distributedTables(sql: Sql): Promise<string[]> {
  if (!(await hasCitus(sql))) return [];
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_catalog.pg_dist_partition d join pg_catalog.pg_class c on c.oid = d.logicalrelid
    where c.relnamespace = (select oid from pg_catalog.pg_namespace where nspname = 'formd')
    order by c.relname`;
  return rows.map(({ name }) => name);
}

/** Checks whether tables are distributed: a call of SQL then names the team on whose machine it runs. */
export const hasDistributedTables = async (sql: Sql): Promise<boolean> =>
  (await distributedTables(sql)).length > 0;

/**
 * Distributes the remaining tables in one transaction. Functions that return their rows must be loaded again.
 * @param sql the owner's, without a statement timeout: tables with rows are copied
 * @returns the names of these tables
 */
export async function distributeTables(sql: Sql): Promise<string[]> {
  const before = new Set(await distributedTables(sql));
  await sql.unsafe(String(await asset("db/distribute.sql")));
  return (await distributedTables(sql)).filter((name) => !before.has(name));
}
