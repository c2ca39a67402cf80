// stacks: one
import { expect, test } from "bun:test";
import { until } from "../../expect.ts";
import { ask, formd, makeForm, makeTeam, service, settingsFor } from "../../setup.ts";
import { type Browser, expectRedirect, textOf } from "../console/browser.ts";
import { browserOf, hiddenIn } from "../console/fixture.ts";
import { fields, mailsFixture } from "./fixture.ts";

const { app, team, mails, call, formWith, submit, listOf } = await mailsFixture();

const settingsOf = async ({ id }: { id: string }) =>
  (await call("GET", id)).body.data.form.settings as Record<string, Record<string, unknown>>;

/** Sends settings as the page of a form that has shown the current ones. */
async function save(editor: Browser, path: string, entered: Record<string, string>) {
  const { shown = "" } = hiddenIn(await editor.get(path), 'name="shown"');
  return await editor.post(path, { ...Object.fromEntries(new URLSearchParams(shown)), ...entered, shown });
}

test("an editor sets who gets notifications: an operator's e-mail address is stored as the person", async () => {
  const form = await formWith({});
  const editor = await browserOf(app, team, "editor");
  const path = `/console/forms/${form.id}/settings`;
  const recipients = `office@town.example\n${team.operator.email.toUpperCase()}`;
  expectRedirect(await save(editor, path, { "notify.recipients": recipients, "notify.when": "daily" }), path);
  expect((await settingsOf(form)).notify).toEqual({
    recipients: ["office@town.example", team.operator.id],
    when: "daily",
  });
  const page = textOf(await editor.get(path));
  expect(page).toContain(`office@town.example ${team.operator.email}`);
  const refused = await save(editor, path, { "notify.recipients": "nobody" });
  expect([refused.status, refused.html.includes("nobody")]).toEqual([422, true]);
  expect(textOf(refused)).toContain("Enter e-mail addresses, one per line");
  expectRedirect(await save(editor, path, { "notify.recipients": "" }), path);
  expect(await settingsOf(form)).not.toHaveProperty("notify");
});

test("copies name a field, and the page says what a form without a CAPTCHA does", async () => {
  const form = await formWith({});
  const editor = await browserOf(app, team, "editor");
  const path = `/console/forms/${form.id}/settings`;
  expect(textOf(await editor.get(path))).toContain("Turn on the CAPTCHA first.");
  const entered = { "copy.field": "email", "copy.include": "values", "copy.subject": "Thanks" };
  expectRedirect(await save(editor, path, entered), path);
  expect((await settingsOf(form)).copy).toEqual({ field: "email", include: "values", subject: "Thanks" });
  expect(textOf(await editor.get(`/console/forms/${form.id}/publish`))).toContain(
    "A copy is mailed to the address in the question “E-mail”",
  );
});

test("the list says what became of each mail, in words, and sends one again; a viewer only reads it", async () => {
  const to = `list-${team.id.slice(-6)}@town.example`;
  const form = await formWith({ notify: { recipients: [to] } });
  await submit(form);
  await mails.next(to);
  await until(async () => (await listOf(form))[0]?.state === "sent");
  await app.database.sql`
    update formd.mails set state = 'failed', last_error = 'The mail server refused the mail (550).' where form_id = ${form.id}`;
  const path = `/console/forms/${form.id}/mails`;
  const [editor, viewer] = [await browserOf(app, team, "editor"), await browserOf(app, team, "viewer")];
  const page = await editor.get(path);
  expect(textOf(page)).toContain("Failed The mail server refused the mail (550).");
  expect(textOf(await editor.get(`${path}?state=due`))).toContain("No e-mails.");
  const resend = new RegExp(`action="(${path}/[\\w-]+/resend)"`).exec(page.html)?.[1] ?? "";
  const seen = await viewer.get(path);
  expect(seen.html).not.toMatch(/\/resend"|name="recipients"/);
  expect((await viewer.post(resend, {})).status).toBe(403);
  expectRedirect(await editor.post(resend, {}), path);
  await mails.next(to);
});

test("a server without mails says so in place of their settings, and publishing warns, in the console and at a terminal", async () => {
  const silent = await service();
  for (const on of [silent, app]) {
    const team = await makeTeam(on);
    const [plain, copies] = [await makeForm(on, team, fields), await makeForm(on, team, fields)];
    await ask(on, "PATCH", `/papi/v1/management/forms/${copies.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings: { copy: { field: "email" } } }] },
    });
    const admin = await browserOf(on, team, "admin");
    const environment = { ...settingsFor(on.database), ...(on !== silent && mails.settings) };
    for (const form of [plain, copies]) {
      const isLost = on === silent && form === copies;
      const page = textOf(await admin.get(`/console/forms/${form.id}/publish`));
      expect([on.url, page.includes("This form should send e-mail, but")]).toEqual([on.url, isLost]);
      const { stdout, stderr } = await formd(["form", "publish", form.id, "--json"], environment);
      expect([JSON.parse(stdout).form.id, stderr.includes("SMTP_URL is not set")]).toEqual([form.id, isLost]);
    }
    const settings = await admin.get(`/console/forms/${plain.id}/settings`);
    const reason = "E-mail is not set up on this server.";
    expect(textOf(settings).includes(reason)).toBe(on === silent);
    expect(settings.html.includes('name="notify.recipients"')).toBe(on !== silent);
  }
});
