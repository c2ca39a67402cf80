/** Passkeys: registered in the account, signed in with, given before risky actions; and what is refused. */
import { expect, test } from "bun:test";
import { makeAuthenticator, type Said } from "../../authenticator.ts";
import { outcome, unknownId, until } from "../../expect.ts";
import {
  addOperator,
  formd,
  freshIp,
  makeAgent,
  makeForm,
  makeTeam,
  ask as send,
  service,
  settingsFor,
  type Team,
} from "../../setup.ts";
import { newKey } from "../../signing.ts";
import { Browser, expectRedirect, textOf } from "../console/browser.ts";

const app = await service();
const team = await makeTeam(app);
const origin = app.url.replace("127.0.0.1", "localhost");

const path = "/console/account/passkeys";

const signedIn = async ({ operator }: Team = team) => {
  const browser = new Browser(app);
  expectRedirect(await browser.signIn(operator.email, operator.password), "/console");
  return browser;
};
/** A browser of an operator of another team. */
const strangers = async () => await signedIn(await makeTeam(app));

/** Returns the options of the page for making a passkey. */
async function creationOptions(browser: Browser) {
  const { html } = await browser.post(`${path}/new`, {});
  const [, options = ""] = /data-options="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(options.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

/** A passkey that is registered. */
async function register(name = "Laptop", browser?: Browser) {
  const own = browser ?? (await signedIn());
  const authenticator = makeAuthenticator(origin);
  const passkey = authenticator.create(await creationOptions(own));
  expectRedirect(await own.post(path, { name, passkey }), `${path}?report=`);
  return authenticator;
}

async function signInOptions(): Promise<{ challenge: string; rpId: string; userVerification: string }> {
  const reply = await fetch(`${app.url}/console/sign-in/passkey`, {
    method: "POST",
    headers: { "x-forwarded-for": freshIp(), origin: app.url },
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as never;
}

const events = async (kind: string) =>
  await app.database.sql<{ details: Record<string, unknown> }[]>`
    select details from formd.audit_events where team_id = ${team.id} and kind = ${kind} order by id`;

const ageProof = () =>
  app.database.sql`
    update formd.operator_sessions set proved_at = now() - interval '16 minutes' where team_id = ${team.id}`;

test("a passkey signs in without an e-mail address, and every step is in the audit", async () => {
  const authenticator = await register();
  expect((await events("passkey.registered")).map(({ details }) => details)).toEqual([{ name: "Laptop" }]);
  const options = await signInOptions();
  expect(options).toMatchObject({ rpId: "localhost", userVerification: "required" });
  const browser = new Browser(app);
  expectRedirect(await browser.post("/console/sign-in", { passkey: authenticator.get(options) }), "/console");
  const replaced = new Browser(app, browser.cookie);
  const again = { passkey: authenticator.get(await signInOptions()) };
  expectRedirect(await browser.post("/console/sign-in", again), "/console");
  expect((await replaced.get("/console/account")).status).toBe(303);
  expect(textOf(await browser.get("/console/account"))).toContain(team.operator.email);
  const [{ id } = {}] = await app.database.sql`
    select id from formd.operator_passkeys where operator_id = ${team.operator.id}`;
  expect((await events("session.operator_started")).at(-1)?.details).toEqual({ passkeyId: id });
  expectRedirect(await browser.post(`${path}/rename`, { passkey: id, name: "Old laptop" }), path);
  expectRedirect(await browser.post(`${path}/remove`, { passkey: id }), path);
  expect((await events("passkey.renamed"))[0]?.details).toEqual({ before: "Laptop", after: "Old laptop" });
  expect((await events("passkey.removed"))[0]?.details).toEqual({ name: "Old laptop" });
  const after = await new Browser(app).post("/console/sign-in", {
    passkey: authenticator.get(await signInOptions()),
  });
  expect(after.status).toBe(401);
});

test("what is wrong with a response is in the log only: the page is the same", async () => {
  const authenticator = await register();
  const wrong: [reason: string, said: Partial<Said>][] = [
    ["verification", { origin: "https://evil.example" }],
    ["verification", { origin: origin.replace(/\d+$/, "1") }],
    ["verification", { rpId: "evil.example" }],
    ["verification", { userVerified: false }],
    ["verification", { isForged: true }],
    ["verification", { type: "webauthn.create" }],
    ["user", { userHandle: "AAAAAAAAAAAAAAAAAAAAAA" }],
  ];
  const signIn = async (passkey: string) => await new Browser(app).post("/console/sign-in", { passkey });
  const pages = new Set<string>();
  const refuse = async (reason: string, passkey: string) => {
    const before = app.log().length;
    const { status, html } = await signIn(passkey);
    pages.add(`${status} ${html}`);
    await until(() => app.log().slice(before).includes(`"reason":"passkey-${reason}"`));
  };
  for (const [reason, said] of wrong) await refuse(reason, authenticator.get(await signInOptions(), said));
  await refuse("unknown", makeAuthenticator(origin).get(await signInOptions()));
  await refuse("challenge", authenticator.get({ challenge: "AAAA" }));
  await refuse("shape", "{}");
  await refuse("shape", "x".repeat(40_000));
  // A challenge to register is not accepted at a sign-in.
  await refuse("challenge", authenticator.get(await creationOptions(await signedIn())));
  const used = authenticator.get(await signInOptions(), { counter: 5 });
  expectRedirect(await signIn(used), "/console");
  await refuse("challenge", used);
  // A counter that does not increase indicates a copied passkey.
  await refuse("counter", authenticator.get(await signInOptions(), { counter: 5 }));
  const late = authenticator.get(await signInOptions());
  await app.database.sql`update formd.passkey_challenges set expires_at = now()`;
  await refuse("challenge", late);
  expect([...pages].map((page) => page.slice(0, 3))).toEqual(["401"]);
  expect((await events("operator.sign_in_failed")).length).toBeGreaterThan(0);
});

test("a risky action takes a passkey in place of the password, of the session's own operator", async () => {
  const browser = await signedIn();
  const authenticator = await register("Key", browser);
  const create = (fields = {}) =>
    browser.post("/console/api-keys", { name: "New", scopes: "forms:read", ...fields });
  await ageProof();
  const asked = await create();
  expect([asked.status, asked.html.includes('data-passkey="get"')]).toEqual([403, true]);
  const theirs = await register("Theirs", await strangers());
  expect((await create({ "formd.passkey": theirs.get(await signInOptions()) })).status).toBe(403);
  const given = authenticator.get(await signInOptions());
  expect((await create({ "formd.passkey": given })).status).toBe(200);
  expect((await create()).status).toBe(200);
  await ageProof();
  expect((await create({ "formd.passkey": given })).status).toBe(403);
  expect((await create({ "formd.password": team.operator.password })).status).toBe(200);
});

test("registering needs re-authentication, one's own challenge, and a passkey made for this server", async () => {
  const browser = await signedIn();
  const post = async (options: never, said: Partial<Said> = {}, name = "Another") => {
    const passkey = makeAuthenticator(origin).create(options, said);
    return (await browser.post(path, { name, passkey })).status;
  };
  const options = () => creationOptions(browser) as Promise<never>;
  expect(await post(await options(), { origin: "https://evil.example" })).toBe(400);
  expect(await post(await options(), { rpId: "evil.example" })).toBe(400);
  expect(await post(await options(), { userVerified: false })).toBe(400);
  expect(await post(await options(), {}, " ")).toBe(400);
  expect(await post({ ...((await signInOptions()) as object), user: { id: "" } } as never)).toBe(400);
  expect(await post((await creationOptions(await strangers())) as never)).toBe(400);
  const twice = await options();
  expect(await post(twice)).toBe(303);
  expect(await post(twice)).toBe(400);
  await ageProof();
  expect((await browser.post(`${path}/new`, {})).html).toContain("formd.password");
  expect((await browser.post(`${path}/remove`, { passkey: unknownId })).html).toContain("formd.password");
});

test("nobody touches the passkeys of others; a terminal removes those of who has lost them", async () => {
  const authenticator = await register();
  const [{ id } = {}] = await app.database.sql`
    select id from formd.operator_passkeys where operator_id = ${team.operator.id} order by id desc limit 1`;
  const stranger = await strangers();
  expect((await stranger.post(`${path}/rename`, { passkey: id, name: "Mine" })).status).toBe(404);
  expect((await stranger.post(`${path}/remove`, { passkey: id })).status).toBe(404);
  const { code, stdout } = await formd(
    ["operator", "remove-passkeys", "--email", team.operator.email, "--json"],
    settingsFor(app.database),
  );
  expect([code, JSON.parse(stdout).removed > 0]).toEqual([0, true]);
  const passkey = authenticator.get(await signInOptions());
  expect((await new Browser(app).post("/console/sign-in", { passkey })).status).toBe(401);
});

test("where a workspace asks for it, publishing, grants, keys and roles take a passkey of the last 5 minutes", async () => {
  const own = await makeTeam(app);
  const { sql } = app.database;
  const form = await makeForm(app, own, [{ id: "a", type: "text", label: "A" }]);
  const agent = await makeAgent(app, own, form, []);
  const browser = await signedIn(own);
  const ask = (requiresPasskey: object, fields = {}) =>
    browser.post("/console/operators/passkeys", { workspace: own.workspace, ...requiresPasskey, ...fields });
  // An operator without a passkey cannot switch it on. The page explains how to get one.
  const refused = await ask({ requiresPasskey: "true" });
  expect([refused.status, textOf(refused).includes("Add a passkey, then")]).toEqual([403, true]);
  const authenticator = await register("Key", browser);
  const passkey = async () => ({ "formd.passkey": authenticator.get(await signInOptions()) });
  expect((await ask({ requiresPasskey: "true" })).html).not.toContain("formd.password");
  expectRedirect(await ask({ requiresPasskey: "true" }, await passkey()), "/console/operators");
  const at = async (age: string) => {
    await sql`update formd.operator_sessions set passkey_at = now() - ${age}::interval where team_id = ${own.id}`;
  };
  const place = { workspace: own.workspace };
  const { id: operator, email } = await addOperator(app, own.id, own.workspace, "viewer");
  const ofForm = `/console/forms/${form.id}`;
  const atItsTime = async () => {
    const [row] = await sql<[{ updatedAt: Date }]>`select updated_at from formd.forms where id = ${form.id}`;
    return { updatedAt: row.updatedAt.toISOString() };
  };
  const acts: [path: string, fields: () => Promise<Record<string, string>>][] = [
    [`${ofForm}/publish`, atItsTime],
    [`${ofForm}/publish-settings`, atItsTime],
    [`${ofForm}/share/online`, atItsTime],
    [`${ofForm}/access-keys`, async () => ({})],
    ["/console/agents/new", async () => ({ name: "New", workspace: own.workspace })],
    [`/console/agents/${agent.id}/rotate`, async () => ({})],
    [
      `/console/agents/${agent.id}/grants`,
      async () => ({ form: form.id, scopes: "agent:submit", respondent: "" }),
    ],
    [`/console/agents/${agent.id}/keys`, async () => ({ publicKeyPem: newKey().pem })],
    ["/console/api-keys", async () => ({ name: "New", scopes: "forms:read" })],
    ["/console/operators", async () => ({ ...place, email: "new@example.org", role: "admin" })],
    ["/console/operators/role", async () => ({ ...place, email, role: "admin" })],
    ["/console/operators/reset-link", async () => ({ ...place, operator, email })],
    ["/console/operators/passkeys", async () => ({ workspace: own.workspace, requiresPasskey: "true" })],
    [`${path}/new`, async () => ({})],
  ];
  const events = async () => (await sql`select from formd.audit_events where team_id = ${own.id}`).length;
  await at("6 minutes");
  const before = await events();
  for (const [to, fields] of acts)
    for (const proof of [{}, { "formd.password": own.operator.password }]) {
      const { status, html } = await browser.post(to, { ...(await fields()), ...proof });
      expect([to, status, html.includes('data-passkey="get"')]).toEqual([to, 403, true]);
    }
  // The identity routes by cookie say the same.
  const identity = [
    ["", { name: "Another", workspaceId: own.workspace }],
    [`/${agent.id}/rotate-secret`, {}],
    [`/${agent.id}/keys`, { publicKeyPem: newKey().pem }],
    [`/${agent.id}/grants`, { formId: form.id, scopes: ["agent:read"] }],
  ] as const;
  const call = (to: string, body: object) =>
    send(app, "POST", `/papi/v1/identity/agents${to}`, { headers: { cookie: browser.cookie }, body });
  for (const [to, body] of identity)
    expect([to, outcome(await call(to, body))]).toEqual([to, "403 passkey_required"]);
  expect(await events()).toBe(before);
  // Other actions are done without a passkey, and a refused request changes nothing.
  expect((await browser.post(`/console/agents/${agent.id}/rename`, { name: "Other" })).status).toBe(303);
  const [first, firstFields] = acts[3] as (typeof acts)[number];
  expect((await browser.post(first, { ...(await firstFields()), ...(await passkey()) })).status).toBe(200);
  await at("4 minutes");
  for (const [to, fields] of acts.slice(3))
    expect([to, [200, 303].includes((await browser.post(to, await fields())).status)]).toEqual([to, true]);
  for (const [to, body] of identity) expect([to, outcome(await call(to, body))]).toEqual([to, "ok"]);
  // An API key has no passkey, and never publishes.
  await at("6 minutes");
  const byKey = await send(app, "POST", "/papi/v1/identity/agents", {
    headers: { "x-api-key": own.key },
    body: { name: "By key", workspaceId: own.workspace },
  });
  expect(outcome(byKey)).toBe("ok");
});

test("a server without https offers no passkeys", async () => {
  const plain = await service({ BASE_URL: "http://forms.example.org", ALLOWED_HOSTS: "127.0.0.1" });
  const { html } = await new Browser(plain).get("/console/sign-in");
  expect(html).not.toContain("data-passkey");
});
