/** Loads the functions of `sql/`. */
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import type { Report } from "../../log.ts";
import type { Sql } from "../db.ts";
import { isLockError, lockTimeoutMs, retryWhileLocked } from "./locked.ts";
import { type Needed, readNeeded } from "./needed.ts";
import { schemaState } from "./state.ts";

/** The file that drops objects of earlier releases. */
const retiredFile = "998_retired.sql";
/** Time that dropping functions waits for transactions: longer than a server's statement_timeout. */
const inFlightLimitMs = 15_000;

/** Loads the functions unless the database has this build's. */
export async function loadFunctionsIfOther(sql: Sql, report: Report): Promise<void> {
  if ((await schemaState(sql)).state !== "current") await loadAllFunctions(sql, report);
}

/**
 * Loads the functions and the rights unconditionally.
 * @param dropped names of functions to drop first, in the same transaction: PostgreSQL does not replace a
 * function by one with another result type or other arguments
 */
export async function loadAllFunctions(sql: Sql, report: Report, dropped: string[] = []): Promise<void> {
  const needed = await readNeeded();
  await loadFunctions(sql, needed, report, dropped).catch((error) => explainOwners(sql, error));
  report(`loaded the functions of ${needed.functions.length} files`);
  for (const statement of await databaseRightsToRevoke(sql))
    report(`let the database's owner run: ${statement}`);
}

/**
 * Loads all files in one transaction, waits for calls in progress, drops the functions of earlier releases
 * and sets the digest. A call in progress has its old body, which may call a dropped function.
 */
async function loadFunctions(sql: Sql, { functions, digest }: Needed, report: Report, dropped: string[]) {
  const { current = [], retired = [] } = Object.groupBy(functions, ({ name }) =>
    name === retiredFile ? "retired" : "current",
  );
  const load = async () => {
    // A function may call one in a later file. Bodies are checked when they run, and by the tests.
    await sql`set local check_function_bodies = off`;
    // A report on the view of 520_submissions.sql locks it until it ends.
    await sql.unsafe(`set local lock_timeout = ${lockTimeoutMs}`);
    for (const name of dropped) await sql.unsafe(`drop function ${name}`);
    await runFiles(sql, current);
  };
  await retryWhileLocked("loading the functions", () => inTransaction(sql, load), report);
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

/** Waits for others, at most `inFlightLimitMs` (a backup takes hours), by pg_locks: any role sees all. */
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

/** Statements that 999_privileges.sql could not run because another role owns the database. */
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

/** Explains an error about ownership, as after a restore as another role: PostgreSQL's does not say it. */
async function explainOwners(sql: Sql, error: Error): Promise<never> {
  const { cause } = error;
  if (!(cause instanceof postgres.PostgresError) || cause.code !== "42501") throw error;
  const owners = await sql<{ what: string }[]>`
    select format('%s of %s (such as %s)', count(*), owner, min(name)) as what
    from (
      select relowner::regrole as owner, oid::regclass::text as name
      from pg_catalog.pg_class
      where relnamespace = 'formd'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
      union all
      select proowner::regrole, oid::regprocedure::text
      from pg_catalog.pg_proc
      where pronamespace = 'formd'::regnamespace) as object
    where not pg_has_role(owner::oid, 'usage')
    group by owner`;
  if (owners.length === 0) throw error;
  const others = owners.map(({ what }) => what).join(", ");
  throw new Error(
    `${error.message}. Tables or functions are another role's: ${others}; a superuser gives them to the role of MIGRATION_DATABASE_URL (alter … owner to)`,
    { cause },
  );
}

function explain(error: unknown, name: string, text: string): never {
  if (!(error instanceof postgres.PostgresError)) throw error;
  if (isLockError(error)) throw error;
  const line = text.slice(0, Number(error.position ?? 1) - 1).split("\n").length;
  throw new Error(`sql/${name}:${line}: ${error.message}`, { cause: error });
}
