import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { eventTypes } from "../../src/resources/webhooks/shapes.ts";
import { makeTeam, type Team } from "../setup.ts";
import { endOf, inParallel, newIds, raisedProblem, sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();

test("code and table have the same event types", async () => {
  const [{ check }] = await sql<[{ check: string }]>`
    select pg_get_constraintdef(oid) as check from pg_constraint where conname = 'webhooks_event_types_check'`;
  expect([...check.matchAll(/'([^']+)'/g)].map(([, name]) => name)).toEqual([...eventTypes]);
});

const cli = "(cli,,)";
const create = (each = sql, of = team, id = uuidv7()) => each`
  select formd.webhook_create(
    ${of.id}, ${cli}, ${id}, ${of.workspace}, null, 'https://hooks.example.org/', '{form.published}', 'thin', '')`;

test("of 22 that are made at once a workspace has 20", async () => {
  const made = await inParallel(app.database.ownerUrl, 22, (each) => endOf(create(each), "made"));
  expect(made.sort()).toEqual([...Array(2).fill("conflict"), ...Array(20).fill("made")]);
});

test("a webhook that there is not, or of another team, is not found, whatever is done with it", async () => {
  const [other, theirs, event] = [await makeTeam(app), ...newIds(2)] as [Team, string, string];
  await create(sql, other, theirs);
  for (const id of [theirs, ...newIds(1)])
    for (const call of [
      sql`select formd.webhook_patch(${team.id}, ${cli}, ${id}, null, null, null, 'paused')`,
      sql`select formd.webhook_delete(${team.id}, ${cli}, ${id})`,
      sql`select formd.webhook_secret_rotate(${team.id}, ${cli}, ${id}, '')`,
      sql`select formd.webhook_test(${team.id}, ${cli}, ${id})`,
      sql`select formd.webhook_replay(${team.id}, ${cli}, ${id}, ${event}, null, null)`,
      sql`select formd.webhook_delivery_list(${team.id}, ${id}, null, 10, 0, null, 'newest')`,
    ])
      expect(await raisedProblem(call)).toMatchObject({ code: "not_found" });
});
