// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeTeam } from "../setup.ts";
import { inParallel, raisedProblem } from "./fixture.ts";
import { submissionsFixture } from "./submissions-fixture.ts";

const { app, sql, team, form, patch, remove, stored } = await submissionsFixture(
  ["a", "b", "c"].map((id) => ({ id, type: "text", label: id })),
);
const store = (data: Record<string, unknown>) => stored({ item: { data } });
const read = async (id: string) => {
  const rows = await sql`
    select * from formd.receipt_read(p_team => ${team.id}, p_form => ${form.id}, p_submission => ${id})`;
  return rows[0];
};
describe("what a receipt states", () => {
  test("is the same after fields were changed, added and removed, more than once", async () => {
    const row = await store({ a: "1", b: "2" });
    const before = await read(row.id);
    expect(before).toMatchObject({ data: { a: "1", b: "2" }, submitterType: "api_key", version: 1 });
    const changed = await patch(row, [
      { fieldId: "a", value: "changed" },
      { fieldId: "b", value: null },
      { fieldId: "c", value: "added" },
    ]);
    await patch(changed, [
      { fieldId: "a", value: "again" },
      { fieldId: "b", value: "back" },
      { fieldId: "c", value: null },
    ]);
    expect(await read(row.id)).toEqual(before as object);
  });

  test("is gone with the submission, and never was for one that does not exist or has no digest", async () => {
    const [gone, old] = [await store({ a: "1" }), await store({ a: "1" })];
    await remove(gone);
    expect(await raisedProblem(read(gone.id))).toMatchObject({ code: "gone" });
    expect(await raisedProblem(read(uuidv7()))).toMatchObject({ code: "not_found" });
    await sql`update formd.submissions set request_digest = null where team_id = ${team.id} and id = ${old.id}`;
    expect(await raisedProblem(read(old.id))).toMatchObject({ code: "not_found" });
  });

  test("has a salt of its own for each submission", async () => {
    const salts = await Promise.all(
      Array.from({ length: 3 }, async () =>
        Buffer.from((await read((await store({ a: "1" })).id))?.salt).toString("hex"),
      ),
    );
    expect(new Set(salts).size).toBe(3);
  });
});

test("of two servers that add the same version of a key one does", async () => {
  await inParallel(
    app.database.url,
    10,
    (each, index) => each`
      select from formd.receipt_key_add(${team.id}, 1, 'name', ${Buffer.alloc(32, index)}, 'statement')`,
  );
  const keys = await sql`select version from formd.receipt_keys where team_id = ${team.id}`;
  expect(keys).toHaveLength(1);
});

test("a key is added after the last one only, never before the first", async () => {
  const other = await makeTeam(app);
  const add = (version: number) => sql`
    select from formd.receipt_key_add(${other.id}, ${version}, 'name', ${Buffer.alloc(32, 1)}, 'statement')`;
  for (const version of [0, -1, 2, 1, 0, 1, 3, 2]) await add(version);
  const keys = await sql<{ version: number }[]>`
    select version from formd.receipt_keys where team_id = ${other.id} order by version`;
  expect(keys.map(({ version }) => version)).toEqual([1, 2]);
});
