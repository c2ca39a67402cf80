/** Numbers, days and times as a language writes them: what `Intl` writes is read as the same value. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  instantText,
  numberText,
  perLocale,
  readDays,
  readLocals,
  readNumbers,
  readTimes,
  urlWithoutMarks,
  withoutMarks,
} from "../../../src/fields/spelling.ts";
import { writtenDays as written } from "../../../src/fields/written-days.ts";
import { generatedCases } from "../../generated.ts";
import { leastCpuMs } from "./fixture.ts";

const numRuns = generatedCases(10_000);
const isOnly = <Value>(readings: readonly Value[], value: Value) =>
  readings.length === 1 && readings[0] === value;

describe.each(
  "en en-US de fr it es nl pl pt pt-PT sv uk ar ar-EG ar-SA hi de-CH fr-CA ja zh-Hant fa ko hu ru cs fi da nb el tr he".split(
    " ",
  ),
)("in %s", (locale) => {
  const spelling = { locale, written };
  const numberFormats = ([false, "always"] as const).map(
    (useGrouping) => new Intl.NumberFormat(locale, { maximumFractionDigits: 20, useGrouping }),
  );
  test("what Intl and the pages write of a number is read as that number", () => {
    const decimal = fc.tuple(fc.integer(), fc.nat(9)).map(([digits, places]) => digits / 10 ** places + 0);
    const double = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 });
    const small = double.map((value) => value + 0);
    const isRead = (value: number) => {
      const texts = (["ungrouped", "grouped", "large"] as const).map((style) =>
        numberText(value, locale, style),
      );
      // Intl writes at most 20 places.
      if (Number(value.toFixed(20)) === value)
        texts.push(...numberFormats.map((format) => format.format(value)));
      return texts.every((text) => isOnly(readNumbers(text, spelling), value));
    };
    fc.assert(fc.property(fc.oneof(decimal, small), isRead), { numRuns });
  });
  test("what they write of a whole number is read as that whole number", () => {
    const isRead = (given: number) => {
      const value = given + 0;
      const texts = [
        numberText(value, locale, "large"),
        ...numberFormats.map((format) => format.format(value)),
      ];
      return texts.every((text) => isOnly(readNumbers(text, spelling, true), value));
    };
    fc.assert(fc.property(fc.maxSafeInteger(), isRead), { numRuns });
  });
  test("what Intl writes of a day, a time and a moment is read as that", () => {
    const day = { year: "numeric", month: "numeric", day: "numeric" } as const;
    const of = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, calendar: "gregory", timeZone: "UTC" });
    const formats = [
      [of(day), of({ timeStyle: "short" }), of({ ...day, hour: "2-digit", minute: "2-digit" })],
      [of({ dateStyle: "long" }), of({ timeStyle: "medium" }), of({ dateStyle: "long", timeStyle: "short" })],
      [of({ dateStyle: "medium" }), of({ hour: "numeric", minute: "2-digit", hour12: true })],
      [of({ dateStyle: "full" }), of({ hour: "2-digit", minute: "2-digit", hour12: false })],
    ] as const;
    const dates = fc.date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true });
    const isRead = (date: Date, index: number) => {
      const [dayFormat, timeFormat, momentFormat] = formats[index as 0];
      const at = new Date(Math.floor(date.getTime() / 60_000) * 60_000);
      const iso = at.toISOString();
      const time = iso.slice(11, index === 1 ? 19 : 16);
      return (
        isOnly(readDays(dayFormat.format(at), spelling), iso.slice(0, 10)) &&
        isOnly(readTimes(timeFormat.format(at), spelling), time) &&
        (!momentFormat || isOnly(readLocals(momentFormat.format(at), spelling), iso.slice(0, 19)))
      );
    };
    fc.assert(fc.property(dates, fc.nat(3), isRead), { numRuns });
  });
});

describe("numbers", () => {
  test.each([
    ["de", "1.234", [1234]],
    ["de", "1,234", [1.234]],
    ["de", "0,125", [0.125]],
    ["de", "0.125", [0.125]],
    ["de", "12.5", [12.5]],
    ["de", "1.234,5", [1234.5]],
    ["de", "1,234.5", [1234.5]],
    ["de", "12.345.678", [12_345_678]],
    ["de", "1\u00a0234,5", [1234.5]],
    ["de", "1\u2009234", [1234]],
    ["de", "\u22125", [-5]],
    ["de", "\u2013 5", [-5]],
    ["de", "\u202a\uff11\uff12\uff0c\uff15\u202c", [12.5]],
    ["de", "1\u200b234", [1234]],
    ["de", ",5", [0.5]],
    ["de", "1e-7", [1e-7]],
    ["en", "1,234", [1234]],
    ["en", "12,34,567", [1_234_567]],
    ["en", "12,5", [12.5]],
    ["en", "1'234", [1234]],
    ["de-CH", "1\u2019234.50", [1234.5]],
    ["fr", "1\u202f234,5", [1234.5]],
    ["ar-EG", "\u0661\u066c\u0662\u0663\u0664\u066b\u0665", [1234.5]],
    ["de", "\u06f1\u06f2\u066b\u06f5", [12.5]],
    ["hi", "\u0967\u0968", [12]],
    // Two readings: the sign is another language's, or groups digits as well.
    ["fr", "1.234", [1234, 1.234]],
    ["de-CH", "1,234", [1234, 1.234]],
    [undefined, "1,000", [1000, 1]],
    ["en", "1,234e3", [1_234_000, 1234]],
    ["en", "1,234e2", [123_400, 123.4]],
    ["de", "1.234e3", [1_234_000, 1234]],
    [undefined, "1,234e3", [1_234_000, 1234]],
    // The own decimal sign, and signs that only group, have one reading.
    ["en", "1.234e3", [1234]],
    ["de", "1,234e3", [1234]],
    ["de", "1.234,5e3", [1_234_500]],
    ["fr", "1\u202f234e3", [1_234_000]],
    [undefined, "1.234e3", [1234]],
    // The spelling of JSON.
    [undefined, "1.234", [1.234]],
    ["de", "1.23.456", []],
    ["de", "12.34.567", []],
    ["de", "1 2", []],
    ["de", "0.123.456", []],
    ["de", "5,", []],
    ["de", "--5", []],
    ["de", "12 kg", []],
    ["de", "0x10", []],
    ["de", "9007199254740993", []],
    ["de", "1e400", []],
  ] as const)("in %s %j can mean %j", (locale, text, values) =>
    expect(readNumbers(text, { locale })).toEqual([...values]),
  );
  test("a decimal sign before three digits may group those of a whole number", () => {
    const read = (text: string, locale: string) => readNumbers(text, { locale }, true);
    expect([read("1.000", "de"), read("1,000", "de")]).toEqual([[1000], [1, 1000]]);
    expect([read("1,000", "en"), read("1.000", "en"), read("1.0", "en")]).toEqual([[1000], [1, 1000], [1]]);
  });
  test("they are written so that 2027 may be a year, and no control has a sign between groups", () => {
    const texts = (value: number) =>
      (["ungrouped", "large", "grouped"] as const).map((style) => numberText(value, "de", style));
    expect(texts(2027)).toEqual(["2027", "2027", "2.027"]);
    expect(texts(12_345.5)).toEqual(["12345,5", "12.345,5", "12.345,5"]);
    expect(texts(1.5e-7)).toEqual(["1,5e-7", "1,5e-7", "1,5e-7"]);
  });
});

test.each([
  ["de", "12.11.2026", ["2026-11-12"]],
  ["de", "11/12/2026", ["2026-12-11"]],
  ["de", "\u200e 5. m\u00e4rz 2026 ", ["2026-03-05"]],
  ["en-US", "11/12/2026", ["2026-11-12"]],
  // A page in English has no country, and so no order.
  ["en-GB", "11/12/2026", ["2026-12-11", "2026-11-12"]],
  ["en-GB", "25/12/2026", ["2026-12-25"]],
  ["en-GB", "12/25/2026", ["2026-12-25"]],
  ["en-GB", "12.11.2026", ["2026-11-12"]],
  ["en-GB", "2026/11/12", ["2026-11-12"]],
  ["de", "12.11.26", ["1926-11-12", "2026-11-12"]],
  ["de", "2026-11-12", ["2026-11-12"]],
  [undefined, "2026-11-12", ["2026-11-12"]],
  [undefined, "12.11.2026", []],
  ["de", "31.02.2026", []],
  ["de", "12. Foo 2026", []],
  ["de", "12.11.", []],
  ["de", "1 12.11.2026", []],
  ["de", "12. Mrz 2026", ["2026-03-12"]],
  ["de", "17. J\u00e4nner 2027", ["2027-01-17"]],
  ["de", "5. Maerz 2027", ["2027-03-05"]],
  ["en-GB", "12th November 2026", ["2026-11-12"]],
  ["en-GB", "1st Nov 2026", ["2026-11-01"]],
  ["en-GB", "the 3rd of March 2027", ["2027-03-03"]],
  ["en-GB", "3 Septem 2026", ["2026-09-03"]],
  ["en-GB", "3 Ju 2026", []],
  ["en-GB", "Thurs, 12 November 2026", ["2026-11-12"]],
  ["en-GB", "Thu 12/11/2026", ["2026-11-12"]],
  ["en-GB", "Wed 12/11/2026", []],
  ["de", "Do, 12.11.26", ["2026-11-12"]],
  ["es", "mar, 2 mar 2027", ["2027-03-02"]],
] as const)("in %s the day %j can mean %j", (locale, text, days) =>
  expect(readDays(text, { locale, written })).toEqual([...days]),
);

test("a day is read in each region of the page's language, and only with its own day of the week", () => {
  const pages = [
    ["en-GB", ["en-GB", "en-US", "en-CA", "en-AU", "en-IN", "en-ZA", "en-NZ", "en-IE"]],
    ["de-DE", ["de-DE", "de-AT", "de-CH", "de-LI"]],
  ] as const;
  const formats = pages.flatMap(([page, locales]) =>
    locales.flatMap((locale) =>
      (["long", "short"] as const).map((style) => {
        const day = { day: "numeric", month: style, year: "numeric", timeZone: "UTC" } as const;
        const of = (more: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...day, ...more });
        return { page, plain: of({}), named: of({ weekday: style }) };
      }),
    ),
  );
  const dates = fc.date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true });
  const isRead = (at: Date, { page, plain, named }: (typeof formats)[number], shift: number) => {
    const parts = (date: Date) => named.formatToParts(date);
    const weekdayOf = (date: Date) => parts(date).find(({ type }) => type === "weekday")?.value ?? "";
    const wrong = weekdayOf(new Date(at.getTime() + shift * 86_400_000));
    const isWrong = parts(at).map(({ type, value }) => (type === "weekday" ? wrong : value));
    const read = (text: string) => readDays(text, { locale: page, written });
    const day = at.toISOString().slice(0, 10);
    return (
      [plain, named].every((format) => isOnly(read(format.format(at)), day)) &&
      read(isWrong.join("")).length === 0
    );
  };
  fc.assert(fc.property(dates, fc.constantFrom(...formats), fc.integer({ min: 1, max: 6 }), isRead), {
    numRuns,
  });
});

test.each([
  ["14.30", ["14:30"]],
  ["14h30", ["14:30"]],
  ["14 Uhr", ["14:00"]],
  ["2:30 pm", ["14:30"]],
  ["2 p.m.", ["14:00"]],
  ["12 am", ["00:00"]],
  ["9:05", ["09:05"]],
  ["09:05:07", ["09:05:07"]],
  ["14", []],
  ["24:00", []],
  ["13 pm", []],
  ["14:3", []],
  ["14:30 foo", []],
  ["5 min", []],
  ["5 s", []],
  ["7 pm s", []],
  ["5 de", []],
  ["Freitag 14:30", []],
] as const)("the time %j can mean %j", (text, times) =>
  expect(readTimes(text, { locale: "de", written })).toEqual([...times]),
);

test.each([
  ["2026-11-12T14:30", ["2026-11-12T14:30:00"]],
  ["2026-11-12 14:30:05", ["2026-11-12T14:30:05"]],
  ["12.11.2026, 14.30 Uhr", ["2026-11-12T14:30:00"]],
  ["12. November 2026 um 14:30", ["2026-11-12T14:30:00"]],
  ["12.11.2026", []],
] as const)("the date and time %j can mean %j", (text, locals) =>
  expect(readLocals(text, { locale: "de", written })).toEqual([...locals]),
);

test.each([
  ["2027-07-10T08:00:00.000Z", "10. Juli 2027, 10:00", "10. Juli 2027, 08:00 UTC"],
  ["2027-07-10t08:00:00z", "10. Juli 2027, 10:00", "10. Juli 2027, 08:00 UTC"],
  ["2027-07-10T08:00:07.250+05:45", "10. Juli 2027, 04:15:07,25", "10. Juli 2027, 08:00:07,25 UTC+05:45"],
  ["2027-10-31T01:30:00Z", "31. Oktober 2027, 02:30 UTC+01:00", "31. Oktober 2027, 01:30 UTC"],
  ["2027-03-28T02:30:00+01:00", "28. M\u00e4rz 2027, 03:30", "28. M\u00e4rz 2027, 02:30 UTC+01:00"],
  ["2016-12-31T23:59:60Z", "2016-12-31 23:59:60 UTC", "2016-12-31 23:59:60 UTC"],
  ["soon", "soon", "soon"],
])("the moment %s is %j in Berlin, and %j without a zone", (instant, inBerlin, own) => {
  expect(instantText(instant, { locale: "de", timeZone: "Europe/Berlin" })).toBe(inBerlin);
  expect(instantText(instant, { locale: "de" })).toBe(own);
});

test.each([
  ["en-GB", "20 November 2026, 09:30 UTC"],
  ["ar", "20 نوفمبر 2026، 9:30 ص UTC"],
  ["ja", "2026年11月20日 9:30 UTC"],
  ["hu", "2026. november 20. 9:30 UTC"],
  ["uk", "20 листопада 2026 р., 09:30 UTC"],
])("%s separates a day from a time as its readers do: %j", (locale, text) =>
  expect(instantText("2026-11-20T09:30:00Z", { locale })).toBe(text),
);

test("a long text is no day and no number, and costs nothing", () => {
  const text = "1 a, ".repeat(100_000);
  expect(leastCpuMs(50, () => readLocals(text, { locale: "de", written }))).toBeLessThan(50);
  expect(leastCpuMs(50, () => readNumbers(text, { locale: "de" }))).toBeLessThan(50);
  for (const part of ["1.", "1", "\u0663", "\u{1d7ff}", "\u200b"]) {
    const long = part.repeat(1_000_000);
    expect([part, leastCpuMs(5, () => readNumbers(long, { locale: "de" })) < 5]).toEqual([part, true]);
  }
  const padded = `0.${"0".repeat(323)}494${"0".repeat(700)}`;
  expect(readNumbers(padded, { locale: "en" })).toEqual([Number.MIN_VALUE]);
});

test("marks that copying adds are taken away; the joiners inside of a URL stay", () => {
  expect(withoutMarks(" \u202a+49 30\u200b 123456\u202c\ufeff\n")).toBe("+49 30 123456");
  expect(urlWithoutMarks("\u2068\u200dhttps://example.org/\u0645\u06cc\u200c\u062e\u2069 ")).toBe(
    "https://example.org/\u0645\u06cc\u200c\u062e",
  );
});

test("the data of locales that are used in turn are kept for all of them, or for none", () => {
  for (let number = 1; number < 200; number++) {
    let made = 0;
    const make = perLocale(() => ++made);
    const locales = Array.from({ length: number }, (_, index) => `l${index}`);
    for (const locale of [...locales, ...locales]) make(locale);
    expect([number, 2 * number]).toContain(made);
  }
});
