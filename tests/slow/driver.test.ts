/**
 * Guarantees of postgres.js with patches/: a query settles exactly once, with its own rows or with an error,
 * regardless of the state of its connection. FORMD_TERMINATIONS sets the number of connections that are
 * terminated on each runtime.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { database, run } from "../setup.ts";

const { FORMD_TERMINATIONS: wanted = "500" } = process.env;
const timeoutMs = 600_000;

let sql: Sql;
beforeAll(async () => {
  sql = connect((await database()).url, { poolSize: 1, prepare: true });
}, timeoutMs);
afterAll(() => sql?.end({ timeout: 1 }));

const runtimes: [name: string, program: string, args: string[]][] = [
  ["Bun", process.execPath, []],
  ["Deno", "node_modules/.bin/deno", ["run", "-A"]],
];

test.each(runtimes)(
  "a query whose connection is terminated, in whatever phase, fails, and every other query has its own rows: on %s",
  async (_, program, args) => {
    const { ownerUrl, sql } = await database();
    await sql`create schema t authorization formd_owner`;
    const ran = await run(program, [...args, "tests/slow/terminations.ts", ownerUrl, wanted]);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const { faults, terminations, phases } = JSON.parse(ran.stdout);
    expect(faults).toEqual([]);
    expect(terminations).toBeGreaterThanOrEqual(Number(wanted));
    expect(phases["start of a connection"]).toBeGreaterThan(0);
  },
  timeoutMs,
);

test.each(runtimes)(
  "a slow query delays no other, a transaction keeps its connection, and an ended pool settles pending queries: on %s",
  async (_, program, args) => {
    const ran = await run(program, [...args, "tests/slow/pool.ts", (await database()).url]);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const { besideSlowMs, ...cases } = JSON.parse(ran.stdout);
    expect(cases).toEqual({
      transaction: true,
      transactionPipelined: true,
      ended: { results: [1, 2, 3], settled: 3 },
    });
    expect(besideSlowMs).toBeLessThanOrEqual(100);
  },
  timeoutMs,
);

test("a query that fails among its rows leaves none of them to the next", async () => {
  await expect(sql`select 1 / (4 - i) from generate_series(1, 10) i`.execute()).rejects.toThrow(
    "division by zero",
  );
  expect([...(await sql`select i from generate_series(1, 3) i`)]).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }]);
});

test("a query that cannot be sent fails alone, also behind another one on the same connection", async () => {
  const ask = (i: number | undefined) => sql`select ${i as number}::int as i`;
  await ask(0);
  const settled = await Promise.allSettled([ask(1), ask(undefined), ask(undefined), ask(2), ask(3)]);
  expect(settled.map((one) => (one.status === "fulfilled" ? one.value[0]?.i : one.reason.code))).toEqual([
    1,
    "UNDEFINED_VALUE",
    "UNDEFINED_VALUE",
    2,
    3,
  ]);
});
