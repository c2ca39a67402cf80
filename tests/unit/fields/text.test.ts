import { describe, expect, test } from "bun:test";
import { getCountries } from "libphonenumber-js";
import examples from "libphonenumber-js/mobile/examples";
import { isCountry } from "../../../src/fields/countries.ts";
import { codes, issues, leastCpuMs } from "./fixture.ts";

describe("text and textarea", () => {
  const names = ["text", "string", "short_text", "textfield", "textarea", "long_text", "paragraph"];
  test.each(names)("%s accepts text and nothing else", (type) => {
    expect(codes({ type }, "Ada")).toEqual([]);
    for (const other of [30, true, ["Ada"], { first: "Ada" }]) {
      expect(codes({ type }, other)).toEqual(["type_mismatch"]);
    }
  });

  test.each([
    ["an emoji beyond the BMP", "😀", 1],
    ["a family joined by U+200D", "👨‍👩‍👧", 5],
    ["e with a combining accent", "e\u0301", 2],
    ["e with acute, composed", "é", 1],
    ["a flag of two regional indicators", "🇩🇪", 2],
  ])("lengths count code points: %s", (_name, text, length) => {
    const padded = `ab${text}`;
    const exact = { type: "text", validation: { minLength: length + 2, maxLength: length + 2 } };
    expect(codes(exact, padded)).toEqual([]);
    expect(codes({ type: "text", maxLength: length + 1 }, padded)).toEqual(["max_length"]);
    expect(codes({ type: "text", minLength: length + 3 }, padded)).toEqual(["min_length"]);
  });

  test("a textarea accepts 10,000 code points unless its owner sets another limit", () => {
    expect(codes({ type: "textarea" }, "😀".repeat(10_000))).toEqual([]);
    expect(codes({ type: "textarea" }, "😀".repeat(10_001))).toEqual(["max_length"]);
    expect(codes({ type: "textarea", maxLength: 20_000 }, "a".repeat(20_000))).toEqual([]);
    expect(codes({ type: "text" }, "a".repeat(20_000))).toEqual([]);
  });

  test("the issue names the limit and never repeats the value", () => {
    const [issue] = issues({ type: "text", validation: { maxLength: 4 } }, "hunter2");
    expect(issue).toEqual({
      field: "f",
      code: "max_length",
      message: "Must have at most 4 characters.",
      constraint: "maxLength",
      expected: 4,
    });
  });

  test("the pattern's issue comes before those of bounds, and every one is reported", () => {
    const definition = {
      type: "email",
      pattern: "@example\\.com$",
      minLength: 100,
      allowedDomains: ["example.org"],
    };
    expect(codes(definition, "ada@test.net")).toEqual(["domain_not_allowed", "pattern", "min_length"]);
    expect(codes(definition, "ada")).toEqual(["format", "pattern", "min_length"]);
    expect(codes(definition, 7)).toEqual(["type_mismatch"]);
  });
});

describe("email", () => {
  // HTML Standard, "valid e-mail address"; web-platform-tests
  // html/semantics/forms/the-input-element/email.html.
  test.each([
    "foo@bar.com",
    "first.last+tag@sub.example.co.uk",
    "!#$%&'*+/=?^_`{|}~.-@example.com",
    "user@localhost",
    "a.@example.com",
    ".a@example.com",
    "a..b@example.com",
    "1@2",
    `a@${"b".repeat(63)}.com`,
    `${"a".repeat(242)}@example.com`,
  ])("accepts %s", (text) => expect(codes({ type: "email" }, text)).toEqual([]));

  test.each([
    "foo",
    "@example.com",
    "foo@",
    "foo@bar@example.com",
    "foo bar@example.com",
    " foo@bar.com",
    "foo@bar.com\n",
    "foo@-bar.com",
    "foo@bar-.com",
    "foo@bar..com",
    "foo@bar.com.",
    '"a b"@example.com',
    "foo@[127.0.0.1]",
    "Ada <ada@example.com>",
    "ü@example.com",
    "a@exämple.com",
    `a@${"b".repeat(64)}.com`,
    `${"a".repeat(243)}@example.com`,
  ])("rejects %j", (text) => expect(codes({ type: "email" }, text)).toEqual(["format"]));

  test("a hostile domain part is rejected in linear time", () => {
    const text = `a@${"a.".repeat(500_000)}!`;
    expect(leastCpuMs(100, () => codes({ type: "email" }, text))).toBeLessThan(100);
  });

  test("allowed domains are compared whole and without case", () => {
    const definition = { type: "email", allowedDomains: ["Example.com"] };
    expect(codes(definition, "ada@EXAMPLE.com")).toEqual([]);
    expect(codes(definition, "ada@sub.example.com")).toEqual(["domain_not_allowed"]);
    expect(codes(definition, "ada@notexample.com")).toEqual(["domain_not_allowed"]);
    expect(codes(definition, "ada@")).toEqual(["format"]);
  });
});

describe("phone", () => {
  test("every country's example number of libphonenumber is accepted, national and international", () => {
    const rejected = getCountries().filter((country) => {
      const national = examples[country];
      return national === undefined || codes({ type: "phone", country }, national).length > 0;
    });
    expect(rejected).toEqual([]);
  });

  test.each([
    ["+12133734253", null],
    ["+1 (213) 373-4253", null],
    ["+44 20 7946 0958", null],
    ["+800 1234 5678", null],
    ["(213) 373-4253", "US"],
    ["011 44 20 7946 0958", "US"],
    ["030/123456", "DE"],
    ["+44 20 7946 0958", "DE"],
  ])("accepts %s (%s)", (text, country) => {
    expect(codes({ type: "tel", country }, text)).toEqual([]);
  });

  test.each([
    ["213 373 4253", null],
    ["+1 213", null],
    ["+999 123 456 789", null],
    ["0044 20 7946 0958", "US"],
    ["+1 213 373 4253 ext. 5", null],
    ["+12133734253;ext=5", null],
    ["+12133734253#5", null],
    ["+12133734253,5", null],
    ["+12133734253~5", null],
    ["+12133734253 доб. 5", null],
    ["+12133734253;isub=5", null],
    ["213 373 4253;phone-context=+1", null],
    ["!!+12133734253!!", null],
    ["tel:+12133734253", null],
    ["+1 213 FLOWERS", null],
    ["call +12133734253", null],
    ["+", null],
    ["12", "US"],
    [`+${"1".repeat(300)}`, null],
  ])("rejects %s (%s)", (text, country) => {
    expect(codes({ type: "phone_number", country }, text)).toEqual(["format"]);
  });
});

describe("url", () => {
  // WHATWG URL Standard, "absolute-URL string", and the cases of its urltestdata.json that a parser repairs
  // silently.
  test.each([
    "http://example.com",
    "HTTPS://EXAMPLE.com/a%20b?q=1#f",
    "https://user:pass@example.com:8443/",
    "http://[::1]:3000/x",
    "https://münchen.example/straße",
    "http://192.168.0.1/",
  ])("accepts %s", (text) => expect(codes({ type: "url" }, text)).toEqual([]));

  test.each([
    "example.com",
    "//example.com/x",
    "/path",
    "ftp://example.com",
    "javascript:alert(1)",
    "mailto:ada@example.com",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https:\\\\example.com",
    "https://",
    "https://?q",
    "http://a b/",
    "http://example.com/a b",
    " http://example.com",
    "http://example.com\n",
    "http://exa\tmple.com",
    "http://example.com/\u0007",
    "http://example.com/\u0085",
    "http://example.com:99999",
    "http://[::1",
    "http://a<b",
  ])("rejects %j", (text) => expect(codes({ type: "website" }, text)).toEqual(["format"]));

  test("its length is bounded by maxLength", () => {
    expect(codes({ type: "uri", validation: { maxLength: 20 } }, "https://example.com/page")).toEqual([
      "max_length",
    ]);
  });
});

describe("address", () => {
  const full = {
    line1: "1 Main St",
    line2: "",
    city: "Oslo",
    region: null,
    postalCode: "0150",
    country: "NO",
  };
  test("accepts its six parts, each text or empty", () =>
    expect(codes({ type: "address" }, full)).toEqual([]));

  test.each([["text"], [["line1"]], [{ ...full, zip: "1" }], [{ line1: 5 }], [{ city: ["Oslo"] }]])(
    "rejects %j, which is not an address",
    (value) => expect(codes({ type: "address" }, value)).toEqual(["type_mismatch"]),
  );

  test("an address of blanks is as good as none", () => {
    expect(codes({ type: "address", required: true }, { line1: " ", city: null })).toEqual(["required"]);
    expect(codes({ type: "address", requiredParts: ["city"] }, { line1: "" })).toEqual([]);
  });

  test("each missing part is an issue of its own, named in `constraint`", () => {
    const found = issues(
      { type: "address", requiredParts: ["city", "country", "line1"] },
      { country: "no", city: " " },
    );
    expect(found.map(({ code, constraint }) => [code, constraint])).toEqual([
      ["format", "country"],
      ["required_part", "line1"],
      ["required_part", "city"],
    ]);
  });

  test("countries are the 249 officially assigned codes of ISO 3166-1", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const accepted = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry);
    expect(accepted).toHaveLength(249);
    // libphonenumber's regions are ISO's, plus three that are reserved or user-assigned.
    expect(getCountries().filter((code) => !isCountry(code))).toEqual(["AC", "TA", "XK"]);
    for (const none of ["UK", "EU", "SU", "AN", "ZZ", "us", "USA", ""]) expect(isCountry(none)).toBe(false);
  });
});

describe("hidden", () => {
  test("accepts text, numbers and booleans; its text rules do not apply to the other two", () => {
    const definition = { type: "hidden", pattern: "^utm_", maxLength: 8 };
    for (const good of ["utm_a", 5, 0.5, true, false]) expect(codes(definition, good)).toEqual([]);
    for (const bad of [["utm_a"], { a: 1 }]) expect(codes(definition, bad)).toEqual(["type_mismatch"]);
    expect(codes(definition, "campaign9")).toEqual(["pattern", "max_length"]);
  });
});
