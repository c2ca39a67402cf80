/** Files on the page of a form in a browser: chosen, shown, removed and sent, with and without the script. */
import { describe, expect, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import { focus, isTooWide, useChromium, violationsOf } from "../chromium.ts";
import { submissionCount } from "../expect.ts";
import { cv, fileService, pdf, png } from "../http/files/fixture.ts";
import { makeForm, makeTeam, testRequiring } from "../setup.ts";

setDefaultTimeout(120_000);

const openPage = useChromium();
const app = await fileService();
const team = await makeTeam(app);

const file = (name: string, bytes: Uint8Array, mimeType: string) => ({
  name,
  mimeType,
  buffer: Buffer.from(bytes),
});
/** The response to a post of the page. */
const after = async (page: Page, act: () => Promise<unknown>) => {
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.request().method() === "POST"),
    page.waitForEvent("load"),
    act(),
  ]);
  return response.status();
};

describe.each([
  [320, "dark", false],
  [768, "light", true],
  [1280, "dark", true],
] as const)("at %i px, %s, with script: %p", (width, colorScheme, javaScriptEnabled) => {
  testRequiring("chromium")(
    "files are chosen, survive a mistake, are removed by keyboard and sent",
    async () => {
      const name = { id: "name", type: "text", label: "Name", required: true };
      // axe needs scripts.
      const violations = async (page: Page) =>
        javaScriptEnabled ? await violationsOf(page) : (await isTooWide(page)) ? ["too wide"] : [];
      const form = await makeForm(app, team, [{ ...cv, required: true, label: "Your CV" }, name], {
        settings: { page: { enabled: true } },
      });
      const { page, faults, context } = await openPage(app, {
        javaScriptEnabled,
        colorScheme,
        viewport: { width, height: 900 },
        bypassCSP: true,
      });
      await page.goto(pagePathOf({ team: team.id, form: form.id }));
      expect(await violations(page)).toEqual([]);
      const send = () => page.getByRole("button", { name: "Submit" }).click();
      expect(await after(page, send)).toBe(422);
      expect(await violations(page)).toEqual([]);
      expect(await page.locator("#summary a").allTextContents()).toContain("Choose a file for “Your CV”.");
      const long = `${"a-very-long-name-without-a-place-to-break".repeat(3)}.png`;
      await page
        .getByLabel("Your CV")
        .setInputFiles([file("cv.pdf", pdf, "application/pdf"), file(long, png, "image/png")]);
      expect(await after(page, send)).toBe(422);
      expect(await page.locator(".files li").allInnerTexts()).toEqual([
        `cv.pdf (${pdf.length} bytes) Remove`,
        `${long} (${png.length} bytes) Remove`,
      ]);
      expect(await violations(page)).toEqual([]);
      await focus(page, "Remove");
      expect(await after(page, () => page.keyboard.press("Enter"))).toBe(200);
      expect(await page.locator(".files li").allInnerTexts()).toEqual([
        `${long} (${png.length} bytes) Remove`,
      ]);
      expect(await violations(page)).toEqual([]);
      // The Enter key sends the form; it is not the button beside a file.
      await page.getByLabel("Name").fill("Ada");
      await after(page, () => page.getByLabel("Name").press("Enter"));
      expect(await page.locator("h1").textContent()).toBe("Thank you");
      expect(await page.locator("dd").allInnerTexts()).toEqual([`${long}, ${png.length} bytes`, "Ada"]);
      expect(await violations(page)).toEqual([]);
      expect(await submissionCount(app, form)).toBe(1);
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});
