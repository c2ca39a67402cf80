// stacks: one
/** People: invitations, links to a new password, risky actions, sessions, and the list of a workspace. */
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../../../src/platform/auth/secret.ts";
import { makeForm, makeTeam, makeWorkspace, server, type Team } from "../../setup.ts";
import { Browser, expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { bossOf, browserOf, consoleFixture } from "./fixture.ts";

const { app, sql, team, admin, editor } = await consoleFixture();
const stranger = () => new Browser(app);
const statusAt = async (path: string, browser = stranger()) => (await browser.get(path)).status;

const linkOf = (shown: Shown) =>
  /<code>[^<]*?(\/console\/(?:invitation|reset)\/fd[ir]_[\w-]+)<\/code>/.exec(shown.html)?.[1] ?? "";
let people = 0;
const newEmail = () => `invited${++people}-${team.id.slice(-6)}@example.org`;
const invite = (email: string, role = "viewer", by = admin, { workspace }: Pick<Team, "workspace"> = team) =>
  by.post("/console/operators", { email, workspace, role });
const resetOf = (
  by: Browser,
  { operator: { id, email } }: Team,
  { workspace }: Pick<Team, "workspace"> = team,
) => by.post("/console/operators/reset-link", { operator: id, email, workspace });
/** A team, and a browser of its admin. */
const teamOfOwn = async () => {
  const own = await makeTeam(app);
  return { own, ...own.operator, person: await bossOf(app, own) };
};

describe("an invitation", () => {
  test("has no password that anyone else sees: the person chooses one on a link that works once", async () => {
    const email = newEmail();
    const link = linkOf(await invite(email));
    const person = stranger();
    expect(textOf(await person.get(link))).toContain("as Viewer");
    expect((await stranger().signIn(email, "correct horse")).status).toBe(401);
    for (const password of ["short", "password", "Iloveyou", email, email.split("@")[0] ?? ""])
      expect([password, (await person.post(link, { password })).status]).toEqual([password, 400]);
    expectRedirect(await person.post(link, { password: "correct horse" }), /^\/console$/);
    expect(await statusAt("/console/account", person)).toBe(200);
    expect(await statusAt(link)).toBe(404);
    // An operator who already has a role gets another one at once.
    expectRedirect(await invite(email, "editor"), "/console/operators");
    expect(textOf(await person.get("/console/account"))).toContain("Editor");
    await admin.post("/console/operators/remove", { email, workspace: team.workspace });
    expect(await statusAt("/console", person)).toBe(303);
  });

  test("of a person who works for another team gives no role until that person accepts, signed in", async () => {
    const { email, password, person, id } = await teamOfOwn();
    const roles = () => sql`select team_id from formd.workspace_roles where operator_id = ${id}`;
    const [known, unknown] = [await invite(email, "admin"), await invite(newEmail(), "admin")];
    const shape = (page: Shown) => textOf(page).replace(/fdi_[\w-]+|\S+@example\.org/g, "…");
    expect([known.status, shape(known)]).toEqual([unknown.status, shape(unknown)]);
    const link = linkOf(known);
    // Others who have the link get nothing by it: not a new password, not with another account.
    expect((await stranger().post(link, { password: "stolen horse" })).status).toBe(409);
    expect((await admin.post(link, {})).status).toBe(409);
    expect((await stranger().signIn(email, "stolen horse")).status).toBe(401);
    expect((await person.post(link, {}, { origin: "https://evil.example" })).status).toBe(403);
    expect(await roles()).toHaveLength(1);
    const again = stranger();
    await again.signIn(email, password);
    await sql`
      insert into formd.operator_passkeys (id, operator_id, credential_id, public_key, counter, name, created_at)
      values (${uuidv7()}, ${id}, ${Buffer.from(id)}, 'key', 0, 'Of a thief', now())`;
    // A thief who can enter the account would get the role: the person sees the ways in first.
    const shown = textOf(await again.get(link));
    for (const entry of ["Ways into this account Password", "Passkey: Of a thief", "ends when you accept"])
      expect(shown).toContain(entry);
    await sql`
      update formd.operator_sessions set proved_at = now() - interval '16 minutes' where operator_id = ${id}`;
    expectPage(await again.post(link, {}), 403, "Accept the invitation: Team?");
    const earlier = { seen: "before the passkey", "formd.password": password };
    expectPage(await again.post(link, earlier), 409, "Passkey: Of a thief");
    expect(await roles()).toHaveLength(1);
    expectRedirect(await again.post(link, { "formd.password": password }), "/console/account");
    expect(await roles()).toHaveLength(2);
    expect([await statusAt("/console", again), await statusAt("/console", person)]).toEqual([200, 303]);
  });

  test("whose link an admin saw makes an account that is marked, to admins alone, until a mail confirms it", async () => {
    const email = newEmail();
    await stranger().post(linkOf(await invite(email)), { password: "correct horse" });
    const isMarked = async (by: Browser) =>
      textOf(await by.get("/console/operators")).includes("Address not confirmed");
    expect([await isMarked(admin), await isMarked(editor)]).toEqual([true, false]);
    await sql`update formd.operators set is_unconfirmed = false`;
    expect(await isMarked(admin)).toBe(false);
  });

  test("that is accepted by a double click is not shown again as a form: the second response says to sign in", async () => {
    const link = linkOf(await invite(newEmail()));
    const posts = [1, 2].map(() => stranger().post(link, { password: "correct horse" }));
    const [done, late] = (await Promise.all(posts)).sort((one, other) => one.status - other.status);
    expectRedirect(done as Shown, "/console");
    expectPage(late as Shown, 404, "If you have just used it yourself, sign in.", 'href="/console"');
    expect(late?.html).not.toContain("<form");
  });

  test("ends by a newer one, by time, and with the role of the operator who made it", async () => {
    const email = newEmail();
    const leaving = await browserOf(app, team, "admin");
    for (const [by, end] of [
      [admin, () => invite(email)],
      [admin, () => sql`update formd.operator_invitations set expires_at = now() where email = ${email}`],
      [
        leaving,
        () => sql`
          update formd.workspace_roles set role = 'viewer'
          where operator_id = (select invited_by from formd.operator_invitations order by id desc limit 1)`,
      ],
    ] as const) {
      const link = linkOf(await invite(email, "admin", by));
      expect(await statusAt(link)).toBe(200);
      await end();
      const { status } = await stranger().post(link, { password: "correct horse" });
      expect([await statusAt(link), status]).toEqual([404, 404]);
    }
  });
});

describe("a link to a new password", () => {
  test("takes no weak password, signs in, ends every other session, and the audit says who made it", async () => {
    const { own, id, person } = await teamOfOwn();
    const boss = await browserOf(app, own, "admin");
    const newLink = async () => linkOf(await resetOf(boss, own, own));
    const [first, second] = [await newLink(), await newLink()];
    expect([await statusAt(first), await statusAt("/console", person)]).toEqual([404, 200]);
    const browser = stranger();
    expect((await browser.post(second, { password: "password1" })).status).toBe(400);
    expect(textOf(await browser.get(second))).toContain("All sessions of this account end (1)");
    const done = await browser.post(second, { password: "another horse" });
    expect([done.status, textOf(done).includes("Sessions ended: 1.")]).toEqual([200, true]);
    expect([await statusAt("/console", browser), await statusAt("/console", person)]).toEqual([200, 303]);
    const third = await newLink();
    await sql`update formd.operators set reset_expires_at = now() where id = ${id}`;
    expect(await statusAt(third)).toBe(404);
    const events = await sql`
      select kind, actor_type, actor_id = ${id} as by_person from formd.audit_events
      where object_id = ${id} and kind in ('operator.reset_link_made', 'operator.password_changed') order by id`;
    const made = ["operator.reset_link_made", false];
    const changed = ["operator.password_changed", true];
    expect(events.map(({ kind, byPerson }) => [kind, byPerson])).toEqual([made, made, changed, made]);
  });

  test("is not for an account with a role in another team, nor does one from before that role open it", async () => {
    const { own, email, person } = await teamOfOwn();
    expect((await resetOf(admin, own)).status).toBe(404);
    const before = linkOf(await resetOf(person, own, own));
    expect(await statusAt(before)).toBe(200);
    await person.post(linkOf(await invite(email)), {});
    expect((await resetOf(admin, own)).status).toBe(409);
    expect((await stranger().post(before, { password: "taken over" })).status).toBe(404);
    expect(await statusAt("/console", person)).toBe(200);
  });
});

describe("where a connection is required", () => {
  /** A connection of the team for a domain of e-mail addresses. */
  async function connect({ id: to, workspace }: Team, domain: string) {
    const [id, roles] = [uuidv7(), sql.json([{ group: "*", workspaceId: workspace, role: "viewer" }])];
    await sql`
      select formd.sign_in_connection_create(${to}, '(cli,,)', ${id}, 'Corp', 'https://id.example.org', 'formd', 'secret',
        'key', ${[domain]}, 'groups', ${roles}, false)`;
    return {
      id,
      require: () => sql`update formd.sign_in_connections set is_required = true where id = ${id}`,
    };
  }

  test("the pages on which a password is chosen say by what a person signs in", async () => {
    const { own, id, email, person } = await teamOfOwn();
    const [, domain = ""] = email.split("@");
    const links = [
      linkOf(await invite(`new@${domain}`, "viewer", person, own)),
      linkOf(await resetOf(person, own, own)),
    ];
    const said = "Your team requires you to sign in with Corp";
    const pages = () =>
      Promise.all(links.map(async (page) => textOf(await stranger().get(page)).includes(said)));
    const account = async () => textOf(await person.get("/console/account/password")).includes(said);
    expect(await pages()).toEqual([false, false]);
    const connection = await connect(own, domain);
    expect(await pages()).toEqual([false, false]);
    await connection.require();
    expect([await pages(), await account()]).toEqual([[true, true], true]);
    // A password that was set at a terminal opens it for an hour; another team takes one at any time.
    const allowUntil = (at: Date) =>
      sql`update formd.operators set password_allowed_until_at = ${at} where id = ${id}`;
    await allowUntil(new Date(Date.now() + 60_000));
    expect([await pages(), await account()]).toEqual([[true, false], false]);
    await allowUntil(new Date());
    expect([await pages(), await account()]).toEqual([[true, true], true]);
    const elsewhere = await makeTeam(app);
    await sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      values (${elsewhere.id}, ${elsewhere.workspace}, ${id}, 'viewer', now())`;
    expect(await pages()).toEqual([true, false]);
  });

  test("an invitation offers it, and makes no account", async () => {
    const { own, person } = await teamOfOwn();
    const email = `new-${own.id}@corp.example`;
    const { id, require } = await connect(own, "corp.example");
    const { secret, hash } = makeSecret("fdo", own.id);
    await sql`
      select formd.operator_login_connection(${id}, ${own.id}, '(anonymous,,)', ${uuidv7()}, 'new', ${email}, '{}', '0 seconds', null,
        ${uuidv7()}, ${hash}, '1 hour', null, null)`;
    const member = new Browser(app, `formd_session=${secret}`);
    const invited = linkOf(await invite(email, "viewer", person, own));
    // The provider vouches for this account, which takes no invitation.
    const refused = await member.get(invited);
    expect(textOf(refused)).toContain("the invitation is for an account with a password");
    expect(refused.html).toContain('action="/console/sign-out"');
    await require();
    expect(textOf(await member.get(invited))).toContain("You are signed in with Corp");
    const shown = await stranger().get(invited);
    expect(shown.html).toContain(`href="/console/sign-in/${id}?next=%2Fconsole"`);
    expect(textOf(shown)).toContain("your role comes from your groups at Corp");
    expect(shown.html).not.toContain("<form");
    expect((await stranger().post(invited, { email, password: "a long enough password" })).status).toBe(409);
    const accounts = await sql`select connection_id from formd.operators where email = ${email}`;
    expect([...accounts]).toEqual([{ connectionId: id }]);
    expect(textOf(await invite(email, "viewer", person, own))).toContain(`${email} has to sign in with Corp`);
  });
});

test("a password of one's own: the current one is asked, weak ones are refused, all other sessions and the passkeys end", async () => {
  const { own, id, email, password, person: one } = await teamOfOwn();
  const page = async () => (await one.get("/console/account/password")).html;
  expect(await page()).toContain('name="removePasskeys" value="true"');
  await sql`
    insert into formd.operator_passkeys (id, operator_id, credential_id, public_key, counter, name, created_at)
    values (${uuidv7()}, ${id}, ${Buffer.from(id)}, 'key', 0, 'Laptop', now())`;
  const keys = () => sql`select from formd.operator_passkeys where operator_id = ${id}`;
  expect(await page()).toMatch(/type="checkbox"[^>]*name="removePasskeys"[^>]*checked.*Laptop/s);
  const two = await bossOf(app, own);
  const change = (current: string, chosen: string) =>
    one.post("/console/account/password", { current, password: chosen });
  for (const chosen of ["short", "12345678", "qwertyuiop", "aaaaaaaa", "1111aaaaBB22", email])
    expect([chosen, (await change(password, chosen)).status]).toEqual([chosen, 400]);
  const wrong = await change("wrong horse", "another horse");
  expect([wrong.status, wrong.html.includes("another horse")]).toEqual([400, false]);
  expect(await statusAt("/console", two)).toBe(200);
  expectRedirect(await change(password, "another horse"), "/console/account");
  expect(await keys()).toHaveLength(1);
  await one.post("/console/account/password", {
    ...{ current: "another horse", password: "another horse", removePasskeys: "true" },
  });
  expect(await keys()).toHaveLength(0);
  expect([await statusAt("/console", one), await statusAt("/console", two)]).toEqual([200, 303]);
  expect((await stranger().signIn(email, password)).status).toBe(401);
  expectRedirect(await stranger().signIn(email, "another horse"), /^\/console$/);
  // An operator with a session can guess no faster than a person without one.
  for (let count = 0; count < 9; count++) await change("wrong horse", "another horse");
  expect((await change("wrong horse", "another horse")).status).toBe(429);
});

test("what is risky asks for the password again after a quarter of an hour, and is done then as it was entered", async () => {
  const { own, id, password, person } = await teamOfOwn();
  const make = async (fields: Record<string, string> = {}) => {
    const values = { name: "Risky", scopes: ["forms:read", "forms:write"], ...fields };
    const { status, html } = await person.post("/console/api-keys", values);
    const made = await sql`select from formd.api_keys where team_id = ${own.id} and name = 'Risky'`;
    return { html, outcome: [status, made.length] };
  };
  expect((await make()).outcome).toEqual([200, 1]);
  await sql`
    update formd.operator_sessions set proved_at = now() - interval '16 minutes' where operator_id = ${id}`;
  const asked = await make();
  expect([asked.outcome, asked.html.match(/name="scopes"/g)?.length]).toEqual([[403, 1], 2]);
  expect((await make({ "formd.password": "wrong horse" })).outcome).toEqual([403, 1]);
  expect((await make({ "formd.password": password })).outcome).toEqual([200, 2]);
  expect((await make()).outcome).toEqual([200, 3]);
});

test("Account lists the sessions by device and IP address, and ends one", async () => {
  const { own, email, password, person: one } = await teamOfOwn();
  const discreet = await server({ DATABASE_URL: app.database.url, LOG_CLIENT_IP: "false" });
  const two = stranger();
  const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  for (const [browser, ip] of [
    [new Browser(discreet), "192.0.2.88"],
    [two, "192.0.2.77"],
  ] as const)
    await browser.post(
      "/console/sign-in",
      { email, password },
      { "user-agent": agent, "x-forwarded-for": ip },
    );
  const page = await one.get("/console/account");
  expect(textOf(page)).not.toContain("192.0.2.88");
  expect(page.html.match(/name="session" value=/g)).toHaveLength(2);
  expect(textOf(page)).toMatch(/Firefox, Linux.*192\.0\.2\.77/);
  const [, session = ""] = /name="session" value="([\w-]+)"/.exec(page.html) ?? [];
  const end = (by: Browser) => by.post("/console/account/session", { team: own.id, session });
  await end(admin);
  expect(await statusAt("/console", two)).toBe(200);
  expectRedirect(await end(one), "/console/account");
  expect([await statusAt("/console", one), await statusAt("/console", two)]).toEqual([200, 303]);
});

test("an admin says whether editors may publish", async () => {
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const act = `/console/forms/${form.id}/archive`;
  const isOffered = async () =>
    (await editor.get(`/console/forms/${form.id}/publish`)).html.includes(`action="${act}"`);
  const allow = (fields: object) =>
    admin.post("/console/operators/publishing", { workspace: team.workspace, ...fields });
  expect(await isOffered()).toBe(true);
  await allow({});
  expect([await isOffered(), (await editor.post(act, {})).status]).toEqual([false, 403]);
  await allow({ editorsMayPublish: "true" });
  expect(await isOffered()).toBe(true);
});

test("operators are listed to those with a role in the workspace", async () => {
  const second = await makeWorkspace(app, team);
  for (const workspace of [second, (await makeTeam(app)).workspace])
    expect(await statusAt(`/console/operators?workspace=${workspace}`, admin)).toBe(404);
  const both = await browserOf(app, team, "admin", second);
  expect(textOf(await both.get(`/console/operators?workspace=${second}`))).toContain("Admin");
});
