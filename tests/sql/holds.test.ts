/** A held submission is not deleted. A hold and a deletion at the same moment succeed or fail as a whole. */
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { until } from "../expect.ts";
import { testOnOneNode } from "../setup.ts";
import { raisedProblem } from "./fixture.ts";
import { retentionFixture } from "./retention-fixture.ts";

const { app, sql, team, admin, ruled, aged, idsOf, hold, release, remove, step } = await retentionFixture();

test("a hold refuses a deletion with 409, on the submission and on its form, until it is released", async () => {
  const form = await ruled({ deleteAfter: "P1D" });
  const [first, second] = [await aged(form, 3), await aged(form, 3)];
  await hold(sql, form, first);
  expect((await raisedProblem(remove(sql, form, first))).code).toBe("held");
  expect((await raisedProblem(hold(sql, form, first))).code).toBe("conflict");
  await hold(sql, form, null);
  expect((await raisedProblem(remove(sql, form, second))).code).toBe("held");
  expect((await step(sql, form)).deleted).toBe(0);
  await release(form, first);
  expect((await raisedProblem(remove(sql, form, first))).code).toBe("held");
  await release(form, null);
  expect((await raisedProblem(release(form, null))).code).toBe("not_found");
  await remove(sql, form, first);
  expect((await step(sql, form)).deleted).toBe(1);
  const kinds = await sql`
    select kind from formd.audit_events
    where form_id = ${form.id} and kind ~ 'held|released' order by id`;
  expect(kinds.map(({ kind }) => kind)).toEqual([
    ...["submission.held", "form.held", "submission.released", "form.released"],
  ]);
});

test("a hold is placed by a person only, for a reason, on what exists", async () => {
  const form = await ruled(null);
  const id = await aged(form, 0);
  expect((await raisedProblem(hold(sql, form, id, `(api_key,${team.keyId},r)`))).code).toBe("unauthorized");
  expect((await raisedProblem(hold(sql, form, uuidv7()))).code).toBe("not_found");
  const blank = sql`select formd.hold_place(${team.id}, ${admin}, ${form.id}, ${id}, ' ')`;
  expect((await raisedProblem(blank)).code).toBe("bad_request");
});

// On Citus a lock is waited for on a worker, whose pg_locks the coordinator does not show.
const waiting = (pid: number) =>
  until(async () => {
    const [row] = await sql<[{ isWaiting: boolean }]>`
      select exists (select from pg_locks where pid = ${pid} and not granted) as is_waiting`;
    return row.isWaiting;
  });
const pidOf = async (each: Sql) => (await each<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid;
/** A submission that is due, and connections of who deletes it and of who holds it. */
async function racing() {
  const form = await ruled({ deleteAfter: "P1D" });
  const id = await aged(form, 3);
  const connectOne = () => connect(app.database.ownerUrl, { poolSize: 1, prepare: true });
  const [deleter, holder] = [connectOne(), connectOne()];
  const end = async () => void (await Promise.all([deleter.end(), holder.end()]));
  return { form, id, deleter, holder, [Symbol.asyncDispose]: end };
}
const subjects: [string, (id: string) => string | null][] = [
  ["its submission", (id) => id],
  ["its form", () => null],
];

testOnOneNode.each(subjects)(
  "a hold on %s that is placed while it is being deleted comes too late as a whole",
  async (_, of) => {
    await using race = await racing();
    const { form, id, deleter, holder } = race;
    const pid = await pidOf(holder);
    await deleter`begin`;
    expect((await step(deleter, form)).deleted).toBe(1);
    const placed = hold(holder, form, of(id)).then(
      () => "placed",
      (error) => error.message,
    );
    await waiting(pid);
    await deleter`commit`;
    // The form is held from now on; a submission that has gone is not found.
    expect(await placed).toBe(of(id) === null ? "placed" : "not_found");
    expect(await idsOf(form)).toEqual([]);
  },
);

testOnOneNode.each(subjects)(
  "a hold on %s that is being placed wins over a deletion and over the rule",
  async (_, of) => {
    await using race = await racing();
    const { form, id, deleter, holder } = race;
    const pid = await pidOf(deleter);
    await holder`begin`;
    await hold(holder, form, of(id));
    // The rule skips a row that is locked, and waits for the form.
    const removed = of(id) === null ? step(deleter, form) : remove(deleter, form, id);
    const end = removed.then(
      (row) => row,
      (error) => error.message,
    );
    await waiting(pid);
    if (of(id) !== null) expect((await step(sql, form)).deleted).toBe(0);
    await holder`commit`;
    expect(await end).toEqual(of(id) === null ? { deleted: 0, lastId: null } : "held");
    expect(await idsOf(form)).toEqual([id]);
  },
);
