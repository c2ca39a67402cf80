import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect, connectOnce, type Sql } from "../src/platform/database/db.ts";
import { embedded } from "../src/platform/database/embedded/index.ts";
import { applyMigrations } from "../src/platform/database/migrations/dbmate.ts";
import { migrate, planMigration } from "../src/platform/database/migrations/index.ts";
import { schemaState } from "../src/platform/database/migrations/state.ts";
import { waitForDatabase } from "../src/platform/database/migrations/wait.ts";
import type { Steps } from "../src/platform/log.ts";
import { copyLater, goodMigrations, importLater } from "./later-build.ts";
import { faultsOf } from "./migration-rules.ts";
import { root } from "./setup.ts";

const quiet = () => {};
const folder = await mkdtemp("/tmp/formd-test-");
await chmod(folder, 0o711);
// Not in a hook, which has a limit: beside other files on a busy machine a cluster begins in a minute.
const place = await embedded(folder, quiet);
const admin = connect(place.url.replace("//formd@", "//postgres@").replace("/formd?", "/postgres?"), {
  poolSize: 1,
  prepare: true,
});
let databases = 0;

afterAll(async () => {
  await admin.end({ timeout: 1 });
  await place.release();
  await rm(folder, { recursive: true });
}, 60_000);

/** A database of its own for each test: the owner's and the application's URL. */
async function newDatabase() {
  const name = `migrate_${++databases}`;
  await admin.unsafe(`create database ${name} owner formd_owner`);
  const named = (url: string) => url.replace("/formd?", `/${name}?`);
  return { owner: named(place.ownerUrl), app: named(place.url) };
}

const superuser = (url: string) => url.replace("//formd@", "//postgres@");

const [baseline] = readdirSync(join(root, "db/migrations")).toSorted() as [string];
/** A later formd has a column, an index on it and a table more. */
const [column, index, table] = goodMigrations as [string, string, string];
const laterNames = [baseline, column, index, table];
const bad = readdirSync(join(root, "tests/migrations/bad"));
let laterFolder: string | undefined;
async function later() {
  if (!laterFolder) {
    laterFolder = join(folder, "later");
    copyLater(laterFolder, laterNames.slice(1));
  }
  return await importLater(laterFolder);
}

/** Runs something on a connection that is closed afterwards. */
async function using<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, { poolSize: 1, prepare: true });
  return await work(sql).finally(() => sql.end({ timeout: 1 }));
}

test("migrating applies every migration and function, and a second time nothing", async () => {
  const { owner, app } = await newDatabase();
  expect((await using(app, schemaState)).state).toBe("absent");
  const first = await migrate(owner, quiet);
  expect(first.migrations.length).toBeGreaterThan(0);
  expect(first.functions).toBeGreaterThan(0);
  expect(await migrate(owner, quiet)).toEqual({ migrations: [], functions: first.functions });
  expect((await using(app, schemaState)).state).toBe("current");
});

test("of two migrations at once one works and the other waits", async () => {
  const { owner, app } = await newDatabase();
  const lines: string[] = [];
  const both = await Promise.all([migrate(owner, quiet), migrate(owner, (line) => lines.push(line))]);
  expect(both.filter(({ migrations }) => migrations.length > 0)).toHaveLength(1);
  expect(both[0]?.functions).toBe(both[1]?.functions as number);
  expect((await using(app, schemaState)).state).toBe("current");
});

test("a database that lacks a migration of this build is older", async () => {
  const { owner, app } = await newDatabase();
  await migrate(owner, quiet);
  await using(
    owner,
    (sql) =>
      sql`delete from formd.schema_migrations where version = (select max(version) from formd.schema_migrations)`,
  );
  expect(await using(app, schemaState)).toEqual({
    state: "older",
    sentence: expect.stringContaining("migrations to apply: 1"),
  });
});

test("a database with a migration that this build does not know is newer, and migrate leaves it alone", async () => {
  const { owner, app } = await newDatabase();
  await migrate(owner, quiet);
  await using(owner, (sql) => sql`insert into formd.schema_migrations values ('99990101000000')`);
  await using(owner, (sql) => sql.unsafe("comment on schema formd is 'functions sha256:theirs'"));
  expect((await using(app, schemaState)).state).toBe("newer");
  await expect(migrate(owner, quiet)).rejects.toThrow(/newer than this formd \(migration 99990101000000\)/);
});

test("a database with other functions is different, and migrate brings ours", async () => {
  const { owner, app } = await newDatabase();
  const { functions } = await migrate(owner, quiet);
  await using(owner, (sql) => sql.unsafe("comment on schema formd is 'functions sha256:other'"));
  expect((await using(app, schemaState)).state).toBe("different");
  expect(await migrate(owner, quiet)).toEqual({ migrations: [], functions });
  expect((await using(app, schemaState)).state).toBe("current");
});

test("a migration that sorts before applied ones is applied as well", async () => {
  const { owner } = await newDatabase();
  const { applyMigrations, migrate, schemaState } = await later();
  const others = laterNames.filter((name) => name !== column && name !== index);
  await applyMigrations(owner, others);
  const steps: Steps = { done: 0 };
  expect((await migrate(owner, quiet, steps)).migrations).toEqual([column, index]);
  expect(steps).toEqual({ done: 2, total: 2 });
  expect((await using(owner, schemaState)).state).toBe("current");
});

test("a database of a commit before the baseline is refused, and left alone", async () => {
  const { owner, app } = await newDatabase();
  await migrate(owner, quiet);
  await using(owner, (sql) => sql`update formd.schema_migrations set version = '20261122000000'`);
  expect((await using(app, schemaState)).state).toBe("unrelated");
  await expect(migrate(owner, quiet)).rejects.toThrow("made by an earlier commit of formd");
  await expect(using(owner, planMigration)).rejects.toThrow("made by an earlier commit of formd");
});

test("a migration that fails names its file and the reason, and leaves the lock free", async () => {
  const { owner } = await newDatabase();
  await using(owner, (sql) =>
    sql.unsafe("create schema formd; create table formd.schema_migrations (version int)"),
  );
  await expect(migrate(owner, quiet)).rejects.toThrow(/^migration .*failed: [^\n]+$/);
});

test("an index whose concurrent build was broken off is built again", async () => {
  const { owner, app } = await newDatabase();
  const { applyMigrations, migrate } = await later();
  await applyMigrations(owner, [baseline, column]);
  await using(owner, (sql) => sql`create index submissions_source_idx on formd.submissions (source)`);
  await using(
    superuser(app),
    (sql) =>
      sql`update pg_index set indisvalid = false where indexrelid = 'formd.submissions_source_idx'::regclass`,
  );
  await migrate(owner, quiet);
  const [found] = await using(
    app,
    (sql) => sql`
      select indisvalid as "isValid", pg_get_indexdef(indexrelid) as definition from pg_index
      where indexrelid = 'formd.submissions_source_idx'::regclass`,
  );
  expect(found).toEqual({ isValid: true, definition: expect.stringContaining("(source, team_id") });
});

test("functions are loaded beside a report that reads their view: they wait for it, and no other report waits for them", async () => {
  const { owner, app } = await newDatabase();
  await migrate(owner, quiet);
  await using(owner, (sql) => sql.unsafe("comment on schema formd is 'functions sha256:other'"));
  const waits = Promise.withResolvers<void>();
  const migrated = await using(superuser(app), (sql) =>
    sql.begin(async (transaction) => {
      await transaction`select from formd.report_submissions`;
      const migrated = migrate(owner, () => waits.resolve());
      await waits.promise;
      await using(superuser(app), (other) => other`select from formd.report_submissions`);
      return [migrated];
    }),
  );
  await migrated[0];
  expect((await using(app, schemaState)).state).toBe("current");
});

test("a database of another encoding is refused before anything is in it", async () => {
  const { owner, app } = await newDatabase();
  const name = `migrate_${databases}_latin`;
  await admin.unsafe(
    `create database ${name} owner formd_owner template template0 encoding LATIN1 locale_provider libc lc_collate 'C' lc_ctype 'C'`,
  );
  const named = (url: string) => url.replace(/migrate_\d+/, name);
  await expect(migrate(named(owner), quiet)).rejects.toThrow("the database has the encoding LATIN1");
  expect((await using(named(app), schemaState)).state).toBe("absent");
});

test("a plan names the pending migrations with their locks, and changes nothing", async () => {
  const { owner } = await newDatabase();
  const { applyMigrations, migrate, planMigration, schemaState } = await later();
  const { migrations, locks } = await using(owner, planMigration);
  expect([migrations, locks[0]]).toEqual([laterNames, { migration: baseline, locks: "none" }]);
  await applyMigrations(owner, [baseline]);
  const plan = await using(owner, planMigration);
  expect(plan.migrations).toEqual(laterNames.slice(1));
  expect(plan.locks[0]).toEqual({ migration: column, locks: "access exclusive on submissions" });
  expect(plan.functions).toBeGreaterThan(0);
  expect((await using(owner, schemaState)).state).toBe("older");
  await migrate(owner, quiet);
  expect(await using(owner, planMigration)).toEqual({ migrations: [], functions: 0, locks: [] });
});

describe("rules of migrations", () => {
  const read = (folder: string, name: string) => readFile(join(root, folder, name), "utf8");

  test("every migration after the baseline keeps them, and each good migration of the tests does too", async () => {
    const { owner } = await newDatabase();
    await applyMigrations(owner, [baseline]);
    const ours = readdirSync(join(root, "db/migrations")).toSorted().slice(1);
    const texts = [
      ...ours.map((name) => [name, "db/migrations"] as const),
      ...goodMigrations.map((name) => [name, "tests/migrations/good"] as const),
    ];
    await using(owner, async (sql) => {
      for (const [name, folder] of texts)
        expect({ name, faults: await faultsOf(sql, await read(folder, name)) }).toEqual({ name, faults: [] });
    });
  });

  test.each(bad)("%s breaks the rule that it names", async (name) => {
    const text = await read("tests/migrations/bad", name);
    const fault = /^-- Fault: (\w+)$/m.exec(text)?.[1];
    const { owner } = await newDatabase();
    await applyMigrations(owner, [baseline]);
    const faults = await using(owner, (sql) => faultsOf(sql, text));
    // squawk's are asked for by .ci/lint-sql.
    expect(faults).toEqual(fault === "squawk" ? [] : [fault as never]);
  });
});

test("an index is built however long it waits: limits of the owner's role are not those of a migration", async () => {
  const { owner, app } = await newDatabase();
  const { applyMigrations, migrate } = await later();
  await applyMigrations(owner, [baseline, column]);
  const name = new URL(owner.replace("?", "#")).pathname.slice(1);
  for (const limit of ["statement_timeout", "lock_timeout"])
    await admin.unsafe(`alter role formd_owner in database ${name} set ${limit} = '1s'`);
  // "create index concurrently" waits for every older transaction.
  const [reading, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reader = using(superuser(app), (sql) =>
    sql.begin("isolation level repeatable read", async (transaction) => {
      await transaction`select from formd.teams`;
      reading.resolve();
      await read.promise;
    }),
  );
  await reading.promise;
  const migrated = migrate(owner, quiet);
  await using(app, async (sql) => {
    const waiting = () => sql`
      select from pg_locks where locktype = 'virtualxid' and not granted
        and pid in (select pid from pg_stat_activity where datname = ${name})`;
    while ((await waiting()).length === 0) await delay(20);
  });
  await delay(1_500);
  read.resolve();
  await reader;
  await migrated;
  const invalid = await using(app, (sql) => sql`select from pg_index where not indisvalid`);
  expect(invalid).toHaveLength(0);
});

test("a database's name is percent-encoded in a URL, as for libpq", async () => {
  await using sql = connectOnce("postgres://formd@localhost/my%20forms?host=/tmp");
  expect(sql.options.database).toBe("my forms");
  expect(() => connectOnce("postgres://formd@localhost/100%?host=/tmp")).toThrow("write %25 for one");
});

test("dates are read whatever DateStyle the database has", async () => {
  const { owner } = await newDatabase();
  await admin.unsafe(`alter database migrate_${databases} set datestyle = 'German'`);
  const [row] = await using(
    owner,
    (sql) => sql<{ at: Date }[]>`select timestamptz '2026-02-01 00:00Z' as at`,
  );
  expect(row?.at).toEqual(new Date("2026-02-01T00:00:00Z"));
});

test("a refused connection is one line that names host and port, never the password", async () => {
  const url = place.url.replace("//formd@", "//formd:hunter2@").replace("/formd?", "/nowhere?");
  const message = await using(url, (sql) => waitForDatabase(sql)).catch((error: Error) => error.message);
  expect(message).toMatch(/^no connection to database nowhere at \S+ as formd: [^\n]+$/);
  expect(message).not.toContain("hunter2");
});
