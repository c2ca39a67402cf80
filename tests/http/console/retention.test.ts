// stacks: one
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
/** A page's forms send their token as well. */
const post = (path: string, values: Record<string, string>) =>
  fetch(`${app.url}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, origin: app.url },
    body: new URLSearchParams({ csrf: "token", ...values }),
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
  const none = { "retention.count": "", "retention.unit": "D", "retention.from": "created" };
  const asked = await post(`/console/forms/${form.id}/settings/retention`, none);
  expect([asked.status, await asked.text()]).toEqual([
    422,
    expect.stringContaining("this form has no rule of its own"),
  ]);
  const [{ name }] = await sql<[{ name: string }]>`select name from formd.forms where id = ${form.id}`;
  const removed = await post(`/console/forms/${form.id}/settings/retention`, {
    ...none,
    "retention.confirm": name,
  });
  expect(removed.status).toBe(303);
  expect(await page(path)).toContain("no rule deletes its submissions");
  await sql`update formd.teams set retention = '{"deleteAfter": "P30D"}' where team_id = ${team.id}`;
  const publish = await page(path);
  await sql`update formd.teams set retention = null where team_id = ${team.id}`;
  expect(publish).toContain("1 submission goes within a day of publishing");
  expect(publish).not.toContain("no rule deletes");
});

test("a shorter time asks for the form's name though it deletes nothing yet; a longer one does not", async () => {
  const form = await makeForm(app, team, fields, { settings: { retention: { deleteAfter: "P1Y" } } });
  const set = (values: Record<string, string>) =>
    post(`/console/forms/${form.id}/settings/retention`, { "retention.from": "created", ...values });
  expect((await set({ "retention.count": "6", "retention.unit": "M" })).status).toBe(422);
  expect((await set({ "retention.count": "13", "retention.unit": "M" })).status).toBe(303);
  expect((await set({ "retention.count": "395", "retention.unit": "D" })).status).toBe(422);
});

test("the team's rule is set with the team's name, and counts for forms without one", async () => {
  const form = await makeForm(app, team, fields);
  const [{ name }] = await sql<[{ name: string }]>`select name from formd.teams where team_id = ${team.id}`;
  const values = { "retention.count": "2", "retention.unit": "Y", "retention.from": "completed" };
  const refused = await post("/console/workspaces/retention", { ...values, confirm: "another" });
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining("Write the name of the team."),
  ]);
  const wrong = await post("/console/workspaces/retention", {
    ...values,
    "retention.count": "21",
    confirm: name,
  });
  expect(wrong.status).toBe(400);
  const saved = await post("/console/workspaces/retention", { ...values, confirm: name });
  expect(saved.status).toBe(303);
  expect(await page("/console/workspaces")).toContain("deleted after 2 years, counted from its completion");
  expect(await page(`/console/forms/${form.id}/settings`)).toContain(
    "The rule in force is that of the team.",
  );
  await post("/console/workspaces/retention", { ...values, "retention.count": "", confirm: name });
  expect(await page("/console/workspaces")).toContain("Nothing deletes them by itself.");
});

test("an admin holds and releases a submission and a form; what is held has no button to delete it", async () => {
  const form = await makeForm(app, team, fields);
  const { body } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data: { mail: "ada@example.org" } },
  });
  const [settings, submission] = [
    `/console/forms/${form.id}/settings`,
    `/console/forms/${form.id}/submissions/${body.data.id}`,
  ];
  expect((await post(`${submission}/hold`, { reason: " " })).status).toBe(400);
  expect((await post(`${submission}/hold`, { reason: "Case 2027-114" })).status).toBe(303);
  const held = await page(submission);
  expect(held).toContain("Case 2027-114");
  expect(held).not.toContain("Delete this submission");
  expect((await post(`${submission}/delete`, {})).status).toBe(409);
  expect(await page(settings)).toContain("1 submission is held");
  expect((await post(`${submission}/release`, {})).status).toBe(303);
  expect(await page(submission)).toContain("Delete this submission");

  expect((await post(`/console/forms/${form.id}/hold`, { reason: "Case 2" })).status).toBe(303);
  expect(await page(settings)).toContain("All submissions of this form are held");
  expect(await page(submission)).toContain("All submissions of this form are held");
  expect((await post(`${submission}/delete`, {})).status).toBe(409);
  expect((await post(`/console/forms/${form.id}/release`, {})).status).toBe(303);
  expect((await post(`${submission}/delete`, {})).status).toBe(303);
});

test("a person's data: found by a value, downloaded, erased; then nothing is found", async () => {
  const form = await makeForm(app, team, fields);
  for (const mail of ["ada@example.org", "bob@example.org"])
    await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
      body: { data: { mail } },
    });
  expect(await page(`/console/person?form=${form.id}`)).toContain("Your mail");
  const ada = { form: form.id, field: "mail", value: "ADA@example.org" };
  const found = await post("/console/person", ada);
  expect([found.status, await found.text()]).toEqual([200, expect.stringContaining("Download all of it")]);
  const file = await post("/console/person/export", ada);
  expect(file.headers.get("content-disposition")).toContain("person.jsonl");
  const lines = (await file.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ kind, data }) => [kind, data])).toEqual([
    ["submission", { mail: "ada@example.org" }],
    ["receipt", undefined],
  ]);
  expect((await post("/console/person/erase", ada)).status).toBe(303);
  expect(await (await post("/console/person", ada)).text()).toContain("Nothing is stored of this person.");
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int from formd.submissions where form_id = ${form.id}`;
  expect(count).toBe(1);
  expect((await post("/console/person", { respondent: "nobody" })).status).toBe(400);
});

test("erasing a respondent erases issuer and subject, which stay while a submission is held", async () => {
  const form = await makeForm(app, team, fields);
  const respondent = uuidv7();
  await sql`
    insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
    values (${team.id}, ${respondent}, 'https://id.example.org', 'ada', now(), now() + interval '1 day')`;
  await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data: { mail: "ada@example.org" } },
  });
  await sql`update formd.submissions set respondent_id = ${respondent} where form_id = ${form.id}`;
  expect(await (await post("/console/person", { respondent })).text()).toContain(
    "ada (https://id.example.org)",
  );
  const file = await (await post("/console/person/export", { respondent })).text();
  expect(JSON.parse(file.split("\n")[0] ?? "")).toMatchObject({ kind: "respondent", subject: "ada" });
  const left = () => sql`select from formd.respondents where id = ${respondent}`;
  await post(`/console/forms/${form.id}/hold`, { reason: "Case 7" });
  expect((await post("/console/person/erase", { respondent })).status).toBe(303);
  expect(await left()).toHaveLength(1);
  await post(`/console/forms/${form.id}/release`, {});
  expect((await post("/console/person/erase", { respondent })).status).toBe(303);
  expect(await left()).toHaveLength(0);
});
