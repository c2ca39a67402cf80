// stacks: one browser
/** The rows of choices in a browser: by keyboard, by pasting, by dragging, and without a script. */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { building, type Open, testInChromium } from "../chromium.ts";
import { ask, makeForm, makeOperator, makeTeam, permissive, service } from "../setup.ts";

const app = await service(permissive);
const team = await makeTeam(app);
const green = { value: "g", label: "Green", limit: 5 };

/** The rows of a question that is open, and its stored choices. */
async function opened(open: Open, javaScriptEnabled = true) {
  const choices = { type: "select", options: ["Red", green, "Blue"] };
  const form = await makeForm(app, team, [{ id: "a", label: "A", ...choices }]);
  const cookie = await makeOperator(app, team, "admin");
  // Room for all rows: a page that scrolls under the pointer is another drag.
  const viewport = { width: 1280, height: 1400 };
  const { page } = await open(app, { cookie, javaScriptEnabled, viewport });
  await page.goto(`/console/forms/${form.id}?edit=a`);
  const headers = { "x-api-key": team.key };
  return {
    page,
    stored: async () => {
      const { body } = await ask(app, "GET", `/papi/v1/management/forms/${form.id}`, { headers });
      return body.data.form.schema.fields[0].options;
    },
  };
}

const inputs = (page: Page) => page.locator('[name="rule.options.label"]');
const labels = (page: Page) =>
  inputs(page).evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

testInChromium(
  "rows are typed with Enter between them, pasted, moved and removed, and saved",
  async (open) => {
    const { page, stored } = await opened(open);
    await inputs(page).nth(2).press("Enter");
    await page.keyboard.type("Black | 20");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("Choice 5");
    await inputs(page)
      .nth(4)
      .evaluate((input) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "White\r\n\n Grey \n");
        input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      });
    expect([await labels(page), await focused(page)]).toEqual([
      ["Red", "Green", "Blue", "Black | 20", "White", "Grey"],
      "Choice 6",
    ]);
    await button(page, "Move Choice 3 up").press("Enter");
    expect(await focused(page)).toBe("Move Choice 2 up");
    await page.keyboard.press("Enter");
    expect([await labels(page).then(([first]) => first), await focused(page)]).toEqual(["Blue", "Choice 1"]);
    await button(page, "Move Choice 1 down").click();
    await button(page, "Remove: Choice 5").click();
    expect([await labels(page), await focused(page)]).toEqual([
      ["Red", "Blue", "Green", "Black | 20", "Grey"],
      "Choice 5",
    ]);
    await button(page, "Add a choice").click();
    expect(await focused(page)).toBe("Choice 6");
    await page.keyboard.type("Pink");
    await building(page, () => button(page, "Save").click());
    expect(await stored()).toEqual(["Red", "Blue", green, "Black | 20", "Grey", "Pink"]);
  },
);

testInChromium(
  "a row is dragged to its place, and back where it was if it is dropped elsewhere",
  async (open) => {
    const { page } = await opened(open);
    const drag = async (from: number, to: string, y: number) => {
      await page.locator(".handle").nth(from).hover();
      await page.mouse.down();
      const { top, left } = await page
        .locator(to)
        .evaluate((target) => target.getBoundingClientRect().toJSON());
      await page.mouse.move(left + 20, top + y, { steps: 5 });
      await page.mouse.up();
    };
    await drag(0, ".choice-row >> nth=2", 30);
    expect(await labels(page)).toEqual(["Green", "Blue", "Red", ""]);
    await drag(2, "h1", 5);
    expect(await labels(page)).toEqual(["Green", "Blue", "Red", ""]);
    expect(await inputs(page).nth(2).getAttribute("aria-label")).toBe("Choice 3");
  },
);

testInChromium("without a script Enter saves the question, and presses no button of a row", async (open) => {
  const { page, stored } = await opened(open, false);
  await inputs(page).nth(3).fill("Black");
  await Promise.all([page.waitForEvent("load"), inputs(page).first().press("Enter")]);
  expect(await stored()).toEqual(["Red", green, "Blue", "Black"]);
});
