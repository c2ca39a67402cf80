import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb } from "../../src/platform/database/db.ts";
import { makeAgent, makeForm } from "../setup.ts";
import { inParallel, sqlFixture, store } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const day = Math.floor(Date.parse("2026-11-22") / 86_400_000);

test("two servers that add the same keys in opposite orders both add them", async () => {
  const form = await makeForm(app, team, []);
  const of = { team_id: team.id, form_id: form.id, day, form_version: 1, total: 1 };
  const items = Array.from({ length: 200 }, (_, index) => [
    { ...of, field_id: `f${index}`, code: "required" },
    { ...of, kind: "step", step: index },
  ]);
  await inParallel(app.database.ownerUrl, 8, async (each, index) => {
    const given = index % 2 ? items : items.toReversed();
    const [errors, progress] = [0, 1].map((table) =>
      jsonb(
        each,
        given.map((rows) => rows[table]),
      ),
    );
    for (let round = 0; round < 5; round++)
      await each`
        select formd.daily_counts_add(
          p_team => ${team.id}, p_submissions => '[]', p_agents => '[]', p_errors => ${errors as never},
          p_progress => ${progress as never})`;
  });
  for (const table of ["validation_errors", "progress_days"]) {
    const [row] = await sql`
      select count(*)::int as rows, min(total)::int as least, max(total)::int as most
      from formd.${sql(table)} where form_id = ${form.id}`;
    expect([table, row]).toEqual([table, { rows: 200, least: 40, most: 40 }]);
  }
});

test("a key that is given twice is added twice, and a form that does not exist is left out", async () => {
  const form = await makeForm(app, team, []);
  const agent = await makeAgent(app, team, form);
  const of = { team_id: team.id, day: 20_000, agent_id: agent.id, outcome: "no_grant", total: 1 };
  const agents = [form.id, form.id.toUpperCase(), uuidv7()].map((form_id) => ({ ...of, form_id }));
  await sql`
    select formd.daily_counts_add(p_team => null, p_submissions => '[]', p_agents => ${jsonb(sql, agents)}, p_errors => '[]', p_progress => '[]')`;
  const rows = await sql`select form_id, total::int from formd.agent_days where agent_id = ${agent.id}`;
  expect([...rows]).toEqual([{ formId: form.id, total: 2 }]);
});

test("a review, a completing edit and a deletion move a submission in the counts of its day", async () => {
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
    settings: { review: { required: true } },
  });
  const id = await store(sql, team, { form });
  const [row] = await sql<[{ updatedAt: Date; status: string }]>`
    select updated_at, status from formd.submissions where id = ${id}`;
  const counts = async () => [
    ...(await sql`
      select day, status, provenance, total::int from formd.submission_days where form_id = ${form.id} and total <> 0 order by status`),
  ];
  const day = Math.floor(Date.now() / 86_400_000);
  const actor = `(api_key,${team.keyId},request)`;
  expect(row.status).toBe("pending");
  await sql`select from formd.submission_review(${team.id}, ${actor}, ${form.id}, ${id}, 'approve', null, ${row.updatedAt})`;
  expect(await counts()).toEqual([
    { day, status: "completed", provenance: "owner", total: 1 },
    { day, status: "pending", provenance: "owner", total: -1 },
  ]);
  await sql`select formd.submission_delete(${team.id}, ${actor}, ${form.id}, ${id})`;
  expect(await counts()).toEqual([{ day, status: "pending", provenance: "owner", total: -1 }]);
});
