/**
 * Tests a pool with queries that come while its connections are busy, on the current runtime. Prints as JSON
 * the time of a quick query beside a slow one, and the outcomes of the other cases.
 *
 * Argument: the URL of a database.
 */
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { connect, type Sql } from "../../src/platform/database/db.ts";

const [url = ""] = process.argv.slice(2);
const pool = (poolSize: number) => connect(url, { poolSize, prepare: true });

/** A pool as the driver has it by default. The driver takes options that it has parsed as they are. */
function pipelining(poolSize: number): Sql {
  const options = { ...pool(poolSize).options, max_pipeline: 100 };
  return postgres(options as unknown as postgres.Options<Record<string, never>>) as Sql;
}

/** Milliseconds of a `select 1` beside a query of two seconds and one of 20 ms, on two connections. */
async function besideSlow(): Promise<number> {
  const sql = pool(2);
  await Promise.all([sql`select 1`, sql`select 1`]);
  const others = [sql`select pg_sleep(2)`.execute(), sql`select pg_sleep(0.02)`.execute()];
  await sleep(5);
  const began = performance.now();
  await sql`select 1`;
  const elapsed = performance.now() - began;
  await Promise.all(others);
  await sql.end();
  return elapsed;
}

/**
 * Begins a transaction while a hundred queries are on a single connection: with it, it has no room for more.
 *
 * @returns whether it was one transaction, and no query of others was in it
 */
async function transactionBehindMany(sql: Sql): Promise<boolean> {
  // Executed at once, or they would be sent after the transaction's begin.
  const currentId = (on: postgres.ISql) =>
    on<{ id: string | null }[]>`select pg_current_xact_id_if_assigned()::text as id`.execute();
  await currentId(sql);
  const others = Array.from({ length: 100 }, () => currentId(sql));
  const inside = sql.begin(async (transaction) => {
    const [first] = await transaction`select pg_current_xact_id()::text as id`;
    others.push(currentId(sql));
    await sleep(20);
    const [second] = await currentId(transaction);
    return first?.id === second?.id;
  });
  others.push(currentId(sql));
  const isOne = await inside;
  const isOutside = (await Promise.all([...others, currentId(sql)])).every(([row]) => row?.id === null);
  await sql.end();
  return isOne && isOutside;
}

/**
 * Ends a pool while queries wait for its connection.
 *
 * @returns their results, and how many of them had come when the pool had ended
 */
async function endBeforeMany(): Promise<{ results: number[]; settled: number }> {
  const sql = pool(1);
  let settled = 0;
  const many = [1, 2, 3].map(async (i) => {
    const [row] = await sql<{ i: number }[]>`select ${i}::int as i, pg_sleep(0.01)`.finally(() => settled++);
    return row?.i ?? 0;
  });
  await sql.end();
  const settledAtEnd = settled;
  return { results: await Promise.all(many), settled: settledAtEnd };
}

const outcomeOf = (work: Promise<unknown>) =>
  Promise.race([work, sleep(10_000, "never settled")]).catch((error) => `${error}`);

console.log(
  JSON.stringify({
    besideSlowMs: await besideSlow(),
    transaction: await outcomeOf(transactionBehindMany(pool(1))),
    transactionPipelined: await outcomeOf(transactionBehindMany(pipelining(1))),
    ended: await outcomeOf(endBeforeMany()),
  }),
);
process.exit(0);
