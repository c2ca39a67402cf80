// stacks: one oldest
/** `formd partition` and `formd audit archive`: months of a database with data, and of one with a past. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { connectOnce } from "../../src/platform/database/db.ts";
import type { Partition } from "../../src/platform/database/partitions.ts";
import { until } from "../expect.ts";
import { divideSince } from "../setup/months.ts";
import {
  ask,
  type Database,
  database,
  formd,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  settingsFor,
  submitByKey,
  type Team,
  temporaryFolder,
} from "../setup.ts";
import { store, submit } from "../sql/fixture.ts";
import { examined, orderly } from "./examined.ts";

setDefaultTimeout(120_000);

const tables = ["audit_events", "submission_edits", "submissions"];
const fields = [{ id: "a", type: "text", label: "A", required: true }];

/** A month before this one: how it is written, and a time in it. */
function month(ago: number) {
  const now = new Date();
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 2));
  return { text: at.toISOString().slice(0, 7), msecs: at.getTime() };
}
const suffix = (ago: number) => month(ago).text.replace("-", "_");

async function command<T>(database: Database, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await formd([...args, "--json"], settingsFor(database));
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as T;
}

const refused = async (database: Database, ...args: string[]) => {
  const { code, stderr } = await formd(args, settingsFor(database));
  expect(code).not.toBe(0);
  return stderr;
};

const listed = async (database: Database) =>
  (await command<{ partitions: Partition[] }>(database, "partition", "list")).partitions;

const checks = async (database: Database) => (await examined(orderly(database))).wrong;

/** Rows and counters of a form, which are equal in each status. */
async function total({ sql }: Database, team: Team, form: PublishedForm): Promise<number> {
  const rows = await sql<{ counted: number; total: number }[]>`
    select counted::int, total::int from formd.submission_recount(${team.id}, ${form.id})`;
  expect(rows.map(({ total }) => total)).toEqual(rows.map(({ counted }) => counted));
  return rows.reduce((sum, { total }) => sum + total, 0);
}

/** A database that was divided three months ago. */
async function divided() {
  const db = await database();
  const { sql } = db;
  await divideSince(db, 3);
  const app = { database: db } as Service;
  const team = await makeTeam(app);
  const form = await makeForm(app, team, fields);
  const storeAgo = (ago: number) => store(sql, team, { form }, new Date(month(ago).msecs));
  return { db, sql, team, form, store: storeAgo };
}

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

test("drop deletes the months before a month with their edits, signatures and counts, with an audit event", async () => {
  const { db, sql, form, team, store } = await divided();
  const [older, old, young] = [await store(3), await store(2), await store(1)];
  await store(1);
  await store(0);
  for (const id of [older, old, young]) {
    await sql`
      insert into formd.submission_signatures values (${team.id}, ${form.id}, ${id}, 'k', 'i', 's')`;
    const [row] = await sql<{ at: Date }[]>`select updated_at as at from formd.submissions where id = ${id}`;
    await sql`
      select from formd.submission_patch(${team.id}, ${`(api_key,${team.keyId},request)`}, ${form.id}, ${id}, ${row?.at as Date},
        ${sql.json([{ fieldId: "a", value: "y" }])}, true)`;
  }
  expect(await total(db, team, form)).toBe(5);

  const { partitions } = await command<{ partitions: Partition[] }>(
    db,
    ...["partition", "drop", "--before", month(1).text],
  );
  expect(partitions.map(({ name }) => name)).toEqual(
    ["submission_edits", "submissions"].flatMap((table) =>
      ["first", suffix(3), suffix(2)].map((part) => `${table}_${part}`),
    ),
  );
  expect(await total(db, team, form)).toBe(3);
  for (const table of ["submission_edits", "submission_signatures"]) {
    const rows = await sql<{ submissionId: string }[]>`select submission_id from formd.${sql(table)}`;
    expect(rows.map(({ submissionId }) => submissionId)).toEqual([young]);
  }
  const acts = await sql`
    select actor_type, details from formd.audit_events where kind = 'form.submissions_dropped' order by id`;
  expect([...acts]).toEqual(
    [3, 2].map((ago) => ({
      actorType: "cli",
      details: { partition: `submissions_${suffix(ago)}`, submissions: 1 },
    })),
  );
  expect(await checks(db)).toEqual({});
});

test("drop goes on with a month that an interrupted one has detached, and counts it once", async () => {
  const { db, sql, form, team, store } = await divided();
  await store(3);
  await store(1);
  await sql.unsafe(
    `alter table formd.submissions detach partition formd.submissions_${suffix(3)} concurrently`,
  );
  expect((await checks(db)).months).toContain(`submissions_${suffix(3)}`);
  await command(db, "partition", "drop", "--before", month(2).text);
  await command(db, "partition", "drop", "--before", month(2).text);
  expect(await total(db, team, form)).toBe(1);
  expect(await checks(db)).toEqual({});
});

test("a month that is dropped gives the places of its options back", async () => {
  const { db, sql, team } = await divided();
  const day = { id: "day", type: "select", label: "Day", options: [{ value: "mon", limit: 3 }, "tue"] };
  const form = await makeForm({ database: db } as Service, team, [day]);
  const chosen = { form, item: { data: { day: "mon" } } };
  const choose = async () => (await submit(sql, team, chosen)).outcome;
  for (let n = 0; n < 2; n++) await store(sql, team, chosen, new Date(month(2).msecs));
  expect([await choose(), await choose()]).toEqual(["stored", "option_full"]);
  await command(db, "partition", "drop", "--before", month(1).text);
  expect([await choose(), await choose(), await choose()]).toEqual(["stored", "stored", "option_full"]);
  expect(await checks(db)).toEqual({});
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
