// stacks: one browser
/**
 * The bar of the console: a form of twelve questions, online and shared, by a person who has never seen an
 * API. Clicks and page loads are counted as a person makes them, without typing; a choice in a list is one.
 */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { templatesIn } from "../../src/resources/forms/templates.ts";
import {
  activate,
  building,
  enter,
  focus,
  inPlace,
  type Open,
  type OpenOptions,
  testInChromium,
} from "../chromium.ts";
import { byKey, submit } from "../http/files/fixture.ts";
import { ask, makeForm, makeOperator, makeTeam, permissive, service } from "../setup.ts";

const app = await service(permissive);

/** A form of a team, and a browser in which one of its operators has signed in. */
async function signedIn(
  open: Open,
  role: "admin" | "viewer",
  { labels = ["A"], settings = {}, ...options }: { labels?: string[]; settings?: object } & OpenOptions = {},
) {
  const team = await makeTeam(app);
  const fields = labels.map((label) => ({ id: label.toLowerCase(), type: "text", label }));
  const form = await makeForm(app, team, fields, { settings });
  const { page } = await open(app, { ...options, cookie: await makeOperator(app, team, role) });
  return {
    page,
    submitted: (a: string) => submit(app, byKey(form, team), { a }),
    path: `/console/forms/${form.id}`,
  };
}

interface Question {
  label: string;
  type?: "select" | "multi_select" | "page_break";
  required?: boolean;
  choices?: string;
}

/** Words of a language that the person reads, and the questions of the form. */
const english = {
  newForm: "New form",
  create: "Create the form",
  more: "Add and enter more",
  add: "Add the questions",
  yes: "Yes",
  next: "Next",
  save: "Save",
  settings: "Settings",
  theme: "Ocean",
  publish: "Publish",
  copy: "Copy",
  online: "Online",
  questions: [
    { label: "Your name", required: true },
    { label: "Your e-mail address", required: true },
    { label: "Your phone number" },
    { label: "Day of birth", required: true },
    { label: "Which workshop?", type: "select", required: true, choices: "Singing\nPottery\nTheatre" },
    { label: "What you eat", type: "multi_select", choices: "Vegetarian\nVegan\nHalal\nKosher" },
    { label: "About your visit", type: "page_break" },
    { label: "How many guests do you bring?" },
    { label: "Do you have dietary needs?" },
    { label: "Which dietary needs?" },
    { label: "How did you like the last camp?" },
    { label: "I agree that you keep my data for the camp" },
  ] as Question[],
};

type Words = typeof english;

const german: Words = {
  newForm: "Neues Formular",
  create: "Formular anlegen",
  more: "Hinzufügen und weitere eingeben",
  add: "Fragen hinzufügen",
  yes: "Ja",
  next: "Weiter",
  save: "Speichern",
  settings: "Einstellungen",
  theme: "Meer",
  publish: "Veröffentlichen",
  copy: "Kopieren",
  online: "Online",
  questions: [
    { label: "Ihr Name", required: true },
    { label: "Ihre E-Mail-Adresse", required: true },
    { label: "Ihre Telefonnummer" },
    { label: "Geburtsdatum", required: true },
    { label: "Welcher Workshop?", type: "select", required: true, choices: "Singen\nTöpfern\nTheater" },
    { label: "Was essen Sie?", type: "multi_select", choices: "Vegetarisch\nVegan\nHalal" },
    { label: "Ihr Besuch", type: "page_break" },
    { label: "Wie viele Gäste bringen Sie mit?" },
    { label: "Brauchen Sie besonderes Essen?" },
    { label: "Welches Essen brauchen Sie?" },
    { label: "Wie hat Ihnen das letzte Lager gefallen?" },
    { label: "Ich bin einverstanden, dass Sie meine Angaben speichern" },
  ],
};

/** Words of the API and of programs, which an event manager does not know. */
const apiWords =
  /\b(api|json|schema|fields?|regex|re2|unicode|uuid|utc|webhooks?|operators?|endpoint|payload|boolean|null|curl|validation|minLength|maxLength|multi_select|page_break|integer)\b/gi;

/** A person in the browser who is counted. */
class Person {
  clicks = 0;
  loads = 0;
  readonly strange = new Set<string>();

  constructor(readonly page: Page) {
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame() && !request.redirectedFrom())
        this.loads++;
    });
  }

  /** Collects API terms from the page's visible text. */
  async read() {
    // biome-ignore lint/performance/useDomNodeTextContent: textContent has what is folded as well
    const text = await this.page.locator("body").innerText();
    for (const [word] of text.matchAll(apiWords)) this.strange.add(word);
  }

  async click(name: string) {
    this.clicks++;
    await this.page
      .getByText(name, { exact: true })
      .and(this.page.locator("a, button, label"))
      .first()
      .click();
  }

  /** A click that leads to another page. */
  async go(name: string) {
    await Promise.all([this.page.waitForEvent("load"), this.click(name)]);
    await this.read();
  }

  /** An action on the page on which the form is built, with one click. */
  async build(act: () => Promise<unknown>) {
    this.clicks++;
    await building(this.page, act);
    await this.read();
  }

  button(name: string) {
    return this.page.getByRole("button", { name, exact: true }).first();
  }

  async write({ label, type, required, choices }: Question, line: number) {
    const row = this.page.locator(".question-row").nth(line);
    // The script makes a row after the last one.
    if ((await row.count()) === 0) await this.page.keyboard.press("Enter");
    const control = (name: string) => this.page.locator(`[name="${line}.${name}"]`);
    await control("label").fill(label);
    if (type) {
      this.clicks++;
      await control("type").selectOption(type);
    }
    if (choices) await control("choices").fill(choices);
    if (required) {
      this.clicks++;
      await control("required").check();
    }
    await control("label").focus();
  }

  /** "Ask this only if …" on the card of a question. */
  async ask(label: string, only: string, value: string, next: string | undefined) {
    const { page } = this;
    await this.build(() => page.locator(".question", { hasText: label }).first().click());
    const question = page.locator("[name='showIf.0.field']");
    if (next === undefined) await this.build(() => question.selectOption({ label: only }));
    else {
      this.clicks++;
      await question.selectOption({ label: only });
      await this.build(() => this.button(next).click());
    }
    this.clicks++;
    await page.locator("[name='showIf.0.value']").selectOption({ label: value });
  }
}

for (const [language, words, javaScriptEnabled] of [
  ["en", english, true],
  ["de", german, true],
  ["en", english, false],
] as const)
  testInChromium(
    `twelve questions, a condition, a look, online and shared: few clicks and page loads, no word of the API; ${language}, with script: ${javaScriptEnabled}`,
    async (open) => {
      const { page } = await signedIn(open, "admin", {
        ...{ javaScriptEnabled, locale: language, permissions: ["clipboard-write"] },
      });
      await page.goto("/console");
      const person = new Person(page);
      await person.read();
      await person.go(words.newForm);
      await page.locator("[name=name]").fill("Summer camp");
      await person.go(words.create);
      const { questions } = words;
      const rows = javaScriptEnabled ? questions.length : 8;
      for (const [index, question] of questions.slice(0, rows).entries()) await person.write(question, index);
      if (!javaScriptEnabled) await person.build(() => person.button(words.more).click());
      for (const [index, question] of questions.slice(rows).entries()) await person.write(question, index);
      await person.build(() => person.button(words.add).click());
      expect(await page.locator(".fields strong").allTextContents()).toEqual(
        questions.map(({ label }) => label),
      );
      const [needs, which] = [questions[8]?.label ?? "", questions[9]?.label ?? ""];
      await person.ask(which, needs, words.yes, javaScriptEnabled ? undefined : words.next);
      // The script saves the card once the person leaves it.
      if (!javaScriptEnabled) await person.build(() => person.button(words.save).click());
      await person.go(words.settings);
      await person.click(words.theme);
      await person.go(words.save);
      await person.go(words.publish);
      const address = (await page.locator(".secret code").first().textContent()) ?? "";
      if (javaScriptEnabled) await person.click(words.copy);
      expect(await page.locator(".form-head .badge").textContent()).toContain(words.online);
      const published = await (await fetch(address)).text();
      expect([...person.strange]).toEqual([]);
      for (const part of ['type="email"', 'type="tel"', 'type="date"', "/f/look.css?accent="])
        expect(published).toContain(part);
      // 18 and 5 when this was written, 20 and 10 without the script; 39 and 13 before.
      expect(person.clicks).toBeLessThanOrEqual(javaScriptEnabled ? 18 : 28);
      expect(person.loads).toBeLessThanOrEqual(javaScriptEnabled ? 5 : 14);
    },
  );

for (const [language, words] of [
  ["en", english],
  ["de", german],
] as const)
  testInChromium(
    `each template is a published page after at most 4 clicks, no word of the API; ${language}`,
    async (open) => {
      const { page } = await signedIn(open, "admin", { locale: language });
      for (const [, { name, schema, settings }] of templatesIn(language, false)) {
        await page.goto("/console/new-form");
        const person = new Person(page);
        await person.read();
        await person.go(name);
        await person.go(words.publish);
        const address = (await page.locator(".secret code").first().textContent()) ?? "";
        const published = await (await fetch(address)).text();
        for (const text of [schema.fields[0]?.label, settings.page.submitLabel])
          expect(published).toContain(String(text));
        expect([...person.strange]).toEqual([]);
        // 2 when this was written.
        expect(person.clicks).toBeLessThanOrEqual(4);
      }
    },
  );

testInChromium("a form is built, published and shared by keyboard alone", async (open) => {
  const { page } = await signedIn(open, "admin");
  await page.goto("/console");
  await activate(page, "New form");
  await enter(page, "Name", "Summer camp");
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  // `autofocus` acts with the first frame, which may come after the page has loaded.
  await page.locator("[name='0.label']:focus").waitFor();
  for (const label of ["Your name", "Do you come by car?", "Its number plate"]) {
    await page.keyboard.insertText(label);
    await page.keyboard.press("Enter");
  }
  await inPlace(page, "Add the questions");
  await focus(page, "Its number plate Short text");
  await building(page, () => page.keyboard.press("Enter"));
  const chosen = page.locator("[name='showIf.0.field']");
  while (!(await chosen.evaluate((element) => element === document.activeElement)))
    await page.keyboard.press("Tab");
  // One letter: a second one may come after the card is drawn anew, and would search the list of values.
  await building(page, () => page.keyboard.press("D"));
  // The value has the focus, since it comes next.
  const value = page.locator("[name='showIf.0.value']");
  await value.waitFor();
  expect(await value.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type("Y");
  await activate(page, "Publish");
  const address = (await page.locator(".secret code").first().textContent()) ?? "";
  expect(await (await fetch(address)).text()).toContain("Summer camp");
  await focus(page, "Copy");
  await activate(page, "Build");
  expect(await page.locator(".condition-note").textContent()).toBe("Only if Do you come by car? is Yes");
});

testInChromium("leaving the settings asks nothing as long as nothing was changed", async (open) => {
  const { page, path } = await signedIn(open, "admin");
  await page.goto(`${path}/settings`);
  await page.locator("[type=color]").waitFor();
  await page.goto(path);
  expect(new URL(page.url()).pathname).toBe(path);
});

testInChromium("single keys decide on nothing until a person switches them on", async (open) => {
  const { page, submitted, path } = await signedIn(open, "admin", {
    settings: { review: { required: true } },
  });
  for (const text of ["first", "second"]) await submitted(text);
  const heading = () => page.locator("main h2").first().textContent();
  await page.goto(`${path}/review`);
  await page.keyboard.press("a");
  await page.keyboard.press("r");
  expect(await heading()).toBe("2 waiting");
  // In the list a key leads to the search, and is not typed into it.
  const searched = async () => {
    await page.goto(`${path}/submissions`);
    await page.keyboard.press("/");
    await page.keyboard.type("se");
    return await page.getByRole("searchbox").inputValue();
  };
  expect(await searched()).toBe("");
  await page.goto(`${path}/review`);
  await page.getByRole("button", { name: "Turn shortcuts on" }).click();
  expect(await searched()).toBe("se");
  await page.goto(`${path}/review`);
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("a")]);
  expect((await page.locator(".report").textContent())?.trim()).toBe("Accepted.Undo");
  expect(new URL(page.url()).searchParams.has("report")).toBe(false);
  await page.getByRole("button", { name: "Turn shortcuts off" }).click();
  await page.keyboard.press("a");
  expect(await heading()).toBe("1 waiting");
});

testInChromium(
  "a question is dragged to its place, down and up, and the report takes it back",
  async (open) => {
    const { page, path } = await signedIn(open, "admin", { labels: ["A", "B", "C"] });
    await page.goto(path);
    const labels = () => page.locator(".fields strong").allTextContents();
    const drag = async (from: number, to: number, y: number) => {
      const target = page.locator(".fields > li").nth(to);
      const positions = { sourcePosition: { x: 5, y: 30 }, targetPosition: { x: 5, y } };
      const question = page.locator(".question").nth(from);
      await building(page, () => question.dragTo(target, positions));
    };
    await drag(0, 2, 90);
    expect(await labels()).toEqual(["B", "C", "A"]);
    expect(await page.locator(".report").textContent()).toContain("A is now 3 of 3.");
    await drag(2, 1, 20);
    expect(await labels()).toEqual(["B", "A", "C"]);
    await building(page, () => page.getByRole("button", { name: "Undo" }).click());
    expect(await labels()).toEqual(["B", "C", "A"]);
  },
);

testInChromium("a list's days are those of the clock that its times are shown by", async (open) => {
  const timeZone = "Pacific/Kiritimati";
  const { page, submitted, path } = await signedIn(open, "viewer", { timezoneId: timeZone });
  await submitted("x");
  const today = new Date().toLocaleDateString("sv-SE", { timeZone });
  const found = async (control: string) => {
    await page.goto(`${path}/submissions`);
    await page.locator("summary", { hasText: "Filter" }).click();
    await page.locator(control).fill(today);
    await Promise.all([page.waitForEvent("load"), page.locator(".filters button").first().click()]);
    expect(new URL(page.url()).searchParams.get("timeZone")).toBe(timeZone);
    return await page.locator("tbody tr").count();
  };
  expect([await found("#after"), await found("#before")]).toEqual([1, 0]);
});

testInChromium(
  "a form has the time zone of the person who makes it, also for a reader elsewhere",
  async (open) => {
    const team = await makeTeam(app);
    const admin = await makeOperator(app, team, "admin");
    const { page } = await open(app, { cookie: admin, timezoneId: "Asia/Tokyo" });
    await page.goto("/console/new-form");
    await page.locator("#name").fill("Camp");
    await Promise.all([
      page.waitForURL(/\/console\/forms\//),
      page.getByRole("button", { name: "Create the form" }).click(),
    ]);
    const [, id] = /forms\/([^/?]+)/.exec(page.url()) ?? [];
    await page.goto(`/console/forms/${id}/settings`);
    expect(await page.locator("[name='availability.timeZone']").inputValue()).toBe("Asia/Tokyo");
    const zone = { availability: { timeZone: "Asia/Tokyo" } };
    const form = await makeForm(app, team, [{ id: "at", type: "datetime", label: "At" }], { settings: zone });
    await submit(app, byKey(form, team), { at: "2027-07-10T10:00:00+02:00" });
    const { page: other } = await open(app, { cookie: admin, timezoneId: "America/New_York" });
    const utc = { availability: { timeZone: "UTC" } };
    const inUtc = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], { settings: utc });
    await other.goto(`/console/forms/${inUtc.id}/settings`);
    const chosen = other.locator("[name='availability.timeZone']");
    expect([await chosen.inputValue(), await other.locator("#own-zone option").textContent()]).toEqual([
      "UTC",
      "America/New_York",
    ]);
    await other.goto(`/console/forms/${form.id}/submissions`);
    expect(await other.locator("tbody time").first().getAttribute("title")).toEndWith("GMT+9");
    await other.locator("tbody a").first().click();
    expect(await other.locator("dd", { hasText: "10 July 2027, 17:00" }).isVisible()).toBe(true);
    expect(await other.locator("time").first().textContent()).toEndWith("GMT+9");
  },
);

testInChromium(
  "on a phone the content of each page of a form begins within 200 px, in each state and language",
  async (open) => {
    const team = await makeTeam(app);
    const cookie = await makeOperator(app, team, "admin");
    const fields = [{ id: "a", type: "text", label: "A" }];
    const online = { page: { enabled: true } };
    const call = async (method: string, path: string, body: object) =>
      (await ask(app, method, `/papi/v1/management${path}`, { headers: { "x-api-key": team.key }, body }))
        .body.data;
    const name = "Registration for the summer party of the association, with lodging";
    /** The bar is shown: another name waits. */
    const changed = async (settings: object) => {
      const form = await makeForm(app, team, fields, { settings });
      await call("PATCH", `/forms/${form.id}`, { operations: [{ op: "setMeta", name }] });
      return form;
    };
    const full = await changed({ ...online, availability: { maxSubmissions: 1 } });
    await submit(app, byKey(full, team), { a: "One" });
    const forms = [
      ["Draft", "Entwurf", (await call("POST", "/forms", { name, schema: { fields } })).form],
      ["Online", "Online", await makeForm(app, team, fields, { settings: online })],
      ["Online with changes", "Online, mit Änderungen", await changed(online)],
      [
        ...["Closed", "Geschlossen"],
        await changed({ ...online, availability: { closesAt: "2020-01-01T00:00:00Z" } }),
      ],
      ["Full", "Ausgebucht", full],
      ["Offline", "Offline", await changed({})],
    ];
    const pages = ["", "/share", "/submissions", "/settings", "/mails", "/more", "/publish"];
    for (const [index, locale] of ["en", "de"].entries()) {
      const { page } = await open(app, { cookie, locale, viewport: { width: 320, height: 640 } });
      for (const form of forms)
        for (const end of pages) {
          await page.goto(`/console/forms/${form[2].id}${end}`);
          const top = await page.evaluate(() => {
            const parts = [
              ...document.querySelectorAll("main > :not(.form-head, .tabs, .subtabs, .live-bar)"),
            ];
            return Math.min(
              ...parts
                .filter((part) => part.checkVisibility())
                .map((part) => part.getBoundingClientRect().top),
            );
          });
          const state = await page.locator(".form-head > .badge").textContent();
          expect([end, state, top <= 200, top]).toEqual([end, form[index], true, top]);
        }
    }
  },
);

testInChromium("a menu closes by Escape and elsewhere", async (open) => {
  const { page, path } = await signedIn(open, "admin", { viewport: { width: 320, height: 640 } });
  await page.goto(path);
  for (const menu of [".form-head .menu", ".folded", ".account"]) {
    const summary = page.locator(`${menu} > summary`);
    await summary.click();
    expect(await page.locator(".menu[open]").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator(".menu[open]").count()).toBe(0);
    expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true);
  }
  await page.locator(".form-head .menu > summary").click();
  await page.locator(".account > summary").click();
  expect(await page.locator(".menu[open]").count()).toBe(1);
  await page.locator("h1").click({ position: { x: 5, y: 5 } });
  expect(await page.locator(".menu[open]").count()).toBe(0);
});
