/** README's tour in the console, by keyboard alone. It also runs on Deno and on the executable. */
import { beforeAll, expect, setDefaultTimeout } from "bun:test";
import { activate, choose, enter, focus, toggle, useChromium } from "../chromium.ts";
import { ask, makeTeam, permissive, type Service, service, type Team, testRequiring } from "../setup.ts";

setDefaultTimeout(240_000);

let app: Service;
let team: Team;
const open = useChromium();

beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
}, 120_000);

const submitter = (what: string, headers: Record<string, string>, data: object) =>
  ask(app, "POST", `/papi/v1/submitter/form/${what}`, { headers, body: { data } });

testRequiring("chromium").each([true, false])(
  "form, fields, publish, access key, agent, grant, submission, review; with script: %p",
  async (javaScriptEnabled) => {
    const { page, faults, context } = await open(app, { javaScriptEnabled });
    await page.goto("/console");
    await page.locator("#email").focus();
    await page.keyboard.insertText(team.operator.email);
    await enter(page, "Password", team.operator.password);
    await activate(page, "Sign in");

    await activate(page, "New form");
    const name = javaScriptEnabled ? "Contact" : "Plain";
    await enter(page, "Name", name);
    await activate(page, "Create the form");
    await activate(page, "Add");
    await enter(page, "Label", "Your name");
    await enter(page, "Id (optional)", "name");
    await toggle(page, "A value is required");
    await activate(page, "Add the field");
    for (const [type, label] of [
      ["email", "E-mail"],
      ["select", "Topic"],
    ] as const) {
      await choose(page, "Add a field", type === "email" ? "E-mail" : "One");
      await activate(page, "Add");
      await enter(page, "Label", label);
      if (type === "select") await enter(page, "options", "sales\nsupport");
      await activate(page, "Add the field");
    }
    await activate(page, "Name and settings");
    await toggle(page, "A submission waits for a review");
    await activate(page, "Save");
    await activate(page, "Publish");
    await activate(page, "Publish version 1");
    await activate(page, "Access keys");
    await activate(page, "Create an access key");
    const accessKey = (await page.locator(".secret code").textContent()) ?? "";

    await activate(page, "Agents");
    await activate(page, "New agent");
    await enter(page, "Name", "Scribe");
    await activate(page, "Create the agent");
    const clientSecret = (await page.locator(".secret code").textContent()) ?? "";
    await activate(page, "I have copied it");
    await focus(page, "Grant a form");
    await page.keyboard.press("Enter");
    await choose(page, "Form", name);
    await activate(page, "Grant");

    const { token } = (await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } })).body.data;
    const headers = { "x-form-access-key": accessKey, "x-respondent-token": token };
    const dryRun = await submitter("validation", headers, { e_mail: "not an address" });
    expect(dryRun.body.data).toMatchObject({ errors: [{ field: "e_mail" }], missingRequired: ["name"] });
    expect((await submitter("submissions", headers, { name: "Ada", topic: "sales" })).status).toBe(200);

    await activate(page, "Forms");
    await activate(page, name);
    await activate(page, "Review 1");
    expect(await page.locator("dl").textContent()).toContain("Ada");
    await activate(page, "Approve");
    await activate(page, "Submissions");
    expect(await page.locator("tbody").textContent()).toMatch(/Completed.*Ada.*sales/);
    expect(faults).toEqual([]);
    await context.close();
  },
);
