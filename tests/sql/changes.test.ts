// stacks: one months citus
import { describe, expect, test } from "bun:test";
import { smallestIdAt } from "../../src/platform/http/cursor.ts";
import { readableUntil } from "../../src/resources/submissions/changes.ts";
import { tablesWith, testOnOneNode } from "../setup.ts";
import { codeOf } from "./fixture.ts";
import { submissionsFixture } from "./submissions-fixture.ts";

const { sql, team, freshForm, stored, patch, remove } = await submissionsFixture();
const start = "00000000-0000-0000-0000-000000000000";

interface Change {
  id: string | null;
  isDeleted: boolean;
  updatedAt: Date;
  nextId: string | null;
  upTo: Date;
}

/** Everything that is stored by now, by pages. */
async function changesOf(form: { id: string }, limit = 20, from = start) {
  await Bun.sleep(5);
  await readableUntil(sql);
  const found: Change[] = [];
  let after = from;
  for (;;) {
    const rows = await sql<Change[]>`
      select id, is_deleted, updated_at, next_id, up_to from formd.submission_change_list(
        p_team => ${team.id}, p_form => ${form.id}, p_limit => ${limit}, p_after => ${after}, p_since => null)`;
    found.push(...rows.slice(0, -1));
    const { nextId = null, upTo } = rows.at(-1) ?? {};
    if (nextId === null) return { after: smallestIdAt(upTo?.getTime() ?? 0), found };
    after = nextId;
  }
}
const idsOf = ({ found }: { found: Change[] }) =>
  found.map(({ id, isDeleted }) => (isDeleted ? `-${id}` : id));

describe("submission_change_list", () => {
  testOnOneNode(
    "has what was created, edited, reviewed and deleted, in that order, once a page",
    async () => {
      const form = await freshForm({ review: { required: true } });
      const [one, two, three] = [await stored({ form }), await stored({ form }), await stored({ form })];
      expect(idsOf(await changesOf(form, 1))).toEqual([one.id, two.id, three.id]);
      await patch(one, [{ fieldId: "a", value: "changed" }]);
      await sql`
      select from formd.submission_review(${team.id}, ${`(api_key,${team.keyId},r)`}, ${form.id}, ${two.id}, 'approve', null, ${two.updatedAt})`;
      const { after } = await changesOf(form);
      await remove(three);
      expect(idsOf(await changesOf(form, 1))).toEqual([one.id, two.id, one.id, two.id, `-${three.id}`]);
      expect(idsOf(await changesOf(form, 20))).toEqual([one.id, two.id, `-${three.id}`]);
      expect(idsOf(await changesOf(form, 2, after))).toEqual([`-${three.id}`]);
      expect(idsOf(await changesOf(await freshForm()))).toEqual([]);
    },
  );

  testOnOneNode("changes that change nothing are none", async () => {
    const form = await freshForm();
    const row = await stored({ form, item: { data: { a: "x" } } });
    const { after } = await changesOf(form);
    await patch(row, [{ fieldId: "a", value: "x" }]);
    expect(idsOf(await changesOf(form, 20, after))).toEqual([]);
  });

  test("is cursor_expired once both the place and the reader's beginning are 30 days old", async () => {
    const form = await freshForm();
    const read = (after: number, since: number) => sql`
      select from formd.submission_change_list(p_team => ${team.id}, p_form => ${form.id}, p_limit => 1,
        p_after => formd.uuid_floor(now() - make_interval(days => ${after})),
        p_since => formd.uuid_floor(now() - make_interval(days => ${since})))`;
    expect(await codeOf(read(31, 31))).toBe("cursor_expired");
    expect(await read(29, 400)).toHaveLength(1);
    expect(await read(400, 29)).toHaveLength(1);
  });
});

test("a change has ids alone: of a submission that is deleted nothing else is kept", async () => {
  const form = await freshForm();
  const row = await stored({ form, item: { data: { a: "marker-7d1f" } } });
  await patch(row, [{ fieldId: "a", value: "marker-7d1f again" }]);
  await remove(row);
  expect(await tablesWith(sql, "marker-7d1f")).toEqual([]);
  const kept = await sql`
    select kind, (expires_at - formd.uuid_time(id))::text as lifetime from formd.submission_changes
    where submission_id = ${row.id} order by kind desc`;
  expect([...kept]).toEqual([
    { kind: "edited", lifetime: "30 days" },
    { kind: "deleted", lifetime: "30 days" },
  ]);
});
