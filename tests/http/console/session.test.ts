import { beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { makeForm, makeOperator, makeTeam, makeWorkspace, type Service, type Team } from "../../setup.ts";
import { Browser, csrfOf, expectRedirect, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;

beforeAll(async () => {
  ({ app, team } = await consoleFixture());
});

const signedIn = async (role: "admin" | "viewer" = "admin") => browserOf(app, team, role);

describe("pages of the console", () => {
  test("allow nothing inline and nothing from elsewhere, and are not kept", async () => {
    const { status, headers } = await (await signedIn()).get("/console");
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("same-origin");
  });

  test("load assets whose names change with their content, and which browsers keep", async () => {
    const { html } = await new Browser(app).get("/console/sign-in");
    expect(html).toContain('data-show="Show the password"');
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const { status, headers } = await new Browser(app).get(path);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
  });

  test("load assets packed where they take gzip, and as they are where not, with the same content", async () => {
    const { html } = await new Browser(app).get("/console/sign-in");
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    for (const path of paths) {
      const read = async (accepted: string) => {
        const response = get(app.url + path, { headers: { "accept-encoding": accepted } });
        const [message] = (await once(response, "response")) as [IncomingMessage];
        const { "content-encoding": encoding, "content-type": type, vary } = message.headers;
        return { encoding, type, vary, body: await buffer(message) };
      };
      const [packed, plain] = [await read("br, gzip;q=0.8"), await read("br, gzip;q=0")];
      expect([packed.encoding, plain.encoding]).toEqual(["gzip", undefined]);
      expect([packed.type, packed.vary]).toEqual([plain.type, plain.vary]);
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
      expect(packed.body.length).toBeLessThan(plain.body.length * 0.6);
    }
  });

  test("an unknown path and an unknown method are pages as well", async () => {
    const missing = await (await signedIn()).get("/console/nothing");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(textOf(missing)).toContain("There is nothing at this address");
    expect((await (await signedIn()).post("/console", {})).status).toBe(405);
  });
});

test("the navigation leads to what the operator may see: keys and audit of the whole team, webhooks as an admin", async () => {
  const own = await makeTeam(app);
  const linksOf = async (cookie: string) => {
    const { html } = await new Browser(app, cookie).get("/console/agents");
    return [...html.matchAll(/<a href="\/console\/([a-z-]+)"[^>]*>[A-Z]/g)].map(([, name]) => name);
  };
  // What belongs to programs is one entry, whose pages have tabs.
  const ofAdmins = ["operators", "agents", "audit", "account", "agents", "api-keys", "webhooks"];
  expect(await linksOf(await makeOperator(app, own, "admin"))).toEqual(ofAdmins);
  expect(await linksOf(await makeOperator(app, own, "viewer"))).toEqual(
    ofAdmins.filter((name) => name !== "webhooks"),
  );
  const other = await makeWorkspace(app, own);
  expect(await linksOf(await makeOperator(app, own, "viewer", other))).toEqual([
    "operators",
    "agents",
    "account",
  ]);
});

test("the audit is in words, with codes on demand, and filtered by days, kind, actor and object", async () => {
  const own = await makeTeam(app);
  const { id } = await makeForm(app, own, []);
  const browser = await browserOf(app, own, "admin");
  const kinds = async (query: string) => {
    const page = await browser.get(`/console/audit?${query}`);
    expect(page.status).toBe(200);
    return [...page.html.matchAll(/&quot;kind&quot;: &quot;([\w.]+)&/g)].map(([, kind]) => kind);
  };
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const ofForm = ["access_key.created", "form.published", "form.created"];
  expect((await kinds(`after=${day(-1)}&before=${day(2)}`)).slice(-5)).toContain("form.created");
  expect(await kinds(`after=${day(2)}`)).toEqual([]);
  expect(await kinds(`before=${day(-1)}`)).toEqual([]);
  expect(await kinds(`formId=${id}`)).toEqual(ofForm);
  expect(await kinds(`objectId=${id}&kind=form.published`)).toEqual(["form.published"]);
  expect(await kinds(`actorId=${own.operator.id}`)).not.toContain("form.created");
  expect((await browser.get("/console/audit?after=2026-02-30")).status).toBe(400);
  expect((await browser.get("/console/audit?timeZone=Mars")).status).toBe(400);
  const [shown] = (await browser.get(`/console/audit?formId=${id}`)).html.split("<details><summary>Details");
  expect(shown).toMatch(/>Access key created<\/a> “[^”]+”/);
});

describe("signing in", () => {
  test("a page without a session leads to the form and back", async () => {
    const browser = new Browser(app);
    const to = expectRedirect(await browser.get("/console/account"), /^\/console\/sign-in\?/);
    const form = await browser.get(to);
    expect(form.html).toContain('name="next" value="/console/account"');
    const done = await browser.signIn(team.operator.email, team.operator.password, {
      next: "/console/account",
    });
    expectRedirect(done, "/console/account");
    expect(textOf(await browser.get("/console/account"))).toContain(team.operator.email);
  });

  test.each(["https://evil.example/", "//evil.example", "/console\\evil", "/papi/v1/docs", "/consolex"])(
    "%s is no page to go to afterwards",
    async (next) => {
      const { email, password } = team.operator;
      await app.database.sql`delete from formd.rate_limits where key like 'login:account:%'`;
      expectRedirect(await new Browser(app).signIn(email, password, { next }), /^\/console$/);
    },
  );

  test("a wrong password shows the form again, with the e-mail and without the password", async () => {
    const { status, html } = await new Browser(app).signIn(team.operator.email, "wrong horse");
    expect(status).toBe(401);
    expect(html).toContain(`value="${team.operator.email}"`);
    expect(html).not.toContain("wrong horse");
    expect(html).toContain('role="alert"');
  });

  test("a form post of another site is rejected, as a page", async () => {
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const reply = await new Browser(app).post("/console/sign-in", { email: "a@b", password: "c" }, headers);
    expect([reply.status, reply.headers.get("set-cookie")]).toEqual([403, null]);
  });

  test("a link from another site, which brings no cookie, leads on by a click", async () => {
    const outside = await new Browser(app).get("/console/account?a=1", { "sec-fetch-site": "cross-site" });
    expect(outside.status).toBe(200);
    expect(outside.html).toContain('href="/console/account?a=1"');
  });
});

describe("a form post", () => {
  const posts: [title: string, headers: Record<string, string>, token: boolean, status: number][] = [
    ["of the same origin", {}, false, 303],
    ["by Sec-Fetch-Site alone", { origin: "" }, false, 303],
    ["by Origin alone", { "sec-fetch-site": "" }, false, 303],
    ["without both, with the token", { origin: "", "sec-fetch-site": "" }, true, 303],
    ["without both and without the token", { origin: "", "sec-fetch-site": "" }, false, 403],
    ["of another origin, with the token", { origin: "https://evil.example" }, true, 403],
    ["of a site beside ours", { "sec-fetch-site": "same-site" }, true, 403],
    ["of an opaque origin", { origin: "null", "sec-fetch-site": "" }, true, 403],
  ];
  test.each(posts)("%s", async (_title, headers, withToken, status) => {
    const browser = await signedIn("viewer");
    const csrf = csrfOf(await browser.get("/console/account"));
    expect(csrf).toMatch(/^[\w-]{43}$/);
    const reply = await browser.post("/console/sign-out", withToken ? { csrf } : {}, headers);
    expect(reply.status).toBe(status);
  });

  test("that is no form, or has too many fields, is refused", async () => {
    const browser = await signedIn();
    const json = await browser.post("/console/sign-out", {}, { "content-type": "application/json" });
    expect(json.status).toBe(415);
    const fields = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`f${index}`, ""]));
    expect((await browser.post("/console/sign-out", fields)).status).toBe(400);
    expect((await browser.post("/console/sign-out", { a: "\0" })).status).toBe(400);
  });

  test("whose session has ended asks to sign in, and has done nothing", async () => {
    const reply = await new Browser(app).post(
      "/console/team",
      { team: team.id },
      { referer: `${app.url}/console/account` },
    );
    expect(reply.status).toBe(401);
    expect(reply.html).toContain('name="next" value="/console/account"');
  });

  const path = "/console/api-keys";
  test("without a session is parsed where its values are kept, up to what a sign-in may have", async () => {
    const browser = new Browser(app);
    // Each character is 3 bytes in the form, and 5 in the sign-in: the first form fits and its sign-in would
    // not.
    const sizes: [characters: number, isKept: boolean][] = [
      [15_000, false],
      [10_000, true],
      [30_000, false],
    ];
    for (const [characters, isKept] of sizes) {
      const { status, html } = await browser.post(
        path,
        { name: "+".repeat(characters) },
        { referer: `${app.url}/console/account` },
      );
      expect([characters, status, html.includes('name="values"')]).toEqual([characters, 401, isKept]);
      expect(html).toContain(`name="next" value="${isKept ? path : "/console/account"}"`);
    }
    const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`f${index}`, ""]));
    expect((await browser.post(path, many)).status).toBe(400);
    expect((await browser.post("/console/sign-out", many)).status).toBe(401);
    const values = String(new URLSearchParams(many));
    expect((await browser.post("/console/sign-in", { email: "a", password: "b", values })).status).toBe(400);
  });

  test("without a session keeps the values of a page of this server, and none of another site's", async () => {
    const filled = { name: "Mallory's", scopes: "forms:write" };
    const keptBy = async (headers: Record<string, string>) => {
      const reply = await new Browser(app).post(path, filled, headers);
      return [reply.status, reply.html.includes("Mallory")];
    };
    expect(await keptBy({ "sec-fetch-site": "same-origin" })).toEqual([401, true]);
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "null" },
    ])
      expect([headers, await keptBy(headers)]).toEqual([headers, [401, false]]);
  });

  test("without a session counts as a sign-in of its client IP; one with a session does not", async () => {
    const fromIp = { "x-forwarded-for": "192.0.2.31" };
    const stranger = new Browser(app);
    const statuses = [];
    for (let index = 0; index < 31; index++)
      statuses.push((await stranger.post(path, { name: "A" }, fromIp)).status);
    expect(statuses).toEqual([...Array(30).fill(401), 429]);
    expect((await stranger.post("/console/sign-in", {}, fromIp)).status).toBe(429);
    const operator = await signedIn();
    const csrf = csrfOf(await operator.get(path));
    expect((await operator.post(path, { csrf, name: "" }, fromIp)).status).toBe(400);
  });

  test("whose values are kept can be sent by the sign-in page, as they were", async () => {
    const { email, password } = team.operator;
    await app.database.sql`delete from formd.rate_limits where key like 'login:account:%'`;
    const name = "+".repeat(10_000);
    const asked = await new Browser(app).post(path, { name, csrf: "x", password: "y", clientSecret: "z" });
    const values = /name="values" value="([^"]*)"/.exec(asked.html)?.[1] ?? "";
    expect(values).toBe(new URLSearchParams({ name }).toString());
    const resumed = await new Browser(app).signIn(email, password, { next: path, values });
    expect([resumed.status, resumed.html.includes(`value="${name}"`)]).toEqual([200, true]);
  });
});

describe("an operator of one workspace of several", () => {
  test("does not see the team's API keys", async () => {
    const own = await makeTeam(app);
    const browser = await browserOf(app, own, "admin");
    expect((await browser.get("/console/api-keys")).status).toBe(200);
    await makeWorkspace(app, own);
    const { status, html } = await browser.get("/console/api-keys");
    expect([status, html.includes("fdk_")]).toEqual([403, false]);
  });
});

describe("sessions", () => {
  test("signing out ends this one, signing out everywhere ends all", async () => {
    const { email, password } = team.operator;
    await app.database.sql`delete from formd.rate_limits where key like 'login:account:%'`;
    const [one, two, three] = [new Browser(app), new Browser(app), new Browser(app)];
    for (const browser of [one, two, three]) await browser.signIn(email, password);
    const kept = new Browser(app, one.cookie);
    expectRedirect(await one.post("/console/sign-out", {}), "/console/sign-in");
    expect((await kept.get("/console")).status).toBe(303);
    expect((await two.get("/console")).status).toBe(200);
    expectRedirect(await three.post("/console/sign-out-everywhere", {}), "/console/sign-in");
    expect((await two.get("/console")).status).toBe(303);
  });

  test("a switch of the team opens a session there and ends the one here", async () => {
    const other = await makeTeam(app);
    const { sql } = app.database;
    const browser = await browserOf(app, team, "viewer");
    await sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      select ${other.id}, ${other.workspace}, id, 'editor', now() from formd.operators order by id desc limit 1`;
    const before = new Browser(app, browser.cookie);
    expectRedirect(await browser.post("/console/team", { team: other.id }), "/console");
    expect(textOf(await browser.get("/console/account"))).toContain("Editor");
    expect((await before.get("/console")).status).toBe(303);
    const foreign = await makeTeam(app);
    expect((await browser.post("/console/team", { team: foreign.id })).status).toBe(404);
    expect((await browser.get("/console")).status).toBe(200);
    expect((await browser.post("/console/team", { team: "x" })).status).toBe(400);
  });
});

describe("the list of forms", () => {
  test("has the forms of the operator's workspaces, with text as text", async () => {
    const own = await makeTeam(app);
    const form = await makeForm(app, own, [{ id: "a", type: "text", label: "A" }]);
    await app.database
      .sql`update formd.forms set name = '<img src=x onerror=alert(1)>&"' where id = ${form.id}`;
    const browser = await browserOf(app, own, "viewer");
    const page = await browser.get("/console");
    expect(textOf(page)).toContain('<img src=x onerror=alert(1)>&"');
    expect(page.html).not.toContain("<img");
    expect(textOf(page)).toContain("Offline");
    const stranger = await browserOf(app, await makeTeam(app), "admin");
    expect(textOf(await stranger.get("/console"))).toContain("There is no form yet.");
    expect((await browser.get("/console?page=0")).status).toBe(400);
  });
});
