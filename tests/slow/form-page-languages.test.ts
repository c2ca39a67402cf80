// stacks: one browser
/** The page of a form in several languages in a browser: from both sides, by keyboard, and on a telephone. */
import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { translated, withoutTranslations } from "../../src/fields/translations.ts";
import { focus, isTooWide, testInChromium, violationsOf } from "../chromium.ts";
import { fileService, pdf } from "../http/files/fixture.ts";
import { formsOf, getPage } from "../http/form-page/fixture.ts";
import { makeTeam } from "../setup.ts";
import type { Sent } from "./field-cases.ts";
import { entered, expectErrorPage, statusAfter, submitPage } from "./filled-page.ts";

const app = await fileService();
const { published, pathOf, stored } = formsOf(app, await makeTeam(app));

type Texts = readonly [english: string, german: string, arabic: string];

/** Texts of a member in both other languages. */
const inBoth = (name: string, [, de, ar]: Texts) => ({ de: { [name]: de }, ar: { [name]: ar } });

/** Labels of options, rows or columns, whose values are the English ones. */
const listed = (name: "options" | "rows" | "columns", ...all: Texts[]) => ({
  [name]: all.map(([label]) => label),
  translations: {
    de: { [name]: Object.fromEntries(all.map(([value, de]) => [value, de])) },
    ar: { [name]: Object.fromEntries(all.map(([value, , ar]) => [value, ar])) },
  },
});

interface Rest {
  translations?: { de: object; ar: object };
  [member: string]: unknown;
}

function field(id: string, type: string, label: Texts, ...rests: Rest[]) {
  const own = inBoth("label", label);
  const all = [{ translations: own }, ...rests].map(({ translations }) => translations);
  return {
    id,
    type,
    label: label[0],
    ...Object.assign({}, ...rests),
    translations: {
      de: Object.assign({}, ...all.map((each) => each?.de)),
      ar: Object.assign({}, ...all.map((each) => each?.ar)),
    },
  };
}

const agree: Texts = ["I agree to the terms", "Ich stimme den Bedingungen zu", "أوافق على الشروط"];
const fields = [
  field("intro", "heading", ["About you", "Über Sie", "عنك"]),
  field("name", "text", ["Name", "Name", "الاسم"], { required: true }),
  field("email", "email", ["E-mail", "E-Mail", "البريد الإلكتروني"], { placeholder: "name@example.org" }),
  field("phone", "phone", ["Telephone", "Telefon", "الهاتف"]),
  field("site", "url", ["Web site", "Website", "الموقع"]),
  field("cv", "file", ["CV", "Lebenslauf", "السيرة الذاتية"]),
  field("visit", "page_break", ["Your visit", "Ihr Besuch", "زيارتك"]),
  field("day", "date", ["Day", "Tag", "اليوم"], { validation: { minimum: "2026-01-01" } }),
  field("hour", "time", ["Time", "Uhrzeit", "الوقت"]),
  field("at", "datetime", ["Arrival", "Ankunft", "الوصول"]),
  field("amount", "number", ["Amount", "Betrag", "المبلغ"], { validation: { minimum: 0 } }),
  field("receipt", "text", ["Receipt", "Beleg", "الإيصال"], { showIf: "data.amount >= 1000" }),
  field("people", "integer", ["People", "Personen", "الأشخاص"]),
  field("total", "number", ["Total", "Summe", "المجموع"], { compute: "data.amount * 2.0" }),
  field("home", "address", ["Home", "Adresse", "العنوان"]),
  field("views", "page_break", ["Your views", "Ihre Meinung", "رأيك"]),
  field("note", "textarea", ["Note", "Notiz", "ملاحظة"], { validation: { maxLength: 100 } }),
  field("come", "boolean", ["Will you come?", "Kommen Sie?", "هل ستأتي؟"]),
  field(
    "size",
    "select",
    ["Size", "Größe", "المقاس"],
    listed("options", ["S", "S", "صغير"], ["XL (2)", "XL (2)", "كبير (2)"]),
  ),
  field(
    "tags",
    "multi_select",
    ["Topics", "Themen", "المواضيع"],
    listed("options", ["Music", "Musik", "موسيقى"], ["Dance", "Tanz", "رقص"]),
    { validation: { allowOther: true } },
  ),
  field(
    "order",
    "ranking",
    ["Order", "Reihenfolge", "الترتيب"],
    listed("options", ["fast", "schnell", "سريع"], ["cheap", "billig", "رخيص"]),
  ),
  field(
    "grade",
    "rating",
    ["Grade", "Note", "التقييم"],
    { validation: { minimum: 0, maximum: 10 }, minimumLabel: "bad", maximumLabel: "good" },
    { translations: { de: { minimumLabel: "schlecht", maximumLabel: "gut" }, ar: {} } },
  ),
  field(
    "grid",
    "matrix",
    ["How was it?", "Wie war es?", "كيف كان؟"],
    listed("rows", ["speed", "Tempo", "السرعة"], ["price", "Preis", "السعر"]),
    listed("columns", ["good", "gut", "جيد"], ["poor", "schlecht", "سيئ"]),
  ),
  field("line", "divider", ["Line", "Linie", "خط"]),
  field("terms", "consent", agree, { required: true }),
];

const languages = ["en", "de", "ar"];
const page = {
  layout: "steps",
  title: "Feast",
  translations: { de: { title: "Fest" }, ar: { title: "حفل" } },
};
const title = { de: "Fest", ar: "حفل" };
const ownNames = { de: "Deutsch", ar: "العربية" };

/** Enters values as a person does, in the order of the controls of each name. */
async function fill(page: Page, values: Sent): Promise<void> {
  const used = new Map<string, number>();
  for (const [name, value] of values) {
    const controls = page.locator(`:is(input:not([type=hidden]), select, textarea)[name="${name}"]`);
    const type = await controls.first().evaluate((control) => (control as HTMLInputElement).type);
    const index = used.get(name) ?? 0;
    used.set(name, index + 1);
    if (type === "radio" || type === "checkbox")
      await page.locator(`[name="${name}"][value="${value}"]`).check();
    else if (type === "select-one") await controls.nth(index).selectOption(value);
    else await controls.nth(index).fill(value);
  }
}

/** Controls in one row that Tab reaches in an order against the direction of the page. */
const againstDirection = (page: Page) =>
  page.evaluate(() => {
    const isRtl = document.documentElement.dir === "rtl";
    const boxes = [...document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea")]
      .filter((each) => each.checkVisibility())
      .map((each) => ({ each, box: each.getBoundingClientRect() }));
    return boxes.flatMap(({ each, box }, index) => {
      const before = boxes[index - 1]?.box;
      const isBeside = before && Math.abs(box.top + box.height / 2 - before.top - before.height / 2) < 10;
      const isAfter = before && (isRtl ? box.right <= before.left : box.left >= before.right);
      return isBeside && !isAfter ? [each.outerHTML.slice(0, 100)] : [];
    });
  });

for (const [language, other, errorTitle, amount] of [
  ["ar", "de", "خطأ: ", "1234.5"],
  ["de", "ar", "Fehler: ", "1234,5"],
] as const)
  for (const hasScript of [true, false])
    testInChromium(
      `${language} at 320 px, every type in steps, errors, another language in between, thanks; with script: ${hasScript}`,
      async (open) => {
        const form = await published(fields, page, { languages });
        const { page: tab } = await open(app, {
          viewport: { width: 320, height: 800 },
          colorScheme: "dark",
          javaScriptEnabled: hasScript,
          bypassCSP: hasScript,
        });
        const expectFaultless = async (shown: "de" | "ar" = language) => {
          const [lang, dir] = await tab.evaluate(() => [
            document.documentElement.lang,
            document.documentElement.dir,
          ]);
          expect([lang, dir]).toEqual([shown, shown === "ar" ? "rtl" : "ltr"]);
          expect(await tab.locator(".form-title").textContent()).toBe(title[shown]);
          // axe needs scripts.
          const faults = hasScript ? await violationsOf(tab) : (await isTooWide(tab)) ? ["too wide"] : [];
          expect([...faults, ...(await againstDirection(tab))]).toEqual([]);
        };
        const next = () => submitPage(tab);
        /** Shows the page in another language and back: nothing that was entered is lost. */
        const switchAndBack = async () => {
          const values = async () => (await entered(tab)).filter(([name]) => name !== "cv");
          const before = await values();
          for (const [to, name] of [
            [other, ownNames[other]],
            [language, ownNames[language]],
          ] as const) {
            await focus(tab, name);
            expect(await statusAfter(tab, () => tab.keyboard.press("Enter"))).toBe(200);
            await expectFaultless(to);
          }
          expect(await values()).toEqual(before);
        };

        await tab.goto(`${pathOf(form)}?lang=${language}`);
        await expectFaultless();
        expect(await next()).toBe(422);
        const [link] = await expectErrorPage(tab, errorTitle);
        expect(link?.target).toBe("name");
        await expectFaultless();
        await fill(tab, [
          ["name", "Ada"],
          ["email", "ada@example.org"],
          ["phone", "+49 30 123456"],
          ["site", "https://example.org"],
        ]);
        const file = { name: "cv.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdf) };
        await tab.locator("[type=file]").setInputFiles([file]);
        if (hasScript) await tab.locator(".files li").waitFor();
        await switchAndBack();
        expect(await tab.locator(".files li").count()).toBe(1);
        expect(await next()).toBe(200);

        await fill(tab, [
          ["day", "2026-11-20"],
          ["hour", "09:30"],
          ["at.local", "2026-11-20T09:30"],
          ["at.zone", "Z"],
          ["amount", amount],
          ["people", "4"],
          ["home.city", "Bern"],
          ["home.country", "CH"],
        ]);
        // Without a script the question that depends on the amount comes once more.
        if (!hasScript) expect(await next()).toBe(422);
        await fill(tab, [["receipt", "A-12"]]);
        await switchAndBack();
        expect(await next()).toBe(200);

        await expectFaultless();
        await fill(tab, [
          ["note", "Hello"],
          ["come", "true"],
          ["size", "XL (2)"],
          ["tags", "Dance"],
          ["tags.other", "Food"],
          ["order", "cheap"],
          ["order", "fast"],
          ["grade", "7"],
          ["grid.speed", "good"],
          ["grid.price", "poor"],
        ]);
        expect(await next()).toBe(422);
        await expectErrorPage(tab, errorTitle);
        await expectFaultless();
        await fill(tab, [["terms", "true"]]);
        expect(await next()).toBe(200);

        await switchAndBack();
        await Promise.all([tab.waitForURL(/\/sent\?/), tab.locator("form > button[type=submit]").click()]);
        await expectFaultless();
        expect(await stored(form)).toMatchObject([
          {
            name: "Ada",
            email: "ada@example.org",
            phone: "+49 30 123456",
            site: "https://example.org",
            day: "2026-11-20",
            hour: "09:30",
            at: "2026-11-20T09:30:00Z",
            amount: 1234.5,
            receipt: "A-12",
            people: 4,
            total: 2469,
            home: { city: "Bern", country: "CH" },
            note: "Hello",
            come: true,
            size: "XL (2)",
            tags: ["Dance", "Food"],
            order: ["cheap", "fast"],
            grade: 7,
            grid: { speed: "good", price: "poor" },
            terms: true,
          },
        ]);
      },
    );

/** The widest gap between a box and the text of its label, and what is not on the page's side. */
const besideBoxes = (page: Page) =>
  page.evaluate(() => {
    const textBox = (element: Element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect();
    };
    const gaps = [...document.querySelectorAll(".check")].map((check) => {
      const box = (check.querySelector("input") as Element).getBoundingClientRect();
      const text = textBox(check.querySelector("label") as Element);
      return Math.round(Math.max(text.left - box.right, box.left - text.right));
    });
    const isRtl = document.documentElement.dir === "rtl";
    const astray = [...document.querySelectorAll("h1, .control > label, legend, .legend, .hint")].filter(
      (each) => {
        const [outer, text] = [each.getBoundingClientRect(), textBox(each)];
        return Math.abs(isRtl ? outer.right - text.right : text.left - outer.left) > 2;
      },
    );
    return { widestGap: Math.max(...gaps), astray: astray.map(({ outerHTML }) => outerHTML.slice(0, 100)) };
  });

testInChromium(
  "texts without a translation are beside their boxes and on the side of the page, whose words may be English ones",
  async (open) => {
    const texts = fields.map(({ translations, ...each }) => each);
    const arabic = fields.map(({ translations: { ar }, ...each }) => ({ ...each, label: ar.label }));
    const rest = ["he", "ja"];
    const forms = [
      await published(fields, { title: "Feast" }, { languages: ["en", "ar", ...rest] }),
      await published(texts, { title: "Feast" }, { languages: ["en", "ar", ...rest] }),
      await published(arabic, { title: "حفل" }, { languages: ["ar", "en", ...rest] }),
    ];
    const { page } = await open(app, { viewport: { width: 1280, height: 900 }, bypassCSP: true });
    for (const each of forms)
      for (const language of ["ar", "he", "ja", "en"]) {
        await page.goto(`${pathOf(each)}?lang=${language}`);
        expect([language, await violationsOf(page)]).toEqual([language, []]);
        const { widestGap, astray } = await besideBoxes(page);
        expect([language, widestGap < 30, astray]).toEqual([language, true, []]);
      }
  },
);

testInChromium(
  "a draft in the browser is shown in another language, except numbers that would be others there",
  async (open) => {
    const spelled = fields.filter(({ id }) => ["name", "day", "hour", "amount", "people"].includes(id));
    const form = await published(spelled, {}, { languages });
    const { page: tab } = await open(app, { viewport: { width: 320, height: 800 } });
    const values = async () => Object.fromEntries(await entered(tab));
    const kept: [name: string, text: string][] = [
      ["name", "Ada"],
      ["day", "2026-11-20"],
      ["hour", "09:30"],
    ];
    await tab.goto(`${pathOf(form)}?lang=de`);
    await fill(tab, [...kept, ["amount", "1.234"], ["people", "12"]]);
    await tab.goto(`${pathOf(form)}?lang=en`);
    expect(await values()).toEqual({ ...Object.fromEntries(kept), people: "12" });
    // It is still there for the language in which it was entered.
    await tab.goto(`${pathOf(form)}?lang=de`);
    expect(await values()).toEqual({ ...Object.fromEntries(kept), amount: "1.234", people: "12" });
    // The button sends it, and the page in the other language keeps it in its own spelling.
    await statusAfter(tab, () => tab.getByRole("button", { name: "English" }).click());
    expect(await values()).toMatchObject({ amount: "1234" });
    await tab.goto(`${pathOf(form)}?lang=en`);
    expect(await values()).toEqual({ ...Object.fromEntries(kept), amount: "1234", people: "12" });
    await Promise.all([tab.waitForURL(/\/sent\?/), tab.locator("form > button[type=submit]").click()]);
    expect(await stored(form)).toEqual([
      { name: "Ada", day: "2026-11-20", hour: "09:30", amount: 1234, people: 12 },
    ]);
  },
);

testInChromium("a closed form, and one that is unknown, are from right to left in Arabic", async (open) => {
  const texts = { closedText: "Shut.", translations: { ar: { closedText: "مغلق.", title: "حفل" } } };
  const closed = await published(
    fields.slice(0, 2),
    { title: "Feast", ...texts },
    { languages, availability: { closesAt: "2026-01-01T00:00:00Z" } },
  );
  const { page: tab, faults } = await open(app, {
    viewport: { width: 320, height: 800 },
    colorScheme: "dark",
    bypassCSP: true,
  });
  for (const path of [pathOf(closed), "/f/none"]) {
    await tab.goto(`${path}?lang=ar`);
    expect(await tab.locator("html").getAttribute("dir")).toBe("rtl");
    expect(await violationsOf(tab)).toEqual([]);
    const { left, right } = await tab.locator("h1").evaluate((heading) => {
      const range = document.createRange();
      range.selectNodeContents(heading);
      const text = range.getBoundingClientRect();
      const box = heading.getBoundingClientRect();
      return { left: text.left - box.left, right: box.right - text.right };
    });
    expect(right).toBeLessThanOrEqual(left);
  }
  await tab.goto(`${pathOf(closed)}?lang=ar`);
  expect(await tab.locator("main p").allTextContents()).toEqual(expect.arrayContaining(["حفل", "مغلق."]));
  // The browser reports statuses of problems.
  faults.length = 0;
});

testInChromium("twenty languages wrap at 320 px, each large enough for a finger", async (open) => {
  const twenty = "en de fr es it nl pl pt sv uk ar he fa ja zh-Hant-TW ko hi th el pt-BR".split(" ");
  const form = await published(fields.slice(0, 3), {}, { languages: twenty });
  const { page } = await open(app, {
    viewport: { width: 320, height: 800 },
    hasTouch: true,
    isMobile: true,
    bypassCSP: true,
  });
  await page.goto(pathOf(form));
  const buttons = await page
    .locator(".languages button:visible")
    .evaluateAll((all) =>
      all.map((each) => ({ lang: each.getAttribute("lang"), ...each.getBoundingClientRect().toJSON() })),
    );
  expect(buttons.map(({ lang }) => lang)).toEqual(twenty.slice(1));
  expect(buttons.filter(({ width, height }) => Math.min(width, height) < 44)).toEqual([]);
  expect(await violationsOf(page)).toEqual([]);
});

test.each(languages)(
  "%s of three languages adds at most 1 KB, packed, to a page in it alone",
  async (lang) => {
    const sizeOf = async (own: object[], settings: object) => {
      const form = await published(own, { title: "Feast" }, settings);
      return gzipSync((await getPage(app, `${pathOf(form)}?lang=${lang}`)).text).length;
    };
    const alone = fields.map((each) => withoutTranslations(translated(each, lang)));
    const settings = lang === "en" ? {} : { languages: [lang] };
    expect((await sizeOf(fields, { languages })) - (await sizeOf(alone, settings))).toBeLessThanOrEqual(1024);
  },
);

testInChromium(
  "what was entered in one language stays until something is entered instead in another one",
  async (open) => {
    const form = await published(
      fields.filter(({ id }) => ["name", "amount", "at", "people"].includes(id)),
      {},
      { languages },
    );
    const { page: tab } = await open(app, {});
    const values = async () => Object.fromEntries(await entered(tab));
    const numbers = { amount: "1,5", "at.local": "2026-11-20T09:30" };
    await tab.goto(`${pathOf(form)}?lang=de`);
    await fill(tab, [...Object.entries(numbers), ["at.zone", "+05:30"], ["people", "12"]]);
    await tab.goto(`${pathOf(form)}?lang=en`);
    expect(await values()).not.toHaveProperty("amount");
    await fill(tab, [["name", "Ada"]]);
    const whole = { ...numbers, "at.zone": "+05:30", name: "Ada", people: "12" };
    // The button of German, a new visit, and one after an entry in the other language.
    await statusAfter(tab, () => tab.getByRole("button", { name: "Deutsch" }).click());
    expect(await values()).toEqual(whole);
    await tab.goto(`${pathOf(form)}?lang=de`);
    expect(await values()).toEqual(whole);
    await tab.goto(`${pathOf(form)}?lang=en`);
    await fill(tab, [["amount", "2.5"]]);
    await tab.goto(`${pathOf(form)}?lang=de`);
    expect(await values()).not.toHaveProperty("amount");
    await tab.goto(`${pathOf(form)}?lang=en`);
    expect(await values()).toMatchObject({ amount: "2.5", people: "12" });
  },
);
