import { expect, test } from "bun:test";
import { database } from "../setup.ts";

const db = await database();

const use = (fingerprints: string[], acceptsNew = false) =>
  db.sql<{ fingerprint: string; state: string }[]>`
    select fingerprint, state from formd.master_key_use(${fingerprints}, ${acceptsNew})`;
const currentOf = (rows: { fingerprint: string; state: string }[]) =>
  rows.filter(({ state }) => state === "current").map(({ fingerprint }) => fingerprint);

test("of servers that start at once on a new database with different keys all learn of the same one", async () => {
  const keys = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(16));
  const learnt = await Promise.all(keys.map(async (key) => currentOf(await use([key]))));
  expect(new Set(learnt.map(String)).size).toBe(1);
  expect(keys).toContain(String(learnt[0]));
});

test("another key replaces the current one only when it is accepted, and is replaced in the same way", async () => {
  const [before = ""] = currentOf(await use(["a".repeat(16)]));
  expect(currentOf(await use(["a".repeat(16), before], true))).toEqual([before]);
  expect(currentOf(await use(["a".repeat(16)], true))).toEqual(["a".repeat(16)]);
  expect(await use(["a".repeat(16)])).toContainEqual({ fingerprint: before, state: "lost" });
  expect(currentOf(await use([before], true))).toEqual([before]);
});

test("naming a previous key as the new one, as a stolen login can, keeps its sealed copy", async () => {
  const [old, current, copy] = ["c".repeat(16), "d".repeat(16), Buffer.from("sealed")];
  await db.sql`select from formd.master_key_rotate(${current}, ${[old]}, ${[copy.toString("base64")]})`;
  await use([old], true);
  expect(currentOf(await use([current], true))).toEqual([current]);
  const [kept] = await db.sql<{ state: string; sealed: Buffer | null }[]>`
    select state, sealed from formd.master_keys where fingerprint = ${old}`;
  expect(kept).toMatchObject({ state: "sealed", sealed: copy });
});
