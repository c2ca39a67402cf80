import { describe, expect, test } from "bun:test";
import { clockAheadMs, clockStateOf } from "../../src/platform/ops/feed.ts";

describe("the difference of two clocks", () => {
  const before = 1_000_000;
  test.each([
    ["read within the round trip, so that nothing is known", 50, 100, 0],
    ["ahead by more than the round trip", -500, 100, 500],
    ["behind by more than the round trip", 700, 100, -600],
    ["over a slow round trip, which is no difference", 3_000, 4_000, 0],
  ])("%s", (_, other, trip, ahead) => {
    expect(clockAheadMs(before, new Date(before + other), before + trip)).toBe(ahead);
  });
});

test("the state of a clock changes at its limits, and returns at half of the lower one", () => {
  const states = [1_999, 2_001, 1_500, -1_001, 999, 30_001, -30_000, 0];
  let state = clockStateOf(0, "right");
  const seen = states.map((aheadMs) => (state = clockStateOf(aheadMs, state)));
  expect(seen).toEqual([
    ...(["right", "different", "different", "different"] as const),
    ...(["right", "unusable", "different", "right"] as const),
  ]);
});
