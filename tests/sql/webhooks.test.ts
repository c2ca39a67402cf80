import { beforeAll, expect, test } from "bun:test";
import type { Sql } from "../../src/platform/database/db.ts";
import { eventTypes } from "../../src/resources/webhooks/shapes.ts";
import type { Team } from "../setup.ts";
import { newIds, raisedProblem, sqlFixture } from "./fixture.ts";

let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ sql, team } = await sqlFixture());
});

test("the events of the code are those that the table takes", async () => {
  const [{ check }] = await sql<[{ check: string }]>`
    select pg_get_constraintdef(oid) as check from pg_constraint where conname = 'webhooks_event_types_check'`;
  expect([...check.matchAll(/'([^']+)'/g)].map(([, name]) => name)).toEqual([...eventTypes]);
});

test("what names no webhook of the team is not found", async () => {
  const cli = "(cli,,)";
  const [id] = newIds(1) as [string];
  for (const call of [
    sql`select formd.webhook_patch(${team.id}, ${cli}, ${id}, null, null, null, 'paused')`,
    sql`select formd.webhook_delete(${team.id}, ${cli}, ${id})`,
    sql`select formd.webhook_secret_rotate(${team.id}, ${cli}, ${id}, '')`,
  ])
    expect(await raisedProblem(call)).toMatchObject({ code: "not_found" });
});
