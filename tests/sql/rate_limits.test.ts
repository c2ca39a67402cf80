// stacks: one months
import { describe, expect, test } from "bun:test";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { database } from "../setup.ts";
import { inParallel } from "./fixture.ts";

const db = await database();

interface Taken {
  allowed: boolean;
  remaining: number;
  resetMs: number;
}

async function take(key: string, limit: number, windowMs: number, sql: Sql = db.sql): Promise<Taken> {
  const [taken] = await sql<[Taken]>`select * from formd.rate_limit_take(${key}, ${limit}, ${windowMs})`;
  return taken;
}

/** Reads the times and counts of a key. */
async function held(key: string): Promise<number[][]> {
  const [row] = await db.sql<[{ times: number[]; counts: number[] }]>`
    select times::float8[] as times, counts from formd.rate_limits where key = ${key}`;
  return [row.times, row.counts];
}

describe("rate_limit_take", () => {
  test.each([
    [25, 120],
    [256, 400],
    [257, 400],
    [1000, 1600],
  ])(
    "of more at once than %d, exactly that many get through (asked: %d, on 40 connections)",
    async (limit, asked) => {
      const key = `burst:${limit}`;
      const taken = await inParallel(db.ownerUrl, asked, (sql) => take(key, limit, 60_000, sql));
      expect(taken.filter(({ allowed }) => allowed).length).toBe(limit);
      const left = taken.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
      expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, index) => index));
    },
  );

  test.each([
    ["to the microsecond", 20, 500],
    ["in coarse steps", 300, 700],
  ])(
    "no span of the window's length ever holds more than the limit, counted %s",
    async (_, limit, windowMs) => {
      const key = `rolling:${limit}`;
      // When an admission was requested and when the response came: it happened in between.
      const admitted: [from: number, to: number][] = [];
      const sql = connect(db.ownerUrl, { poolSize: 40, prepare: true });
      const began = performance.now();
      const caller = async () => {
        while (performance.now() < began + 3 * windowMs || admitted.length <= 2 * limit) {
          const from = performance.now();
          const { allowed } = await take(key, limit, windowMs, sql);
          if (allowed) admitted.push([from, performance.now()]);
        }
      };
      await Promise.all(Array.from({ length: 40 }, caller));
      const windows = Math.ceil((performance.now() - began) / windowMs);
      await sql.end();

      expect(admitted.length).toBeLessThanOrEqual(limit * windows);
      for (const [start] of admitted) {
        const within = admitted.filter(([from, to]) => from >= start && to < start + windowMs);
        expect(within.length).toBeLessThanOrEqual(limit);
      }
    },
  );

  test("the next request is allowed at the announced time, and not before", async () => {
    const windowMs = 1_000;
    const timed = async () => {
      const from = performance.now();
      const taken = await take("reset", 1, windowMs);
      return { ...taken, from, to: performance.now() };
    };
    // Each is counted between the moments before and after it. PostgreSQL's clock may differ from this one by
    // some milliseconds.
    const first = await timed();
    let next = await timed();
    for (; !next.allowed; next = await timed()) {
      expect(next.from - first.to).toBeLessThan(windowMs + 10);
      const [least, most] = [first.from + windowMs - next.to, first.to + windowMs - next.from];
      expect(next.resetMs).toBeWithin(Math.floor(least) - 10, Math.ceil(most) + 11);
      await Bun.sleep(50);
    }
    expect(next.to - first.from).toBeGreaterThan(windowMs - 10);
  });

  test("what is refused is not counted", async () => {
    await take("refused", 1, 60_000);
    const before = await held("refused");
    for (let i = 0; i < 5; i++) expect((await take("refused", 1, 60_000)).allowed).toBe(false);
    expect(await held("refused")).toEqual(before);
  });

  test("buckets do not see each other", async () => {
    await take("a", 1, 60_000);
    expect((await take("b", 1, 60_000)).allowed).toBe(true);
  });

  test("a clock that was set back gives no second helping", async () => {
    const ahead = (Date.now() + 30_000) * 1000;
    await db.sql`
      insert into formd.rate_limits (key, times, counts, expires_at)
      values ('ahead', ${[ahead]}::bigint[], ${[2]}::integer[], now() + interval '2 minutes')`;
    expect((await take("ahead", 3, 60_000)).allowed).toBe(true);
    expect((await take("ahead", 3, 60_000)).allowed).toBe(false);
    expect(await held("ahead")).toEqual([[ahead], [3]]);
  });

  test("a key of any limit stays under 4 kB", async () => {
    const times = Array.from({ length: 256 }, (_, index) => Date.now() * 1000 - 256 + index);
    await db.sql`
      insert into formd.rate_limits (key, times, counts, expires_at)
      values ('full', ${times}::bigint[], ${times.map(() => 1000)}::integer[], now())`;
    const [row] = await db.sql<[{ size: number }]>`
      select pg_column_size(r.*)::int as size from formd.rate_limits r where key = 'full'`;
    expect(row.size).toBeLessThan(4096);
  });

  test("a lower limit is in effect at once", async () => {
    for (let i = 0; i < 5; i++) await take("lowered", 10, 60_000);
    expect(await take("lowered", 3, 60_000)).toMatchObject({ allowed: false, remaining: 0 });
  });
});

describe("a request that waits for another one of its key", () => {
  /** Counts in a transaction that stays open until its end is asked for. */
  async function holding(key: string, windowMs: number) {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const sql = connect(db.ownerUrl, { poolSize: 1, prepare: true });
    const counted = Promise.withResolvers<Taken>();
    const committed = sql.begin(async (each) => {
      counted.resolve(await take(key, 1, windowMs, each as unknown as Sql));
      await ended;
    });
    const finish = async () => {
      end();
      await committed;
      await sql.end();
    };
    return { taken: await counted.promise, finish };
  }

  test("and gets the key after the window's end is allowed", async () => {
    const { taken, finish } = await holding("late", 400);
    expect(taken.allowed).toBe(true);
    const waiting = take("late", 1, 400);
    await Bun.sleep(500);
    await finish();
    expect(await waiting).toMatchObject({ allowed: true, remaining: 0 });
    expect((await take("late", 1, 60_000)).allowed).toBe(false);
  });

  test("that counted in place of an ended window is refused", async () => {
    await take("taken", 1, 10);
    await Bun.sleep(20);
    const { taken, finish } = await holding("taken", 60_000);
    expect(taken.allowed).toBe(true);
    const waiting = take("taken", 1, 60_000);
    await Bun.sleep(100);
    await finish();
    const { allowed, resetMs } = await waiting;
    expect(allowed).toBe(false);
    expect(resetMs).toBeWithin(1, 60_000 - 90);
  });

  test("and finds that one rolled back is allowed", async () => {
    const sql = connect(db.ownerUrl, { poolSize: 1, prepare: true });
    const waiting = await sql
      .begin(async (each) => {
        await take("undone", 1, 60_000, each as unknown as Sql);
        const waiting = take("undone", 1, 60_000);
        await Bun.sleep(50);
        throw Object.assign(new Error("undo"), { waiting });
      })
      .catch(({ waiting }: { waiting: Promise<Taken> }) => waiting);
    expect(waiting.allowed).toBe(true);
    await sql.end();
  });
});

describe("rate_limit_refund", () => {
  test("gives back the count that was taken last", async () => {
    await take("returned", 2, 60_000);
    const before = await held("returned");
    await db.sql.begin(async (sql) => {
      await sql`select formd.rate_limit_take('returned', 2, 60000)`;
      await sql`select formd.rate_limit_refund('returned')`;
    });
    expect((await held("returned"))[1]).toEqual(before[1] as number[]);
    expect((await take("returned", 2, 60_000)).allowed).toBe(true);
    expect((await take("returned", 2, 60_000)).allowed).toBe(false);
  });

  test("after a hundred takes and returns at once nothing is counted", async () => {
    await inParallel(db.ownerUrl, 100, (sql) =>
      sql.begin(async (each) => {
        await each`select formd.rate_limit_take('pairs', 1000, 60000)`;
        await each`select formd.rate_limit_refund('pairs')`;
      }),
    );
    expect(await held("pairs")).toEqual([[], []]);
  });
});
