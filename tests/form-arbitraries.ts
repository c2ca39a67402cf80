/**
 * Forms with payloads for property tests: every field type with every constraint, and values that are good,
 * nearly good, empty or anything. It knows the field types as they are documented, and none of the service's
 * code.
 */
import fc from "fast-check";

export interface Sample {
  fields: Record<string, unknown>[];
  data: Record<string, unknown>;
}

type Made = [definition: Record<string, unknown>, good: fc.Arbitrary<unknown>];

const some = fc.constantFrom;
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const set = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** Two values in order, or one of them, or none. */
const range = <T>(value: fc.Arbitrary<T>, low: string, high: string, compare: (a: T, b: T) => number) =>
  fc.tuple(value, value, some("both", "low", "high", "none")).map(([a, b, which]) => {
    const [least, most] = compare(a, b) <= 0 ? [a, b] : [b, a];
    return set({
      [low]: which === "both" || which === "low" ? least : undefined,
      [high]: which === "both" || which === "high" ? most : undefined,
    });
  });
const byNumber = (a: number, b: number) => a - b;
const byText = (a: string, b: string) => (a < b ? -1 : 1);

const patterns = [
  "^[a-z]+$",
  "b",
  "^\\d{2,4}$",
  "^\\S+\\s\\S+$",
  "^.{1,3}$",
  "(?i)^ab",
  "\\p{L}",
  "^[\\w.-]+$",
  "a\\z",
  "^(?:a|ab)(?:c|bcd)*$",
];
const words = fc.oneof(
  fc.string({ unit: some("a", "b", "c", "7", " ", "\n", "\u00a0", "é", "😀", "-", ".", "_"), maxLength: 9 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);
const lengths = fc
  .tuple(range(fc.nat(9), "minLength", "maxLength", byNumber), maybe(some(...patterns)))
  .map(([limits, pattern]) => set({ ...limits, pattern }));

const optionLists = [
  ["red", "green", "blue"],
  [{ value: "a", label: "A" }, "b"],
  [{ value: 1 }, { value: 2.5 }, { value: true }, "1"],
  ["only"],
];
const valuesOf = (options: readonly unknown[]) =>
  options.map((option) => (typeof option === "object" ? (option as { value: unknown }).value : option));

const days = [
  "2024-02-29",
  "2025-02-29",
  "2024-02-30",
  "0000-02-29",
  "1900-02-29",
  "2024-1-1",
  "2024-00-10",
  "9999-12-31",
  "2024-06-31",
  "2024-06-30",
];
const times = ["00:00", "23:59:59", "24:00", "12:60", "7:00", "12:30Z", "23:59:60", "12:30:15", "12:30:15.5"];
const instants = [
  "2024-02-29T12:00:00Z",
  "2024-02-29t12:00:00z",
  "2024-02-29 12:00:00Z",
  "2024-02-30T12:00:00Z",
  "2024-06-30T23:59:60Z",
  "2024-06-29T23:59:60Z",
  "2024-07-01T01:59:60+02:00",
  "2024-02-29T12:00:00",
  "2024-02-29T12:00:00+0100",
  "2024-02-29T12:00:00+01",
  "2024-02-29T12:00:00.123456789-23:59",
  "2024-02-29T12:00:00+24:00",
  "2024-02-29T24:00:00Z",
  "2024-02-29T12:00Z",
];
const goodDays = ["2024-02-29", "2024-06-30", "1999-12-31", "0001-01-01"];
const goodTimes = ["00:00", "12:30:15", "23:59"];
const goodInstants = ["2024-02-29T12:00:00Z", "2024-06-30T23:59:60Z", "1999-12-31T00:00:00.5+14:00"];

const numeric = (type: string, spread: fc.Arbitrary<number>): fc.Arbitrary<Made> =>
  fc
    .tuple(range(spread, "minimum", "maximum", byNumber), maybe(some(0.01, 0.1, 0.25, 1, 2, 5)))
    .map(([bounds, multipleOf]) => [
      set({ type, ...bounds, multipleOf }),
      fc.oneof(spread, some(0, 1.5, 3, 1e15, -0.25)),
    ]);
const rated = (type: string, bounds: fc.Arbitrary<object>): fc.Arbitrary<Made> =>
  bounds.map((given) => [{ type, ...given }, fc.integer({ min: -1, max: 12 })]);
const choice = (type: string): fc.Arbitrary<Made> =>
  fc
    .tuple(some(...optionLists), maybe(fc.boolean()))
    .map(([options, allowOther]) => [
      set({ type, options, allowOther }),
      fc.oneof(some(...valuesOf(options)), some("other", 7, 1, false, " ")),
    ]);
const choices = (type: string): fc.Arbitrary<Made> =>
  fc
    .tuple(some(...optionLists), maybe(fc.boolean()), fc.nat(2), maybe(fc.integer({ min: 2, max: 4 })))
    .map(([options, flag, least, maxItems]) => [
      set({
        type,
        options,
        [type === "ranking" ? "rankAll" : "allowOther"]: flag,
        minItems: Math.min(least, options.length) || undefined,
        maxItems,
      }),
      fc.oneof(
        fc.subarray(valuesOf(options)),
        fc.array(fc.oneof(some(...valuesOf(options)), some("other", 1, "")), { maxLength: 4 }),
      ),
    ]);
const text = (type: string, ...near: string[]): fc.Arbitrary<Made> =>
  lengths.map((limits) => [{ type, ...limits }, near.length > 0 ? fc.oneof(some(...near), words) : words]);
const calendar = (type: string, near: string[], bounds: string[]): fc.Arbitrary<Made> =>
  range(
    some(...bounds),
    "minimum",
    "maximum",
    type === "datetime"
      ? (a, b) => Date.parse(a.replace(":60Z", ":59Z")) - Date.parse(b.replace(":60Z", ":59Z"))
      : byText,
  ).map((limits) => [{ type, ...limits }, some(...near, ...bounds)]);

const parts = ["line1", "line2", "city", "region", "postalCode", "country"];
const address: fc.Arbitrary<Made> = maybe(fc.subarray(parts)).map((requiredParts) => [
  set({ type: "address", requiredParts }),
  fc
    .tuple(
      fc.dictionary(some(...parts), some("x", "Main St 1", "", " ", null), { maxKeys: 6 }),
      maybe(some("DE", "de", "XX", "", null, "DEU")),
      maybe(some(["zip", "1"], ["city", 7], ["__proto__", "x"])),
    )
    .map(([given, country, odd]) => ({
      ...set({ ...given, country }),
      ...(odd && Object.fromEntries([odd])),
    })),
]);
const matrix: fc.Arbitrary<Made> = maybe(fc.boolean()).map((allRows) => [
  set({
    type: "matrix",
    rows: ["speed", { id: "price", label: "Price" }],
    columns: ["good", "bad"],
    allRows,
  }),
  fc.dictionary(
    some("speed", "price", "price", "speed", "colour"),
    fc.oneof(
      some("good", "bad", "", null, "ugly", 1),
      fc.array(some("good", "bad", "ugly"), { maxLength: 3 }),
    ),
    { maxKeys: 3 },
  ),
]);

const made: fc.Arbitrary<Made> = fc.oneof(
  text("text"),
  text("textarea"),
  text("hidden", "x"),
  fc.constant<Made>([{ type: "hidden" }, some(1, true, "x", 2.5)]),
  maybe(some(["example.org"], ["EXAMPLE.com", "b"])).map(
    (allowedDomains): Made => [
      set({ type: "email", allowedDomains }),
      fc.oneof(
        fc.emailAddress(),
        some(
          "ada@example.org",
          "a@b",
          "A@EXAMPLE.ORG",
          "a..b@example.com",
          "a b@example.org",
          `${"x".repeat(250)}@a.b`,
          "ada@-x.org",
          "ada@sub.example.org",
        ),
      ),
    ],
  ),
  maybe(some("US", "DE")).map(
    (country): Made => [
      set({ type: "phone", country }),
      some(
        "+12133734253",
        "213 373 4253",
        "+1",
        "+49 30 123456",
        "030/123456",
        "call me",
        "+1 213 373 4253 ext. 3",
        "12",
      ),
    ],
  ),
  text(
    "url",
    "https://example.org",
    "http://a",
    "https:example.org",
    "HTTP://EXAMPLE.org/ü",
    "ftp://a.b",
    "http://[::1",
    "http://a b.c",
    "https:///x",
    "http\u017f://x.y",
    "http://a:99999",
    "http://%zz",
  ),
  numeric(
    "number",
    fc.integer({ min: -1000, max: 1000 }).map((hundredths) => hundredths / 100),
  ),
  numeric("integer", fc.integer({ min: -20, max: 20 })),
  rated("rating", some({}, { maximum: 10 }, { minimum: 0, maximum: 3 })),
  rated("nps", fc.constant({})),
  some("boolean", "toggle", "consent", "terms").map((type): Made => [{ type }, fc.boolean()]),
  choice("select"),
  choice("radio"),
  choices("multi_select"),
  choices("ranking"),
  calendar("date", days, goodDays),
  calendar("time", times, goodTimes),
  calendar("datetime", instants, goodInstants),
  address,
  matrix,
  some("statement", "heading").map((type): Made => [{ type }, some(null, "", "hello", 0)]),
  fc.constant<Made>([{ type: "x-unheard-of" }, fc.jsonValue({ maxDepth: 2 })]),
);

const empty = fc.constantFrom<unknown>(
  null,
  "",
  " \t",
  "\u00a0",
  [],
  {},
  { city: null },
  { speed: [] },
  { line1: {} },
);
const anything = fc.oneof(
  some<unknown>(0, false, true, "30", 30, -1, [""], [null], { a: 1 }, [[]], "x"),
  fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }),
);
const absent = Symbol("absent");

const ids = fc.oneof(
  { weight: 4, arbitrary: some("name", "mail", "age", "f1", "f2", "f3", "f4") },
  {
    weight: 1,
    arbitrary: some("constructor", "toString", "7", "a b", "é", "x/y~z", "hasOwnProperty", "length"),
  },
);

const answered = made.chain(([definition, good]) =>
  fc.record({
    id: ids,
    definition: fc.constant(definition),
    inside: fc.boolean(),
    required: some(true, false, undefined),
    value: fc.oneof(
      { weight: 9, arbitrary: good },
      { weight: 1, arbitrary: empty },
      { weight: 1, arbitrary: anything },
      { weight: 1, arbitrary: fc.constant<unknown>(absent) },
    ),
  }),
);

/**
 * A form of at most `maxFields` fields that may be published, and a payload for it; now and then a key that
 * the form does not have.
 */
export const samples = (maxFields: number): fc.Arbitrary<Sample> =>
  fc
    .tuple(
      fc.uniqueArray(answered, { selector: ({ id }) => id, minLength: 1, maxLength: maxFields }),
      fc.oneof(
        { weight: 9, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.tuple(some("zip", "Name", "valueOf"), anything) },
      ),
    )
    .map(([made, extra]) => ({
      fields: made.map(({ id, definition: { type, ...constraints }, inside, required }) =>
        set({
          id,
          type,
          label: `Field ${id}`,
          required,
          ...(inside ? { validation: constraints } : constraints),
        }),
      ),
      data: Object.fromEntries([
        ...made.map(({ id, value }) => [id, value] as const).filter(([, value]) => value !== absent),
        ...(extra ? [extra] : []),
      ]),
    }));

/** Any JSON value, empty ones often. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(empty, anything);
