import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/db.ts";
import { makeTeam, type Service, type Team } from "../setup.ts";
import { hashOf, inParallel, raisedProblem, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
}, 120_000);

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

const lastUsed = async (id: string) =>
  (await sql<[{ lastUsedAt: Date | null }]>`select last_used_at from formd.api_keys where id = ${id}`)[0]
    .lastUsedAt;
const setLastUsed = (id: string, time: Date) =>
  sql`update formd.api_keys set last_used_at = ${time} where id = ${id}`;

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
  for (const options of [
    { limit: 2 },
    {},
    { limit: 2, scope: "forms:write" },
    { limit: 2 },
    { limit: 2 },
    {},
  ])
    outcomes.push((await authenticate(id, options)).outcome);
  expect(outcomes).toEqual(["allowed", "allowed", "missing_scope", "allowed", "rate_limited", "allowed"]);
  expect(await authenticate(other, { limit: 2 })).toMatchObject({ outcome: "allowed", remaining: 1 });
});

test("a revoked key is none from the next call on; twice is once", async () => {
  const id = await create();
  await sql`select formd.api_key_revoke(${team.id}, '(cli,,)'::formd.actor, ${id})`;
  expect((await authenticate(id)).outcome).toBe("unauthorized");
  const [before] = await sql`select revoked_at from formd.api_keys where id = ${id}`;
  await sql`select formd.api_key_revoke(${team.id}, '(cli,,)'::formd.actor, ${id})`;
  expect((await sql`select revoked_at from formd.api_keys where id = ${id}`)[0]).toEqual(before);
  expect(
    (await raisedProblem(sql`select formd.api_key_revoke(${team.id}, '(cli,,)'::formd.actor, ${uuidv7()})`))
      .code,
  ).toBe("not_found");
  expect(
    (await raisedProblem(sql`select formd.api_key_revoke(${uuidv7()}, '(cli,,)'::formd.actor, ${id})`)).code,
  ).toBe("not_found");
});

test("its use is noted at most once a minute", async () => {
  const id = await create();
  expect(await lastUsed(id)).toBeNull();
  await authenticate(id);
  const first = await lastUsed(id);
  expect(first).not.toBeNull();
  await authenticate(id);
  expect(await lastUsed(id)).toEqual(first);
  const stale = new Date(Date.now() - 60_500);
  await setLastUsed(id, stale);
  await authenticate(id);
  expect((await lastUsed(id))?.getTime()).toBeGreaterThan(stale.getTime());
});

test("noting it never waits: 40 calls at once answer while somebody holds the row", async () => {
  const id = await create();
  await sql.begin(async (inner) => {
    await inner`select from formd.api_keys where team_id = ${team.id} and id = ${id} for update`;
    const found = await inParallel(app.database.url, 40, (each) => authenticate(id, { each }));
    expect(found.every((row) => row.apiKeyId === id)).toBe(true);
  });
  expect(await lastUsed(id)).toBeNull();
});

test("an unknown scope, or no scope at all, makes no key; nor does a team that does not exist", async () => {
  for (const scopes of [["forms:read", "forms:*"], []])
    await expect(create(scopes)).rejects.toThrow('violates check constraint "api_keys_scopes_check"');
  expect((await raisedProblem(create(["forms:read"], uuidv7()))).code).toBe("not_found");
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
  const stranger = page(9, 0, 9, team.operator.id);
  expect((await raisedProblem(stranger)).code).toBe("insufficient_workspace_role");
});
