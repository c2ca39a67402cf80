/** Checks PostgreSQL's connection limits against formd's pools, and detects a pooler. */
import { advises, type CheckResult } from "../check.ts";
import type { Config } from "../config.ts";
import { oneRow, type Sql } from "../database/db.ts";

const advice = " Lower DATABASE_POOL_SIZE or raise max_connections.";

/**
 * Compares the maximum connections of processes with PostgreSQL's limit for their role, which others share.
 * @param processes 1, or the workers of `serve --workers`, or all instances
 * @throws the error of postgres.js if the query fails
 */
export async function compareConnections(sql: Sql, { DATABASE_POOL_SIZE: poolSize }: Config, processes = 1) {
  // reserved_connections is PostgreSQL 16's. least() ignores null.
  const { available, open } = oneRow(
    await sql<{ available: number; open: number }[]>`
      select least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as available,
        (select count(*)::int from pg_stat_activity
         where usename = current_user and datname = current_database() and pid <> pg_backend_pid()) as open`,
  );
  const needed = poolSize * processes;
  const opened = processes === 1 ? `${needed}` : `${processes} times ${poolSize}`;
  const message = `A server opens up to ${opened} connections; PostgreSQL has ${available} for its role`;
  const isEnough = needed <= available;
  return { isEnough, message: `${message}.${isEnough ? "" : advice}`, available, open };
}

/** Checks the pools of all instances: an option, or a minimum estimated from open connections. */
export async function checkPool(sql: Sql, config: Config, instances?: number): Promise<CheckResult> {
  const { isEnough, message, available, open } = await compareConnections(sql, config, instances);
  if (!isEnough || instances !== undefined) return { ok: isEnough, message };
  const poolSize = config.DATABASE_POOL_SIZE;
  const seen = Math.ceil(open / poolSize);
  const doubt = `${message} ${open} are open now, of ${seen} servers at least, which open up to ${seen * poolSize}.${advice}`;
  return advises(seen * poolSize > available && doubt, message);
}

/** Detects a pooler, which responds with a process number of its own. */
export async function checkPooler(sql: Sql, { DATABASE_PREPARE: prepares }: Config): Promise<CheckResult> {
  const result = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const isPooled = oneRow(result).pid !== (result as unknown as { state: { pid: number } }).state.pid;
  return advises(
    isPooled &&
      prepares &&
      "A pooler is in front of PostgreSQL and DATABASE_PREPARE is true. In transaction mode set it to false, unless the pooler keeps prepared statements (PgBouncer 1.21, max_prepared_statements).",
    isPooled
      ? "A pooler is in front of PostgreSQL, and no statement is prepared."
      : "Connections are to PostgreSQL itself.",
  );
}
