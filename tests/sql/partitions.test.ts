// stacks: one months gate
import { expect, test } from "bun:test";
import { connectOnce } from "../../src/platform/database/db.ts";
import { isLockError } from "../../src/platform/database/migrations/locked.ts";
import { enablePartitions } from "../../src/platform/database/partitions.ts";
import type { Steps } from "../../src/platform/log.ts";
import { database } from "../setup.ts";
import { inParallel } from "./fixture.ts";

const db = await database();
const made = async (limit: number) => {
  const [row] = await db.sql<{ made: number }[]>`select formd.partition_make(26, ${limit}) as made`;
  return row?.made;
};
const left = async () => (await db.sql`select formd.partition_months_left() as left`)[0]?.left;

test("plain tables get no month", async () => {
  if (process.env.FORMD_TEST_PARTITIONED) return;
  expect([await made(3), await left()]).toEqual([0, null]);
});

test("of servers that make months at once, one makes each, and the others fail to get a lock at worst", async () => {
  await using owner = connectOnce(db.ownerUrl);
  const steps: Steps = { done: 0 };
  await enablePartitions(owner, () => {}, steps);
  expect(steps).toEqual({ done: 4, total: 4 });
  expect(await left()).toBe(24);
  let all = 0;
  await inParallel(db.url, 4, async (sql) => {
    for (let call = 0; call < 6; call++) {
      const result = await sql<{ made: number }[]>`select formd.partition_make(26, 1) as made`.then(
        (rows) => rows,
        (error) => {
          if (!isLockError(error)) throw error;
          return [];
        },
      );
      all += result[0]?.made ?? 0;
    }
  });
  all += (await made(100)) ?? 0;
  expect([all, await left()]).toEqual([3 * 2, 26]);
});
