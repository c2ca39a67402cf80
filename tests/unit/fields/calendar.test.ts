import { describe, expect, test } from "bun:test";
import { codes, issues } from "./fixture.ts";

describe("date", () => {
  test.each([
    "2024-02-29",
    "2000-02-29",
    "0000-02-29",
    "2025-02-28",
    "9999-12-31",
    "0001-01-01",
    "2026-04-30",
    "2026-08-31",
  ])("%s is a day", (text) => expect(codes({ type: "date" }, text)).toEqual([]));

  // Leap days, and the invalid values of JSON-Schema-Test-Suite optional/format/date.json.
  test.each([
    "2025-02-29",
    "1900-02-29",
    "2100-02-29",
    "2024-02-30",
    "2026-04-31",
    "2026-00-10",
    "2026-13-01",
    "2026-01-00",
    "2026-1-1",
    "26-01-01",
    "06/19/1963",
    "2013-350",
    "20230328",
    "2023-W01",
    "1963-06-1৪",
    "2026-11-20T00:00:00Z",
    " 2026-11-20",
    "2026-11-20\n",
    "+2026-11-20",
  ])("%j is none", (text) => expect(codes({ type: "date" }, text)).toEqual(["format"]));

  test("days are bounded inclusively, the years before 100 too", () => {
    const definition = { type: "date", minimum: "0099-12-31", maximum: "1899-12-31" };
    expect(codes(definition, "0099-12-31")).toEqual([]);
    expect(codes(definition, "0099-12-30")).toEqual(["min_value"]);
    expect(codes(definition, "1900-01-01")).toEqual(["max_value"]);
    expect(codes(definition, "never")).toEqual(["format"]);
  });

  test("another JSON type is a mismatch", () => {
    for (const type of ["date", "time", "datetime"])
      expect(codes({ type }, 20261120)).toEqual(["type_mismatch"]);
  });
});

describe("time", () => {
  test.each(["00:00", "23:59", "23:59:59", "09:05"])("%s is a time", (text) => {
    expect(codes({ type: "time" }, text)).toEqual([]);
  });

  test.each(["24:00", "9:05", "12:60", "12:00:60", "12", "12:00:00Z", "12:00:00.5", "12:00 pm", "१२:00"])(
    "%s is none",
    (text) => {
      expect(codes({ type: "time" }, text)).toEqual(["format"]);
    },
  );

  test("bounds compare times, with and without seconds", () => {
    const definition = { type: "time", minimum: "09:00", maximum: "17:00:00" };
    expect(codes(definition, "09:00:00")).toEqual([]);
    expect(codes(definition, "17:00")).toEqual([]);
    expect(codes(definition, "08:59:59")).toEqual(["min_value"]);
    expect(codes(definition, "17:00:01")).toEqual(["max_value"]);
  });
});

describe("datetime", () => {
  test.each([
    // RFC 3339 §5.8
    "1985-04-12T23:20:50.52Z",
    "1996-12-19T16:39:57-08:00",
    "1990-12-31T23:59:60Z",
    "1990-12-31T15:59:60-08:00",
    "1937-01-01T12:00:27.87+00:20",
    // §5.6: T and Z may be lower case; §4.3: -00:00 is an unknown local offset
    "1985-04-12t23:20:50z",
    "1985-04-12T23:20:50-00:00",
    // JSON-Schema-Test-Suite optional/format/date-time.json
    "1998-12-31T15:59:60.123-08:00",
    "2024-02-29T00:00:00+14:00",
    // leap second told in the next local day
    "2017-01-01T05:29:60+05:30",
  ])("%s is an instant", (text) => expect(codes({ type: "datetime" }, text)).toEqual([]));

  test.each([
    "1998-12-31T23:59:61Z",
    "1998-12-31T23:58:60Z",
    "1998-12-31T22:59:60Z",
    "1998-12-30T23:59:60Z",
    "1990-12-31T15:59:60Z",
    "1990-02-31T15:59:59.123-08:00",
    "2025-02-29T00:00:00Z",
    "1990-12-31T15:59:59-24:00",
    "1990-12-31T15:59:59+05:60",
    "1990-12-31T24:00:00Z",
    "2026-11-20T09:00:00",
    "2026-11-20T09:00Z",
    "2026-11-20 09:00:00Z",
    "2026-11-20",
    "2026-11-20T09:00:00.Z",
    "2026-11-20T09:00:00+0200",
    "2026-11-20T09:00:00Z\n",
    "1963-06-1৪T00:00:00Z",
    "Fri, 20 Nov 2026 09:00:00 GMT",
  ])("%j is none", (text) => expect(codes({ type: "datetime" }, text)).toEqual(["format"]));

  test("bounds compare instants, not their spelling", () => {
    const definition = {
      type: "datetime",
      minimum: "2026-11-20T09:00:00Z",
      maximum: "2026-11-20T10:00:00.5Z",
    };
    expect(codes(definition, "2026-11-20T10:00:00+01:00")).toEqual([]);
    expect(codes(definition, "2026-11-20T09:30:00+01:00")).toEqual(["min_value"]);
    expect(codes(definition, "2026-11-20T10:00:00.500Z")).toEqual([]);
    expect(codes(definition, "2026-11-20T10:00:00.501Z")).toEqual(["max_value"]);
    expect(issues(definition, "2027-01-01T00:00:00Z")).toMatchObject([
      { constraint: "maximum", expected: definition.maximum },
    ]);
  });
});
