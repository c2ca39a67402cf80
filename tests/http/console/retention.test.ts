// stacks: one
/** When submissions are deleted, what publishing says of it, holds, and the data of a person. */
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { expectPage, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath, hiddenIn } from "./fixture.ts";

const { app, sql, team, admin, viewer, submit } = await consoleFixture();
const make = (settings: object = {}) =>
  makeForm(app, team, [{ id: "mail", type: "email", label: "Your mail" }], { settings });
const textAt = async (path: string) => textOf(await admin.get(path));
const publishOf = (form: PublishedForm) => textAt(formPath(form, "/publish"));
const name = "Test";
/** A rule of some days, months or years from the submission on, for a form. */
const set = async (form: PublishedForm, count: string, unit = "D", more: object = {}) => {
  const path = formPath(form, "/settings");
  const { shown = "" } = hiddenIn(await admin.get(path), 'name="shown"');
  return await admin.post(path, {
    ...{ "retention.count": count, "retention.unit": unit, "retention.from": "created", shown, ...more },
  });
};
const confirmed = { "retention.confirm": name };

/** A submission as if it had been sent some days ago. */
async function submitAgo(form: PublishedForm, days: number) {
  const id = await submit(form, { mail: "ada@example.org" });
  const old = uuidv7({ msecs: Date.now() - days * 86_400_000 });
  await sql`update formd.submissions set id = ${old} where form_id = ${form.id} and id = ${id}`;
}

test("a rule that deletes more asks for the form's name; publishing warns while the form has no rule", async () => {
  const form = await make();
  await submitAgo(form, 400);
  expect(await publishOf(form)).toContain("no rule deletes its submissions");
  expectPage(await set(form, "0"), 422, "a whole number, 1 or more");
  expectPage(await set(form, "90"), 422, "1 submission is deleted for good within a day");
  expect((await set(form, "90", "D", confirmed)).status).toBe(303);
  const publish = await publishOf(form);
  expect(publish).toContain("1 submission is deleted automatically within a day of publishing");
  expect(publish).not.toContain("no rule deletes");
  expect(await textAt(formPath(form, "/settings"))).not.toContain("deleted within a day");
});

test("publishing the removal of a rule shows the team's default, or warns that nothing deletes", async () => {
  const form = await make({ retention: { deleteAfter: "P1Y" } });
  await submitAgo(form, 40);
  expect(await publishOf(form)).not.toContain("no rule deletes");
  expectPage(await set(form, ""), 422, "this form has no rule of its own");
  expect((await set(form, "", "D", confirmed)).status).toBe(303);
  expect(await publishOf(form)).toContain("no rule deletes its submissions");
  await sql`update formd.teams set retention = '{"deleteAfter": "P30D"}' where team_id = ${team.id}`;
  const publish = await publishOf(form);
  await sql`update formd.teams set retention = null where team_id = ${team.id}`;
  expect(publish).toContain("1 submission is deleted automatically within a day of publishing");
  expect(publish).not.toContain("no rule deletes");
});

test("publishing warns of ids that look alike", async () => {
  const alike = ["e\u0301", "é"].map((id) => ({ id, type: "text", label: "Name" }));
  const form = await makeForm(app, team, alike);
  expect(await publishOf(form)).toContain("Ids of questions look alike: “e\\u{301}” = “\\u{e9}”");
});

test("a shorter time asks for the form's name though it deletes nothing yet; a longer one does not", async () => {
  const form = await make({ retention: { deleteAfter: "P1Y" } });
  expect((await set(form, "6", "M")).status).toBe(422);
  expect((await set(form, "13", "M")).status).toBe(303);
  expect((await set(form, "395", "D")).status).toBe(422);
});

test("the team's rule is set with the team's name, and counts for forms without one", async () => {
  const form = await make();
  const setOfTeam = (more: object = {}) =>
    admin.post("/console/workspaces/retention", {
      ...{ "retention.count": "2", "retention.unit": "Y", "retention.from": "completed", confirm: "Team" },
      ...more,
    });
  expectPage(await setOfTeam({ confirm: "another" }), 422, "Enter the name of the team.");
  expect((await setOfTeam({ "retention.count": "21" })).status).toBe(400);
  expect((await setOfTeam()).status).toBe(303);
  expect(await textAt("/console/workspaces")).toContain("deleted after 2 years, counted from its completion");
  expect(await textAt(formPath(form, "/settings"))).toContain("The team's rule applies.");
  await setOfTeam({ "retention.count": "" });
  expect(await textAt("/console/workspaces")).toContain("Submissions are kept until someone deletes them.");
});

test("an admin holds and releases a submission and a form; what is held has no button to delete it", async () => {
  const form = await make();
  const submission = formPath(form, `/submissions/${await submit(form, { mail: "ada@example.org" })}`);
  const post = async (path: string, fields = {}) => (await admin.post(path, fields)).status;
  expect(await post(`${submission}/hold`, { reason: " " })).toBe(400);
  for (const [held, noted] of [
    [submission, "1 submission is on hold"],
    [formPath(form), "All submissions of this form are on hold"],
  ] as const) {
    expect(await post(`${held}/hold`, { reason: "Case 2027-114" })).toBe(303);
    expect(await textAt(formPath(form, "/settings"))).toContain(noted);
    const page = await textAt(submission);
    expect(page).toContain(held === submission ? "Case 2027-114" : noted);
    expect(page).not.toContain("Delete this submission");
    expect(await post(`${submission}/delete`)).toBe(409);
    expect(await post(`${held}/release`)).toBe(303);
    expect(await textAt(submission)).toContain("Delete this submission");
  }
  expect(await post(`${submission}/delete`)).toBe(303);
});

test("the settings, with the reasons of holds, are not shown by a post that a role refuses", async () => {
  const form = await make();
  const settings = formPath(form, "/settings");
  await admin.post(`${formPath(form)}/hold`, { reason: "Case 2027-115" });
  expectPage(await admin.get(settings), 200, "Case 2027-115");
  const { status, html } = await viewer.post(settings, {});
  expect([status, html.includes("Case 2027-115")]).toEqual([403, false]);
});

const linesOf = ({ html }: Shown) =>
  html
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("a person's data: found by a value, downloaded, erased; then nothing is found", async () => {
  const form = await make();
  for (const mail of ["ada@example.org", "bob@example.org"]) await submit(form, { mail });
  expect(await textAt(`/console/person?form=${form.id}`)).toContain("Your mail");
  const person = (act = "") =>
    admin.post(`/console/person${act}`, { form: form.id, field: "mail", value: "ADA@example.org" });
  expectPage(await person(), 200, "Download everything");
  const file = await person("/export");
  expect(file.headers.get("content-disposition")).toContain("person.jsonl");
  expect(linesOf(file).map(({ kind, data }) => [kind, data])).toEqual([
    ["submission", { mail: "ada@example.org" }],
    ["receipt", undefined],
  ]);
  expect((await person("/erase")).status).toBe(303);
  expect(textOf(await person())).toContain("Nothing is stored about this person.");
  expect(await sql`select from formd.submissions where form_id = ${form.id}`).toHaveLength(1);
  expect((await admin.post("/console/person", { respondent: "nobody" })).status).toBe(400);
});

test("erasing a respondent erases issuer and subject, which stay while a submission is held", async () => {
  const form = await make();
  const respondent = uuidv7();
  await sql`
    insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
    values (${team.id}, ${respondent}, 'https://id.example.org', 'ada', now(), now() + interval '1 day')`;
  await submit(form, { mail: "ada@example.org" });
  await sql`update formd.submissions set respondent_id = ${respondent} where form_id = ${form.id}`;
  const person = (act = "") => admin.post(`/console/person${act}`, { respondent });
  expect(textOf(await person())).toContain("ada (https://id.example.org)");
  expect(linesOf(await person("/export"))[0]).toMatchObject({ kind: "respondent", subject: "ada" });
  for (const [act, left] of [
    ["/hold", 1],
    ["/release", 0],
  ] as const) {
    await admin.post(formPath(form, act), { reason: "Case 7" });
    expect((await person("/erase")).status).toBe(303);
    expect(await sql`select from formd.respondents where id = ${respondent}`).toHaveLength(left);
  }
});
