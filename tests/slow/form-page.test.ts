/** The page of a form in a browser: errors of every type, accessibility, by keyboard alone, in a frame; any text as text. Chromium: `apt-get install chromium`. */
import { beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import type { Page } from "playwright-core";
import { fieldCodes } from "../../src/fields/codes.ts";
import { pagePathOf } from "../../src/form-page/address.ts";
import { isStorable } from "../../src/http/body.ts";
import { isTooWide, type OpenOptions, useChromium, violationsOf, type Watched } from "../chromium.ts";
import { submissionCount, until } from "../expect.ts";
import { asAgentToken, baseOf, connect } from "../mcp-client.ts";
import {
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
  testRequiring,
} from "../setup.ts";

setDefaultTimeout(120_000);

let app: Service;
let team: Team;
const openPage = useChromium();
const open = (options: OpenOptions = {}, server: Pick<Service, "url"> = app) => openPage(server, options);

beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
}, 120_000);

const published = (fields: object[], page: object = {}, settings: object = {}) =>
  makeForm(app, team, fields, { settings: { page: { enabled: true, ...page }, ...settings } });
const pathOf = (form: PublishedForm, owner = team) => pagePathOf({ team: owner.id, form: form.id });

type Sent = [name: string, text: string][];
interface Case {
  definition: Record<string, unknown>;
  valid: (id: string) => Sent;
  /** By code. */
  invalid: Record<string, (id: string) => Sent>;
}

const value =
  (...texts: string[]) =>
  (id: string): Sent =>
    texts.map((text) => [id, text]);
const parts =
  (given: Record<string, string>) =>
  (id: string): Sent =>
    Object.entries(given).map(([part, text]) => [`${id}.${part}`, text]);
const lengths = { minLength: 3, maxLength: 5, pattern: "^[a-z]+$" };
const invalidLengths = { min_length: value("ab"), max_length: value("abcdef"), pattern: value("ABCD") };
const bounds = { minimum: 2, maximum: 8, multipleOf: 2 };
const invalidBounds = { min_value: value("0"), max_value: value("10"), step: value("3") };
const options = ["red", "green", "blue"];

/** Every type with a control, and every code that it has. */
const cases: Record<string, Case> = {
  text: { definition: lengths, valid: value("abc"), invalid: invalidLengths },
  textarea: { definition: lengths, valid: value("abc"), invalid: invalidLengths },
  email: {
    definition: { allowedDomains: ["example.org"], pattern: "^a" },
    valid: value("ada@example.org"),
    invalid: {
      format: value("no address"),
      domain_not_allowed: value("ada@example.com"),
      pattern: value("bob@example.org"),
    },
  },
  phone: { definition: {}, valid: value("+49 30 123456"), invalid: { format: value("call me") } },
  url: {
    definition: { maxLength: 30 },
    valid: value("https://example.org"),
    invalid: { format: value("example"), max_length: value(`https://example.org/${"x".repeat(20)}`) },
  },
  number: {
    definition: bounds,
    valid: value("4"),
    invalid: { type_mismatch: value("4 kg"), ...invalidBounds },
  },
  integer: {
    definition: bounds,
    valid: value("4"),
    invalid: { type_mismatch: value("4.5"), ...invalidBounds },
  },
  rating: {
    definition: { maximum: 20 },
    valid: value("3"),
    invalid: { type_mismatch: value("good"), min_value: value("0"), max_value: value("21") },
  },
  boolean: { definition: {}, valid: value("false"), invalid: { type_mismatch: value("maybe") } },
  consent: { definition: {}, valid: value("true"), invalid: { not_accepted: value("false") } },
  select: { definition: { options }, valid: value("red"), invalid: { invalid_option: value("pink") } },
  multi_select: {
    definition: { options, minItems: 2, maxItems: 2 },
    valid: value("red", "blue"),
    invalid: {
      invalid_option: value("red", "pink"),
      duplicate_item: value("red", "red"),
      min_items: value("red"),
      max_items: value(...options),
    },
  },
  ranking: {
    definition: { options, minItems: 2 },
    valid: value("red", "blue"),
    invalid: {
      invalid_option: value("red", "pink"),
      duplicate_item: value("red", "red"),
      min_items: value("blue"),
    },
  },
  "ranking all": {
    definition: { type: "ranking", options, rankAll: true },
    valid: value("blue", "red", "green"),
    invalid: { incomplete_ranking: value("blue", "red") },
  },
  date: {
    definition: { minimum: "2024-01-01", maximum: "2024-12-31" },
    valid: value("2024-02-29"),
    invalid: {
      format: value("29/02/2024"),
      min_value: value("2023-12-31"),
      max_value: value("2025-01-01"),
    },
  },
  time: {
    definition: { minimum: "09:00", maximum: "17:00" },
    valid: value("09:30"),
    invalid: { format: value("half past nine"), min_value: value("08:00"), max_value: value("18:00") },
  },
  datetime: {
    definition: { minimum: "2024-01-01T00:00:00Z", maximum: "2024-12-31T00:00:00Z" },
    valid: parts({ local: "2024-06-01T12:00", zone: "Z" }),
    invalid: {
      format: parts({ local: "tomorrow", zone: "Z" }),
      min_value: parts({ local: "2023-06-01T12:00", zone: "Z" }),
      max_value: parts({ local: "2025-06-01T12:00", zone: "Z" }),
    },
  },
  address: {
    definition: { requiredParts: ["city"] },
    valid: parts({ city: "Bern", country: "CH" }),
    invalid: {
      required_part: parts({ line1: "1 Main Street" }),
      format: parts({ city: "Bern", country: "XX" }),
    },
  },
  matrix: {
    definition: { rows: ["speed", "price"], columns: ["good", "bad"], allRows: true },
    valid: parts({ speed: "good", price: "bad" }),
    invalid: {
      incomplete_matrix: parts({ speed: "good" }),
      invalid_option: parts({ speed: "ugly", price: "bad" }),
      duplicate_item: (id) => [
        [`${id}.speed`, "good"],
        [`${id}.speed`, "good"],
        [`${id}.price`, "bad"],
      ],
    },
  },
};

interface Tested {
  id: string;
  code: string;
  invalid: Sent;
  valid: Sent;
  field: Record<string, unknown>;
}

/** One required field per type and code. */
const tested: Tested[] = Object.entries(cases).flatMap(([type, { definition, valid, invalid }]) =>
  Object.entries(invalid).map(([code, sent]): Tested => {
    const id = `${type}_${code}`.replace(" ", "_");
    const label = `Thing ${id.replaceAll("_", " ")}`;
    return {
      id,
      code,
      invalid: sent(id),
      valid: valid(id),
      field: { id, type, label, required: true, ...definition },
    };
  }),
);

/** Enters values, also those that a control would not let pass: such as an older browser or a changed page sends. */
const enterAll = (page: Page, sent: Sent) =>
  page.evaluate((pairs) => {
    const form = document.forms[0] as HTMLFormElement;
    const used = new Set<Element>();
    for (const [name, text] of pairs) {
      const named = [...form.elements].filter(
        (each) => (each as HTMLInputElement).name === name && !used.has(each),
      ) as HTMLInputElement[];
      const control =
        named.find((each) => ["radio", "checkbox"].includes(each.type) && each.value === text) ?? named[0];
      if (!control) throw new Error(`no control for ${name}`);
      used.add(control);
      if (control.matches("select")) {
        const list = control as unknown as HTMLSelectElement;
        if (![...list.options].some((option) => option.value === text)) list.add(new Option(text, text));
      } else if (["radio", "checkbox"].includes(control.type)) {
        // Two radio buttons that are both sent.
        if (used.size > 1 && control.type === "radio" && named.length < 2) control.type = "checkbox";
        control.checked = true;
      } else if (!["textarea", "hidden"].includes(control.type)) control.type = "text";
      control.value = text;
    }
  }, sent);

const submitPage = async (page: Page) => {
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.request().method() === "POST"),
    page.waitForEvent("load"),
    page.locator("form button[type=submit]").first().click(),
  ]);
  return response.status();
};

interface ErrorLink {
  target: string;
  text: string;
  faults: string[];
}

/** Asserts the rules for a page with errors. @returns the links of its summary. */
async function expectErrorPage(page: Page): Promise<ErrorLink[]> {
  expect(await page.title()).toStartWith("Error: ");
  const links = await page.evaluate(() => {
    const summary = document.querySelector("main > :first-child");
    if (summary?.id !== "summary" || document.activeElement !== summary)
      throw new Error(
        `the focus is not on the summary but on ${document.activeElement?.outerHTML.slice(0, 200)}`,
      );
    return [...summary.querySelectorAll("a")].map((link): ErrorLink => {
      const id = decodeURIComponent(link.hash.slice(1));
      const text = link.textContent ?? "";
      const target = document.getElementById(id);
      const message = [...document.querySelectorAll("p.error")].find((each) => each.textContent === text);
      const described = message && target?.closest(`[aria-describedby~="${CSS.escape(message.id)}"]`);
      const marked = '[aria-invalid="true"]';
      const checks: [boolean, string][] = [
        [target?.matches("input, select, textarea") ?? false, `${id} is no control`],
        [message !== undefined, `no message at the field: ${text}`],
        [described != null, `${id} is not described by the message`],
        [
          described != null && (described.matches(marked) || described.querySelector(marked) !== null),
          `${id} is not marked as invalid`,
        ],
      ];
      return { target: id, text, faults: checks.filter(([holds]) => !holds).map(([, fault]) => fault) };
    });
  });
  expect(links.flatMap(({ faults }) => faults)).toEqual([]);
  expect(new Set(links.map(({ text }) => text)).size).toBe(links.length);
  return links;
}

/** What the controls hold. A picker of dates shows no day that does not exist: its attribute has it. */
const entered = (page: Page): Promise<Sent> =>
  page.evaluate(() =>
    [...(document.forms[0] as HTMLFormElement).elements].flatMap((each): [string, string][] => {
      const control = each as HTMLInputElement;
      const isChoice = control.type === "radio" || control.type === "checkbox";
      const text = control.value || (control.getAttribute("value") ?? "");
      if (!control.name || control.name.startsWith("formd.") || text === "") return [];
      return isChoice && !control.checked ? [] : [[control.name, text]];
    }),
  );

describe("without JavaScript", () => {
  testRequiring("chromium")(
    "every type of field, empty and with each of its codes: an error page by the rules; with valid values it is stored",
    async () => {
      const codes = new Set(["required", "unknown_field", ...tested.map(({ code }) => code)]);
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
        "This form has no field “shoe_size”",
      );
      const said = new Map(links.map(({ target, text }) => [target, text]));
      expect(
        ["text_min_length", "email_domain_not_allowed", "number_step", "date_max_value"].map((id) =>
          said.get(id),
        ),
      ).toEqual([
        "Your thing text min length must have at least 3 characters",
        "“Thing email domain not allowed” must be an address at example.org",
        "Your thing number step must be a multiple of 2",
        "Your thing date max value must be 31 December 2024 or earlier",
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
  testRequiring("chromium")(
    "a person's whole way by keyboard alone: errors, their links, thanks",
    async () => {
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
        "Enter your first name",
        "Enter your e-mail address",
        "Choose an option for “Topic”",
        "Tick “I agree” to continue",
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
    },
  );
});

testRequiring("chromium")(
  "no state of the page has a fault of accessibility: form, errors, steps, thanks, closed, archived, published anew, too large, wait, database away",
  async () => {
    const limited = await service({ RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "2", MAX_BODY_BYTES: "65536" });
    const owner = await makeTeam(limited);
    const { sql } = limited.database;
    const make = async (fields: object[], settings: object = {}) =>
      pathOf(
        await makeForm(limited, owner, fields, {
          settings: { page: { enabled: true, introduction: "One.\n\nTwo." }, ...settings },
        }),
        owner,
      );
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
    const views = await Promise.all(
      (
        [
          [1280, "light"],
          [320, "dark"],
        ] as const
      ).map(([width, colorScheme]) =>
        open({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true }, limited),
      ),
    );
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
    /** The form and its steps in both views; the other pages, which are short, in one of them. */
    const visit = async (state: string, go: (page: Page) => Promise<number | undefined>) => {
      const isInBoth = /form$|errors|step|answers/.test(state);
      for (const { page } of isInBoth ? views : [views[found.length % 2] as Watched]) {
        const status = await go(page);
        found.push([state, status, ...(await violationsOf(page))].join(" "));
      }
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
      "form 200",
      "errors 422",
      "errors 422",
      "step 200",
      "step 200",
      "step with an error 422",
      "step with an error 422",
      "later step 200",
      "later step 200",
      "answers 200",
      "answers 200",
      "too large 413",
      "published anew 409",
      "wait 429",
      "thanks 200",
      "closed 403",
      "no form 404",
      "no form 404",
      "archived 410",
      "away 503",
    ]);
    for (const { context, faults } of views) {
      expect(faults).toEqual([]);
      await context.close();
    }
  },
);

testRequiring("chromium")(
  "the script counts characters and keeps what was typed over a reload; a double click stores one submission",
  async () => {
    const form = await published([
      { id: "note", type: "textarea", label: "Note", validation: { maxLength: 10 } },
      { id: "colour", type: "multi_select", label: "Colour", options },
      { id: "pin", type: "text", label: "PIN", sensitive: true },
      { id: "city", type: "text", label: "City", prefill: true },
    ]);
    const { page, faults, context } = await open();
    await page.goto(pathOf(form));
    await page.locator("#pin").fill("1234");
    await page.locator("#city").fill("Bonn");
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("1234");
    await page.goto(`${pathOf(form)}?city=Berlin`);
    expect(await page.locator("#city").inputValue()).toBe("Berlin");
    await page.goto(pathOf(form));
    expect([await page.locator("#city").inputValue(), await page.locator("#pin").inputValue()]).toEqual([
      "Bonn",
      "",
    ]);
    await page.locator("#city").fill("");
    await page.locator("#note").fill("12345678😀");
    expect(await page.locator(".count").textContent()).toBe("Characters left: 1");
    await page.locator("#note").fill("12345678901");
    expect(await page.locator(".count.over").textContent()).toBe("Characters too many: 1");
    await page.locator("#note").fill("Hello");
    await page.locator("[value=green]").check();
    await page.reload();
    expect(await entered(page)).toEqual([
      ["note", "Hello"],
      ["colour", "green"],
    ]);
    await page.locator("button[type=submit]").dblclick();
    // Of the two navigations one may end the other, which would end waitForURL as well.
    await until(() => page.url().includes("/sent?"));
    expect(await submissionCount(app, form)).toBe(1);
    await page.goto(pathOf(form));
    expect(await entered(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  },
);

testRequiring("chromium")(
  "the address fills in the fields that allow it, hidden ones too, and nothing else",
  async () => {
    const form = await published([
      { id: "name", type: "text", label: "Name", prefill: true },
      { id: "email", type: "email", label: "E-mail" },
      { id: "tags", type: "multi_select", label: "Tags", options, prefill: true },
      { id: "home", type: "address", label: "Home", prefill: true },
      { id: "source", type: "hidden", label: "Source", prefill: true },
      { id: "internal", type: "hidden", label: "Internal" },
    ]);
    const { page, faults, context } = await open();
    const query = "?name=Ada&email=a@b.example&tags=red&tags=blue&home.city=Bern&source=mail&internal=1&x=1";
    await page.goto(pathOf(form) + query);
    expect(await page.getByText(/Source|Internal/).count()).toBe(0);
    const values = { name: "Ada", tags: ["red", "blue"], home: { city: "Bern" }, source: "mail" };
    expect(await entered(page)).toEqual([
      ["name", "Ada"],
      ["tags", "red"],
      ["tags", "blue"],
      ["home.city", "Bern"],
      ["source", "mail"],
    ]);
    await page.locator("button[type=submit]").click();
    await page.waitForURL(/\/sent\?/);
    const stored = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
    expect([...stored]).toEqual([{ data: values }]);
    expect(faults).toEqual([]);
    await context.close();
  },
);

testRequiring("chromium")(
  "a call by MCP whose values are incomplete leads to the page, which has the values and stores what the respondent sends",
  async () => {
    const form = await published([
      { id: "email", type: "email", label: "E-mail", prefill: true, required: true },
      { id: "topic", type: "select", label: "Topic", options: ["Sales", "Support"], prefill: true },
      { id: "home", type: "address", label: "Home", required: true },
    ]);
    const agent = await makeAgent(app, team, form);
    const { page, faults, context } = await open({}, { url: baseOf(app) });
    const client = await connect(app, asAgentToken(agent), {
      answer: async ({ url = "" }) => {
        await page.goto(url);
        await page.locator("[name='home.city']").fill("Bern");
        await page.getByRole("button", { name: "Submit" }).click();
        await page.waitForURL(/\/sent\?/);
        return { action: "accept" };
      },
    });
    const data = { email: "ada@example.org", topic: "Support" };
    const result = await client.callTool({ name: "submit", arguments: { formId: form.id, data } });
    expect(result.structuredContent).toMatchObject({ status: "handed_over" });
    const stored = await app.database.sql`
      select data, submitter_type from formd.submissions where form_id = ${form.id}`;
    expect([...stored]).toEqual([{ data: { ...data, home: { city: "Bern" } }, submitterType: "anonymous" }]);
    expect(faults).toEqual([]);
    await Promise.all([client.close(), context.close()]);
  },
);

describe.each([true, false])("in steps, with script: %p", (javaScriptEnabled) => {
  testRequiring("chromium")(
    "the browser's Back key shows an earlier step as it was; the answers are checked, changed and sent",
    async () => {
      const form = await published(
        [
          { id: "name", type: "text", label: "Name", required: true },
          { id: "more", type: "page_break", label: "Your visit" },
          { id: "day", type: "date", label: "Day", required: true },
          { id: "end", type: "page_break", label: "Consent" },
          { id: "agree", type: "consent", label: "I agree", required: true },
        ],
        { layout: "steps" },
      );
      const { page, faults, context } = await open({
        javaScriptEnabled,
        viewport: { width: 320, height: 800 },
      });
      const heading = () => page.locator("h2").first().textContent();
      const next = async (name = "Continue") => {
        await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name }).first().click()]);
      };
      await page.goto(pathOf(form));
      await page.getByLabel("Name").fill("Ada");
      await next();
      await page.getByLabel("Day").fill("2026-11-20");
      await next();
      expect(await heading()).toBe("Step 3 of 3 Consent");
      await page.goBack();
      expect(await heading()).toBe("Step 2 of 3 Your visit");
      await page.getByLabel("Day").fill("2026-11-21");
      await next();
      await next("Back");
      expect(await page.getByLabel("Day").inputValue()).toBe("2026-11-21");
      await next();
      await page.getByLabel("I agree").check();
      await next();
      expect(await page.locator("h1").textContent()).toBe("Check your answers");
      expect(await page.locator("dd").allTextContents()).toEqual(["Ada", "21 November 2026", "Yes"]);
      await next("Change");
      await page.getByLabel("Name").fill("Grace");
      await next();
      await page.goBack();
      expect(await page.getByLabel("Name").count()).toBe(1);
      await page.goForward();
      await next("Submit");
      expect(await page.locator("h1").textContent()).toBe("Thank you");
      const stored = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
      expect([...stored]).toEqual([{ data: { name: "Grace", day: "2026-11-21", agree: true } }]);
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});

testRequiring("chromium")(
  "in a frame of a named origin the form can be sent and has its height; a frame of another origin stays empty",
  async () => {
    let path = "";
    const site = () =>
      Bun.serve({
        port: 0,
        fetch: () =>
          new Response(
            `<!doctype html><title>Site</title><iframe src="${app.url}${path}" title="Form"></iframe><script src="${app.url}/f/embed.js"></script>`,
            { headers: { "content-type": "text/html" } },
          ),
      });
    const [named, other] = [site(), site()];
    const origin = `http://localhost:${named.port}`;
    const form = await published(tour, { embedOrigins: [origin] });
    path = pathOf(form);
    const { page, context } = await open({ viewport: { width: 1280, height: 800 } });
    await page.goto(origin);
    const height = () =>
      page.evaluate(() => document.querySelector("iframe")?.getBoundingClientRect().height ?? 0);
    await until(async () => (await height()) > 800);
    const inside = page.frames()[1];
    const shown = await inside?.evaluate(() => [document.documentElement.scrollHeight, window.innerHeight]);
    expect(shown?.[0]).toBe(shown?.[1] as number);
    const [filled] = await Promise.all([
      page.waitForResponse((each) => each.request().method() === "POST"),
      inside?.locator("button[type=submit]").click(),
    ]);
    expect(filled?.status()).toBe(422);
    await inside?.locator("#summary").waitFor();

    await page.goto(`http://localhost:${other.port}`);
    await until(() => page.frames()[1]?.url().startsWith("chrome-error:"));
    await context.close();
    await Promise.all([named.stop(true), other.stop(true)]);
  },
);

testRequiring("chromium")(
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
