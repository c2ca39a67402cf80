// stacks: one browser
/**
 * The console in a browser: accessibility of every page and state, any text as text, a viewer. The tour by
 * keyboard is console-tour.test.ts.
 */
import { expect } from "bun:test";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import type { Page } from "playwright-core";
import { isBlankText } from "../../src/fields/values.ts";
import { isStorable } from "../../src/platform/http/body.ts";
import {
  type AxeRuns,
  type Open,
  type OpenOptions,
  testInChromium,
  violationsInForcedColors,
  violationsInViews,
} from "../chromium.ts";
import { until } from "../expect.ts";
import { byKey, submit } from "../http/files/fixture.ts";
import {
  ask,
  makeForm,
  makeOperator,
  makeTeam,
  type PublishedForm,
  permissive,
  service,
  type Team,
} from "../setup.ts";

const app = await service(permissive);
const { sql } = app.database;

/** A browser in which an operator of the team has signed in. */
const signedIn = async (open: Open, team: Team, role: "admin" | "viewer", options: OpenOptions = {}) =>
  await open(app, { ...options, cookie: await makeOperator(app, team, role) });

async function submitted(form: PublishedForm, team: Team, data: object) {
  const { status, body } = await submit(app, byKey(form, team), data);
  expect(status).toBe(200);
  return body.data as { id: string; status: string };
}

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
      [...document.querySelectorAll("a[href]:not([download])")].map(
        (link) => link.getAttribute("href") ?? "",
      ),
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

testInChromium(
  "an export shows its rows while it arrives, and is the file that the link has",
  async (open) => {
    const team = await makeTeam(app);
    const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    const rows = 1000;
    await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, gen_random_uuid(), 1, 'completed', 'api_key', 'owner', ${team.keyId}, ${sql.json({ a: 'two\r\nlines, "quoted"' })},
      now(), now(), now()
    from generate_series(1, ${rows})`;
    await sql`insert into formd.submission_counts values (${team.id}, ${form.id}, 'completed', 0, ${rows})`;
    const cookie = await makeOperator(app, team, "viewer");
    const { page } = await open(app, { cookie });
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
  },
);

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
    { settings: { review: { required: true }, page: { enabled: true }, languages: ["en", "ar"] } },
  );
  const api = (method: string, path: string, body: object) =>
    ask(app, method, `/papi/v1${path}`, { headers: { "x-api-key": team.key }, body });
  const webhook = { formId: form.id, url: "https://hooks.example.org/", eventTypes: ["submission.created"] };
  await api("POST", "/management/webhooks", webhook);
  const data = { name: "Ada", topic: "a", home: { city: "Bern" }, grid: { r: "c" }, terms: true };
  const { id: submission } = await submitted(form, team, data);
  await submitted(form, team, data);
  const long = { ...data, name: "x".repeat(200), topic: "y".repeat(200), home: { city: "z".repeat(200) } };
  expect((await submitted(form, team, long)).status).toBe("pending");
  await api("PATCH", `/management/forms/${form.id}`, {
    operations: [
      { op: "removeField", fieldId: "grid" },
      { op: "addField", field: { id: "wrong", type: "text", label: " ", validation: { minLength: "x" } } },
    ],
  });
  await api("POST", "/identity/agents", { name: "Bot" });
  await api("POST", `/management/forms/${form.id}/invitations`, {
    invitations: [{ email: `${"x".repeat(60)}@${"y".repeat(60)}.example`, label: "z".repeat(100) }],
  });
  // Counts for the charts, which servers write some time after the requests.
  const [{ day }] = await sql<[{ day: number }]>`select formd.day_of(now()) as day`;
  const counted = { team_id: team.id, form_id: form.id, day, total: 3 };
  await sql`
    select formd.daily_counts_add(null,
      ${sql.json([{ ...counted, status: "pending", provenance: "owner" }])}, '[]',
      ${sql.json([{ ...counted, form_version: 1, field_id: "name", code: "required" }])},
      ${sql.json([["opened", 0] as const, ["begun", 0] as const, ["step", 2] as const, ["sent", 0] as const, ["sent_within", 8] as const].map(([kind, step]) => ({ ...counted, form_version: 1, kind, step })))})`;
  return { team, form: form.id, submission };
}
const made = await furnished();

/** Sends a form from the page that is open, with its token. */
async function post(page: Page, action: string, fields: Record<string, string>): Promise<void> {
  await Promise.all([
    page.waitForEvent("load"),
    page.evaluate(
      ([action, fields]) => {
        const form = Object.assign(document.createElement("form"), { method: "post", action });
        for (const [name, value] of Object.entries(fields))
          form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
        document.body.append(form);
        form.submit();
      },
      [action, fields] as const,
    ),
  ]);
}

/** Lets a page be left that has unsaved changes, as one after a refused post. */
const leaveFreely = (page: Page): Promise<unknown> =>
  page.addInitScript(() => addEventListener("beforeunload", (event) => event.stopImmediatePropagation()));

/** Returns the violations of a page in all views, with all of it open except menus, which cover the rest. */
async function check(page: Page, what: string, axe: AxeRuns = "twice"): Promise<string[]> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>("details:not(.menu)"))
      details.open = true;
  });
  return (await violationsInViews(page, axe)).map((violation) => `${what}: ${violation}`);
}

const maxPageBytes = 60_000;
/** Matches the query of a page that differs from another one only in its rows. */
const isFiltered = /\?(?:value\.|order|days|objectId|page=|workspace)/;

/** Pages that no link leads to: responses to form posts, errors, and those without a session. */
function states() {
  const { team, form, submission } = made;
  const path = `/console/forms/${form}`;
  const old = "2026-01-01T00:00:00.000Z";
  const hook = { url: "https://hooks.example.org/", eventTypes: "form.published", payload: "thin" };
  const posts: [status: number, action: string, fields: Record<string, string>][] = [
    [409, `${path}/field`, { id: "name", type: "text", label: "Mine", updatedAt: old }],
    [422, `${path}/settings`, { "theme.contact": "-", "availability.timeZone": "Mars" }],
    [409, `${path}/settings`, { "theme.contact": "a@b.example", shown: "theme.contact=c@b.example" }],
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
    [200, `${path}/field`, { "formd.resume": "type", id: "name", type: "rating", label: "Kept" }],
    [200, `${path}/field/new`, { "formd.resume": "type", type: "address", label: "New", after: "name" }],
    [409, `${path}/translate`, { to: "ar", "0.place": "fields.name.label", "0.seen": ".", "0.text": "اسم" }],
    [400, `${path}/translate/import`, { to: "ar" }],
    [200, `${path}/translate/import`, { to: "ar", file: btoa("place,default,fr\nx,y,z") }],
    [400, `${path}/field/several`, {}],
    [200, `${path}/invitations/check`, { people: `A <a@a.example>\nnone\n${"x".repeat(64)}@a.example` }],
    [400, `${path}/invitations/check`, {}],
    [200, `${path}/invitations`, { list: JSON.stringify([{ label: "x".repeat(100) }]) }],
    [200, `${path}/field/move`, { id: "name", toIndex: "2" }],
  ];
  const gets: [status: number, path: string][] = [
    [404, "/console/nothing"],
    [404, `${path}?edit=gone`],
    [400, `${path}/submissions?state=x`],
    [404, "/setup/none"],
  ];
  return { posts, gets };
}

testInChromium(
  "no page and no state violates accessibility, is wider than the screen or larger than 60 KB",
  async (open) => {
    // axe is put into the page, which its policy would stop.
    const { page, context } = await signedIn(open, made.team, "admin", { bypassCSP: true });
    await leaveFreely(page);
    const violations: string[] = [];
    // A query and a response to a post change what a page has, hardly its colours.
    const note = async (what: string) => void violations.push(...(await check(page, what, "once")));
    const visited = await crawl(page, async (path, html) => {
      expect([path, Buffer.byteLength(html) <= maxPageBytes]).toEqual([path, true]);
      if (isFiltered.test(path)) return void violations.push(...(await check(page, path, "never")));
      if (path.includes("?")) return await note(path);
      violations.push(...(await check(page, path)));
      violations.push(...(await violationsInForcedColors(page)));
    });
    await page.goto(`/console/forms/${made.form}/more`);
    for (const menu of await page.locator(".menu").all()) {
      await menu.evaluate((details: HTMLDetailsElement) => {
        details.open = true;
      });
      for (const violation of await violationsInViews(page, "once")) violations.push(`a menu: ${violation}`);
    }
    const { posts, gets } = states();
    let status: number | undefined;
    page.on("response", (response) => {
      // The settings have the page of the draft in a frame.
      if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
        status = response.status();
    });
    for (const [expected, action, fields] of posts) {
      await post(page, action, fields);
      expect([action, status]).toEqual([action, expected]);
      await note(`${action} ${status}`);
    }
    for (const [expected, path] of gets) {
      expect([path, (await page.goto(path))?.status()]).toEqual([path, expected]);
      await note(path);
    }
    // The session ends in mid-form: sign in, wrongly first, then the form again.
    await page.goto("/console/new-form");
    await context.clearCookies();
    await post(page, "/console/new-form", { name: "Kept", workspace: made.team.workspace });
    await note("a form without a session");
    const send = () => Promise.all([page.waitForEvent("load"), page.click("button[type=submit]")]);
    for (const password of ["wrong", made.team.operator.password]) {
      await page.fill("[name=email]", made.team.operator.email);
      await page.fill("[name=password]", password);
      await send();
      await note(`after signing in with ${password}`);
    }
    await send();
    expect(await page.inputValue("[name=name]")).toBe("Kept");
    expect(violations).toEqual([]);
    for (const part of [
      ...["/answers", "/invitations", "/charts", "/review/several", "/deliveries/", "/agents/", "/audit"],
      ...["?edit=topic", "?text", "?after", "?new", "?several", "/preview", "/edit"],
      ...["/share", "/poster", "/more", "/settings", "/new-form", "/access-keys", "/publish"],
      ...["/languages", "/translate"],
    ])
      expect([part, visited.some((path) => path.includes(part))]).toEqual([part, true]);
  },
);

testInChromium("nor has the page of the first start, with and without a message", async (open) => {
  // A database of its own, which has no operator.
  const first = await service({ LOG_LEVEL: "info" });
  await until(() => first.log().includes("/setup/"));
  const link = /\/setup\/[\w.-]+/.exec(first.log())?.[0] ?? "";
  const { page, context } = await open(first, { bypassCSP: true });
  await leaveFreely(page);
  const checkAll = async (what: string) =>
    expect([...(await check(page, what)), ...(await violationsInForcedColors(page))]).toEqual([]);
  await page.goto("/");
  await checkAll("the door before the set-up");
  await page.goto(link);
  await checkAll("setup");
  await post(page, link, { email: "none", password: "short", team: "Team" });
  expect(await page.locator("[role=alert]").count()).toBe(1);
  await checkAll("setup with a message");
  await page.goto(link);
  await post(page, link, { email: "ada@example.org", password: "correct horse", team: "Team" });
  expect(new URL(page.url()).pathname).toBe("/console/welcome");
  await checkAll("the set-up's last page");
  await context.clearCookies();
  await page.goto("/");
  await checkAll("the door");
});

testInChromium("a printed submission is its values, whole and without navigation", async (open) => {
  const team = await makeTeam(app);
  const fields = ["name", "story", "word"].map((id) => ({ id, type: "textarea", label: `Label of ${id}` }));
  const form = await makeForm(app, team, fields);
  const data = { name: "Ada", story: "A sentence.\n".repeat(200), word: "x".repeat(500) };
  const { id } = await submitted(form, team, data);
  // The width of A4 without margins of 1 cm, at 96 pixels per inch.
  const viewport = { width: 718, height: 1047 };
  const { page } = await signedIn(open, team, "admin", { viewport, colorScheme: "dark" });
  await page.goto(`/console/forms/${form.id}/submissions/${id}`);
  await page.locator("summary", { hasText: "For programs" }).click();
  await page.emulateMedia({ media: "print" });
  const shown = await page.evaluate(() => {
    const all = [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility());
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
});

testInChromium("a viewer's crawl over all links finds nothing that changes something", async (open) => {
  const { page } = await signedIn(open, made.team, "viewer");
  const events = async () =>
    (await sql`select id from formd.audit_events where team_id = ${made.team.id}`).length;
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
    // Previews store nothing, and a feed is the reader's own.
    const others = actions.filter(
      (action = "") => !own.includes(action) && !/\/preview|\/share\/feed/.test(action),
    );
    expect([path, others]).toEqual([path, []]);
  });
  expect(await events()).toBe(before);
});

testInChromium(
  "labels, names and values of the naughty-strings list are text: no script runs",
  async (open) => {
    const texts = (naughtyStrings as string[]).filter(
      (text) => isStorable(text) && !isBlankText(text) && text.length <= 500,
    );
    const team = await makeTeam(app);
    const { page } = await signedIn(open, team, "admin");
    const half = Math.ceil(texts.length / 2);
    for (const batch of [texts.slice(0, half), texts.slice(half)]) {
      const fields = new Map(
        batch.map((label, index) => {
          const id = `${index}${label}`.slice(0, 100);
          return [id, { id, type: "text", label, help: label }];
        }),
      );
      const form = await makeForm(app, team, [...fields.values()]);
      const data = Object.fromEntries(fields.values().map(({ id, label }) => [id, label]));
      const { id } = await submitted(form, team, data);
      const path = `/console/forms/${form.id}`;
      await page.goto(path);
      const shown = await page.locator(".fields strong").allTextContents();
      expect(shown).toEqual([...fields.values()].map(({ label }) => label.replaceAll(/\r\n?/g, "\n")));
      const ofIt = `submissions/${id}`;
      for (const to of ["publish", "submissions", ofIt, `${ofIt}/edit`])
        expect((await page.goto(`${path}/${to}`))?.status()).toBe(200);
    }
  },
);
