import { beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import {
  ask,
  makeForm,
  makeOperator,
  makeTeam,
  makeWorkspace,
  rememberSecrets,
  type Service,
  service,
  type Team,
} from "../../setup.ts";
import { Browser, expectRedirect, type Shown, textOf } from "./browser.ts";

let app: Service;
let team: Team;
let browser: Browser;
let viewer: Browser;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  browser = new Browser(app, await makeOperator(app, team, "admin"));
  viewer = new Browser(app, await makeOperator(app, team, "viewer"));
}, 60_000);

const secretOf = ({ html }: Shown) =>
  /<code>(fd[a-z]_[\w-]+|[\w-]{22})<\/code>/.exec(rememberSecrets(html))?.[1] ?? "";
const owner = { "x-api-key": "" };
const read = async (path: string) => {
  owner["x-api-key"] = team.key;
  return (await ask(app, "GET", `/papi/v1${path}`, { headers: owner })).body.data;
};
const makeAgent = async () => {
  const made = await browser.post("/console/agents/new", { name: "Bot", workspace: team.workspace });
  const path = /href="(\/console\/agents\/[\w-]+)"/.exec(made.html)?.[1] ?? "";
  return { path, id: path.split("/").at(-1) ?? "", secret: secretOf(made) };
};
const mintWith = async (clientSecret: string) =>
  (await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } })).status;

describe("agents", () => {
  test("are created; the secret is on that page only, and works", async () => {
    const { path, id, secret } = await makeAgent();
    expect(secret).toStartWith("fda_");
    expect(await mintWith(secret)).toBe(200);
    expect((await browser.get(path)).html).not.toContain(secret);
    expect((await read(`/identity/agents/${id}`)).agent.name).toBe("Bot");
    expect(textOf(await browser.get("/console/agents"))).toContain("Bot");
    const refused = await browser.post("/console/agents/new", { name: " ", workspace: team.workspace });
    expect(refused.status).toBe(400);
  });

  test("show what to paste into an MCP client, without a secret", async () => {
    const { path } = await makeAgent();
    const [, shown = ""] = /<pre[^>]*><code>([^<]*)<\/code>/.exec((await browser.get(path)).html) ?? [];
    const { url, headers } = JSON.parse(shown.replaceAll("&quot;", '"')).mcpServers.formd;
    expect(new URL(url).pathname).toBe("/mcp");
    expect(headers).toEqual({ authorization: "Bearer fds_…" });
  });

  test("are renamed, disabled, enabled, given another secret and revoked", async () => {
    const { path, id, secret } = await makeAgent();
    expectRedirect(await browser.post(`${path}/rename`, { name: "Named" }), path);
    await browser.post(`${path}/status`, { status: "disabled" });
    expect((await read(`/identity/agents/${id}`)).agent).toMatchObject({ name: "Named", status: "disabled" });
    await browser.post(`${path}/status`, { status: "active" });
    const rotated = secretOf(await browser.post(`${path}/rotate`, {}));
    expect([await mintWith(secret), await mintWith(rotated)]).toEqual([401, 200]);
    await browser.post(`${path}/revoke`, {});
    expect((await read(`/identity/agents/${id}`)).agent.status).toBe("revoked");
    const page = await browser.get(path);
    expect(page.html).not.toContain('method="post"');
    const refused = await browser.post(`${path}/rename`, { name: "Late" });
    expect([refused.status, refused.html.includes('role="alert"')]).toEqual([409, true]);
    expect((await browser.post(`${path}/status`, { status: "x" })).status).toBe(400);
  });

  test("are granted forms, in words, and lose the grant again", async () => {
    const { path, id } = await makeAgent();
    const form = await makeForm(app, team, []);
    expect((await browser.post(`${path}/grants`, { form: form.id })).status).toBe(400);
    expectRedirect(
      await browser.post(`${path}/grants`, { form: form.id, scopes: ["agent:read", "agent:submit"] }),
      path,
    );
    const [grant] = (await read(`/identity/agents/${id}/grants`)).grants;
    expect(grant.scopes.sort()).toEqual(["agent:read", "agent:submit"]);
    expect(textOf(await browser.get(path))).toContain("Read the form, Submit");
    const wrong = await browser.post(`${path}/grants`, {
      form: form.id,
      scopes: "agent:read",
      respondent: "x",
    });
    expect([wrong.status, wrong.html.includes('value="x"')]).toEqual([400, true]);
    await browser.post(`${path}/grants/remove`, { grant: grant.id });
    expect((await read(`/identity/agents/${id}/grants`)).grants).toEqual([]);
  });

  test("have public keys, under the id of the text with its own line ends", async () => {
    const { path, id } = await makeAgent();
    const pem = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
    expectRedirect(await browser.post(`${path}/keys`, { publicKeyPem: pem.replaceAll("\n", "\r\n") }), path);
    const [key] = (await read(`/identity/agents/${id}/keys`)).keys;
    const again = await ask(app, "POST", `/papi/v1/identity/agents/${id}/keys`, {
      headers: owner,
      body: { publicKeyPem: pem },
    });
    expect(again.body.data.keyId).toBe(key.keyId);
    await browser.post(`${path}/keys/revoke`, { key: key.keyId });
    expect((await read(`/identity/agents/${id}/keys`)).keys[0].status).toBe("revoked");
    const wrong = await browser.post(`${path}/keys`, { publicKeyPem: "<b>" });
    expect([wrong.status, wrong.html.includes("&lt;b>")]).toEqual([400, true]);
  });
});

describe("keys", () => {
  test("an access key is made and revoked on the form's page", async () => {
    const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    const path = `/console/forms/${form.id}/access-keys`;
    const key = secretOf(await browser.post(path, {}));
    const status = async () =>
      (
        await ask(app, "POST", "/papi/v1/submitter/form/validation", {
          headers: { "x-form-access-key": key, "x-api-key": team.key },
          body: { data: {} },
        })
      ).status;
    const before = await status();
    const id = /name="key" value="([\w-]+)"/.exec((await browser.get(path)).html)?.[1] ?? "";
    expectRedirect(await browser.post(`${path}/revoke`, { key: id }), path);
    expect(await status()).toBe(401);
    expect(before).not.toBe(401);
    expect((await browser.post(`${path}/revoke`, { key: "x" })).status).toBe(400);
  });

  test("an API key is made with scopes and revoked, by an admin of every workspace", async () => {
    const made = await browser.post("/console/api-keys", { name: "<i>", scopes: "forms:read" });
    const key = secretOf(made);
    const status = async () =>
      (await ask(app, "GET", "/papi/v1/management/forms", { headers: { "x-api-key": key } })).status;
    expect(await status()).toBe(200);
    const page = await browser.get("/console/api-keys");
    expect([page.html.includes(key), page.html.includes("&lt;i>")]).toEqual([false, true]);
    const id = /Revoke &lt;i>….*?name="key" value="([\w-]+)"/s.exec(page.html)?.[1] ?? "";
    expectRedirect(await browser.post("/console/api-keys/revoke", { key: id }), "/console/api-keys");
    expect(await status()).toBe(401);
    const wrong = await browser.post("/console/api-keys", { name: "x", scopes: "all" });
    expect([wrong.status, wrong.html.includes('value="x"')]).toEqual([400, true]);

    const other = await makeTeam(app);
    const admin = new Browser(app, await makeOperator(app, other, "admin"));
    expect((await admin.get("/console/api-keys")).html).toContain("<form method");
    await makeWorkspace(app, other);
    expect((await admin.get("/console/api-keys")).html).not.toContain('action="/console/api-keys"');
    expect((await admin.post("/console/api-keys", { name: "x", scopes: "forms:read" })).status).toBe(403);
  });
});

describe("operators", () => {
  test("are added with a password that is shown once, change their role, and are removed", async () => {
    const email = `new-${team.id.slice(-6)}@example.org`;
    const add = (role: string) =>
      browser.post("/console/operators", { email, workspace: team.workspace, role });
    const password = secretOf(await add("viewer"));
    const added = new Browser(app);
    expectRedirect(await added.signIn(email, password), /^\/console$/);
    expect((await added.get("/console/new-form")).html).not.toContain('name="workspace" value="0');
    expectRedirect(await add("editor"), "/console/operators");
    expect((await added.get("/console/new-form")).html).toContain(`value="${team.workspace}"`);
    await browser.post("/console/operators/remove", { email, workspace: team.workspace });
    expect((await added.get("/console")).status).toBe(303);
    expect(
      (await browser.post("/console/operators", { email: "x", workspace: team.workspace, role: "viewer" }))
        .status,
    ).toBe(400);
  });

  test("an admin says whether editors may publish", async () => {
    const editor = new Browser(app, await makeOperator(app, team, "editor"));
    const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    const path = `/console/forms/${form.id}/publish`;
    expect((await editor.get(path)).html).toContain('method="post"');
    await browser.post("/console/operators/publishing", { workspace: team.workspace });
    expect((await editor.get(path)).html).not.toContain('method="post"');
    expect((await editor.post(`/console/forms/${form.id}/archive`, {})).status).toBe(403);
    await browser.post("/console/operators/publishing", {
      workspace: team.workspace,
      editorsMayPublish: "true",
    });
    expect((await editor.get(path)).html).toContain('method="post"');
  });
});

describe("the audit", () => {
  test("names who did what, and is found by its filters", async () => {
    const { id } = await makeAgent();
    const page = textOf(await viewer.get(`/console/audit?objectId=${id}`));
    expect(page).toMatch(/agent\.created admin\d+@example\.org/);
    expect(textOf(await viewer.get("/console/audit?kind=nothing"))).toContain("No event matches.");
    expect((await viewer.get("/console/audit?actorId=x")).status).toBe(400);
  });
});

describe("a viewer", () => {
  test("finds nothing that changes something, on any page", async () => {
    const { path } = await makeAgent();
    const form = await makeForm(app, team, []);
    const pages = [
      "/console/agents",
      path,
      "/console/api-keys",
      "/console/operators",
      "/console/audit",
      `/console/forms/${form.id}/access-keys`,
    ];
    for (const page of pages) {
      const { status, html } = await viewer.get(page);
      expect([page, status, html.includes('method="post"')]).toEqual([page, 200, false]);
    }
    const posts: [string, Record<string, string>][] = [
      ["/console/agents/new", { name: "x", workspace: team.workspace }],
      [`${path}/rename`, { name: "x" }],
      [`${path}/status`, { status: "disabled" }],
      [`${path}/rotate`, {}],
      [`${path}/revoke`, {}],
      [`${path}/grants`, { form: form.id, scopes: "agent:read", respondent: "" }],
      ["/console/api-keys", { name: "x", scopes: "forms:read" }],
      ["/console/operators", { email: "x@example.org", workspace: team.workspace, role: "admin" }],
      ["/console/operators/remove", { email: team.operator.email, workspace: team.workspace }],
      ["/console/operators/publishing", { workspace: team.workspace }],
      [`/console/forms/${form.id}/access-keys`, {}],
    ];
    for (const [to, fields] of posts) expect([to, (await viewer.post(to, fields)).status]).toEqual([to, 403]);
  });
});
