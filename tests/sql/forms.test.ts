import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { makeForm, makeTeam } from "../setup.ts";
import { hashOf, inParallel, newIds, raisedProblem, submit } from "./fixture.ts";
import { field, formsFixture, idsOf } from "./forms-fixture.ts";

const { app, sql, team, create, patch, publish, read } = await formsFixture();

describe("form_create", () => {
  test("created_at is the millisecond inside the id", async () => {
    const { id, createdAt, updatedAt } = await create();
    expect(createdAt.getTime()).toBe(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
    expect(updatedAt).toEqual(createdAt);
  });

  test("500 fields are accepted, 501 are not, and no duplicate id", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => field(`f${index}`));
    expect((await create(many(500))).schema.fields.length).toBe(500);
    expect((await raisedProblem(create(many(501)))).code).toBe("bad_request");
    expect((await raisedProblem(create([field("a"), field("b"), field("a")]))).detail).toContain('"a"');
  });

  test("512 KiB of schema are accepted, one byte more is not", async () => {
    const [row] = await sql<
      [{ size: number }]
    >`select octet_length(${sql.json({ fields: [field("a", { help: "" })] })}::jsonb::text) as size`;
    const filled = (size: number) => [field("a", { help: "x".repeat(size - row.size) })];
    await create(filled(524_288));
    expect((await raisedProblem(create(filled(524_289)))).code).toBe("bad_request");
  });
});

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
describe("forms_read", () => {
  const keyHash = (text: string) => toByteaText(sha256(text));

  test("each item of a list is read with its own API key, in its own team", async () => {
    const other = await makeTeam(app);
    const [form, theirs] = [await create(), await makeForm(app, other, [])];
    const submitOnly = `fdk_${uuidv7()}`;
    await sql`select formd.api_key_create(${team.id}, '(cli,,)'::formd.actor, ${uuidv7()}, 'Submits', '{submissions:write}', 'fdk', ${sha256(submitOnly)})`;
    const own = { team_id: team.id, key_hash: keyHash(team.key), form_id: form.id };
    const their = { team_id: other.id, key_hash: keyHash(other.key), form_id: theirs.id };
    const list = [
      [own, "allowed", form.id],
      [{ ...own, form_id: theirs.id }, "allowed", null],
      [own, "allowed", form.id],
      [their, "allowed", theirs.id],
      [{ ...their, key_hash: own.key_hash }, "unauthorized", null],
      [{ ...own, key_hash: keyHash(submitOnly) }, "missing_scope", null],
      [{ ...own, key_hash: keyHash("unknown") }, "unauthorized", null],
      [{ ...own, form_id: null }, "allowed", null],
    ] as const;
    const rows = await sql<{ outcome: string; id: string | null }[]>`
      select outcome, (form).id from formd.forms_read(p_team => null, p_items => ${jsonb(
        sql,
        list.map(([item]) => item),
      )})`;
    expect(rows.map(({ outcome, id }) => [outcome, id])).toEqual(
      list.map(([, outcome, id]) => [outcome, id]),
    );
  });
});
