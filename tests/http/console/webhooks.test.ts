// stacks: one
/** The webhooks that receive the events of a form, and a new one that begins there. */
import { expect, test } from "bun:test";
import { makeForm } from "../../setup.ts";
import { expectPage, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, team, admin, call, seen } = await consoleFixture();
const fields = [{ id: "a", type: "text", label: "A" }];

test("a form without a webhook says so where another form has one, and a new one begins with the form", async () => {
  const [form, other] = [await makeForm(app, team, fields), await makeForm(app, team, fields)];
  const hook = { url: "https://example.org/hook", eventTypes: ["submission.created"] };
  await call("POST", "/management/webhooks", { ...hook, formId: other.id });
  const ofForm = async ({ id }: { id: string }) => admin.get(`/console/webhooks?formId=${id}`);
  expectPage(await ofForm(other), 200, "These receive the events of", hook.url);
  const none = await ofForm(form);
  expectPage(none, 200, "No webhook receives the events of", "Show all webhooks");
  expect(textOf(none)).not.toMatch(/There is no webhook yet|These receive/);
  const [, href = ""] = /<a class="button" href="([^"]+)"/.exec(none.html) ?? [];
  const chosen = async () =>
    /<option value="([^"]*)" selected/.exec(
      (await admin.get(href.replaceAll("&amp;", "&"))).html.split('name="formId"')[1] ?? "",
    )?.[1];
  expect(await chosen()).toBe(form.id);
  // The list of forms omits it.
  await admin.post(formPath(form, "/archive"), await seen(form));
  expect(await chosen()).toBe(form.id);
});
