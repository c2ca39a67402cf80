/**
 * A lease of the PostgreSQL in a data directory: a connection with a shared advisory lock.
 * acquiring → held ⇄ lost → released
 */
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { isUnavailable } from "../../../problem.ts";
import type { Report } from "../../log.ts";
import type { Sql } from "../db.ts";
import { runningRelease } from "../releases.ts";
import type { Cluster } from "./cluster.ts";
import { isAlive, readPostmasterPid, start, startFault, startTimeoutMs, stop } from "./cluster.ts";
import { succeeds } from "./os-user.ts";

/** Keys of advisory locks in the database `postgres`: arbitrary, the same in every version. */
const leaseLock = 7_041_001;
const setupLock = 7_041_002;

/** Consecutive failed starts that count as broken. First ones fail while killed processes end. */
const maxFailedStarts = 5;
/** Pause before the next restart. It doubles after each one. */
const firstPauseMs = 250;
const maxPauseMs = 60_000;
/** A failing restart is reported once per this span. */
const failureReportMs = 60_000;
/** Time after which a stopped PostgreSQL is reported: another formd may be starting it. */
const stopReportMs = 5_000;

/** A lease, released at its scope's end (close your pools before). Restarts a PostgreSQL that dies. */
export class Lease implements AsyncDisposable {
  /** `lost`: PostgreSQL ended while the lease was held. */
  #state: "acquiring" | "held" | "lost" | "released" = "acquiring";
  #released: Promise<void> | undefined;
  #reacquiring: Promise<void> | undefined;
  readonly #cluster: Cluster;
  readonly #report: Report;
  readonly #sql: Sql;
  readonly #name: string;
  /** The data directory. */
  readonly directory: string;
  /** Login `formd`: the application's role. */
  readonly url: string;
  /** Login `formd_owner`: owns the tables and functions, for migrations. */
  readonly ownerUrl: string;

  private constructor(cluster: Cluster, report: Report) {
    this.#cluster = cluster;
    this.directory = cluster.directory;
    this.#report = report;
    this.#name = cluster.binaries.title;
    const host = encodeURIComponent(cluster.socket);
    this.url = `postgres://formd@localhost/formd?host=${host}`;
    this.ownerUrl = `postgres://formd_owner@localhost/formd?host=${host}`;
    this.#sql = adminConnection(cluster, () => this.#connectionClosed());
  }

  /** Acquires a lease, and starts PostgreSQL. @throws Error with one line if it does not start */
  static async acquire(cluster: Cluster, report: Report): Promise<Lease> {
    const lease = new Lease(cluster, report);
    try {
      await lease.#acquire();
      return lease;
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async #acquire(): Promise<void> {
    const { directory } = this.#cluster;
    const giveUpAt = Date.now() + startTimeoutMs;
    let starts = 0;
    let failedStarts = 0;
    for (let error = await this.#hold(); error; error = await this.#hold()) {
      if (!isUnavailable(error)) throw error;
      // A SQLSTATE comes from PostgreSQL itself, which is running, starting or stopping.
      if (!(error instanceof postgres.PostgresError)) {
        if (starts++ === 0) this.#report(`starting ${this.#name} in ${directory}`);
        const outcome = await this.#start();
        if (outcome === "started") continue;
        if (outcome === "failed") failedStarts++;
      }
      if (failedStarts === maxFailedStarts || Date.now() > giveUpAt) {
        const reason = await startFault(this.#cluster);
        throw new Error(`${this.#name} does not start in ${directory}: ${reason}`, { cause: error });
      }
      await delay(100);
    }
    await this.#reportOther();
  }

  /** Reports a PostgreSQL of other programs: another process started it, or an update has replaced them. */
  async #reportOther(): Promise<void> {
    // Lost again: the lease comes back by itself.
    const running = await runningRelease(this.#sql).catch(() => undefined);
    if (running && running !== this.#cluster.binaries.release)
      this.#report(
        `PostgreSQL ${running} runs in ${this.directory}: ${this.#name} does once all processes of formd that use it have ended`,
      );
  }

  /** The process that ends the last lease stops PostgreSQL. Idempotent. */
  release(): Promise<void> {
    this.#released ??= this.#end();
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /**
   * Runs `work` while no other process has a lease. New processes wait until it ends.
   * @param work gets a superuser's connection to the database `postgres`
   * @throws Error with one line if another process has a lease
   */
  async exclusively<T>(work: (admin: Sql) => Promise<T>): Promise<T> {
    // A new process waits for this lock in `setUp`.
    await using _lock = await lockSetup(this.#sql);
    const [leases] = await this.#sql<[{ count: number }]>`
      select count(*)::int from pg_locks
      where locktype = 'advisory' and classid = 0 and objid = ${leaseLock} and granted`;
    if (leases.count > 1)
      throw new Error(`another formd uses the PostgreSQL in ${this.#cluster.directory}: stop it first`);
    return await work(this.#sql);
  }

  /** @returns the error that prevented the lease; undefined: it is held */
  async #hold(): Promise<unknown> {
    try {
      await setUp(this.#sql);
      // Waits while the last process holds the lock, whose stop closes this connection: the next try starts.
      await this.#sql`select pg_advisory_lock_shared(${leaseLock})`;
      if (this.#state !== "released") this.#state = "held";
    } catch (error) {
      return error;
    }
  }

  /** `running`: another process was faster, or a stop or kill is not complete. */
  async #start(): Promise<"started" | "running" | "failed"> {
    if (await succeeds(start(this.#cluster))) return "started";
    return isAlive(await readPostmasterPid(this.#cluster)) ? "running" : "failed";
  }

  #connectionClosed(): void {
    if (this.#state !== "held") return;
    this.#state = "lost";
    this.#reacquiring = this.#reacquire();
  }

  /**
   * Acquires a lost lease again. A clean stop removes PostgreSQL's pid file: an administrator has stopped it,
   * who may copy its files, and will start it, or formd, as a line says. If the file outlives its process,
   * PostgreSQL has died, and only formd starts it again.
   */
  async #reacquire(): Promise<void> {
    let starts = 0;
    let startAt = 0;
    let reportAt = 0;
    const stoppedAt = Date.now() + stopReportMs;
    let isStopReported = false;
    while (this.#state === "lost" && (await this.#hold())) {
      const pid = await readPostmasterPid(this.#cluster);
      const now = Date.now();
      if (this.#state === "lost" && pid && !isAlive(pid) && now >= startAt) {
        startAt = now + Math.min(firstPauseMs * 2 ** starts++, maxPauseMs);
        const outcome = await this.#start();
        if (outcome === "started") this.#report(`restarted ${this.#died()}`);
        if (outcome === "failed" && starts >= maxFailedStarts && now >= reportAt) {
          reportAt = now + failureReportMs;
          this.#report(`cannot restart ${this.#died()}: ${await startFault(this.#cluster)}`);
        }
      }
      if (this.#state === "lost" && !pid && !isStopReported && now >= stoppedAt) {
        isStopReported = true;
        this.#report(
          `another program has stopped ${this.#name} in ${this.#cluster.directory}: start it, or restart formd, which does`,
        );
      }
      await delay(250);
    }
  }

  readonly #died = () => `${this.#name} in ${this.#cluster.directory}, which has died`;

  async #end(): Promise<void> {
    const wasAcquired = this.#state !== "acquiring";
    this.#state = "released";
    try {
      // An attempt in progress may start PostgreSQL or get the lock, and no other process would stop it then.
      await this.#reacquiring;
      if (wasAcquired) await this.#stopIfLast();
    } catch (error) {
      if (!isUnavailable(error)) throw error; // it does not run: nothing to stop
    } finally {
      await this.#sql.end({ timeout: 1 });
    }
  }

  async #stopIfLast(): Promise<void> {
    await this.#sql`select pg_advisory_unlock_shared(${leaseLock})`;
    const [attempt] = await this.#sql`select pg_try_advisory_lock(${leaseLock}) as "isLast"`;
    if (attempt?.isLast) await stop(this.#cluster);
  }
}

/** Connects as the superuser, whose slots are reserved: pools cannot hold all of them. */
const adminConnection = (cluster: Cluster, onclose: () => void): Sql =>
  postgres({
    host: "localhost",
    path: `${cluster.socket}/.s.PGSQL.5432`,
    database: "postgres",
    username: "postgres",
    max: 1,
    prepare: false,
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    backoff: () => 0,
    connection: { application_name: "formd lease" },
    onnotice: () => {},
    onclose,
  });

/** Acquires the set-up lock until the end of the scope. */
async function lockSetup(sql: Sql): Promise<AsyncDisposable> {
  await sql`select pg_advisory_lock(${setupLock})`;
  return {
    async [Symbol.asyncDispose]() {
      await sql`select pg_advisory_unlock(${setupLock})`;
    },
  };
}

/** Creates the roles with their settings, and the database. The next start completes an interrupted one. */
export async function setUp(sql: Sql): Promise<void> {
  await using _lock = await lockSetup(sql);
  const [found] = await sql<[{ database: boolean; roles: boolean }]>`
    select exists (select from pg_database where datname = 'formd') as database,
      exists (select from pg_db_role_setting where setrole = to_regrole('formd') and setconfig @> '{jit=off}') as roles`;
  if (!found.database || !found.roles) {
    await sql.unsafe(`
      do $$ begin
        if to_regrole('formd_owner') is null then create role formd_owner login; end if;
        if to_regrole('formd_app') is null then create role formd_app nologin; end if;
        if to_regrole('formd_admin') is null then create role formd_admin nologin; end if;
        if to_regrole('formd') is null then create role formd login in role formd_app; end if;
      end $$;
      -- No request takes a tenth of it; a runaway query must not hold a connection of the pool for longer.
      alter role formd set statement_timeout = '10s';
      -- Shorter than the statement's: waiting for a lock then has an error of its own, and ends sooner than work.
      alter role formd set lock_timeout = '5s';
      -- A process that stalls within a transaction would keep its locks from every other instance.
      alter role formd set idle_in_transaction_session_timeout = '10s';
      -- A connection keeps the plan of a statement that it made on a small table: docs/dba/statements-and-plans.md.
      alter role formd set enable_seqscan = off;
      alter role formd set jit = off;
    `);
    if (!found.database) await sql`create database formd owner formd_owner`;
  }
}
