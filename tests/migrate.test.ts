import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { connect, type Sql } from "../src/db.ts";
import { type Embedded, embedded } from "../src/embedded/index.ts";
import { migrate, schemaState, waitForDatabase } from "../src/migrate.ts";

const quiet = () => {};
let folder: string;
let place: Embedded;
let admin: Sql;
let databases = 0;

beforeAll(async () => {
  folder = await mkdtemp("/tmp/formd-test-");
  await chmod(folder, 0o711);
  place = await embedded(folder, quiet);
  admin = connect(place.url.replace("//formd@", "//postgres@").replace("/formd?", "/postgres?"), {
    poolSize: 1,
    prepare: true,
  });
}, 20_000);

afterAll(async () => {
  await admin.end({ timeout: 1 });
  await place.release();
  await rm(folder, { recursive: true });
});

/** A database of its own for each test: the owner's and the application's URL. */
async function newDatabase() {
  const name = `migrate_${++databases}`;
  await admin.unsafe(`create database ${name} owner formd_owner`);
  const named = (url: string) => url.replace("/formd?", `/${name}?`);
  return { owner: named(place.ownerUrl), app: named(place.url) };
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

test("a database with other functions is older, and migrate brings ours", async () => {
  const { owner, app } = await newDatabase();
  const { functions } = await migrate(owner, quiet);
  await using(owner, (sql) => sql.unsafe("comment on schema formd is 'functions sha256:other'"));
  expect((await using(app, schemaState)).state).toBe("older");
  expect(await migrate(owner, quiet)).toEqual({ migrations: [], functions });
  expect((await using(app, schemaState)).state).toBe("current");
});

test("a migration that fails names its file and the reason, and leaves the lock free", async () => {
  const { owner } = await newDatabase();
  await using(owner, (sql) =>
    sql.unsafe("create schema formd; create table formd.schema_migrations (version int)"),
  );
  await expect(migrate(owner, quiet)).rejects.toThrow(/^migration .*failed: [^\n]+$/);
});

test("a refused connection is told in one line that names the place, never the password", async () => {
  const url = place.url.replace("//formd@", "//formd:hunter2@").replace("/formd?", "/nowhere?");
  const message = await using(url, waitForDatabase).catch((error: Error) => error.message);
  expect(message).toMatch(/^no connection to database nowhere at \S+ as formd: [^\n]+$/);
  expect(message).not.toContain("hunter2");
});
