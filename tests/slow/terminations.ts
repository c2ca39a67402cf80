/**
 * Terminates the connections of a pool in every phase of a query, on the runtime that it is started with, and
 * prints what became of the queries as JSON. Each query selects a token of its own and a known number of
 * rows, and must settle: with exactly those rows, or with an error that means "unavailable". In most phases
 * PostgreSQL ends the connection at a known point, where it evaluates `t.die()`.
 *
 * Arguments: the URL of a database in which the role owns an empty schema `t`; the number of terminations.
 */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { isUnavailable } from "../../src/problem.ts";

const [url = "", wanted = "500"] = process.argv.slice(2);
const poolSize = 3;
const workerCount = 6;
/** Long after every termination: nothing here takes half a second. */
const settleLimitMs = 5000;

const admin = connect(url, { poolSize: 1, prepare: true });
const counts = {
  terminations: 0,
  phases: {} as Record<string, number>,
  outcomes: { rows: 0, error: 0 },
  errorCodes: {} as Record<string, number>,
};
const faults: string[] = [];

const increment = (counters: Record<string, number>, name: string, by = 1) => {
  counters[name] = (counters[name] ?? 0) + by;
};

function report(): void {
  console.log(JSON.stringify({ ...counts, faults: faults.slice(0, 10) }, null, 1));
  process.exit(0);
}

/** The first error ends the run, since what depends on it may wait for ever. */
function fault(text: string): void {
  if (faults.push(text) === 1) setTimeout(report, 500);
}
process.on("unhandledRejection", (error) => fault(`unhandled rejection: ${error}`));

let tokenCount = 0;
const newToken = () => `token-${++tokenCount}`;
const between = (low: number, high: number) => low + Math.floor(Math.random() * (high - low));

interface Row {
  token: string;
  i: number;
}

/** Checks whether these are the rows 1 to `count` of the token, in order and without gaps. */
function isOwn(rows: { token?: unknown; i?: unknown }[], token: string, count: number): boolean {
  for (let i = 0; i < count; i++) if (rows[i]?.token !== token || rows[i]?.i !== i + 1) return false;
  return rows.length === count;
}

/**
 * Waits until the work settles, and checks its result or its error.
 *
 * @returns whether it has resolved
 */
async function settle<T>(name: string, work: PromiseLike<T>, isRight: (result: T) => boolean) {
  const timer = new AbortController();
  const limit = sleep(settleLimitMs, undefined, { signal: timer.signal }).then(
    () => fault(`${name}: never settled`),
    () => {},
  );
  const settled = Promise.resolve(work).then(
    (result) => {
      counts.outcomes.rows++;
      if (!isRight(result)) fault(`${name}: resolved with ${JSON.stringify(result)?.slice(0, 200)}`);
      return true;
    },
    (error) => {
      counts.outcomes.error++;
      increment(counts.errorCodes, error.code);
      if (!isUnavailable(error)) fault(`${name}: rejected with ${error}`);
      return false;
    },
  );
  const isResolved = await Promise.race([settled, limit.then(() => false)]);
  timer.abort();
  return isResolved;
}

/** The forms of a query that does not end its own connection. */
const forms: ((on: postgres.ISql, token: string, count: number) => Promise<boolean>)[] = [
  (on, token, count) =>
    settle(
      "prepared",
      on<Row[]>`select ${token}::text as token, i from generate_series(1, ${count}::int) i`,
      (rows) => isOwn(rows, token, count),
    ),
  (on, token) =>
    settle("array", on<Row[]>`select token, 1 as i from unnest(${[token]}::text[]) a(token)`, (rows) =>
      isOwn(rows, token, 1),
    ),
  (on, token, count) =>
    settle(
      "values",
      on<Row[]>`select ${token}::text, i from generate_series(1, ${count}::int) i`.values(),
      (rows) =>
        isOwn(
          Array.from(rows, ([token, i]) => ({ token, i })),
          token,
          count,
        ),
    ),
  (on, token, count) =>
    settle(
      "simple",
      on.unsafe<Row[][]>(
        `select '${token}' as token, 1 as i; select '${token}' as token, i from generate_series(1, ${count}) i`,
      ),
      ([first = [], second = []]) => isOwn(first, token, 1) && isOwn(second, token, count),
    ),
];

function attempt(on: postgres.ISql): Promise<boolean> {
  const form = forms[between(0, forms.length)] as (typeof forms)[number];
  return form(on, newToken(), between(1, 30));
}

/** One query, and at once another one when it fails, as a caller would that tries again. */
const query = async (on: postgres.ISql) => (await attempt(on)) || (await attempt(on));

const queries = (count: number, on: postgres.ISql) =>
  Promise.all(Array.from({ length: count }, () => query(on)));

/** Terminates a connection from outside, and has others use its place in the pool. */
async function terminate(on: Sql, pid: number): Promise<void> {
  // Polls by itself: `pg_terminate_backend` with a timeout looks every 100 ms only.
  await admin`select pg_terminate_backend(${pid})`;
  while ((await admin`select from pg_stat_activity where pid = ${pid}`).length > 0) await sleep(1);
  await queries(poolSize, on);
}

/** Tokens of transactions and COPYs, by how these settled. */
const tokens = { resolved: new Set<string>(), rejected: new Set<string>() };

interface Phase {
  on: Sql;
  token: string;
  /** Checks that the work is rejected. */
  dies(work: PromiseLike<unknown>): Promise<boolean>;
  /** Checks that the work is kept exactly if it has resolved. */
  keeps(work: PromiseLike<unknown>): Promise<void>;
  /** Does the work on a reserved connection, if one is to be had. */
  reserved(work: (held: Sql, pid: number) => Promise<unknown>): Promise<void>;
}

function phaseOf(name: string, on: Sql): Phase {
  const token = newToken();
  return {
    on,
    token,
    dies: (work) => settle(name, work, () => false),
    async keeps(work) {
      const isResolved = await settle(name, work, () => true);
      tokens[isResolved ? "resolved" : "rejected"].add(token);
    },
    async reserved(work) {
      const reserving = on.reserve();
      if (!(await settle(name, reserving, () => true))) return;
      const held = await reserving;
      const asking = held<{ pid: number }[]>`select pg_backend_pid() as pid`;
      if (await settle(name, asking, () => true)) await work(held, (await asking)[0]?.pid ?? 0);
      held.release();
    },
  };
}

async function* copyLines(token: string, onHalf = async () => {}) {
  for (let i = 1; i <= 20; i++) {
    if (i === 10) await onHalf();
    yield `${token}\t${i}\n`;
  }
}

async function drain(source: AsyncIterable<unknown>, onBatch: (batch: unknown) => unknown = () => {}) {
  for await (const batch of source) await onBatch(batch);
}

/** A cursor whose connection is terminated once the first of its three batches has come. */
const suspendedCursor = (on: Sql, token: string) =>
  on<{ pid: number }[]>`
    select ${token}::text as token, pg_backend_pid() as pid, i from generate_series(1, 100) i`;

const phases: Record<string, (phase: Phase) => Promise<unknown>> = {
  // The domain's check runs when the literal is parsed.
  parse: ({ on, token, dies }) => dies(on`select ${token}::text as token, '{1}'::t.dies[]`),
  execute: ({ on, token, dies }) => dies(on`select ${token}::text as token, t.die()`),
  "rows arriving": ({ on, token, dies }) =>
    dies(on`
      select ${token}::text as token, repeat('x', 500), case when i = ${between(20, 200)}::int then t.die() end
      from generate_series(1, 200) i`),
  "rows of a second statement": ({ on, token, dies }) =>
    dies(
      on.unsafe(`select '${token}' as token;
        select repeat('x', 500), case when i = 50 then t.die() end from generate_series(1, 60) i`),
    ),
  "cursor, in a batch": ({ on, token, dies }) =>
    dies(
      drain(
        on`select ${token}::text, case when i = 150 then t.die() end from generate_series(1, 200) i`.cursor(
          40,
        ),
      ),
    ),
  "cursor, between batches": ({ on, token, dies }) => {
    let isFirst = true;
    const batches = suspendedCursor(on, token).cursor(40);
    return dies(
      drain(batches, async (batch) => {
        if (isFirst) await terminate(on, (batch as { pid: number }[])[0]?.pid ?? 0);
        isFirst = false;
      }),
    );
  },
  "cursor, left": async ({ on, token }) => {
    const leave = async () => {
      for await (const [row] of suspendedCursor(on, token).cursor(40)) {
        await terminate(on, row?.pid ?? 0);
        return;
      }
    };
    await settle("cursor, left", leave(), () => true);
  },
  "cursor, by callback": ({ on, token, dies }) =>
    dies(suspendedCursor(on, token).cursor(40, ([row]) => terminate(on, row?.pid ?? 0) as Promise<never>)),
  "COPY out": ({ token, dies, reserved }) =>
    reserved(async (held) => {
      const text = `copy (select '${token}', repeat('x', 500), case when i = 100 then t.die() end from generate_series(1, 200) i) to stdout`;
      await dies(held.unsafe(text).readable().then(drain));
    }),
  "COPY in": ({ on, token, keeps, reserved }) =>
    reserved(async (held, pid) => {
      const lines = Readable.from(copyLines(token, () => terminate(on, pid)));
      const copying = held.unsafe("copy t.copied from stdin").writable();
      await keeps(copying.then((stream) => pipeline(lines, stream)));
    }),
  // A trigger ends it when all rows have been sent.
  "COPY in, at its end": ({ token, keeps, reserved }) =>
    reserved(async (held) => {
      const copying = held.unsafe("copy t.dying from stdin").writable();
      await keeps(copying.then((stream) => pipeline(Readable.from(copyLines(token)), stream)));
    }),
  transaction: async ({ on, token, keeps, dies }) => {
    let rest: Promise<unknown> | undefined;
    const work = async (held: postgres.ISql) => {
      const [row] = await held<{ pid: number }[]>`
        insert into t.copied values (${token}, 1) returning pg_backend_pid() as pid`;
      await terminate(on, row?.pid ?? 0);
      await dies(held`insert into t.copied values (${token}, 2)`);
    };
    await keeps(on.begin((held) => (rest = work(held))));
    // It goes on after `begin` has been rejected.
    await rest?.catch(() => {});
  },
  "transaction, statements at once": async ({ on, token, keeps, dies }) => {
    let rest: Promise<unknown> | undefined;
    const work = (held: postgres.ISql) =>
      Promise.all([
        query(held),
        dies(held`select ${token}::text, t.die()`),
        dies(held`insert into t.copied values (${token}, 1)`),
        dies(held`select 1`),
      ]);
    await keeps(on.begin((held) => (rest = work(held))));
    await rest;
  },
  reserved: ({ on, dies, reserved }) =>
    reserved(async (held, pid) => {
      await terminate(on, pid);
      await dies(held`select 1`);
      await dies(held`select ${2}`);
    }),
  "reserved, statements at once": ({ token, dies, reserved }) =>
    reserved((held) =>
      Promise.all([query(held), dies(held`select ${token}::text, t.die()`), dies(held`select 1`)]),
    ),
};

/** Phases that terminate any connection that they find. */
const outsidePhases: typeof phases = {
  idle: async ({ on }) => {
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where usename = current_user and datname = current_database() and pid <> pg_backend_pid() and state = 'idle'
      limit ${between(1, poolSize + 1)}`;
    await queries(poolSize, on);
  },
  "any moment": async () => {
    await sleep(between(0, 4));
    const found = await admin<{ query: string }[]>`
      select query, pg_terminate_backend(pid) from pg_stat_activity
      where usename = current_user and datname = current_database() and pid <> pg_backend_pid()`;
    // The driver's first query on a connection asks for the array types.
    const starting = found.filter(({ query }) => query === "" || query.includes("typarray"));
    increment(counts.phases, "start of a connection", starting.length);
  },
};

async function countTerminations(): Promise<number> {
  const [row] = await admin<{ count: number }[]>`
    select pg_stat_get_db_sessions_killed(oid)::int as count from pg_database where datname = current_database()`;
  return row?.count ?? 0;
}

await admin.unsafe(`
  create function t.die() returns boolean language sql
    as 'select pg_terminate_backend(pg_backend_pid()) and pg_sleep(5) is null';
  create domain t.dies as int check (t.die());
  create table t.copied (token text, i int);
  create table t.dying (token text, i int);
  create function t.die_at_end() returns trigger language plpgsql as 'begin perform t.die(); return null; end';
  create trigger die_at_end after insert on t.dying execute function t.die_at_end()`);

// One connection, one phase after the other: each leaves nothing to the query that follows.
const single = connect(url, { poolSize: 1, prepare: true });
for (const [name, run] of Object.entries(phases)) {
  increment(counts.phases, name);
  await run(phaseOf(name, single));
  // The driver learns of an error before it learns that the connection is closed.
  await sleep(10);
  await settle(`the query after ${name}`, attempt(single), (isResolved) => isResolved);
}
const dying = settle("end", single`select pg_sleep(0.1), t.die()`, () => false);
await sleep(10);
await settle("end", single.end(), () => true);
await dying;

// All phases at once.
const pool = connect(url, { poolSize, prepare: true });
const everyPhase = Object.entries({ ...phases, ...outsidePhases });
let next = 0;
async function work(): Promise<void> {
  while (counts.terminations < Number(wanted) && faults.length === 0) {
    const [name, run] = everyPhase[next++ % everyPhase.length] as (typeof everyPhase)[number];
    increment(counts.phases, name);
    await Promise.all([run(phaseOf(name, pool)), queries(2, pool)]);
    if (next % 20 === 0) counts.terminations = await countTerminations();
  }
}
await Promise.all(Array.from({ length: workerCount }, work));
await sleep(100);

// Nothing is terminated any more: every query has its rows, and the pool has all its connections.
await settle("afterwards", queries(100, pool), (resolved) => !resolved.includes(false));
const reserving = Promise.all(Array.from({ length: poolSize }, () => pool.reserve()));
if (await settle("all connections", reserving, () => true))
  for (const held of await reserving) held.release();
await settle("end", pool.end(), () => true);

const kept = await admin<{ token: string }[]>`
  select distinct token from (table t.copied union all table t.dying) as both_tables`;
const keptTokens = new Set(kept.map(({ token }) => token));
for (const token of tokens.resolved) if (!keptTokens.has(token)) fault(`${token} was lost`);
for (const token of tokens.rejected) if (keptTokens.has(token)) fault(`${token} failed and was kept`);
await admin.end();
report();
