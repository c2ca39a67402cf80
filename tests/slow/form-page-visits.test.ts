// stacks: one browser
/**
 * Visits of a form's page in a browser: what its script adds, what the browser keeps (the Back key, drafts),
 * steps, themes, frames, files and the proof of work. A visit that has two views is made in both.
 */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  focus,
  isTooWide,
  type OpenOptions,
  press,
  testInChromium,
  violationsOf,
  type Watched,
} from "../chromium.ts";
import { until } from "../expect.ts";
import { anything, cv, fileService, pdf, png } from "../http/files/fixture.ts";
import { formsOf } from "../http/form-page/fixture.ts";
import { makeTeam } from "../setup.ts";
import { entered, sendToEnd, statusAfter } from "./filled-page.ts";

const app = await fileService({ CAPTCHA_PROVIDER: "altcha" });
const { published, pathOf, stored, republish } = formsOf(app, await makeTeam(app));

interface Visit {
  fields: object[];
  page?: object;
  settings?: object;
  /** Options of each view; by default one view, with the script. */
  views?: Record<string, OpenOptions>;
  /** Begins on the page of the form. */
  act(at: At): Promise<void>;
  /** Submissions that the form has stored at the end, with the names of files. */
  stores: Record<string, unknown>[];
}

interface At extends Watched {
  path: string;
  hasScript: boolean;
  /** Another page of the same browser. */
  another(): Promise<Page>;
  /** Changes the form, and publishes it. */
  republish(operations: object[]): Promise<void>;
  /** Submissions stored so far. */
  stored(): Promise<Record<string, unknown>[]>;
}

const narrow = { width: 320, height: 800 };
const withAndWithout = {
  "with the script": { viewport: narrow },
  "without a script": { viewport: narrow, javaScriptEnabled: false },
};

const text = (id: string, label: string, rest: object = {}) => ({ id, type: "text", label, ...rest });
const name = text("name", "Name", { required: true });
const pin = text("pin", "PIN", { sensitive: true });
const pageBreak = (id: string, label: string) => ({ id, type: "page_break", label });

const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...localStorage }));
const isNothingKept = (page: Page) => until(() => page.evaluate(() => localStorage.length === 0));
const isKept = (page: Page) => until(() => page.evaluate(() => localStorage.length > 0));
const isShown = (page: Page, words: string) => page.getByText(words).isVisible();
const thanks = (page: Page) => page.getByRole("heading", { name: "Thank you" }).waitFor();
/** One of the two navigations of a double click may end the other, which would end waitForURL as well. */
const pressTwice = async (page: Page) => {
  await page.locator("button[type=submit]").dblclick({ noWaitAfter: true });
  await until(() => page.url().includes("/sent?"));
  await page.waitForLoadState();
};

const file = (fileName: string, bytes: Uint8Array, mimeType: string) => ({
  name: fileName,
  mimeType,
  buffer: Buffer.from(bytes),
});
const letter = file("a.txt", new Uint8Array([65]), "text/plain");
const listed = (page: Page) => page.locator(".files li").allInnerTexts();
/** Drops files on what a selector finds. */
const drop = async (page: Page, selector: string, ...names: string[]) => {
  const dataTransfer = await page.evaluateHandle((all) => {
    const data = new DataTransfer();
    for (const each of all) data.items.add(new File(["a"], each, { type: "text/plain" }));
    return data;
  }, names);
  await page.dispatchEvent(selector, "dragover", { dataTransfer });
  await page.dispatchEvent(selector, "drop", { dataTransfer });
};

const visits: Record<string, Visit> = {
  "the script counts characters; an address fills in over what was kept; two clicks store one submission": {
    fields: [
      { id: "note", type: "textarea", label: "Note", validation: { maxLength: 10 } },
      { id: "colour", type: "multi_select", label: "Colour", options: ["red", "green", "blue"] },
      text("city", "City", { prefill: true }),
    ],
    async act({ page, path }) {
      await page.locator("#city").fill("Bonn");
      await page.goto(`${path}?city=Berlin`);
      expect(await page.locator("#city").inputValue()).toBe("Berlin");
      await page.goto(path);
      expect(await page.locator("#city").inputValue()).toBe("Bonn");
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
      await pressTwice(page);
    },
    stores: [{ note: "Hello", colour: ["green"] }],
  },

  "with a proof of work two clicks store one submission as well, and no other site is asked": {
    // A field of this name hides the form's own method.
    fields: [text("submit", "Name")],
    settings: { captcha: { enabled: true } },
    views: {
      "at 320 px, dark": { viewport: narrow, colorScheme: "dark", bypassCSP: true },
      "under its policy": {},
    },
    async act({ page }) {
      if (page.viewportSize()?.width === narrow.width) expect(await violationsOf(page)).toEqual([]);
      await page.getByLabel("Name").fill("Ada");
      await pressTwice(page);
    },
    stores: [{ submit: "Ada" }],
  },

  "after Back the same values are stored once; for others the page says that the first ones are": {
    fields: [name, { id: "size", type: "select", label: "Size", options: ["s", "m"] }],
    views: withAndWithout,
    async act({ page, path }) {
      await page.goto(path);
      await page.getByLabel("Name").fill("Ada");
      await press(page, "Submit");
      const reference = await page.locator(".reference").textContent();
      for (const _ of ["first", "second"]) {
        await page.goBack();
        expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
        await press(page, "Submit");
        expect(await page.locator(".reference").textContent()).toBe(reference);
      }
      await page.goBack();
      await page.getByLabel("Name").fill("Ada Lovelace");
      await press(page, "Submit");
      expect(await page.locator("main").textContent()).toContain("already");
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada Lovelace");
    },
    stores: [{ name: "Ada" }],
  },

  "a page with a proof of work is one submission after Back too": {
    fields: [name],
    settings: { captcha: { enabled: true } },
    async act({ page }) {
      await page.getByLabel("Name").fill("Ada");
      await press(page, "Submit");
      const reference = await page.locator(".reference").textContent();
      await page.goBack();
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
      await press(page, "Submit");
      expect(await page.locator(".reference").textContent()).toBe(reference);
    },
    stores: [{ name: "Ada" }],
  },

  "the same draft in two tabs is one submission; for other answers the second tab says that the first are sent":
    {
      fields: [name],
      async act({ page, path, another }) {
        await page.getByLabel("Name").fill("Ada");
        await isKept(page);
        const [same, other] = [await another(), await another()];
        for (const tab of [same, other]) await tab.goto(path);
        await press(page, "Submit");
        const reference = await page.locator(".reference").textContent();
        await press(same, "Submit");
        expect(await same.locator(".reference").textContent()).toBe(reference);
        await other.getByLabel("Name").fill("Grace");
        await press(other, "Submit");
        expect(await isShown(other, "You have already sent this form")).toBe(true);
        expect(await other.getByLabel("Name").inputValue()).toBe("Grace");
        await press(other, "Submit");
        await thanks(other);
      },
      stores: [{ name: "Ada" }, { name: "Grace" }],
    },

  "two tabs that were filled in separately are two submissions": {
    fields: [name],
    views: withAndWithout,
    async act({ page, path, another }) {
      const other = await another();
      await other.goto(path);
      for (const tab of [page, other]) {
        await tab.getByLabel("Name").fill("Ada");
        await press(tab, "Submit");
        await thanks(tab);
      }
    },
    stores: [{ name: "Ada" }, { name: "Ada" }],
  },

  "a page that is loaded again after Back is the same one, and a reload after sending sends nothing": {
    fields: [name],
    async act({ page }) {
      await page.getByLabel("Name").fill("Ada");
      await press(page, "Submit");
      const reference = await page.locator(".reference").textContent();
      await page.reload();
      await page.goBack();
      await page.reload();
      await page.getByLabel("Name").fill("Ada");
      await press(page, "Submit");
      expect(await page.locator(".reference").textContent()).toBe(reference);
    },
    stores: [{ name: "Ada" }],
  },

  "a page that was open for longer than its key is remembered asks before it stores, and loses nothing": {
    fields: [name],
    views: withAndWithout,
    async act({ page }) {
      await page.getByLabel("Name").fill("Ada");
      await page.locator("[name='formd.key']").evaluate((key: HTMLInputElement) => {
        const [, ...random] = key.value.split("-");
        key.value = [(Date.now() - 9 * 86_400_000).toString(36), ...random].join("-");
      });
      await press(page, "Submit");
      expect(await isShown(page, "open for more than a week")).toBe(true);
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
      await press(page, "Submit");
      await thanks(page);
    },
    stores: [{ name: "Ada" }],
  },

  "after a mistake the Back key shows each page as it was, and sends nothing again": {
    fields: [name, { id: "email", type: "email", label: "E-mail", required: true }],
    views: withAndWithout,
    async act({ page, context }) {
      await page.getByLabel("Name").fill("Ada");
      for (const email of ["", "ada", "ada@example.org"]) {
        await page.getByLabel("E-mail").fill(email);
        await press(page, "Submit");
      }
      expect(page.url()).toContain("/sent?");
      // Pages shown from here on are not requested again.
      await context.setOffline(true);
      await page.goBack();
      expect(await page.locator("#summary").textContent()).toContain("enter an e-mail address, such as");
      await page.goBack();
      expect(await page.locator("#summary").textContent()).toContain("E-mail: enter your e-mail address.");
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
    },
    stores: [{ name: "Ada", email: "ada@example.org" }],
  },

  "a draft survives a closed tab, says so, and goes when it is cleared or sent; a sensitive value is never kept":
    {
      fields: [name, pin],
      async act({ page: first, another }) {
        const restored = "Your earlier answers are here again";
        expect(await isShown(first, "What you enter is kept in this browser")).toBe(false);
        await first.getByLabel("Name").fill("Ada");
        await first.getByLabel("PIN").fill("open sesame");
        expect(await isShown(first, "What you enter is kept in this browser")).toBe(true);
        expect(await kept(first)).not.toContain("sesame");
        await first.close();

        const second = await another();
        const shown = await isShown(second, restored);
        expect([shown, await entered(second)]).toEqual([true, [["name", "Ada"]]]);
        await press(second, "Clear it");
        expect([await isShown(second, restored), await entered(second)]).toEqual([false, []]);

        await second.getByLabel("Name").fill("Grace");
        await sendToEnd(second);
        await isNothingKept(second);
        const third = await another();
        expect(await entered(third)).toEqual([]);
        await third.evaluate(() => {
          const old = { at: Date.now() - 8 * 86_400_000, values: [["name", "Old"]] };
          localStorage.setItem("formd:other", JSON.stringify(old));
        });
        await third.reload();
        expect(await third.evaluate(() => localStorage.length)).toBe(0);
      },
      stores: [{ name: "Grace" }],
    },

  "a draft that was written in another language is without its numbers and days": {
    fields: [name, { id: "amount", type: "number", label: "Amount", default: 7.5 }],
    page: { language: "de" },
    async act({ page, republish }) {
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Amount").fill("1.234");
      await page.reload();
      expect(await entered(page)).toEqual([
        ["name", "Ada"],
        ["amount", "1.234"],
      ]);
      await republish([{ op: "setMeta", settings: { page: { language: "en" } } }]);
      await page.reload();
      expect(await entered(page)).toEqual([
        ["name", "Ada"],
        ["amount", "7.5"],
      ]);
    },
    stores: [],
  },

  "a draft in steps has every step that was filled in": {
    fields: [
      name,
      pageBreak("more", "Your visit"),
      text("city", "City", { required: true }),
      text("note", "Note", { default: "none" }),
      pin,
    ],
    page: { layout: "steps" },
    async act({ page, path }) {
      await page.getByLabel("Name").fill("Ada");
      await press(page, "Continue");
      expect(await page.getByLabel("Note").inputValue()).toBe("none");
      await page.getByLabel("City").fill("Bern");
      await page.goto(path);
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
      await press(page, "Continue");
      expect(await page.getByLabel("City").inputValue()).toBe("Bern");
      await page.getByLabel("PIN").fill("open sesame");
      await press(page, "Continue");
      // The page with all values, when the script keeps what it shows.
      await page.evaluate(() =>
        document.querySelector("form[data-draft]")?.dispatchEvent(new Event("input")),
      );
      const draft = await kept(page);
      expect([draft.includes("Bern"), draft.includes("sesame")]).toEqual([true, false]);
      await sendToEnd(page);
      await isNothingKept(page);
    },
    stores: [{ name: "Ada", city: "Bern", note: "none", pin: "open sesame" }],
  },

  "in steps the Back key shows an earlier step as it was; the values are checked, changed and sent": {
    fields: [
      name,
      pageBreak("more", "Your visit"),
      { id: "day", type: "date", label: "Day", required: true },
      pageBreak("end", "Consent"),
      { id: "agree", type: "consent", label: "I agree", required: true },
    ],
    page: { layout: "steps" },
    views: withAndWithout,
    async act({ page, context, hasScript }) {
      const heading = () => page.locator("h2").first().textContent();
      await page.getByLabel("Name").fill("Ada");
      await press(page, "Continue");
      await page.getByLabel("Day").fill("2026-11-20");
      await press(page, "Continue");
      expect(await heading()).toBe("Step 3 of 3 Consent");
      await page.goBack();
      expect(await heading()).toBe("Step 2 of 3 Your visit");
      await page.getByLabel("Day").fill("2026-11-21");
      await press(page, "Continue");
      await press(page, "Back");
      expect(await page.getByLabel("Day").inputValue()).toBe("2026-11-21");
      await press(page, "Continue");
      await page.getByLabel("I agree").check();
      await press(page, "Continue");
      expect(await page.locator("h1").textContent()).toBe("Check your answers");
      expect(await page.locator("dd").allTextContents()).toEqual(["Ada", "21 November 2026", "Yes"]);
      await press(page, "Change");
      await page.getByLabel("Name").fill("Grace");
      await press(page, "Continue");
      await page.goBack();
      expect(await page.getByLabel("Name").count()).toBe(1);
      await page.goForward();
      await press(page, "Submit");
      const copy = page.getByRole("button", { name: "Copy" });
      expect(await copy.isVisible()).toBe(hasScript);
      if (!hasScript) return;
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await copy.click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe((await page.locator(".reference").textContent()) ?? "");
    },
    stores: [{ name: "Grace", day: "2026-11-21", agree: true }],
  },

  "files are chosen, survive a mistake, are removed by keyboard and sent": {
    fields: [{ ...cv, required: true, label: "Your CV" }, name],
    views: {
      "with the script": { viewport: narrow, colorScheme: "dark", bypassCSP: true },
      "without a script": { viewport: narrow, javaScriptEnabled: false },
    },
    async act({ page, hasScript }) {
      // axe needs scripts.
      const violations = async () =>
        hasScript ? await violationsOf(page) : (await isTooWide(page)) ? ["too wide"] : [];
      const send = () => statusAfter(page, () => page.getByRole("button", { name: "Submit" }).click());
      expect([await send(), await violations()]).toEqual([422, []]);
      expect(await page.locator("#summary a").allTextContents()).toContain("Your CV: choose a file.");
      const long = `${"a-very-long-name-without-a-place-to-break".repeat(3)}.png`;
      await page
        .getByLabel("Your CV")
        .setInputFiles([file("cv.pdf", pdf, "application/pdf"), file(long, png, "image/png")]);
      // With the script they are sent at once.
      if (hasScript) await page.locator(".files li").nth(1).waitFor();
      else expect(await send()).toBe(422);
      const second = `${long} (${png.length} bytes) Remove`;
      expect(await listed(page)).toEqual([`cv.pdf (${pdf.length} bytes) Remove`, second]);
      expect(await violations()).toEqual([]);
      await focus(page, "Remove");
      if (hasScript) {
        await page.keyboard.press("Enter");
        await page.locator(".files li").nth(1).waitFor({ state: "detached" });
        expect(await page.locator(".files + [role=status]").textContent()).toBe(
          `Removed: cv.pdf (${pdf.length} bytes)`,
        );
        expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("file");
      } else expect(await statusAfter(page, () => page.keyboard.press("Enter"))).toBe(200);
      expect(await listed(page)).toEqual([second]);
      // The Enter key sends the form; it is not the button beside a file.
      await page.getByLabel("Name").fill("Ada");
      await statusAfter(page, () => page.getByLabel("Name").press("Enter"));
      await thanks(page);
      expect(await page.locator("dd").allInnerTexts()).toEqual([`${long}, ${png.length} bytes`, "Ada"]);
      expect(await violations()).toEqual([]);
    },
    stores: [{ cv: [`${"a-very-long-name-without-a-place-to-break".repeat(3)}.png`], name: "Ada" }],
  },

  "a file shows its progress, and the form waits for it": {
    fields: [anything, name],
    views: { "at 320 px": { viewport: narrow, bypassCSP: true } },
    async act({ page, stored }) {
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await page.route("**/steps", async (route) => {
        await isReleased;
        await route.continue();
      });
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Anything").setInputFiles([letter]);
      await page.getByRole("progressbar", { name: "Uploading…" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Submit" }).click();
      expect(await stored()).toEqual([]);
      release();
      await thanks(page);
    },
    stores: [{ any: ["a.txt"], name: "Ada" }],
  },

  "several files are dropped, one field takes one, and a mistake is said beside it": {
    fields: [
      anything,
      { id: "one", type: "file", label: "One", validation: { maxItems: 1, accept: ["text/*"] } },
      name,
    ],
    views: { "at 768 px": { viewport: { width: 768, height: 900 }, bypassCSP: true } },
    async act({ page }) {
      await page.getByLabel("Name").fill("Ada");
      await drop(page, "h1", "beside.txt");
      await drop(page, ".files >> nth=0", "a.txt", "b.txt");
      await page.getByText("Uploaded: a.txt, b.txt").waitFor();
      await drop(page, ".files >> nth=1", "c.txt", "d.txt");
      await page.getByText("Uploaded: c.txt").waitFor();
      expect((await listed(page)).map((each) => each.split(" ")[0])).toEqual(["a.txt", "b.txt", "c.txt"]);
      await page.getByLabel("One").setInputFiles([file("e.png", png, "image/png")]);
      await page.locator(".files .error").waitFor();
      expect(await page.locator(".files .error").textContent()).toContain("This file is not a");
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
      await page.getByRole("button", { name: "Submit" }).click();
      await thanks(page);
    },
    stores: [{ any: ["a.txt", "b.txt"], one: ["c.txt"], name: "Ada" }],
  },

  "a file that could not be sent goes with the form": {
    fields: [anything, name],
    views: { "at 320 px": { viewport: narrow, bypassCSP: true } },
    async act({ page, faults }) {
      await page.getByLabel("Name").fill("Ada");
      await page.route("**/steps", (route) => route.abort());
      await page.getByLabel("Anything").setInputFiles([letter]);
      await page.getByText("Uploading did not succeed.").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Submit" }).click();
      await thanks(page);
      // The request that was made to fail.
      faults.length = 0;
    },
    stores: [{ any: ["a.txt"], name: "Ada" }],
  },
};

for (const [scheme, background, colorScheme] of [
  ["light", "rgb(255, 255, 255)", "dark"],
  ["dark", "rgb(20, 23, 21)", "light"],
] as const)
  visits[
    `a theme keeps the page ${scheme} where people have set ${colorScheme}, and can be read, also as a part of another one`
  ] = {
    fields: [name, { id: "grade", type: "rating", label: "Grade" }],
    page: { theme: { accent: "#8f7300", scheme, corners: "round", imprintUrl: "https://example.org/" } },
    views: { "at 320 px": { colorScheme, viewport: narrow, bypassCSP: true } },
    async act({ page, path }) {
      const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect([await colour(), await isTooWide(page)]).toEqual([background, false]);
      await page.goto(`${path}?embed`);
      await page.getByLabel("Name").fill("Ada");
      await page.reload();
      expect(await isShown(page, "are here again")).toBe(true);
      expect([await colour(), await violationsOf(page)]).toEqual([background, []]);
      await sendToEnd(page);
      expect(page.url()).toEndWith("&embed");
      expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(true);
      expect(await violationsOf(page)).toEqual([]);
    },
    stores: [{ name: "Ada" }],
  };

for (const [what, visit] of Object.entries(visits))
  for (const [view, options] of Object.entries(visit.views ?? { "": {} }))
    testInChromium(view ? `${what}; ${view}` : what, async (open) => {
      const form = await published(visit.fields, visit.page, visit.settings);
      const watched = await open(app, options);
      const path = pathOf(form);
      await watched.page.goto(path);
      const storedNow = async () =>
        (await stored(form)).map((data) =>
          Object.fromEntries(
            Object.entries(data).map(([id, value]) => [
              id,
              isFiles(value) ? value.map(({ name }) => name) : value,
            ]),
          ),
        );
      const another = async () => {
        const page = await watched.context.newPage();
        await page.goto(path);
        return page;
      };
      const hasScript = options.javaScriptEnabled !== false;
      await visit.act({
        ...watched,
        path,
        hasScript,
        another,
        republish: (operations) => republish(form, operations),
        stored: storedNow,
      });
      expect(await storedNow()).toEqual(visit.stores);
    });

const isFiles = (value: unknown): value is { name: string }[] =>
  Array.isArray(value) && typeof value[0] === "object";

testInChromium(
  "in a frame of a named origin the form can be sent and has its height; a frame of another origin stays empty",
  async (open) => {
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
    // Higher than the frame is at first.
    const long = Array.from({ length: 12 }, (_, index) => text(`f${index}`, "Text", { required: true }));
    path = pathOf(await published(long, { embedOrigins: [origin] }));
    const { page, faults } = await open({ url: origin }, { viewport: { width: 1280, height: 800 } });
    await page.goto(origin);
    const height = () =>
      page.evaluate(() => document.querySelector("iframe")?.getBoundingClientRect().height ?? 0);
    await until(async () => (await height()) > 800);
    const inside = page.frames()[1];
    // The frame is of another process, which learns its height later.
    await until(() => inside?.evaluate(() => document.documentElement.scrollHeight === window.innerHeight));
    const [filled] = await Promise.all([
      page.waitForResponse((each) => each.request().method() === "POST"),
      inside?.locator("button[type=submit]").click(),
    ]);
    expect(filled?.status()).toBe(422);
    await inside?.locator("#summary").waitFor();

    await page.goto(`http://localhost:${other.port}`);
    await until(() => page.frames()[1]?.url().startsWith("chrome-error:"));
    // Another site is the point of it.
    faults.length = 0;
    await Promise.all([named.stop(true), other.stop(true)]);
  },
);

testInChromium(
  "in a frame with a sandbox the form looks as elsewhere, follows its conditions, and is sent with a file and a proof of work",
  async (open) => {
    const logic = [
      { id: "pet", type: "boolean", label: "Pet" },
      text("kind", "Kind", { showIf: "data.pet == true" }),
    ];
    const origins = { embedOrigins: ["*"] };
    const form = await published([name, ...logic, cv], origins, { captcha: { enabled: true } });
    const frame = `<iframe sandbox="allow-scripts allow-forms" width="600" height="900" src="${app.url}${pathOf(form)}" title="Form"></iframe>`;
    const site = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(`<!doctype html><title>Site</title>${frame}`, {
          headers: { "content-type": "text/html" },
        }),
    });
    const { page, faults, context } = await open(
      { url: site.url.origin },
      { viewport: { width: 640, height: 1000 } },
    );
    // A header of the tests' own would make a browser ask first.
    await context.setExtraHTTPHeaders({});
    await page.goto(site.url.href);
    const inside = page.frames()[1];
    if (!inside) throw new Error("The page has no frame.");
    const look = () =>
      [...document.querySelectorAll("body, h1, input, form > button")].map((each) => {
        const { fontFamily, color, backgroundColor, padding, borderRadius } = getComputedStyle(each);
        return [fontFamily, color, backgroundColor, padding, borderRadius];
      });
    await inside.locator("button[type=submit]:visible").waitFor();
    const framed = await inside.evaluate(look);
    expect(await inside.getByLabel("Kind").isVisible()).toBe(false);
    await inside.getByLabel("Yes").check();
    await inside.getByLabel("Kind").fill("Cat");
    await inside.getByLabel("Name").fill("Ada");
    await inside.locator("input[type=file]").setInputFiles(file("cv.pdf", pdf, "application/pdf"));
    await inside.locator("button[type=submit]:visible").click();
    await inside.getByRole("heading", { name: "Thank you" }).waitFor();
    // The form is of another site than the page around it.
    expect(faults.filter((fault) => !fault.startsWith("request: "))).toEqual([]);
    expect(await stored(form)).toEqual([
      { name: "Ada", pet: true, kind: "Cat", cv: [expect.objectContaining({ name: "cv.pdf" })] },
    ]);
    await page.goto(`${app.url}${pathOf(form)}`);
    expect(framed).toEqual(await page.evaluate(look));
    faults.length = 0;
    await site.stop(true);
  },
);
