/** The console in a browser: by keyboard alone, with and without script; accessibility; any text as text. Chromium: `apt-get install chromium`. */
import { beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import type { Page } from "playwright-core";
import { isStorable } from "../../src/http/body.ts";
import { type OpenOptions, useChromium, violationsOf } from "../chromium.ts";
import {
  ask,
  makeForm,
  makeOperator,
  makeTeam,
  permissive,
  type Service,
  service,
  type Team,
  testRequiring,
} from "../setup.ts";

setDefaultTimeout(240_000);

let app: Service;
let team: Team;
const openPage = useChromium();
const open = (options: OpenOptions = {}) => openPage(app, options);

beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
}, 120_000);

/** Presses Tab until the control or link with this name has the focus. */
async function focus(page: Page, name: string | RegExp): Promise<void> {
  const named = (text: string) => (typeof name === "string" ? text === name : name.test(text));
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press("Tab");
    const label = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return (
        element?.getAttribute("aria-label") ??
        element?.labels?.[0]?.textContent ??
        element?.textContent ??
        ""
      ).trim();
    });
    if (named(label)) return;
  }
  throw new Error(`nothing named ${name} gets the focus at ${page.url()}`);
}

async function activate(page: Page, name: string | RegExp): Promise<void> {
  await focus(page, name);
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
}

async function enter(page: Page, name: string | RegExp, text: string): Promise<void> {
  await focus(page, name);
  await page.keyboard.type(text);
}

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  testRequiring("chromium")(
    "the tour by keyboard alone: form, publish, key, agent, grant, submission",
    async () => {
      const { page, faults, context } = await open({ javaScriptEnabled });
      await app.database.sql`delete from formd.rate_limits where bucket like 'login:account:%'`;
      await page.goto("/console");
      await page.locator("#email").focus();
      await page.keyboard.type(team.operator.email);
      await enter(page, "Password", team.operator.password);
      await activate(page, "Sign in");

      await activate(page, "New form");
      const name = `Tour ${javaScriptEnabled ? "A" : "B"}`;
      await enter(page, "Name", name);
      await activate(page, "Create the form");
      await activate(page, "Add");
      await enter(page, "Label", "Your name");
      await focus(page, "A value is required");
      await page.keyboard.press("Space");
      await activate(page, "Add the field");
      await activate(page, "Publish");
      await activate(page, "Publish version 1");
      await activate(page, "Access keys");
      await activate(page, "Create an access key");
      const accessKey = (await page.locator(".secret code").textContent()) ?? "";
      await activate(page, "Agents");
      await activate(page, "New agent");
      await enter(page, "Name", "Bot");
      await activate(page, "Create the agent");
      const clientSecret = (await page.locator(".secret code").textContent()) ?? "";
      await activate(page, "I have copied it");
      await focus(page, "Grant a form");
      await page.keyboard.press("Enter");
      await enter(page, "Form", name);
      await activate(page, "Grant");

      const token = (await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } })).body.data
        .token;
      const submitted = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
        headers: { "x-form-access-key": accessKey, "x-respondent-token": token },
        body: { data: { your_name: "Ada" } },
      });
      expect(submitted.status).toBe(200);
      await activate(page, "Forms");
      await activate(page, name);
      await activate(page, "Submissions");
      expect(await page.locator("tbody").textContent()).toContain("Ada");
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});

/** Every page that is linked from the first one, by the path without ids. */
async function crawl(page: Page, visit: (path: string, html: string) => Promise<void>): Promise<number> {
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
      if (!link.startsWith("/console") || link.includes("/export") || seen.has(link)) continue;
      seen.add(link);
      queue.push(link);
    }
  }
  return seen.size;
}

/** A team with something on every page. */
async function furnished(): Promise<Team> {
  const made = await makeTeam(app);
  const form = await makeForm(
    app,
    made,
    [
      { id: "name", type: "text", label: "Name", required: true, help: "Help", options: ["x"] },
      { id: "topic", type: "select", label: "Topic", options: ["a", "b"], validation: { allowOther: true } },
      { id: "home", type: "address", label: "Home" },
      { id: "grid", type: "matrix", label: "Grid", rows: ["r"], columns: ["c", "d"] },
      { id: "terms", type: "consent", label: "Terms", required: true },
      { id: "break", type: "statement", label: "Heading" },
    ],
    { settings: { review: { required: true } } },
  );
  for (const name of ["Ada", "Grace"])
    await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": made.key },
      body: { data: { name, topic: "a", home: { city: "Bern" }, grid: { r: "c" }, terms: true } },
    });
  const operations = [
    { op: "removeField", fieldId: "grid" },
    { op: "addField", field: { id: "wrong", type: "text", label: " ", validation: { minLength: "x" } } },
  ];
  await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
    headers: { "x-api-key": made.key },
    body: { operations },
  });
  await ask(app, "POST", "/papi/v1/identity/agents", {
    headers: { "x-api-key": made.key },
    body: { name: "Bot" },
  });
  return made;
}

const maxPageBytes = 60_000;

describe.each([
  [1280, "light"],
  [320, "dark"],
] as const)("%i px, %s", (width, colorScheme) => {
  testRequiring("chromium")(
    "no page has a fault of accessibility, is wider than the screen or larger than 60 KB",
    async () => {
      const made = await furnished();
      // axe is put into the page, which its policy would stop.
      const { page, context } = await open({
        viewport: { width, height: 900 },
        colorScheme,
        bypassCSP: true,
        cookie: await makeOperator(app, made, "admin"),
      });
      const violations: string[] = [];
      const pages = await crawl(page, async (path, html) => {
        expect([path, Buffer.byteLength(html) <= maxPageBytes]).toEqual([path, true]);
        await page.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        violations.push(...(await violationsOf(page)).map((found) => `${path}: ${found}`));
      });
      expect(violations).toEqual([]);
      expect(pages).toBeGreaterThan(15);
      await context.close();
    },
  );
});

testRequiring("chromium")(
  "a viewer's crawl over all links finds nothing that changes something",
  async () => {
    const made = await furnished();
    const { page, context, faults } = await open({ cookie: await makeOperator(app, made, "viewer") });
    const events = async () =>
      (await app.database.sql`select id from formd.audit_events where team_id = ${made.id}`).length;
    const before = await events();
    await crawl(page, async (path, html) => {
      const actions = [...html.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action);
      const own = ["/console/team", "/console/sign-out", "/console/sign-out-everywhere"];
      expect([path, actions.filter((action) => !own.includes(action ?? ""))]).toEqual([path, []]);
    });
    expect([await events(), faults]).toEqual([before, []]);
    await context.close();
  },
);

testRequiring("chromium")(
  "labels, names and values of the naughty-strings list are text: no script runs",
  async () => {
    const texts = (naughtyStrings as string[]).filter(
      (text) => isStorable(text) && text.trim() !== "" && text.length <= 500,
    );
    const made = await makeTeam(app);
    const { page, context, faults } = await open({ cookie: await makeOperator(app, made, "admin") });
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
  },
);
