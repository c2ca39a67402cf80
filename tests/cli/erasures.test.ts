// stacks: one
/** The list of erasures outlives the database: what a backup brings back is erased again. */
import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/platform/database/db.ts";
import { exportErasures } from "../../src/resources/persons/erasures.ts";
import {
  formd,
  makeForm,
  makeTeam,
  manageSubmission,
  permissive,
  service,
  settingsFor,
  submitByKey,
  temporaryFolder,
} from "../setup.ts";

const list = join(temporaryFolder(), "erasures.jsonl");
const app = await service(permissive);
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);

const run = async (...args: string[]) => {
  const settings = { ...settingsFor(app.database), ERASURES_FILE: list };
  const { code, stdout, stderr } = await formd([...args, "--json"], settings);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};
const submit = async (): Promise<string> =>
  (await submitByKey(app, team, form, { a: "marker" })).body.data.id;
const remove = (id: string) => manageSubmission(app, team, form, "DELETE", id);
const lines = () => readFileSync(list, "utf8").trimEnd().split("\n");

test("where nothing was erased, no file is made", async () => {
  expect(await run("erasures", "export")).toMatchObject({ erasures: 0 });
  expect(existsSync(list)).toBe(false);
});

test("each erasure is appended once, without values; a killed server's half line does no harm", async () => {
  const { sql } = app.database;
  const ids = await Promise.all([submit(), submit(), submit()]);
  for (const id of ids.slice(0, 2)) expect((await remove(id)).status).toBe(200);
  expect(await run("erasures", "export")).toEqual({ file: list, erasures: 2 });
  expect(await run("erasures", "export")).toMatchObject({ erasures: 0 });
  appendFileSync(list, '{"teamId":"');
  expect((await remove(ids[2] ?? "")).status).toBe(200);
  expect(await run("erasures", "export")).toMatchObject({ erasures: 1 });
  expect(
    lines()
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line).submissionId)
      .toSorted(),
  ).toEqual(ids.toSorted());
  expect(lines().join()).not.toContain("marker");

  // Restores the state of an earlier backup: two submissions exist again, and their erasures do not.
  const [other, ...again] = await Promise.all([submit(), submit(), submit()]);
  for (const [index, id] of again.entries())
    await sql`update formd.submissions set id = ${ids[index] ?? ""} where form_id = ${form.id} and id = ${id}`;
  await sql`
    delete from formd.submission_erasures where form_id = ${form.id}`.catch(() => {});
  const found = { listed: 3, unreadable: 1, held: 0, invitations: 0, persons: 0 };
  expect(await run("erasures", "repeat")).toEqual({ erased: false, ...found, submissions: 2 });
  expect(await run("erasures", "repeat", list, "--confirm")).toEqual({
    erased: true,
    ...found,
    submissions: 2,
  });
  expect(await run("erasures", "repeat", "--confirm")).toMatchObject({ submissions: 0 });
  const left = await sql<{ id: string }[]>`select id from formd.submissions where form_id = ${form.id}`;
  expect(left.map(({ id }) => id)).toEqual([other]);
});

test("a submission that is held again stays, and is counted", async () => {
  const { sql } = app.database;
  const id = await submit();
  const line = { teamId: team.id, formId: form.id, submissionId: id, erasedAt: new Date().toISOString() };
  appendFileSync(list, `${JSON.stringify(line)}\n`);
  await sql`select from formd.hold_place(${team.id}, '(cli,,)', ${form.id}, null, 'Case 1')`;
  expect(await run("erasures", "repeat", "--confirm")).toMatchObject({ submissions: 0, held: 1 });
  await sql`select from formd.hold_release(${team.id}, '(cli,,)', ${form.id}, null)`;
  expect(await run("erasures", "repeat", "--confirm")).toMatchObject({ submissions: 1, held: 0 });
});

test("whom an identity provider has named, and who was erased, has no name after a restore either", async () => {
  const { sql } = app.database;
  const id = crypto.randomUUID();
  const restore = () => sql`
    insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
    values (${team.id}, ${id}, 'https://id.example.org', 'marker', now(), now() + interval '30 days')`;
  await restore();
  await run("person", "erase", "--respondent", id, "--confirm");
  const of = lines().filter((line) => line.includes(id));
  expect(of.map((line) => JSON.parse(line))).toEqual([
    { teamId: team.id, respondentId: id, erasedAt: expect.any(String) },
  ]);
  expect(await run("erasures", "export")).toMatchObject({ erasures: 0 });
  await restore();
  expect(await run("erasures", "repeat")).toMatchObject({ persons: 1 });
  expect(await run("erasures", "repeat", "--confirm")).toMatchObject({ persons: 1, unreadable: 1 });
  expect(await run("erasures", "repeat", "--confirm")).toMatchObject({ persons: 0 });
});

test("more erasures of a minute than a block of the file has are appended once", async () => {
  const many = join(temporaryFolder(), "many.jsonl");
  const erase = (count: number) => app.database.sql`
    insert into formd.submission_erasures (team_id, form_id, submission_id, field_ids, actor_type, request_id, created_at)
    select ${team.id}, ${form.id}, gen_random_uuid(), '{}', 'retention', 'r',
      now() - i * interval '1 millisecond'
    from generate_series(1, ${count}::integer) as i`;
  await erase(12_000);
  const { erasures } = await run("erasures", "export", many);
  expect(erasures).toBeGreaterThanOrEqual(12_000);
  expect(await run("erasures", "export", many)).toMatchObject({ erasures: 0 });
  const ids = readFileSync(many, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).submissionId);
  expect([ids.length, new Set(ids).size]).toEqual([erasures, erasures]);
}, 240_000);

test("an erasure that commits after a later one is in the list, and one after a clock that was ahead", async () => {
  const { sql } = app.database;
  const late = join(temporaryFolder(), "late.jsonl");
  const listed = (ids: string[]) => {
    const written = existsSync(late) ? readFileSync(late, "utf8") : "";
    return ids.filter((id) => written.includes(id));
  };
  const other = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const b = (await submitByKey(app, team, other, { a: "marker" })).body.data.id;
  const [a = "", c = "", d = ""] = await Promise.all([submit(), submit(), submit()]);
  const holder = connect(app.database.ownerUrl, { poolSize: 1, prepare: false });
  await holder.begin(async (inner) => {
    await inner`select formd.submission_delete(${team.id}, '(cli,,request)', ${form.id}, ${a})`;
    expect((await manageSubmission(app, team, other, "DELETE", b)).status).toBe(200);
    await exportErasures(sql, late);
    expect(listed([a, b])).toEqual([]);
  });
  await holder.end();
  await exportErasures(sql, late);
  expect(listed([a, b])).toEqual([a, b]);
  await sql`insert into formd.feed_marks (xid, made_at) values (pg_current_xact_id(), clock_timestamp() + interval '2 hours')`;
  expect((await remove(c)).status).toBe(200);
  appendFileSync(
    late,
    `${JSON.stringify({ teamId: team.id, formId: form.id, submissionId: c, erasedAt: new Date(Date.now() + 7_200_000) })}\n`,
  );
  await sql`select formd.feed_mark()`;
  expect((await remove(d)).status).toBe(200);
  await exportErasures(sql, late);
  expect(listed([c, d])).toEqual([c, d]);
});

test("after a run that broke off, the next one writes what is older than the newest person", async () => {
  const { sql } = app.database;
  const broken = join(temporaryFolder(), "broken.jsonl");
  const [request, person] = [crypto.randomUUID(), crypto.randomUUID()];
  await sql`
    insert into formd.submission_erasures (team_id, form_id, submission_id, field_ids, actor_type, request_id, created_at)
    select ${team.id}, ${form.id}, gen_random_uuid(), '{}', 'retention', ${request},
      now() - interval '1 hour' - i * interval '1 millisecond'
    from generate_series(1, 600) as i`;
  await sql`select formd.audit_record(${team.id}, '(cli,,)', 'respondent.erased', null, ${person}, '{}')`;
  let queries = 0;
  const breaking = new Proxy(sql, {
    apply(target, self, given) {
      if (String(given[0]).includes("e.line") && ++queries > 1) throw new Error("The connection is gone.");
      return Reflect.apply(target, self, given);
    },
  });
  await expect(exportErasures(breaking, broken)).rejects.toThrow("The connection is gone.");
  expect(readFileSync(broken, "utf8")).not.toBe("");
  await run("erasures", "export", broken);
  const written = readFileSync(broken, "utf8");
  const erased = await sql<{ id: string }[]>`
    select submission_id as id from formd.submission_erasures where request_id = ${request}`;
  expect([person, ...erased.map(({ id }) => id)].filter((id) => !written.includes(id))).toEqual([]);
});

test("without a file that the settings name, the command asks for one", async () => {
  const { code, stderr } = await formd(["erasures", "export"], settingsFor(app.database));
  expect([code, stderr]).toEqual([1, "formd: Name a file: ERASURES_FILE is not set.\n"]);
});

test("what an invitation that was revoked named comes back with a restore, and is erased again", async () => {
  const { sql } = app.database;
  const id = crypto.randomUUID();
  await sql`
    insert into formd.invitations (team_id, form_id, id, token_hash, label, expires_at)
    values (${team.id}, ${form.id}, ${id}, sha256('token'), 'marker', now() + interval '1 day')`;
  await sql`select from formd.invitation_revoke(${team.id}, '(cli,,)', ${form.id}, ${id})`;
  await run("erasures", "export");
  const { erasedAt: _, ...line } = JSON.parse(lines().find((each) => each.includes(id)) ?? "");
  expect(line).toEqual({ teamId: team.id, formId: form.id, invitationId: id });
  expect(await run("erasures", "repeat")).toMatchObject({ invitations: 0 });
  await sql`update formd.invitations set state = 'open', label = 'marker' where id = ${id}`;
  expect(await run("erasures", "repeat")).toMatchObject({ invitations: 1 });
  expect(await run("erasures", "repeat", "--confirm")).toMatchObject({ invitations: 1 });
  expect(await sql`select state, label from formd.invitations where id = ${id}`).toEqual([
    { state: "revoked", label: null },
  ] as never);
  expect(await run("erasures", "repeat", "--confirm")).toMatchObject({ invitations: 0 });
});
