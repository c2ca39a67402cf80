/**
 * The rules of migrations that need a database. Those that a text shows alone are squawk's, in .ci/lint-sql.
 */
import type { Sql } from "../src/platform/database/db.ts";
import { repeatable } from "../src/platform/database/migrations/dbmate.ts";

/**
 * Applies a migration to the database, and returns its problems.
 *
 * `locks`: the header does not name the locks that it takes on tables that servers use. `type`: it changes a
 * composite type. Loaded functions build its values by position until they are replaced. `again`: it runs
 * outside of a transaction, and cannot be repeated if it is killed before dbmate records it.
 */
export async function faultsOf(sql: Sql, text: string): Promise<string[]> {
  const isOutside = text.includes("transaction:false");
  const named = /^-- Locks: (.*)\.$/m.exec(text)?.[1];
  // Outside of a transaction locks end with each statement: those files are read by people only.
  const isNamed = named !== undefined && (isOutside || named === (await locksTaken(sql, text)));
  let isRepeatable = true;
  for (let run = 0; run < (isOutside ? 2 : 1); run++)
    await sql.unsafe(isOutside ? repeatable(text) : text).catch(() => {
      isRepeatable = false;
    });
  return [
    ...(isNamed ? [] : ["locks"]),
    ...(/\battribute\b|\bdrop type\b/i.test(text) ? ["type"] : []),
    ...(isRepeatable ? [] : ["again"]),
  ];
}

/**
 * Runs a migration and rolls it back.
 * @returns the strongest lock of each table that was there before, as a migration's header has it
 */
async function locksTaken(sql: Sql, migration: string): Promise<string> {
  const strengths = ["ShareUpdateExclusive", "Share", "ShareRowExclusive", "Exclusive", "AccessExclusive"];
  let locks: { name: string; mode: string }[] = [];
  const rollback = new Error("rolled back");
  await sql
    .begin(async (transaction) => {
      const before = await transaction<
        { id: number }[]
      >`select oid::int as id from pg_class where relkind in ('r', 'p')`;
      await transaction.unsafe(migration);
      locks = await transaction<{ name: string; mode: string }[]>`
        select c.relname as name, replace(l.mode, 'Lock', '') as mode
        from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = pg_backend_pid() and l.granted and c.oid = any(${before.map(({ id }) => id)}::oid[])
          and c.relnamespace = 'formd'::regnamespace and replace(l.mode, 'Lock', '') = any(${strengths})
        order by c.relname`;
      throw rollback;
    })
    .catch((error) => {
      if (error !== rollback) throw error;
    });
  const strongest = new Map<string, string>();
  for (const { name, mode } of locks)
    if (strengths.indexOf(mode) > strengths.indexOf(strongest.get(name) ?? "")) strongest.set(name, mode);
  const byMode = Map.groupBy(strongest.keys(), (name) => strongest.get(name) as string);
  const words = (mode: string) => mode.replaceAll(/(?<!^)([A-Z])/g, " $1").toLowerCase();
  const parts = strengths
    .toReversed()
    .flatMap((mode) => (byMode.has(mode) ? [`${words(mode)} on ${byMode.get(mode)?.join(", ")}`] : []));
  return parts.join("; ") || "none";
}
