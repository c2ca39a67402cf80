// stacks: one browser
/** A mail in a browser, as a program that shows its HTML does: on a narrow screen, in both schemes. */
import { expect } from "bun:test";
import { type Letter, renderHtml } from "../../src/platform/mail/letter.tsx";
import { testInChromium, violationsOf } from "../chromium.ts";

const url = "http://localhost";
const letter: Letter = {
  lang: "en",
  heading: `New submission to ${"long".repeat(30)}`,
  parts: [
    { paragraph: "Line 1\nLine 2" },
    {
      values: [
        { label: "Name", value: "مرحبا <b>x</b>" },
        { label: "Text", value: "unbroken".repeat(40) },
      ],
    },
    { link: `${url}/console`, label: "Show it in the console" },
  ],
  footer: [
    { paragraph: "Why." },
    { link: `${url}/mail/unsubscribe/${"A".repeat(100)}`, label: "Unsubscribe" },
  ],
};

for (const [colorScheme, background] of [
  ["light", "rgb(255, 255, 255)"],
  ["dark", "rgb(21, 26, 23)"],
] as const)
  testInChromium(`a mail fits 320 px and can be read by all, ${colorScheme}`, async (open) => {
    const { page } = await open({ url }, { colorScheme, viewport: { width: 320, height: 640 } });
    await page.setContent(renderHtml(letter));
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.locator("dd").first().textContent()).toBe("مرحبا <b>x</b>");
    const shown = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(shown).toBe(background);
  });

for (const [lang, side] of [
  ["ar", "right"],
  ["en", "start"],
] as const)
  testInChromium(`the texts of a mail in ${lang} begin on its side`, async (open) => {
    const { page } = await open({ url }, { viewport: { width: 320, height: 640 } });
    await page.setContent(renderHtml({ ...letter, lang }));
    const sides = await page
      .locator("h1, p:not(:has(a)), dt, dd")
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).textAlign));
    expect([...new Set(sides)]).toEqual([side]);
  });
