import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { endOf, hashOf, inParallel } from "./fixture.ts";
import { operatorsFixture } from "./operator-acts.ts";

const { app, sql, join, logIn, use } = await operatorsFixture();

async function makeReset(operator: string, lifetime = "30 minutes") {
  const token = uuidv7();
  await sql`select formd.operator_reset_make(null, '(cli,,)', ${operator}, ${hashOf(token)}, ${lifetime})`;
  return token;
}

const reset = (operator: string, token: string, password: string, each = sql) =>
  endOf(
    each`select formd.operator_reset('(anonymous,,)', ${operator}, ${hashOf(token)}, 'new', ${hashOf(password)})`,
    password,
  );

test("of eight who use one reset link at once, one sets the password, and all sessions end", async () => {
  const { id } = await join("reset@example.org");
  const { token: session = "" } = (await logIn("reset@example.org")) ?? {};
  const token = await makeReset(id);
  const results = await inParallel(app.database.ownerUrl, 8, (each, index) =>
    reset(id, token, `password ${index}`, each),
  );
  const [password = "", ...others] = results.filter((result) => result !== "not_found");
  expect(others).toEqual([]);
  expect(await use(session)).toBeUndefined();
  expect(await logIn("reset@example.org")).toBeUndefined();
  expect((await logIn("reset@example.org", { password }))?.operatorId).toBe(id);
});

test("a new reset link ends the one before, and an expired one sets nothing", async () => {
  const { id } = await join("resets@example.org");
  const first = await makeReset(id);
  const second = await makeReset(id, "0 seconds");
  expect([await reset(id, first, "one"), await reset(id, second, "two")]).toEqual(["not_found", "not_found"]);
  expect(await logIn("resets@example.org")).toBeDefined();
});
