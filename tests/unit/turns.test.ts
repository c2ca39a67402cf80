/** Turns of requests to identity providers and of their logouts. */
import { expect, test } from "bun:test";
import { limits } from "../../src/limits.ts";
import { inTurn } from "../../src/resources/operators/identity-provider.ts";

const { maxConcurrentRequests } = limits.signInConnection;

test("of one kind a few acts run at a time, however many other kinds are named, and a few wait", async () => {
  let running = 0;
  let most = 0;
  const act = async () => {
    most = Math.max(most, ++running);
    await Bun.sleep(20);
    running--;
  };
  const first = Array.from({ length: maxConcurrentRequests }, () => inTurn("provider", 2, act));
  await Promise.all(Array.from({ length: 5_000 }, (_, index) => inTurn(`named ${index}`, 2, async () => {})));
  const second = Array.from({ length: 3 }, () => inTurn("provider", 2, act));
  const outcomes = await Promise.allSettled([...first, ...second]);
  expect(most).toBe(maxConcurrentRequests);
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...outcomes.slice(1).map(() => "fulfilled" as const),
    "rejected",
  ]);
});
