import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb } from "../../src/platform/database/db.ts";
import { makeAgent, makeForm, makeWorkspace } from "../setup.ts";
import { sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();

const list = (archived = false, limit = 25, offset = 0) => sql<
  {
    id: string | null;
    days: number[];
    waiting: number;
    submissions: number;
    lastAt: Date | null;
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
        insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at)
        values (${team.id}, ${form.id}, ${uuidv7({ msecs: Date.parse(time) })}, 1, 'pending', 'api_key', 'owner', ${team.keyId}, '{}', ${time}, ${time})`;
    await sql`
      insert into formd.submission_days (team_id, form_id, day, status, provenance, total, expires_at)
      select team_id, form_id, formd.day_of(created_at), status, provenance, count(*), now()
      from formd.submissions where form_id = ${form.id} group by 1, 2, 3, 4, 5`;
    await sql`insert into formd.submission_counts values (${team.id}, ${form.id}, 'pending', 0, 5), (${team.id}, ${form.id}, 'pending', 1, -1)`;
    const [row] = await list();
    expect(row?.days).toHaveLength(30);
    expect([row?.days[0], row?.days[29], row?.days.reduce((sum, day) => sum + day, 0)]).toEqual([1, 2, 3]);
    expect([row?.waiting, row?.submissions, row?.hasChanges]).toEqual([4, 4, false]);
    expect(row?.lastAt).toEqual(new Date("2026-11-22T23:59:59.999Z"));
  });

  test("no day is below zero, though a deletion counts before its submission, or a killed server lost it", async () => {
    const form = await makeForm(app, team, []);
    const today = Math.floor(Date.parse("2026-11-22") / 86_400_000);
    const expiry = new Date("2027-02-22");
    for (const [day, status, total] of [
      [today, "completed", -1],
      [today - 1, "completed", 3],
      [today - 1, "pending", -1],
    ] as const)
      await sql`
        insert into formd.submission_days (team_id, form_id, day, status, provenance, total, expires_at)
        values (${team.id}, ${form.id}, ${day}, ${status}, 'owner', ${total}, ${expiry})`;
    const [row] = await list();
    expect(row?.days.slice(-2)).toEqual([2, 0]);
    const series = await sql<{ kind: string; name: string; days: Record<string, number> }[]>`
      select kind, name, days from formd.console_form_counts(p_team => ${team.id}, p_form => ${form.id}, p_first_day => ${today - 1})`;
    expect([...series]).toEqual([
      { kind: "status", name: "completed", days: { [today]: 0, [today - 1]: 3 } },
      { kind: "status", name: "pending", days: { [today - 1]: 0 } },
      { kind: "provenance", name: "owner", days: { [today]: 0, [today - 1]: 2 } },
    ]);
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
            { ...of, day, status: "completed", provenance: "agent", total: 3 },
            { ...of, day, status: "pending", provenance: "agent", total: 1 },
            { ...of, day: day - 1, status: "pending", provenance: "person", total: 2 },
            { ...of, day: day - 2, status: "pending", provenance: "person", total: 9 },
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
          ])},
          p_progress => ${jsonb(sql, [{ ...of, day, form_version: 2, kind: "step", step: 3, total: 2 }])})`;
    expect([...(await counts(form.id, day - 1))]).toMatchObject([
      { kind: "status", name: "completed", days: { [day]: 6 } },
      { kind: "status", name: "pending", days: { [day]: 2, [day - 1]: 4 } },
      { kind: "provenance", name: "agent", days: { [day]: 8 } },
      { kind: "provenance", name: "person", days: { [day - 1]: 4 } },
      { kind: "agent", name: many.id, days: { [day]: 6 } },
      { kind: "agent", name: few.id, days: { [day]: 2 } },
      { kind: "error", name: "", code: "unknown_field", versions: [1], days: { [day]: 14 } },
      { kind: "error", name: "a", code: "required", versions: [1, 2], days: { [day]: 4 } },
      { kind: "progress", name: "step", code: "3", versions: [2], days: { [day]: 4 } },
    ]);
    expect(await counts((await makeForm(app, team, [])).id, 0)).toHaveLength(0);
  });
});
