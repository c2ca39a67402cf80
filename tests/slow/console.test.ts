/**
 * The console in a browser: accessibility of every page and state, any text as text, a viewer. The tour by
 * keyboard is console-tour.test.ts.
 */
import { beforeAll, expect, setDefaultTimeout } from "bun:test";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import type { Page } from "playwright-core";
import { isStorable } from "../../src/platform/http/body.ts";
import { testInChromium, useChromium, violationsInForcedColors, violationsInViews } from "../chromium.ts";
import { until } from "../expect.ts";
import {
  ask,
  makeForm,
  makeOperator,
  makeTeam,
  permissive,
  type Service,
  service,
  type Team,
} from "../setup.ts";

setDefaultTimeout(240_000);

let app: Service;
const open = useChromium();

beforeAll(async () => {
  app = await service(permissive);
});

/** A link's path without ids, with each of its parameters; a question that is open, by its id. */
function kindsOf(link: string): string[] {
  const [path, query] = link.replace(/[\da-f]{8}-[\da-f-]{27}/g, "*").split("?");
  const names = query?.split("&").map((each) => (each.startsWith("edit=") ? each : each.replace(/=.*/, "")));
  return names ? names.map((name) => `${path}?${name}`) : [`${path}`];
}

/** A page of each kind that is linked from the first one. */
async function crawl(page: Page, visit: (path: string, html: string) => Promise<void>): Promise<string[]> {
  const queue = ["/console"];
  const seen = new Set(queue);
  for (const path of queue) {
    const response = await page.goto(path);
    expect([path, response?.status()]).toEqual([path, 200]);
    await visit(path, (await response?.text()) ?? "");
    const links = await page.evaluate(() =>
      [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href") ?? ""),
    );
    for (const link of links.map((each) => each.replace(/#.*/, ""))) {
      if (!link.startsWith("/console") || link.includes("/export")) continue;
      const unseen = kindsOf(link).filter((kind) => !seen.has(kind));
      if (unseen.length === 0) continue;
      for (const kind of unseen) seen.add(kind);
      queue.push(link);
    }
  }
  return queue;
}

testInChromium("an export shows its rows while it arrives, and is the file that the link has", async () => {
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const rows = 1000;
  await app.database.sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, gen_random_uuid(), 1, 'completed', 'api_key', 'owner', ${team.keyId}, ${app.database.sql.json({ a: 'two\r\nlines, "quoted"' })},
      now(), now(), now()
    from generate_series(1, ${rows})`;
  await app.database
    .sql`insert into formd.submission_counts values (${team.id}, ${form.id}, 'completed', 0, ${rows})`;
  const cookie = await makeOperator(app, team, "viewer");
  const { page, context, faults } = await open(app, { cookie });
  await page.goto(`/console/forms/${form.id}/submissions`);
  const status = page.locator("[data-progress]");
  expect(await status.getAttribute("data-progress")).toBe("{rows} of 1,000 rows…");
  for (const link of ["CSV", "JSON lines"]) {
    const path = (await page.getByRole("link", { name: link, exact: true }).getAttribute("href")) ?? "";
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text="${link}"`)]);
    expect(download.suggestedFilename()).toMatch(/^Test \d{4}-\d\d-\d\d\.(csv|jsonl)$/);
    expect(await Bun.file(await download.path()).text()).toBe(
      await (await fetch(app.url + path, { headers: { cookie } })).text(),
    );
    await until(async () => (await status.textContent()) === "Complete: 1,000 rows.");
  }
  expect(faults).toEqual([]);
  await context.close();
});

/** A team with something on every page. */
async function furnished(): Promise<{ team: Team; form: string; submission: string }> {
  const team = await makeTeam(app);
  const form = await makeForm(
    app,
    team,
    [
      { id: "name", type: "text", label: "Name", required: true, help: "Help", options: ["x"] },
      { id: "topic", type: "select", label: "Topic", options: ["a", "b"], validation: { allowOther: true } },
      { id: "home", type: "address", label: "Home" },
      { id: "grid", type: "matrix", label: "Grid", rows: ["r"], columns: ["c", "d"] },
      { id: "terms", type: "consent", label: "Terms", required: true },
      { id: "break", type: "statement", label: "Heading" },
      { id: "source", type: "hidden", label: "Source" },
    ],
    { settings: { review: { required: true }, page: { enabled: true } } },
  );
  const api = async (method: string, path: string, body: object) => {
    const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    return (await ask(app, method, `/papi/v1${path}`, { headers, body })).body.data;
  };
  const webhook = { formId: form.id, url: "https://hooks.example.org/", eventTypes: ["submission.created"] };
  await api("POST", "/management/webhooks", webhook);
  const data = { name: "Ada", topic: "a", home: { city: "Bern" }, grid: { r: "c" }, terms: true };
  const { id: submission } = await api("POST", "/submitter/form/submissions", { data });
  await api("POST", "/submitter/form/submissions", { data });
  await api("POST", "/submitter/form/submissions", { data: { name: "Grace" } });
  const long = { ...data, name: "x".repeat(200), topic: "y".repeat(200), home: { city: "z".repeat(200) } };
  expect((await api("POST", "/submitter/form/submissions", { data: long })).status).toBe("pending");
  await api("PATCH", `/management/forms/${form.id}`, {
    operations: [
      { op: "removeField", fieldId: "grid" },
      { op: "addField", field: { id: "wrong", type: "text", label: " ", validation: { minLength: "x" } } },
    ],
  });
  await api("POST", "/identity/agents", { name: "Bot" });
  const { sql } = app.database;
  // Charts are counted beside the requests, and after a slow call not before a hundred times as long.
  await until(
    async () => (await sql`select from formd.validation_errors where team_id = ${team.id}`).length > 0,
    200_000,
  );
  return { team, form: form.id, submission };
}

/** Sends a form from the page that is open, with its token. */
async function post(page: Page, action: string, fields: Record<string, string>): Promise<void> {
  await Promise.all([
    page.waitForEvent("load"),
    page.evaluate(
      ([action, fields]) => {
        const form = Object.assign(document.createElement("form"), { method: "post", action });
        for (const [name, value] of Object.entries(fields))
          form.append(Object.assign(document.createElement("input"), { name, value }));
        document.body.append(form);
        form.submit();
      },
      [action, fields] as const,
    ),
  ]);
}

/** {@link violationsInViews}, with everything in the page opened. */
async function check(page: Page, what: string): Promise<string[]> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  return (await violationsInViews(page)).map((violation) => `${what}: ${violation}`);
}

const maxPageBytes = 60_000;

/** Pages that no link leads to: responses to form posts, errors, and those without a session. */
const states = ({ team, form, submission }: Awaited<ReturnType<typeof furnished>>) => {
  const path = `/console/forms/${form}`;
  const old = "2026-01-01T00:00:00.000Z";
  const hook = { url: "https://hooks.example.org/", eventTypes: "form.published", payload: "thin" };
  const posts: [status: number, action: string, fields: Record<string, string>][] = [
    [409, `${path}/field`, { id: "name", type: "text", label: "Mine", updatedAt: old }],
    [422, `${path}/settings/page`, { name: " ", "page.alias": "-" }],
    [422, `${path}/settings/opening`, { "availability.timeZone": "Mars" }],
    [200, `${path}/settings/close`, {}],
    [200, `${path}/settings/open`, {}],
    [409, `${path}/publish`, { updatedAt: old }],
    [409, `${path}/submissions/${submission}/edit`, { name: "Mine", terms: "on", "formd.updatedAt": old }],
    [409, `${path}/submissions/${submission}/review`, { decision: "approve", reason: "", updatedAt: old }],
    [409, `${path}/review/several`, { decision: "approve", reason: "", submissions: `${submission} ${old}` }],
    [400, `${path}/review/several`, { decision: "approve", reason: "" }],
    [400, "/console/new-form", { name: " ", workspace: team.workspace }],
    [400, "/console/webhooks/new", { ...hook, url: "none", formId: "", workspaceId: team.workspace }],
    [200, "/console/webhooks/new", { ...hook, formId: "", workspaceId: team.workspace }],
    [200, "/console/api-keys", { name: "Key", scopes: "forms:read" }],
    [200, "/console/agents/new", { name: "Scribe", workspace: team.workspace }],
    [200, `${path}/access-keys`, {}],
    [200, `${path}/mails`, {}],
    [200, `${path}/field`, { "formd.resume": "type", id: "name", type: "rating", label: "Kept" }],
    [200, `${path}/field/new`, { "formd.resume": "type", type: "address", label: "New", after: "name" }],
    [400, `${path}/field/several`, {}],
    [200, `${path}/field/move`, { id: "name", toIndex: "2" }],
  ];
  const gets: [status: number, path: string][] = [
    [404, "/console/nothing"],
    [404, `${path}?edit=gone`],
    [400, `${path}/submissions?state=x`],
    [404, "/setup/none"],
  ];
  return { posts, gets };
};

testInChromium(
  "no page and no state has a fault of accessibility, is wider than the screen or larger than 60 KB",
  async () => {
    const made = await furnished();
    // axe is put into the page, which its policy would stop.
    const { page, context } = await open(app, {
      bypassCSP: true,
      cookie: await makeOperator(app, made.team, "admin"),
    });
    const violations: string[] = [];
    const note = async (what: string) => void violations.push(...(await check(page, what)));
    const visited = await crawl(page, async (path, html) => {
      expect([path, Buffer.byteLength(html) <= maxPageBytes]).toEqual([path, true]);
      await note(path);
      // A query changes what a page has, hardly its colours.
      if (!path.includes("?")) violations.push(...(await violationsInForcedColors(page)));
    });
    const { posts, gets } = states(made);
    const statusOf: { status?: number } = {};
    page.on("response", (response) => {
      // The questions have the page of the draft in a frame.
      if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
        statusOf.status = response.status();
    });
    for (const [status, action, fields] of posts) {
      await post(page, action, fields);
      expect([action, statusOf.status]).toEqual([action, status]);
      await note(`${action} ${status}`);
    }
    for (const [status, path] of gets) {
      expect([path, (await page.goto(path))?.status()]).toEqual([path, status]);
      await note(path);
    }
    // The session ends in mid-form: sign in, wrongly first, then the form again.
    await page.goto("/console/new-form");
    await context.clearCookies();
    await post(page, "/console/new-form", { name: "Kept", workspace: made.team.workspace });
    await note("a form without a session");
    for (const password of ["wrong", made.team.operator.password]) {
      await page.fill("[name=email]", made.team.operator.email);
      await page.fill("[name=password]", password);
      await Promise.all([page.waitForEvent("load"), page.click("button[type=submit]")]);
      await note(`after signing in with ${password}`);
    }
    await Promise.all([page.waitForEvent("load"), page.click("button[type=submit]")]);
    expect(await page.inputValue("[name=name]")).toBe("Kept");
    expect(violations).toEqual([]);
    for (const part of [
      "/answers",
      "/charts",
      "/review/several",
      "/deliveries/",
      "/agents/",
      "/audit",
      "?edit=",
      "?after=",
      "?several",
      "/preview",
      "/edit",
    ])
      expect(visited.some((path) => path.includes(part))).toBe(true);
    await context.close();
  },
);

testInChromium("nor has the page of the first start, with and without a message", async () => {
  // A database of its own, which has no operator.
  const first = await service({ LOG_LEVEL: "info" });
  await until(() => first.log().includes("/setup/"));
  const link = /\/setup\/[\w.-]+/.exec(first.log())?.[0] ?? "";
  const { page, context } = await open(first, { bypassCSP: true });
  await page.goto(link);
  expect(await check(page, "setup")).toEqual([]);
  await post(page, link, { email: "none", password: "short", team: "Team", workspace: "Main" });
  expect(await page.locator("[role=alert]").count()).toBe(1);
  expect(await check(page, "setup with a message")).toEqual([]);
  await page.goto(link);
  const done = { email: "ada@example.org", password: "correct horse", team: "Team", workspace: "Main" };
  await post(page, link, done);
  await page.goto("/console/welcome");
  expect(await check(page, "the set-up's last page")).toEqual([]);
  await context.close();
});

testInChromium("a printed submission is its values, whole and without navigation", async () => {
  const team = await makeTeam(app);
  const fields = ["name", "story", "word"].map((id) => ({ id, type: "textarea", label: `Label of ${id}` }));
  const form = await makeForm(app, team, fields);
  const data = { name: "Ada", story: "A sentence.\n".repeat(200), word: "x".repeat(500) };
  const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data },
  });
  // The width of A4 without margins of 1 cm, at 96 pixels per inch.
  const { page, context } = await open(app, {
    viewport: { width: 718, height: 1047 },
    colorScheme: "dark",
    cookie: await makeOperator(app, team, "admin"),
  });
  await page.goto(`/console/forms/${form.id}/submissions/${reply.body.data.id}`);
  await page.locator("summary", { hasText: "For programs" }).click();
  await page.emulateMedia({ media: "print" });
  const shown = await page.evaluate(() => {
    const isShown = (element: Element) => element.checkVisibility();
    const all = [...document.querySelectorAll("body *")].filter(isShown);
    const { color } = getComputedStyle(document.querySelector("dd") as Element);
    return {
      acts: all.filter((element) => element.matches("nav, header, form, button, .button")).length,
      cut: all
        .filter(
          (element) =>
            element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight,
        )
        .filter((element) => getComputedStyle(element).overflow !== "visible").length,
      text: all
        .filter((element) => element.matches("dt, dd, pre"))
        .map((element) => element.textContent)
        .join("\n"),
      lightness: Number(/\d+/.exec(color)),
      width: document.documentElement.scrollWidth,
    };
  });
  expect(shown).toMatchObject({ acts: 0, cut: 0, width: 718 });
  expect(shown.lightness).toBeLessThan(80);
  for (const text of ["Label of name", "Ada", data.story.trim(), data.word, '"formVersion": 1'])
    expect(shown.text).toContain(text);
  await context.close();
});

testInChromium("a viewer's crawl over all links finds nothing that changes something", async () => {
  const { team } = await furnished();
  const { page, context, faults } = await open(app, { cookie: await makeOperator(app, team, "viewer") });
  const events = async () =>
    (await app.database.sql`select id from formd.audit_events where team_id = ${team.id}`).length;
  const before = await events();
  await crawl(page, async (path, html) => {
    const actions = [...html.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action);
    const own = [
      ...["/console/team", "/console/sign-out", "/console/sign-out-everywhere"],
      ...["/console/account/password", "/console/account/session"],
      ...["/console/account/passkeys/new", "/console/account/mails", "/console/account/language"],
      // A search, whose words do not go into an address.
      "/console/person",
    ];
    // What a preview is sent, nothing stores.
    const others = actions.filter((action = "") => !own.includes(action) && !/\/preview/.test(action));
    expect([path, others]).toEqual([path, []]);
  });
  expect([await events(), faults]).toEqual([before, []]);
  await context.close();
});

testInChromium("labels, names and values of the naughty-strings list are text: no script runs", async () => {
  const texts = (naughtyStrings as string[]).filter(
    (text) => isStorable(text) && text.trim() !== "" && text.length <= 500,
  );
  const made = await makeTeam(app);
  const { page, context, faults } = await open(app, { cookie: await makeOperator(app, made, "admin") });
  const batches = Array.from({ length: Math.ceil(texts.length / 100) }, (_, index) =>
    texts.slice(index * 100, index * 100 + 100),
  );
  for (const batch of batches) {
    const fields = batch.map((label, index) => ({
      id: `${index}${label}`.slice(0, 100),
      type: "text",
      label,
      help: label,
    }));
    const unique = fields.filter(({ id }, index) => fields.findIndex((field) => field.id === id) === index);
    const form = await makeForm(app, made, unique);
    const data = Object.fromEntries(unique.map(({ id, label }) => [id, label]));
    const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": made.key },
      body: { data },
    });
    expect(reply.status).toBe(200);
    const path = `/console/forms/${form.id}`;
    await page.goto(path);
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll(".fields strong")].map((element) => element.textContent),
    );
    expect(shown).toEqual(unique.map(({ label }) => label.replaceAll("\r\n", "\n").replaceAll("\r", "\n")));
    for (const to of [
      `${path}/publish`,
      `${path}/submissions`,
      `${path}/submissions/${reply.body.data.id}`,
      `${path}/submissions/${reply.body.data.id}/edit`,
    ])
      expect((await page.goto(to))?.status()).toBe(200);
  }
  expect(faults).toEqual([]);
  await context.close();
});
