import { describe, expect, test } from "bun:test";
import { inParallel } from "./fixture.ts";
import { submissionsFixture, totalsOf } from "./submissions-fixture.ts";

const { app, sql, team, form, patch, remove, stored, editsOf } = await submissionsFixture();

describe("submission_delete", () => {
  test("of five who delete one row, one does; the counters agree", async () => {
    const row = await stored();
    const ends = await inParallel(app.database.ownerUrl, 5, (each) =>
      remove(row, each).then(
        () => "deleted",
        ({ message }) => message,
      ),
    );
    expect(ends.toSorted()).toEqual(["deleted", ...Array(4).fill("not_found")]);
    await totalsOf(sql, form);
  });

  test("the audit keeps who changed which field, and no value", async () => {
    const row = await stored();
    await patch(row, [{ fieldId: "a", value: "secret" }]);
    await remove(row);
    expect([...(await editsOf(row.id))]).toEqual([
      { fieldId: "a", oldValue: null, newValue: null, actorId: team.keyId, erased: true },
    ]);
    const [erasure] =
      await sql`select field_ids, actor_id from formd.submission_erasures where submission_id = ${row.id}`;
    expect(erasure).toEqual({ fieldIds: ["a"], actorId: team.keyId });
  });

  test("an edit that meets a deletion is recorded and blanked, or refused; no value outlives the row", async () => {
    for (let round = 0; round < 10; round++) {
      const row = await stored();
      await inParallel(app.database.ownerUrl, 2, async (each, index) => {
        if (index) return void (await remove(row, each));
        await patch(row, [{ fieldId: "a", value: "late" }], true, each).catch(({ message }) =>
          expect(message).toBe("not_found"),
        );
      });
      const [left] =
        await sql`select count(*)::int from formd.submission_edits where submission_id = ${row.id} and (old_value is not null or new_value is not null)`;
      expect(left?.count).toBe(0);
    }
  });
});
