import { expect, test } from "bun:test";
import { hashPasswordInTurn } from "../../src/platform/auth/password.ts";

/** Cheap parameters. */
const salt = "scrypt$2$1$1$c2FsdA";

test("two hashes are computed at a time and twenty wait; more are rejected at once, and later ones are taken again", async () => {
  const outcomeOf = () =>
    hashPasswordInTurn("x", salt).then(
      (hash) => hash.length,
      ({ code, headers }) => `${code}, retry after ${headers["retry-after"]}`,
    );
  const outcomes = await Promise.all(Array.from({ length: 30 }, outcomeOf));
  expect(outcomes).toEqual([...Array(22).fill(64), ...Array(8).fill("unavailable, retry after 5")]);
  expect(await Promise.all(Array.from({ length: 22 }, outcomeOf))).toEqual(Array(22).fill(64));
});
