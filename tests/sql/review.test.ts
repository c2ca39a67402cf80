import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb } from "../../src/platform/database/db.ts";
import { makeForm } from "../setup.ts";
import { inParallel, sqlFixture, store, submitAll } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();

test("reviews of lists and counts of servers at once end without a deadlock", async () => {
  const form = await makeForm(app, team, [], { settings: { review: { required: true } } });
  const actor = `(api_key,${team.keyId},request)`;
  const list = Array.from({ length: 400 }, () => ({ form }));
  await submitAll(sql, team, list);
  await sql`
    update formd.submissions set provenance = case when abs(hashtext(id::text)) % 2 = 0 then 'agent' else 'person' end
    where form_id = ${form.id}`;
  const rows = await sql<{ id: string; updatedAt: string }[]>`
    select id, formd.timestamp_text(updated_at) as updated_at from formd.submissions where form_id = ${form.id} order by id`;
  const day = Math.floor(Date.now() / 86_400_000);
  const counts = ["completed", "pending"].flatMap((status) =>
    ["agent", "person"].map((provenance) => ({
      ...{ team_id: team.id, form_id: form.id, day, status, provenance },
      total: 1,
    })),
  );
  await inParallel(app.database.ownerUrl, 8, async (each, index) => {
    const part = jsonb(each, rows.slice(index * 100, index * 100 + 100));
    if (index < 4) {
      await each`select from formd.submissions_review(${team.id}, ${actor}, ${form.id}, ${part}, 'approve', null)`;
      // Half of them are taken back.
      const [{ at } = { at: "" }] = await each<{ at: string }[]>`
        select formd.timestamp_text(max(updated_at)) as at from formd.submissions where form_id = ${form.id}`;
      const half = jsonb(
        each,
        rows.slice(index * 100, index * 100 + 50).map(({ id }) => ({ id, updatedAt: at })),
      );
      await each`select from formd.submissions_review(${team.id}, ${actor}, ${form.id}, ${half}, 'undo', null)`;
    } else
      for (let round = 0; round < 100; round++)
        await each`
          select formd.daily_counts_add(
            p_team => null, p_submissions => ${jsonb(each, counts)}, p_agents => '[]', p_errors => '[]', p_progress => '[]')`;
  });
  const [total] = await sql`
    select sum(total)::int as total from formd.submission_days where form_id = ${form.id} and status = 'completed'`;
  expect(total).toEqual({ total: 200 + 2 * 400 });
});

test("of decisions and edits at once that start from one token one succeeds, and the totals are exact", async () => {
  const fields = [{ id: "a", type: "text", label: "A" }];
  const form = await makeForm(app, team, fields, { settings: { review: { required: true } } });
  const id = await store(sql, team, { form });
  const [{ updatedAt }] = await sql<[{ updatedAt: Date }]>`
    select updated_at from formd.submissions where form_id = ${form.id}`;
  const actor = `(api_key,${team.keyId},request)`;
  const edits = jsonb(sql, [{ fieldId: "a", value: "edited" }]);
  const ends = await inParallel(app.database.ownerUrl, 30, async (each, index) => {
    const act =
      index % 3 === 0
        ? each`
          select from formd.submission_patch(${team.id}, ${actor}, ${form.id}, ${id}, ${updatedAt}, ${edits}, true)`
        : each`
          select from formd.submission_review(${team.id}, ${actor}, ${form.id}, ${id},
            ${index % 3 === 1 ? "approve" : "reject"}, ${`${index}`}, ${updatedAt})`;
    return await act.then(
      () => "done",
      ({ message }) => message,
    );
  });
  expect(ends.toSorted()).toEqual([...Array(29).fill("conflict"), "done"]);
  const counts = await sql<{ counted: number; total: number }[]>`
    select counted::int, total::int from formd.submission_recount(${team.id}, ${form.id})`;
  for (const { counted, total } of counts) expect(total).toBe(counted);
  const [traces] = await sql`
    select (select count(*)::int from formd.audit_events where team_id = ${team.id} and object_id = ${id} and kind = 'submission.reviewed')
      + (select count(*)::int from formd.submission_edits where team_id = ${team.id} and submission_id = ${id}) as count`;
  expect(traces?.count).toBe(1);
});

test("each of a list is decided, or has the code why it was left", async () => {
  const form = await makeForm(app, team, [], { settings: { review: { required: true } } });
  const actor = `(api_key,${team.keyId},request)`;
  const list = Array.from({ length: 4 }, () => ({ form }));
  await submitAll(sql, team, list);
  type Listed = { id: string; updatedAt: string };
  const rows = await sql<Listed[]>`
    select id, formd.timestamp_text(updated_at) as updated_at from formd.submissions where form_id = ${form.id} order by id`;
  const [one, changed, decided, last] = rows as unknown as [Listed, Listed, Listed, Listed];
  await sql`select from formd.submission_review(${team.id}, ${actor}, ${form.id}, ${decided.id}, 'approve', null, ${decided.updatedAt})`;
  const missing = { id: uuidv7(), updatedAt: one.updatedAt };
  const asked = [one, { ...changed, updatedAt: "2026-01-01T00:00:00.000Z" }, decided, last, one, missing];
  const answers = await sql<{ submissionId: string; code: string | null }[]>`
    select submission_id, code from formd.submissions_review(${team.id}, ${actor}, ${form.id}, ${jsonb(sql, asked)}, 'reject', 'no')`;
  const codesOf = (id: string) =>
    answers.filter(({ submissionId }) => submissionId === id).map(({ code }) => code);
  expect([one, changed, decided, last, missing].map(({ id }) => codesOf(id))).toEqual([
    [null, "conflict"],
    ["conflict"],
    ["conflict"],
    [null],
    ["not_found"],
  ]);
  const rejected = await sql`
    select id from formd.submissions where form_id = ${form.id} and review_decision = 'rejected' order by id`;
  expect(rejected.map(({ id }) => id)).toEqual([one.id, last.id]);
});
