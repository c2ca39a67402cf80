// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { ask, makeForm, type Service, type Team } from "../../setup.ts";
import { type Browser, expectRedirect, secretOf, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let browser: Browser;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, admin: browser, viewer } = await consoleFixture());
});

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
    expect(headers).toEqual({ "x-agent-secret": "fda_…" });
  });

  test("are renamed, disabled, enabled, given another secret and revoked", async () => {
    const { path, id, secret } = await makeAgent();
    expectRedirect(await browser.post(`${path}/rename`, { name: "Named" }), path);
    const disabled = await browser.post(`${path}/status`, { status: "disabled" });
    expect(textOf(await browser.get(expectRedirect(disabled, path)))).toMatch(/The agent is disabled.* Undo/);
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
    // No form is chosen for a person who has not looked.
    expect(textOf(await browser.get(path))).toContain("Form Choose a form…");
    const all = { form: "", scopes: ["agent:read"] };
    expect((await browser.post(`${path}/grants`, all)).status).toBe(400);
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

describe("the audit", () => {
  test("names who did what, and is found by its filters", async () => {
    const { id } = await makeAgent();
    const page = textOf(await viewer.get(`/console/audit?objectId=${id}`));
    expect(page).toMatch(/Agent created admin\d+@example\.org/);
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
    for (const page of ["agents/new", "api-keys/new", "operators/new", "webhooks/new", "new-form"]) {
      const { status, html } = await viewer.get(`/console/${page}`);
      expect([page, status, html.includes('method="post"')]).toEqual([page, 403, false]);
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
