/**
 * What a browser keeps of a form's page: the Back key after a mistake, the draft of a closed tab; and the
 * look that its theme gives it.
 */
import { describe, expect, setDefaultTimeout } from "bun:test";
import { isTooWide, testInChromium, violationsOf } from "../chromium.ts";
import { until } from "../expect.ts";
import { formPages } from "./filled-page.ts";

setDefaultTimeout(120_000);

const { open, published, pathOf } = await formPages();

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  testInChromium(
    "after a mistake the Back key shows each page as it was, and sends nothing again",
    async () => {
      const form = await published([
        { id: "name", type: "text", label: "Name", required: true },
        { id: "email", type: "email", label: "E-mail", required: true },
      ]);
      const { page, faults, context } = await open({ javaScriptEnabled });
      const send = () =>
        Promise.all([page.waitForEvent("load"), page.locator("button[type=submit]").click()]);
      await page.goto(pathOf(form));
      await page.getByLabel("Name").fill("Ada");
      await send();
      await page.getByLabel("E-mail").fill("ada");
      await send();
      await page.getByLabel("E-mail").fill("ada@example.org");
      await send();
      expect(page.url()).toContain("/sent?");
      // What it shows from here on has not been asked for again.
      await context.setOffline(true);
      await page.goBack();
      expect(await page.locator("#summary").textContent()).toContain("must be an e-mail address");
      await page.goBack();
      expect(await page.locator("#summary").textContent()).toContain("Enter a value for “E-mail”");
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});

testInChromium(
  "a draft survives a closed tab, says so, and goes when it is cleared or sent; a sensitive value is never kept",
  async () => {
    const form = await published([
      { id: "name", type: "text", label: "Name", required: true },
      { id: "pin", type: "text", label: "PIN", sensitive: true },
    ]);
    const { page: first, faults, context } = await open();
    const visit = async () => {
      const page = await context.newPage();
      await page.goto(pathOf(form));
      return page;
    };
    const kept = "What you enter is kept in this browser";
    const restored = "What you entered before is here again";
    await first.goto(pathOf(form));
    expect(await first.getByText(kept).isVisible()).toBe(false);
    await first.getByLabel("Name").fill("Ada");
    await first.getByLabel("PIN").fill("1234");
    expect(await first.getByText(kept).isVisible()).toBe(true);
    expect(await first.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("1234");
    await first.close();

    const second = await visit();
    expect(await second.getByText(restored).isVisible()).toBe(true);
    expect(await second.getByLabel("Name").inputValue()).toBe("Ada");
    expect(await second.getByLabel("PIN").inputValue()).toBe("");
    await Promise.all([
      second.waitForEvent("load"),
      second.getByRole("button", { name: "Clear it" }).first().click(),
    ]);
    expect(await second.getByLabel("Name").inputValue()).toBe("");
    expect(await second.getByText(restored).isVisible()).toBe(false);

    await second.getByLabel("Name").fill("Grace");
    await second.locator("button[type=submit]").click();
    await second.waitForURL(/\/sent\?/);
    await until(() => second.evaluate(() => localStorage.length === 0));
    const third = await visit();
    expect(await third.getByLabel("Name").inputValue()).toBe("");
    await third.evaluate(() => {
      const old = { at: Date.now() - 8 * 86_400_000, values: [["name", "Old"]] };
      localStorage.setItem("formd:other", JSON.stringify(old));
    });
    await third.reload();
    expect(await third.evaluate(() => localStorage.length)).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  },
);

testInChromium("a draft in steps has every step that was filled in", async () => {
  const form = await published(
    [
      { id: "name", type: "text", label: "Name", required: true },
      { id: "more", type: "page_break", label: "Your visit" },
      { id: "city", type: "text", label: "City", required: true },
      { id: "note", type: "text", label: "Note", default: "none" },
      { id: "pin", type: "text", label: "PIN", sensitive: true },
    ],
    { layout: "steps" },
  );
  const { page, faults, context } = await open();
  const next = () =>
    Promise.all([page.waitForEvent("load"), page.locator("button[type=submit]").first().click()]);
  await page.goto(pathOf(form));
  await page.getByLabel("Name").fill("Ada");
  await next();
  expect(await page.getByLabel("Note").inputValue()).toBe("none");
  await page.getByLabel("City").fill("Bern");
  await page.goto(pathOf(form));
  expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
  await next();
  expect(await page.getByLabel("City").inputValue()).toBe("Bern");
  await page.getByLabel("PIN").fill("1234");
  await next();
  // The page with all values, when the script keeps what it shows.
  await page.evaluate(() => document.querySelector("form[data-draft]")?.dispatchEvent(new Event("input")));
  const draft = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(draft).toContain("Bern");
  expect(draft).not.toContain("1234");
  await Promise.all([page.waitForURL(/\/sent\?/), page.getByRole("button", { name: "Submit" }).click()]);
  await until(() => page.evaluate(() => localStorage.length === 0));
  expect(faults).toEqual([]);
  await context.close();
});

testInChromium(
  "a theme keeps the page light where people have set dark, and can be read, also as a part of another one",
  async () => {
    const theme = {
      accent: "#8f7300",
      scheme: "light",
      corners: "round",
      imprintUrl: "https://example.org/",
    };
    const fields = [
      { id: "name", type: "text", label: "Name", required: true },
      { id: "grade", type: "rating", label: "Grade" },
    ];
    for (const [scheme, background] of [
      ["light", "rgb(255, 255, 255)"],
      ["dark", "rgb(20, 23, 21)"],
    ] as const) {
      const form = await published(fields, { theme: { ...theme, scheme } });
      const colorScheme = scheme === "light" ? "dark" : "light";
      const { page, faults, context } = await open({ colorScheme, viewport: { width: 320, height: 800 } });
      for (const path of [pathOf(form), `${pathOf(form)}?embed`]) {
        await page.goto(path);
        await page.getByLabel("Name").fill("Ada");
        await page.reload();
        expect(await page.getByText("is here again").isVisible()).toBe(true);
        expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(background);
        expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
      }
      await page.locator("button[type=submit]").click();
      await page.waitForURL(/\/sent\?.*&embed$/);
      expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(true);
      expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
      expect(faults).toEqual([]);
      await context.close();
    }
  },
);
