// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { makeForm, makeTeam, makeWorkspace, type Service, server, type Team } from "../../setup.ts";
import { Browser, expectRedirect, type Shown, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let admin: Browser;
beforeAll(async () => {
  ({ app, team, admin } = await consoleFixture());
});

const linkOf = (shown: Shown) =>
  /<code>[^<]*?(\/console\/(?:invitation|reset)\/fd[ir]_[\w-]+)<\/code>/.exec(shown.html)?.[1] ?? "";
let people = 0;
const newEmail = () => `invited${++people}-${team.id.slice(-6)}@example.org`;
const invite = async (email: string, role = "viewer", by = admin, workspace = team.workspace) =>
  await by.post("/console/operators", { email, workspace, role });

describe("an invitation", () => {
  test("has no password that anyone else sees: the person chooses one on a link that works once", async () => {
    const email = newEmail();
    const link = linkOf(await invite(email));
    const person = new Browser(app);
    expect(textOf(await person.get(link))).toContain("as Viewer");
    expect((await new Browser(app).signIn(email, "correct horse")).status).toBe(401);
    for (const password of ["short", "password", "Iloveyou", email, email.split("@")[0] ?? ""])
      expect([password, (await person.post(link, { password })).status]).toEqual([password, 400]);
    expectRedirect(await person.post(link, { password: "correct horse" }), /^\/console$/);
    expect((await person.get("/console/account")).status).toBe(200);
    expect((await new Browser(app).get(link)).status).toBe(404);
    expect((await new Browser(app).post(link, { password: "another horse" })).status).toBe(404);
    // Who has a role has another one at once.
    expectRedirect(await invite(email, "editor"), "/console/operators");
    expect(textOf(await person.get("/console/account"))).toContain("Editor");
    await admin.post("/console/operators/remove", { email, workspace: team.workspace });
    expect((await person.get("/console")).status).toBe(303);
  });

  test("of a person who works for another team gives no role until that person accepts, signed in", async () => {
    const other = await makeTeam(app);
    const { email, password } = other.operator;
    const roles = () =>
      app.database.sql`select team_id from formd.workspace_roles where operator_id = ${other.operator.id}`;
    const [known, unknown] = [await invite(email, "admin"), await invite(newEmail(), "admin")];
    const shape = (page: typeof known) => textOf(page).replace(/fdi_[\w-]+|\S+@example\.org/g, "…");
    expect([known.status, shape(known)]).toEqual([unknown.status, shape(unknown)]);
    expect(await roles()).toHaveLength(1);
    const link = linkOf(known);
    // Others who have the link get nothing by it: not a new password, not with another account.
    expect((await new Browser(app).post(link, { password: "stolen horse" })).status).toBe(409);
    expect((await admin.post(link, {})).status).toBe(409);
    expect((await new Browser(app).signIn(email, "stolen horse")).status).toBe(401);
    expect(await roles()).toHaveLength(1);
    const person = new Browser(app);
    await person.signIn(email, password);
    expect((await person.post(link, {}, { origin: "https://evil.example" })).status).toBe(403);
    expectRedirect(await person.post(link, {}), "/console/account");
    expect(await roles()).toHaveLength(2);
  });

  test("is ended by a newer one, by an admin, by time, and with the role of whoever made it", async () => {
    const { sql } = app.database;
    const status = async (link: string) => (await new Browser(app).get(link)).status;
    const email = newEmail();
    const first = linkOf(await invite(email));
    const second = linkOf(await invite(email));
    expect([await status(first), await status(second)]).toEqual([404, 200]);
    const id =
      /name="invitation" value="([\w-]+)"/.exec((await admin.get("/console/operators")).html)?.[1] ?? "";
    await admin.post("/console/operators/end-invitation", { invitation: id, workspace: team.workspace });
    expect(await status(second)).toBe(404);
    const third = linkOf(await invite(email));
    await sql`update formd.operator_invitations set expires_at = now() where email = ${email}`;
    expect(await status(third)).toBe(404);
    const leaving = await browserOf(app, team, "admin");
    const fourth = linkOf(await invite(newEmail(), "admin", leaving));
    expect(await status(fourth)).toBe(200);
    await sql`
      update formd.workspace_roles set role = 'viewer'
      where operator_id = (select invited_by from formd.operator_invitations order by id desc limit 1)`;
    expect([
      await status(fourth),
      (await new Browser(app).post(fourth, { password: "correct horse" })).status,
    ]).toEqual([404, 404]);
  });

  test("of two who use it at once, one gets the role", async () => {
    const link = linkOf(await invite(newEmail()));
    const replies = await Promise.all(
      [1, 2].map((n) => new Browser(app).post(link, { password: `correct horse ${n}` })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 404]);
  });
});

describe("a link to a new password", () => {
  const make = (by: Browser, operator: string, email: string) =>
    by.post("/console/operators/reset-link", { operator, email, workspace: team.workspace });

  test("works once, for half an hour, ends every session, and the audit says who made it", async () => {
    const { sql } = app.database;
    const own = await makeTeam(app);
    const boss = await browserOf(app, own, "admin");
    const { id, email, password } = own.operator;
    const person = new Browser(app);
    await person.signIn(email, password);
    const newLink = async () => linkOf(await make(boss, id, email));
    const [first, second] = [await newLink(), await newLink()];
    expect([(await new Browser(app).get(first)).status, (await person.get("/console")).status]).toEqual([
      404, 200,
    ]);
    const browser = new Browser(app);
    expect((await browser.post(second, { password: "password1" })).status).toBe(400);
    expectRedirect(await browser.post(second, { password: "another horse" }), /^\/console$/);
    expect((await person.get("/console")).status).toBe(303);
    expect((await new Browser(app).post(second, { password: "third horse" })).status).toBe(404);
    expect((await new Browser(app).signIn(email, password)).status).toBe(401);
    expectRedirect(await new Browser(app).signIn(email, "another horse"), /^\/console$/);
    const third = await newLink();
    await sql`update formd.operators set reset_expires_at = now() where id = ${id}`;
    expect((await new Browser(app).get(third)).status).toBe(404);
    const events = await sql`
      select kind, actor_type, actor_id = ${id} as by_person from formd.audit_events
      where object_id = ${id} and kind in ('operator.reset_link_made', 'operator.password_changed') order by id`;
    expect(events.map(({ kind, byPerson }) => [kind, byPerson])).toEqual([
      ["operator.reset_link_made", false],
      ["operator.reset_link_made", false],
      ["operator.password_changed", true],
      ["operator.reset_link_made", false],
    ]);
  });

  test("is not for an account with a role in another team, or where the admin is none", async () => {
    const other = await makeTeam(app);
    const { id, email } = other.operator;
    expect((await make(admin, id, email)).status).toBe(404);
    const link = linkOf(await invite(email));
    const person = new Browser(app);
    await person.signIn(email, other.operator.password);
    await person.post(link, {});
    expect((await make(admin, id, email)).status).toBe(409);
    // Nor does one from before that role open the account with it.
    const early = await makeTeam(app);
    const boss = await browserOf(app, early, "admin");
    const { operator } = early;
    const fields = { operator: operator.id, email: operator.email, workspace: early.workspace };
    const before = linkOf(await boss.post("/console/operators/reset-link", fields));
    const member = new Browser(app);
    await member.signIn(operator.email, operator.password);
    expect((await new Browser(app).get(before)).status).toBe(200);
    await member.post(linkOf(await invite(operator.email)), {});
    expect((await new Browser(app).post(before, { password: "taken over" })).status).toBe(404);
    expect((await member.get("/console")).status).toBe(200);
    const editor = await browserOf(app, team, "editor");
    expect((await make(editor, team.operator.id, team.operator.email)).status).toBe(403);
  });
});

test("a password of one's own: the current one is asked, weak ones are refused, all other sessions end", async () => {
  const own = await makeTeam(app);
  const { email, password } = own.operator;
  const [one, two] = [new Browser(app), new Browser(app)];
  for (const browser of [one, two]) await browser.signIn(email, password);
  const path = "/console/account/password";
  const change = (current: string, chosen: string) => one.post(path, { current, password: chosen });
  for (const chosen of ["short", "12345678", "qwertyuiop", email])
    expect([chosen, (await change(password, chosen)).status]).toEqual([chosen, 400]);
  const wrong = await change("wrong horse", "another horse");
  expect([wrong.status, wrong.html.includes("another horse")]).toEqual([400, false]);
  expect((await two.get("/console")).status).toBe(200);
  expectRedirect(await change(password, "another horse"), "/console/account");
  expect([(await one.get("/console")).status, (await two.get("/console")).status]).toEqual([200, 303]);
  expect((await new Browser(app).signIn(email, password)).status).toBe(401);
  expectRedirect(await new Browser(app).signIn(email, "another horse"), /^\/console$/);
  // Who has a session guesses no faster than who has none.
  for (let count = 0; count < 9; count++) await change("wrong horse", "another horse");
  expect((await change("wrong horse", "another horse")).status).toBe(429);
});

test("what is risky asks for the password again after a quarter of an hour, and is done then as it was entered", async () => {
  const own = await makeTeam(app);
  const { email, password } = own.operator;
  const browser = new Browser(app);
  await browser.signIn(email, password);
  const keys = async () =>
    (await app.database.sql`select from formd.api_keys where team_id = ${own.id} and name = 'Risky'`).length;
  const make = (fields: Record<string, string> = {}) =>
    browser.post("/console/api-keys", { name: "Risky", scopes: ["forms:read", "forms:write"], ...fields });
  expect((await make()).status).toBe(200);
  await app.database.sql`
    update formd.operator_sessions set proved_at = now() - interval '16 minutes' where operator_id = ${own.operator.id}`;
  const asked = await make();
  expect([asked.status, await keys()]).toEqual([403, 1]);
  expect(asked.html.match(/name="scopes"/g)).toHaveLength(2);
  expect([(await make({ "formd.password": "wrong horse" })).status, await keys()]).toEqual([403, 1]);
  expect([(await make({ "formd.password": password })).status, await keys()]).toEqual([200, 2]);
  expect((await make()).status).toBe(200);
});

test("Account lists the sessions by device and address, and ends one", async () => {
  const own = await makeTeam(app);
  const { email, password } = own.operator;
  const [one, two] = [new Browser(app), new Browser(app)];
  await one.signIn(email, password);
  const discreet = await server({ DATABASE_URL: app.database.url, LOG_CLIENT_IP: "false" });
  await new Browser(discreet).post(
    "/console/sign-in",
    { email, password },
    { "x-forwarded-for": "192.0.2.88" },
  );
  await two.post(
    "/console/sign-in",
    { email, password },
    {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "x-forwarded-for": "192.0.2.77",
    },
  );
  const page = await one.get("/console/account");
  expect(textOf(page)).not.toContain("192.0.2.88");
  expect(page.html.match(/name="session" value=/g)).toHaveLength(2);
  expect(textOf(page)).toContain("Firefox, Linux");
  expect(textOf(page)).toContain("192.0.2.77");
  const [, session = ""] = /name="session" value="([\w-]+)"/.exec(page.html) ?? [];
  const foreign = await browserOf(app, team, "admin");
  await foreign.post("/console/account/session", { team: own.id, session });
  expect((await two.get("/console")).status).toBe(200);
  expectRedirect(await one.post("/console/account/session", { team: own.id, session }), "/console/account");
  expect([(await one.get("/console")).status, (await two.get("/console")).status]).toEqual([200, 303]);
});

test("an admin says whether editors may publish", async () => {
  const editor = await browserOf(app, team, "editor");
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const path = `/console/forms/${form.id}/publish`;
  // An editor may always copy the form, which is a form on the same page.
  const archive = `action="/console/forms/${form.id}/archive"`;
  expect((await editor.get(path)).html).toContain(archive);
  await admin.post("/console/operators/publishing", { workspace: team.workspace });
  expect((await editor.get(path)).html).not.toContain(archive);
  expect((await editor.post(`/console/forms/${form.id}/archive`, {})).status).toBe(403);
  await admin.post("/console/operators/publishing", {
    workspace: team.workspace,
    editorsMayPublish: "true",
  });
  expect((await editor.get(path)).html).toContain(archive);
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
