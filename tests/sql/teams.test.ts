import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { cliActor } from "../../src/platform/auth/actor.ts";
import type { Sql } from "../../src/platform/database/db.ts";
import { addOperator } from "../../src/resources/operators/operators.ts";
import type { Role } from "../../src/resources/operators/roles.ts";
import { makeTeam, type Service, type Team } from "../setup.ts";
import { raisedProblem, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
});

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

test("a new workspace takes nothing from an admin of all the others, and gives nothing to the rest", async () => {
  const own = await makeTeam(app);
  const join = async (role: Role, workspace = own.workspace) => {
    const email = `${uuidv7()}@example.org`;
    return (await addOperator(sql, cliActor, own.id, { workspace, email, role, password: "correct horse" }))
      .id;
  };
  const [admin, editor] = [await join("admin"), await join("editor")];
  const rolesIn = async (workspace: string) => {
    const rows = await sql<{ operatorId: string; role: string }[]>`
      select operator_id, role from formd.workspace_roles where team_id = ${own.id} and workspace_id = ${workspace}`;
    return Object.fromEntries(rows.map(({ operatorId, role }) => [operatorId, role]));
  };
  const make = async (operator: string) => {
    const id = uuidv7();
    const actor = `(operator,${operator},request-1)`;
    const call = sql`select formd.workspace_create(${own.id}, ${actor}, ${id}, 'Next')`;
    return { id, call };
  };
  const second = await make(admin);
  await second.call;
  expect(await rolesIn(second.id)).toMatchObject({ [admin]: "admin" });
  const third = uuidv7();
  await createWorkspace("Third", third, own.id);
  for (const workspace of [second.id, third])
    expect([(await rolesIn(workspace))[admin], (await rolesIn(workspace))[editor]]).toEqual([
      "admin",
      undefined,
    ]);
  const [event] = await sql<{ details: { admins: string[] } }[]>`
    select details from formd.audit_events where team_id = ${own.id} and object_id = ${third}`;
  expect(event?.details.admins).toContain(admin);
  const elsewhere = await join("admin", third);
  for (const operator of [editor, elsewhere]) {
    const problem = await raisedProblem((await make(operator)).call);
    expect(problem.code).toBe("insufficient_workspace_role");
  }
});

test("who lacks a role learns which one where, and what is there instead", async () => {
  const own = await makeTeam(app);
  const viewer = `${uuidv7()}@example.org`;
  const { id } = await addOperator(sql, cliActor, own.id, {
    ...{ workspace: own.workspace, email: viewer, role: "viewer" as const, password: "correct horse" },
  });
  const actor = `(operator,${id},request-1)`;
  const rename = (workspace: string) =>
    sql`select formd.workspace_rename(${own.id}, ${actor}, ${workspace}, 'Other')`;
  const { detail } = await raisedProblem(rename(own.workspace));
  expect(detail).toMatch(
    /^This needs the role of admin in the workspace ".+"\. You have that of viewer there\.$/,
  );
  const events = uuidv7();
  await createWorkspace("Events", events, own.id);
  expect((await raisedProblem(rename(events))).detail).toBe(
    "This needs the role of admin in a workspace in which you have none.",
  );
  const make = sql`select formd.workspace_create(${own.id}, ${actor}, ${uuidv7()}, 'New')`;
  expect((await raisedProblem(make)).detail).toMatch(
    /^This needs the role of admin in every workspace of the team\. It is missing in ".+", "Events"\.$/,
  );
});
