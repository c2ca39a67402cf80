import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb } from "../../src/platform/database/db.ts";
import { makeTeam } from "../setup.ts";
import { codeOf, hashOf, inParallel, sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();

async function create(scopes = ["forms:read"], to = team.id): Promise<string> {
  const id = uuidv7();
  await sql`select from formd.api_key_create(${to}, '(cli,,)'::formd.actor, ${id}, 'key', ${scopes}, 'fdk_x', ${hashOf(id)})`;
  return id;
}

async function authenticate(
  id: string,
  { of = team.id, scope = "forms:read", limit = null as number | null, each = sql } = {},
) {
  const [{ outcome, apiKeyId, remaining }] = await each<
    [{ outcome: string; apiKeyId: string | null; remaining: number | null }]
  >`
    select * from formd.api_key_authenticate(
      p_team => ${of}, p_hash => ${hashOf(id)}, p_scope => ${scope}, p_write_limit => ${limit})`;
  return { outcome, apiKeyId, remaining };
}

const read = async (id: string) =>
  (
    await sql<[{ lastUsedAt: Date | null; revokedAt: Date | null }]>`
      select last_used_at, revoked_at from formd.api_keys where id = ${id}`
  )[0];
const lastUsed = async (id: string) => (await read(id)).lastUsedAt;
const revoke = (id: string, of = team.id) =>
  sql`select formd.api_key_revoke(${of}, '(cli,,)'::formd.actor, ${id})`;

test("a key speaks for its team only", async () => {
  const id = await create(["forms:read", "forms:write"]);
  expect(await authenticate(id)).toEqual({ outcome: "allowed", apiKeyId: id, remaining: null });
  expect(await authenticate(id, { scope: "submissions:read" })).toMatchObject({ outcome: "missing_scope" });
  expect(await authenticate(id, { of: uuidv7() })).toMatchObject({ outcome: "unauthorized", apiKeyId: null });
  expect(await authenticate("none")).toMatchObject({ outcome: "unauthorized", apiKeyId: null });
});

test("writes are counted per key; reads and requests without the scope are not", async () => {
  const [id, other] = [await create(), await create()];
  const outcomes = [];
  const unscoped = { limit: 2, scope: "forms:write" };
  for (const options of [{ limit: 2 }, {}, unscoped, { limit: 2 }, { limit: 2 }, {}])
    outcomes.push((await authenticate(id, options)).outcome);
  expect(outcomes).toEqual(["allowed", "allowed", "missing_scope", "allowed", "rate_limited", "allowed"]);
  expect(await authenticate(other, { limit: 2 })).toMatchObject({ outcome: "allowed", remaining: 1 });
});

test("a revoked key is not accepted from the next call on; revoking is idempotent", async () => {
  const id = await create();
  await revoke(id);
  expect((await authenticate(id)).outcome).toBe("unauthorized");
  const before = await read(id);
  await revoke(id);
  expect(await read(id)).toEqual(before);
  expect(await codeOf(revoke(uuidv7()))).toBe("not_found");
  expect(await codeOf(revoke(id, uuidv7()))).toBe("not_found");
});

test("an expired key is not accepted; a key whose end is before its beginning is not made", async () => {
  const id = await create();
  const end = (at: string) =>
    sql`update formd.api_keys set created_at = now() - interval '1 hour', expires_at = now() + ${at}::interval where id = ${id}`;
  await end("1 minute");
  expect((await authenticate(id)).outcome).toBe("allowed");
  await end("-1 millisecond");
  expect(await authenticate(id)).toEqual({ outcome: "unauthorized", apiKeyId: null, remaining: null });
  expect((await authenticate(id, { limit: 5 })).outcome).toBe("unauthorized");
  await expect(end("-1 day")).rejects.toThrow("api_keys_expires_at_check");
});

const noteUse = (uses: object[], step = "1 hour", each = sql) =>
  each`select formd.key_uses_record(p_team => ${team.id}, p_uses => ${jsonb(each, uses)}, p_step => ${step})`;

test("a read writes nothing and locks nothing, so that a standby can serve it", async () => {
  const id = await create();
  await sql.begin("isolation level repeatable read read only", async (reader) => {
    expect((await authenticate(id, { each: reader as never })).outcome).toBe("allowed");
    await reader`select * from formd.mcp_owner_scopes(${team.id}, ${hashOf(id)})`;
  });
  expect(await lastUsed(id)).toBeNull();
});

test("its use is noted at most once an hour, and not for another team", async () => {
  const [id, foreign] = [await create(), await create(["forms:read"], (await makeTeam(app)).id)];
  await noteUse([{ used_api_key: id }, { used_api_key: foreign }, { used_api_key: uuidv7() }]);
  const first = await lastUsed(id);
  expect([first, await lastUsed(foreign)]).toEqual([expect.any(Date), null]);
  await noteUse([{ used_api_key: id }]);
  expect(await lastUsed(id)).toEqual(first);
  const stale = new Date(Date.now() - 3_600_500);
  await sql`update formd.api_keys set last_used_at = ${stale} where id = ${id}`;
  await noteUse([{ used_api_key: id }]);
  expect((await lastUsed(id))?.getTime()).toBeGreaterThan(stale.getTime());
});

test("servers that note the same keys in opposite orders all do", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => create()));
  const uses = ids.map((id) => ({ used_api_key: id }));
  await inParallel(app.database.ownerUrl, 8, async (each, index) => {
    for (let round = 0; round < 5; round++)
      await noteUse(index % 2 ? uses : uses.toReversed(), "0 seconds", each);
  });
  for (const id of ids) expect(await lastUsed(id)).not.toBeNull();
});

test("an unknown scope, or no scope at all, makes no key; nor does a team that does not exist", async () => {
  for (const scopes of [["forms:read", "forms:*"], []])
    await expect(create(scopes)).rejects.toThrow('violates check constraint "api_keys_scopes_check"');
  expect(await codeOf(create(["forms:read"], uuidv7()))).toBe("not_found");
});

test("a page of keys is the team's newest first, with a total that is counted to a bound", async () => {
  const own = await makeTeam(app);
  const add = () => create(["forms:read"], own.id);
  await add();
  const [third, fourth, fifth] = [await add(), await add(), await add()];
  const page = async (limit: number, offset: number, maxCounted: number, operator: string | null = null) =>
    (
      await sql<{ id: string | null; total: number }[]>`
        select * from formd.api_key_list(
          p_team => ${own.id}, p_operator => ${operator}, p_limit => ${limit}, p_offset => ${offset}, p_max_counted => ${maxCounted})`
    ).map(({ id, total }) => [id, total]);
  expect(await page(2, 0, 100)).toEqual([
    [fifth, 5],
    [fourth, 5],
  ]);
  expect(await page(1, 2, 2)).toEqual([[third, 4]]);
  expect(await page(1, 2, 3)).toEqual([[third, 5]]);
  expect(await page(2, 5, 100)).toEqual([[null, 5]]);
  expect((await page(9, 0, 9, own.operator.id)).length).toBe(5);
  expect(await codeOf(page(9, 0, 9, team.operator.id))).toBe("insufficient_workspace_role");
});
