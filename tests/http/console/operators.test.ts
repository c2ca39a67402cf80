import { beforeAll, expect, test } from "bun:test";
import { makeForm, makeTeam, makeWorkspace, type Service, type Team } from "../../setup.ts";
import { Browser, expectRedirect, secretOf, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let admin: Browser;
beforeAll(async () => {
  ({ app, team, admin } = await consoleFixture());
}, 120_000);

test("are added with a password that is shown once, change their role, and are removed", async () => {
  const email = `new-${team.id.slice(-6)}@example.org`;
  const add = (role: string) => admin.post("/console/operators", { email, workspace: team.workspace, role });
  const password = secretOf(await add("viewer"));
  const added = new Browser(app);
  expectRedirect(await added.signIn(email, password), /^\/console$/);
  expect((await added.get("/console/new-form")).html).not.toContain('name="workspace" value="0');
  expectRedirect(await add("editor"), "/console/operators");
  expect((await added.get("/console/new-form")).html).toContain(`value="${team.workspace}"`);
  await admin.post("/console/operators/remove", { email, workspace: team.workspace });
  expect((await added.get("/console")).status).toBe(303);
  expect(
    (await admin.post("/console/operators", { email: "x", workspace: team.workspace, role: "viewer" }))
      .status,
  ).toBe(400);
});

test("an admin says whether editors may publish", async () => {
  const editor = await browserOf(app, team, "editor");
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const path = `/console/forms/${form.id}/publish`;
  expect((await editor.get(path)).html).toContain('method="post"');
  await admin.post("/console/operators/publishing", { workspace: team.workspace });
  expect((await editor.get(path)).html).not.toContain('method="post"');
  expect((await editor.post(`/console/forms/${form.id}/archive`, {})).status).toBe(403);
  await admin.post("/console/operators/publishing", {
    workspace: team.workspace,
    editorsMayPublish: "true",
  });
  expect((await editor.get(path)).html).toContain('method="post"');
});

test("operators are listed by workspace and page, the newest first, to those with a role there", async () => {
  const own = await makeTeam(app);
  const second = await makeWorkspace(app, own);
  const browser = await browserOf(app, own, "viewer");
  await app.database.sql`
    with made as (
      insert into formd.operators (id, email, password_salt, password_hash, created_at)
      select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'listed' || n || '-' || ${own.id} || '@example.org', 'salt', '', now()
      from generate_series(1, 60) as n returning id)
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    select ${own.id}, ${own.workspace}, id, 'editor', now() from made`;
  const emails = async (query: string) => {
    const { html } = await browser.get(`/console/operators?${query}`);
    return [...html.matchAll(/>listed(\d+)-/g)].map(([, n]) => Number(n));
  };
  const first = await emails("");
  expect(first).toEqual(Array.from({ length: first.length }, (_, index) => 60 - index));
  expect(first.length).toBeGreaterThan(45);
  expect(await emails(`workspace=${own.workspace}&page=2`)).toEqual(
    Array.from({ length: 60 - first.length }, (_, index) => 60 - first.length - index),
  );
  for (const workspace of [second, team.workspace])
    expect((await browser.get(`/console/operators?workspace=${workspace}`)).status).toBe(404);
  const both = await browserOf(app, own, "admin", second);
  expect(textOf(await both.get(`/console/operators?workspace=${second}`))).toContain("Admin");
});
