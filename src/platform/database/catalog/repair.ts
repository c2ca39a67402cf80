/** `formd migrate --repair`: creates missing objects without data, while servers run. */
import type { Report } from "../../log.ts";
import type { Sql } from "../db.ts";
import { loadAllFunctions } from "../migrations/functions.ts";
import { retryWhileLocked, runBriefly } from "../migrations/locked.ts";
import { appliedToPartitions } from "../migrations/partitioned.ts";
import { type CatalogDifference, compareCatalog } from "./compare.ts";
import type { Expected } from "./expected.ts";

export interface Repaired {
  /** Repairs that were made, in order. */
  repaired: string[];
  /** Differences that a person must fix. */
  left: CatalogDifference[];
}

/** The repair of everything in the files of sql/. */
export const loading = "load the functions and rights";

/**
 * Reloads functions and rights, revokes other rights, builds indexes concurrently, adds constraints and
 * validates them. Columns, tables and unknown objects are left alone: data may depend on them.
 *
 * @param sql the owner's connection, without timeouts, while no other process migrates
 * @param report receives each statement that was run, and the error of each that failed
 * @throws the error of postgres.js if the catalog cannot be read
 */
export async function repairCatalog(sql: Sql, report: Report): Promise<Repaired> {
  const repaired: string[] = [];
  const run: Run = async (statement, work = async () => void (await sql.unsafe(statement))) => {
    await retryWhileLocked(statement, work, report);
    report(statement);
    repaired.push(statement);
  };
  const differences = await compareCatalog(sql);
  // A difference that cannot be fixed, as a primary key over duplicate rows, must not prevent others.
  const attempt = async (name: string, work: () => Promise<void>) =>
    await work().catch((error: Error) => report(`${name}: ${error.message}`));
  const others = differences.filter(({ expected, isOther }) => expected?.kind === "function" && isOther);
  const dropped = others.map(({ expected }) => expected?.name ?? "");
  if (differences.some(isInFiles))
    await attempt(loading, () => run(loading, () => loadAllFunctions(sql, report, dropped)));
  for (const { statement } of await compareCatalog(sql))
    if (statement.startsWith("revoke ")) await attempt(statement, () => run(statement));
  for (const { expected, isOther } of differences) {
    const fix = { index: fixIndex, constraint: fixConstraint }[expected?.kind as "index"];
    if (expected && fix) await attempt(expected.name, () => fix(sql, expected, isOther, run));
  }
  return { repaired, left: await compareCatalog(sql) };
}

type Run = (statement: string, work?: () => Promise<void>) => Promise<void>;

/** Checks whether loading the files of sql/ fixes the difference. */
const isInFiles = ({ expected, statement }: CatalogDifference) =>
  expected?.kind === "function" || expected?.kind === "right" || statement.startsWith("revoke ");

async function fixIndex(sql: Sql, { name, statement }: Expected, isOther: boolean, run: Run) {
  const drop = `drop index concurrently ${name}`;
  for (const each of isOther ? [drop, statement] : [statement])
    await run(each, async () => {
      if (!(await appliedToPartitions(sql, each))) await sql.unsafe(each);
    });
}

/**
 * Adds a constraint. A check or foreign key is validated after it holds for new rows, without blocking
 * writes; a key is built as an index first. Divided tables support only checks.
 */
async function fixConstraint(sql: Sql, expected: Expected, isOther: boolean, run: Run) {
  const { of: table, definition } = expected;
  const name = expected.name.slice(table.length + 1);
  const [, isKey, columns = ""] = /^(PRIMARY KEY|UNIQUE) (.*)$/.exec(definition) ?? [];
  const [divided] = await sql`
    select from pg_catalog.pg_class where oid = ${table}::regclass and relkind = 'p'`;
  if (divided && !definition.startsWith("CHECK")) return;
  const briefly = (statement: string) => run(statement, () => runBriefly(sql, statement));
  if (isKey) {
    if (isOther) return;
    await run(`drop index concurrently if exists formd.${name}`);
    await run(`create unique index concurrently ${name} on ${table} ${columns}`);
    return await briefly(`alter table ${table} add constraint ${name} ${isKey} using index ${name}`);
  }
  const dropped = isOther ? `drop constraint ${name}, ` : "";
  await briefly(`alter table ${table} ${dropped}add constraint ${name} ${definition} not valid`);
  await run(`alter table ${table} validate constraint ${name}`);
}
