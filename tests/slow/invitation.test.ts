// stacks: one browser
/** An invited person in a browser, on a narrow screen: the page of each state, with and without a script. */
import { expect } from "bun:test";
import { isTooWide, press, testInChromium, violationsOf } from "../chromium.ts";
import { pageFixture } from "../http/form-page/fixture.ts";
import { invitationOf, invite } from "../invite.ts";

const { app, team, published, pathOf, stored } = await pageFixture();
const { sql } = app.database;
const viewport = { width: 320, height: 800 };

for (const javaScriptEnabled of [true, false])
  testInChromium(
    `${javaScriptEnabled ? "with" : "without"} the script: without a link, by a link, sent, used, unknown; nothing is too wide`,
    async (open) => {
      const form = await published([{ id: "name", type: "text", label: "Name", required: true }], {
        access: "invited",
        title: "Reunion",
      });
      const token = await invite(sql, team, form, { prefill: { name: "Ada" } });
      const link = `${pathOf(form)}/i/${token}`;
      const { page } = await open(app, { viewport, javaScriptEnabled, bypassCSP: true });
      const show = async (path: string) => (await page.goto(path))?.status();
      const check = async (heading: string) => {
        expect(await page.locator("h1").textContent()).toBe(heading);
        expect(javaScriptEnabled ? await violationsOf(page) : await isTooWide(page)).toEqual(
          javaScriptEnabled ? [] : false,
        );
      };
      expect(await show(pathOf(form))).toBe(403);
      await check("This form is for invited people");
      expect(await show(link)).toBe(200);
      await check("Reunion");
      const name = page.getByLabel("Name");
      expect(await name.inputValue()).toBe("Ada");
      await name.fill("");
      await press(page, "Submit");
      expect((await invitationOf(sql, token)).state).toBe("open");
      await name.fill("Grace");
      if (javaScriptEnabled) {
        const keys = () => page.evaluate(() => Object.keys(localStorage));
        await page.waitForFunction(() => localStorage.length > 0);
        const kept = await keys();
        expect(kept).toEqual([expect.stringMatching(new RegExp(`${form.id}/[0-9a-f]{16}$`))]);
        expect(kept.join()).not.toContain(token);
      }
      await press(page, "Submit");
      await check("Thank you");
      expect(await page.getByText("Send another").count()).toBe(0);
      if (javaScriptEnabled) expect(await page.evaluate(() => localStorage.length)).toBe(0);
      expect(await show(link)).toBe(410);
      await check("This invitation has been used");
      expect(await show(`${link}x`)).toBe(404);
      await check("This link leads nowhere");
      expect(await stored(form)).toEqual([{ name: "Grace" }]);
    },
  );
