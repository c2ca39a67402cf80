// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, toByteaText } from "../../src/platform/database/db.ts";
import { makeForm, makeTeam } from "../setup.ts";
import { raisedProblem } from "./fixture.ts";
import { field, formsFixture } from "./forms-fixture.ts";

const { app, sql, team, create } = await formsFixture();

describe("form_create", () => {
  test("created_at is the millisecond inside the id", async () => {
    const { id, createdAt, updatedAt } = await create();
    expect(createdAt.getTime()).toBe(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
    expect(updatedAt).toEqual(createdAt);
  });

  test("500 fields are accepted, 501 are not, and no duplicate id", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => field(`f${index}`));
    expect((await create(many(500))).schema.fields.length).toBe(500);
    expect(await raisedProblem(create(many(501)))).toMatchObject({
      code: "bad_request",
      detail: expect.stringContaining("500"),
    });
    expect((await raisedProblem(create([field("a"), field("b"), field("a")]))).detail).toContain('"a"');
  });

  test("512 KiB of schema are accepted, one byte more is not", async () => {
    const [row] = await sql<
      [{ size: number }]
    >`select octet_length(${sql.json({ fields: [field("a", { help: "" })] })}::jsonb::text) as size`;
    const filled = (size: number) => [field("a", { help: "x".repeat(size - row.size) })];
    await create(filled(524_288));
    // Bytes are counted, not characters.
    for (const tooLarge of [filled(524_289), [field("a", { help: "é".repeat(265 * 1024) })]])
      expect(await raisedProblem(create(tooLarge))).toMatchObject({
        code: "bad_request",
        detail: expect.stringContaining("512"),
      });
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
