import { expect, test } from "bun:test";
import { jsonb } from "../../src/platform/database/db.ts";
import { type ProgressRow, progressOf } from "../../src/resources/progress/progress.ts";
import { makeForm, makeTeam } from "../setup.ts";
import { actorText, codeOf, sqlFixture } from "./fixture.ts";

const { app, sql, team, join } = await sqlFixture();
const day = 20_000;

const read = (form: string, actor: string, first = day - 1, of = team.id) =>
  sql<ProgressRow[]>`
    select * from formd.progress_read(p_team => ${of}, p_actor => ${actor}, p_form => ${form}, p_first_day => ${first})`;

test("the counts of a form since a day are read by a viewer of its workspace, and by nobody of another team", async () => {
  const fields = [
    { id: "a", type: "text", label: "A" },
    { id: "p", type: "page_break", label: "More" },
    { id: "b", type: "text", label: "B" },
  ];
  const form = await makeForm(app, team, fields, { settings: { page: { enabled: true, layout: "steps" } } });
  const counted = (kind: string, step: number, total: number, form_version = 1, of = day) => ({
    ...{ team_id: team.id, form_id: form.id, day: of, form_version, kind, step, total },
  });
  const progress = [
    ...[counted("opened", 0, 4), counted("opened", 0, 3, 1, day - 1), counted("opened", 0, 9, 1, day - 2)],
    ...[counted("begun", 0, 5), counted("step", 2, 2), counted("step", 2, 1, 1, day - 1)],
    ...[counted("step", 3, 8, 2), counted("sent", 0, 2), counted("sent", 0, 1, 2)],
    ...[counted("sent_within", 3, 1), counted("sent_within", 6, 1)],
  ];
  for (let round = 0; round < 2; round++)
    await sql`
      select formd.daily_counts_add(p_team => null, p_submissions => '[]', p_agents => '[]', p_errors => '[]',
        p_progress => ${jsonb(sql, progress)})`;
  const viewer = actorText(await join("viewer"));
  const [row] = await read(form.id, viewer);
  expect(progressOf(row as ProgressRow, day - 1, 2)).toEqual({
    totals: { opened: 14, begun: 10, sent: 6, medianSeconds: 8 },
    steps: [
      { step: 1, label: null, reached: 14 },
      { step: 2, label: "More", reached: 6 },
      { step: 3, label: null, reached: 0 },
    ],
    versions: [
      { version: 1, opened: 14, begun: 10, sent: 4 },
      { version: 2, opened: 0, begun: 0, sent: 2 },
    ],
    days: [
      { day: "2024-10-03", opened: 6, begun: 0, sent: 0 },
      { day: "2024-10-04", opened: 8, begun: 10, sent: 6 },
    ],
  });
  const other = await makeTeam(app);
  expect(await codeOf(read(form.id, viewer, day, other.id))).toBe("not_found");
  expect(await codeOf(read(form.id, actorText(null), day, other.id))).toBe("not_found");
  expect(await codeOf(read(form.id, actorText(await join("viewer", other.workspace, other))))).toBe(
    "not_found",
  );
});

test("a form that was never published has no steps and no counts", async () => {
  const form = await makeForm(app, team, []);
  const [row] = await read(form.id, actorText(null));
  expect(progressOf(row as ProgressRow, day, 1)).toEqual({
    totals: { opened: 0, begun: 0, sent: 0, medianSeconds: null },
    ...{ steps: [], versions: [], days: [{ day: "2024-10-04", opened: 0, begun: 0, sent: 0 }] },
  });
});
