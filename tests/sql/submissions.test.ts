// stacks: one months citus oldest gate
/** The audit cannot be rewritten, and the totals stay exact over crashes, deletions and changes of status. */
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { connect, jsonb, type Sql } from "../../src/platform/database/db.ts";
import { makeAgent, type PublishedForm } from "../setup.ts";
import { store } from "./fixture.ts";
import { type Row, submissionsFixture, totalsOf } from "./submissions-fixture.ts";

const fixture = await submissionsFixture([{ id: "a", type: "text", label: "A", required: true }]);
const { app, sql, team, actor, freshForm, stored, remove } = fixture;
const partialBy = ({ token }: { token: string }) => ({ token, item: { partial: true, data: {} } });
const patch = (row: Row, value: string | null, each?: Sql) =>
  fixture.patch(row, [{ fieldId: "a", value }], value !== null, each);
const totals = (form: PublishedForm) => totalsOf(sql, form);

describe("the server's role", () => {
  // The role writes no table and owns nothing: see tests/sql/privileges.test.ts.
  test.each(["formd_owner", "postgres"])("cannot become %s, who may write the audit", async (role) => {
    const connection = connect(app.database.url, { poolSize: 1, prepare: false });
    await expect(connection`set role ${connection(role)}`.execute()).rejects.toMatchObject({ code: "42501" });
    await connection.end();
  });

  test("no function that it may call changes an entry of the audit, except by deleting the submission", async () => {
    const rewriting = await sql<{ name: string }[]>`
      select proname as name from pg_proc
      where pronamespace = 'formd'::regnamespace and prosrc ~* '(update|delete[[:space:]]+from|truncate)[[:space:]]+formd[.](submission_edits|submission_erasures|form_versions)'`;
    expect(rewriting.map(({ name }) => name)).toEqual(["submission_erase"]);
  });

  test("an erased entry cannot hold a value again", async () => {
    const form = await freshForm();
    const row = await stored({ form });
    await patch(row, "y");
    await remove(row);
    const refill = sql`update formd.submission_edits set new_value = '"y"' where submission_id = ${row.id}`;
    await expect(refill.execute()).rejects.toThrow('check constraint "submission_edits_erased_check"');
  });
});

describe("the totals", () => {
  test("change with submits, edits that complete a row, and deletions, also concurrent ones", async () => {
    const form = await freshForm();
    const connection = connect(app.database.ownerUrl, { poolSize: 16, prepare: true });
    const halves: Row[] = [];
    for (let n = 0; n < 12; n++)
      halves.push(await stored({ form, ...partialBy(await makeAgent(app, team, form)) }));
    const wholes = await Promise.all(Array.from({ length: 24 }, () => stored({ form }, connection)));
    expect(await totals(form)).toEqual({ completed: 24, partial: 12 });
    // Two edits complete each partial row, and every fourth is deleted, all concurrently.
    const ends = await Promise.allSettled([
      ...halves.flatMap((row) => [patch(row, "1", connection), patch(row, "2", connection)]),
      ...halves.filter((_, n) => n % 4 === 0).map((row) => remove(row, connection)),
      ...wholes.slice(0, 10).map((row) => remove(row, connection)),
    ]);
    await connection.end();
    for (const end of ends)
      if (end.status === "rejected") expect(["conflict", "not_found"]).toContain(end.reason.message);
    expect(await totals(form)).toEqual({ completed: 24 - 10 + 9 });
  });

  test("block nobody: open transactions that count one form do not wait for each other", async () => {
    const form = await freshForm();
    const pool = connect(app.database.ownerUrl, { poolSize: 40, prepare: true });
    const held = await Promise.all(Array.from({ length: 40 }, () => pool.reserve()));
    // A transaction counts in the slot of its backend. Transactions with the same slot wait for each other.
    const slots = new Map<number, (typeof held)[number]>();
    for (const each of held) {
      const [{ slot }] = await each<[{ slot: number }]>`select pg_backend_pid() % 64 as slot`;
      slots.set(slot, each);
    }
    expect(slots.size).toBeGreaterThanOrEqual(20);
    for (const each of slots.values()) {
      await each`begin`;
      await each`set local lock_timeout = '2s'`;
      await stored({ form }, each);
    }
    for (const each of slots.values()) await each`commit`;
    for (const each of held) each.release();
    await pool.end();
    expect(await totals(form)).toEqual({ completed: slots.size });
  });

  test.each([
    [0, 3, 3],
    [3, 3, 5],
    // The rows from the first one of the page on, also when there may be more than were counted.
    [1, 3, 4],
    [5, 3, 5],
    [3, null, 5],
  ])(
    "without a counter: from row %i of five on, at most %p are counted, so that the total is %i",
    async (offset, maxCounted, total) => {
      const form = await freshForm();
      const newest: string[] = [];
      for (let i = 0; i < 5; i++) newest.unshift((await stored({ form })).id);
      const rows = await sql<{ id: string | null; total: number }[]>`
        select id, total::int from formd.submission_page(p_team => ${team.id}, p_form => ${form.id}, p_status => null,
          p_review => null, p_agent => null, p_respondent => null, p_provenance => null, p_language => null, p_end_id => null,
          p_first_id => formd.uuid_floor(formd.uuid_time(${newest[4] as string})), p_limit => 2, p_offset => ${offset},
          p_after => null, p_order => 'newest', p_max_counted => ${maxCounted})`;
      const ids = newest.slice(offset, offset + 2);
      expect(rows.map(({ id }) => id)).toEqual([...ids, null]);
      expect(rows[0]?.total).toBe(total);
    },
  );

  test("equal what submission_recount counts after any history, and are repaired by its difference", async () => {
    const form = await freshForm({ review: { required: true } });
    const rows: Row[] = [];
    const any = async () => {
      const old = rows[Math.floor(Math.random() * rows.length)] as Row;
      const [now] = await sql<Row[]>`select * from formd.submissions where id = ${old.id}`;
      return now ?? old;
    };
    const submitAny = async () => {
      const partial = Math.random() < 0.5 ? partialBy(await makeAgent(app, team, form)) : {};
      rows.push(await stored({ form, ...partial }));
    };
    const review = ({ id, updatedAt }: Row) => sql`
      select from formd.submission_review(${team.id}, ${actor}, ${form.id}, ${id}, 'approve', null, ${updatedAt})`;
    const acts: [string, () => Promise<unknown>][] = [
      ["submit", submitAny],
      ["edit", async () => patch(await any(), String(Math.random()))],
      ["clear", async () => patch(await any(), null)],
      ["delete", async () => remove(await any())],
      ["review", async () => review(await any())],
    ];
    const history: string[] = [];
    const recount = () => sql<{ status: string; counted: number; total: number }[]>`
      select status, counted::int, total::int from formd.submission_recount(${team.id}, ${form.id}) order by status`;
    for (let n = 0; n < 120; n++) {
      const [name, act] = acts[n < 5 ? 0 : Math.floor(Math.random() * acts.length)] as (typeof acts)[number];
      history.push(name);
      await act().catch(({ code }) => expect(code).toBe("ZFORM"));
      if (n % 10 > 0) continue;
      const counted = await sql`
        select status, count(*)::int as total from formd.submissions where form_id = ${form.id} group by status order by status`;
      const there = (await recount()).filter(({ counted }) => counted > 0);
      expect([history, there.map(({ status, counted, total }) => ({ status, counted, total }))]).toEqual([
        history,
        counted.map(({ status, total }) => ({ status, counted: total, total })),
      ]);
    }
    await sql`
      update formd.submission_counts set total = total + 3
      where (form_id, status, slot) in (select form_id, status, slot from formd.submission_counts where form_id = ${form.id} limit 1)`;
    const [repaired] = await sql`select formd.submission_counts_repair(${team.id}, ${form.id})::int as by`;
    expect(repaired).toEqual({ by: 3 });
    for (const { counted, total } of await recount()) expect(total).toBe(counted);
  });

  test("are exact after kill -9 of a backend during a transaction", async () => {
    const form = await freshForm();
    const kept = await stored({ form });
    await stored({ form });
    await sql`checkpoint`;
    const doomed = connect(app.database.ownerUrl, { poolSize: 1, prepare: true });
    const dying = doomed.begin(async (inner) => {
      const each = inner as unknown as Sql;
      for (let n = 0; n < 5; n++) await stored({ form }, each);
      await remove(kept, each);
      const [{ pid }] = await inner<[{ pid: number }]>`select pg_backend_pid() as pid`;
      process.kill(pid, "SIGKILL");
      await inner`select pg_sleep(60)`;
    });
    await expect(dying).rejects.toThrow();
    await doomed.end({ timeout: 1 });
    await comesBack();
    expect(await totals(form)).toEqual({ completed: 2 });
    await stored({ form });
    await remove(kept);
    expect(await totals(form)).toEqual({ completed: 2 });
  });
});

/**
 * PostgreSQL restarts all of its processes and recovers, which takes as long as other files have written
 * before.
 */
async function comesBack(): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const up = await sql`select`.then(
      () => true,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("a page that begins in the last week goes on in the months before, by any filter, offset and part", async () => {
  const form = await freshForm();
  const daysAgo = [0, 0, 1, 6.9, 7.1, 8, 31, 45, 400, 20_000];
  for (const days of daysAgo) await store(sql, team, { form }, new Date(Date.now() - days * 86_400_000));
  // Every second one waits for review.
  await sql`
    update formd.submissions set status = 'pending', completed_at = null
    where form_id = ${form.id} and id in (
      select id from (select id, row_number() over (order by id) as n from formd.submissions where form_id = ${form.id}) r
      where n % 2 = 0)`;
  await sql`select formd.submission_counts_repair(${team.id}, ${form.id})`;
  const all = await sql<{ id: string; status: string }[]>`
    select id, status from formd.submissions where form_id = ${form.id} order by id desc`;
  expect(all).toHaveLength(daysAgo.length);
  const pageOf = async (
    status: string | null,
    limit: number,
    offset: number,
    after: string | null,
    end: Date | null,
  ) => {
    const rows = await sql<{ id: string | null; total: string | null }[]>`
      select id, total from formd.submission_page(p_team => ${team.id}, p_form => ${form.id}, p_status => ${status},
        p_review => null, p_agent => null, p_respondent => null, p_provenance => null, p_language => null, p_first_id => null,
        p_end_id => formd.uuid_floor(${end}), p_limit => ${limit}, p_offset => ${offset}, p_after => ${after},
        p_order => 'newest', p_max_counted => 10000)`;
    return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? null };
  };
  const noon1970 = new Date(43_200_000);
  for (const status of [null, "pending", "completed"])
    for (const limit of [1, 3, 20])
      for (const end of [null, new Date(Date.now() - 3 * 86_400_000), noon1970]) {
        const floor = end?.getTime();
        const matching = all
          .filter((row) => status === null || row.status === status)
          .filter(
            ({ id }) => floor === undefined || Number.parseInt(id.replace("-", "").slice(0, 12), 16) < floor,
          )
          .map(({ id }) => id);
        for (let offset = 0; offset < matching.length + 2; offset++) {
          const page = await pageOf(status, limit, offset, null, end);
          expect(page).toEqual({
            ids: matching.slice(offset, offset + limit),
            total: String(matching.length),
          });
        }
        for (const [index, below] of matching.entries())
          expect((await pageOf(status, limit, 0, below, end)).ids).toEqual(
            matching.slice(index + 1, index + 1 + limit),
          );
      }
});

test("a page by any filters, in both orders, has its part of the rows that match them all", async () => {
  const form = await freshForm();
  const [agent, respondent] = [uuidv7(), uuidv7()];
  const states = [
    ["completed", null],
    ["completed", "approved"],
    ["partial", null],
    ["pending", null],
    ["pending", "rejected"],
  ] as const;
  const provenances = ["person", "agent", "owner"] as const;
  // An agent may send anything as a language.
  const languages = ["de", "DE-ch", 7, null, { de: 1 }, ["de"], "x".repeat(4096), undefined] as const;
  const rows = Array.from({ length: 60 }, (_, n) => {
    const [status, decision] = states[n % states.length] as (typeof states)[number];
    const provenance = provenances[(n % 7) % 3] as string;
    const language = languages[(n % 13) % languages.length];
    return {
      id: uuidv7({ msecs: Date.now() - (60 - n) * 3_600_000 }),
      status,
      decision,
      provenance,
      agent: provenance === "agent" && n % 2 === 0 ? agent : null,
      respondent: n % 4 === 0 ? respondent : null,
      metadata: n % 11 === 0 ? null : { language },
      language: n % 11 > 0 && typeof language === "string" ? language.toLowerCase() : undefined,
    };
  });
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, data, metadata, submitter_type, provenance, submitter_id,
      respondent_id, review_decision, created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, id, 1, status, '{}', metadata, case when provenance = 'agent' then 'agent' else 'api_key' end,
      provenance, coalesce(agent, gen_random_uuid()), respondent, decision, now(), now(), case status when 'completed' then now() end
    from jsonb_to_recordset(${jsonb(sql, rows)}) as r (id uuid, status text, decision text, provenance text, agent uuid, respondent uuid,
      metadata jsonb)`;
  await sql`select formd.submission_counts_repair(${team.id}, ${form.id})`;
  let turn = 0;
  for (const status of [null, "completed", "pending", "partial"])
    for (const review of [null, "open", "rejected"])
      for (const by of [null, agent])
        for (const of of [null, respondent])
          for (const provenance of [null, ...provenances]) {
            turn++;
            const end = turn % 3 === 0 ? (rows[40]?.id ?? null) : null;
            const language = [null, "De", "de-CH", "fr", null][turn % 5] ?? null;
            const matching = rows.filter(
              (row) =>
                (status === null || row.status === status) &&
                (review === null ||
                  (row.status === "pending" && row.decision === (review === "open" ? null : "rejected"))) &&
                (by === null || row.agent === by) &&
                (of === null || row.respondent === of) &&
                (provenance === null || row.provenance === provenance) &&
                (language === null || row.language === language.toLowerCase()) &&
                (end === null || row.id < end),
            );
            const rising = matching.map(({ id }) => id);
            const offset = turn % 4;
            const page = async (order: string, after: string | null, offset = 0) => {
              const found = await sql<{ id: string | null; total: number | null; nextId: string | null }[]>`
                select id, total::int, next_id from formd.submission_page(
                  p_team => ${team.id}, p_form => ${form.id}, p_status => ${status}, p_review => ${review}, p_agent => ${by},
                  p_respondent => ${of}, p_provenance => ${provenance}, p_language => ${language}, p_first_id => null, p_end_id => ${end}, p_limit => 5,
                  p_offset => ${offset}, p_after => ${after}, p_order => ${order}, p_max_counted => 1000)`;
              const { total, nextId } = found.at(-1) as (typeof found)[number];
              return { ids: found.flatMap(({ id }) => id ?? []), total, nextId };
            };
            const named = { status, review, by, of, provenance, language, end, offset };
            expect({ ...named, ...(await page("newest", null, offset)) }).toEqual({
              ...named,
              ids: rising.toReversed().slice(offset, offset + 5),
              total: rising.length,
              nextId: null,
            });
            for (const [order, start, ordered] of [
              ["newest", "f", rising.toReversed()],
              ["rising", "0", rising],
            ] as const) {
              const read: string[] = [];
              const first = "00000000-0000-0000-0000-000000000000".replaceAll("0", start);
              for (let after: string | null = first; after; ) {
                const { ids, nextId } = await page(order, after);
                expect([ids.length === 5, nextId]).toEqual([nextId !== null || ids.length === 5, nextId]);
                read.push(...ids);
                after = nextId;
              }
              expect({ ...named, order, read }).toEqual({ ...named, order, read: ordered });
            }
          }
});

test.each([
  ["filters that no index has together look at 10,000 of one", "pending", "owner", null],
  ["a filter by language looks at 10,000", null, null, "de"],
])("%s, from either end, and goes on after them", async (_, status, provenance, language) => {
  const form = await freshForm();
  const count = 10_020;
  const first = Date.now() - count * 1_000;
  const rows = Array.from({ length: count }, (_, n) => uuidv7({ msecs: first + n * 1_000 }));
  // The oldest and the newest one are an owner's and in German, all others a person's and in English.
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, data, submitter_type, provenance, submitter_id, metadata, created_at, updated_at)
    select ${team.id}, ${form.id}, id, 1, 'pending', '{}', 'api_key', case when n in (1, ${count}) then 'owner' else 'person' end,
      ${team.keyId}, jsonb_build_object('language', case when n in (1, ${count}) then 'de' else 'en' end), now(), now()
    from unnest(${rows}::uuid[]) with ordinality as t (id, n)`;
  const page = async (order: string, after: string | null) => {
    const found = await sql<{ id: string | null; total: number | null; nextId: string | null }[]>`
      select id, total::int, next_id from formd.submission_page(
        p_team => ${team.id}, p_form => ${form.id}, p_status => ${status}, p_review => null, p_agent => null, p_respondent => null,
        p_provenance => ${provenance}, p_language => ${language}, p_first_id => null, p_end_id => null, p_limit => 5, p_offset => 0, p_after => ${after},
        p_order => ${order}, p_max_counted => 10000)`;
    return { ids: found.flatMap(({ id }) => id ?? []), ...found.at(-1) };
  };
  const [oldest, newest] = [rows[0] as string, rows.at(-1) as string];
  const last = rows[count - 10_000] as string;
  expect(await page("newest", null)).toMatchObject({ ids: [newest], total: 1, nextId: last });
  expect(await page("newest", last)).toMatchObject({ ids: [oldest], total: null, nextId: null });
  const turned = rows[9_999] as string;
  expect(await page("rising", "00000000-0000-0000-0000-000000000000")).toMatchObject({
    ids: [oldest],
    nextId: turned,
  });
  expect(await page("rising", turned)).toMatchObject({ ids: [newest], nextId: null });
});
