import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb, toByteaText } from "../../src/platform/database/db.ts";
import { makeForm, makeTeam } from "../setup.ts";
import { codeOf, hashOf, sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const form = await makeForm(app, team, []);

const create = async ({ of = team.id, to = form.id } = {}) => {
  const id = uuidv7();
  await sql`
    select formd.access_key_create(
      p_team => ${of}, p_actor => '(cli,,)'::formd.actor, p_form => ${to}, p_id => ${id}, p_prefix => 'fdf_x', p_hash => ${hashOf(id)})`;
  return id;
};
const revoke = (id: string, of = team.id, formId = form.id) =>
  sql`select formd.access_key_revoke(p_team => ${of}, p_actor => '(cli,,)'::formd.actor, p_form => ${formId}, p_id => ${id})`;
const revokedAt = async (id: string) =>
  (await sql`select revoked_at from formd.form_access_keys where id = ${id}`)[0]?.revokedAt;

test("a form has several keys, and revoking one leaves the others alone; again is the same", async () => {
  const [first, second] = [await create(), await create()];
  await revoke(first);
  const at = await revokedAt(first);
  expect([at, await revokedAt(second)]).toEqual([expect.any(Date), null]);
  await revoke(first);
  expect(await revokedAt(first)).toEqual(at);
});

test("a form or a key of another team, and a key of another form, are not found", async () => {
  const [key, other] = [await create(), await makeTeam(app)];
  const { id: another } = await makeForm(app, team, []);
  for (const call of [create({ of: other.id }), revoke(key, other.id), revoke(key, team.id, another)])
    expect(await codeOf(call)).toBe("not_found");
  expect(await revokedAt(key)).toBeNull();
});

test("a page of keys is the form's newest first, with a total that is counted to a bound", async () => {
  const own = await makeForm(app, team, []);
  const add = () => create({ to: own.id });
  await add();
  const [third, fourth] = [await add(), await add()];
  const page = async (limit: number, offset: number, maxCounted: number) =>
    (
      await sql<{ id: string | null; total: number }[]>`
        select * from formd.access_key_list(
          p_team => ${team.id}, p_form => ${own.id}, p_limit => ${limit}, p_offset => ${offset}, p_max_counted => ${maxCounted})`
    ).map(({ id, total }) => [id, total]);
  expect(await page(2, 0, 100)).toEqual([
    [fourth, 4],
    [third, 4],
  ]);
  expect(await page(1, 1, 2)).toEqual([[third, 3]]);
  expect(await page(2, 4, 100)).toEqual([[null, 4]]);
});

test("its use is noted by form and hash, at most once an hour", async () => {
  const [id, other] = [await create(), await create()];
  const lastUsed = async (of: string) =>
    (await sql`select last_used_at from formd.form_access_keys where id = ${of}`)[0]?.lastUsedAt;
  const note = () => {
    const uses = [
      { form_id: form.id, used_access_key: toByteaText(hashOf(id)) },
      { form_id: uuidv7(), used_access_key: toByteaText(hashOf(other)) },
    ];
    return sql`select formd.key_uses_record(${team.id}, ${jsonb(sql, uses)}, '1 hour')`;
  };
  await note();
  const first = await lastUsed(id);
  expect([first, await lastUsed(other)]).toEqual([expect.any(Date), null]);
  await note();
  expect(await lastUsed(id)).toEqual(first);
});
