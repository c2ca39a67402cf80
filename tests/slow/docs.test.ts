// stacks: one browser
/** The documentation and the reference page, as a browser without internet sees them. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type AxeRuns, testInChromium, violationsInViews, violationsOf } from "../chromium.ts";
import { until } from "../expect.ts";
import { isMatrix } from "../generated.ts";
import { pagePaths } from "../pages.ts";
import { ask, makeForm, makeTeam, service } from "../setup.ts";

const app = await service();
const team = await makeTeam(app);
const chunksOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
const narrow = { viewport: { width: 320, height: 900 } };

describe("GET /papi/v1/docs", () => {
  test("the policy allows nothing but this origin, and no script in the page", async () => {
    const { status, headers, body } = await ask(app, "GET", "/papi/v1/docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = headers.get("content-security-policy") ?? "";
    const directives = policy.split("; ");
    expect(directives).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'"]));
    expect(policy.split(/[; ]+/).filter((source) => /^(?:\*|https?:|\w+\.)/.test(source))).toEqual([]);
    for (const part of ['<html lang="en">', "<noscript>"]) expect(body).toContain(part);
    expect(body).not.toMatch(/<script[^>]*>[^<]/);
  });

  testInChromium(
    "on a narrow screen a credential has the whole width, and nothing is cut off",
    async (open) => {
      const { page } = await open(app, narrow);
      await page.goto("/papi/v1/docs#?route=auth");
      await page.getByPlaceholder("api-token").first().waitFor();
      const { sizes, widths } = await page.evaluate(() => {
        const area = document.querySelector("openapi-explorer")?.shadowRoot?.querySelector("#auth");
        const cells = [...(area?.querySelectorAll("td") ?? [])];
        return {
          sizes: [area?.scrollWidth, area?.clientWidth],
          widths: cells.map((cell) => cell.getBoundingClientRect().width),
        };
      });
      expect(sizes).toEqual([320, 320]);
      expect(Math.min(...widths)).toBeGreaterThan(250);
    },
  );

  testInChromium(
    "it shows every area, asks no other server for anything, its console holds no error, and a request that is tried with an API key comes back from the running server",
    async (open) => {
      const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
      const { page } = await open(app);
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.goto("/papi/v1/docs");
      for (const area of ["management", "identity", "submitter", "challenge", "console"])
        await page.getByText(area, { exact: true }).first().waitFor();
      await page.getByText("Create a form").first().waitFor();
      expect(asked).toContain("/papi/v1/openapi.json");
      await page.goto("/papi/v1/docs#?route=auth");
      await page.getByPlaceholder("api-token").first().fill(team.key);
      await page.getByRole("button", { name: "SET" }).first().click();
      await page.getByRole("link", { name: "List forms" }).click();
      const [reply] = await Promise.all([
        page.waitForResponse((response) => response.url().includes("/papi/v1/management/forms")),
        page.getByRole("button", { name: "Execute" }).first().click(),
      ]);
      expect(reply.status()).toBe(200);
      expect((await reply.json()).data.forms.map((form: { id: string }) => form.id)).toEqual([id]);
    },
  );

  testInChromium(
    "it is in the product's type, its first screen is full, and the bar leads back",
    async (open) => {
      const { page } = await open(app);
      await page.goto("/papi/v1/docs");
      const list = page.locator(".routes a");
      await list.first().waitFor();
      expect(
        await page.locator("openapi-explorer").evaluate((each) => getComputedStyle(each).fontFamily),
      ).toBe("system-ui, sans-serif");
      const onScreen = await list.evaluateAll(
        (links) => links.filter((each) => each.getBoundingClientRect().bottom < innerHeight).length,
      );
      expect(onScreen).toBeGreaterThan(5);
      await page.getByRole("link", { name: "POST /papi/v1/auth/token" }).click();
      await page.getByText("Exchanges the agent's secret").first().waitFor();
      await page.locator("#q").fill("lost password");
      await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
      expect(new URL(page.url()).pathname).toBe("/developer/search");
    },
  );

  testInChromium(
    "axe finds nothing on the first page and on a route that the search leads to",
    async (open) => {
      const { page } = await open(app, { bypassCSP: true });
      for (const [route, shown] of [
        ["", "Forms with rules"],
        // A small one: axe takes 20 s for that which has the schema of a form.
        ["#?route=post-/papi/v1/auth/token", "Exchanges the agent's secret"],
      ] as const) {
        await page.goto("about:blank");
        await page.goto(`/papi/v1/docs${route}`);
        await page.getByText(shown).first().waitFor();
        expect([route, await violationsInViews(page)]).toEqual([route, []]);
      }
    },
  );
});

describe("under /developer", () => {
  /** Pages with elements that other pages lack are checked by axe in two views. */
  const paths: [path: string, axe: AxeRuns][] = [
    ["/developer", "twice"],
    ["/developer/guide", "twice"],
    ["/developer/api/fields", "once"],
    ["/developer/api/validation", "once"],
    ["/developer/database", "once"],
    ["/developer/agents/errors", "once"],
    ["/developer/tutorial", "once"],
    ["/developer/search?q=form", "twice"],
    ["/developer/search?q=xqxqxq", "once"],
    ["/developer/sign", "twice"],
    ["/developer/agents/rest", "twice"],
    ["/developer/operate/proxy", "once"],
    ["/developer/dba/roles", "once"],
  ];
  /** The other pages of docs/, which only the matrix checks, in parts that fit in the time of a test. */
  const others = isMatrix
    ? pagePaths
        .filter((path) => path.startsWith("docs/") && path !== "docs/README.md")
        .map((path) => path.replace(/^docs\/(.+)\.md$/, "/developer/$1"))
        .filter((path) => !paths.some(([known]) => known === path))
    : [];
  const parts = [paths, ...chunksOf(others, 12).map((part) => part.map((path) => [path, "once"] as const))];
  /** Leaves some sections of a page of hundreds that are alike. */
  const shorten = (page: Page) =>
    page.evaluate(() => {
      let sections = 0;
      for (const each of document.querySelectorAll("article > *")) {
        sections = each.matches("h2") ? 0 : sections + Number(each.matches("h3"));
        if (sections > 8) each.remove();
      }
    });

  for (const part of parts)
    testInChromium(
      `axe finds nothing, folded or not, and no page is wider than the screen: ${part[0]?.[0]} …`,
      async (open) => {
        const { page } = await open(app, { bypassCSP: true });
        for (const [path, axe] of part) {
          await page.goto(path);
          // The widest view has a column that the others fold.
          await page.setViewportSize({ width: 1280, height: 900 });
          await page.emulateMedia({ colorScheme: "light" });
          expect([path, await page.locator("summary:visible").count()]).toEqual([path, 0]);
          if (isMatrix || axe === "twice") expect([path, await violationsOf(page)]).toEqual([path, []]);
          expect([path, await violationsInViews(page, "never")]).toEqual([path, []]);
          if (!isMatrix) await shorten(page);
          const folded = await page.locator("summary:visible").all();
          expect([path, folded.length > 0]).toEqual([path, true]);
          for (const summary of folded) await summary.click();
          expect([path, await violationsOf(page)]).toEqual([path, []]);
        }
      },
    );

  testInChromium("without a script the search is found and used by keyboard", async (open) => {
    const { page } = await open(app, { javaScriptEnabled: false });
    await page.goto("/developer/guide");
    expect(await page.locator(".code button:visible").count()).toBe(0);
    await page.locator("#q").focus();
    await page.keyboard.insertText("min_length");
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    await page.getByRole("link", { name: "min_length", exact: true }).first().click();
    expect(new URL(page.url()).hash).toBe("#min_length");
  });

  testInChromium("a program's language is chosen by keyboard, without a script", async (open) => {
    const { page } = await open(app, { javaScriptEnabled: false });
    await page.goto("/developer/agents/rest");
    const shown = () => page.locator(".tabs .code:visible").allTextContents();
    expect(await shown()).toEqual([expect.stringContaining("BASE=http")]);
    await page.locator(".tabs input").first().focus();
    for (const beginning of ["await call(", "import json"]) {
      await page.keyboard.press("ArrowRight");
      expect(await shown()).toEqual([expect.stringContaining(beginning)]);
    }
  });

  testInChromium("the button to copy covers no line of an example", async (open) => {
    const { page } = await open(app, narrow);
    await page.goto("/developer/guide");
    await page.locator(".code button:visible").first().waitFor();
    const overlaps = await page.evaluate(() =>
      [...document.querySelectorAll(".code")].filter((each) => {
        const [button, code] = [each.querySelector("button"), each.querySelector("code")];
        if (!button || !code) return true;
        return button.getBoundingClientRect().bottom > code.getBoundingClientRect().top;
      }),
    );
    expect(overlaps).toEqual([]);
  });

  testInChromium("examples get the focus, scroll by keyboard, and are copied whole", async (open) => {
    const { page, context } = await open(app, narrow);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/developer/guide");
    const example = page.locator("pre").nth(1);
    await example.focus();
    expect(await example.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.locator(".code button").nth(1).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    // The button writes after its click.
    const whole = (await example.textContent())?.trimEnd() ?? "";
    await until(async () => (await copied()) === whole);
    expect(whole).toStartWith("RESPONSE=$(curl");
  });
});
