// stacks: one oldest
/** `formd partition drop` and `attach`: a drop that is refused or interrupted loses nothing. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { connect, connectOnce, type Sql } from "../../src/platform/database/db.ts";
import type { Partition } from "../../src/platform/database/partitions.ts";
import { formsOfRespondent } from "../../src/resources/persons/persons.ts";
import { until } from "../expect.ts";
import {
  digests,
  formd,
  makeForm,
  type PublishedForm,
  type Service,
  settingsFor,
  type Team,
  temporaryFolder,
} from "../setup.ts";
import { store as dated, raisedProblem, submit } from "../sql/fixture.ts";
import { examined, orderly } from "./examined.ts";
import { checks, command, divided, listed, month, refused, suffix, total } from "./months.ts";

const before = (ago: number) => ["partition", "drop", "--before", month(ago).text];
const day = { id: "day", type: "select", label: "Day", options: [{ value: "mon", limit: 3 }, "tue"] };

/** Stores a response of a receiver to each of these submissions, without the delivery. */
const receive = (sql: Sql, team: Team, form: PublishedForm, ids: string[]) =>
  sql.begin(async (inner) => {
    await inner`set local session_replication_role = replica`;
    await inner`
      insert into formd.webhook_events (team_id, id, type, workspace_id, form_id, subject_id, created_at, expires_at)
      select ${team.id}, i, 'submission.created', workspace_id, id, i, now(), now() + interval '1 day'
      from formd.forms, unnest(${ids}::uuid[]) as i where id = ${form.id}`;
    await inner`
      insert into formd.webhook_attempts (team_id, event_id, webhook_id, attempt, started_at, duration_ms, response_start)
      select ${team.id}, i, ${uuidv7()}, 1, now(), 1, 'Thank you, Ada' from unnest(${ids}::uuid[]) as i`;
  });

/** A database whose submissions of each month have an edit, and one an option with a limit. */
async function filled() {
  const made = await divided();
  const { db, sql, team, form, store } = made;
  const limited = await makeForm({ database: db } as Service, team, [day]);
  const edit = async (id: string) => {
    const [row] = await sql<{ at: Date }[]>`select updated_at as at from formd.submissions where id = ${id}`;
    await sql`
      select from formd.submission_patch(${team.id}, ${`(api_key,${team.keyId},request)`}, ${form.id}, ${id}, ${row?.at as Date},
        ${sql.json([{ fieldId: "a", value: "y" }])}, true)`;
  };
  const ids = [await store(3), await store(2), await store(1)];
  for (const id of ids) await edit(id);
  await dated(sql, team, { form: limited, item: { data: { day: "mon" } } }, new Date(month(3).msecs));
  const hold = (each: Sql, of: PublishedForm, id: string | null) =>
    each`select from formd.hold_place(${team.id}, '(cli,,)', ${of.id}, ${id}, 'court order')`;
  /** All rows and partitions, apart from the hold that a test places. */
  const state = async () => ({
    rows: await digests(sql, "holds", "audit_events"),
    months: await placed(sql),
  });
  return { ...made, ids, limited, hold, state };
}

const placed = (sql: Sql) =>
  sql<{ name: string; state: string }[]>`
  select name, state from formd.partition_list() where state <> 'attached' or name !~ '20[3-9]'`.then(
    (rows) => rows.map(({ name, state }) => `${name} ${state}`),
  );

/** Leaves a detach as a command that was killed in the middle of it. */
async function halfDetach(sql: Sql, url: string, name: string) {
  const reader = await sql.reserve();
  await reader`begin`;
  await reader`select from formd.submissions limit 1`;
  const detacher = connect(url, { poolSize: 1, prepare: false });
  const [{ pid }] = await detacher<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const detaching = detacher
    .unsafe(`alter table formd.submissions detach partition formd.${name} concurrently`)
    .catch(() => {});
  const isPending = async () =>
    (await sql`select from pg_inherits where inhrelid = ${`formd.${name}`}::regclass and inhdetachpending`)
      .length > 0;
  await until(isPending);
  await sql`select pg_terminate_backend(${pid}, 5000)`;
  await detaching;
  await reader`commit`;
  reader.release();
  await detacher.end({ timeout: 1 });
}

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
  await receive(sql, team, form, [older, young]);
  expect(await total(db, team, form)).toBe(5);

  const { partitions } = await command<{ partitions: Partition[] }>(
    db,
    ...["partition", "drop", "--before", month(1).text],
  );
  expect(partitions.map(({ name }) => name)).toEqual(
    ["first", suffix(3), suffix(2)].flatMap((part) => [`submissions_${part}`, `submission_edits_${part}`]),
  );
  expect(await total(db, team, form)).toBe(3);
  for (const table of ["submission_edits", "submission_signatures"]) {
    const rows = await sql<{ submissionId: string }[]>`select submission_id from formd.${sql(table)}`;
    expect(rows.map(({ submissionId }) => submissionId)).toEqual([young]);
  }
  const kept = await sql<{ eventId: string }[]>`
    select event_id from formd.webhook_attempts where response_start is not null`;
  expect(kept.map(({ eventId }) => eventId)).toEqual([young]);
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
  for (let n = 0; n < 2; n++) await dated(sql, team, chosen, new Date(month(2).msecs));
  expect([await choose(), await choose()]).toEqual(["stored", "option_full"]);
  await command(db, "partition", "drop", "--before", month(1).text);
  expect([await choose(), await choose(), await choose()]).toEqual(["stored", "stored", "option_full"]);
  expect(await checks(db)).toEqual({});
});

test.each([
  ["a submission", (id: string) => id],
  ["a form", () => null],
])("a drop changes nothing while %s of its last month is held, and names it", async (_, of) => {
  const { db, sql, team, form, ids, hold, state } = await filled();
  await hold(sql, form, of(ids[1] as string));
  const earlier = await state();
  const { code, stdout, stderr } = await formd(before(1), settingsFor(db));
  const named =
    of("") === null
      ? `form ${form.id} (from submissions_${suffix(3)} on)`
      : `submission ${ids[1]} of form ${form.id} (submissions_${suffix(2)})`;
  const said = `formd: not dropped, since there are holds: ${named}. Release them, or name an earlier month.\n`;
  expect([code, stdout, stderr]).toEqual([1, "", said]);
  expect(await state()).toEqual(earlier);
  expect(await checks(db)).toEqual({});
  await sql`select from formd.hold_release(${team.id}, '(cli,,)', ${form.id}, ${of(ids[1] as string)})`;
  await command(db, ...before(1));
  expect(await total(db, team, form)).toBe(1);
});

test("of many holds a refused drop names ten, and how many there are", async () => {
  const { db, sql, form, store, hold } = await filled();
  for (let n = 0; n < 12; n++) await hold(sql, form, await store(3));
  const said = await refused(db, ...before(1));
  expect(said.match(/submission [0-9a-f-]{36}/g)).toHaveLength(10);
  expect(said).toContain(", 2 more. Release them");
});

test("a hold that is placed while its month is dropped comes in time: the month is attached again", async () => {
  const { db, sql, form, hold, state } = await filled();
  const holder = connectOnce(db.ownerUrl);
  await using _ = holder;
  const earlier = await state();
  await holder`begin`;
  await hold(holder, form, null);
  const dropping = refused(db, ...before(2));
  await until(async () => (await placed(sql)).includes(`submissions_${suffix(3)} detached`));
  await holder`commit`;
  expect(await dropping).toContain(`form ${form.id}`);
  const dropped = ["submissions_first attached", "submission_edits_first attached"];
  expect(await state()).toEqual({
    ...earlier,
    months: earlier.months.filter((each) => !dropped.includes(each)),
  });
  expect(await checks(db)).toEqual({});
});

test("a month that an interrupted drop has left is attached again where a hold refuses the next one", async () => {
  const { db, sql, form, hold, state } = await filled();
  const earlier = await state();
  await sql.unsafe(`
    alter table formd.submissions detach partition formd.submissions_first;
    alter table formd.submissions detach partition formd.submissions_${suffix(3)}`);
  await hold(sql, form, null);
  expect(await refused(db, ...before(2))).toContain(`form ${form.id}`);
  expect(await state()).toEqual(earlier);
  expect(await checks(db)).toEqual({});
});

test.each(["is detaching", "is detached"])(
  "a drop that was interrupted when a month %s is undone by attach, or goes on",
  async (step) => {
    const { db, sql, team, form, limited, state } = await filled();
    const name = `submissions_${suffix(3)}`;
    const leave = async () =>
      step === "is detaching"
        ? await halfDetach(sql, db.ownerUrl, name)
        : await sql.unsafe(`alter table formd.submissions detach partition formd.${name} concurrently`);
    const earlier = await state();
    await leave();
    expect((await checks(db)).months).toContain(`Run it again, or undo it: formd partition attach ${name}.`);
    // A wrong count of options, as of a limit that is published meanwhile, ends with the attachment.
    await sql`select formd.option_counts_repair(${team.id}, ${limited.id})`;
    const attached = await command<{ partitions: Partition[] }>(db, "partition", "attach", name);
    expect(attached.partitions).toMatchObject([{ name, state: "attached" }]);
    expect(await command(db, "partition", "attach", name)).toEqual(attached);
    expect(await state()).toEqual(earlier);
    expect(await checks(db)).toEqual({});

    await leave();
    await command(db, ...before(2));
    expect(await total(db, team, form)).toBe(2);
    expect(await checks(db)).toEqual({});
  },
);

test.each(["is attached", "is detached"])(
  "a drop that was interrupted when only the edits of a month are there and their part %s goes on",
  async (step) => {
    const { db, sql, team, form, ids } = await filled();
    const [name, edits] = ["submissions", "submission_edits"].map((table) => `${table}_${suffix(3)}`);
    for (const part of ["submissions_first", name])
      await sql.unsafe(`
        alter table formd.submissions detach partition formd.${part};
        select formd.partition_drop('${part}')`);
    if (step === "is detached")
      await sql.unsafe(`alter table formd.submission_edits detach partition formd.${edits} concurrently`);
    expect((await checks(db)).months).toMatch(/Run (formd partition drop|it) again/);
    await command(db, ...before(2));
    const left = await sql<
      { submissionId: string }[]
    >`select submission_id from formd.submission_edits order by id`;
    expect(left.map(({ submissionId }) => submissionId)).toEqual(ids.slice(1));
    expect(await total(db, team, form)).toBe(2);
    expect(await checks(db)).toEqual({});
  },
);

test("edits stay until their submissions are dropped, which were divided a month later", async () => {
  const { db, sql, team, form, store } = await divided({ submissions: 2 });
  const id = await store(3);
  await sql`
    insert into formd.submission_edits (team_id, form_id, submission_id, id, field_id, actor_type, actor_id, request_id, created_at)
    values (${team.id}, ${form.id}, ${id}, ${id}, 'a', 'api_key', ${team.keyId}, 'r', now())`;
  const edits = `submission_edits_${suffix(3)}`;
  expect(await command<{ partitions: [] }>(db, ...before(3))).toEqual({ partitions: [] });
  expect(await sql`select from formd.submission_edits`).toHaveLength(1);
  await sql.unsafe(`alter table formd.submission_edits detach partition formd.${edits}`);
  const dropped = sql`select formd.partition_drop(${edits})`.execute();
  await expect(dropped).rejects.toThrow("has edits of submissions that are not dropped");
  await command(db, "partition", "attach", edits);
  const { partitions } = await command<{ partitions: Partition[] }>(db, ...before(2));
  expect(partitions.map(({ name }) => name)).toEqual(["submissions_first", "submission_edits_first", edits]);
  expect(await total(db, team, form)).toBe(0);
});

test("while a month is detached nothing counts, erases or hands out what it cannot find", async () => {
  const { db, sql, team, form, ids, state } = await filled();
  const person = uuidv7();
  await sql`
    insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
    values (${team.id}, ${person}, 'https://idp.example.org', 'ada', now(), now() - interval '1 day')`;
  await sql`update formd.submissions set respondent_id = ${person} where id = ${ids[0] as string}`;
  const earlier = await state();
  const name = `submissions_${suffix(3)}`;
  await sql.unsafe(`alter table formd.submissions detach partition formd.${name} concurrently`);

  expect([...(await sql`select from formd.submission_recount(${team.id}, ${form.id})`)]).toEqual([]);
  const repair = sql`select formd.submission_counts_repair(${team.id}, ${form.id})`.execute();
  await expect(repair).rejects.toThrow("months first");
  const { wrong, warnings } = await examined(orderly(db));
  expect([Object.keys(wrong), warnings.counters]).toEqual([
    ["months"],
    expect.stringContaining("Months first"),
  ]);

  const list = join(temporaryFolder(), "erasures.jsonl");
  writeFileSync(list, "");
  const file = join(temporaryFolder(), "export.jsonl");
  for (const args of [
    ["person", "export", "--respondent", person],
    ["person", "erase", "--respondent", person, "--confirm"],
    ["erasures", "repeat", list, "--confirm"],
    ["export", form.id, file],
  ]) {
    const { code, stderr } = await formd(args, settingsFor(db));
    expect([code, stderr]).toEqual([1, expect.stringContaining("A month of submissions is detached")]);
  }
  const server = connect(db.url, { poolSize: 1, prepare: false });
  for (const forms of [formsOfRespondent(server, person), formsOfRespondent(server, person, team.id)])
    expect((await raisedProblem(forms)).code).toBe("conflict");
  await server.end();
  const find = sql`select from formd.person_find(${team.id}, '(cli,,)', ${form.id}, ${person}, null, null, null, 10)`;
  expect((await raisedProblem(find)).code).toBe("conflict");
  const [{ erased }] = await sql<[{ erased: boolean }]>`
    select formd.respondent_erase(${team.id}, '(cli,,)', ${person}) as erased`;
  await sql`select formd.respondents_purge(${team.id}, 10)`;
  expect([erased, (await sql`select from formd.respondents`).length]).toEqual([false, 1]);

  await command(db, "partition", "attach", name);
  const { rows, months } = await state();
  expect({ rows: { ...rows, respondents: "" }, months }).toEqual({
    ...earlier,
    rows: { ...earlier.rows, respondents: "" },
  });
});

test("a month that another drop has left half detached is named, and the check of a DBA stays", async () => {
  const { db, sql } = await divided();
  const name = `submissions_${suffix(2)}`;
  await sql.unsafe(`alter table formd.${name} add constraint dba_check check (data is not null)`);
  await halfDetach(sql, db.ownerUrl, name);
  expect(await refused(db, ...before(2))).toContain(`${name} is being detached: formd partition attach`);
  await command(db, "partition", "attach", name);
  const checks = await sql<{ conname: string }[]>`
    select conname from pg_constraint where conrelid = ${`formd.${name}`}::regclass and contype = 'c' and conislocal`;
  expect(checks.map(({ conname }) => conname)).toEqual(["dba_check"]);
});

test("a month of edits that is detached refuses what would leave its values", async () => {
  const { db, sql, form } = await filled();
  const name = `submission_edits_${suffix(3)}`;
  await sql.unsafe(`alter table formd.submission_edits detach partition formd.${name} concurrently`);
  const { code, stderr } = await formd(
    ["person", "erase", "--form", form.id, "--field", "a", "--value", "x", "--confirm"],
    settingsFor(db),
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining("A month of submissions is detached")]);
});

test("attach refuses what is no partition", async () => {
  const { db } = await divided();
  expect(await refused(db, "partition", "attach", "forms")).toContain("forms is no partition");
  expect((await listed(db)).length).toBeGreaterThan(0);
});
