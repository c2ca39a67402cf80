import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/db.ts";
import type { Service, Team } from "../setup.ts";
import { hashOf, inParallel, raisedProblem, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
}, 60_000);

async function create(scopes = ["forms:read"], to = team.id): Promise<string> {
  const id = uuidv7();
  await sql`select from formd.api_key_create(${to}, ${id}, 'key', ${scopes}, 'fdk_x', ${hashOf(id)})`;
  return id;
}

async function use(id: string, of = team.id, each: Sql = sql) {
  const [row] = await each<
    { id: string; scopes: string[] }[]
  >`select * from formd.api_key_use(${of}, ${hashOf(id)})`;
  return row;
}

const lastUsed = async (id: string) =>
  (await sql<[{ lastUsedAt: Date | null }]>`select last_used_at from formd.api_keys where id = ${id}`)[0]
    .lastUsedAt;
const setLastUsed = (id: string, time: Date) =>
  sql`update formd.api_keys set last_used_at = ${time} where id = ${id}`;

test("a key speaks for its team only", async () => {
  const id = await create(["forms:read", "forms:write"]);
  expect(await use(id)).toEqual({ id, scopes: ["forms:read", "forms:write"] });
  expect(await use(id, uuidv7())).toBeUndefined();
  expect(await use("none")).toBeUndefined();
});

test("a revoked key is none from the next call on; twice is once", async () => {
  const id = await create();
  await sql`select formd.api_key_revoke(${team.id}, ${id})`;
  expect(await use(id)).toBeUndefined();
  const [before] = await sql`select revoked_at from formd.api_keys where id = ${id}`;
  await sql`select formd.api_key_revoke(${team.id}, ${id})`;
  expect((await sql`select revoked_at from formd.api_keys where id = ${id}`)[0]).toEqual(before);
  expect((await raisedProblem(sql`select formd.api_key_revoke(${team.id}, ${uuidv7()})`)).code).toBe(
    "not_found",
  );
  expect((await raisedProblem(sql`select formd.api_key_revoke(${uuidv7()}, ${id})`)).code).toBe("not_found");
});

test("its use is noted at most once a minute", async () => {
  const id = await create();
  expect(await lastUsed(id)).toBeNull();
  await use(id);
  const first = await lastUsed(id);
  expect(first).not.toBeNull();
  await use(id);
  expect(await lastUsed(id)).toEqual(first);
  const stale = new Date(Date.now() - 60_500);
  await setLastUsed(id, stale);
  await use(id);
  expect((await lastUsed(id))?.getTime()).toBeGreaterThan(stale.getTime());
});

test("noting it never waits: 40 calls at once answer while somebody holds the row", async () => {
  const id = await create();
  await sql.begin(async (inner) => {
    await inner`select from formd.api_keys where id = ${id} for update`;
    const found = await inParallel(app.database.url, 40, (each) => use(id, team.id, each));
    expect(found.every((row) => row?.id === id)).toBe(true);
  });
  expect(await lastUsed(id)).toBeNull();
});

test("a scope that is none, or no scope at all, makes no key; nor does a team that is not there", async () => {
  expect((await raisedProblem(create(["forms:read", "forms:*"]))).code).toBe("bad_request");
  expect((await raisedProblem(create([]))).code).toBe("bad_request");
  expect((await raisedProblem(create(["forms:read"], uuidv7()))).code).toBe("not_found");
});
