/**
 * The page of a form in a browser: errors of every type, by keyboard alone, accessibility of every state; any
 * text as text.
 */
import { describe, expect, setDefaultTimeout } from "bun:test";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import type { Page } from "playwright-core";
import { fieldCodes } from "../../src/fields/codes.ts";
import { isStorable } from "../../src/platform/http/body.ts";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import { isTooWide, testInChromium, violationsInForcedColors, violationsInViews } from "../chromium.ts";
import { submissionCount, until } from "../expect.ts";
import { makeForm, makeTeam, service } from "../setup.ts";
import { type Tested, tested } from "./field-cases.ts";
import { type ErrorLink, enterAll, entered, expectErrorPage, formPages, submitPage } from "./filled-page.ts";

setDefaultTimeout(120_000);

const { app, open, published, pathOf } = await formPages();

/** What a page never sends, or tests/http/form-page is about. */
const conditional = ["not_applicable", "computed", "rule", "option_full"];
const ofFiles = ["max_bytes", "type_not_accepted", "upload_not_found"];

describe("without JavaScript", () => {
  testInChromium(
    "every type of field, empty and with each of its codes: an error page by the rules; with valid values it is stored",
    async () => {
      const codes = new Set([
        ...["required", "unknown_field", ...conditional, ...ofFiles],
        ...tested.map(({ code }) => code),
      ]);
      expect([...codes].sort()).toEqual(Object.keys(fieldCodes).sort());
      const form = await published(tested.map(({ field }) => field));
      const { page, faults, context } = await open({ javaScriptEnabled: false });

      await page.goto(pathOf(form));
      expect(await submitPage(page)).toBe(422);
      const isOfField = (target: string, { id }: Tested) =>
        target === id || /^[.=]/.test(target.slice(id.length));
      const ofFields = (links: ErrorLink[]) =>
        tested.map(
          (each) =>
            links.filter(({ target }) => target.startsWith(each.id) && isOfField(target, each)).length,
        );
      expect(ofFields(await expectErrorPage(page))).toEqual(tested.map(() => 1));

      await page.goto(pathOf(form));
      await enterAll(
        page,
        tested.flatMap(({ invalid }) => invalid),
      );
      await page.evaluate(() => {
        const extra = document.createElement("input");
        extra.name = "shoe_size";
        extra.value = "42";
        document.forms[0]?.append(extra);
      });
      expect(await submitPage(page)).toBe(422);
      const links = await expectErrorPage(page);
      expect(ofFields(links)).toEqual(tested.map(() => 1));
      expect(await page.locator("#summary li").last().textContent()).toBe(
        "This form has no field “shoe_size”.",
      );
      const said = new Map(links.map(({ target, text }) => [target, text]));
      expect(
        ["text_min_length", "email_domain_not_allowed", "number_step", "date_max_value"].map((id) =>
          said.get(id),
        ),
      ).toEqual([
        "“Thing text min length” must have at least 3 characters.",
        "“Thing email domain not allowed” must be an address at example.org.",
        "“Thing number step” must be a multiple of 2.",
        "“Thing date max value” must be 31 December 2024 or earlier.",
      ]);
      const kept = new Map(Object.entries(Object.groupBy(await entered(page), ([name]) => name)));
      const cannotBeShown = /invalid_option|duplicate_item|type_mismatch|not_accepted|address_format/;
      for (const { id, invalid } of tested.filter(({ id }) => !cannotBeShown.test(id)))
        for (const [name, text] of invalid)
          expect([id, kept.get(name)?.map(([, each]) => each)]).toEqual([id, expect.arrayContaining([text])]);

      await page.goto(pathOf(form));
      await enterAll(
        page,
        tested.flatMap(({ valid }) => valid),
      );
      expect(await submitPage(page)).toBe(303);
      expect(await page.locator("h1").textContent()).toBe("Thank you");
      expect(await submissionCount(app, form)).toBe(1);
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});

/** Presses Tab until an element that matches the selector has the focus. */
async function focus(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
  }
  throw new Error(`${selector} does not get the focus`);
}

const tour = [
  { id: "first_name", type: "text", label: "First name", required: true },
  { id: "email", type: "email", label: "E-mail address", required: true },
  { id: "topic", type: "select", label: "Topic", options: ["Sales", "Support"], required: true },
  { id: "tags", type: "multi_select", label: "Tags", options: ["a", "b"], validation: { allowOther: true } },
  { id: "order", type: "ranking", label: "Order", options: ["fast", "cheap"] },
  { id: "grade", type: "rating", label: "Grade" },
  { id: "day", type: "date", label: "Day" },
  { id: "home", type: "address", label: "Home" },
  { id: "grid", type: "matrix", label: "Grid", rows: ["speed", "price"], columns: ["good", "bad"] },
  { id: "terms", type: "consent", label: "I agree", required: true },
];

describe.each([
  [320, "light", true],
  [320, "dark", false],
  [1280, "dark", true],
  [1280, "light", false],
] as const)("at %i px, %s, with script: %p", (width, colorScheme, javaScriptEnabled) => {
  testInChromium("a person's whole way by keyboard alone: errors, their links, thanks", async () => {
    const form = await published(tour);
    const { page, faults, context } = await open({
      viewport: { width, height: 800 },
      colorScheme,
      javaScriptEnabled,
    });
    await page.goto(pathOf(form));
    await focus(page, "button[type=submit]");
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    expect((await expectErrorPage(page)).map(({ text }) => text)).toEqual([
      "Enter a value for “First name”.",
      "Enter a value for “E-mail address”.",
      "Choose an option for “Topic”.",
      "Tick “I agree” to continue.",
    ]);
    expect(await isTooWide(page)).toBe(false);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await until(() => page.evaluate(() => document.activeElement?.id === "first_name"));
    const { keyboard } = page;
    await keyboard.type("Ada");
    await focus(page, "#email");
    await keyboard.type("ada@example.org");
    await focus(page, "[name=topic]");
    await keyboard.press("ArrowDown");
    await focus(page, "[name=tags][value=b]");
    await keyboard.press("Space");
    await focus(page, "[name='tags.other']");
    await keyboard.type("c");
    await focus(page, "[name=order]");
    await keyboard.type("cheap");
    await focus(page, "[name=order]");
    await keyboard.type("fast");
    await focus(page, "[name=grade]");
    await keyboard.press("Space");
    await keyboard.press("ArrowRight");
    await focus(page, "#day");
    await keyboard.type("02292024");
    await focus(page, "[name='home.city']");
    await keyboard.type("Bern");
    await focus(page, "[name='home.country']");
    await keyboard.type("Switz");
    await focus(page, "[name='grid.speed']");
    await keyboard.press("Space");
    await focus(page, "[name='grid.price']");
    await keyboard.press("ArrowRight");
    await focus(page, "#terms");
    await keyboard.press("Space");
    await focus(page, "button[type=submit]");
    await Promise.all([page.waitForURL(/\/sent\?/), keyboard.press("Enter")]);
    expect(await page.locator("h1").textContent()).toBe("Thank you");
    const stored = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
    expect([...stored]).toEqual([
      {
        data: {
          first_name: "Ada",
          email: "ada@example.org",
          topic: "Support",
          tags: ["b", "c"],
          order: ["cheap", "fast"],
          grade: 2,
          day: "2024-02-29",
          home: { city: "Bern", country: "CH" },
          grid: { speed: "good", price: "bad" },
          terms: true,
        },
      },
    ]);
    expect(faults).toEqual([]);
    await context.close();
  });
});

testInChromium(
  "no state of the page has a fault of accessibility: form, errors, steps, thanks, closed, archived, published anew, too large, wait, database away",
  async () => {
    const limited = await service({ RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "2", MAX_BODY_BYTES: "65536" });
    const owner = await makeTeam(limited);
    const { sql } = limited.database;
    const make = async (fields: object[], settings: object = {}) => {
      const page = { enabled: true, introduction: "One.\n\nTwo." };
      const { id } = await makeForm(limited, owner, fields, { settings: { page, ...settings } });
      return pagePathOf({ team: owner.id, form: id });
    };
    const ofEachType = new Map(tested.map(({ field }) => [field.type, field]));
    const everyType = await make([...ofEachType.values()]);
    const path = await make([{ id: "name", type: "text", label: "Name", required: true }]);
    const closed = await make([], { availability: { closesAt: "2024-01-01T00:00:00Z" } });
    const stepped = await make(
      [
        { id: "name", type: "text", label: "Name", required: true },
        { id: "more", type: "page_break", label: "Your visit" },
        { id: "day", type: "date", label: "Day" },
      ],
      { page: { enabled: true, layout: "steps" } },
    );
    const { page, context, faults } = await open({ bypassCSP: true }, limited);
    const states: Record<string, (page: Page) => Promise<number | undefined>> = {
      form: async (page) => (await page.goto(everyType))?.status(),
      errors: async (page) => {
        await page.goto(everyType);
        return await submitPage(page);
      },
      step: async (page) => (await page.goto(stepped))?.status(),
      "step with an error": submitPage,
      "later step": async (page) => {
        await page.getByLabel("Name").fill("Ada");
        return await submitPage(page);
      },
      answers: submitPage,
      "too large": async (page) => {
        await page.goto(path);
        await page.locator("#name").evaluate((each) => {
          (each as HTMLInputElement).value = "x".repeat(70_000);
        });
        return await submitPage(page);
      },
      "published anew": async (page) => {
        await page.goto(path);
        await page.locator("[name='formd.version']").evaluate((each) => each.setAttribute("value", "7"));
        return await submitPage(page);
      },
      wait: async (page) => {
        await page.goto(path);
        await submitPage(page);
        return await submitPage(page);
      },
      thanks: async (page) => (await page.goto(`${path}/sent`))?.status(),
      closed: async (page) => (await page.goto(closed))?.status(),
      "no form": async (page) => (await page.goto("/f/nothing"))?.status(),
    };
    const found: string[] = [];
    const visit = async (state: string, go: (page: Page) => Promise<number | undefined>) => {
      const status = await go(page);
      const violations = await violationsInViews(page);
      if (/^(form|errors)$/.test(state)) violations.push(...(await violationsInForcedColors(page)));
      found.push([state, status, ...violations].join(" "));
    };
    for (const [state, go] of Object.entries(states)) await visit(state, go);
    await sql`update formd.forms set status = 'archived', archived_at = now() where team_id = ${owner.id}`;
    await visit("archived", async (page) => (await page.goto(path))?.status());
    const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
    await sql.unsafe(`alter database ${name} connection limit 0`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and usename = 'formd'`;
    await visit("away", async (page) => (await page.goto(path))?.status());
    await sql.unsafe(`alter database ${name} connection limit -1`);
    expect(found).toEqual([
      "form 200",
      "errors 422",
      "step 200",
      "step with an error 422",
      "later step 200",
      "answers 200",
      "too large 413",
      "published anew 409",
      "wait 429",
      "thanks 200",
      "closed 403",
      "no form 404",
      "archived 410",
      "away 503",
    ]);
    expect(faults).toEqual([]);
    await context.close();
  },
);

testInChromium(
  "labels, options and values of the naughty-strings list are text: no script runs",
  async () => {
    const texts = (naughtyStrings as string[]).filter(
      (text) => isStorable(text) && text.trim() !== "" && text.length <= 500,
    );
    const { page, context, faults } = await open();
    for (let first = 0; first < texts.length; first += 120) {
      const batch = texts.slice(first, first + 120);
      const fields = batch.map((label, index) => ({ id: `f${index}`, type: "text", label, help: label }));
      const choice = { id: "choice", type: "multi_select", label: "Choice", options: [...new Set(batch)] };
      const missing = { id: "missing", type: "text", label: batch[0], required: true };
      const form = await published([...fields, choice, missing], {
        title: batch[0]?.slice(0, 200),
        introduction: batch[1],
      });
      await page.goto(pathOf(form));
      const normal = (text: string) => text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
      const optional = " (optional)";
      const labels = await page.evaluate(() =>
        [...document.querySelectorAll("label[for^=f]")].map((label) => label.textContent),
      );
      expect(labels).toEqual(batch.map((label) => normal(label) + optional));
      await enterAll(
        page,
        batch.map((text, index) => [`f${index}`, text]),
      );
      await page.locator("[name=choice]").first().check();
      expect(await submitPage(page)).toBe(422);
      const kept = new Map(await entered(page));
      expect(batch.map((_, index) => kept.get(`f${index}`))).toEqual(
        batch.map((text) => text.replaceAll(/[\r\n]/g, "")),
      );
    }
    expect(faults).toEqual([]);
    await context.close();
  },
);
