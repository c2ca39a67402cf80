/** Files on the page of a form in a browser: chosen, shown, removed and sent, with and without the script. */
import { describe, expect, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import { focus, isTooWide, testInChromium, useChromium, violationsOf } from "../chromium.ts";
import { submissionCount } from "../expect.ts";
import { anything, cv, fileService, pdf, png } from "../http/files/fixture.ts";
import { makeForm, makeTeam, type PublishedForm } from "../setup.ts";

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
  testInChromium("files are chosen, survive a mistake, are removed by keyboard and sent", async () => {
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
    const choose = () =>
      page
        .getByLabel("Your CV")
        .setInputFiles([file("cv.pdf", pdf, "application/pdf"), file(long, png, "image/png")]);
    await choose();
    // With the script they are sent at once.
    if (javaScriptEnabled) await page.locator(".files li").nth(1).waitFor();
    else expect(await after(page, send)).toBe(422);
    expect(await page.locator(".files li").allInnerTexts()).toEqual([
      `cv.pdf (${pdf.length} bytes) Remove`,
      `${long} (${png.length} bytes) Remove`,
    ]);
    expect(await violations(page)).toEqual([]);
    await focus(page, "Remove");
    if (javaScriptEnabled) {
      await page.keyboard.press("Enter");
      await page.locator(".files li").nth(1).waitFor({ state: "detached" });
      expect(await page.locator(".files + [role=status]").textContent()).toBe(
        `Removed: cv.pdf (${pdf.length} bytes)`,
      );
      expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("file");
    } else expect(await after(page, () => page.keyboard.press("Enter"))).toBe(200);
    expect(await page.locator(".files li").allInnerTexts()).toEqual([`${long} (${png.length} bytes) Remove`]);
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
  });
});

describe("with the script", () => {
  const name = { id: "name", type: "text", label: "Name", required: true };
  const formOf = (...fields: object[]) =>
    makeForm(app, team, [...fields, name], { settings: { page: { enabled: true } } });
  const open = async (form: PublishedForm, width = 320) => {
    const opened = await openPage(app, { viewport: { width, height: 900 }, bypassCSP: true });
    await opened.page.goto(pagePathOf({ team: team.id, form: form.id }));
    return opened;
  };
  /** Drops files on what a selector finds. */
  const drop = async (page: Page, selector: string, ...names: string[]) => {
    const data = await page.evaluateHandle((all) => {
      const data = new DataTransfer();
      for (const each of all) data.items.add(new File(["a"], each, { type: "text/plain" }));
      return data;
    }, names);
    await page.dispatchEvent(selector, "dragover", { dataTransfer: data });
    await page.dispatchEvent(selector, "drop", { dataTransfer: data });
  };
  const listed = (page: Page) => page.locator(".files li span:not(.quiet)").allInnerTexts();
  const stored = async (form: PublishedForm) =>
    (
      await app.database.sql<{ names: string[] }[]>`
        select array(select f ->> 'name' from jsonb_array_elements(data -> 'any') f) as names
        from formd.submissions where form_id = ${form.id}`
    )[0]?.names;

  testInChromium("a file shows its progress, and the form waits for it", async () => {
    const form = await formOf(anything);
    const { page, faults, context } = await open(form);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/steps", async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Anything").setInputFiles([file("a.txt", new Uint8Array([65]), "text/plain")]);
    await page.getByRole("progressbar", { name: "Uploading…" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Submit" }).click();
    expect(await stored(form)).toBeUndefined();
    release();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(await stored(form)).toEqual(["a.txt"]);
    expect(faults).toEqual([]);
    await context.close();
  });

  testInChromium("several are dropped, one field takes one, and a mistake is said beside it", async () => {
    const one = { id: "one", type: "file", label: "One", validation: { maxItems: 1, accept: ["text/*"] } };
    const form = await formOf(anything, one);
    const { page, faults, context } = await open(form, 768);
    await page.getByLabel("Name").fill("Ada");
    await drop(page, "h1", "beside.txt");
    await drop(page, ".files >> nth=0", "a.txt", "b.txt");
    await page.getByText("Uploaded: a.txt, b.txt").waitFor();
    await drop(page, ".files >> nth=1", "c.txt", "d.txt");
    await page.getByText("Uploaded: c.txt").waitFor();
    expect((await listed(page)).map((each) => each.split(" ")[0])).toEqual(["a.txt", "b.txt", "c.txt"]);
    await page.getByLabel("One").setInputFiles([file("e.png", png, "image/png")]);
    await page.locator(".files .error").waitFor();
    expect(await page.locator(".files .error").textContent()).toContain("of a type that is not accepted");
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(await stored(form)).toEqual(["a.txt", "b.txt"]);
    expect(faults).toEqual([]);
    await context.close();
  });

  testInChromium("a file that could not be sent goes with the form", async () => {
    const form = await formOf(anything);
    const { page, context } = await open(form);
    await page.getByLabel("Name").fill("Ada");
    await page.route("**/steps", (route) => route.abort());
    await page.getByLabel("Anything").setInputFiles([file("a.txt", new Uint8Array([65]), "text/plain")]);
    await page.getByText("Uploading did not succeed.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(await stored(form)).toEqual(["a.txt"]);
    await context.close();
  });
});
