/**
 * A process's seat at the PostgreSQL of a data directory: a connection that holds an advisory lock, shared with the others'.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { isUnavailable, type Sql } from "../db.ts";
import { release } from "./binaries.ts";
import {
  type Cluster,
  isAlive,
  lastLogLine,
  type Report,
  readPostmasterPid,
  start,
  startLimit,
  stop,
} from "./cluster.ts";
import { succeeds } from "./os-user.ts";

/** Keys of advisory locks in the cluster's `postgres` database; any constants, the same in every version of formd. */
const leaseLock = 7_041_001;
const setupLock = 7_041_002;

export interface Lease {
  /** Gives it back; the last one to leave stops PostgreSQL. */
  release(): Promise<void>;
  /**
   * Does work that must meet nobody else: others who come meanwhile wait.
   *
   * @param work gets a connection of the superuser to the database `postgres`
   * @throws Error with one line when somebody else has a seat
   */
  exclusively<T>(work: (admin: Sql) => Promise<T>): Promise<T>;
}

/** Takes a seat, starting PostgreSQL when nobody has; stays in through restarts of PostgreSQL. */
export async function acquire(cluster: Cluster, report: Report): Promise<Lease> {
  const place = `PostgreSQL ${release(cluster.binaries)}`;
  let held = false;
  let leaving = false;
  const sql = postgres({
    host: "localhost",
    path: `${cluster.socket}/.s.PGSQL.5432`,
    database: "postgres",
    // The superuser: its slots are reserved, so that a command can join when the pools have taken all the others.
    username: "postgres",
    max: 1,
    prepare: false,
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    backoff: () => 0,
    connection: { application_name: "formd seat" },
    onnotice: () => {},
    onclose: () => {
      if (held && !leaving) void reacquire();
      held = false;
    },
  });

  async function hold(): Promise<void> {
    await setUp(sql);
    // Waits while the last one out holds it alone; the stop then cuts us off, and the next attempt starts PostgreSQL.
    await sql`select pg_advisory_lock_shared(${leaseLock})`;
    held = true;
  }

  /**
   * PostgreSQL has gone from under us. A clean stop removes its pid file: somebody wants it down, and will start it. A
   * file that outlives its process means that PostgreSQL died, and nobody but us would start it again.
   */
  async function reacquire(): Promise<void> {
    while (!leaving) {
      const back = await hold().then(
        () => true,
        () => false,
      );
      if (back) return;
      const pid = await readPostmasterPid(cluster);
      if (!leaving && pid && !isAlive(pid)) await start(cluster).catch(() => {});
      await delay(250);
    }
  }

  async function leave(): Promise<void> {
    leaving = true;
    try {
      if (held) {
        await sql`select pg_advisory_unlock_shared(${leaseLock})`;
        const [last] = await sql`select pg_try_advisory_lock(${leaseLock}) as alone`;
        if (last?.alone) {
          await stop(cluster);
          report(`stopped ${place} in ${cluster.folder}`);
        }
      }
    } catch (error) {
      // Down already: then there is nothing to stop.
      if (!isUnavailable(error)) throw error;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Who comes has to pass `setUp`, and waits there. */
  async function alone<T>(work: (admin: Sql) => Promise<T>): Promise<T> {
    await sql`select pg_advisory_lock(${setupLock})`;
    try {
      const [seats] = await sql<[{ taken: number }]>`
        select count(*)::int as taken from pg_locks
        where locktype = 'advisory' and classid = 0 and objid = ${leaseLock} and granted`;
      if (seats.taken > 1)
        throw new Error(`another formd uses the PostgreSQL in ${cluster.folder}: stop it first`);
      return await work(sql);
    } finally {
      await sql`select pg_advisory_unlock(${setupLock})`;
    }
  }

  try {
    let started = false;
    let told = false;
    let refusals = 0;
    for (const giveUp = Date.now() + startLimit; ; await delay(100)) {
      const error = await hold().catch((error: unknown) => error);
      if (!error) break;
      if (!isUnavailable(error)) throw error;
      const tooLate = Date.now() > giveUp;
      // A SQLSTATE is PostgreSQL's own word: it is there, but starting or stopping.
      if (!tooLate && error instanceof postgres.PostgresError) continue;
      if (!told) report(`starting ${place} in ${cluster.folder}`);
      told = true;
      started = !tooLate && (await succeeds(start(cluster)));
      // Refused while a postmaster lives: another start was first, or a stop or a kill is not through yet.
      if (tooLate || (!started && !isAlive(await readPostmasterPid(cluster)) && ++refusals === 5))
        throw new Error(`${place} does not start in ${cluster.folder}: ${await lastLogLine(cluster)}`, {
          cause: error,
        });
    }
    if (!started) report(`joined the ${place} that is running in ${cluster.folder}`);
    return { release: leave, exclusively: alone };
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
}

/** Roles and database. A start that was cut short is completed by the next. */
export async function setUp(sql: Sql): Promise<void> {
  await sql`select pg_advisory_lock(${setupLock})`;
  const [found] = await sql<[{ database: boolean; roles: boolean }]>`
    select exists (select from pg_database where datname = 'formd') as database, to_regrole('formd_admin') is not null as roles`;
  if (!found.database || !found.roles) {
    await sql.unsafe(`
      do $$ begin
        if to_regrole('formd_owner') is null then create role formd_owner login; end if;
        alter role formd_owner nocreaterole; -- which 0.1 gave it
        if to_regrole('formd_app') is null then create role formd_app nologin; end if;
        if to_regrole('formd_admin') is null then create role formd_admin nologin; end if;
        if to_regrole('formd') is null then create role formd login in role formd_app; end if;
      end $$;
      -- No request of ours takes a tenth of it; a runaway must not hold a connection of the pool for longer.
      alter role formd set statement_timeout = '10s';
      -- Shorter than the statement's: waiting behind a lock is told apart, and answered sooner, than working.
      alter role formd set lock_timeout = '5s';
      -- A process that stalls in mid-transaction would keep its locks from every other instance.
      alter role formd set idle_in_transaction_session_timeout = '10s';
    `);
    if (!found.database) await sql`create database formd owner formd_owner`;
  }
  await sql`select pg_advisory_unlock(${setupLock})`;
}
