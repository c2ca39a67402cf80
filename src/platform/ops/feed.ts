/**
 * Marks of the order of what is stored (sql/010_feed.sql), which each server makes every second, one of all
 * in effect. The call also compares the clock of this server with the database's, without a round trip more.
 */
import { setTimeout as delay } from "node:timers/promises";
import { advises, type CheckResult } from "../check.ts";
import { oneRow, type Sql } from "../database/db.ts";
import type { Logger } from "../log.ts";

const pauseMs = 1_000;

/** Differences of clocks: one that is told, and one with which a server is not ready. */
export const clockLimits = { toldMs: 2_000, readyMs: 30_000 };

type ClockState = "right" | "different" | "unusable";

/** Knowledge of a server about the database's clock and the order. Undefined: nothing yet. */
export interface Feed {
  /** Milliseconds by which this server's clock is ahead of the database's, or below 0 behind. */
  clockAheadMs: () => number | undefined;
  /** Age of the instant up to which all that was stored can be read, in milliseconds. */
  ageMs: () => number | undefined;
}

/**
 * Milliseconds by which this clock is ahead of another one, which was read at some time since `before`. Below
 * 0: it is behind. The least that it can be, since the round trip may have been slow either way.
 */
export function clockAheadMs(before: number, other: Date, after = Date.now()): number {
  const [least, most] = [before - other.getTime(), after - other.getTime()];
  return least > 0 ? least : Math.min(most, 0);
}

/** Makes a mark, unless another server has made it. @returns `ageMs`: of the bound, if there is one yet */
async function markFeed(sql: Sql): Promise<{ aheadMs: number; ageMs: number | undefined }> {
  const before = Date.now();
  const { clockAt, upToAt } = oneRow(
    await sql<{ clockAt: Date; upToAt: Date | null }[]>`select clock_at, up_to_at from formd.feed_mark()`,
  );
  const ageMs = upToAt === null ? undefined : clockAt.getTime() - upToAt.getTime();
  return { aheadMs: clockAheadMs(before, clockAt), ageMs };
}

/** A clock that is told stays so until the difference has halved, so that each change is one line. */
export function clockStateOf(aheadMs: number, before: ClockState): ClockState {
  const difference = Math.abs(aheadMs);
  if (difference > clockLimits.readyMs) return "unusable";
  return difference > clockLimits.toldMs / (before === "right" ? 1 : 2) ? "different" : "right";
}

const clockLines: Record<ClockState, [level: "info" | "warn" | "error", message: string]> = {
  right: ["info", "the clock agrees with the database's again"],
  different: ["warn", "the clock differs from the database's; synchronize both by NTP"],
  unusable: ["error", "the clock differs too much from the database's: /readyz is 503 until it is right"],
};

/** Marks until it is stopped. Resolves after the first attempt, so that a wrong clock is known at once. */
export async function startMarking(sql: Sql, log: Logger): Promise<Feed & { stop: () => Promise<void> }> {
  const stopping = new AbortController();
  let clock: ClockState = "right";
  let aheadMs: number | undefined;
  let boundAt: number | undefined;
  let isFailing = false;
  const mark = async () => {
    try {
      const found = await markFeed(sql);
      aheadMs = found.aheadMs;
      boundAt = found.ageMs === undefined ? undefined : performance.now() - found.ageMs;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ reason: (error as Error).message }, "marks cannot be made");
      isFailing = true;
      return;
    }
    const state = clockStateOf(aheadMs, clock);
    const [level, message] = clockLines[state];
    if (state !== clock) log[level]({ aheadMs }, message);
    clock = state;
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      await delay(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await mark();
    }
  };
  await mark();
  const ended = run();
  return {
    clockAheadMs: () => aheadMs,
    ageMs: () => (boundAt === undefined ? undefined : performance.now() - boundAt),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Age of the bound from which on it is told, and by how much it is later on Citus, in seconds. */
const oldBound = { seconds: 60, citusSeconds: 120 };

/** Checks how far the order can be read, and names the transactions that have held it for `seconds`. */
export async function checkFeed(sql: Sql, seconds = oldBound.seconds): Promise<CheckResult> {
  const { isMarked, age, isOld } = oneRow(
    await sql<{ isMarked: boolean; age: number | null; isOld: boolean | null }[]>`
      with bound as (select extract(epoch from clock_timestamp() - formd.feed_end())::integer as age)
      select exists (
          select from formd.feed_marks m
          where m.made_at > clock_timestamp() - make_interval(secs => ${oldBound.seconds})) as is_marked,
        age, age > ${seconds}::integer + case when exists (
          select from pg_extension x where x.extname = 'citus') then ${oldBound.citusSeconds}::integer else 0 end as is_old
      from bound`,
  );
  if (!isMarked || age === null) return advises(false, "No server has made marks for a minute.");
  if (!isOld) return advises(false, `All that was stored until ${age} seconds ago can be read in order.`);
  const holders = await sql<{ end: string; what: string }[]>`
    select format('process %s of the role %I in the database %I', a.pid, a.usename, a.datname) as what,
      format('select pg_terminate_backend(%s);', a.pid) as end
    from pg_stat_activity a where a.backend_xid is not null and a.pid <> pg_backend_pid()
      and a.xact_start < clock_timestamp() - make_interval(secs => ${seconds})
    union all
    select format('the prepared transaction %L in the database %I', p.gid, p.database),
      format('rollback prepared %L;', p.gid)
    from pg_prepared_xacts p where p.prepared < clock_timestamp() - make_interval(secs => ${seconds})`;
  const named = holders.map(({ what, end }) => `${what}; to end it: ${end}`);
  const reason =
    named.length > 0
      ? `It is held by ${named.join(" And by ")}`
      : "What holds it is not visible: ask as a member of pg_read_all_stats, or see to silent machines of Citus.";
  return advises(`The order can be read until ${age} seconds ago only. ${reason}`, "");
}
