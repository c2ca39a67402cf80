import { beforeAll, describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb, type Sql } from "../../src/db.ts";
import { makeAgent, makeForm, makeWorkspace, type Service, type Team } from "../setup.ts";
import { inParallel, sqlFixture, submit, submitAll } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
}, 120_000);

const list = (archived = false, limit = 25, offset = 0) => sql<
  {
    id: string | null;
    days: number[];
    waiting: number;
    submissions: number;
    hasChanges: boolean;
    total: number;
  }[]
>`
  select * from formd.console_form_list(
    p_team => ${team.id}, p_operator => ${team.operator.id}, p_archived => ${archived}, p_today => '2026-11-22',
    p_limit => ${limit}, p_offset => ${offset})`;

test("uuid_floor is the smallest id of a millisecond", async () => {
  const at = new Date("2026-11-22T00:00:00.123Z");
  const [row] = await sql<[{ floor: string }]>`select formd.uuid_floor(${at}) as floor`;
  const id = (ms: number) => uuidv7({ msecs: at.getTime() + ms });
  expect(id(-1) < row.floor && row.floor < id(0)).toBe(true);
});

describe("console_form_list", () => {
  test("counts the submissions of each of 30 days by UTC, and what waits", async () => {
    const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    const times = [
      "2026-10-23T23:59:59.999Z",
      "2026-10-24T00:00:00.000Z",
      "2026-11-22T00:00:00.000Z",
      "2026-11-22T23:59:59.999Z",
    ];
    for (const time of times)
      await sql`
        insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, data, created_at, updated_at)
        values (${team.id}, ${form.id}, ${uuidv7({ msecs: Date.parse(time) })}, 1, 'pending', 'api_key', ${team.keyId}, '{}', ${time}, ${time})`;
    await sql`
      insert into formd.submission_days (team_id, form_id, day, status, submitter_type, total, expires_at)
      select team_id, form_id, formd.day_of(created_at), status, submitter_type, count(*), now()
      from formd.submissions where form_id = ${form.id} group by 1, 2, 3, 4, 5`;
    await sql`insert into formd.submission_counts values (${team.id}, ${form.id}, 'pending', 0, 5), (${team.id}, ${form.id}, 'pending', 1, -1)`;
    const [row] = await list();
    expect(row?.days).toHaveLength(30);
    expect([row?.days[0], row?.days[29], row?.days.reduce((sum, day) => sum + day, 0)]).toEqual([1, 2, 3]);
    expect([row?.waiting, row?.submissions, row?.hasChanges]).toEqual([4, 4, false]);
  });

  test("leaves out workspaces without a role, and has archived forms apart", async () => {
    const workspaceId = await makeWorkspace(app, team);
    const hidden = await makeForm(app, team, [], { workspaceId });
    const archived = await makeForm(app, team, []);
    await sql`select from formd.form_set_archived(${team.id}, '(cli,,)', ${archived.id}, true)`;
    expect((await list()).map(({ id }) => id)).not.toContainAnyValues([hidden.id, archived.id]);
    expect((await list(true)).map(({ id }) => id)).toEqual([archived.id]);
    expect(await list(true, 25, 25)).toMatchObject([{ id: null, total: 1 }]);
  });
});

describe("console_form_counts", () => {
  const day = Math.floor(Date.parse("2026-11-22") / 86_400_000);
  const counts = (form: string, firstDay: number) => sql<
    { kind: string; name: string; label: string; code: string; versions: number[]; days: object }[]
  >`
    select * from formd.console_form_counts(p_team => ${team.id}, p_form => ${form}, p_first_day => ${firstDay})`;

  test("is what was added since the day: statuses, submitters, agents by their number, errors by theirs", async () => {
    const form = await makeForm(app, team, []);
    const [few, many] = [await makeAgent(app, team, form), await makeAgent(app, team, form)];
    const of = { team_id: team.id, form_id: form.id };
    const errors = (field_id: string, code: string, form_version: number, total: number, of_day = day) => ({
      ...of,
      day: of_day,
      form_version,
      field_id,
      code,
      total,
    });
    for (let round = 0; round < 2; round++)
      await sql`
        select formd.daily_counts_add(
          p_team => null, p_submissions => ${jsonb(sql, [
            { ...of, day, status: "completed", submitter_type: "agent", total: 3 },
            { ...of, day, status: "pending", submitter_type: "agent", total: 1 },
            { ...of, day: day - 1, status: "pending", submitter_type: "anonymous", total: 2 },
            { ...of, day: day - 2, status: "pending", submitter_type: "anonymous", total: 9 },
          ])},
          p_agents => ${jsonb(sql, [
            { ...of, day, agent_id: few.id, outcome: "stored", total: 1 },
            { ...of, day, agent_id: few.id, outcome: "rate_limited", total: 50 },
            { ...of, day, agent_id: many.id, outcome: "stored", total: 3 },
          ])},
          p_errors => ${jsonb(sql, [
            errors("a", "required", 1, 1),
            errors("a", "required", 2, 1),
            errors("", "unknown_field", 1, 7),
            errors("a", "format", 1, 5, day - 2),
          ])})`;
    expect([...(await counts(form.id, day - 1))]).toMatchObject([
      { kind: "status", name: "completed", days: { [day]: 6 } },
      { kind: "status", name: "pending", days: { [day]: 2, [day - 1]: 4 } },
      { kind: "submitter", name: "agent", days: { [day]: 8 } },
      { kind: "submitter", name: "anonymous", days: { [day - 1]: 4 } },
      { kind: "agent", name: many.id, days: { [day]: 6 } },
      { kind: "agent", name: few.id, days: { [day]: 2 } },
      { kind: "error", name: "", code: "unknown_field", versions: [1], days: { [day]: 14 } },
      { kind: "error", name: "a", code: "required", versions: [1, 2], days: { [day]: 4 } },
    ]);
    expect(await counts((await makeForm(app, team, [])).id, 0)).toHaveLength(0);
  });

  test("two servers that add the same keys in opposite orders both add them", async () => {
    const form = await makeForm(app, team, []);
    const items = Array.from({ length: 200 }, (_, index) => ({
      team_id: team.id,
      form_id: form.id,
      day,
      form_version: 1,
      field_id: `f${index}`,
      code: "required",
      total: 1,
    }));
    await inParallel(app.database.ownerUrl, 8, async (each, index) => {
      for (let round = 0; round < 5; round++)
        await each`
          select formd.daily_counts_add(
            p_team => ${team.id}, p_submissions => '[]', p_agents => '[]', p_errors => ${jsonb(each, index % 2 ? items : items.toReversed())})`;
    });
    const [row] = await sql`
      select count(*)::int as rows, min(total)::int as least, max(total)::int as most
      from formd.validation_errors where form_id = ${form.id}`;
    expect(row).toEqual({ rows: 200, least: 40, most: 40 });
  });
});

test("a key that is given twice is added twice, and a form that does not exist is left out", async () => {
  const form = await makeForm(app, team, []);
  const agent = await makeAgent(app, team, form);
  const of = { team_id: team.id, day: 20_000, agent_id: agent.id, outcome: "no_grant", total: 1 };
  const agents = [form.id, form.id.toUpperCase(), uuidv7()].map((form_id) => ({ ...of, form_id }));
  await sql`
    select formd.daily_counts_add(p_team => null, p_submissions => '[]', p_agents => ${jsonb(sql, agents)}, p_errors => '[]')`;
  const rows = await sql`select form_id, total::int from formd.agent_days where agent_id = ${agent.id}`;
  expect([...rows]).toEqual([{ formId: form.id, total: 2 }]);
});

test("reviews of lists and counts of servers at once end without a deadlock", async () => {
  const form = await makeForm(app, team, [], { settings: { review: { required: true } } });
  const actor = `(api_key,${team.keyId},request)`;
  const list = Array.from({ length: 400 }, () => ({ form, item: { id: uuidv7() } }));
  await submitAll(sql, team, list);
  await sql`
    update formd.submissions set submitter_type = case when abs(hashtext(id::text)) % 2 = 0 then 'agent' else 'anonymous' end
    where form_id = ${form.id}`;
  const rows = await sql<{ id: string; updatedAt: string }[]>`
    select id, formd.timestamp_text(updated_at) as updated_at from formd.submissions where form_id = ${form.id} order by id`;
  const day = Math.floor(Date.now() / 86_400_000);
  const counts = ["completed", "pending"].flatMap((status) =>
    ["agent", "anonymous"].map((submitter_type) => ({
      ...{ team_id: team.id, form_id: form.id, day, status, submitter_type },
      total: 1,
    })),
  );
  await inParallel(app.database.ownerUrl, 8, async (each, index) => {
    const part = jsonb(each, rows.slice(index * 100, index * 100 + 100));
    if (index < 4)
      await each`select from formd.submissions_review(${team.id}, ${actor}, ${form.id}, ${part}, 'approve', null)`;
    else
      for (let round = 0; round < 100; round++)
        await each`
          select formd.daily_counts_add(
            p_team => null, p_submissions => ${jsonb(each, counts)}, p_agents => '[]', p_errors => '[]')`;
  });
  const [total] = await sql`
    select sum(total)::int as total from formd.submission_days where form_id = ${form.id} and status = 'completed'`;
  expect(total).toEqual({ total: 400 + 2 * 400 });
});

test("a review, a completing edit and a deletion move a submission in the counts of its day", async () => {
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
    settings: { review: { required: true } },
  });
  const id = uuidv7();
  expect((await submit(sql, team, { form, item: { id } })).outcome).toBe("stored");
  const [row] = await sql<[{ updatedAt: Date; status: string }]>`
    select updated_at, status from formd.submissions where id = ${id}`;
  const counts = async () => [
    ...(await sql`
      select day, status, submitter_type, total::int from formd.submission_days where form_id = ${form.id} and total <> 0 order by status`),
  ];
  const day = Math.floor(Date.now() / 86_400_000);
  const actor = `(api_key,${team.keyId},request)`;
  expect(row.status).toBe("pending");
  await sql`select from formd.submission_review(${team.id}, ${actor}, ${form.id}, ${id}, 'approve', null, ${row.updatedAt})`;
  expect(await counts()).toEqual([
    { day, status: "completed", submitterType: "api_key", total: 1 },
    { day, status: "pending", submitterType: "api_key", total: -1 },
  ]);
  await sql`select formd.submission_delete(${team.id}, ${actor}, ${form.id}, ${id})`;
  expect(await counts()).toEqual([{ day, status: "pending", submitterType: "api_key", total: -1 }]);
});
