/** The documentation and the reference page, as a browser without internet sees them. */
import { beforeAll, describe, expect, test } from "bun:test";
import { testInChromium, useChromium, violationsInViews, violationsOf } from "../chromium.ts";
import { ask, makeForm, makeTeam, type Service, service, type Team } from "../setup.ts";

let app: Service;
let team: Team;
const visit = useChromium();

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
});

describe("GET /papi/v1/docs", () => {
  test("the policy allows nothing but this origin, and no script in the page", async () => {
    const { status, headers, body } = await ask(app, "GET", "/papi/v1/docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain('<html lang="en">');
    const policy = Object.fromEntries(
      (headers.get("content-security-policy") ?? "").split("; ").map((part) => {
        const [directive = "", ...sources] = part.split(" ");
        return [directive, sources];
      }),
    );
    expect(policy["default-src"]).toEqual(["'none'"]);
    expect(policy["script-src"]).toEqual(["'self'"]);
    expect(
      Object.values(policy)
        .flat()
        .filter((source) => /^(?:\*|https?:|\w+\.)/.test(source)),
    ).toEqual([]);
    expect(body).not.toMatch(/<script[^>]*>[^<]/);
    expect(body).toContain("<noscript>");
  });

  testInChromium("on a narrow screen a credential has the whole width, and nothing is cut off", async () => {
    const { context, page, faults } = await visit(app, { viewport: { width: 320, height: 900 } });
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
    expect(faults).toEqual([]);
    await context.close();
  });

  testInChromium(
    "it shows every area, asks no other server for anything, and its console holds no error",
    async () => {
      const { context, page, faults } = await visit(app);
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.goto("/papi/v1/docs");
      for (const area of ["management", "identity", "submitter", "challenge", "console"])
        await page.getByText(area, { exact: true }).first().waitFor();
      await page.getByText("Create a form").first().waitFor();
      expect(faults).toEqual([]);
      expect(asked).toContain("/papi/v1/openapi.json");
      await context.close();
    },
  );

  testInChromium(
    "axe finds nothing on the first page and on a route that the search leads to",
    async () => {
      const { context, page } = await visit(app, { bypassCSP: true });
      for (const route of ["", "#?route=post-/papi/v1/management/forms"]) {
        await page.goto("about:blank");
        await page.goto(`/papi/v1/docs${route}`);
        await page
          .getByText(route ? "A draft. A person publishes it" : "Forms with rules")
          .first()
          .waitFor();
        // Colours of what is chosen change over half a second.
        const settled = () => page.waitForTimeout(1_000);
        expect([route, await violationsInViews(page, settled)]).toEqual([route, []]);
      }
      await context.close();
    },
    120_000,
  );

  testInChromium("a request that is tried with an API key comes back from the running server", async () => {
    const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    const { context, page, faults } = await visit(app);
    await page.goto("/papi/v1/docs#?route=auth");
    await page.getByPlaceholder("api-token").first().fill(team.key);
    await page.getByRole("button", { name: "SET" }).first().click();
    await page.getByText("List forms").first().click();
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("/papi/v1/management/forms")),
      page.getByRole("button", { name: "Execute" }).first().click(),
    ]);
    expect([reply.status(), (await reply.json()).data.forms.map((form: { id: string }) => form.id)]).toEqual([
      200,
      [id],
    ]);
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe("under /developer", () => {
  const paths = [
    "/developer",
    "/developer/guide",
    "/developer/api/fields",
    "/developer/api/validation",
    "/developer/database",
    "/developer/agents/errors",
    "/developer/tutorial",
    "/developer/search?q=form",
    "/developer/search?q=nothing+at+all",
    "/developer/sign",
  ];

  testInChromium(
    "axe finds nothing, folded or not, and no page is wider than the screen",
    async () => {
      const { context, page, faults } = await visit(app, { bypassCSP: true });
      for (const path of paths) {
        await page.goto(path);
        // The widest view has a column that the others fold.
        await page.setViewportSize({ width: 1280, height: 900 });
        expect([path, await page.locator("summary:visible").count()]).toEqual([path, 0]);
        expect([path, await violationsInViews(page)]).toEqual([path, []]);
        const folded = await page.locator("summary:visible").all();
        expect([path, folded.length > 0]).toEqual([path, true]);
        for (const summary of folded) await summary.click();
        expect([path, await violationsOf(page)]).toEqual([path, []]);
      }
      expect(faults).toEqual([]);
      await context.close();
    },
    300_000,
  );

  testInChromium("without a script the search is found and used by keyboard", async () => {
    const { context, page } = await visit(app, { javaScriptEnabled: false });
    await page.goto("/developer/guide");
    expect(await page.locator(".code button:visible").count()).toBe(0);
    await page.locator("#q").focus();
    await page.keyboard.insertText("min_length");
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    await page.getByRole("link", { name: "min_length", exact: true }).first().click();
    expect(new URL(page.url()).hash).toBe("#min_length");
    await context.close();
  });

  testInChromium("examples get the focus, scroll by keyboard, and are copied whole", async () => {
    const { context, page } = await visit(app, { viewport: { width: 320, height: 900 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/developer/guide");
    const example = page.locator("pre").nth(1);
    await example.focus();
    expect(await example.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.locator(".code button").nth(1).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe((await example.textContent())?.trimEnd() ?? "");
    expect(copied).toStartWith("RESPONSE=$(curl");
    await context.close();
  });
});
