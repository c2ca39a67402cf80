// stacks: one browser
/** The tutorial's tour in the console, by keyboard alone. */
import { expect } from "bun:test";
import { activate, choose, enter, focus, inPlace, testInChromium, toggle } from "../chromium.ts";
import { ask, makeTeam, permissive, service } from "../setup.ts";

const run = (javaScriptEnabled: boolean, AGENT_CREDENTIALS: string) =>
  testInChromium(
    `form, fields, publish, access key, agent, grant, submission, review; with script: ${javaScriptEnabled}, agents by ${AGENT_CREDENTIALS}`,
    async (open) => {
      const app = await service(
        AGENT_CREDENTIALS === "api-key" ? permissive : { ...permissive, AGENT_CREDENTIALS },
      );
      const team = await makeTeam(app);
      const submitter = (what: string, headers: Record<string, string>, data: object) =>
        ask(app, "POST", `/papi/v1/submitter/form/${what}`, { headers, body: { data } });
      const { page } = await open(app, { javaScriptEnabled });
      await page.goto("/console");
      await page.locator("#email").focus();
      await page.keyboard.insertText(team.operator.email);
      await enter(page, "Password", team.operator.password);
      await activate(page, "Sign in");

      await activate(page, "New form");
      const name = javaScriptEnabled ? "Contact" : "Plain";
      await enter(page, "Name", name);
      await activate(page, "Create the form");
      await enter(page, "Question 1", "Your name");
      await toggle(page, "An answer is required");
      await enter(page, "Question 2", "E-mail");
      await choose(page, "Type of answer", "E-mail");
      await inPlace(page, "Add the questions");
      await inPlace(page, "Add a question");
      await enter(page, "Question", "Topic");
      await toggle(page, "Type of answer: Automatic");
      await page.keyboard.press("Tab");
      const choice = page.locator('input[name="type"][value="select"]');
      for (let presses = 0; presses < 30 && !(await choice.isChecked()); presses++)
        await page.keyboard.press("ArrowRight");
      await enter(page, "Choice 1", "sales");
      if (javaScriptEnabled) {
        await page.keyboard.press("Enter");
        await page.keyboard.insertText("support");
      } else await enter(page, "Choice 2", "support");
      await inPlace(page, "Add");
      await activate(page, "Settings");
      await toggle(page, "Review every submission before it is accepted");
      await activate(page, "Save");
      await activate(page, "Publish");
      await activate(page, "More");
      await activate(page, "Access keys");
      await activate(page, "Create an access key");
      const accessKey = (await page.locator(".secret code").textContent()) ?? "";

      await activate(page, "Automation");
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
      expect(dryRun.body.data).toMatchObject({
        errors: [{ field: "e_mail" }],
        missingRequired: ["your_name"],
      });
      expect((await submitter("submissions", headers, { your_name: "Ada", topic: "sales" })).status).toBe(
        200,
      );

      await activate(page, "Forms");
      await activate(page, name);
      await activate(page, "Results 1 new 1");
      await activate(page, "Review 1");
      expect(await page.locator("dl").textContent()).toContain("Ada");
      await activate(page, "Accept");
      await activate(page, "Submissions");
      expect(await page.locator("tbody").textContent()).toMatch(/Ada.*Accepted.*sales/);
    },
  );

run(true, "api-key");
run(false, "operator");
