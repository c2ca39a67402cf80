import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { endOf, hashOf, inParallel, sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();

async function invite(email: string, lifetime = "3 days") {
  const token = uuidv7();
  await sql`
    select from formd.operator_invite(${team.id}, '(cli,,)', ${team.workspace}, ${uuidv7()}, ${email}, 'editor', ${hashOf(token)}, ${lifetime})`;
  return token;
}

/** @returns the new operator, or how the link was refused */
async function accept(token: string, each = sql) {
  const id = uuidv7();
  const call = each`
    select formd.operator_invitation_accept(${team.id}, '(anonymous,,)', ${hashOf(token)}, null, ${id}, 'salt', ${hashOf("right")})`;
  return await endOf(call, id);
}

test("of eight who use one invitation at once, one becomes an operator", async () => {
  const token = await invite("eight@example.org");
  const results = await inParallel(app.database.ownerUrl, 8, (each) => accept(token, each));
  const [operator] = await sql<{ id: string }[]>`
    select o.id from formd.operators o join formd.workspace_roles r on r.operator_id = o.id
    where o.email = 'eight@example.org' and r.workspace_id = ${team.workspace} and r.role = 'editor'`;
  expect(results.toSorted()).toEqual([operator?.id as string, ...Array(7).fill("not_found")].toSorted());
});

test("a new invitation ends the one before, and an expired one makes no operator", async () => {
  const first = await invite("again@example.org");
  const second = await invite("again@example.org");
  expect([await accept(first), await accept(await invite("late@example.org", "0 seconds"))]).toEqual([
    "not_found",
    "not_found",
  ]);
  expect(
    await sql`select from formd.operators where email = any('{again@example.org,late@example.org}')`,
  ).toHaveLength(0);
  expect(await accept(second)).not.toBe("not_found");
});
