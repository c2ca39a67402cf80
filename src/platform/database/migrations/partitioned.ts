/** Indexes of divided tables, for which PostgreSQL does not support `concurrently`. */
import type { Sql } from "../db.ts";
import { runBriefly } from "./locked.ts";

/**
 * Replaces a migration's `concurrently` for an index on a divided table: builds the index month by month,
 * then as a whole from those, or drops it. Repeatable.
 *
 * @param sql the owner's connection, without a lock timeout
 * @returns true if the table is divided
 * @throws with SQLSTATE 55P03 while another transaction holds the table
 */
export async function appliedToPartitions(sql: Sql, migration: string): Promise<boolean> {
  const [, unique = "", name = "", table = "", rest = ""] =
    /^create (unique )?index concurrently (?:if not exists )?(\w+)\s+on formd\.(\w+)\s+([^;]+)/m.exec(
      migration,
    ) ?? [];
  const [, dropped = ""] = /^drop index concurrently (?:if exists )?formd\.(\w+)/m.exec(migration) ?? [];
  const [found] = await sql`
    select from pg_catalog.pg_class
    where oid = to_regclass(${`formd.${table || dropped}`}) and relkind in ('p', 'I')`;
  if (!found) return false;
  if (table) await buildOnParts(sql, `create ${unique}index concurrently`, name, table, rest);
  const whole = table
    ? `create ${unique}index if not exists ${name} on formd.${table} ${rest}`
    : `drop index if exists formd.${dropped}`;
  await runBriefly(sql, whole);
  return true;
}

/** Builds the index of each month, also again after an interrupted build. */
async function buildOnParts(sql: Sql, create: string, name: string, table: string, rest: string) {
  const parts = await sql<{ part: string; index: string; isInvalid: boolean }[]>`
    select c.relname as part, n.index, exists (
      select from pg_catalog.pg_index i
      where i.indexrelid = to_regclass('formd.' || n.index) and not i.indisvalid) as is_invalid
    from pg_catalog.pg_partition_tree(${`formd.${table}`}::regclass) as t
    join pg_catalog.pg_class c on c.oid = t.relid,
    lateral (select c.relname || ${name.slice(table.length)} as index) as n
    where t.isleaf order by c.relname`;
  for (const { part, index, isInvalid } of parts) {
    if (isInvalid) await sql.unsafe(`drop index concurrently formd.${index}`);
    await sql.unsafe(`${create} if not exists ${index} on formd.${part} ${rest}`);
  }
}
