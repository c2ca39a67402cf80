// stacks: one months citus gate
/** Limits of options are exact: over lists, edits, deletions and new versions, whatever happens at once. */
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb, type Sql } from "../../src/platform/database/db.ts";
import { makeForm, type PublishedForm } from "../setup.ts";
import {
  inParallel,
  type NewSubmission,
  raisedProblem,
  sqlFixture,
  store,
  submit,
  submitAll,
} from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const actor = `(api_key,${team.keyId},request)`;

const limited = (limits: Record<string, number>, rest: object = {}) => ({
  id: "a",
  type: "multi_select",
  label: "A",
  options: ["free", ...Object.entries(limits).map(([value, limit]) => ({ value, limit }))],
  ...rest,
});
const formWith = (limits: Record<string, number>) => makeForm(app, team, [limited(limits)]);
const choosing = (form: PublishedForm, ...options: string[]): NewSubmission => ({
  form,
  item: { data: { a: options } },
});
const ofVersion = (version: number, { item, ...rest }: NewSubmission): NewSubmission => ({
  ...rest,
  item: { ...item, version },
});

/** Returns counts and limits, and asserts that each count equals the submissions. */
async function counts(form: PublishedForm) {
  const recounted = await sql<{ value: string; counted: number; total: number }[]>`
    select value #>> '{}' as value, counted::int, total::int from formd.option_recount(${team.id}, ${form.id})`;
  for (const { value, counted, total } of recounted) expect([value, total]).toEqual([value, counted]);
  const rows = await sql<{ value: string; total: number; maxTotal: number }[]>`
    select value #>> '{}' as value, total, max_total from formd.option_counts
    where team_id = ${team.id} and form_id = ${form.id} order by value`;
  expect(rows).toHaveLength(recounted.length);
  return Object.fromEntries(rows.map(({ value, total, maxTotal }) => [value, `${total} of ${maxTotal}`]));
}

/** Publishes the next version, with these limits. */
async function publish(form: PublishedForm, limits: Record<string, number>): Promise<void> {
  const [row] = await sql<{ updatedAt: Date }[]>`
    select updated_at from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${form.id},
      ${jsonb(sql, [{ op: "updateField", fieldId: "a", set: limited(limits, { help: uuidv7() }) }])}, null, null)`;
  const list = Object.entries(limits).map(([value, limit]) => ({ fieldId: "a", value, limit }));
  await sql`
    select from formd.form_publish(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${(row as { updatedAt: Date }).updatedAt}, ${jsonb(sql, list)})`;
}

const patch = async (id: string, form: PublishedForm, value: string[] | null, each: Sql = sql) => {
  const [row] = await each<{ updatedAt: Date }[]>`
    select updated_at from formd.submissions where team_id = ${team.id} and form_id = ${form.id} and id = ${id}`;
  return await each`
    select from formd.submission_patch(${team.id}, ${actor}, ${form.id}, ${id}, ${row?.updatedAt ?? new Date()},
      ${jsonb(each, [{ fieldId: "a", value }])}, ${value !== null})`;
};
const remove = (id: string, form: PublishedForm, each: Sql = sql) =>
  each`select formd.submission_delete(${team.id}, ${actor}, ${form.id}, ${id})`;

describe("an option with a limit", () => {
  test("is chosen as often as its limit, also within one list; a later submit gets the full options", async () => {
    const form = await formWith({ x: 3, y: 1 });
    const list = await submitAll(sql, team, [
      ...["x", "x", "free", "y", "x", "y", "x"].map((option) => choosing(form, option)),
      choosing(form, "free", "x"),
    ]);
    expect(list.map(({ outcome }) => outcome).toSorted()).toEqual([
      ...Array(3).fill("option_full"),
      ...Array(5).fill("stored"),
    ]);
    expect(await counts(form)).toEqual({ x: "3 of 3", y: "1 of 1" });
    const late = await submit(sql, team, choosing(form, "y"));
    expect(late).toMatchObject({ outcome: "option_full", response: { full: { a: ["x", "y"] } } });
  });

  test("has few places left at ten, or at a fifth of its limit, and none where more were taken than it has", async () => {
    const form = await formWith({ t: 20, u: 49, v: 100, w: 104, x: 1, y: 0 });
    const left = async (taken: Record<string, number>) => {
      for (const [value, total] of Object.entries(taken))
        await sql`
          update formd.option_counts set total = ${total}
          where team_id = ${team.id} and form_id = ${form.id} and value = ${jsonb(sql, value)}`;
      const [row] = await sql<{ left: Record<string, [string, number][]> }[]>`
        select formd.options_left(${team.id}, ${form.id}) as left`;
      return Object.fromEntries(row?.left.a ?? []);
    };
    const few = { x: 1, y: 0 };
    expect(await left({ t: 9, u: 38, v: 79, w: 83 })).toEqual(few);
    expect(await left({ t: 10, u: 39, v: 80, w: 84, x: 2 })).toEqual({
      ...few,
      t: 10,
      u: 10,
      v: 20,
      w: 20,
      x: 0,
    });
  });

  test("which is one of several leaves the others as they were where it is full", async () => {
    const form = await formWith({ x: 1, y: 5 });
    expect((await submit(sql, team, choosing(form, "x", "y"))).outcome).toBe("stored");
    expect((await submit(sql, team, choosing(form, "y", "x"))).outcome).toBe("option_full");
    expect(await counts(form)).toEqual({ x: "1 of 1", y: "1 of 5" });
  });

  test("is exact for lists and single submissions at once, in any order of the options", async () => {
    const form = await formWith({ x: 20, y: 15 });
    const sizes = [1, 1, 2, 5, 1, 3, 8, 1];
    const results = await inParallel(app.database.ownerUrl, 48, (each, index) => {
      const size = sizes[index % sizes.length] as number;
      const list = Array.from({ length: size }, (_, n) =>
        choosing(
          form,
          ...(((index + n) % 3 === 0 && ["x"]) || ((index + n) % 3 === 1 ? ["y", "x"] : ["x", "y"])),
        ),
      );
      return submitAll(each, team, list);
    });
    const outcomes = new Set(results.flat().map(({ outcome }) => outcome));
    expect(outcomes).toEqual(new Set(["stored", "option_full"]));
    expect((await counts(form)).x).toBe("20 of 20");
  });

  test("is free again after a deletion or an edit; an edit that chooses it counts, or is refused", async () => {
    const form = await formWith({ x: 1, y: 1 });
    const first = await store(sql, team, choosing(form, "x"));
    const second = await store(sql, team, choosing(form, "free"));
    const refusal = await raisedProblem(patch(second, form, ["x"]));
    expect(refusal).toMatchObject({ code: "validation_failed", extras: { full: { a: ["x"] } } });
    // A submission keeps an option that it has already.
    await patch(first, form, ["free", "x"]);
    await patch(first, form, ["y"]);
    expect(await counts(form)).toEqual({ x: "0 of 1", y: "1 of 1" });
    await patch(second, form, ["x"]);
    await remove(first, form);
    expect(await counts(form)).toEqual({ x: "1 of 1", y: "0 of 1" });
    await patch(second, form, null);
    expect(await counts(form)).toEqual({ x: "0 of 1", y: "0 of 1" });
  });

  test("counts what all versions hold: those before the limit too, and those after it was taken away", async () => {
    const form = await formWith({});
    await submitAll(sql, team, [choosing(form, "x"), choosing(form, "x", "free"), choosing(form, "y")]);
    await publish(form, { x: 3 });
    expect(await counts(form)).toEqual({ x: "2 of 3" });
    const later = (option: string, version = 2) => ofVersion(version, choosing(form, option));
    const outcomes = async (...list: NewSubmission[]) =>
      (await submitAll(sql, team, list)).map(({ outcome }) => outcome);
    expect(await outcomes(later("x"), later("x"), later("y"))).toEqual(["stored", "option_full", "stored"]);
    await publish(form, { y: 2 });
    expect(await counts(form)).toEqual({ y: "2 of 2" });
    expect(await outcomes(later("x", 3))).toEqual(["stored"]);
    await publish(form, { x: 1, y: 3 });
    expect(await counts(form)).toEqual({ x: "4 of 1", y: "2 of 3" });
    await publish(form, {});
    expect(await counts(form)).toEqual({});
  });

  test("is exact when its limit is published while submissions, edits and deletions are in flight", async () => {
    const form = await formWith({});
    const list = Array.from({ length: 40 }, () => choosing(form, "x"));
    const stored = (await submitAll(sql, team, list)).map(({ response }) => response?.id ?? "");
    const again = async (call: () => Promise<unknown>): Promise<void> => {
      try {
        await call();
      } catch (error) {
        const { code } = error as { code: string };
        if (code === "40001") return await again(call);
        // Another version is published, or an option is full.
        expect(code).toBe("ZFORM");
      }
    };
    await inParallel(app.database.ownerUrl, 120, async (each, index) => {
      await Bun.sleep(Math.random() * 300);
      if (index % 30 === 7) return await again(() => publish(form, index % 60 === 7 ? { x: 60 } : { y: 9 }));
      if (index % 4 === 1) return await again(() => remove(stored[index % 40] as string, form, each));
      if (index % 4 === 2) return await again(() => patch(stored[index % 40] as string, form, ["y"], each));
      const [{ version }] = (await each`
        select current_version as version from formd.forms where team_id = ${team.id} and id = ${form.id}`) as unknown as [
        { version: number },
      ];
      return await again(() => submit(each, team, ofVersion(version, choosing(form, index % 2 ? "x" : "y"))));
    });
    expect(Object.keys(await counts(form))).toHaveLength(1);
  });

  test("a submission that has read the form before its first limit is undone, and finds it the next time", async () => {
    const form = await formWith({});
    const list = [choosing(form, "x")];
    await submitAll(sql, team, list);
    // The form's flag is older than its slots, as in a call that has read the form before.
    await publish(form, { x: 1 });
    await sql`update formd.forms set has_limits = false where team_id = ${team.id} and id = ${form.id}`;
    for (const count of [1, 2]) {
      const late = Array.from({ length: count }, () => ofVersion(2, choosing(form, "x")));
      expect(await submitAll(sql, team, late).catch(({ code }) => code)).toBe("40001");
    }
    await sql`update formd.forms set has_limits = true where team_id = ${team.id} and id = ${form.id}`;
    expect(await counts(form)).toEqual({ x: "1 of 1" });
  });

  test("counters that are wrong are found by option_recount, and repaired while servers run", async () => {
    const form = await formWith({ x: 5, y: 5 });
    await submitAll(sql, team, [choosing(form, "x"), choosing(form, "x", "y")]);
    await sql`update formd.option_counts set total = total + 2 where team_id = ${team.id} and form_id = ${form.id}`;
    const [repaired] = await sql`select formd.option_counts_repair(${team.id}, ${form.id})::int as by`;
    expect(repaired).toEqual({ by: 4 });
    expect(await counts(form)).toEqual({ x: "2 of 5", y: "1 of 5" });
  });
});
