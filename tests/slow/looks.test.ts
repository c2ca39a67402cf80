// stacks: one browser
/** The look of the console: type scale, targets of a finger, notices in view, words of a pressed button. */
import { expect } from "bun:test";
import { isTooWide, testInChromium } from "../chromium.ts";
import { makeForm, makeOperator, makeTeam, permissive, service } from "../setup.ts";

const app = await service(permissive);

/** A form with twelve questions, and the session of an admin of its team. */
async function made() {
  const team = await makeTeam(app);
  await app.database
    .sql`update formd.teams set name = 'Kulturverein der Südstadt' where team_id = ${team.id}`;
  const fields = Array.from({ length: 12 }, (_, index) => ({
    id: `q${index}`,
    type: "text",
    label: `Question ${index}`,
  }));
  const form = await makeForm(app, team, fields);
  return { path: `/console/forms/${form.id}`, cookie: await makeOperator(app, team, "admin") };
}

testInChromium("boxes are 20 px, and what opens or stands alone is 24, or 44 for a finger", async (open) => {
  const { path, cookie } = await made();
  for (const [hasTouch, least] of [
    [false, 24],
    [true, 44],
  ] as const) {
    const { page } = await open(app, {
      cookie,
      hasTouch,
      isMobile: hasTouch,
      viewport: { width: 390, height: 800 },
    });
    for (const of of ["/settings", "/submissions", "/charts", "/answers"]) {
      await page.goto(path + of);
      const small = await page.evaluate((least) => {
        const heightOf = (element: Element) => element.getBoundingClientRect().height;
        const shown = (selector: string) =>
          [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
        const isUnseen = (box: Element) => getComputedStyle(box).opacity === "0";
        const all = shown("input:is([type=checkbox], [type=radio])");
        const boxes = all.filter((box) => !isUnseen(box) && heightOf(box) < 20);
        // A tile stands for its box.
        const tiles = all.filter(isUnseen).map((box) => box.closest("label") ?? box);
        const others = [...shown("summary, button, main .actions > a"), ...tiles].filter(
          (each) => heightOf(each) < least,
        );
        return [...boxes, ...others].map(({ outerHTML }) => outerHTML.slice(0, 100));
      }, least);
      expect([of, least, small]).toEqual([of, least, []]);
    }
  }
});

testInChromium("texts have four sizes and two weights, and fit the screen of a phone", async (open) => {
  const { path, cookie } = await made();
  const { page } = await open(app, { cookie, viewport: { width: 320, height: 800 } });
  const own = ["", "/share", "/settings", "/submissions", "/charts", "/answers"].map((end) => path + end);
  for (const each of ["/console", "/console/account", "/console/operators", ...own]) {
    await page.goto(each);
    const others = await page.evaluate(() => {
      // The sheet has the sizes of the form's page, which it shows.
      const texts = [...document.querySelectorAll("body :not(.sheet, .sheet *, svg *)")].filter(
        (element) =>
          element.checkVisibility() && [...element.childNodes].some(({ nodeValue }) => nodeValue?.trim()),
      );
      const looks = texts.map((element) => {
        const { fontSize, fontWeight } = getComputedStyle(element);
        return `${Math.round(Number.parseFloat(fontSize))} ${fontWeight}`;
      });
      return [...new Set(looks)].filter((look) => !/^(26|18|15|13) (400|600)$/.test(look));
    });
    expect([each, others, await isTooWide(page)]).toEqual([each, [], false]);
  }
});

testInChromium("a pressed button says that its form is sent, and is as before after Back", async (open) => {
  const { cookie } = await made();
  const { page } = await open(app, { cookie });
  await page.goto("/console/account");
  const leaving = page.waitForEvent("load");
  const seen = await page.getByRole("button", { name: "Sign out", exact: true }).evaluate((element) => {
    const button = element as HTMLButtonElement;
    const read = () => [button.textContent, button.ariaBusy, button.disabled];
    const before = read();
    button.click();
    const sent = read();
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    return { before, sent, back: read() };
  });
  await leaving;
  const before = ["Sign out", null, false];
  expect(seen).toEqual({ before, sent: ["One moment…", "true", false], back: before });
});

testInChromium("a notice stays in view where the page scrolls", async (open) => {
  const { cookie } = await made();
  const { page } = await open(app, { cookie, viewport: { width: 1280, height: 500 } });
  await page.goto("/console/account");
  const save = page.getByRole("button", { name: "Save" }).first();
  await Promise.all([page.waitForEvent("load"), save.click()]);
  const notice = page.locator(".report");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(200);
  const { top, bottom } = await notice.evaluate((element) => element.getBoundingClientRect().toJSON());
  expect([top >= 0, bottom <= 200]).toEqual([true, true]);
});
