/**
 * Migrations that a run has carried out without recording them, since it was killed. Here, so that they run
 * on Citus too.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../../src/platform/database/db.ts";
import { copyLater, goodMigrations, importLater } from "../later-build.ts";
import { type Database, database, onCleanup, root, temporaryFolder, testOnOneNode } from "../setup.ts";

const [worker] = process.env.FORMD_TEST_CITUS?.split(",") ?? [];
const [column, unrecorded, , , invalid, missing] = goodMigrations as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const textOf = (name: string) => readFileSync(join(root, "tests/migrations/good", name), "utf8");
const indexOf = (name: string) => /create index concurrently (\w+)/.exec(textOf(name))?.[1] ?? "";

const db = await database();
const folder = temporaryFolder();
copyLater(folder, [column, unrecorded, invalid, missing]);
const { migrate } = await importLater(folder);
await migrate(db.ownerUrl, () => {});

/** Number of indexes per machine, and number of invalid ones. */
async function indexes(): Promise<string[]> {
  const counted = "select count(*) || ' ' || count(*) filter (where not indisvalid) as result from pg_index";
  const here = await db.sql.unsafe(counted);
  const workers = worker
    ? await db.sql`select result from run_command_on_workers(${counted}) order by nodeport`
    : [];
  return [...here, ...workers].map(({ result }) => result);
}

const forget = (name: string) =>
  db.sql`delete from formd.schema_migrations where version = ${name.slice(0, 14)}`;

test("an index that a killed run has built, has left invalid or has not begun is valid on every machine afterwards", async () => {
  const before = await indexes();
  for (const each of before) expect(each).toMatch(/ 0$/);
  for (const name of [unrecorded, invalid, missing]) await forget(name);
  await db.sql`update pg_index set indisvalid = false where indexrelid = ${`formd.${indexOf(invalid)}`}::regclass`;
  await db.sql.unsafe(`drop index formd.${indexOf(missing)}`);
  const { migrations } = await migrate(db.ownerUrl, () => {});
  expect(migrations).toEqual([unrecorded, invalid, missing]);
  expect(await indexes()).toEqual(before);
});

testOnOneNode(
  "a migration waits until a month that is detached is dropped or attached, since it would leave it out",
  async () => {
    await forget(missing);
    await db.sql`create table formd.submissions_2020_01 (like formd.submissions)`;
    await expect(migrate(db.ownerUrl, () => {})).rejects.toThrow("submissions_2020_01 is detached");
    await db.sql`drop table formd.submissions_2020_01`;
    expect((await migrate(db.ownerUrl, () => {})).migrations).toEqual([missing]);
  },
);

test("a statement of a killed run that PostgreSQL still executes is waited for", async () => {
  const before = await indexes();
  await forget(missing);
  await db.sql.unsafe(`drop index formd.${indexOf(missing)}`);
  // "create index concurrently" waits for every older transaction; with Citus for those of a worker, when the
  // coordinator has its part.
  const url = db.ownerUrl.replace("//formd_owner", "//postgres") + (worker ? `&port=${worker}` : "");
  const [holder, owner] = [url, db.ownerUrl].map((each) => {
    const sql = connect(each, { poolSize: 2, prepare: false });
    onCleanup(() => sql.end({ timeout: 1 }));
    return sql;
  }) as [Database["sql"], Database["sql"]];
  const [waits, done] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const held = Promise.withResolvers<void>();
  const holding = holder.begin("isolation level repeatable read", async (sql) => {
    await sql`select from pg_class limit 1`;
    held.resolve();
    await done.promise;
  });
  await held.promise;
  const statement = owner.unsafe(textOf(missing)).execute();
  const waiting = () => holder`
    select from pg_locks join pg_stat_activity using (pid)
    where locktype = 'virtualxid' and not granted and datname = current_database()`;
  while ((await waiting()).length === 0) await delay(20);
  const migrated = migrate(db.ownerUrl, waits.resolve);
  try {
    // On a busy machine the worker's lock timeout may end the build before it is seen.
    const told = await Promise.race([waits.promise, statement.catch(() => undefined)]);
    if (typeof told === "string")
      expect(told).toStartWith("a statement of an earlier run is not finished: waiting for it (process ");
  } finally {
    done.resolve();
  }
  // A build that was ended is begun again.
  await Promise.allSettled([statement]);
  await Promise.all([holding, migrated]);
  expect(await indexes()).toEqual(before);
});
