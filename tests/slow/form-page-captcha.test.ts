/** The proof of work of a form's page, in a browser and under the page's policy. Chromium: `apt-get install chromium`. */
import { expect, setDefaultTimeout } from "bun:test";
import { chromium } from "playwright-core";
import { pagePathOf } from "../../src/form-page/address.ts";
import { makeForm, makeTeam, service, testRequiring } from "../setup.ts";

setDefaultTimeout(60_000);

testRequiring("chromium")(
  "a person sends a form with ALTCHA: twice pressed, once stored, and without a request to another site",
  async () => {
    const app = await service({ CAPTCHA_PROVIDER: "altcha" });
    const team = await makeTeam(app);
    // A field of this name hides the form's own method.
    const form = await makeForm(app, team, [{ id: "submit", type: "text", label: "Name" }], {
      settings: { page: { enabled: true }, captcha: { enabled: true } },
    });
    const browser = await chromium.launch({
      executablePath: Bun.which("chromium") ?? "",
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    });
    try {
      const faults: string[] = [];
      const origins = new Set<string>();
      const page = await browser.newPage({ baseURL: app.url });
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      page.on("request", (request) => origins.add(new URL(request.url()).origin));
      await page.goto(pagePathOf({ team: team.id, form: form.id }));
      await page.getByLabel("Name").fill("Ada");
      await page.getByRole("button").dblclick({ noWaitAfter: true });
      await page.waitForURL(/\/sent\?reference=/);
      const rows = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
      expect(rows.map(({ data }) => data)).toEqual([{ submit: "Ada" }]);
      origins.delete("null");
      expect([faults, [...origins]]).toEqual([[], [new URL(app.url).origin]]);

      const plain = await browser.newPage({ baseURL: app.url, javaScriptEnabled: false });
      await plain.goto(pagePathOf({ team: team.id, form: form.id }));
      await plain.getByLabel("Name").fill("Ada");
      await plain.getByRole("button").click();
      expect(await plain.getByRole("alert").textContent()).toContain("This form was not sent");
      expect(await plain.getByLabel("Name").inputValue()).toBe("Ada");
    } finally {
      await browser.close();
    }
  },
);
