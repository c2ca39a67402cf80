/** The reference page, as a browser without internet sees it. Chromium: `apt-get install chromium`. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { ask, makeForm, makeTeam, type Service, service, type Team, testRequiring } from "../setup.ts";

let app: Service;
let team: Team;
let browser: Browser;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  const executablePath = Bun.which("chromium");
  if (!executablePath) return;
  browser = await chromium.launch({
    executablePath,
    timeout: 100_000,
    // No sandbox: CI is root. No name resolves, as without internet.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
});
afterAll(() => browser?.close());

/** The page, open, with what it said and asked for so far. */
async function open(): Promise<{ page: Page; said: string[]; asked: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  const [said, asked]: [string[], string[]] = [[], []];
  page.on("console", (message) => message.type() !== "log" && said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${app.url}/papi/v1/docs`);
  await page.getByRole("heading", { name: "formd" }).waitFor();
  return { page, said, asked };
}

describe("GET /papi/v1/docs", () => {
  test("the policy allows nothing but this origin, and no script in the page but white space", async () => {
    const { status, headers, body } = await ask(app, "GET", "/papi/v1/docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf8"]);
    const policy = Object.fromEntries(
      (headers.get("content-security-policy") ?? "").split("; ").map((part) => {
        const [directive = "", ...sources] = part.split(" ");
        return [directive, sources];
      }),
    );
    expect(policy["default-src"]).toEqual(["'none'"]);
    expect(
      Object.values(policy)
        .flat()
        .filter((source) => /^(?:\*|https?:|\w+\.)/.test(source)),
    ).toEqual([]);
    expect(policy["script-src"]).toEqual(["'self'", expect.stringMatching(/^'sha256-/)]);
    const inline = [...body.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
      ([, code]) => code,
    );
    expect(inline.map((code) => code?.trim())).toEqual([""]);
  });

  testRequiring("chromium")(
    "it shows every area, asks no other server for anything, and its console holds no error",
    async () => {
      const { page, said, asked } = await open();
      for (const area of ["management", "identity", "submitter", "challenge", "console"])
        await page.getByText(area, { exact: true }).first().waitFor();
      await page.getByText("Create a form").first().waitFor();
      expect(said).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(app.url) && !url.startsWith("data:"))).toEqual([]);
      expect(asked).toContain(`${app.url}/papi/v1/openapi.json`);
      await page.close();
    },
  );

  testRequiring("chromium")(
    "a request that is tried with an API key comes back from the running server",
    async () => {
      const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
      const { page, said, asked } = await open();
      await page.getByText("List forms").first().click();
      await page.getByRole("button", { name: "Test Request" }).first().click();
      const client = page.locator(".scalar-container");
      await client
        .locator(".cm-content", { has: page.locator(".cm-placeholder", { hasText: /^QUx/ }) })
        .click();
      await page.keyboard.type(team.key);
      const [reply] = await Promise.all([
        page.waitForResponse(`${app.url}/papi/v1/management/forms`),
        client.getByRole("button", { name: "Send" }).first().click(),
      ]);
      expect([
        reply.status(),
        (await reply.json()).data.forms.map((form: { id: string }) => form.id),
      ]).toEqual([200, [id]]);
      await client.getByText("200 OK").waitFor();
      await client.getByText(id).first().waitFor();
      expect(said).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(app.url) && !url.startsWith("data:"))).toEqual([]);
      if (process.env.FORMD_SCREENSHOTS)
        await page.screenshot({ path: `${process.env.FORMD_SCREENSHOTS}/docs.png` });
      await page.close();
    },
  );
});
