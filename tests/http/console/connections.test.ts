// stacks: one
/** The page of sign-in connections: made, listed and removed by an admin of every workspace. */
import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../../../src/platform/auth/secret.ts";
import { forgedProvider } from "../../identity-provider.ts";
import { makeTeam } from "../../setup.ts";
import { local } from "../webhooks/receiver.ts";
import { Browser, type Shown, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

const { app, team, admin, editor } = await consoleFixture(local);
const path = "/console/connections";
let issuer: string;
beforeAll(async () => {
  ({ issuer } = await forgedProvider());
});

const given = () => ({
  ...{ name: "Corp", issuer, clientId: "formd", clientSecret: "a secret of Corp", groupsClaim: "groups" },
  domains: "Corp.example, corp.test",
  group: ["leads", "", "*"],
  workspaceId: [team.workspace, team.workspace, team.workspace],
  role: ["admin", "viewer", "viewer"],
});

test("a connection is made, shown with its addresses, and removed; each is in the audit", async () => {
  expect(textOf(await admin.get(path))).toContain("There is no connection yet.");
  const made = await admin.post(`${path}/new`, { ...given(), required: "true", agents: "true" });
  expect([made.status, made.headers.get("location")?.split("?")[0]]).toEqual([303, path]);
  const [row] = await app.database.sql<[Record<string, unknown> & { id: string }]>`
    select id, email_domains, roles, is_required, accepts_agents from formd.sign_in_connections where team_id = ${team.id}`;
  expect(row).toMatchObject({
    emailDomains: ["corp.example", "corp.test"],
    roles: [
      { group: "leads", workspaceId: team.workspace, teamId: team.id, role: "admin" },
      { group: "*", workspaceId: team.workspace, teamId: team.id, role: "viewer" },
    ],
    isRequired: true,
    acceptsAgents: true,
  });
  const shown = await admin.get(path);
  expect(textOf(shown)).toContain(`/console/sign-in/${row.id}/callback`);
  expect(shown.html).not.toContain("a secret of Corp");
  const changed = await admin.post(`${path}/change`, { connection: row.id, required: "true" });
  expect(changed.status).toBe(303);
  expect(textOf(await admin.get(path))).not.toContain("Says for which person");
  const removed = await admin.post(`${path}/remove`, { connection: row.id });
  expect(removed.status).toBe(303);
  const events = await app.database.sql<{ kind: string; actorType: string }[]>`
    select kind, actor_type from formd.audit_events where team_id = ${team.id} and object_id = ${row.id} order by id`;
  expect([...events]).toEqual([
    { kind: "sign_in_connection.created", actorType: "operator" },
    { kind: "sign_in_connection.changed", actorType: "operator" },
    { kind: "sign_in_connection.removed", actorType: "operator" },
  ]);
});

test("what is wrong is said above the form, which keeps what was entered but the secret", async () => {
  const wrong: [fields: Record<string, string | string[]>, said: string][] = [
    [{ issuer: "http://192.0.2.1" }, "The address 192.0.2.1 is not public."],
    [{ issuer: "ftp://id.example" }, "The address must begin with https://."],
    [{ issuer: "https://a@id.example" }, "The address of the provider must have no name, password,"],
    [{ issuer: "https://127.0.0.1:1" }, "The identity provider was not found:"],
    [{ domains: " " }, "Check “E-mail domains”."],
    [{ domains: "a@corp.example" }, "Check “E-mail domains”."],
    [{ group: "" }, "Check “Name of the group”."],
    [{ clientSecret: "" }, "Check “Client secret”."],
  ];
  for (const [fields, said] of wrong) {
    const { status, html } = await admin.post(`${path}/new`, { ...given(), ...fields });
    expect([said, status, html.includes(said)]).toEqual([said, 400, true]);
    expect(html).toContain('value="Corp"');
    expect(html).not.toContain("a secret of Corp");
  }
});

test("where a password is refused, the pages on which one is chosen say by what a person signs in", async () => {
  const to = await makeTeam(app);
  const boss = new Browser(app);
  await boss.signIn(to.operator.email, to.operator.password);
  const [, domain = ""] = to.operator.email.split("@");
  const place = { email: `new@${domain}`, workspace: to.workspace };
  const pathOf = (page: Shown) => /\/console\/(?:invitation|reset)\/[\w-]+/.exec(page.html)?.[0] ?? "";
  const invited = pathOf(await boss.post("/console/operators", { ...place, role: "viewer" }));
  const operator = { operator: to.operator.id, email: to.operator.email };
  const reset = pathOf(await boss.post("/console/operators/reset-link", { ...place, ...operator }));
  const said = "Your team asks you to sign in with Corp.";
  const pages = async () =>
    await Promise.all(
      [invited, reset].map(async (page) => textOf(await new Browser(app).get(page)).includes(said)),
    );
  expect(await pages()).toEqual([false, false]);
  await boss.post(`${path}/new`, { ...given(), domains: domain, workspaceId: Array(3).fill(to.workspace) });
  expect(await pages()).toEqual([false, false]);
  await app.database.sql`update formd.sign_in_connections set is_required = true where team_id = ${to.id}`;
  expect(await pages()).toEqual([true, true]);
  const own = async () => textOf(await boss.get("/console/account/password")).includes(said);
  expect(await own()).toBe(true);
  // A password that was set at a terminal opens it for an hour; another team takes one at any time.
  const allowUntil = (at: Date) =>
    app.database
      .sql`update formd.operators set password_allowed_until_at = ${at} where id = ${to.operator.id}`;
  await allowUntil(new Date(Date.now() + 60_000));
  expect([await pages(), await own()]).toEqual([[true, false], false]);
  await allowUntil(new Date());
  expect([await pages(), await own()]).toEqual([[true, true], true]);
  const elsewhere = await makeTeam(app);
  await app.database.sql`
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (${elsewhere.id}, ${elsewhere.workspace}, ${to.operator.id}, 'viewer', now())`;
  expect(await pages()).toEqual([true, false]);
});

test("an invitation of a person who has to sign in by a connection offers it, and makes no account", async () => {
  const to = await makeTeam(app);
  const boss = new Browser(app);
  await boss.signIn(to.operator.email, to.operator.password);
  const email = `new-${to.id}@corp.example`;
  const invite = () => boss.post("/console/operators", { email, workspace: to.workspace, role: "viewer" });
  await boss.post(`${path}/new`, { ...given(), workspaceId: Array(3).fill(to.workspace) });
  const { sql } = app.database;
  const [{ id } = {}] = await sql`select id from formd.sign_in_connections where team_id = ${to.id}`;
  const { secret, hash } = makeSecret("fdo", to.id);
  await sql`
    select formd.operator_login_connection(${id}, ${to.id}, '(anonymous,,)', ${uuidv7()}, 'new', ${email}, '{}', '0 seconds', null,
      ${uuidv7()}, ${hash}, '1 hour', null, null)`;
  const member = new Browser(app, `formd_session=${secret}`);
  const invited = /\/console\/invitation\/[\w-]+/.exec((await invite()).html)?.[0] ?? "";
  // The provider vouches for this account, which takes no invitation.
  const refused = await member.get(invited);
  expect(textOf(refused)).toContain("an invitation is for an account with a password");
  expect(refused.html).toContain('action="/console/sign-out"');
  await sql`update formd.sign_in_connections set is_required = true where id = ${id}`;
  expect(textOf(await member.get(invited))).toContain("You are signed in with Corp");
  const shown = await new Browser(app).get(invited);
  expect(shown.html).toContain(`href="/console/sign-in/${id}?next=%2Fconsole"`);
  expect([
    textOf(shown).includes("your role comes from your groups at Corp"),
    shown.html.includes("<form"),
  ]).toEqual([true, false]);
  expect((await new Browser(app).post(invited, { email, password: "a long enough password" })).status).toBe(
    409,
  );
  const accounts = await sql`select connection_id from formd.operators where email = ${email}`;
  expect([...accounts]).toEqual([{ connectionId: id }]);
  expect(textOf(await invite())).toContain(`${email} has to sign in with Corp`);
});

test("who is no admin sees neither, and causes no request to an issuer", async () => {
  for (const page of [path, `${path}/new`]) expect((await editor.get(page)).status).toBe(403);
  const refused = await editor.post(`${path}/new`, { ...given(), issuer: "https://127.0.0.1:1" });
  expect(refused.status).toBe(403);
});
