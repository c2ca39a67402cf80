// stacks: one browser
/** The languages of a form on a phone, by keyboard and without a script. */
import { expect } from "bun:test";
import { isTooWide, testInChromium, violationsOf } from "../chromium.ts";
import { makeForm, makeOperator, makeTeam, service } from "../setup.ts";

const app = await service();

testInChromium(
  "a language is added and made the first by keyboard, and each page fits a phone",
  async (open) => {
    const team = await makeTeam(app);
    const translations = { ar: { label: "ما اسمك؟" } };
    const form = await makeForm(app, team, [
      { id: "name", type: "text", label: "Your name", description: "In full", translations },
    ]);
    const cookie = await makeOperator(app, team, "admin");
    const viewport = { width: 320, height: 800 };
    const { page, faults } = await open(app, { cookie, viewport, javaScriptEnabled: false });
    const path = `/console/forms/${form.id}`;
    await page.goto(`${path}/languages`);
    await page.getByLabel("Or its code").focus();
    await page.keyboard.type("ar-EG");
    await page.keyboard.press("Enter");
    await page.getByText("Arabic (Egypt) added").waitFor();
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add the language: Arabic" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("summary", { hasText: "Make it the first" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Arabic is the first language now.").waitFor();
    const of = { ...(await open(app, { cookie, viewport })) };
    for (const end of ["/languages", "", "?lang=en", "/publish"]) {
      await of.page.goto(path + end);
      expect([end, await isTooWide(of.page), await violationsOf(of.page)]).toEqual([end, false, []]);
    }
    expect([faults, of.faults]).toEqual([[], []]);
  },
);
