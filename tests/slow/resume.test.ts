// stacks: one browser
/** A page that is saved and continued on a narrow screen, by keyboard, with and without the script. */
import { expect } from "bun:test";
import { activate, isTooWide, press, testInChromium, violationsOf } from "../chromium.ts";
import { pageFixture } from "../http/form-page/fixture.ts";

const { published, pathOf, stored, app } = await pageFixture();
const { sql } = app.database;
const viewport = { width: 320, height: 800 };

for (const [language, save, next, submit] of [
  ["en", "Save and continue later", "Continue", "Submit"],
  ["de", "Speichern und später weitermachen", "Weiter", "Absenden"],
] as const)
  for (const javaScriptEnabled of [true, false])
    testInChromium(
      `${language}, ${javaScriptEnabled ? "with" : "without"} the script: saved at the second step, continued elsewhere, told of another save, sent`,
      async (open) => {
        const form = await published(
          [
            { id: "name", type: "text", label: "Name", required: true },
            { id: "more", type: "page_break", label: "More" },
            { id: "note", type: "textarea", label: "Note" },
          ],
          { layout: "steps", resume: { enabled: true }, title: "Reunion", language },
        );
        const begin = () => open(app, { viewport, javaScriptEnabled, bypassCSP: true });
        const { page } = await begin();
        const check = async (of = page) =>
          expect(javaScriptEnabled ? await violationsOf(of) : await isTooWide(of)).toEqual(
            javaScriptEnabled ? [] : false,
          );
        const byKey = (of = page) => activate(of, save);
        await page.goto(pathOf(form));
        // A required question may be empty.
        await byKey();
        await check();
        await page.goBack();
        await page.getByLabel("Name").fill("Ada");
        await activate(page, next);
        await page.getByLabel("Note").fill("one");
        await check();
        await byKey();
        await check();
        const link = await page.locator('input[name="link"]').inputValue();
        expect(link).toContain("/r/");
        expect(await page.locator("[data-copy]").isVisible()).toBe(javaScriptEnabled);
        const other = (await begin()).page;
        for (const each of [page, other]) {
          await each.goto(link.slice(link.indexOf("/f/")));
          expect(await each.getByLabel("Note").inputValue()).toBe("one");
        }
        await check();
        if (javaScriptEnabled) {
          await page.getByLabel("Note").fill("two");
          const keys = await page.evaluate(() => Object.keys(localStorage));
          expect(keys.join()).not.toContain(link.split("/").at(-1) ?? "");
        }
        await other.getByLabel("Note").fill("elsewhere");
        await byKey(other);
        await page.getByLabel("Note").fill("three");
        await byKey();
        expect(await page.getByLabel("Note").inputValue()).toBe("three");
        await check();
        await press(page, next);
        await press(page, submit);
        expect(await page.locator("[data-sent]").count()).toBe(1);
        await check();
        expect(await stored(form)).toEqual([{ name: "Ada", note: "three" }]);
        expect(await page.goto(link.slice(link.indexOf("/f/"))).then((reply) => reply?.status())).toBe(404);
        await check();
        const [rest] = await sql<{ count: number }[]>`
          select count(*)::int as count from formd.page_drafts where form_id = ${form.id}`;
        expect(rest?.count).toBe(1);
      },
    );
