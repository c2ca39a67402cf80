import { describe, expect, test } from "bun:test";
import { makeAgent } from "../setup.ts";
import { inParallel, raisedProblem } from "./fixture.ts";
import { submissionsFixture, totalsOf } from "./submissions-fixture.ts";

const { app, sql, team, form, patch, stored, editsOf } = await submissionsFixture();

describe("submission_patch", () => {
  test("of ten edits that start from one token, one counts, and the audit has one line", async () => {
    const row = await stored();
    const ends = await inParallel(app.database.ownerUrl, 10, (each, index) =>
      patch(row, [{ fieldId: "a", value: `${index}` }], true, each).then(
        () => "patched",
        ({ message }) => message,
      ),
    );
    expect(ends.toSorted()).toEqual([...Array(9).fill("conflict"), "patched"]);
    const lines = await editsOf(row.id);
    const [now] = await sql`select data from formd.submissions where team_id = ${team.id} and id = ${row.id}`;
    expect(lines.map(({ newValue }) => newValue)).toEqual([now?.data.a]);
  });

  test("updated_at strictly increases, also within a millisecond, and a conflict returns it", async () => {
    let row = await stored();
    const first = row;
    for (let i = 0; i < 20; i++) {
      const patched = await patch(row, [{ fieldId: "a", value: `${i}` }]);
      expect(patched.updatedAt.getTime()).toBeGreaterThan(row.updatedAt.getTime());
      row = patched;
    }
    expect(await raisedProblem(patch(first, [{ fieldId: "a", value: "late" }]))).toMatchObject({
      code: "conflict",
      extras: { current: { updatedAt: row.updatedAt.toISOString() } },
    });
  });

  test("an edit that changes nothing moves nothing and leaves no line", async () => {
    const row = await stored();
    const edits = [
      { fieldId: "a", value: "x" },
      { fieldId: "b", value: null },
    ];
    expect(row).toMatchObject(await patch(row, edits));
    expect([...(await editsOf(row.id))]).toEqual([]);
  });

  test("a partial row that becomes whole moves from one counter to the other", async () => {
    const { token } = await makeAgent(app, team, form);
    const row = await stored({ token, item: { partial: true, data: {} } });
    const before = await totalsOf(sql, form);
    expect(await patch(row, [{ fieldId: "a", value: "x" }])).toMatchObject({
      status: "completed",
      data: { a: "x" },
    });
    expect(await totalsOf(sql, form)).toEqual({ completed: (before.completed ?? 0) + 1 });
  });
});
