// stacks: one
/** formd person: all that is stored of one person is handed out, then erased; what is held stays. */
import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { connectOnce } from "../../src/platform/database/db.ts";
import { outcome, until } from "../expect.ts";
import { anything, byKey, cv, fileService, pdf, submit, upload } from "../http/files/fixture.ts";
import { formdProcess } from "../setup/process.ts";
import { ask, formd, makeForm, makeTeam, manageSubmission, settingsFor, tablesWith } from "../setup.ts";
import { agentForPerson } from "../sql/person-fixture.ts";

const mail = { id: "mail", type: "email", label: "E-mail" };
const address = "ada.lovelace@example.org";

const masterKey = Buffer.alloc(32, 9).toString("base64");

const app = await fileService({ FORMD_SECRET_KEY: masterKey });
const team = await makeTeam(app);
const form = await makeForm(app, team, [mail, cv, anything]);

const settings = () => ({
  ...settingsFor(app.database),
  FILES_URL: `file://${app.directory}`,
  FORMD_SECRET_KEY: masterKey,
});
const manage = (method: string, path: string, body?: object) =>
  manageSubmission(app, team, form, method, path, body);

test("a person is found by a value; the export has it all, and after the erasure there is nothing", async () => {
  const headers = byKey(form, team);
  const { body: uploaded } = await upload(app, headers, pdf);
  const stored = await submit(app, headers, { mail: address, cv: [{ id: uploaded.data.id }] });
  expect(outcome(stored)).toBe("ok");
  const { id } = stored.body.data;
  const other = await submit(app, headers, { mail: "bob@example.org" });
  const { updatedAt } = (await manage("GET", id)).body.data.submission;
  const edits = [{ fieldId: "mail", value: "ada@example.org" }];
  expect(outcome(await manage("PATCH", id, { expectedUpdatedAt: updatedAt, edits }))).toBe("ok");
  await app.database.sql`
    insert into formd.mails (team_id, id, kind, form_id, subject_id, state, due_at, gives_up_at, created_at, expires_at)
    values (${team.id}, ${randomUUID()}, 'copy', ${form.id}, ${id}, 'sent', now(), now(), now(), now() + interval '1 day')`;

  const choice = ["--form", form.id, "--field", "mail", "--value", address.toUpperCase()];
  const exported = await formdProcess(["person", "export", ...choice], settings());
  expect([exported.code, exported.stderr]).toEqual([0, ""]);
  const lines = exported.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ kind }) => kind)).toEqual(["submission", "edit", "file", "mail", "receipt"]);
  const [submission, edit, file, , receipt] = lines;
  expect(submission).toMatchObject({ submissionId: id, formId: form.id, data: { mail: "ada@example.org" } });
  expect(edit).toMatchObject({ fieldId: "mail", oldValue: address, newValue: "ada@example.org" });
  expect(Buffer.from(file.content, "base64").equals(pdf)).toBe(true);
  expect(receipt.receipt).toContain(`submission: ${id}`);

  const erase = async (...more: string[]) => {
    const { code, stdout } = await formd(["person", "erase", ...choice, "--json", ...more], settings());
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };
  const found = { submissions: 1, files: 1, held: 0, invitations: 0 };
  const forms = [{ teamId: team.id, formId: form.id, ...found }];
  expect(await erase()).toEqual({ erased: false, ...found, forms });
  expect(await erase("--confirm")).toEqual({ erased: true, ...found, forms });
  expect(await erase("--confirm")).toMatchObject({ submissions: 0, files: 0, held: 0, forms: [] });
  expect(await formdProcess(["person", "export", ...choice], settings())).toMatchObject({
    code: 0,
    stdout: "",
  });
  expect((await manage("GET", id)).status).toBe(404);
  expect((await manage("GET", other.body.data.id)).status).toBe(200);
  await app.sweep();
  expect(app.objects()).toEqual([]);
}, 240_000);

test("what is held stays and is counted, also for formd erase", async () => {
  const respondent = randomUUID();
  const { body } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: byKey(form, team),
    body: { data: { mail: "held@example.org" }, metadata: { respondentId: respondent } },
  });
  const { sql } = app.database;
  await sql`
    select from formd.hold_place(${team.id}, '(cli,,)', ${form.id}, ${body.data.id}, 'Case 1')`;
  const erased = await formd(["erase", "--respondent", respondent, "--confirm"], settings());
  expect(erased).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 submissions are held, and stay (held)"),
  });
  const { stdout } = await formd(["erase", "--respondent", respondent, "--confirm", "--json"], settings());
  expect(JSON.parse(stdout)).toMatchObject({ erased: false, submissions: 0, held: 1 });
  expect((await manage("GET", body.data.id)).status).toBe(200);
  await sql`select from formd.hold_release(${team.id}, '(cli,,)', ${form.id}, ${body.data.id})`;
  expect((await formd(["erase", "--respondent", respondent, "--confirm"], settings())).stdout).toContain(
    "1 submissions erased",
  );
  expect((await manage("GET", body.data.id)).status).toBe(404);
});

test("an erasure waits for what is being stored for the person, and deletes it as well", async () => {
  const { sql, ownerUrl } = app.database;
  const { person, submit: store } = await agentForPerson(app, team, await makeForm(app, team, [anything]));
  expect(await store(sql)).toBe("stored");
  await using other = connectOnce(ownerUrl);
  await other`begin`;
  await sql`delete from formd.rate_limits`;
  expect(await store(other)).toBe("stored");
  const erasing = formdProcess(
    ["person", "erase", "--respondent", person, "--confirm", "--json"],
    settings(),
  );
  const waiting = () => sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'respondent_erase'`;
  await until(async () => (await waiting()).length > 0);
  await other`commit`;
  const { stdout } = await erasing;
  expect(JSON.parse(stdout)).toMatchObject({ erased: true, submissions: 2, held: 0 });
  expect(await tablesWith(sql, person)).toEqual(["audit_events"]);
});

test.each([[[]], [["--form", "x"]], [["--field", "mail", "--value", "a"]]])(
  "%p names nobody: exit code 2",
  async (args) => {
    const { code, stdout, stderr } = await formdProcess(["person", "erase", ...args], settings());
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("error: ");
  },
);
