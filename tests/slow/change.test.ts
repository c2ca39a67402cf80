// stacks: one browser
/** A respondent who changes a submission and takes it back, on a narrow screen, with and without a script. */
import { expect } from "bun:test";
import { isTooWide, press, testInChromium, violationsOf } from "../chromium.ts";
import { cv, fileService, pdf, png } from "../http/files/fixture.ts";
import { formsOf } from "../http/form-page/fixture.ts";
import { makeTeam } from "../setup.ts";

const app = await fileService();
const team = await makeTeam(app);
const { published, pathOf, stored } = formsOf(app, team);
const { sql } = app.database;

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "pin", type: "text", label: "PIN", sensitive: true, required: true },
  { id: "why", type: "text", label: "Why", showIf: "data.name == 'Grace'" },
  cv,
];
const fileOf = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(bytes),
});

for (const javaScriptEnabled of [true, false])
  testInChromium(
    `${javaScriptEnabled ? "with" : "without"} the script: a change, a file, a conflict, nothing changed, taken back`,
    async (open) => {
      const form = await published(fields, { change: { until: "P2D", withdraw: true }, title: "Reunion" });
      const options = { viewport: { width: 320, height: 800 }, javaScriptEnabled, bypassCSP: true };
      const { page } = await open(app, options);
      const check = async (heading: string) => {
        expect(await page.locator("h1").textContent()).toBe(heading);
        expect(javaScriptEnabled ? await violationsOf(page) : await isTooWide(page)).toEqual(
          javaScriptEnabled ? [] : false,
        );
        expect(await page.content()).not.toContain("marker-1234");
      };
      const follow = (name: string) =>
        Promise.all([page.waitForEvent("load"), page.getByRole("link", { name }).click()]);
      const namesIn = async () =>
        ((await stored(form))[0]?.cv as { name: string }[] | undefined)?.map(({ name }) => name) ?? [];
      await page.goto(pathOf(form));
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("PIN").fill("marker-1234");
      await page.locator("input[type=file]").setInputFiles(fileOf("a.pdf", pdf));
      await press(page, "Submit");
      await check("Thank you");
      await follow("Change what you sent");
      await check("Reunion");
      const link = new URL(page.url()).pathname;

      await page.locator("input[type=file]").setInputFiles(fileOf("b.png", png));
      await page.getByLabel("Name").fill("Grace");
      await press(page, "Send changes");
      if (!javaScriptEnabled) {
        expect(await stored(form)).toMatchObject([{ name: "Ada" }]);
        await check("Reunion");
        await press(page, "Send changes");
      }
      await check("Your changes are stored");
      expect((await namesIn()).toSorted()).toEqual(["a.pdf", "b.png"]);
      if (javaScriptEnabled) expect(await page.evaluate(() => localStorage.length)).toBe(0);

      await page.goto(link);
      const files = page.locator(".files li");
      await files.filter({ hasText: "a.pdf" }).getByRole("button").click();
      await files.filter({ hasText: "a.pdf" }).waitFor({ state: "detached" });
      await press(page, "Send changes");
      await check("Your changes are stored");
      expect(await namesIn()).toEqual(["b.png"]);

      await page.goto(link);
      await sql`
        select from formd.submissions s, lateral formd.submission_patch(${team.id}, ${`(api_key,${team.keyId},r)`},
          s.form_id, s.id, s.updated_at, ${sql.json([{ fieldId: "name", value: "Owner" }])}, true)
        where s.form_id = ${form.id}`;
      await press(page, "Send changes");
      await page.getByText("Stored now: Owner").waitFor();
      await check("Reunion");
      await press(page, "Send changes");
      await check("Your changes are stored");
      expect(await stored(form)).toMatchObject([{ name: "Grace", pin: "marker-1234" }]);
      await page.goto(link);
      await press(page, "Send changes");
      await check("Nothing has changed");

      await follow("Take back my submission");
      await check("Take back your submission?");
      expect(await stored(form)).toHaveLength(1);
      await press(page, "Take back my submission");
      await check("Your submission is taken back");
      expect((await page.goto(link))?.status()).toBe(404);
      await check("This link leads nowhere");
    },
  );
