// stacks: one
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeAuthenticator } from "../../authenticator.ts";
import { until } from "../../expect.ts";
import {
  database,
  formd,
  makeAgent,
  makeForm,
  makeTeam,
  type Service,
  server,
  service,
  settingsFor,
  type Team,
} from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "../console/browser.ts";
import { browserOf } from "../console/fixture.ts";
import { fields, mailsFixture } from "./fixture.ts";

const { app, team, mails } = await mailsFixture();
const { sql } = app.database;
/** A browser in which the team's admin signs in. */
async function admin({ operator }: Team, of: Pick<Service, "url"> = app) {
  const browser = new Browser(of);
  await browser.signIn(operator.email, operator.password);
  return browser;
}
const kindsOf = async (operator: string) =>
  (await sql<{ kind: string }[]>`select kind from formd.mails where operator_id = ${operator}`).map(
    ({ kind }) => kind,
  );
/** Until the server has noted that a team's mails were sent. */
const areSent = (team: string) =>
  until(
    async () => (await sql`select from formd.mails where team_id = ${team} and state <> 'sent'`).length === 0,
  );
async function sendAgain(team: string) {
  await areSent(team);
  await sql`update formd.mails set state = 'due', attempts = 0, due_at = now() where team_id = ${team}`;
}
/** Waits until `count` mails of a team have the state. */
const areIn = (state: string, team: string, count: number) =>
  until(
    async () =>
      (await sql`select from formd.mails where team_id = ${team} and state = ${state}`).length === count,
  );

test("a sign-in from a new device is mailed to its person, without a credential; from a known one it is not", async () => {
  const { operator } = await makeTeam(app);
  const browser = new Browser(app);
  const firefox = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
  const signIn = () => browser.post("/console/sign-in", { ...operator }, firefox);
  expectRedirect(await signIn(), "/console");
  const { mail } = await mails.next(operator.email);
  expect(mail.subject).toBe("Sign-in from a new device");
  expect(mail.text).toContain("Your account was signed in to with Firefox, Linux");
  expect(mail.text).toContain("/console/account/password\n");
  expect(mail.text).not.toMatch(/fd[a-z]_/);
  expect(mail.headers.get("auto-submitted")).toBe("auto-generated");
  expectRedirect(await browser.post("/console/sign-out", {}), "/console/sign-in");
  expectRedirect(await signIn(), "/console");
  expect(await kindsOf(operator.id)).toEqual(["sign_in"]);
  expect((await new Browser(app).signIn(operator.email, "wrong")).status).toBe(401);
  expect(await kindsOf(operator.id)).toEqual(["sign_in"]);
});

test("an operator who has chosen German gets mails in German", async () => {
  const team = await makeTeam(app);
  await sql`update formd.operators set language = 'de' where id = ${team.operator.id}`;
  await admin(team);
  const { mail } = await mails.next(team.operator.email);
  expect(mail.subject).toBe("Anmeldung von einem neuen Gerät");
  expect(mail.text).toContain("In Ihrem Konto hat sich jemand angemeldet, von ");
  expect(mail.html).toContain('lang="de"');
});

test("who has stolen a password cannot end the mail with the session, nor by changing what one gets", async () => {
  const team = await makeTeam(app);
  const { operator, id } = team;
  const browser = await admin(team);
  await mails.next(operator.email);
  expectRedirect(await browser.post("/console/account/mails", {}), /^\/console\/account/);
  await sql`delete from formd.operator_sessions where operator_id = ${operator.id}`;
  await sendAgain(id);
  expect((await mails.next(operator.email)).mail.text).toContain("Your account was signed in to on");
  await admin(team);
  await mails.next(operator.email);
});

test("a new passkey is mailed to its person, also when it is gone: a new password alone would leave it", async () => {
  const team = await makeTeam(app);
  const { operator, id } = team;
  const browser = await admin(team);
  expect((await mails.next(operator.email)).mail.text).toContain("remove passkeys that are not yours");
  await browser.post("/console/account/mails", {});
  const path = "/console/account/passkeys";
  const { html } = await browser.post(`${path}/new`, {});
  const [, options = ""] = /data-options="([^"]*)"/.exec(html) ?? [];
  const passkey = makeAuthenticator(app.url.replace("127.0.0.1", "localhost")).create(
    JSON.parse(options.replaceAll("&quot;", '"').replaceAll("&amp;", "&")),
  );
  expectRedirect(await browser.post(path, { name: "Laptop", passkey }), `${path}?report=`);
  const { mail } = await mails.next(operator.email);
  expect(mail.subject).toBe("A passkey was added to your account");
  expect(mail.text).toContain("The passkey Laptop was added to your account on");
  expect(mail.text).toContain(`${path}\n`);
  await sql`delete from formd.operator_passkeys where operator_id = ${operator.id}`;
  await sendAgain(id);
  const again = [await mails.next(operator.email), await mails.next(operator.email)];
  expect(again.map(({ mail: { text } }) => text).join()).toContain("The passkey was added to your account");
});

test("a person who accepts an invitation gets no mail of the sign-in that follows", async () => {
  const inviter = await browserOf(app, team, "admin");
  const email = `fresh-${team.id.slice(-6)}@example.org`;
  await inviter.post("/console/operators", { email, workspace: team.workspace, role: "viewer" });
  const link =
    /(\/console\/invitation\/fdi_[\w-]+)/.exec((await mails.next(email)).mail.text ?? "")?.[1] ?? "";
  expectRedirect(await new Browser(app).post(link, { password: "correct horse" }), "/console");
  const [made] = await sql<[{ id: string }]>`select id from formd.operators where email = ${email}`;
  expect(await kindsOf(made.id)).toEqual([]);
});

test("a new API key is mailed to those who may revoke it, also one that the command line has made", async () => {
  const team = await makeTeam(app);
  const elsewhere = uuidv7();
  // The team's operator is an admin there as well, who comes later is not.
  await sql`select formd.workspace_create(${team.id}, '(cli,,)'::formd.actor, ${elsewhere}, 'Other')`;
  const partial = await browserOf(app, team, "admin");
  const [half] = await sql<[{ operatorId: string }]>`
    select operator_id from formd.operator_sessions where team_id = ${team.id} order by id desc limit 1`;
  expect((await partial.post("/console/api-keys", { name: "x", scopes: "forms:read" })).status).toBe(403);
  const owner = await admin(team);
  await mails.next(team.operator.email);
  const made = await owner.post("/console/api-keys", {
    name: "Sync <b>",
    scopes: "forms:read",
    ends: "never",
  });
  expect(made.status).toBe(200);
  const { mail, source } = await mails.next(team.operator.email);
  expect(mail.subject).toBe("New API key: Sync <b>");
  expect(mail.text).toContain(`${team.operator.email} has made the API key Sync <b> (fdk_`);
  expect(mail.html).toContain("Sync &lt;b>");
  expect(source).not.toContain(/fdk_[\w-]{40,}/.exec(made.html)?.[0] ?? "fdk_");
  const { stdout } = await formd(
    ["api-key", "create", "--team", team.id, "--scopes", "forms:read", "--name", "By hand"],
    { ...settingsFor(app.database), ...mails.settings },
  );
  expect(stdout).toContain("fdk_");
  expect((await mails.next(team.operator.email)).mail.text).toContain(
    "A command on the server has made the API key By hand",
  );
  expect(await kindsOf(half.operatorId)).toEqual(["sign_in"]);
});

test("a webhook that fails for days is mailed to the workspace's admins, without its path; who does not want it gets none", async () => {
  const team = await makeTeam(app);
  await browserOf(app, team, "admin");
  const quiet = await browserOf(app, team, "admin");
  expectRedirect(await quiet.post("/console/account/mails", { mails: "key_expiry" }), /^\/console\/account/);
  expect((await quiet.get("/console/account")).html).toMatch(/value="key_expiry" checked/);
  expect((await quiet.get("/console/account")).html).not.toMatch(/value="webhook_disabled" checked/);
  const people = await sql<{ operatorId: string; email: string; off: string[] }[]>`
    select r.operator_id, o.email, o.mails_off as off from formd.workspace_roles r
    join formd.operators o on o.id = r.operator_id where r.team_id = ${team.id} order by r.operator_id`;
  expect(people.map(({ off }) => off)).toEqual([[], [], ["webhook_disabled"]]);
  const id = uuidv7();
  await sql`
    insert into formd.webhooks (team_id, id, workspace_id, url, event_types, payload, secret_key, failing_since_at, created_at, updated_at)
    values (${team.id}, ${id}, ${team.workspace}, 'http://127.0.0.1:9/hook-secret', '{form.published}', 'thin',
      (select fingerprint from formd.master_keys where state = 'current'), now() - interval '6 days', now(), now())`;
  await makeForm(app, team, fields);
  const { mail } = await mails.next(team.operator.email);
  expect(mail.subject).toBe("Webhook disabled: 127.0.0.1:9");
  expect(mail.text).toContain(`/console/webhooks/${id}\n`);
  expect(mail.text).not.toContain("hook-secret");
  await until(async () => (await kindsOf(people[1]?.operatorId ?? "")).includes("webhook_disabled"));
  expect(await kindsOf(people[2]?.operatorId ?? "")).toEqual(["sign_in"]);
});

test("a key of an agent that expires in two weeks is mailed once to editors and admins, and not if it was revoked", async () => {
  const team = await makeTeam(app);
  const agent = await makeAgent(app, team, await makeForm(app, team, fields));
  await Promise.all([browserOf(app, team, "editor"), browserOf(app, team, "viewer")]);
  const add = async (name: string, days: number, since: number, status = "active") => {
    const id = uuidv7();
    await sql`
      insert into formd.signing_keys (team_id, id, agent_id, key_id, thumbprint, public_key_pem, status, created_at, expires_at, revoked_at)
      values (${team.id}, ${id}, ${agent.id}, ${name}, ${id}, 'pem', ${status}, now() - ${since} * interval '1 day',
        now() + ${days} * interval '1 day', ${status === "revoked" ? new Date() : null})`;
    return id;
  };
  const soon = await add("soon", 13, 300);
  await add("later", 15, 300);
  await add("short", 2, 1);
  await add("revoked", 3, 300, "revoked");
  await add("past", -1, 300);
  const record = () => sql`select formd.mail_key_expiry_record()`;
  await Promise.all([record(), record()]);
  await record();
  const recorded = await sql<{ subjectId: string; role: string }[]>`
    select m.subject_id, r.role from formd.mails m
    join formd.workspace_roles r on r.team_id = m.team_id and r.operator_id = m.operator_id
    where m.team_id = ${team.id} and m.kind = 'key_expiry' order by r.role`;
  expect([...recorded]).toEqual([
    { subjectId: soon, role: "admin" },
    { subjectId: soon, role: "editor" },
  ]);
  const { mail } = await mails.next(team.operator.email);
  expect(mail.text).toContain("The key soon of the agent");
  expect(mail.text).toContain(`/console/agents/${agent.id}\n`);
  await areSent(team.id);
  // Revoked since: there is nothing to say.
  await sql`update formd.signing_keys set status = 'revoked', revoked_at = now() where id = ${soon}`;
  await sql`update formd.mails set state = 'due', due_at = now() where team_id = ${team.id} and kind = 'key_expiry'`;
  await areIn("dropped", team.id, 2);
});

test("mails are sent also when keys that expire cannot be looked for", async () => {
  const made = await database();
  await made.sql`revoke execute on function formd.mail_key_expiry_record() from formd_app`;
  const started = await server({ DATABASE_URL: made.url, ...mails.settings });
  const app = { ...started, database: made };
  const team = await makeTeam(app);
  await admin(team, app);
  expect((await mails.next(team.operator.email)).mail.subject).toBe("Sign-in from a new device");
  await until(() => app.log().includes("keys that expire were not looked for"));
});

test("the mails of an operator go with the operator, and one without a role left gets none", async () => {
  const team = await makeTeam(app);
  const { operator, id } = team;
  await admin(team);
  await areIn("sent", id, 1);
  await sql`delete from formd.workspace_roles where operator_id = ${operator.id}`;
  await sendAgain(id);
  await areIn("dropped", id, 1);
  const [mail] = await sql`select last_error from formd.mails where team_id = ${id}`;
  expect(mail).toEqual({ lastError: "The operator has left." });
  await sql`delete from formd.operators where id = ${operator.id}`;
  expect(await sql`select from formd.mails where team_id = ${id}`).toHaveLength(0);
});

test("a team over its daily limit of mails still informs its operators", async () => {
  const limited = await mailsFixture(mails, { MAIL_MAX_PER_DAY: "1" });
  const form = await limited.formWith({ notify: { recipients: ["first@town.example"] } });
  for (const name of ["a", "b"]) await limited.submit(form, { name });
  await until(async () => (await limited.listOf(form, "?state=due"))[0]?.attempts === 0);
  await admin(limited.team, limited.app);
  await mails.next(limited.team.operator.email);
});

test("without a mail server nothing is recorded, and the account says why instead of a choice", async () => {
  const app = await service();
  const team = await makeTeam(app);
  const browser = await admin(team, app);
  await browser.post("/console/api-keys", { name: "x", scopes: "forms:read", ends: "never" });
  const recorded = await app.database.sql`select from formd.mails where operator_id = ${team.operator.id}`;
  expect(recorded).toHaveLength(0);
  const page = await browser.get("/console/account");
  expect(textOf(page)).toContain("E-mail is not set up on this server.");
  expect(page.html).not.toContain('action="/console/account/mails"');
});
