/** Who holds what the server's statements wait for. */
import type { Sql } from "../database/db.ts";
import type { Check } from "./check.ts";

/** What the sessions of this login wait for. Of the sessions of others a login sees only whose they are. */
export async function checkLocks(sql: Sql): Promise<Check> {
  const holders = await sql<{ pid: number; role: string; waiting: number }[]>`
    select b.pid, quote_ident(h.usename) as role, count(*)::int as waiting
    from pg_stat_activity w cross join lateral unnest(pg_blocking_pids(w.pid)) as b (pid)
    join pg_stat_activity h on h.pid = b.pid
    where w.usename = current_user and w.datname = current_database() and w.wait_event_type = 'Lock'
      and not exists (select from unnest(pg_blocking_pids(b.pid)))
    group by b.pid, h.usename order by waiting desc`;
  const found = holders.map(
    ({ pid, role, waiting }) =>
      `${waiting} sessions wait for process ${pid} of the role ${role}; to end it: select pg_terminate_backend(${pid});`,
  );
  return {
    name: "locks",
    ok: true,
    isAdvice: holders.length > 0,
    message: found.join(" ") || "No session waits for a lock.",
  };
}

/** A check that fails, as while a table is locked, must not keep the others. */
export const attempted = async (name: string, check: Promise<Check>): Promise<Check> =>
  await check.catch((error: Error) => ({
    name,
    ok: false,
    message: `It could not be checked: ${error.message}.`,
  }));
