// stacks: one browser
/**
 * The page of a form in a browser: errors of every type, by keyboard alone, accessibility of every state; any
 * text as text.
 */
import { expect } from "bun:test";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import type { Page } from "playwright-core";
import { fieldCodes } from "../../src/fields/codes.ts";
import { isBlankText } from "../../src/fields/values.ts";
import { isStorable } from "../../src/platform/http/body.ts";
import {
  chooseOption,
  isTooWide,
  testInChromium,
  violationsInForcedColors,
  violationsInViews,
} from "../chromium.ts";
import { until } from "../expect.ts";
import { formsOf, pageFixture } from "../http/form-page/fixture.ts";
import { makeTeam, service } from "../setup.ts";
import { type Tested, tested } from "./field-cases.ts";
import { type ErrorLink, enterAll, entered, expectErrorPage, submitPage } from "./filled-page.ts";

const { app, published, pathOf, stored } = await pageFixture();

/** Codes that a page never causes, or that tests/http/form-page tests. */
const conditional = ["not_applicable", "computed", "rule", "option_full"];
const ofFiles = ["max_bytes", "type_not_accepted", "upload_not_found"];

testInChromium(
  "without a script every type of field, empty and with each of its codes: an error page by the rules; with valid values it is stored",
  async (open) => {
    const codes = new Set([
      ...["required", "unknown_field", ...conditional, ...ofFiles],
      ...tested.map(({ code }) => code),
    ]);
    expect([...codes].sort()).toEqual(Object.keys(fieldCodes).sort());
    const form = await published(tested.map(({ field }) => field));
    const { page } = await open(app, { javaScriptEnabled: false });
    const enter = async (which: "valid" | "invalid") => {
      await page.goto(pathOf(form));
      await enterAll(
        page,
        tested.flatMap((each) => each[which]),
      );
    };
    const isOfField = (target: string, { id }: Tested) =>
      target.startsWith(id) && (target === id || /^[.=]/.test(target.slice(id.length)));
    const expectOneOfEach = (links: ErrorLink[]) =>
      expect(tested.map((each) => links.filter(({ target }) => isOfField(target, each)).length)).toEqual(
        tested.map(() => 1),
      );

    await page.goto(pathOf(form));
    expect(await submitPage(page)).toBe(422);
    expectOneOfEach(await expectErrorPage(page));

    await enter("invalid");
    await page.evaluate(() => {
      const extra = Object.assign(document.createElement("input"), { name: "shoe_size", value: "42" });
      document.forms[0]?.append(extra);
    });
    expect(await submitPage(page)).toBe(422);
    const links = await expectErrorPage(page);
    expectOneOfEach(links);
    expect(await page.locator("#summary li").last().textContent()).toBe(
      "This form has no field “shoe_size”.",
    );
    expect(Object.fromEntries(links.map(({ target, text }) => [target, text]))).toMatchObject({
      text_min_length: "Thing text min length: enter at least 3 characters.",
      email_domain_not_allowed: "Thing email domain not allowed: enter an address at example.org.",
      number_step: "Thing number step: enter a multiple of 2.",
      date_max_value: "Thing date max value: enter 31 December 2024 or an earlier date.",
    });
    const kept = new Map(Object.entries(Object.groupBy(await entered(page), ([name]) => name)));
    const cannotBeShown = /invalid_option|duplicate_item|type_mismatch|not_accepted|address_format/;
    for (const { id, invalid } of tested.filter(({ id }) => !cannotBeShown.test(id)))
      for (const [name, text] of invalid)
        expect([id, kept.get(name)?.map(([, each]) => each)]).toEqual([id, expect.arrayContaining([text])]);

    await enter("valid");
    expect(await submitPage(page)).toBe(303);
    expect(await page.locator("h1").textContent()).toBe("Thank you");
    expect(await stored(form)).toHaveLength(1);
  },
);

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

/** Elements that get the focus, each with the text typed, the option chosen or the key pressed then. */
const keys: [selector: string, ...([press: string] | ["type" | "choose", text: string])][] = [
  ["#email", "type", "ada@example.org"],
  ["[name=topic]", "ArrowDown"],
  ["[name=tags][value=b]", "Space"],
  ["[name='tags.other']", "type", "c"],
  ["[name=order]", "choose", "cheap"],
  ["[name=order]", "choose", "fast"],
  ["[name=grade]", "Space"],
  [":focus", "ArrowRight"],
  ["#day", "type", "02292024"],
  ["[name='home.city']", "type", "Bern"],
  ["[name='home.country']", "choose", "Switz"],
  ["[name='grid.speed']", "Space"],
  ["[name='grid.price']", "ArrowRight"],
  ["#terms", "Space"],
];

for (const [width, colorScheme, javaScriptEnabled] of [
  [320, "dark", false],
  [1280, "light", true],
] as const)
  testInChromium(
    `a person's whole way by keyboard alone: errors, their links, thanks; at ${width} px, with script: ${javaScriptEnabled}`,
    async (open) => {
      const form = await published(tour);
      const { page } = await open(app, { viewport: { width, height: 800 }, colorScheme, javaScriptEnabled });
      const { keyboard } = page;
      await page.goto(pathOf(form));
      await focus(page, "button[type=submit]");
      await Promise.all([page.waitForEvent("load"), keyboard.press("Enter")]);
      expect((await expectErrorPage(page)).map(({ text }) => text)).toEqual([
        "First name: enter an answer.",
        "E-mail address: enter your e-mail address.",
        "Topic: choose an option.",
        "I agree: tick the box to continue.",
      ]);
      expect(await isTooWide(page)).toBe(false);
      await keyboard.press("Tab");
      await keyboard.press("Enter");
      await until(() => page.evaluate(() => document.activeElement?.id === "first_name"));
      await keyboard.type("Ada");
      for (const [selector, key, text] of keys) {
        if (selector !== ":focus") await focus(page, selector);
        if (text === undefined) await keyboard.press(key);
        else if (key === "choose") await chooseOption(page, text);
        else await keyboard.type(text);
      }
      await focus(page, "button[type=submit]");
      await Promise.all([page.waitForURL(/\/sent\?/), keyboard.press("Enter")]);
      expect(await page.locator("h1").textContent()).toBe("Thank you");
      expect(await stored(form)).toEqual([
        {
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
      ]);
    },
  );

testInChromium(
  "no state of the page violates accessibility: form, errors, steps, thanks, closed, archived, published anew, too large, wait, database away",
  async (open) => {
    const limited = await service({ RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "2", MAX_BODY_BYTES: "65536" });
    const { sql } = limited.database;
    const owner = await makeTeam(limited);
    const of = formsOf(limited, owner);
    const introduction = "One.\n\nTwo.";
    const make = async (fields: object[], page: object = { introduction }, settings: object = {}) =>
      of.pathOf(await of.published(fields, page, settings));
    const name = { id: "name", type: "text", label: "Name", required: true };
    const ofEachType = new Map(tested.map(({ field }) => [field.type, field]));
    const everyType = await make([...ofEachType.values()]);
    const path = await make([name]);
    const closed = await make([], {}, { availability: { closesAt: "2024-01-01T00:00:00Z" } });
    const stepped = await make(
      [
        name,
        { id: "more", type: "page_break", label: "Your visit" },
        { id: "day", type: "date", label: "Day" },
      ],
      { layout: "steps" },
    );
    const { page } = await open(limited, { bypassCSP: true });
    const at = (address: string) => async () => (await page.goto(address))?.status();
    const submit = () => submitPage(page);
    const submitAt =
      (address: string, change = async () => {}) =>
      async () => {
        await page.goto(address);
        await change();
        return await submit();
      };
    const states: [state: string, status: number, go: () => Promise<number | undefined>][] = [
      ["form", 200, at(everyType)],
      ["errors", 422, submitAt(everyType)],
      ["step", 200, at(stepped)],
      ["step with an error", 422, submit],
      [
        "later step",
        200,
        async () => {
          await page.getByLabel("Name").fill("Ada");
          return await submit();
        },
      ],
      ["answers", 200, submit],
      [
        "too large",
        413,
        submitAt(path, () =>
          // Without an event, so that no draft is kept of it.
          page.locator("#name").evaluate((each) => each.setAttribute("value", "x".repeat(70_000))),
        ),
      ],
      [
        "published anew",
        409,
        submitAt(path, () =>
          page.locator("[name='formd.version']").evaluate((each) => each.setAttribute("value", "7")),
        ),
      ],
      ["wait", 429, submitAt(path, async () => void (await submit()))],
      ["thanks", 200, at(`${path}/sent`)],
      ["closed", 403, at(closed)],
      ["no form", 404, at("/f/nothing")],
      [
        "archived",
        410,
        async () => {
          await sql`update formd.forms set status = 'archived', archived_at = now() where team_id = ${owner.id}`;
          return await at(path)();
        },
      ],
      [
        "away",
        503,
        async () => {
          const [{ database }] = await sql<[{ database: string }]>`select current_database() as database`;
          await sql.unsafe(`alter database ${database} connection limit 0`);
          await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database} and usename = 'formd'`;
          return await at(path)();
        },
      ],
    ];
    for (const [state, status, go] of states) {
      const found: unknown[] = [state, await go()];
      // The others are pages of the same kinds with other words.
      const axe = /^(form|errors|step|answers|wait|closed)$/.test(state) ? "twice" : "once";
      found.push(...(await violationsInViews(page, axe)));
      if (/^(form|errors)$/.test(state)) found.push(...(await violationsInForcedColors(page)));
      expect(found).toEqual([state, status]);
    }
  },
);

testInChromium(
  "labels, options and values of the naughty-strings list are text: no script runs",
  async (open) => {
    const texts = (naughtyStrings as string[]).filter(
      (text) => isStorable(text) && !isBlankText(text) && text.length <= 500,
    );
    const { page } = await open(app);
    const half = Math.ceil(texts.length / 2);
    for (const batch of [texts.slice(0, half), texts.slice(half)]) {
      const [title = "", introduction = ""] = batch;
      const form = await published(
        [
          ...batch.map((label, index) => ({ id: `f${index}`, type: "text", label, help: label })),
          { id: "choice", type: "multi_select", label: "Choice", options: [...new Set(batch)] },
          { id: "missing", type: "text", label: title, required: true },
        ],
        { title: title.slice(0, 200), introduction },
      );
      await page.goto(pathOf(form));
      const labels = await page.locator("label[for^=f]").allTextContents();
      expect(labels).toEqual(batch.map((label) => `${label.replaceAll(/\r\n?/g, "\n")} (optional)`));
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
  },
);

for (const javaScriptEnabled of [true, false])
  testInChromium(
    `in German at 320 px numbers, days and times are entered, asked about and shown as people write them; with script: ${javaScriptEnabled}`,
    async (open) => {
      const form = await published(
        [
          { id: "amount", type: "number", label: "Betrag", required: true },
          { id: "receipt", type: "text", label: "Beleg", showIf: "data.amount >= 1000" },
          { id: "people", type: "integer", label: "Personen" },
          { id: "at", type: "datetime", label: "Ankunft", required: true },
          { id: "mail", type: "email", label: "E-Mail" },
        ],
        { language: "de" },
        { availability: { timeZone: "Europe/Berlin" } },
      );
      // The browser is elsewhere: the form's clock counts.
      const viewport = { width: 320, height: 640 };
      const { page } = await open(app, { javaScriptEnabled, viewport, timezoneId: "Asia/Kathmandu" });
      await page.goto(pathOf(form));
      expect(await page.locator("select.zone").count()).toBe(0);
      expect(await page.getByText("Zeitzone: Mitteleuropäische Zeit (Berlin).").isVisible()).toBe(true);
      await page.locator("#amount").fill("1.234,5");
      const isAsked = page.locator("#receipt").isVisible();
      expect(await isAsked).toBe(javaScriptEnabled);
      await page.locator("#people").fill("1,000");
      await page.locator("[name='at.local']").fill("2027-07-10T10:00");
      await page.locator("#mail").fill("ada@exampel");
      expect(await submitPage(page)).toBe(422);
      if (!javaScriptEnabled) {
        await page.locator("#receipt").fill("7");
        expect(await submitPage(page)).toBe(422);
      }
      expect(await page.locator("#amount").inputValue()).toBe("1.234,5");
      const messages = await page.locator("#summary li").allTextContents();
      expect(messages).toEqual([
        "Personen: Meinen Sie 1 oder 1.000? Geben Sie es so ein.",
        expect.stringContaining("E-Mail: Stimmt „ada@exampel“?"),
      ]);
      expect(await isTooWide(page)).toBe(false);
      await page.locator("#people").fill("1.000");
      expect(await submitPage(page)).toBe(303);
      const shown = await page.locator("main dd").allTextContents();
      expect(shown).toEqual(
        expect.arrayContaining(["1.234,5", "1000", "10. Juli 2027, 10:00", "ada@exampel"]),
      );
      expect(await isTooWide(page)).toBe(false);
      expect(await stored(form)).toMatchObject([
        { amount: 1234.5, people: 1000, at: "2027-07-10T10:00:00+02:00", mail: "ada@exampel" },
      ]);
    },
  );
