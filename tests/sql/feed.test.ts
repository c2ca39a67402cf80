/** Ids and marks: the order in which all that is stored can be read. tests/slow/feed.test.ts reads in it. */
import { beforeEach, describe, expect, test } from "bun:test";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { checkFeed } from "../../src/platform/ops/feed.ts";
import { makeForm, testOnOneNode } from "../setup.ts";
import { inParallel, sqlFixture, submit } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);

beforeEach(async () => {
  await sql`truncate formd.feed_marks`;
});

const marks = () =>
  sql<{ xid: string; madeAt: Date; boundAt: Date | null }[]>`
    select xid::text, made_at, bound_at from formd.feed_marks order by xid`;
const end = async (each: Sql = sql) => {
  const [row] = await each<[{ end: Date | null }]>`select formd.feed_end() as end`;
  return row.end;
};
/** Milliseconds after which the bound is at a mark: at the next one, and on Citus after two minutes. */
const step = testOnOneNode === test ? 1_010 : 121_000;
/** Makes a mark, as if a step had passed since the last one. */
async function mark(each: Sql = sql) {
  await sql`
    update formd.feed_marks
    set made_at = made_at - ${`${step} ms`}::interval, bound_at = bound_at - ${`${step} ms`}::interval`;
  await each`select formd.feed_mark()`;
}
/** Moves the last mark, as if the clock had been ahead by that much until now. */
const ahead = (interval: string) =>
  sql`insert into formd.feed_marks (xid, made_at) values (pg_current_xact_id(), clock_timestamp() + ${interval}::interval)`;
/** The first truthy result: a transaction of another test may hold the bound for a moment. */
async function soon<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 3_000; tries++) {
    const found = await read();
    if (found) return found;
    await Bun.sleep(10);
  }
  return await read();
}
const timeOf = (id: string) => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

describe("a mark", () => {
  test("is made once a second by any number of servers, and nobody waits for another", async () => {
    const began = performance.now();
    await inParallel(app.database.ownerUrl, 40, (each) => each`select formd.feed_mark()`);
    const seconds = Math.ceil((performance.now() - began) / 1000);
    const made = await marks();
    expect(made.length >= 1 && made.length <= seconds).toBe(true);
    await sql`update formd.feed_marks set made_at = made_at - ${`${2 * step} ms`}::interval`;
    const holder = connect(app.database.ownerUrl, { poolSize: 1, prepare: false });
    try {
      await holder.begin(async (inner) => {
        await inner`select formd.feed_mark()`;
        await inParallel(app.database.ownerUrl, 20, (each) => each`select formd.feed_mark()`);
      });
    } finally {
      await holder.end();
    }
    const then = await marks();
    expect(then).toHaveLength(made.length + 1);
    expect(then.at(-1)?.boundAt).toEqual(then.at(-2)?.madeAt as Date);
  });

  test("is a millisecond after the last one while the clock is behind it", async () => {
    await ahead("5 minutes");
    await sql`select formd.feed_mark()`;
    const [last, next] = await marks();
    expect((next?.madeAt.getTime() ?? 0) - (last?.madeAt.getTime() ?? 0)).toBe(1);
  });

  test("of another cluster, and one that is an hour ahead, go, so that neither stops ids and marks", async () => {
    await mark();
    const [good] = await marks();
    await ahead("2 hours");
    await sql`insert into formd.feed_marks (xid, made_at) values ('9000000000', now() - interval '1 day')`;
    await sql`select formd.feed_mark()`;
    expect((await marks()).map(({ xid }) => xid)).toEqual([good?.xid ?? ""]);
  });
});

describe("the bound", () => {
  test("is the mark before the last one; none is known before the second", async () => {
    expect(await end()).toBeNull();
    await mark();
    expect(await end()).toBeNull();
    await mark();
    const [first] = await marks();
    expect(await soon(async () => (await end())?.getTime())).toBe(first?.madeAt.getTime());
  });

  const elsewhere = new URL(app.database.ownerUrl);
  elsewhere.pathname = "/postgres";
  test.each([
    ["stays while a transaction with a number is open", app.database.ownerUrl, "pg_current_xact_id()", true],
    ["stays while one is open in another database", elsewhere.href, "pg_current_xact_id()", true],
    ["goes on while a transaction reads", app.database.ownerUrl, "txid_current_if_assigned()", false],
  ])("%s", async (_, url, call, isHeld) => {
    await mark();
    const holder = connect(url, { poolSize: 1, prepare: false });
    await holder.begin(async (inner) => {
      await inner.unsafe(`select ${call}`);
      await mark();
      const [held] = await marks();
      for (let n = 0; n < 3; n++) await mark();
      // All marks went back by three steps meanwhile.
      const bound = async () => ((await end())?.getTime() ?? 0) > (held?.madeAt.getTime() ?? 0) - 3 * step;
      if (isHeld) expect(await bound()).toBe(false);
      else expect(await soon(bound)).toBe(true);
    });
    await holder.end();
  });
});

describe("an id", () => {
  test("of a submission is made by the clock of the database, which its receipt and its row have", async () => {
    const { response } = await submit(sql, team, { form });
    const [row] = await sql<[{ at: Date; off: number }]>`
      select created_at as at, abs(extract(epoch from clock_timestamp() - created_at))::float8 as off
      from formd.submissions where id = ${response?.id ?? ""}`;
    expect(timeOf(response?.id ?? "")).toBe(row.at.getTime());
    expect(row.off).toBeLessThan(5);
  });

  test("is not before the last mark, though the clock has been set back", async () => {
    await ahead("5 minutes");
    const [last] = await marks();
    const { response } = await submit(sql, team, { form });
    expect(timeOf(response?.id ?? "")).toBe(last?.madeAt.getTime() ?? 0);
  });

  test("is made after its transaction has a number, so that what waits is above the bound", async () => {
    const holder = connect(app.database.ownerUrl, { poolSize: 1, prepare: false });
    await mark();
    await mark();
    expect(await soon(end)).not.toBeNull();
    await holder.begin(async (inner) => {
      const [{ id }] = await inner<[{ id: string }]>`select formd.uuid_make() as id`;
      for (let n = 0; n < 3; n++) await mark();
      expect(timeOf(id)).toBeGreaterThanOrEqual((await end())?.getTime() ?? Number.POSITIVE_INFINITY);
    });
    await holder.end();
  });
});

testOnOneNode("doctor names the transaction that holds the order, and how to end it", async () => {
  await mark();
  await mark();
  expect(await soon(async () => (await checkFeed(sql)).message.startsWith("All that was stored"))).toBe(true);
  const holder = connect(app.database.ownerUrl, { poolSize: 1, prepare: false });
  const pid = await holder.begin(async (inner) => {
    const [{ pid }] = await inner<[{ pid: number }]>`select pg_backend_pid() as pid, pg_current_xact_id()`;
    await Bun.sleep(1_100);
    await sql`select formd.feed_mark()`;
    const { message, isAdvice } = await checkFeed(sql, 1);
    expect(isAdvice).toBe(true);
    expect(message).toContain(`process ${pid} of the role formd_owner in the database`);
    expect(message).toContain(`select pg_terminate_backend(${pid});`);
    // Without pg_read_all_stats nothing of others is seen.
    const server = connect(app.database.url, { poolSize: 1, prepare: false });
    expect((await checkFeed(server, 1)).message).toContain("pg_read_all_stats");
    await server.end();
    return pid;
  });
  expect(pid).toBePositive();
  await holder.end();
  await sql`truncate formd.feed_marks`;
  expect((await checkFeed(sql)).message).toBe("No server has made marks for a minute.");
});
