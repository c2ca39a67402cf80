// stacks: one
/** Acts that ask for the password again, in a session whose last proof is over 15 minutes old. */
import { describe, expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { operationIn } from "../../../src/platform/http/operation.ts";
import { proofs } from "../../../src/resources/operators/proofs.ts";
import { mailServer } from "../../mail-server.ts";
import { routes } from "../../routes.ts";
import { ask, makeForm, makeTeam } from "../../setup.ts";
import { fileService } from "../files/fixture.ts";
import { local } from "../webhooks/receiver.ts";
import { consoleActs, fill, makeObjects, ownActs, sentBy } from "./authorization.ts";
import { textOf } from "./browser.ts";
import { bossOf } from "./fixture.ts";

const app = await fileService({ ...(await mailServer()).settings, ...local });
const { sql } = app.database;
const team = await makeTeam(app);
const boss = await bossOf(app, team);
const age = () => sql`
  update formd.operator_sessions set proved_at = now() - interval '16 minutes', passkey_at = null
  where team_id = ${team.id}`;
const objects = await makeObjects(app, team);

const form = "/console/forms/:form_id";
/** The others do not ask. What they do can be seen, undone or only closes something. */
const asking = [
  `${form}/share/feed`,
  `${form}/share/site`,
  `${form}/access-keys`,
  `${form}/invitations`,
  `${form}/submissions/delete`,
  `${form}/submissions/export`,
  `${form}/submissions/:submission_id/delete`,
  "/console/agents/new",
  "/console/agents/:agent_id/grants",
  "/console/agents/:agent_id/keys",
  "/console/agents/:agent_id/rotate",
  "/console/api-keys",
  "/console/connections/change",
  "/console/connections/new",
  "/console/connections/remove",
  "/console/operators",
  "/console/operators/publishing",
  "/console/operators/remove",
  "/console/operators/reset-link",
  "/console/operators/role",
  "/console/person/erase",
  "/console/person/export",
  "/console/webhooks/:webhook_id",
  "/console/webhooks/:webhook_id/delete",
  "/console/webhooks/:webhook_id/rotate",
  "/console/webhooks/new",
  "/console/workspaces/retention",
];

/** True if the page asks for the password. */
async function asks(path: string, on = objects): Promise<boolean> {
  const act = consoleActs[path];
  if (!act) throw new Error(`${path} has no row`);
  await act.prepare?.(on);
  await age();
  const { status, html } = await boss.post(fill(path, on), sentBy(act, on));
  return status === 403 && html.includes('name="formd.password"');
}

test("of all posts of the console, these ask for the password", async () => {
  expect(asking.filter((path) => !consoleActs[path])).toEqual([]);
  for (const path of asking) expect([path, await asks(path)]).toEqual([path, true]);
  // The setting of passkeys has a proof of its own.
  const others = Object.keys(consoleActs).filter(
    (path) => !asking.includes(path) && path !== "/console/operators/passkeys",
  );
  for (const path of others)
    expect([path, await asks(path, await makeObjects(app, team))]).toEqual([path, false]);
});

test("of a person's own acts, those that change passkeys do", async () => {
  const found = [];
  for (const path of ownActs.filter((each) => !/sign-out|team/.test(each))) {
    await age();
    if ((await boss.post(path, {})).html.includes('name="formd.password"')) found.push(path);
  }
  const passkeys = "/console/account/passkeys";
  expect(found).toEqual([passkeys, `${passkeys}/new`, `${passkeys}/remove`]);
});

test("the page names the act and its subject, keeps the values, and the password carries it out", async () => {
  await age();
  const key = { name: "For the ledger", scopes: "forms:read" };
  const asked = await boss.post("/console/api-keys", key);
  expect(textOf(asked)).toContain("Create an API key: For the ledger?");
  expect(asked.html).toContain('name="name" value="For the ledger"');
  const wrong = await boss.post("/console/api-keys", { ...key, "formd.password": "wrong horse" });
  expect([wrong.status, textOf(wrong).includes("The password is wrong.")]).toEqual([403, true]);
  const done = await boss.post("/console/api-keys", { ...key, "formd.password": team.operator.password });
  expect([done.status, done.html.includes("fdk_")]).toEqual([200, true]);
});

test("the page keeps no secret, and leads back to the page of the form", async () => {
  await age();
  const connection = { name: "Okta", issuer: "https://okta.example", clientSecret: "a secret" };
  const from = { referer: `${app.url}/console/connections/new` };
  const asked = await boss.post("/console/connections/new", connection, from);
  const back = '<a href="/console/connections/new"';
  expect([asked.html.includes("a secret"), asked.html.includes(back)]).toEqual([false, true]);
  const again = { ...connection, "formd.password": "wrong horse", "formd.back": "/console/connections/new" };
  const wrong = await boss.post("/console/connections/new", again, { referer: `${app.url}/console/nowhere` });
  expect([wrong.status, wrong.html.includes(back)]).toEqual([403, true]);
  const foreign = await boss.post("/console/connections/new", { ...again, "formd.back": "//other.example" });
  expect(foreign.html).not.toContain("other.example");
});

test("the page is for the account that was asked: another one that signs in meanwhile is asked again", async () => {
  const key = { name: "K", scopes: "forms:read", "formd.password": team.operator.password };
  const other = "00000000-0000-7000-8000-000000000000";
  await boss.signIn(team.operator.email, team.operator.password);
  const asked = await boss.post("/console/api-keys", { ...key, "formd.operator": other });
  expect([asked.status, asked.html.includes('name="formd.password"')]).toEqual([403, true]);
  expect(asked.html).not.toContain(other);
});

describe("publishing", () => {
  const publishing = async (settings: object) => {
    const made = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
      settings: { page: { enabled: true, redirectUrl: "https://ours.example/" } },
    });
    const { body } = await ask(app, "PATCH", `/papi/v1/management/forms/${made.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings }] },
    });
    await age();
    const seen = { updatedAt: body.data.form.updatedAt };
    const shown = await boss.post(`/console/forms/${made.id}/publish-settings`, seen);
    return shown.status === 403 && shown.html.includes('name="formd.password"');
  };
  test.each<[string, object, boolean]>([
    ["another address after the submission", { page: { redirectUrl: "https://other.example/" } }, true],
    ["sites that may embed the form", { page: { embedOrigins: ["https://other.example"] } }, true],
    ["another link of the page", { page: { theme: { privacyUrl: "https://other.example" } } }, true],
    ["a rule of deletion", { retention: { deleteAfter: "P20Y" } }, true],
    [
      "another receiver of mails with values",
      { notify: { recipients: ["x@other.example"], include: "values" } },
      true,
    ],
    ["another receiver of mails without values", { notify: { recipients: ["x@other.example"] } }, false],
    ["no address after the submission", { page: { redirectUrl: null } }, false],
    ["other settings", { review: { required: true } }, false],
  ])("%s asks for the password: %p", async (_, settings, expected) => {
    expect(await publishing(settings)).toBe(expected);
  });
});

test("publishing a first version that leads people elsewhere, or giving up a page's address, asks for the password", async () => {
  const publish = async (id: string, act: string, settings: object) => {
    const { body } = await ask(app, "PATCH", `/papi/v1/management/forms/${id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings }] },
    });
    await age();
    const shown = await boss.post(`/console/forms/${id}/${act}`, { updatedAt: body.data.form.updatedAt });
    return shown.html.includes('name="formd.password"');
  };
  const draft = async () =>
    (
      await ask(app, "POST", "/papi/v1/management/forms", {
        headers: { "x-api-key": team.key },
        body: { name: "First", schema: { fields: [{ id: "a", type: "text", label: "A" }] } },
      })
    ).body.data.form.id as string;
  const alias = `first-${Date.now()}`;
  const id = await draft();
  expect(await publish(id, "publish", { page: { enabled: true, alias } })).toBe(false);
  expect(await publish(id, "publish-settings", { page: { alias: null } })).toBe(true);
  const other = { page: { enabled: true, redirectUrl: "https://other.example/" } };
  expect(await publish(await draft(), "publish", other)).toBe(true);
});

test("a grant that does not let the agent submit asks for nothing", async () => {
  await age();
  const path = fill("/console/agents/:agent_id/grants", objects);
  const shown = await boss.post(path, { form: objects.form_id, scopes: "agent:read", respondent: "" });
  expect(shown.html).not.toContain("formd.password");
});

test("an export of over a thousand submissions asks, and goes on from there", async () => {
  const made = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const submitted = { headers: { "x-form-access-key": made.accessKey, "x-api-key": team.key } };
  await ask(app, "POST", "/papi/v1/submitter/form/submissions", { ...submitted, body: { data: { a: "x" } } });
  const path = `/console/forms/${made.id}/submissions/export?format=csv`;
  await age();
  expect((await boss.get(path)).status).toBe(200);
  await sql`
    insert into formd.submissions
    select (jsonb_populate_record(s, jsonb_build_object('id', ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid))).*
    from formd.submissions s, generate_series(1, ${limits.submission.maxUnprovedRows}::integer) as n
    where s.form_id = ${made.id}`;
  await sql`select formd.submission_counts_repair(${team.id}, ${made.id})`;
  const asked = await boss.get(path);
  expect([asked.status, textOf(asked).includes("Export many submissions: Test?")]).toEqual([403, true]);
  const file = await boss.post(path, { "formd.password": team.operator.password });
  expect([file.status, file.headers.get("content-disposition")?.includes("attachment")]).toEqual([200, true]);
  expect(file.html.split("\n").length).toBeGreaterThan(limits.submission.maxUnprovedRows);
  expect((await boss.get(path)).status).toBe(200);
});

test("every route that takes a session and writes is one of these, and asks as the table says", async () => {
  const { form_id, agent_id, signingKey, submission_id } = objects;
  const at = "/papi/v1/identity/agents";
  const hold = "/papi/v1/management/forms/:form_id/hold";
  const held = "/papi/v1/management/forms/:form_id/submissions/:submission_id/hold";
  const invitations = "/papi/v1/management/forms/:form_id/invitations";
  const acts: Record<string, [act: keyof typeof proofs, body?: object]> = {
    [`POST ${at}`]: ["agent.created", { name: "New", workspaceId: team.workspace }],
    [`PATCH ${at}/:agent_id`]: ["agent.updated", { name: "Renamed" }],
    [`POST ${at}/:agent_id/rotate-secret`]: ["agent.secret_rotated", {}],
    [`DELETE ${at}/:agent_id/sessions`]: ["agent.sessions_ended"],
    [`POST ${at}/:agent_id/grants`]: ["grant.submitting", { formId: form_id, scopes: ["agent:read"] }],
    [`DELETE ${at}/:agent_id/grants/:grant_id`]: ["grant.deleted"],
    [`POST ${at}/:agent_id/keys`]: ["signing_key.registered", { publicKeyPem: objects.pem }],
    [`DELETE ${at}/:agent_id/keys/:key_id`]: ["signing_key.revoked"],
    [`DELETE ${at}/:agent_id`]: ["agent.revoked"],
    [`POST ${hold}`]: ["form.held", { reason: "Case 1" }],
    [`DELETE ${hold}`]: ["form.released"],
    [`POST ${held}`]: ["submission.held", { reason: "Case 1" }],
    [`DELETE ${held}`]: ["submission.released"],
    "POST /papi/v1/management/forms/:form_id/submissions/:submission_id/review": ["submission.reviewed", {}],
    [`POST ${invitations}`]: ["invitations.created", { invitations: [{ label: "Ada" }] }],
    [`DELETE ${invitations}/:invitation_id`]: ["invitation.revoked"],
    [`POST ${invitations}/remind`]: ["invitations.reminded", {}],
    "POST /console/logout": ["account.session_ended"],
  };
  const taking = routes.filter((route) => {
    const { security = [] } = operationIn(route) ?? {};
    return route.method !== "GET" && security.some((each: object) => "operatorSession" in each);
  });
  expect(taking.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(acts).sort());
  for (const [route, [act, body]] of Object.entries(acts)) {
    const [method = "", path = ""] = route.split(" ");
    if (path === "/console/logout") continue;
    await age();
    const names = {
      ...{ agent_id, form_id, submission_id, key_id: signingKey, grant_id: objects.grant },
      invitation_id: objects.formInvitation,
    };
    const to = path.replace(/:(\w+)/g, (_, name: keyof typeof names) => names[name]);
    const reply = await ask(app, method, to, { headers: { cookie: boss.cookie }, body });
    expect([route, reply.body.code === "password_required"]).toEqual([route, "isRecent" in proofs[act]]);
  }
  // No tool of MCP takes a cookie.
  const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect((await ask(app, "POST", "/mcp", { headers: { cookie: boss.cookie }, body: call })).status).toBe(401);
});
