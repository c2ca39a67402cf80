import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/platform/database/db.ts";
import { makeForm } from "../setup.ts";
import { hashOf, inParallel, newIds, raisedProblem, submit } from "./fixture.ts";
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
    expect((await patch(form.id, [{ op: "setMeta", name: "Other" }], 1)).currentVersion).toBe(1);
  });

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
    [{ op: "addField", field: field("x"), index: 99 }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), index: 2 ** 53 }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), afterFieldId: "a" }, ["a", "x", "b", "c"]],
    [{ op: "moveField", fieldId: "a", toIndex: 2 }, ["b", "c", "a"]],
    [{ op: "moveField", fieldId: "a", toIndex: 99 }, ["b", "c", "a"]],
    [{ op: "moveField", fieldId: "c", toIndex: 0 }, ["c", "a", "b"]],
    [{ op: "moveField", fieldId: "a", afterFieldId: "b" }, ["b", "a", "c"]],
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
