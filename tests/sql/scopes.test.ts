// stacks: one months
import { expect, test } from "bun:test";
import { apiKeyScopes } from "../../src/platform/auth/api-key.ts";
import { agentScopes } from "../../src/resources/grants/shapes.ts";
import { database } from "../setup.ts";

test.each([
  ["api_keys", apiKeyScopes],
  ["grants", agentScopes],
  ["sessions", agentScopes],
] as const)("the scopes that the check of %s allows are those of the code", async (table, scopes) => {
  const { sql } = await database();
  const [{ check }] = await sql<[{ check: string }]>`
    select pg_get_constraintdef(oid) as check from pg_constraint where conname = ${`${table}_scopes_check`}`;
  expect([...check.matchAll(/'([^']+)'/g)].map(([, scope]) => scope)).toEqual([...scopes]);
});
