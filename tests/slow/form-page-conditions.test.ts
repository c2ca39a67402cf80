// stacks: one browser
/**
 * The page of a form whose questions depend on others, in a browser: what is visible is `applicable`, and
 * what is stored is what the API would store.
 */
import { expect } from "bun:test";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { type CompiledForm, compile } from "../../src/fields/compile.ts";
import { valueText } from "../../src/fields/entered.ts";
import { toData } from "../../src/pages/form-page/form-data.ts";
import { allValues } from "../../src/pages/form-page/hidden-fields.ts";
import { textForLanguage } from "../../src/pages/form-page/text/text.ts";
import { type Open, press, testInChromium, violationsOf } from "../chromium.ts";
import { type ConditionalForm, type Control, conditionalForms } from "../conditional-forms.ts";
import { until } from "../expect.ts";
import { seed } from "../generated.ts";
import { pageFixture } from "../http/form-page/fixture.ts";
import { ask, makeOperator, type PublishedForm } from "../setup.ts";
import { sendToEnd, submitPage } from "./filled-page.ts";

const english = textForLanguage("en");
const { app, team, published, pathOf, stored } = await pageFixture();

type Entries = [name: string, text: string][];

/** Visible parts of a page, and the entries that it would send. */
interface Seen {
  entries: Entries;
  /** Ids of the fields in it that depend on others. */
  dependent: string[];
  /** Ids of dependent fields that are visible. */
  visible: string[];
  /** The texts of visible calculated values. */
  outputs: [id: string, text: string][];
}

const see = (page: Page): Promise<Seen> =>
  page.evaluate(() => {
    const idOf = (each: HTMLElement) => String(each.dataset.field);
    const fieldsets = [...document.querySelectorAll<HTMLElement>("fieldset.dependent")];
    const form = document.querySelector<HTMLFormElement>("form[data-key]") ?? undefined;
    return {
      entries: [...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]),
      dependent: fieldsets.map(idOf),
      visible: fieldsets.filter((each) => !each.hidden).map(idOf),
      outputs: [...document.querySelectorAll("output")]
        .filter((each) => !each.closest("[hidden]"))
        .map((each): [string, string] => [String(each.dataset.computed), each.textContent ?? ""]),
    };
  });

/**
 * Enters texts as a person does, except that it is faster: each in a control of its name that is visible; one
 * that cannot be entered is left out. A check box is ticked for any text.
 */
const enter = (page: Page, entries: Entries) =>
  page.evaluate((pairs) => {
    const used = new Set<Element>();
    for (const [name, text] of pairs) {
      const control = [...(document.querySelector<HTMLFormElement>("form[data-key]")?.elements ?? [])].find(
        (each) => {
          const { name: own, type, value } = each as HTMLInputElement;
          if (own !== name || used.has(each) || each.matches(":disabled") || type === "hidden") return false;
          return !["radio", "checkbox"].includes(type) || value === text;
        },
      ) as HTMLInputElement | undefined;
      if (!control) continue;
      used.add(control);
      if (control.type === "radio" || control.type === "checkbox") {
        if (!control.checked) control.click();
        continue;
      }
      control.value = text;
      control.dispatchEvent(new Event("input", { bubbles: true }));
      control.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }, entries);

/** Unticks what `enter` ticks. */
const untick = (page: Page, name: string) =>
  page.evaluate((own) => {
    for (const each of document.querySelectorAll<HTMLInputElement>("input[type=checkbox]:checked"))
      if (each.name === own && !each.matches(":disabled")) each.click();
  }, name);

const random = fc.sample(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), {
  numRuns: 1,
  seed,
})[0] as Iterator<number>;
const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next().value * list.length)] as T;

async function toggle(page: Page, controls: readonly Control[]): Promise<void> {
  const { name, texts } = pick(controls);
  const text = pick(texts);
  if (random.next().value < 0.3) await untick(page, name);
  await enter(page, [[name, text]]);
}

/** Texts that a form in steps lets pass, in place of those with a wrong format. */
const corrections: Entries = [
  ["n", "3"],
  ["i", "2"],
  ["e", ""],
  ["u", ""],
  ["a.city", "x"],
  ["a.country", "DE"],
  ["r", "p"],
  ["r", "q"],
  ["t", "xy"],
];

function expectApplicable(form: CompiledForm, seen: Seen): void {
  const { data, unstorable } = toData(form.fields, allValues(new URLSearchParams(seen.entries)));
  const { logic, data: known } = form.validate(data, unstorable);
  expect(seen.visible).toEqual(seen.dependent.filter((id) => !logic?.hidden.has(id)));
  for (const [id, text] of seen.outputs) {
    const field = form.field(id);
    const shown =
      field && Object.hasOwn(known, id) ? valueText(field, known[id], english) : english.notCalculated;
    expect([id, text]).toEqual([id, shown]);
  }
}

/** Sends the entries of a page to the API. Returns its response and the stored data. */
async function viaApi(form: PublishedForm, compiled: CompiledForm, entries: Entries) {
  const { data } = toData(compiled.fields, allValues(new URLSearchParams(entries)));
  const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
  const call = (route: string) =>
    ask(app, "POST", `/papi/v1/submitter/form/${route}`, { headers, body: { data } });
  const dryRun = await call("validation");
  expect((await call("submissions")).status).toBe(200);
  return new Set<string>(dryRun.body.data.applicable);
}

const sample = (breaks: number, count: number): ConditionalForm[] =>
  fc.sample(conditionalForms(breaks), { numRuns: count, seed: seed + breaks });
const context = { timezoneId: "UTC" };

/** Enters the same without a script: what newly applies comes with the next page. */
async function withoutScript(
  open: Open,
  form: PublishedForm,
  compiled: CompiledForm,
  entries: Entries,
): Promise<void> {
  const { page } = await open(app, { ...context, javaScriptEnabled: false });
  await page.goto(pathOf(form));
  for (let pages = 0; !page.url().includes("/sent?"); pages++) {
    if (pages > 12) throw new Error("the page never ends");
    await enter(page, entries);
    if ((await page.locator(".checked-values").count()) > 0) await sendToEnd(page);
    else await submitPage(page);
    if (!page.url().includes("/sent?")) expectApplicable(compiled, await see(page));
  }
}

async function expectStoredThreeTimes(form: PublishedForm): Promise<void> {
  const [first, second, third, ...more] = await stored(form);
  expect([first, second, more]).toEqual([third, third, []]);
}

const rule = "what is visible is applicable, and what is stored is what the API would store";

testInChromium(`${rule}: on one page`, async (open) => {
  let [shown, hidden] = [0, 0];
  for (const { fields, controls } of sample(0, 3)) {
    const form = await published(fields);
    const compiled = compile({ fields });
    const { page } = await open(app, context);
    await page.goto(pathOf(form));
    for (let round = 0; round < 30; round++) {
      await toggle(page, controls);
      const seen = await see(page);
      expectApplicable(compiled, seen);
      shown += seen.visible.length;
      hidden += seen.dependent.length - seen.visible.length;
    }
    await enter(page, corrections);
    const { entries, visible } = await see(page);
    expect(await submitPage(page)).toBe(303);
    await withoutScript(open, form, compiled, entries);
    const applicable = await viaApi(form, compiled, entries);
    expect(visible.filter((id) => compiled.field(id)?.fieldType.nature !== "none")).toEqual(
      compiled.fields
        .filter(({ id }) => applicable.has(id) && compiled.logicOf(id)?.showIf.length)
        .map(({ id }) => id),
    );
    await expectStoredThreeTimes(form);
  }
  expect(Math.min(shown, hidden)).toBeGreaterThan(10);
});

testInChromium(`${rule}: in steps`, async (open) => {
  for (const { fields, controls } of sample(3, 2)) {
    const form = await published(fields, { layout: "steps" });
    const compiled = compile({ fields });
    const { page } = await open(app, context);
    await page.goto(pathOf(form));
    let last: Entries = [];
    for (let steps = 0; (await page.locator(".checked-values").count()) === 0; steps++) {
      if (steps > 15) throw new Error("the steps never end");
      for (let round = 0; round < 8; round++) {
        await toggle(page, controls);
        expectApplicable(compiled, await see(page));
      }
      await enter(page, corrections);
      const seen = await see(page);
      last = seen.entries;
      expectApplicable(compiled, seen);
      const back = (await page.locator("button[value=back]").count()) > 0;
      if (steps < 4 && back && random.next().value < 0.4) await press(page, "Back");
      else expect(await submitPage(page)).toBe(200);
    }
    const entries: Entries = [...allValues(new URLSearchParams(last))];
    const applicable = await viaApi(form, compiled, entries);
    expect(await page.locator("dt").allTextContents()).toEqual(
      compiled.fields.filter(({ id, kind }) => kind !== "hidden" && applicable.has(id)).map(({ id }) => id),
    );
    await sendToEnd(page);
    await withoutScript(open, form, compiled, entries);
    await expectStoredThreeTimes(form);
  }
});

const text = (id: string, rest: object = {}) => ({ id, type: "text", label: id, ...rest });

testInChromium(
  "a screen reader hears how many questions appeared; what was typed is there again; no script without conditions",
  async (open) => {
    const form = await published([
      { id: "b", type: "boolean", label: "More?" },
      text("c", { showIf: "data.b", default: "red" }),
      text("d", { showIf: "data.c == 'red'" }),
      { id: "s", type: "statement", label: "Thank you", showIf: "data.b" },
      { id: "n", type: "number", label: "Price" },
      { id: "total", type: "number", label: "Total", compute: "data.n * 2.0" },
    ]);
    const { page } = await open(app, { viewport: { width: 320, height: 800 } });
    await page.goto(pathOf(form));
    // Entries kept for a reload have no value of a question that was not asked: it begins with its default.
    await page.locator("#n").fill("1");
    await page.goto(pathOf(form));
    const region = page.locator("#appeared");
    expect(await region.textContent()).toBe("");
    const [yes, no] = [page.locator("[name=b][value=true]"), page.locator("[name=b][value=false]")];
    await yes.check();
    await until(async () => (await region.textContent()) === "2 more questions have appeared.");
    expect(await page.locator("#d").isVisible()).toBe(true);
    await page.locator("#c").fill("blue");
    await until(async () => (await region.textContent()) === "");
    expect(await page.locator("#d").isVisible()).toBe(false);
    await no.check();
    await yes.check();
    expect(await page.locator("#c").inputValue()).toBe("blue");
    await page.locator("#n").fill("2,5");
    expect(await page.locator("output").textContent()).toBe("5");
    await page.reload();
    expect(await page.locator("#c").inputValue()).toBe("blue");
    expect(await page.locator("output").textContent()).toBe("5");
    expect(await violationsOf(page)).toEqual([]);
    expect(await submitPage(page)).toBe(303);
    expect(await stored(form)).toEqual([{ b: true, c: "blue", n: 2.5, total: 5 }]);

    await page.goto(pathOf(await published([text("a")])));
    expect(await page.locator("script").count()).toBe(1);
  },
);

testInChromium(
  "in the console a value is picked; the preview shows what applies, and stores nothing",
  async (open) => {
    const form = await published([
      { id: "b", type: "boolean", label: "More?" },
      text("c", { showIf: "data.b", required: true }),
    ]);
    const { page } = await open(app, { cookie: await makeOperator(app, team, "editor") });
    await page.goto(`/console/forms/${form.id}?edit=c`);
    const answers = page.locator("[name='showIf.0.value'] option");
    expect(await answers.allTextContents()).toEqual(expect.arrayContaining(["Yes", "No"]));
    await Promise.all([page.waitForEvent("load"), page.getByRole("link", { name: "Try it" }).click()]);
    expect(await page.locator("#c").isVisible()).toBe(false);
    await page.locator("[name=b][value=true]").check();
    await page.locator("#c").fill("x");
    await Promise.all([page.waitForEvent("load"), page.locator("form button[type=submit]").click()]);
    expect(await page.locator("body").textContent()).toContain("nothing has been stored");
    expect(await stored(form)).toEqual([]);
  },
);
