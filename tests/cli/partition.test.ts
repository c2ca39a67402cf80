// stacks: one oldest
/** `formd partition` and `formd audit archive`: months of a database with data, and of one with a past. */
import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { connectOnce } from "../../src/platform/database/db.ts";
import { until } from "../expect.ts";
import {
  ask,
  type Database,
  database,
  makeForm,
  makeTeam,
  service,
  submitByKey,
  temporaryFolder,
} from "../setup.ts";
import { submit } from "../sql/fixture.ts";
import { checks, command, divided, listed, month, refused, suffix, total } from "./months.ts";

const tables = ["audit_events", "submission_edits", "submissions"];
const fields = [{ id: "a", type: "text", label: "A", required: true }];

test("enable divides the tables of a running server, which goes on; a second time it has nothing to do", async () => {
  const app = await service();
  const { database: db } = app;
  const team = await makeTeam(app);
  const form = await makeForm(app, team, fields);
  const post = () => submitByKey(app, team, form, { a: "x" });
  const path = `/papi/v1/management/forms/${form.id}/submissions`;
  const read = () => ask(app, "GET", path, { headers: { "x-api-key": team.key } });
  const before = await read();
  expect(await listed(db)).toEqual([]);
  const { steps } = await command<{ steps: string[] }>(db, "partition", "enable", "--plan");
  expect(steps).toHaveLength(10);
  expect(await listed(db)).toEqual([]);

  await submit(db.sql, team, { form });
  const { enabled } = await command<{ enabled: { table: string }[] }>(db, "partition", "enable");
  expect(enabled.map(({ table }) => table).sort()).toEqual(tables);
  await submit(db.sql, team, { form });
  expect([before.status, (await read()).status, (await post()).status]).toEqual([200, 200, 200]);
  expect(await total(db, team, form)).toBe(3);
  expect((await ask(app, "GET", "/readyz")).status).toBe(200);

  const partitions = await listed(db);
  expect(partitions).toHaveLength(3 * 24);
  expect(partitions.filter(({ from }) => from === null).map(({ name }) => name)).toEqual(
    tables.map((table) => `${table}_first`),
  );
  expect(await command<{ enabled: [] }>(db, "partition", "enable")).toEqual({ enabled: [] });
  expect(await command<{ steps: [] }>(db, "partition", "enable", "--plan")).toEqual({ steps: [] });
  expect(await checks(db)).toEqual({});
  await until(async () =>
    /^formd_partition_months_left 24$/m.test((await ask(app, "GET", "/metrics")).body as string),
  );
});

test("after the swap the table has the keys, indexes, comments, rights and settings that it had", async () => {
  const [plain, other] = [await database(), await database()];
  await command(other, "partition", "enable");
  const facts = ({ sql }: Database) => sql`
    select c.relname, obj_description(c.oid) as comment,
      array(select a::text from unnest(c.relacl) as a order by 1) as rights,
      array(select a.attname || format_type(a.atttypid, a.atttypmod) || a.attnotnull || coalesce(a.attstattarget, -1)
        || coalesce(col_description(c.oid, a.attnum), '') from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 order by 1) as columns,
      array(select k.conname || pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid order by 1) as constraints,
      array(select replace(pg_get_indexdef(i.indexrelid), ' ONLY ', ' ') from pg_index i where i.indrelid = c.oid order by 1) as indexes
    from pg_class c where c.relnamespace = 'formd'::regnamespace and c.relname::text = any (${[...tables, "report_submissions"]}) order by 1`;
  expect([...(await facts(other))]).toEqual([...(await facts(plain))]);
  const months = ({ sql }: Database, of: string) => sql`
    select c.reloptions, (select count(*)::int from pg_index i where i.indrelid = c.oid) as indexes,
      (select count(*)::int from pg_attribute a where a.attrelid = c.oid and a.attstattarget = 0) as unanalyzed
    from pg_class c where c.oid = (${of})::regclass`;
  for (const table of tables) {
    const [{ name = "" } = {}] = (await listed(other)).filter((each) => each.table === table).slice(-1);
    expect([...(await months(other, `formd.${name}`))]).toEqual([...(await months(plain, `formd.${table}`))]);
  }
});

test("enable and its plan name what others attached and it cannot take along, and change nothing", async () => {
  const db = await database();
  const { sql } = db;
  await sql.unsafe(`
    create schema dba;
    create view dba.newest as select id from formd.submissions;
    create materialized view dba.totals as select count(*) from formd.submission_edits;
    create function dba.late() returns bigint language sql begin atomic select count(*) from formd.audit_events; end;
    create function dba.of_row(formd.submissions) returns uuid language sql as 'select $1.id';
    create function dba.noted() returns trigger language plpgsql as 'begin return new; end';
    create trigger noted after insert on formd.submissions for each row execute function dba.noted();
    create rule quiet as on delete to formd.submission_edits do instead nothing;
    create policy own on formd.submissions using (true);
    alter table formd.submissions enable row level security;
    create table dba.notes (team_id uuid, form_id uuid, id uuid,
      foreign key (team_id, form_id, id) references formd.submissions);
    create unique index submissions_once on formd.submissions (salt);
    alter table formd.submissions add constraint dba_check check (status <> '') not valid;
    alter table formd.submission_edits replica identity full;
    create publication parts for table formd.submissions;
    create publication whole for all tables`);
  const named = [
    ...[
      "rule _RETURN on view dba.newest",
      "rule _RETURN on materialized view dba.totals",
      "rule quiet on table",
    ],
    ...[
      "function dba.late()",
      "function dba.of_row(formd.submissions)",
      "trigger noted on table",
      "policy own",
    ],
    ...[
      "on table dba.notes: drop it",
      "constraint dba_check of formd.submissions",
      "formd.submissions_once: drop",
      "row security of formd.submissions",
    ],
    ...[
      "alter table formd.submission_edits replica identity default",
      "alter publication parts owner to formd_owner",
    ],
    ...["parts", "whole"].map((name) => `alter publication ${name} set (publish_via_partition_root = true)`),
  ];
  const columns = () => sql`
    select c.relkind, array(select k.conname from pg_constraint k where k.conrelid = c.oid order by 1) as constraints
    from pg_class c where c.relnamespace = 'formd'::regnamespace order by c.oid`;
  const before = [...(await columns())];
  for (const args of [["--plan"], []]) {
    const said = await refused(db, "partition", "enable", ...args);
    for (const name of named) expect(said).toContain(name);
  }
  expect([...(await columns())]).toEqual(before);
  await sql.unsafe(`
    drop schema dba cascade; drop rule quiet on formd.submission_edits; drop policy own on formd.submissions;
    alter table formd.submissions disable row level security; drop index formd.submissions_once;
    alter table formd.submissions validate constraint dba_check;
    alter table formd.submission_edits replica identity default; drop publication whole;
    alter publication parts set (publish_via_partition_root = true); alter publication parts owner to formd_owner`);
  await command(db, "partition", "enable");
});

test("enable takes along the rights, indexes, statistics, settings and publications of others, months ahead too", async () => {
  const db = await database();
  const { sql } = db;
  await sql.unsafe(`
    grant select (team_id, id, created_at) on formd.submissions to pg_monitor with grant option;
    grant select on formd.submissions to public;
    create index dba_salt on formd.submissions (salt);
    create statistics formd.dba_both on status, provenance from formd.submissions;
    alter table formd.submissions alter column status set statistics 500, alter column salt set (n_distinct = -1),
      set (toast.autovacuum_vacuum_scale_factor = 0.5);
    create publication analysis for table formd.submissions (team_id, form_id, id, status) where (status = 'completed')
      with (publish_via_partition_root = true);
    create publication whole for all tables with (publish_via_partition_root = true);
    alter publication analysis owner to formd_owner`);
  const facts = () => sql`
    select array(select a::text from pg_attribute t, unnest(t.attacl) as a where t.attrelid = c.oid order by 1) as columns,
      array(select a::text from unnest(c.relacl) as a order by 1) as rights,
      (select array_agg(p::text order by p.pubname) from pg_publication_tables p where p.tablename = c.relname) as publications,
      (select count(*)::int from pg_statistic_ext x where x.stxrelid = c.oid) as statistics,
      (select count(*)::int from pg_index i where i.indrelid = c.oid) as indexes
    from pg_class c where c.oid = 'formd.submissions'::regclass`;
  const settings = (table: string) => sql`
    select t.reloptions, (select count(*)::int from pg_statistic_ext x where x.stxrelid = c.oid) as statistics,
      (select attstattarget::int from pg_attribute where attrelid = c.oid and attname = 'status') as target,
      array(select o from pg_attribute, unnest(attoptions) as o where attrelid = c.oid and attname = 'salt' and o ~ '^n_') as options
    from pg_class c join pg_class t on t.oid = c.reltoastrelid where c.oid = ${table}::regclass`;
  const [before, plain] = [[...(await facts())], [...(await settings("formd.submissions"))]];
  await command(db, "partition", "enable");
  expect([...(await facts())]).toEqual(before);
  const months = (await listed(db)).filter(({ table }) => table === "submissions");
  for (const { name } of [months[0], months.at(-1)] as { name: string }[])
    expect([...(await settings(`formd.${name}`))]).toEqual(plain);
});

test("enable continues after each step at which it was interrupted, and doctor reports the state", async () => {
  const db = await database();
  await using owner = connectOnce(db.ownerUrl);
  await owner`select formd.partition_bound('submissions')`;
  expect(await checks(db)).toEqual({ months: expect.stringContaining("interrupted: run it again") });
  await owner`select formd.partition_bound('audit_events')`;
  await owner`alter table formd.audit_events validate constraint audit_events_bound_check`;
  await owner`select formd.partition_bound('submission_edits')`;
  await owner`alter table formd.submission_edits validate constraint submission_edits_bound_check`;
  await owner`select formd.partition_swap('submission_edits')`;
  const { enabled } = await command<{ enabled: { table: string }[] }>(db, "partition", "enable");
  expect(enabled.map(({ table }) => table)).toEqual(["audit_events", "submissions"]);
  expect(await listed(db)).toHaveLength(3 * 24);
  expect(await checks(db)).toEqual({});
});

test("a bound that an interrupted command left long ago is replaced before it refuses a submission", async () => {
  const db = await database();
  await using owner = connectOnce(db.ownerUrl);
  await owner.unsafe(`
    alter table formd.submissions add constraint submissions_bound_check
    check (id < '${uuidv7({ msecs: Date.now() + 3_600_000 })}') not valid`);
  await command(db, "partition", "enable");
  const [first] = (await listed(db)).filter(({ name }) => name === "submissions_first");
  expect(first?.before).toBe(month(-2).text);
});

test("enable waits for a transaction that reads the table, and lets others pass meanwhile", async () => {
  const db = await database();
  const reader = await db.sql.reserve();
  await reader`begin`;
  await reader`select from formd.submissions`;
  const enabling = command(db, "partition", "enable");
  const waiting = () => db.sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and usename = 'formd_owner'`;
  await until(async () => (await waiting()).length > 0);
  await db.sql`select from formd.submissions`;
  await reader`commit`;
  reader.release();
  await enabling;
  expect(await listed(db)).toHaveLength(3 * 24);
});

test("a database that is divided is migrated, and its months stay as they are", async () => {
  const { db, sql, form, team, store } = await divided();
  await store(0);
  await sql`comment on schema formd is 'functions none'`;
  await command(db, "migrate");
  expect(await checks(db)).toEqual({});
  expect(await total(db, team, form)).toBe(1);
});

test("archive writes the actions of the months before a month to a new file, and nothing else deletes them", async () => {
  const { db, sql, team } = await divided();
  const ids = [3, 2, 1].map((ago) => uuidv7({ msecs: month(ago).msecs }));
  for (const id of ids)
    await sql`
      insert into formd.audit_events (team_id, id, kind, object_type, object_id, actor_type, details, created_at)
      values (${team.id}, ${id}, 'form.created', 'form', ${team.id}, 'cli', '{}', formd.uuid_time(${id}))`;
  await using owner = connectOnce(db.ownerUrl);
  for (const name of ["audit_events", `audit_events_${suffix(3)}`])
    for (const statement of [`delete from formd.${name}`, `truncate formd.${name}`])
      await expect(owner.unsafe(statement).execute()).rejects.toMatchObject({ code: "42501" });

  // One that was interrupted after it had detached a month.
  await sql.unsafe(
    `alter table formd.audit_events detach partition formd.audit_events_${suffix(3)} concurrently`,
  );
  const file = join(temporaryFolder(), "audit.jsonl");
  const archived = await command<object>(db, "audit", "archive", file, "--before", month(1).text);
  expect(archived).toEqual({ file, events: 2 });
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids.slice(0, 2));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const left = await sql<{ id: string }[]>`select id from formd.audit_events where id = any (${ids})`;
  expect(left.map(({ id }) => id)).toEqual(ids.slice(2));

  expect(await refused(db, "audit", "archive", file, "--before", month(0).text)).toContain("EEXIST");
  expect(await sql`select from formd.audit_events where id = any (${ids})`).toHaveLength(1);
});

test.each([
  [["partition", "drop", "--before", month(1).text], "run formd partition enable"],
  [["audit", "archive", "/nowhere/x", "--before", month(1).text], "run formd partition enable"],
  [["partition", "drop", "--before", month(-1).text], "must not be later than this month"],
  [["partition", "drop", "--before", "2026-13"], "must be a month"],
  [["partition", "drop"], "--before"],
])("%p on plain tables is refused, with what to do", async (args, sentence) => {
  expect(await refused(await database(), ...args)).toContain(sentence);
});
