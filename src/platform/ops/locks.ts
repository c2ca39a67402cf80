/** Sessions that block the server's statements. */
import { setTimeout as delay } from "node:timers/promises";
import { advises, type CheckResult } from "../check.ts";
import type { Sql } from "../database/db.ts";

/** Sessions with a lock that prevents others from writing or reading a table of formd. */
const holding = (sql: Sql) => sql<{ pid: number; role: string; held: string }[]>`
  select l.pid, quote_ident(a.usename) as role, min(quote_ident(c.relname)) as held
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'formd'
  where l.granted and a.datname = current_database()
    and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  group by l.pid, a.usename order by l.pid`;

/** Sessions that still hold the lock after a second: longer than a migration's step or a vacuum. */
async function holdingLong(sql: Sql) {
  const first = new Set((await holding(sql)).map(({ pid }) => pid));
  if (first.size === 0) return [];
  await delay(1_000);
  return (await holding(sql)).filter(({ pid }) => first.has(pid));
}

/** Checks for sessions that others wait for, or that hold a table. A login sees only others' roles. */
export async function checkLocks(sql: Sql): Promise<CheckResult> {
  const holders = await sql<{ pid: number; role: string; waiting: number }[]>`
    select b.pid, quote_ident(h.usename) as role, count(*)::int as waiting
    from pg_stat_activity w cross join lateral unnest(pg_blocking_pids(w.pid)) as b (pid)
    join pg_stat_activity h on h.pid = b.pid
    where w.usename = current_user and w.datname = current_database() and w.wait_event_type = 'Lock'
      and not exists (select from unnest(pg_blocking_pids(b.pid)))
    group by b.pid, h.usename order by waiting desc`;
  const unawaited = (await holdingLong(sql)).filter(({ pid }) => holders.every((each) => each.pid !== pid));
  const found = [
    ...holders.map(({ waiting, ...each }) => ({ ...each, does: `${waiting} sessions wait for` })),
    ...unawaited.map(({ held, ...each }) => ({ ...each, does: `The table ${held} is held by` })),
  ].map(
    ({ pid, role, does }) =>
      `${does} process ${pid} of the role ${role}; to end it: select pg_terminate_backend(${pid});`,
  );
  return advises(found.join(" "), "No session waits for a lock, and none holds a table.");
}
