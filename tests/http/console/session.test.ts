import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { ask, makeForm, makeTeam, makeWorkspace } from "../../setup.ts";
import { Browser, csrfOf, expectPage, expectRedirect, textOf } from "./browser.ts";
import { bossOf, browserOf, consoleFixture } from "./fixture.ts";

const { app, sql, team, admin, viewer } = await consoleFixture();
const { email, password } = team.operator;
/** Signs in as the team's first admin, however often. */
async function signIn(fields: Record<string, string> = {}, browser = new Browser(app)) {
  await sql`delete from formd.rate_limits where key like 'login:account:%'`;
  return await browser.signIn(email, password, fields);
}
const manyFields = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`f${index}`, ""]));

describe("pages of the console", () => {
  test("allow nothing inline and nothing from elsewhere, and are not kept", async () => {
    const { status, headers } = await admin.get("/console");
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("same-origin");
  });

  test("load assets that browsers keep, whose names change with their content; packed where they take gzip", async () => {
    const { html } = await new Browser(app).get("/console/sign-in");
    expect(html).toContain('data-show="Show the password"');
    const paths = new Set(
      [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path),
    );
    expect(paths.size).toBe(4);
    for (const path of paths) {
      const read = async (accepted: string) => {
        const response = get(app.url + path, { headers: { "accept-encoding": accepted } });
        const [message] = (await once(response, "response")) as [IncomingMessage];
        const {
          "content-encoding": encoding,
          "content-type": type,
          "cache-control": kept,
          vary,
        } = message.headers;
        expect([message.statusCode, kept]).toEqual([200, "public, max-age=31536000, immutable"]);
        return { encoding, type, vary, body: await buffer(message) };
      };
      const [packed, plain] = [await read("br, gzip;q=0.8"), await read("br, gzip;q=0")];
      expect([packed.encoding, plain.encoding]).toEqual(["gzip", undefined]);
      expect([packed.type, packed.vary]).toEqual([plain.type, plain.vary]);
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
      expect(packed.body.length).toBeLessThan(plain.body.length * (path.endsWith(".svg") ? 0.7 : 0.6));
    }
  });

  test("an unknown path and an unknown method are pages as well", async () => {
    const missing = await admin.get("/console/nothing");
    expectPage(missing, 404, "There is nothing at this address");
    expect(missing.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect((await admin.post("/console", {})).status).toBe(405);
  });
});

test("the navigation leads to what the operator may see: keys and audit of the whole team, webhooks as an admin", async () => {
  const own = await makeTeam(app);
  const linksOf = async (browser: Browser) => {
    const { html } = await browser.get("/console/agents");
    const shown = html.match(/<nav class="(?:areas|tabs)".*?<\/nav>/gs)?.join("") ?? "";
    return [...shown.matchAll(/<a href="\/console\/([a-z-]+)"[^>]*>[A-Z]/g)]
      .map(([, name]) => name)
      .join(" ");
  };
  // The entries for programs are tabs of one entry.
  expect(await linksOf(await browserOf(app, own, "admin"))).toBe(
    "operators agents audit agents api-keys webhooks",
  );
  expect(await linksOf(await browserOf(app, own, "viewer"))).toBe("operators agents audit agents api-keys");
  const other = await makeWorkspace(app, own);
  expect(await linksOf(await browserOf(app, own, "viewer", other))).toBe("operators agents");
});

test("the audit is in words, with codes on demand, and filtered by days, kind, actor and object", async () => {
  const own = await makeTeam(app);
  const { id } = await makeForm(app, own, []);
  const browser = await browserOf(app, own, "admin");
  const audit = (query: string) => browser.get(`/console/audit?${query}`);
  const kinds = async (query: string) =>
    [...(await audit(query)).html.matchAll(/&quot;kind&quot;: &quot;([\w.]+)&/g)].map(([, kind]) => kind);
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  expect((await kinds(`after=${day(-1)}&before=${day(2)}&timeZone=+UTC+`)).slice(-5)).toContain(
    "form.created",
  );
  for (const query of [`after=${day(2)}`, `before=${day(-1)}`, "before=0001-01-01", "kind=nothing"])
    expectPage(await audit(query), 200, "No matching events.");
  expect(await kinds(`formId=${id}`)).toEqual(["access_key.created", "form.published", "form.created"]);
  expect(await kinds(`objectId=${id}&kind=form.published`)).toEqual(["form.published"]);
  expect(await kinds(`actorId=${own.operator.id}`)).not.toContain("form.created");
  for (const query of ["after=2026-02-30", "timeZone=Mars", "actorId=x"])
    expect([query, (await audit(query)).status]).toEqual([query, 400]);
  const [shown] = (await audit(`formId=${id}`)).html.split("<details><summary>Details");
  expect(shown).toMatch(/>Access key created<\/a> “[^”]+”/);
  const headers = { "x-api-key": own.key, "x-request-id": "import-7" };
  await ask(app, "POST", "/papi/v1/management/forms", { headers, body: { name: "By program" } });
  expect((await audit("kind=form.created")).html).toMatch(
    /&quot;request&quot;: &quot;[0-9a-f-]{36}&quot;,\s+&quot;clientRequest&quot;: &quot;import-7&quot;/,
  );
  await browser.post("/console/agents/new", { name: "Bot", workspace: own.workspace });
  expect(textOf(await audit("kind=agent.created"))).toMatch(/Agent created admin\d+@example\.org/);
});

describe("signing in", () => {
  test("a page without a session leads to the form and back", async () => {
    const browser = new Browser(app);
    const to = expectRedirect(await browser.get("/console/account"), /^\/console\/sign-in\?/);
    expect((await browser.get(to)).html).toContain('name="next" value="/console/account"');
    expectRedirect(await signIn({ next: "/console/account" }, browser), "/console/account");
    expect(textOf(await browser.get("/console/account"))).toContain(email);
  });

  test("another site, or a path outside of the console, is not opened after it", async () => {
    const wrong = ["https://evil.example/", "//evil.example", "/console\\evil", "/papi/v1/docs", "/consolex"];
    for (const next of wrong) expectRedirect(await signIn({ next }), /^\/console$/);
  });

  test("a wrong password shows the form again, with the e-mail and without the password", async () => {
    const page = await new Browser(app).signIn(email, "wrong horse");
    expectPage(page, 401, `value="${email}"`, 'role="alert"');
    expect(page.html).not.toContain("wrong horse");
  });

  test("a form post of another site is rejected, as a page", async () => {
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const reply = await new Browser(app).post("/console/sign-in", { email: "a@b", password: "c" }, headers);
    expect([reply.status, reply.headers.get("set-cookie")]).toEqual([403, null]);
  });

  test("a link from another site, which brings no cookie, leads on by a click", async () => {
    const outside = await new Browser(app).get("/console/account?a=1", { "sec-fetch-site": "cross-site" });
    expectPage(outside, 200, 'href="/console/account?a=1"');
  });
});

describe("a form post", () => {
  test.each<[title: string, headers: Record<string, string>, token: boolean, status: number]>([
    ["of the same origin", {}, false, 303],
    ["by Sec-Fetch-Site alone", { origin: "" }, false, 303],
    ["by Origin alone", { "sec-fetch-site": "" }, false, 303],
    ["without both, with the token", { origin: "", "sec-fetch-site": "" }, true, 303],
    ["without both and without the token", { origin: "", "sec-fetch-site": "" }, false, 403],
    ["of another origin, with the token", { origin: "https://evil.example" }, true, 403],
    ["of a site beside ours", { "sec-fetch-site": "same-site" }, true, 403],
    ["of an opaque origin", { origin: "null", "sec-fetch-site": "" }, true, 403],
  ])("%s", async (_title, headers, withToken, status) => {
    const browser = await browserOf(app, team, "viewer");
    const csrf = csrfOf(await browser.get("/console/account"));
    expect(csrf).toMatch(/^[\w-]{43}$/);
    const reply = await browser.post("/console/sign-out", withToken ? { csrf } : {}, headers);
    expect(reply.status).toBe(status);
  });

  test("that is not a form, or has too many fields, is refused", async () => {
    for (const [fields, status, headers] of [
      [{}, 415, { "content-type": "application/json" }],
      [manyFields, 400],
      [{ a: "\0" }, 400],
    ] as const)
      expect((await admin.post("/console/sign-out", fields, headers)).status).toBe(status);
  });
});

describe("a form post without a session", () => {
  const path = "/console/api-keys";
  const ofAccount = { referer: `${app.url}/console/account` };
  const post = (fields: Record<string, string>, headers = {}, to = path) =>
    new Browser(app).post(to, fields, headers);

  test("asks to sign in, and has done nothing", async () => {
    const { status, html } = await post({ team: team.id }, ofAccount, "/console/team");
    expect([status, html]).toEqual([401, expect.stringContaining('name="next" value="/console/account"')]);
  });

  test("is parsed where its values are kept, up to what a sign-in may have", async () => {
    // Each character is 3 bytes in the form, and 5 in the sign-in: the first form fits and its sign-in would
    // not.
    for (const [characters, isKept] of [
      [15_000, false],
      [10_000, true],
      [30_000, false],
    ] as const) {
      const { status, html } = await post({ name: "+".repeat(characters) }, ofAccount);
      expect([characters, status, html.includes('name="values"')]).toEqual([characters, 401, isKept]);
      expect(html).toContain(`name="next" value="${isKept ? path : "/console/account"}"`);
    }
    expect((await post(manyFields)).status).toBe(400);
    expect((await post(manyFields, {}, "/console/sign-out")).status).toBe(401);
    const values = String(new URLSearchParams(manyFields));
    expect((await post({ email: "a", password: "b", values }, {}, "/console/sign-in")).status).toBe(400);
  });

  test("keeps the values of a page of this server, and none of another site's", async () => {
    const evil = { origin: "https://evil.example" };
    for (const [headers, isKept] of [
      [{ "sec-fetch-site": "same-origin" }, true],
      [evil, false],
      [{ ...evil, "sec-fetch-site": "cross-site" }, false],
      [{ "sec-fetch-site": "cross-site" }, false],
      [{ "sec-fetch-site": "same-site" }, false],
      [{ origin: "null" }, false],
    ] as const) {
      const { status, html } = await post({ name: "Mallory's", scopes: "forms:write" }, headers);
      expect([headers, status, html.includes("Mallory")]).toEqual([headers, 401, isKept]);
    }
  });

  test("counts as a sign-in of its client IP; one with a session does not", async () => {
    const fromIp = { "x-forwarded-for": "192.0.2.31" };
    const statuses = [];
    for (let index = 0; index < 31; index++) statuses.push((await post({ name: "A" }, fromIp)).status);
    expect(statuses).toEqual([...Array(30).fill(401), 429]);
    expect((await post({}, fromIp, "/console/sign-in")).status).toBe(429);
    expect((await admin.post(path, { name: "" }, fromIp)).status).toBe(400);
  });

  test("has its values, but no password, sent by the sign-in page as they were", async () => {
    const name = "+".repeat(10_000);
    const asked = await post({ name, csrf: "x", password: "y", clientSecret: "z" });
    const values = /name="values" value="([^"]*)"/.exec(asked.html)?.[1] ?? "";
    expect(values).toBe(new URLSearchParams({ name }).toString());
    const resumed = await signIn({ next: path, values });
    expect([resumed.status, resumed.html.includes(`value="${name}"`)]).toEqual([200, true]);
  });
});

describe("sessions", () => {
  test("signing out ends this one, signing out everywhere ends all", async () => {
    const own = await makeTeam(app);
    const [one, two, three] = [await bossOf(app, own), await bossOf(app, own), await bossOf(app, own)];
    const kept = new Browser(app, one.cookie);
    expectRedirect(await one.post("/console/sign-out", {}), "/console/sign-in");
    expect((await kept.get("/console")).status).toBe(303);
    expect((await two.get("/console")).status).toBe(200);
    expectRedirect(await three.post("/console/sign-out-everywhere", {}), "/console/sign-in");
    expect((await two.get("/console")).status).toBe(303);
  });

  test("a switch of the team opens a session there and ends the one here", async () => {
    const other = await makeTeam(app);
    const browser = await browserOf(app, team, "viewer");
    await sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      select ${other.id}, ${other.workspace}, id, 'editor', now() from formd.operators order by id desc limit 1`;
    const before = new Browser(app, browser.cookie);
    const change = (to: string) => browser.post("/console/team", { team: to });
    expectRedirect(await change(other.id), "/console");
    expect(textOf(await browser.get("/console/account"))).toContain("Editor");
    expect((await before.get("/console")).status).toBe(303);
    expect((await change((await makeTeam(app)).id)).status).toBe(404);
    expect((await browser.get("/console")).status).toBe(200);
    expect((await change("x")).status).toBe(400);
  });
});

test("the list of forms has those of the operator's workspaces, with text as text", async () => {
  const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const name = '<img src=x onerror=alert(1)>&"';
  await sql`update formd.forms set name = ${name} where id = ${id}`;
  const page = await viewer.get("/console");
  expect([textOf(page), page.html.includes("<img src=x")]).toEqual([expect.stringContaining(name), false]);
  expect(textOf(page)).toContain("Offline");
  expect(page.html).not.toContain("/console/new-form");
  expect((await viewer.get("/console/new-form")).status).toBe(403);
  const stranger = await browserOf(app, await makeTeam(app), "admin");
  expect(textOf(await stranger.get("/console"))).toContain("There is no form yet.");
  expect((await viewer.get("/console?page=0")).status).toBe(400);
});
