/** Conversions between form posts, JSON and the values that controls show. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { controlName, indexed } from "../../src/fields/control-values.ts";
import { parseField } from "../../src/fields/definition.ts";
import { isSkipped, readingsOf, toValue } from "../../src/fields/entered.ts";
import { namesOf, toControls } from "../../src/fields/presentation.ts";
import type { Spelling } from "../../src/fields/spelling.ts";
import { writtenDays } from "../../src/fields/written-days.ts";
import { generatedCases } from "../generated.ts";

const field = (type: string, more: object = {}) => parseField({ id: "f", type, label: "F", ...more });
const value = (type: string, pairs: [string, string][], more?: object, spelling?: Spelling) =>
  toValue(field(type, more), indexed(new URLSearchParams(pairs)), spelling);

describe("names of controls", () => {
  test("are the field's id, and `id.part`; no two ids and parts have one name, and none is one of the page's own", () => {
    expect([controlName("email"), controlName("home", "city")]).toEqual(["email", "home.city"]);
    expect(controlName("größe 1")).toBe("größe 1");
    const ids = ["a.b", "a%2Eb", "a%b", "a\nb", "csrf", "%63srf"];
    const names = [...ids.map((id) => controlName(id)), controlName("a", "b"), controlName("formd", "key")];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).not.toMatch(/^(?:csrf$|formd\.)|\n/);
  });
});

describe("values", () => {
  test("a number that is none, or can mean two, stays a text; one of marks only is nothing", () => {
    const read = (text: string) => value("number", [["f", text]]);
    expect(["12", " -3.50 ", "12,5", "0,1234", "1e5"].map(read)).toEqual([12, -3.5, 12.5, 0.1234, 1e5]);
    const texts = "1,000|1e400|0x10|5.|1,2,3|Infinity|9007199254740993".split("|");
    expect(texts.map(read)).toEqual(texts);
    expect([read(""), read("  "), read("\u200b\ufeff")]).toEqual([undefined, undefined, undefined]);
  });
  test("a number in whole steps is a whole number: a decimal sign before three digits may group them", () => {
    const read = (more: object) => value("number", [["f", "1,000"]], more, { locale: "de" });
    expect([read({ multipleOf: 5 }), read({ multipleOf: 0.5 }), read({})]).toEqual(["1,000", 1, 1]);
  });
  test("what copying adds is taken away where it is no part of a value", () => {
    const read = (type: string, text: string) => value(type, [["f", text]], {}, { locale: "de" });
    expect(read("email", " ada@example\u200b.org\u00a0")).toBe("ada@example.org");
    expect(read("phone", "\u202a+49 30 123456\u202c")).toBe("+49 30 123456");
    expect(read("url", "\ufeff https://example.org\u2069")).toBe("https://example.org");
    expect(read("date", " 2026-11-20\u200e")).toBe("2026-11-20");
    expect(read("time", "\u200e09:00 ")).toBe("09:00");
    expect(read("number", "1\u200b2")).toBe(12);
    expect(read("text", " a\u200bb ")).toBe(" a\u200bb ");
  });
  test("a date and time without an offset is on the clock of the page; without one of either it is refused", () => {
    const read = (text: string, spelling: Spelling) => value("datetime", [["f.local", text]], {}, spelling);
    const berlin = { locale: "de", timeZone: "Europe/Berlin", written: writtenDays };
    expect(read("2027-07-10T10:00", berlin)).toBe("2027-07-10T10:00:00+02:00");
    expect(read("10. Januar 2027, 10:00", berlin)).toBe("2027-01-10T10:00:00+01:00");
    expect(read("2027-07-10T10:00", { locale: "de" })).toBe("2027-07-10T10:00");
  });
  test("a repeated time is asked about with both offsets, and one that the clock skips is none", () => {
    const berlin = { locale: "de", timeZone: "Europe/Berlin", written: writtenDays };
    const given = (local: string, zone = "") =>
      indexed(new URLSearchParams({ "f.local": local, "f.zone": zone }));
    const of = field("datetime");
    const read = (...pair: [string, string?]) => toValue(of, given(...pair), berlin);
    const both = ["31. Oktober 2027, 02:30 UTC+02:00", "31. Oktober 2027, 02:30 UTC+01:00"];
    expect(read("2027-10-31T02:30")).toBe("2027-10-31T02:30");
    expect(readingsOf(of, given("2027-10-31T02:30"), berlin)).toEqual(both);
    // Both the texts that it shows and the offset beside the time decide.
    const second = "2027-10-31T02:30:00+01:00";
    expect([read(both[1] as string), read("2027-10-31T02:30", "+01:00")]).toEqual([second, second]);
    expect(readingsOf(of, given("2027-12-31T02:30", "+02:00"), berlin)).toHaveLength(2);
    expect([read("2027-03-28T02:30"), read("2027-03-28T02:30", "+01:00")]).toEqual(
      Array(2).fill("2027-03-28T02:30"),
    );
    expect(
      ["2027-03-28T02:30", "2027-03-28T03:30"].map((text) => isSkipped(of, given(text), berlin)),
    ).toEqual([true, false]);
  });
  test("what the controls show of an instant in a zone is sent back as that instant", () => {
    const zones = [
      "Europe/Berlin",
      "Australia/Lord_Howe",
      "America/St_Johns",
      "Africa/Casablanca",
      "Etc/UTC",
    ];
    const of = field("datetime");
    // Half of them are in the hours in which a clock is put back or forward.
    const around = fc
      .tuple(fc.constantFrom("2027-10-31T01:00Z", "2027-03-28T01:00Z", "2027-04-03T15:00Z"), fc.nat(14_400))
      .map(([at, seconds]) => new Date(Date.parse(at) + (seconds - 7200) * 1000 + (seconds % 3) * 250));
    const any = fc.date({ min: new Date("1971-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
    const isKept = (at: Date, timeZone: string, isLower: boolean) => {
      const iso = isLower ? at.toISOString().toLowerCase() : at.toISOString();
      const spelling = { locale: "de", timeZone, written: writtenDays };
      const shown = toControls([of], { f: iso }, spelling);
      const read = toValue(of, shown, spelling);
      return Date.parse(String(read)) === at.getTime() && !shown.has("f");
    };
    fc.assert(fc.property(fc.oneof(around, any), fc.constantFrom(...zones), fc.boolean(), isKept), {
      numRuns: generatedCases(5000),
    });
  });
  test("a date and time is made of its two parts, or sent whole", () => {
    const read = (local: string, zone: string) =>
      value("datetime", [
        ["f.local", local],
        ["f.zone", zone],
      ]);
    expect(read("2026-11-20T09:00", "+01:00")).toBe("2026-11-20T09:00:00+01:00");
    expect(read("2026-11-20T09:00:30.5", "Z")).toBe("2026-11-20T09:00:30.5Z");
    expect(read("", "+01:00")).toBeUndefined();
    expect(value("datetime", [["f", "2026-11-20T09:00:00Z"]])).toBe("2026-11-20T09:00:00Z");
  });
  test("a ranking is its positions in order, without empty ones", () => {
    const places: [string, string][] = ["b", "", "1"].map((place) => ["f", place]);
    expect(value("ranking", places, { options: ["a", "b", { value: 1 }] })).toEqual(["b", 1]);
  });
  test.each([
    ["datetime", "2026-11-20T09:00:00Z", {}],
    ["datetime", "2026-11-20T09:00:00.5+05:17", {}],
    ["datetime", "2026-11-20t09:00:00z", {}],
    ["datetime", "2026-11-20T09:00:00.1234Z", {}],
    ["datetime", "2026-11-20T09:00:00.50Z", {}],
    ["datetime", "2026-12-31T23:59:60Z", {}],
    ["number", -1.5, {}],
    ["boolean", false, {}],
    ["consent", true, {}],
    ["select", 2, { options: ["a", { value: 2 }] }],
    ["select", "c", { options: ["a"], allowOther: true }],
    ["multi_select", ["a", true, "z"], { options: ["a", { value: true }], allowOther: true }],
    ["ranking", ["b", "a"], { options: ["a", "b"] }],
    ["address", { city: "Bern", country: "CH" }, {}],
    ["matrix", { r1: "c1", "r.2": ["c1", "c2"] }, { rows: ["r1", "r.2"], columns: ["c1", "c2"] }],
    ["textarea", "two\nlines", {}],
  ])("what the controls of a %s show is what they send: %j", (type, json, more) => {
    const of = field(type, more);
    for (const spelling of [{}, { locale: "de" }, { locale: "ar-EG" }]) {
      const shown = toControls([of], { f: json }, spelling);
      expect(toValue(of, shown, spelling)).toEqual(json);
    }
    const shown = toControls([of], { f: json });
    expect([...shown.keys()].filter((name) => !namesOf(of).includes(name))).toEqual([]);
  });
});
