/**
 * The page of a form in a browser: what its script adds, values in the address, a call by MCP, steps, frames.
 */
import { describe, expect, setDefaultTimeout } from "bun:test";
import { testInChromium } from "../chromium.ts";
import { submissionCount, until } from "../expect.ts";
import { asAgentToken, baseOf, connect } from "../mcp-client.ts";
import { makeAgent } from "../setup.ts";
import { entered, formPages } from "./filled-page.ts";

setDefaultTimeout(120_000);

const { app, team, open, published, pathOf } = await formPages();

testInChromium(
  "the script counts characters and keeps what was typed over a reload; a double click stores one submission",
  async () => {
    const form = await published([
      { id: "note", type: "textarea", label: "Note", validation: { maxLength: 10 } },
      { id: "colour", type: "multi_select", label: "Colour", options: ["red", "green", "blue"] },
      { id: "pin", type: "text", label: "PIN", sensitive: true },
      { id: "city", type: "text", label: "City", prefill: true },
    ]);
    const { page, faults, context } = await open();
    await page.goto(pathOf(form));
    await page.locator("#pin").fill("1234");
    await page.locator("#city").fill("Bonn");
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("1234");
    await page.goto(`${pathOf(form)}?city=Berlin`);
    expect(await page.locator("#city").inputValue()).toBe("Berlin");
    await page.goto(pathOf(form));
    expect([await page.locator("#city").inputValue(), await page.locator("#pin").inputValue()]).toEqual([
      "Bonn",
      "",
    ]);
    await page.locator("#city").fill("");
    await page.locator("#note").fill("12345678😀");
    expect(await page.locator(".count").textContent()).toBe("Characters left: 1");
    await page.locator("#note").fill("12345678901");
    expect(await page.locator(".count.over").textContent()).toBe("Characters too many: 1");
    await page.locator("#note").fill("Hello");
    await page.locator("[value=green]").check();
    await page.reload();
    expect(await entered(page)).toEqual([
      ["note", "Hello"],
      ["colour", "green"],
    ]);
    await page.locator("button[type=submit]").dblclick();
    // One of the two navigations may end the other, which would end waitForURL as well.
    await until(() => page.url().includes("/sent?"));
    // The script of that page clears what was kept.
    await page.waitForLoadState();
    expect(await submissionCount(app, form)).toBe(1);
    await page.goto(pathOf(form));
    expect(await entered(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  },
);

testInChromium(
  "the address fills in the fields that allow it, hidden ones too, and nothing else",
  async () => {
    const form = await published([
      { id: "name", type: "text", label: "Name", prefill: true },
      { id: "email", type: "email", label: "E-mail" },
      { id: "tags", type: "multi_select", label: "Tags", options: ["red", "green", "blue"], prefill: true },
      { id: "home", type: "address", label: "Home", prefill: true },
      { id: "source", type: "hidden", label: "Source", prefill: true },
      { id: "internal", type: "hidden", label: "Internal" },
    ]);
    const { page, faults, context } = await open();
    const query = "?name=Ada&email=a@b.example&tags=red&tags=blue&home.city=Bern&source=mail&internal=1&x=1";
    await page.goto(pathOf(form) + query);
    expect(await page.getByText(/Source|Internal/).count()).toBe(0);
    const values = { name: "Ada", tags: ["red", "blue"], home: { city: "Bern" }, source: "mail" };
    expect(await entered(page)).toEqual([
      ["name", "Ada"],
      ["tags", "red"],
      ["tags", "blue"],
      ["home.city", "Bern"],
      ["source", "mail"],
    ]);
    await page.locator("button[type=submit]").click();
    await page.waitForURL(/\/sent\?/);
    const stored = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
    expect([...stored]).toEqual([{ data: values }]);
    expect(faults).toEqual([]);
    await context.close();
  },
);

testInChromium(
  "a call by MCP whose values are incomplete leads to the page, which has the values and stores what the respondent sends",
  async () => {
    const form = await published([
      { id: "email", type: "email", label: "E-mail", prefill: true, required: true },
      { id: "topic", type: "select", label: "Topic", options: ["Sales", "Support"], prefill: true },
      { id: "home", type: "address", label: "Home", required: true },
    ]);
    const agent = await makeAgent(app, team, form);
    const { page, faults, context } = await open({}, { url: baseOf(app) });
    const client = await connect(app, asAgentToken(agent), {
      answer: async ({ url = "" }) => {
        await page.goto(url);
        await page.locator("[name='home.city']").fill("Bern");
        await page.getByRole("button", { name: "Submit" }).click();
        await page.waitForURL(/\/sent\?/);
        return { action: "accept" };
      },
    });
    const data = { email: "ada@example.org", topic: "Support" };
    const result = await client.callTool({ name: "submit", arguments: { formId: form.id, data } });
    expect(result.structuredContent).toMatchObject({ status: "handed_over" });
    const stored = await app.database.sql`
      select data, submitter_type from formd.submissions where form_id = ${form.id}`;
    expect([...stored]).toEqual([{ data: { ...data, home: { city: "Bern" } }, submitterType: "anonymous" }]);
    expect(faults).toEqual([]);
    await Promise.all([client.close(), context.close()]);
  },
);

describe.each([true, false])("in steps, with script: %p", (javaScriptEnabled) => {
  testInChromium(
    "the browser's Back key shows an earlier step as it was; the answers are checked, changed and sent",
    async () => {
      const form = await published(
        [
          { id: "name", type: "text", label: "Name", required: true },
          { id: "more", type: "page_break", label: "Your visit" },
          { id: "day", type: "date", label: "Day", required: true },
          { id: "end", type: "page_break", label: "Consent" },
          { id: "agree", type: "consent", label: "I agree", required: true },
        ],
        { layout: "steps" },
      );
      const { page, faults, context } = await open({
        javaScriptEnabled,
        viewport: { width: 320, height: 800 },
      });
      const heading = () => page.locator("h2").first().textContent();
      const next = async (name = "Continue") => {
        await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name }).first().click()]);
      };
      await page.goto(pathOf(form));
      await page.getByLabel("Name").fill("Ada");
      await next();
      await page.getByLabel("Day").fill("2026-11-20");
      await next();
      expect(await heading()).toBe("Step 3 of 3 Consent");
      await page.goBack();
      expect(await heading()).toBe("Step 2 of 3 Your visit");
      await page.getByLabel("Day").fill("2026-11-21");
      await next();
      await next("Back");
      expect(await page.getByLabel("Day").inputValue()).toBe("2026-11-21");
      await next();
      await page.getByLabel("I agree").check();
      await next();
      expect(await page.locator("h1").textContent()).toBe("Check your answers");
      expect(await page.locator("dd").allTextContents()).toEqual(["Ada", "21 November 2026", "Yes"]);
      await next("Change");
      await page.getByLabel("Name").fill("Grace");
      await next();
      await page.goBack();
      expect(await page.getByLabel("Name").count()).toBe(1);
      await page.goForward();
      await next("Submit");
      expect(await page.locator("h1").textContent()).toBe("Thank you");
      const copy = page.getByRole("button", { name: "Copy" });
      expect(await copy.isVisible()).toBe(javaScriptEnabled);
      if (javaScriptEnabled) {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        await copy.click();
        await page.getByRole("button", { name: "Copied" }).waitFor();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        expect(copied).toBe((await page.locator(".reference").textContent()) ?? "");
      }
      const stored = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
      expect([...stored]).toEqual([{ data: { name: "Grace", day: "2026-11-21", agree: true } }]);
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});

testInChromium(
  "in a frame of a named origin the form can be sent and has its height; a frame of another origin stays empty",
  async () => {
    let path = "";
    const site = () =>
      Bun.serve({
        port: 0,
        fetch: () =>
          new Response(
            `<!doctype html><title>Site</title><iframe src="${app.url}${path}" title="Form"></iframe><script src="${app.url}/f/embed.js"></script>`,
            { headers: { "content-type": "text/html" } },
          ),
      });
    const [named, other] = [site(), site()];
    const origin = `http://localhost:${named.port}`;
    // Higher than the frame is at first.
    const long = Array.from({ length: 12 }, (_, index) => ({
      id: `f${index}`,
      type: "text",
      label: "Text",
      required: true,
    }));
    const form = await published(long, { embedOrigins: [origin] });
    path = pathOf(form);
    const { page, context } = await open({ viewport: { width: 1280, height: 800 } });
    await page.goto(origin);
    const height = () =>
      page.evaluate(() => document.querySelector("iframe")?.getBoundingClientRect().height ?? 0);
    await until(async () => (await height()) > 800);
    const inside = page.frames()[1];
    const shown = await inside?.evaluate(() => [document.documentElement.scrollHeight, window.innerHeight]);
    expect(shown?.[0]).toBe(shown?.[1] as number);
    const [filled] = await Promise.all([
      page.waitForResponse((each) => each.request().method() === "POST"),
      inside?.locator("button[type=submit]").click(),
    ]);
    expect(filled?.status()).toBe(422);
    await inside?.locator("#summary").waitFor();

    await page.goto(`http://localhost:${other.port}`);
    await until(() => page.frames()[1]?.url().startsWith("chrome-error:"));
    await context.close();
    await Promise.all([named.stop(true), other.stop(true)]);
  },
);
