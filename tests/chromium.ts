/** Chromium for the tests of pages: Debian's chromium-headless-shell, or a whole chromium. */
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { isMatrix } from "./generated.ts";
import { freshIp, onCleanup, testRequiring, wholeRun } from "./setup.ts";

/** The shell has the engine without the desktop's browser, whose start takes 8 s of CPU more. */
const shell = "chromium-headless-shell";
const program = Bun.which("chromium") && !Bun.which(shell) ? "chromium" : shell;
const testWhereItIs = testRequiring(program);

/**
 * A page, and what it did that none should: a dialog, an error, a script that the policy stopped, a request
 * to another site.
 */
export interface Watched {
  context: BrowserContext;
  page: Page;
  faults: string[];
}

export interface OpenOptions extends BrowserContextOptions {
  /** `name=value`. */
  cookie?: string;
}

/** Opens a page of a server in a context of its own, with a client IP of its own. */
export type Open = (server: { url: string }, options?: OpenOptions) => Promise<Watched>;

/** A test in Chromium. It fails when a page did what none should; all are closed after it. */
export function testInChromium(name: string, act: (open: Open) => Promise<void>): void {
  testWhereItIs(
    name,
    async () => {
      const opened: Watched[] = [];
      try {
        await act(async ({ url }, options = {}) => {
          const watched = await openIn(await browser(), url, options);
          opened.push(watched);
          return watched;
        });
        expect(opened.flatMap(({ faults }) => faults)).toEqual([]);
      } finally {
        await Promise.all(opened.map(({ context }) => context.close()));
      }
    },
    testMs,
  );
}

/**
 * For a test. It ends what hangs, and measures nothing: the longest takes a minute and a half on a quiet
 * machine, and CI's is several times slower.
 */
const testMs = 900_000;

/**
 * For its start and for each step in a page; by itself it gives up after 30 s, which a busy machine may take.
 */
const patienceMs = 100_000;

let started: Promise<Browser> | undefined;

/** Starts it for the first test; the files of a run share it. */
const browser = (): Promise<Browser> => (started ??= start());

async function start(): Promise<Browser> {
  const launched = await chromium.launch({
    executablePath: Bun.which(program) ?? program,
    timeout: patienceMs,
    // No sandbox: CI is root. No other name resolves, as without internet.
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
  onCleanup(() => launched.close(), wholeRun);
  return launched;
}

async function openIn(launched: Browser, url: string, { cookie, ...options }: OpenOptions): Promise<Watched> {
  const context = await launched.newContext({
    baseURL: url,
    extraHTTPHeaders: { "x-forwarded-for": freshIp() },
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  const [name = "", value = ""] = cookie?.split("=") ?? [];
  if (cookie) await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  return { context, page, faults: faultsOf(page, new URL(url).origin) };
}

function faultsOf(page: Page, ownOrigin: string): string[] {
  const faults: string[] = [];
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // The page itself may have a status of 4xx, which the browser reports as an error.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource: the server"))
      faults.push(message.text());
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== ownOrigin && protocol !== "data:") faults.push(`request: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && response.request().resourceType() !== "document")
      faults.push(`${response.status()}: ${response.url()}`);
  });
  return faults;
}

export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

/** Half as long as `axe.source`, which takes Chromium as long to parse as axe to run. */
const axeSource = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Returns the violations that axe finds in the current view, and whether the page is wider than the screen.
 * The context needs `bypassCSP`. Outside of the matrix it skips frames, which are pages of their own and take
 * half a second, and the rule about style sheets that depend on the screen's orientation.
 */
export async function violationsOf(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  await page.evaluate(movementsEnded);
  const found = await page.evaluate(
    ([rules, isAll]) =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ["violations"],
        iframes: isAll,
        preload: isAll,
        ...(rules && { runOnly: rules }),
      }),
    [runOnly && [...runOnly], isMatrix] as const,
  );
  const wide = (await isTooWide(page)) ? ["wider than the screen"] : [];
  return [
    ...wide,
    ...found.violations.map(
      ({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, 150)).join(" | ")}`,
    ),
  ];
}

/**
 * Waits in the page until texts that fade in, or change their colours, have the last ones. Before, they have
 * too little contrast. Both begin at the next frame. An animation that is taken away has ended; one without
 * an end is not waited for.
 */
async function movementsEnded(): Promise<void> {
  for (const _ of [1, 2]) await new Promise((drawn) => requestAnimationFrame(drawn));
  const ending = document
    .getAnimations()
    .filter((one) => one.playState === "running" && Number.isFinite(one.effect?.getComputedTiming().endTime));
  await Promise.allSettled(ending.map((one) => one.finished));
}

/** Rules about colours and layout, and about elements that only a narrow view shows. */
const rulesOfViews = [
  ...["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"],
  ...["summary-name", "button-name", "link-name", "label"],
];

/** Views in which axe runs, except in the matrix, where it runs in both. Once is in the narrowest alone. */
export type AxeRuns = "twice" | "once" | "never";

/**
 * {@link violationsOf} in the widest view, and what is another one in the narrowest, in which the page stays;
 * and whether it is too wide in one between them. A page that follows the colours of its reader is seen in
 * both.
 */
export async function violationsInViews(page: Page, axe: AxeRuns = "twice"): Promise<string[]> {
  const found: string[] = [];
  for (const [width, colorScheme, rules] of [
    [768, "light", "none"],
    [1280, "light", isMatrix || axe === "twice" ? "all" : "none"],
    [320, "dark", isMatrix ? "all" : { twice: rulesOfViews, once: "all", never: "none" }[axe]],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const faults =
      rules === "none"
        ? (await isTooWide(page)) && ["wider than the screen"]
        : await violationsOf(page, rules === "all" ? undefined : (rules as string[]));
    if (faults) found.push(...faults.map((fault) => `${width} px, ${colorScheme}: ${fault}`));
  }
  return found;
}

/** {@link violationsOf} texts, where the operating system sets the colours: its other rules see none. */
export async function violationsInForcedColors(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: "active" });
  await page.evaluate(() => {
    // Chromium names what the page has asked for of that one, which axe takes for the colour of the text.
    const { getPropertyValue } = CSSStyleDeclaration.prototype;
    CSSStyleDeclaration.prototype.getPropertyValue = function (name) {
      return getPropertyValue.call(this, name === "-webkit-text-fill-color" ? "color" : name);
    };
  });
  const found = await violationsOf(page, ["color-contrast"]);
  await page.emulateMedia({ forcedColors: null });
  return found.map((fault) => `forced colours: ${fault}`);
}

/** Presses Tab until the control or link with this name has the focus. */
export async function focus(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press("Tab");
    const label = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return (
        element?.getAttribute("aria-label") ??
        element?.labels?.[0]?.textContent ??
        element?.textContent ??
        ""
      ).trim();
    });
    if (label === name) return;
  }
  throw new Error(`nothing named ${name} gets the focus at ${page.url()}`);
}

/** Clicks on a button that leads to another page. */
export async function press(page: Page, name: string): Promise<void> {
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name }).first().click()]);
}

/** Presses Enter on what leads to another page. */
export async function activate(page: Page, name: string): Promise<void> {
  await focus(page, name);
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
}

/** Presses Enter on what changes the page on which a form is built. */
export async function inPlace(page: Page, name: string): Promise<void> {
  await focus(page, name);
  await building(page, () => page.keyboard.press("Enter"));
}

/** Waits until the page on which a form is built shows what an action led to. Without a script it loads. */
export async function building(page: Page, act: () => Promise<unknown>): Promise<void> {
  const hasScript = (await page.locator("body > [role=status]").count()) > 0;
  if (!hasScript) return void (await Promise.all([page.waitForEvent("load"), act()]));
  await act();
  await page.waitForSelector("main:not([aria-busy])", { state: "attached" });
}

export async function enter(page: Page, name: string, text: string): Promise<void> {
  await focus(page, name);
  await page.keyboard.insertText(text);
}

/**
 * Chooses an option of the list that has the focus, by its first letter and the arrow key. Of a word that is
 * typed a pause of a second ends the search, after which each letter begins another.
 */
export async function chooseOption(page: Page, beginning: string): Promise<void> {
  const list = page.locator("select:focus");
  const chosen = () =>
    list.evaluate((each) => (each as HTMLSelectElement).selectedOptions[0]?.text.trim() ?? "");
  await page.keyboard.press(beginning.slice(0, 1));
  for (let presses = 0; !(await chosen()).startsWith(beginning); presses++) {
    if (presses === 60) throw new Error(`no option begins with ${beginning} at ${page.url()}`);
    await page.keyboard.press("ArrowDown");
  }
}

export async function choose(page: Page, name: string, beginning: string): Promise<void> {
  await focus(page, name);
  await chooseOption(page, beginning);
}

/** Presses Space: a check box, or a control that opens. */
export async function toggle(page: Page, name: string): Promise<void> {
  await focus(page, name);
  await page.keyboard.press("Space");
}
