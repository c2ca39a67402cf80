// stacks: one
/** Names in a draft that have no effect, on the pages that show and change it. */
import { expect, test } from "bun:test";
import { expectRedirect, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { admin, call, seen } = await consoleFixture();

const question = { id: "a", type: "text", label: "Name" };

async function make(field: object, settings: object): Promise<{ id: string }> {
  const { form } = await call("POST", "/management/forms", { name: "A", schema: { fields: [field] } });
  await call("PATCH", `/management/forms/${form.id}`, { operations: [{ op: "setMeta", settings }] });
  return form;
}

test("the page that publishes lists those that stop it, of questions and settings, and has no button", async () => {
  const form = await make({ ...question, showif: "true" }, { captcha: { enable: true } });
  const page = await admin.get(formPath(form, "/publish"));
  const text = textOf(page);
  expect(text).toContain("Fix these first");
  expect(text).toContain('Name: “showif” is unknown: is "showIf" meant?');
  expect(text).toContain('“settings.captcha.enable” is unknown: is "enabled" meant?');
  expect([text.includes("Unknown names"), page.html.includes(">Publish</button>")]).toEqual([false, false]);
  expect(textOf(await admin.get(formPath(form)))).toContain("“showif” is unknown");
  expect((await admin.post(formPath(form, "/publish"), await seen(form))).status).toBe(422);
});

test("others are listed beside the button; those of settings on their page too", async () => {
  const form = await make({ ...question, minimum: 3 }, { theirs: 1, "x-mine": 1 });
  const page = await admin.get(formPath(form, "/publish"));
  const text = textOf(page);
  expect(text).toContain("Unknown names, without an effect");
  expect(text).toMatch(/“(At least|minimum)” is not a rule of the type "text"/);
  expect(text).toContain("“settings.theirs” is unknown");
  expect([text.includes("x-mine"), page.html.includes(">Publish</button>")]).toEqual([false, true]);
  const settings = textOf(await admin.get(formPath(form, "/settings")));
  expect([settings.includes("“settings.theirs” is unknown"), settings.includes("not a rule")]).toEqual([
    true,
    false,
  ]);
});

test("those of settings that stop publishing go by one button, and the others stay", async () => {
  const settings = {
    captcha: { enable: true, enabled: true },
    pages: {},
    theirs: 1,
    page: { theme: { acent: "red" } },
  };
  const form = await make(question, { ...settings, "x-mine": 1 });
  const path = formPath(form, "/settings");
  expect((await admin.get(path)).html).toContain("Remove the unknown settings");
  expect(
    textOf(
      await admin.get(expectRedirect(await admin.post(`${path}/unknown`, await seen(form)), formPath(form))),
    ),
  ).toContain("Unknown settings removed.");
  const { form: stored } = await call("GET", `/management/forms/${form.id}`);
  expect(stored.settings).toMatchObject({ captcha: { enabled: true }, theirs: 1, "x-mine": 1 });
  expect(JSON.stringify(stored.settings)).not.toMatch(/"(enable|pages|acent)"/);
  expect((await admin.get(path)).html).not.toContain("Remove the unknown settings");
});
