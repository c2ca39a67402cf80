/** The card of the settings that says when submissions are deleted, and what publishing says of it. */
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { ask, makeForm, makeOperator, makeTeam, service } from "../../setup.ts";

const app = await service();
const { sql } = app.database;
const team = await makeTeam(app);
const cookie = await makeOperator(app, team, "admin");
const fields = [{ id: "mail", type: "email", label: "Your mail" }];

const page = async (path: string): Promise<string> =>
  await (await fetch(`${app.url}${path}`, { headers: { cookie } })).text();
const post = (path: string, values: Record<string, string>) =>
  fetch(`${app.url}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, origin: app.url },
    body: new URLSearchParams(values),
  });

test("a rule that deletes more asks for the form's name; publishing warns while there is none", async () => {
  const form = await makeForm(app, team, fields);
  const path = `/console/forms/${form.id}`;
  const { body } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data: { mail: "ada@example.org" } },
  });
  // As if it had been submitted 400 days ago.
  const old = uuidv7({ msecs: Date.now() - 400 * 86_400_000 });
  await sql`update formd.submissions set id = ${old} where form_id = ${form.id} and id = ${body.data.id}`;
  expect(await page(`${path}/publish`)).toContain("no rule deletes its submissions");

  const [{ name }] = await sql<[{ name: string }]>`select name from formd.forms where id = ${form.id}`;
  const values = { "retention.count": "90", "retention.unit": "D", "retention.from": "created" };
  const wrong = await post(`${path}/settings/retention`, { ...values, "retention.count": "0" });
  expect([wrong.status, await wrong.text()]).toEqual([
    422,
    expect.stringContaining("a whole number, 1 or more"),
  ]);
  const asked = await post(`${path}/settings/retention`, values);
  expect([asked.status, await asked.text()]).toEqual([
    422,
    expect.stringContaining("1 submission is deleted within a day"),
  ]);
  const saved = await post(`${path}/settings/retention`, { ...values, "retention.confirm": name });
  expect(saved.status).toBe(303);
  const publish = await page(`${path}/publish`);
  expect(publish).toContain("1 submission goes within a day of publishing");
  expect(publish).not.toContain("no rule deletes");
  expect(await page(`${path}/settings`)).not.toContain("by the rule in force");
});

test("publishing the removal of a rule shows the team's default, or warns that nothing deletes", async () => {
  const form = await makeForm(app, team, fields, { settings: { retention: { deleteAfter: "P1Y" } } });
  const path = `/console/forms/${form.id}/publish`;
  const { body } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data: { mail: "ada@example.org" } },
  });
  const old = uuidv7({ msecs: Date.now() - 40 * 86_400_000 });
  await sql`update formd.submissions set id = ${old} where form_id = ${form.id} and id = ${body.data.id}`;
  expect(await page(path)).not.toContain("no rule deletes");
  const removed = await post(`/console/forms/${form.id}/settings/retention`, {
    "retention.count": "",
    "retention.unit": "D",
    "retention.from": "created",
  });
  expect(removed.status).toBe(303);
  expect(await page(path)).toContain("no rule deletes its submissions");
  await sql`update formd.teams set retention = '{"deleteAfter": "P30D"}' where team_id = ${team.id}`;
  const publish = await page(path);
  await sql`update formd.teams set retention = null where team_id = ${team.id}`;
  expect(publish).toContain("1 submission goes within a day of publishing");
  expect(publish).not.toContain("no rule deletes");
});
