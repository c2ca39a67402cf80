import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/db.ts";
import { makeTeam, type Service, type Team } from "../setup.ts";
import { raisedProblem, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
}, 120_000);

const createWorkspace = (name: string, id = uuidv7(), of = team.id) =>
  sql`select formd.workspace_create(p_team => ${of}, p_actor => '(cli,,)'::formd.actor, p_id => ${id}, p_name => ${name})`;
const choose = async (workspace: string | null, of = team.id) => {
  const [row] = await sql<[{ id: string }]>`
    select formd.workspace_choose(p_team => ${of}, p_workspace => ${workspace}) as id`;
  return row.id;
};

test("a team without a name, or without one for its workspace, is not created", async () => {
  for (const [name, workspaceName] of [
    [" ", "Main"],
    ["Team", "\u3000"],
  ] as const) {
    const id = uuidv7();
    const call = sql`
      select formd.team_create(
        p_team => ${id}, p_actor => '(cli,,)'::formd.actor, p_name => ${name}, p_workspace => ${uuidv7()}, p_workspace_name => ${workspaceName})`;
    expect((await raisedProblem(call)).code).toBe("bad_request");
    expect(await sql`select from formd.teams where team_id = ${id}`).toHaveLength(0);
  }
});

test("a workspace has a name and a team that exists", async () => {
  expect((await raisedProblem(createWorkspace(" "))).code).toBe("bad_request");
  expect((await raisedProblem(createWorkspace("A", uuidv7(), uuidv7()))).code).toBe("not_found");
});

test("the default workspace is the team's oldest one; another one is chosen by its id, in its team only", async () => {
  const [second, other] = [uuidv7(), await makeTeam(app)];
  await createWorkspace("Second", second);
  expect([await choose(null), await choose(second)]).toEqual([team.workspace, second]);
  expect(await choose(null, other.id)).toBe(other.workspace);
  expect((await raisedProblem(choose(other.workspace))).code).toBe("not_found");
  expect((await raisedProblem(choose(null, uuidv7()))).code).toBe("not_found");
});
