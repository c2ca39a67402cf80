// stacks: one browser
/** The page on which a form is built, by its script: saved without a page load, and without losing a word. */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { building, type Open, type OpenOptions, testInChromium } from "../chromium.ts";
import { makeForm, makeOperator, makeTeam, permissive, service, type Team } from "../setup.ts";

const app = await service(permissive);

const textField = (id: string) => ({ id, type: "text", label: id.toUpperCase() });

/** A form, and the page on which an operator builds it. */
async function opened(
  open: Open,
  {
    fields = ["a", "b", "c"].map(textField) as object[],
    ...options
  }: OpenOptions & { fields?: object[] } = {},
) {
  const team = await makeTeam(app);
  const form = await makeForm(app, team, fields, {
    settings: { page: { enabled: true } },
  });
  return { team, path: `/console/forms/${form.id}`, ...(await visit(open, team, form.id, options)) };
}

async function visit(open: Open, team: Team, form: string, options: OpenOptions = {}) {
  const watched = await open(app, { ...options, cookie: await makeOperator(app, team, "admin") });
  const { page } = watched;
  let loads = 0;
  page.on("framenavigated", () => loads++);
  await page.goto(`/console/forms/${form}`);
  return { ...watched, loads: () => loads };
}

const labels = (page: Page) => page.locator(".fields strong").allTextContents();
const openCard = (page: Page, label: string) =>
  building(page, () => page.locator(".question", { hasText: label }).first().click());
const question = (page: Page) => page.locator(".card-form [name=label]");
const questions = (page: Page) =>
  question(page).evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
const stateOf = async (page: Page) => (await page.locator(".card-state").allTextContents()).join();
/** A click beside the cards. */
const leave = (page: Page) => building(page, () => page.locator("h1").click());

testInChromium(
  "a question is saved when it is left, without a page load, and so is the next one; Undo takes it back",
  async (open) => {
    const { page, loads } = await opened(open);
    await openCard(page, "A");
    await question(page).fill("First");
    await building(page, () => page.locator(".question", { hasText: "B" }).click());
    expect(await question(page).inputValue()).toBe("B");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("label");
    await question(page).fill("Second");
    await leave(page);
    expect([await labels(page), await stateOf(page)]).toEqual([["First", "Second", "C"], "Saved"]);
    expect(await page.locator("body > [role=status]").textContent()).toBe("“Second” saved.");
    await building(page, () => page.getByRole("button", { name: "Undo" }).click());
    expect([await labels(page), loads()]).toEqual([["First", "B", "C"], 1]);
  },
);

testInChromium(
  "a save that fails says so and keeps what was typed; leaving asks; it is saved once the server is back",
  async (open) => {
    const { page, context, faults } = await opened(open);
    await openCard(page, "A");
    await question(page).fill("Typed");
    await page.route("**/field", (route) => route.abort());
    await leave(page);
    expect(await stateOf(page)).toStartWith("Not saved: the server cannot be reached.");
    expect(await question(page).inputValue()).toBe("Typed");
    await openCard(page, "B");
    expect(await question(page).first().inputValue()).toBe("Typed");
    await page.getByRole("link", { name: "Forms", exact: true }).click();
    expect(faults.filter((fault) => fault.startsWith("dialog"))).toHaveLength(1);
    await page.unroute("**/field");
    await building(page, () => page.evaluate(() => dispatchEvent(new Event("online"))));
    expect(await labels(page)).toEqual(["Typed", "B", "C"]);
    faults.length = 0;
    await context.close();
  },
);

testInChromium("each link between two questions is large enough for a finger, or a pointer", async (open) => {
  for (const [hasTouch, least] of [
    [true, 44],
    [false, 24],
  ] as const) {
    const { page } = await opened(open, { hasTouch, viewport: { width: 320, height: 640 } });
    const boxes = await page
      .locator(".add-here, .add-end a")
      .evaluateAll((links) =>
        links.filter((link) => link.checkVisibility()).map((link) => link.getBoundingClientRect().height),
      );
    expect(boxes.length).toBeGreaterThan(hasTouch ? 1 : 3);
    expect(Math.min(...boxes)).toBeGreaterThanOrEqual(least);
  }
});

testInChromium(
  "a question that is saved is not told as lost if the address of the page after it is refused",
  async (open) => {
    const fields = [{ ...textField("a"), help: "h".repeat(2_000) }, textField("b")];
    const { page, context, faults, path, loads } = await opened(open, { fields });
    // With them the address of the undo is more than a server takes.
    const value = "c".repeat(3_500);
    const url = app.url;
    await context.addCookies(["one", "two", "three", "four"].map((name) => ({ name, value, url })));
    await openCard(page, "A");
    await question(page).fill("First");
    await leave(page);
    expect([await labels(page), await stateOf(page)]).toEqual([["First", "B"], "Saved"]);
    // Chromium's document for a response without a type has styles, which the page's policy refuses.
    const others = faults.splice(0).filter((fault) => !fault.startsWith("Applying inline style"));
    expect(others).toEqual([expect.stringMatching(/^431/)]);
    expect([page.url().endsWith(path), loads()]).toEqual([true, 1]);
  },
);

testInChromium(
  "what the server refuses keeps what was typed beside the reason, and is saved when it is corrected",
  async (open) => {
    const { page, faults } = await opened(open);
    await building(page, () => page.locator(".sheet .edit").first().click());
    const title = page.locator(".card-form [name=name]");
    await title.fill(" ");
    await page.locator(".card-form [name=introduction]").fill("Kept");
    await leave(page);
    expect(await page.locator(".card-form .error").first().textContent()).toContain("Title");
    expect(await page.locator(".card-form [name=introduction]").inputValue()).toBe("Kept");
    await title.fill("Camp");
    await leave(page);
    expect(await page.locator("h1, .page-title").allTextContents()).toEqual(["Camp", "Camp"]);
    expect(await page.locator(".sheet").first().textContent()).toContain("Kept");
    expect(faults.splice(0)).toEqual([expect.stringMatching(/^422|^400/)]);
  },
);

testInChromium("Enter makes the next question, whose type its words tell", async (open) => {
  const { page, loads } = await opened(open, { fields: [] });
  await building(page, () => page.locator("[name='0.label']").press("Tab"));
  await page.locator("[name='0.label']").fill("Your name");
  await building(page, () => page.getByRole("button", { name: "Add the questions" }).click());
  await building(page, () => page.getByRole("link", { name: "Add a question", exact: true }).click());
  for (const label of ["Your e-mail address", "Do you come by car?"]) {
    await question(page).fill(label);
    await building(page, () => page.keyboard.press("Enter"));
  }
  await building(page, () => page.keyboard.press("Enter"));
  expect(await labels(page)).toEqual(["Your name", "Your e-mail address", "Do you come by car?"]);
  expect(await page.locator(".question .kind").allTextContents()).toEqual([
    " Short text",
    " E-mail address",
    " Yes or no",
  ]);
  expect(loads()).toBe(1);
});

testInChromium(
  "the rows of several questions: Enter leads to the next one, and makes one after the last",
  async (open) => {
    const { page } = await opened(open, { fields: [] });
    await page.locator("[name='0.label']").focus();
    for (let row = 1; row <= 9; row++) {
      await page.keyboard.insertText(`Question ${row}`);
      await page.keyboard.press("Enter");
    }
    expect(await page.locator(".question-row").count()).toBe(10);
    await building(page, () => page.getByRole("button", { name: "Add the questions" }).click());
    expect(await labels(page)).toHaveLength(9);
  },
);

testInChromium(
  "of two people on one form the second is told of the change, loses nothing, and may then save",
  async (open) => {
    const { page, team, path, faults } = await opened(open);
    const { page: other } = await visit(open, team, path.replace(/.*\//, ""));
    await openCard(page, "A");
    await question(page).fill("Mine");
    await openCard(other, "A");
    await question(other).fill("Theirs");
    await leave(other);
    await leave(page);
    expect(await question(page).inputValue()).toBe("Mine");
    expect(await page.locator(".card-form").textContent()).toContain("Theirs");
    expect(faults.splice(0)).toEqual([expect.stringMatching(/^409/)]);
    await building(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
    expect(await labels(page)).toEqual(["Mine", "B", "C"]);
  },
);

testInChromium(
  "what is added after another person's change does not let an open card replace that change",
  async (open) => {
    const { page, team, path, faults } = await opened(open);
    const { page: other } = await visit(open, team, path.replace(/.*\//, ""));
    await openCard(page, "A");
    await question(page).fill("Mine");
    await page.route("**/field", (route) => route.abort(), { times: 1 });
    await leave(page);
    await building(page, () => page.getByRole("link", { name: "Add a question", exact: true }).click());
    await openCard(other, "A");
    await question(other).fill("Theirs");
    await leave(other);
    await question(page).last().fill("New");
    await building(page, () => page.keyboard.press("Enter"));
    await building(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
    expect(await page.locator(".card-form").first().textContent()).toContain("Theirs");
    expect(await questions(page)).toEqual(["Mine", ""]);
    expect(faults.splice(0).at(-1)).toStartWith("409");
  },
);

testInChromium(
  "buttons whose press saves another card do what they say: Undo, Remove; so does a link to an error",
  async (open) => {
    const { page, faults } = await opened(open);
    await building(page, () => page.getByRole("link", { name: "Add a question", exact: true }).click());
    await question(page).fill("Name");
    await building(page, () => page.keyboard.press("Enter"));
    await question(page).fill("E-m");
    await building(page, () => page.getByRole("button", { name: "Undo" }).click());
    expect(await labels(page)).toEqual(["A", "B", "C", "E-m"]);
    await openCard(page, "A");
    await question(page).fill("First");
    await page.route("**/field", (route) => route.abort(), { times: 1 });
    await openCard(page, "B");
    await question(page).first().fill("Corrected");
    await building(page, () => page.getByRole("button", { name: "Remove" }).last().click());
    expect(await labels(page)).toEqual(["Corrected", "C", "E-m"]);
    await openCard(page, "C");
    await page.locator(".types summary").click();
    await building(page, () => page.locator(".types [value=select]").check());
    await building(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
    await question(page).fill("Typed");
    await page.locator(".summary a").click();
    expect(await questions(page)).toEqual(["Typed"]);
    expect(await page.evaluate(() => document.activeElement?.closest("fieldset")?.id)).toBe("rule.2eoptions");
    faults.length = 0;
  },
);

testInChromium("a type that is chosen draws the card anew, with what was typed", async (open) => {
  const { page } = await opened(open);
  await openCard(page, "A");
  await question(page).fill("Typed");
  await page.locator(".types summary").click();
  await building(page, () => page.getByText("Rating", { exact: true }).click());
  expect(await question(page).inputValue()).toBe("Typed");
  expect(await page.locator("[name='rule.maximum']").count()).toBe(1);
  await leave(page);
  expect(await page.locator(".question .kind").first().textContent()).toBe(" Rating");
});

testInChromium("twelve questions are at most 60 KB with every script; a hundred stay quick", async (open) => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...textField(`q${index}`),
      ...(index % 3 === 0 && { type: "select", options: ["S", "M", "L", "XL"] }),
    }));
  const { page } = await opened(open, { fields: many(12) });
  const sizes = await page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
      (entry) => (entry as PerformanceResourceTiming).transferSize,
    ),
  );
  console.log(
    "weight",
    sizes,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000);
  const { page: large } = await opened(open, { fields: many(100) });
  await openCard(large, "Q50");
  await question(large).fill("Changed");
  await leave(large);
  expect((await labels(large))[50]).toBe("Changed");
});

/** Ends every session of the team's operators. */
const signOut = (team: Team) =>
  app.database.sql`delete from formd.operator_sessions s where s.team_id = ${team.id}`;

testInChromium(
  "once the session has ended a save, and a card that is drawn anew, lead to the sign-in without a question",
  async (open) => {
    for (const act of [
      (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click(),
      (page: Page) => page.getByText("Rating", { exact: true }).click(),
    ]) {
      const { page, team, faults, context } = await opened(open);
      await openCard(page, "A");
      await question(page).fill("Typed");
      await page.locator(".types summary").click();
      await signOut(team);
      await act(page);
      await page.locator("[name=password]").waitFor();
      expect(await page.locator("[name=values]").inputValue()).toContain("label=Typed");
      expect(faults.splice(0).filter((fault) => !fault.startsWith("401"))).toEqual([]);
      await context.close();
    }
  },
);

testInChromium("what the server cannot save stays where it was typed, with the reason", async (open) => {
  const { page, loads, faults } = await opened(open);
  await openCard(page, "A");
  await question(page).fill("Typed");
  const main = "<main><p class=brand>formd</p><p>Too many requests.</p></main>";
  await page.route("**/field", (route) =>
    route.fulfill({ status: 429, contentType: "text/html", body: main }),
  );
  await building(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
  expect(await stateOf(page)).toContain("Too many requests.");
  expect([await question(page).inputValue(), loads()]).toEqual(["Typed", 1]);
  await page.unroute("**/field");
  await building(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
  expect(await labels(page)).toEqual(["Typed", "B", "C"]);
  expect(faults.splice(0)).toEqual([expect.stringMatching(/^429/)]);
});

testInChromium("text that is typed while a card is drawn anew stays", async (open) => {
  const { page } = await opened(open);
  await openCard(page, "A");
  await page.locator(".types summary").click();
  await page.route(
    "**/field",
    async (route) => {
      await question(page).fill("Typed meanwhile");
      await route.continue();
    },
    { times: 1 },
  );
  await building(page, () => page.getByText("Rating", { exact: true }).click());
  expect(await question(page).inputValue()).toBe("Typed meanwhile");
  expect(await page.locator("[name='rule.maximum']").count()).toBe(1);
});

/** Lets a post of a card wait until what is returned is called. */
async function slowly(page: Page, end = "**/field") {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    end,
    async (route) => {
      await promise;
      await route.continue();
    },
    { times: 1 },
  );
  return resolve;
}

testInChromium(
  "a wrong condition that is corrected before its error arrives is saved when it is left by keyboard",
  async (open) => {
    const fields = [{ id: "a", type: "boolean", label: "A" }, textField("b")];
    const { page, faults } = await opened(open, { fields });
    await openCard(page, "B");
    await building(page, () => page.locator("[name='showIf.0.field']").selectOption("a"));
    const value = page.locator("[name='showIf.0.value']");
    const answer = await slowly(page);
    await page.locator(".tabs a").first().focus();
    await value.focus();
    await page.keyboard.type("Y");
    await page.locator(".tabs a").first().focus();
    await building(page, async () => answer());
    expect(await page.locator(".condition-note").textContent()).toBe("Only if A is Yes");
    expect(await stateOf(page)).toBe("Saved");
    expect(faults.splice(0)).toEqual([expect.stringMatching(/^400/)]);
  },
);

testInChromium("a button that has the focus keeps it when a save draws it anew", async (open) => {
  const { page } = await opened(open);
  for (const name of ["⋯", "Publish"]) {
    await openCard(page, "A");
    await question(page).fill(`A before ${name}`);
    const answer = await slowly(page);
    await page.locator("main button, main summary", { hasText: name }).first().focus();
    await building(page, async () => answer());
    expect(await page.locator("main form button", { hasText: "Publish" }).count()).toBe(1);
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe(name);
  }
});

testInChromium(
  "the focus stays where a person has gone while a card is drawn anew, or a question is moved",
  async (open) => {
    const fields = [{ id: "a", type: "boolean", label: "A" }, textField("b"), textField("c")];
    const { page, faults } = await opened(open, { fields });
    const elsewhere = page.locator(".tabs a").first();
    const hasFocus = () => elsewhere.evaluate((link) => link === document.activeElement);
    const answer = await slowly(page, "**/field/move");
    await page.locator(".question").last().hover();
    await page.getByRole("button", { name: "Move C up" }).click();
    await elsewhere.focus();
    await building(page, async () => answer());
    expect([await labels(page), await hasFocus()]).toEqual([["A", "C", "B"], true]);
    await openCard(page, "B");
    const drawn = await slowly(page);
    await page.locator("[name='showIf.0.field']").selectOption("a");
    await elsewhere.focus();
    await building(page, async () => drawn());
    expect(await page.locator("[name='showIf.0.value'] option").count()).toBeGreaterThan(1);
    expect(await hasFocus()).toBe(true);
    // A condition without its value.
    expect(faults.splice(0)).toEqual([expect.stringMatching(/^400/)]);
  },
);

testInChromium(
  "another person removes a question: the page says so, and what was typed in it stays and can be added",
  async (open) => {
    const { page, team, path, loads, faults } = await opened(open);
    const { page: other } = await visit(open, team, path.replace(/.*\//, ""));
    await openCard(page, "A");
    await question(page).fill("Typed");
    for (const label of ["A", "B"]) {
      await openCard(other, label);
      await building(other, () => other.getByRole("button", { name: "Remove" }).click());
    }
    await leave(page);
    expect(await stateOf(page)).toBe("This question was removed meanwhile.");
    await openCard(page, "B");
    expect(await page.locator(".build > .notice").textContent()).toBe("This question was removed meanwhile.");
    expect(await page.locator("body > [role=status]").textContent()).toBe(
      "This question was removed meanwhile.",
    );
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("notice error");
    expect([await question(page).inputValue(), await labels(page)]).toEqual(["Typed", ["C"]]);
    await building(page, () => page.getByRole("link", { name: "Add a question", exact: true }).click());
    await question(page).first().fill("New");
    await building(page, () => page.keyboard.press("Enter"));
    expect(await questions(page)).toEqual(["", "Typed"]);
    await openCard(page, "C");
    expect(await questions(page)).toEqual(["C", "Typed"]);
    await building(page, () => page.getByRole("button", { name: "Add", exact: true }).click());
    expect([await labels(page), loads()]).toEqual([["C", "New", "Typed"], 1]);
    expect(faults.splice(0)).toEqual([expect.stringMatching(/^404/), expect.stringMatching(/^404/)]);
  },
);

testInChromium(
  "on a slow network a button that is pressed twice acts once, and an arrow moves a question after a save",
  async (open) => {
    const { page } = await opened(open);
    await building(page, () => page.getByRole("link", { name: "Add a question", exact: true }).click());
    await question(page).fill("New");
    const answer = await slowly(page, "**/field/new");
    await page.keyboard.press("Enter");
    await page.locator(".card-form form").evaluate((form: HTMLFormElement) => form.requestSubmit());
    await building(page, async () => answer());
    expect(await page.locator(".question strong").allTextContents()).toEqual(["A", "B", "C", "New"]);
    await openCard(page, "A");
    await question(page).fill("First");
    await page.locator(".question", { hasText: "New" }).hover();
    await building(page, () => page.getByRole("button", { name: "Move New up" }).click());
    expect(await labels(page)).toEqual(["First", "B", "New", "C"]);
    const twice = async (name: string, end: string) => {
      const answer = await slowly(page, `**/field/${end}`);
      await page.getByRole("button", { name }).dblclick();
      await building(page, async () => answer());
    };
    await openCard(page, "B");
    await question(page).fill("Given up");
    await twice("Remove", "remove");
    expect([await labels(page), await questions(page)]).toEqual([["First", "New", "C"], []]);
    await twice("Undo", "restore");
    await openCard(page, "B");
    await question(page).fill("Second");
    await twice("Copy", "copy");
    expect(await labels(page)).toEqual(["First", "Second", "B (copy)", "New", "C"]);
  },
);

const drag = (page: Page) =>
  page
    .locator(".question")
    .first()
    .dragTo(page.locator(".fields > li").nth(2), {
      sourcePosition: { x: 5, y: 30 },
      targetPosition: { x: 5, y: 90 },
    });

testInChromium(
  "a dragged question whose move the server refuses leaves the order that is stored, with the reason",
  async (open) => {
    const { page, team, path, faults } = await opened(open);
    const { page: other } = await visit(open, team, path.replace(/.*\//, ""));
    await other.locator(".question").last().hover();
    await building(other, () => other.getByRole("button", { name: "Move C up" }).click());
    await building(page, () => drag(page));
    expect(await labels(page)).toEqual(["A", "C", "B"]);
    expect(await page.locator(".notice.error").textContent()).toContain("The form was changed");
    expect(faults.splice(0)).toEqual([expect.stringMatching(/^409/)]);
  },
);

testInChromium(
  "once the session has ended a dragged move leads to the sign-in, which keeps it",
  async (open) => {
    const { page, team, faults } = await opened(open);
    await signOut(team);
    await drag(page);
    await page.locator("[name=password]").waitFor();
    expect(await page.locator("[name=values]").inputValue()).toContain("id=a&toIndex=2");
    expect(faults.splice(0)).toEqual([expect.stringMatching(/^401/)]);
  },
);
