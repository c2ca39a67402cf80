import { beforeAll, describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/db.ts";
import { makeForm, makeWorkspace, type Service, type Team } from "../setup.ts";
import { sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
}, 60_000);

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
