/** Whether PostgreSQL has the connections that formd may open. */
import type { Config } from "../config.ts";
import { oneRow, type Sql } from "../db.ts";

/**
 * Compares what the processes of a server open at most with what PostgreSQL has for their role. Other servers and other programs take
 * theirs from the same number.
 *
 * @param processes 1, or the workers of `serve --workers`
 * @throws what postgres.js throws when the query fails
 */
export async function compareConnections(
  sql: Sql,
  { DATABASE_POOL_SIZE: poolSize }: Config,
  processes = 1,
): Promise<{ isEnough: boolean; message: string }> {
  // reserved_connections is PostgreSQL 16's. least() ignores null.
  const { available } = oneRow(
    await sql<{ available: number }[]>`
      select least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as available`,
  );
  const needed = poolSize * processes;
  const opened = processes === 1 ? `${needed}` : `${processes} times ${poolSize}`;
  const message = `A server opens up to ${opened} connections; PostgreSQL has ${available} for its role`;
  if (needed <= available) return { isEnough: true, message: `${message}.` };
  return {
    isEnough: false,
    message: `${message}. Lower DATABASE_POOL_SIZE or raise max_connections.`,
  };
}
