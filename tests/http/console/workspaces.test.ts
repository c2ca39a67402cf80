// stacks: one
import { beforeAll, expect, test } from "bun:test";
import { makeTeam, makeWorkspace, type Service } from "../../setup.ts";
import { expectRedirect, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
beforeAll(async () => {
  ({ app } = await consoleFixture());
});

const path = "/console/workspaces";

test("an admin makes a workspace and renames it, and has API keys and the audit as before", async () => {
  const team = await makeTeam(app);
  const admin = await browserOf(app, team, "admin");
  const made = await admin.post(`${path}/new`, { name: "Events <b>" });
  const list = await admin.get(expectRedirect(made, path));
  expect(textOf(list)).toMatch(/The workspace Events <b> is made\..*Events <b> .*Your role: Admin/);
  for (const page of ["/console/api-keys", "/console/audit"])
    expect((await admin.get(page)).status).toBe(200);
  expect((await admin.get("/console")).html).toContain("/console/audit");
  const [, workspace = ""] =
    /name="workspace" value="([^"]+)"[^>]*\/?>(?:(?!<form).)*value="Events/s.exec(list.html) ?? [];
  expect(workspace).not.toBe(team.workspace);
  const renamed = await admin.post(`${path}/rename`, { workspace, name: "Meetings" });
  const after = await admin.get(expectRedirect(renamed, path));
  expect(textOf(after)).toMatch(/Saved\. .*Undo .*Meetings/);
  for (const name of [" ", "x".repeat(501)]) {
    expect((await admin.post(`${path}/new`, { name })).status).toBe(400);
    expect((await admin.post(`${path}/rename`, { workspace, name })).status).toBe(400);
  }
});

test("a role is changed in the list of people, and the last admin keeps it", async () => {
  const team = await makeTeam(app);
  const admin = await browserOf(app, team, "admin");
  await browserOf(app, team, "viewer");
  const [{ email } = { email: "" }] = await app.database.sql<{ email: string }[]>`
    select o.email from formd.operators o join formd.workspace_roles r on r.operator_id = o.id
    where r.workspace_id = ${team.workspace} and r.role = 'viewer'`;
  const change = (role: string) =>
    admin.post("/console/operators", { email, workspace: team.workspace, role });
  const list = await admin.get(expectRedirect(await change("editor"), /\/console\/operators\?/));
  expect(textOf(list)).toContain(`The role of ${email} is Editor now.`);
});

test("who may not is told which role is missing in which workspace", async () => {
  const team = await makeTeam(app);
  const elsewhere = await makeWorkspace(app, team);
  const viewer = await browserOf(app, team, "viewer", elsewhere);
  for (const page of [`${path}/new`, "/console/api-keys/new", "/console/operators/new"]) {
    const { status, html } = await viewer.get(page);
    expect([page, status]).toEqual([page, 403]);
    expect(textOf({ status, html, headers: new Headers() })).toMatch(
      /You have: Viewer in [^,]+, no role in [^,]+\./,
    );
  }
  expect((await viewer.post(`${path}/new`, { name: "Mine" })).status).toBe(403);
  expect(textOf(await viewer.get("/console/audit"))).toMatch(
    /needs a role in every workspace of the team\. It is missing in "[^"]+"\. You have: Viewer in /,
  );
  expect((await viewer.get(path)).html).not.toContain('method="post"');
});

test("of the workspaces without the role ten are named; of more it is said that there are others", async () => {
  const team = await makeTeam(app);
  for (let made = 1; made <= 10; made++) await makeWorkspace(app, team);
  const viewer = await browserOf(app, team, "viewer");
  const refused = async (language: string) =>
    textOf(await viewer.get("/console/audit", { "accept-language": language }));
  const all = await refused("en");
  expect(all).toMatch(/ It is missing in ("[^"]+", ){9}"[^"]+"\. You have: Viewer in /);
  expect(all).toMatch(/(, no role in [^,]+){10}\./);
  expect(all).not.toContain("others");
  await makeWorkspace(app, team);
  const first = await refused("en");
  expect(first).toMatch(/ It is missing in ("[^"]+", ){9}"[^"]+" and others\. /);
  expect(first).toMatch(/(, no role in [^,]+){10}, no role in others\./);
  const german = await refused("de");
  expect(german).toMatch(/ fehlt Ihnen in („[^“]+“, ){9}„[^“]+“ und weiteren\. /);
  expect(german).toMatch(/(, keine Rolle in [^,]+){10}, keine Rolle in weiteren\./);
});
