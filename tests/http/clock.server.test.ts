// stacks: one deno gate
/** A server whose clock differs from the database's: what it says, and to whom. */
import { expect, test } from "bun:test";
import { until } from "../expect.ts";
import { ask, service } from "../setup.ts";

const app = await service({ LOG_LEVEL: "info" });
const { sql } = app.database;
const [{ text }] = await sql<[{ text: string }]>`
  select pg_get_functiondef('formd.feed_mark'::regproc) as text`;
/** Moves the database's clock, as the server sees it. */
const move = (seconds: number) =>
  sql.unsafe(text.replace("clock_at := v_now;", `clock_at := v_now + interval '${seconds} seconds';`));

const ready = () => ask(app, "GET", "/readyz");
const metric = async (name: string) => {
  const { body } = await ask(app, "GET", "/metrics");
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1] ?? "NaN");
};
const linesOf = (message: string) =>
  app
    .log()
    .split("\n")
    .filter((line) => line.includes(message));

test("a clock that differs by more than two seconds is told once, and shown by the metrics", async () => {
  expect(text).toContain("clock_at := v_now;");
  await until(async () => (await metric("formd_feed_age_seconds")) < 5);
  expect(await metric("formd_clock_difference_seconds")).toBeLessThan(1);
  await move(5);
  await until(async () => (await metric("formd_clock_difference_seconds")) > 4);
  await until(async () => linesOf("the clock differs from the database's").length > 0);
  const marked = (await sql`select from formd.feed_marks`).length;
  await until(async () => (await sql`select from formd.feed_marks`).length > marked + 1);
  const [line = "", ...more] = linesOf("the clock differs from the database's");
  expect(more).toEqual([]);
  expect(JSON.parse(line).aheadMs).toBeWithin(-6_000, -4_000);
  expect((await ready()).status).toBe(200);
});

test("with more than half a minute a server is not ready, and says to strangers no more than that", async () => {
  await move(-40);
  await until(async () => (await ready()).status === 503);
  const { body } = await ready();
  expect(body).toMatchObject({ code: "unavailable", error: "The server is not ready." });
  expect(JSON.stringify(body)).not.toMatch(/clock|40/);
  expect(linesOf("/readyz is 503 until it is right")).toHaveLength(1);
  await move(0);
  await until(async () => (await ready()).status === 200);
  expect(linesOf("the clock agrees with the database's again")).toHaveLength(1);
});
