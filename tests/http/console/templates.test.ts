// stacks: one
/** New forms from templates. */
import { expect, test } from "bun:test";
import { addOperator, makeWorkspace } from "../../setup.ts";
import { Browser, expectPage, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

const { app, sql, team, admin } = await consoleFixture();
const { workspace } = team;
const path = "/console/new-form";
const german = { "accept-language": "de" };

/** Makes a form, and returns its row. */
async function made(fields: Record<string, string>, headers = {}) {
  const to = expectRedirect(await admin.post(path, { workspace, ...fields }, headers), /^\/console\/forms\//);
  const [row] =
    await sql`select name, schema, settings from formd.forms where id = ${to.split("/")[3] ?? ""}`;
  return row;
}

test("a template makes a draft in the reader's language, under the name that was entered, if one was", async () => {
  expect(await made({ template: "contact" })).toMatchObject({ name: "Contact" });
  const form = await made({ template: "contact", name: "Kontakt Süd", timeZone: "Europe/Berlin" }, german);
  expect(form).toMatchObject({
    name: "Kontakt Süd",
    schema: { fields: expect.arrayContaining([expect.objectContaining({ label: "Ihre Nachricht" })]) },
    settings: {
      page: { language: "de", submitLabel: "Nachricht senden" },
      availability: { timeZone: "Europe/Berlin" },
      captcha: { enabled: false },
    },
  });
  expect(form?.settings).not.toHaveProperty("examples");
});

test("an unknown template makes an empty form, and a name that is not valid is shown again", async () => {
  expect(await made({ template: "__proto__" })).toMatchObject({
    name: "Untitled form",
    schema: { fields: [] },
  });
  const page = await admin.post(path, { workspace, template: "contact", name: "x".repeat(9_000) });
  expectPage(page, 400, "Or begin with a template", "x".repeat(9_000));
});

test("with several workspaces one chooses, and only where one may", async () => {
  const other = await makeWorkspace(app, team);
  expect((await admin.get("/console/welcome")).html).not.toContain(other);
  const refused = await admin.post(path, { workspace: other, template: "contact" });
  expect([refused.status, textOf(refused).includes("Or begin with a template")]).toEqual([403, true]);
  const person = await addOperator(app, team.id, workspace, "editor");
  await sql`
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (${team.id}, ${other}, ${person.id}, 'editor', now())`;
  const editor = new Browser(app);
  await editor.signIn(person.email, person.password);
  for (const page of ["/console/welcome", path])
    expectPage(await editor.get(page), 200, `<option value="${other}"`);
});
