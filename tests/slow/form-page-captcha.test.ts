/** The proof of work of a form's page, in a browser and under the page's policy. */
import { expect, setDefaultTimeout } from "bun:test";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import { testInChromium, useChromium, violationsOf } from "../chromium.ts";
import { until } from "../expect.ts";
import { makeForm, makeTeam, service } from "../setup.ts";

setDefaultTimeout(120_000);

const open = useChromium();

testInChromium(
  "a person sends a form with ALTCHA: twice pressed, once stored, and without a request to another site",
  async () => {
    const app = await service({ CAPTCHA_PROVIDER: "altcha" });
    const team = await makeTeam(app);
    // A field of this name hides the form's own method.
    const form = await makeForm(app, team, [{ id: "submit", type: "text", label: "Name" }], {
      settings: { page: { enabled: true }, captcha: { enabled: true } },
    });
    const path = pagePathOf({ team: team.id, form: form.id });
    const { page, faults } = await open(app);
    await page.goto(path);
    await page.getByLabel("Name").fill("Ada");
    await page.locator("button[type=submit]").dblclick({ noWaitAfter: true });
    await until(() => page.url().includes("/sent?reference="));
    const rows = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
    expect(rows.map(({ data }) => data)).toEqual([{ submit: "Ada" }]);
    expect(faults).toEqual([]);

    const { page: small } = await open(app, {
      bypassCSP: true,
      colorScheme: "dark",
      viewport: { width: 320, height: 800 },
    });
    await small.goto(path);
    expect(await violationsOf(small)).toEqual([]);

    const { page: plain } = await open(app, { javaScriptEnabled: false });
    await plain.goto(path);
    await plain.getByLabel("Name").fill("Ada");
    await plain.getByRole("button").click();
    expect(await plain.getByRole("alert").textContent()).toContain("This form was not sent");
    expect(await plain.getByLabel("Name").inputValue()).toBe("Ada");
  },
);
