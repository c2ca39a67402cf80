import { expect, test } from "bun:test";
import { medianOf } from "../../src/resources/progress/progress.ts";

test("the median lies within its power of two, as far as its rank is among the times there", () => {
  for (const [totals, median] of [
    [[], undefined],
    [[[3, 0]], undefined],
    // Below one second; from 8 to 16 seconds; more than 9 hours.
    [[[0, 2]], 0.5],
    [[[4, 1]], 12],
    [[[16, 4]], 49_152],
    [
      [
        [6, 1],
        [2, 1],
      ],
      4,
    ],
    [
      [
        [2, 1],
        [5, 2],
        [9, 1],
      ],
      24,
    ],
    [
      [
        [2, 10],
        [12, 9],
      ],
      3.9,
    ],
  ] as [[number, number][], number | undefined][])
    expect([totals, medianOf(new Map(totals))]).toEqual([totals, median]);
});
