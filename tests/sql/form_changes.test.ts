import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/platform/database/db.ts";
import { makeForm } from "../setup.ts";
import { endOf, hashOf, inParallel, newIds, raisedProblem, submit } from "./fixture.ts";
import { field, formsFixture, idsOf } from "./forms-fixture.ts";

const { app, sql, team, create, patch, publish, read } = await formsFixture();

describe("form_patch", () => {
  test("50 concurrent patches are all applied, each with an updated_at of its own", async () => {
    const { id } = await create();
    const patched = await inParallel(app.database.ownerUrl, 50, (each, index) =>
      patch(id, [{ op: "addField", field: field(`f${index}`) }], 0, each),
    );
    const inOrder = patched.toSorted((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime());
    expect(inOrder.map((form) => form.schema.fields.length)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    expect(new Set(inOrder.map(({ updatedAt }) => updatedAt.getTime())).size).toBe(50);
    expect(new Set(idsOf(await read(id))).size).toBe(50);
  });

  test("updated_at increases also when the clock was set back", async () => {
    const { id } = await create();
    const ahead = new Date(Date.now() + 3_600_000);
    await sql`update formd.forms set updated_at = ${ahead} where id = ${id}`;
    expect((await patch(id, [{ op: "setMeta", name: "Later" }])).updatedAt.getTime()).toBe(
      ahead.getTime() + 1,
    );
  });

  test("if one operation is rejected none is applied, and the problem has its index", async () => {
    const form = await create([field("a")]);
    const refused = await raisedProblem(
      patch(form.id, [
        { op: "setMeta", name: "Other" },
        { op: "removeField", fieldId: "a" },
        { op: "removeField", fieldId: "a" },
      ]),
    );
    expect(refused).toMatchObject({ code: "not_found", extras: { operation: 2 } });
    expect(await read(form.id)).toMatchObject(form);
  });

  test("another version than expected is a conflict with the current one", async () => {
    const form = await create([field("a")]);
    await publish(form);
    const conflict = await raisedProblem(patch(form.id, [{ op: "setMeta", name: "Other" }], 0));
    expect(conflict).toMatchObject({ code: "conflict", extras: { current: { currentVersion: 1 } } });
    expect(await patch(form.id, [{ op: "setMeta", name: "Other" }], 1)).toMatchObject({
      status: "published",
      currentVersion: 1,
    });
  });

  test("of ten with the same expected time one is applied; what is equal already changes no time", async () => {
    const form = await create();
    const write = (name: string, each: Sql) => each`
      select formd.form_patch(
        ${team.id}, '(cli,,)', ${form.id}, ${each.json([{ op: "setMeta", name }])}, null, ${form.updatedAt})`;
    await write("Form", sql);
    const ends = await inParallel(app.database.ownerUrl, 10, (each, index) =>
      endOf(write(`${index}`, each), "applied"),
    );
    expect(ends.toSorted()).toEqual(["applied", ...Array(9).fill("conflict")]);
  });

  test("a draft that grows has 500 fields and 512 KiB at most", async () => {
    const { id } = await create(Array.from({ length: 500 }, (_, index) => field(`f${index}`)));
    const add = { op: "addField", field: field("more") };
    expect((await raisedProblem(patch(id, [add]))).code).toBe("bad_request");
    expect((await patch(id, [add, { op: "removeField", fieldId: "f7" }])).schema.fields).toHaveLength(500);
    const { id: heavy } = await create([field("a", { help: "x".repeat(300 * 1024) })]);
    const grow = patch(heavy, [{ op: "addField", field: field("b", { help: "x".repeat(300 * 1024) }) }]);
    expect((await raisedProblem(grow)).code).toBe("bad_request");
  });

  test.each(["__proto__", "constructor", "0", "-1", '"', "{b}", " "])(
    "a field of the id %j is found, moved and removed",
    async (odd) => {
      const { id } = await create(["a", odd, "b"].map((each) => field(each)));
      const moved = await patch(id, [
        { op: "moveField", fieldId: odd, toIndex: 0 },
        { op: "addField", field: field("x"), afterFieldId: odd },
      ]);
      expect(idsOf(moved)).toEqual([odd, "x", "a", "b"]);
      expect(idsOf(await patch(id, [{ op: "removeField", fieldId: odd }]))).toEqual(["x", "a", "b"]);
    },
  );

  test("a submit with an Idempotency-Key and a new session do not wait for a patch in progress", async () => {
    const form = await makeForm(app, team, [field("a")]);
    await sql.begin(async (patching) => {
      await patch(form.id, [{ op: "setMeta", name: "Later" }], null, patching as unknown as Sql);
      await inParallel(app.database.ownerUrl, 1, async (other) => {
        await other`set lock_timeout = '1s'`;
        const { outcome } = await submit(other, team, { form, idempotencyKey: "once" });
        expect(outcome).toBe("stored");
        await other`
          insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
          values (${team.id}, ${uuidv7()}, 'anonymous', ${form.id}, ${hashOf("token")}, now(), now())`;
      });
    });
  });

  test.each<[object, string[]]>([
    [{ op: "addField", field: field("x") }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), index: 0 }, ["x", "a", "b", "c"]],
    [{ op: "addField", field: field("x"), index: 3 }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), index: 4 }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), index: 2 ** 53 }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), afterFieldId: "a" }, ["a", "x", "b", "c"]],
    [{ op: "addField", field: field("x"), afterFieldId: "c" }, ["a", "b", "c", "x"]],
    [{ op: "moveField", fieldId: "a", toIndex: 0 }, ["a", "b", "c"]],
    [{ op: "moveField", fieldId: "a", toIndex: 1 }, ["b", "a", "c"]],
    [{ op: "moveField", fieldId: "a", toIndex: 2 }, ["b", "c", "a"]],
    [{ op: "moveField", fieldId: "a", toIndex: 99 }, ["b", "c", "a"]],
    [{ op: "moveField", fieldId: "c", toIndex: 0 }, ["c", "a", "b"]],
    [{ op: "moveField", fieldId: "a", afterFieldId: "b" }, ["b", "a", "c"]],
    [{ op: "moveField", fieldId: "a", afterFieldId: "c" }, ["b", "c", "a"]],
    [{ op: "moveField", fieldId: "c", afterFieldId: "a" }, ["a", "c", "b"]],
    [{ op: "moveField", fieldId: "a", afterFieldId: "a" }, ["a", "b", "c"]],
    [{ op: "removeField", fieldId: "b" }, ["a", "c"]],
    [{ op: "updateField", fieldId: "b", set: { label: "B", id: "b" } }, ["a", "b", "c"]],
  ])("%j", async (operation, ids) => {
    const { id } = await create(["a", "b", "c"].map((name) => field(name)));
    expect(idsOf(await patch(id, [operation]))).toEqual(ids);
  });

  test("another team's form is not found", async () => {
    const { id } = await create();
    const [foreign] = newIds(1);
    expect(
      (
        await raisedProblem(
          sql`select formd.form_patch(${foreign as string}, '(cli,,)'::formd.actor, ${id}, '[{"op": "setMeta"}]', null, null)`,
        )
      ).code,
    ).toBe("not_found");
  });
});
