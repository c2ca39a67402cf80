import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Role } from "../../src/resources/operators/roles.ts";
import { makeTeam } from "../setup.ts";
import { codeOf, raisedProblem, sqlFixture } from "./fixture.ts";

const { app, sql, team, join: joinTeam } = await sqlFixture();

const createWorkspace = (name: string, id = uuidv7(), of = team.id) =>
  sql`select formd.workspace_create(p_team => ${of}, p_actor => '(cli,,)'::formd.actor, p_id => ${id}, p_name => ${name})`;
const choose = async (workspace: string | null, of = team.id) => {
  const [row] = await sql<[{ id: string }]>`
    select formd.workspace_choose(p_team => ${of}, p_workspace => ${workspace}) as id`;
  return row.id;
};

test("a team without a name, or without one for its workspace, is not created", async () => {
  const names: [team: string, workspace: string][] = [
    [" ", "Main"],
    ["Team", "\u3000"],
  ];
  for (const [name, workspaceName] of names) {
    const id = uuidv7();
    const call = sql`
      select formd.team_create(
        p_team => ${id}, p_actor => '(cli,,)'::formd.actor, p_name => ${name}, p_workspace => ${uuidv7()}, p_workspace_name => ${workspaceName})`;
    expect(await codeOf(call)).toBe("bad_request");
    expect(await sql`select from formd.teams where team_id = ${id}`).toHaveLength(0);
  }
});

test("a workspace has a name and a team that exists", async () => {
  expect(await codeOf(createWorkspace(" "))).toBe("bad_request");
  expect(await codeOf(createWorkspace("A", uuidv7(), uuidv7()))).toBe("not_found");
});

test("the default workspace is the team's oldest one; another one is chosen by its id, in its team only", async () => {
  const [second, other] = [uuidv7(), await makeTeam(app)];
  await createWorkspace("Second", second);
  expect([await choose(null), await choose(second)]).toEqual([team.workspace, second]);
  expect(await choose(null, other.id)).toBe(other.workspace);
  expect(await codeOf(choose(other.workspace))).toBe("not_found");
  expect(await codeOf(choose(null, uuidv7()))).toBe("not_found");
});

test("a new workspace takes nothing from an admin of all the others, and gives nothing to the rest", async () => {
  const own = await makeTeam(app);
  const join = (role: Role, workspace = own.workspace) => joinTeam(role, workspace, own);
  const [admin, editor] = [await join("admin"), await join("editor")];
  const rolesIn = async (workspace: string) => {
    const rows = await sql<{ operatorId: string; role: string }[]>`
      select operator_id, role from formd.workspace_roles where team_id = ${own.id} and workspace_id = ${workspace}`;
    return Object.fromEntries(rows.map(({ operatorId, role }) => [operatorId, role]));
  };
  const [second, third] = [uuidv7(), uuidv7()];
  const make = (operator: string, id = uuidv7()) =>
    sql`select formd.workspace_create(${own.id}, ${`(operator,${operator},request-1)`}, ${id}, 'Next')`;
  await make(admin, second);
  await createWorkspace("Third", third, own.id);
  for (const workspace of [second, third]) {
    const { [admin]: ofAdmin, [editor]: ofEditor } = await rolesIn(workspace);
    expect([ofAdmin, ofEditor]).toEqual(["admin", undefined]);
  }
  const [event] = await sql<{ details: { admins: string[] } }[]>`
    select details from formd.audit_events where team_id = ${own.id} and object_id = ${third}`;
  expect(event?.details.admins).toContain(admin);
  for (const operator of [editor, await join("admin", third)])
    expect(await codeOf(make(operator))).toBe("insufficient_workspace_role");
});

test("who lacks a role learns which one where, and what is there instead", async () => {
  const own = await makeTeam(app);
  const actor = `(operator,${await joinTeam("viewer", own.workspace, own)},request-1)`;
  const rename = (workspace: string) =>
    sql`select formd.workspace_change(${own.id}, ${actor}, ${workspace}, 'Other')`;
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
