/** Conversions between form posts, JSON and the values that controls show. */
import { describe, expect, test } from "bun:test";
import { controlName, indexed } from "../../src/fields/control-values.ts";
import { parseField } from "../../src/fields/definition.ts";
import { toValue } from "../../src/fields/entered.ts";
import { namesOf, toControls } from "../../src/fields/presentation.ts";

const field = (type: string, more: object = {}) => parseField({ id: "f", type, label: "F", ...more });
const value = (type: string, pairs: [string, string][], more?: object) =>
  toValue(field(type, more), indexed(new URLSearchParams(pairs)));

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
  test("numbers are strict, except for the decimal comma", () => {
    const read = (text: string) => value("number", [["f", text]]);
    expect(["12", " -3.50 ", "12,5", "0,1234", "1e5"].map(read)).toEqual([12, -3.5, 12.5, 0.1234, 1e5]);
    const texts = "1,000|1e400|0x10|+1|.5|5.|1 000|1,2,3|Infinity|9007199254740993".split("|");
    expect(texts.map(read)).toEqual(texts);
    expect([read(""), read("  ")]).toEqual([undefined, undefined]);
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
    const shown = toControls([of], { f: json });
    expect(toValue(of, shown)).toEqual(json);
    expect([...shown.keys()].filter((name) => !namesOf(of).includes(name))).toEqual([]);
  });
});
