/** The days that a list is limited to, and moments of a clock, where the clock is put forward and back. */
import { expect, test } from "bun:test";
import { clockAt, momentAt } from "../../src/fields/time-zones.ts";
import { timesOf } from "../../src/pages/console/frame/list-page.tsx";

test("a day begins and ends by the clock of its zone, also where it has 23 or 25 hours, or no midnight", () => {
  for (const [timeZone, day, next, start, end] of [
    ["UTC", "2026-06-01", "2026-06-02", "2026-06-01T00:00Z", "2026-06-02T00:00Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-30", "2026-03-28T23:00Z", "2026-03-29T22:00Z"],
    ["Europe/Berlin", "2026-10-25", "2026-10-26", "2026-10-24T22:00Z", "2026-10-25T23:00Z"],
    ["America/New_York", "2026-11-01", "2026-11-02", "2026-11-01T04:00Z", "2026-11-02T05:00Z"],
    // From 00:00 to 01:00, and from 01:00 back to 00:00.
    ["Atlantic/Azores", "2026-03-29", "2026-03-30", "2026-03-29T01:00Z", "2026-03-30T00:00Z"],
    ["Atlantic/Azores", "2026-10-25", "2026-10-26", "2026-10-25T00:00Z", "2026-10-26T01:00Z"],
    ["Pacific/Kiritimati", "2026-01-01", "2026-01-02", "2025-12-31T10:00Z", "2026-01-01T10:00Z"],
  ] as const)
    expect([timeZone, day, timesOf({ after: day, before: next, timeZone })]).toEqual([
      timeZone,
      day,
      { createdAfter: new Date(start), createdBefore: new Date(Date.parse(end) - 1) },
    ]);
});

test("a time that is skipped is as much later, and one that occurs twice is the first", () => {
  const shown = (day: string, time: string) =>
    clockAt(momentAt(day, time, "Europe/Berlin") ?? "", "Europe/Berlin");
  expect(shown("2026-03-29", "02:30")).toEqual({ day: "2026-03-29", time: "03:30" });
  expect(momentAt("2026-10-25", "02:30", "Europe/Berlin")).toBe("2026-10-25T02:30:00+02:00");
  expect(momentAt("2026-02-30", "02:30", "Europe/Berlin")).toBeUndefined();
});
