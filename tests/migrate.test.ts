import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { connect, connectOnce, type Sql } from "../src/db.ts";
import { type Embedded, embedded } from "../src/embedded/index.ts";
import { applyMigrations } from "../src/migrations/dbmate.ts";
import { migrate, planMigration } from "../src/migrations/index.ts";
import { schemaState } from "../src/migrations/state.ts";
import { waitForDatabase } from "../src/migrations/wait.ts";
import { root } from "./setup.ts";

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
}, 120_000);

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

const superuser = (url: string) => url.replace("//formd@", "//postgres@");

const migrationNames = async () => (await readdir(join(root, "db/migrations"))).toSorted();

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

test("a migration that sorts before those that a database has is applied to it, and leaves today's functions as they are", async () => {
  const { owner, app } = await newDatabase();
  await migrate(owner, quiet);
  const functions = () =>
    using(
      owner,
      (sql) =>
        sql`select pg_get_functiondef(oid) from pg_proc where pronamespace = 'formd'::regnamespace order by oid`,
    );
  const before = await functions();
  const earlier = "20261121213200_rows_of_waiting_calls.sql";
  await using(
    owner,
    (sql) => sql`delete from formd.schema_migrations where version = ${earlier.slice(0, 14)}`,
  );
  expect((await using(owner, planMigration)).locks).toEqual([{ migration: earlier, locks: "none" }]);
  expect((await migrate(owner, quiet)).migrations).toEqual([earlier]);
  expect([...(await functions())]).toEqual([...before]);
  expect((await using(app, schemaState)).state).toBe("current");
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
  const all = await migrationNames();
  await applyMigrations(owner, all.slice(0, all.indexOf("20261121220601_sessions_expiry.sql")));
  await using(owner, (sql) => sql`create index sessions_expiry_idx on formd.sessions (expires_at)`);
  await using(
    superuser(app),
    (sql) =>
      sql`update pg_index set indisvalid = false where indexrelid = 'formd.sessions_expiry_idx'::regclass`,
  );
  await migrate(owner, quiet);
  const [index] = await using(
    app,
    (sql) => sql`
      select indisvalid as "isValid", pg_get_indexdef(indexrelid) as definition from pg_index
      where indexrelid = 'formd.sessions_expiry_idx'::regclass`,
  );
  expect(index).toEqual({ isValid: true, definition: expect.stringContaining("AT TIME ZONE 'UTC'") });
});

test("a database whose indexes a migration of main built before it was changed comes to the same ones", async () => {
  const indexes = (url: string) =>
    using(
      url,
      (sql) => sql<{ name: string; definition: string }[]>`
        select indexname as name, indexdef as definition from pg_indexes where schemaname = 'formd' order by 1`,
    );
  const [fresh, { owner }] = [await newDatabase(), await newDatabase()];
  await migrate(fresh.owner, quiet);
  const wanted = await indexes(fresh.owner);
  const all = await migrationNames();
  const changed = all.filter((name) => /^2026112207230[1-5]/.test(name));
  await applyMigrations(owner, all.slice(0, all.indexOf(changed[0] as string)));
  await using(owner, async (sql) => {
    for (const migration of changed) {
      const text = await readFile(join(root, "db/migrations", migration), "utf8");
      for (const [, name = ""] of text.matchAll(/alter index formd\.(\w+) rename/g)) {
        await sql`alter table formd.agents drop constraint if exists ${sql(name)}`;
        await sql`drop index if exists formd.${sql(name)}`;
        await sql.unsafe(wanted.find((index) => index.name === name)?.definition ?? "");
      }
      await sql`insert into formd.schema_migrations values (${migration.slice(0, 14)})`;
    }
  });
  await migrate(owner, quiet);
  expect(await indexes(owner)).toEqual(wanted);
});

test("a full webhook of an API key that may not read submissions becomes thin", async () => {
  const { owner, app } = await newDatabase();
  const all = await migrationNames();
  await migrate(owner, quiet);
  await using(superuser(app), async (sql) => {
    const ids = { team: uuidv7(), workspace: uuidv7() };
    await sql`insert into formd.teams (team_id, name, created_at) values (${ids.team}, 'T', now())`;
    await sql`insert into formd.workspaces (team_id, id, name, created_at) values (${ids.team}, ${ids.workspace}, 'W', now())`;
    for (const scopes of [["webhooks:manage"], ["webhooks:manage", "submissions:read"]]) {
      const [key, webhook] = [uuidv7(), uuidv7()];
      await sql`
        insert into formd.api_keys (team_id, id, name, key_hash, key_prefix, scopes, created_at)
        values (${ids.team}, ${key}, 'K', ${Buffer.from(key)}, 'fdk_x', ${scopes}, now())`;
      await sql`
        insert into formd.webhooks (team_id, id, workspace_id, url, event_types, payload, created_at, updated_at)
        values (${ids.team}, ${webhook}, ${ids.workspace}, ${scopes.length}, '{submission.created}', 'full', now(), now())`;
      await sql`
        insert into formd.audit_events (team_id, id, kind, object_type, object_id, actor_type, actor_id, details, created_at)
        values (${ids.team}, ${uuidv7()}, 'webhook.created', 'webhook', ${webhook}, 'api_key', ${key}, '{}', now())`;
    }
    const migration = all.find((name) => name.endsWith("_webhooks_full_readers.sql")) ?? "";
    await sql.unsafe(await readFile(join(root, "db/migrations", migration), "utf8"));
    const payloads = await sql`select url as scopes, payload from formd.webhooks order by url`;
    expect([...payloads]).toEqual([
      { scopes: "1", payload: "thin" },
      { scopes: "2", payload: "full" },
    ]);
  });
});

// 0.1 has none of the types that earlier migrations change, and no function that uses them.
test("no later migration changes a composite type: functions that are loaded build its values by position until new ones are", async () => {
  const later = (await migrationNames()).filter((name) => name > "20261122035501_availability.sql");
  expect(later.length).toBeGreaterThan(0);
  for (const name of later)
    expect(await readFile(join(root, "db/migrations", name), "utf8")).not.toMatch(
      /\battribute\b|\bdrop type\b/i,
    );
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
  const { owner, app } = await newDatabase();
  const all = await migrationNames();
  await applyMigrations(owner, all.slice(0, all.indexOf("20261121220601_sessions_expiry.sql")));
  const plan = await using(owner, planMigration);
  expect(plan.migrations).toEqual(all.slice(all.indexOf("20261121220601_sessions_expiry.sql")));
  expect(plan.locks[0]).toEqual({
    migration: "20261121220601_sessions_expiry.sql",
    locks: "share update exclusive on sessions",
  });
  expect(plan.functions).toBeGreaterThan(0);
  expect((await using(app, schemaState)).state).toBe("older");
  await migrate(owner, quiet);
  expect(await using(owner, planMigration)).toEqual({ migrations: [], functions: 0, locks: [] });
});

test("each migration since 0.1 names the locks that it takes on tables that servers use; outside of a transaction it can be applied again", async () => {
  const { owner } = await newDatabase();
  const all = await migrationNames();
  const released = all.indexOf("20261120000009_submitter_path.sql") + 1;
  await applyMigrations(owner, all.slice(0, released));
  await using(owner, async (sql) => {
    for (const [index, name] of all.entries()) {
      if (index < released) continue;
      const text = await readFile(join(root, "db/migrations", name), "utf8");
      const named = /^-- Locks: (.*)\.$/m.exec(text)?.[1];
      // Outside of a transaction locks end with each statement: those files are read by people only.
      const taken = text.includes("transaction:false") ? named : await locksTaken(sql, text);
      expect({ name, locks: named }).toEqual({ name, locks: taken });
      await applyMigrations(owner, all.slice(0, index + 1));
      if (!text.includes("transaction:false")) continue;
      // A run that was killed before it recorded the migration, which PostgreSQL has executed.
      await sql`delete from formd.schema_migrations where version = ${name.slice(0, 14)}`;
      await applyMigrations(owner, all.slice(0, index + 1));
    }
  });
}, 120_000);

test("an index is built however long it waits: limits of the owner's role are not those of a migration", async () => {
  const { owner, app } = await newDatabase();
  const all = await migrationNames();
  await applyMigrations(owner, all.slice(0, all.indexOf("20261122102901_agents_client_id_index.sql")));
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
}, 120_000);

/** Runs a migration and rolls it back. @returns the strongest lock of each table that was there before, as a migration's header has it */
async function locksTaken(sql: Sql, migration: string): Promise<string> {
  const strengths = ["ShareUpdateExclusive", "Share", "ShareRowExclusive", "Exclusive", "AccessExclusive"];
  let locks: { name: string; mode: string }[] = [];
  const rollback = new Error("rolled back");
  await sql
    .begin(async (transaction) => {
      const before = await transaction<
        { id: number }[]
      >`select oid::int as id from pg_class where relkind in ('r', 'p')`;
      await transaction.unsafe(migration.split("-- migrate:down")[0] as string);
      locks = await transaction<{ name: string; mode: string }[]>`
        select c.relname as name, replace(l.mode, 'Lock', '') as mode
        from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = pg_backend_pid() and l.granted and c.oid = any(${before.map(({ id }) => id)}::oid[])
          and c.relnamespace = 'formd'::regnamespace and replace(l.mode, 'Lock', '') = any(${strengths})
        order by c.relname`;
      throw rollback;
    })
    .catch((error) => {
      if (error !== rollback) throw error;
    });
  const strongest = new Map<string, string>();
  for (const { name, mode } of locks)
    if (strengths.indexOf(mode) > strengths.indexOf(strongest.get(name) ?? "")) strongest.set(name, mode);
  const byMode = Map.groupBy(strongest.keys(), (name) => strongest.get(name) as string);
  const words = (mode: string) => mode.replaceAll(/(?<!^)([A-Z])/g, " $1").toLowerCase();
  const parts = strengths
    .toReversed()
    .flatMap((mode) => (byMode.has(mode) ? [`${words(mode)} on ${byMode.get(mode)?.join(", ")}`] : []));
  return parts.join("; ") || "none";
}

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

test("a refused connection is told in one line that names the place, never the password", async () => {
  const url = place.url.replace("//formd@", "//formd:hunter2@").replace("/formd?", "/nowhere?");
  const message = await using(url, (sql) => waitForDatabase(sql)).catch((error: Error) => error.message);
  expect(message).toMatch(/^no connection to database nowhere at \S+ as formd: [^\n]+$/);
  expect(message).not.toContain("hunter2");
});
