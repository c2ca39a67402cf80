/** Fields of every type with a control, what is entered in them, and every code that a wrong value has. */

export type Sent = [name: string, text: string][];
type Entered = (id: string) => Sent;
type Case = [definition: Record<string, unknown>, valid: Entered, invalidByCode: Record<string, Entered>];

const value =
  (...texts: string[]) =>
  (id: string): Sent =>
    texts.map((text) => [id, text]);
const parts =
  (given: Record<string, string>) =>
  (id: string): Sent =>
    Object.entries(given).map(([part, text]) => [`${id}.${part}`, text]);
const lengths = { minLength: 3, maxLength: 5, pattern: "^[a-z]+$" };
const invalidLengths = { min_length: value("ab"), max_length: value("abcdef"), pattern: value("ABCD") };
const bounds = { minimum: 2, maximum: 8, multipleOf: 2 };
const invalidBounds = { min_value: value("0"), max_value: value("10"), step: value("3") };
const options = ["red", "green", "blue"];
const invalidItems = { invalid_option: value("red", "pink"), duplicate_item: value("red", "red") };
const utc = (local: string) => parts({ local, zone: "Z" });

/** Every type with a control, and every code that it has. */
const cases: Record<string, Case> = {
  text: [lengths, value("abc"), invalidLengths],
  textarea: [lengths, value("abc"), invalidLengths],
  email: [
    { allowedDomains: ["example.org"], pattern: "^a" },
    value("ada@example.org"),
    {
      format: value("no address"),
      domain_not_allowed: value("ada@example.com"),
      pattern: value("bob@example.org"),
    },
  ],
  phone: [{}, value("+49 30 123456"), { format: value("call me") }],
  url: [
    { maxLength: 30 },
    value("https://example.org"),
    { format: value("example"), max_length: value(`https://example.org/${"x".repeat(20)}`) },
  ],
  number: [bounds, value("4"), { type_mismatch: value("4 kg"), ...invalidBounds }],
  integer: [bounds, value("4"), { type_mismatch: value("4.5"), ...invalidBounds }],
  rating: [
    { maximum: 20 },
    value("3"),
    { type_mismatch: value("good"), min_value: value("0"), max_value: value("21") },
  ],
  boolean: [{}, value("false"), { type_mismatch: value("maybe") }],
  consent: [{}, value("true"), { not_accepted: value("false") }],
  select: [
    { options: [...options, { value: "gone", limit: 0 }] },
    value("red"),
    { invalid_option: value("pink") },
  ],
  multi_select: [
    { options, minItems: 2, maxItems: 2 },
    value("red", "blue"),
    { ...invalidItems, min_items: value("red"), max_items: value(...options) },
  ],
  ranking: [{ options, minItems: 2 }, value("red", "blue"), { ...invalidItems, min_items: value("blue") }],
  "ranking all": [
    { type: "ranking", options, rankAll: true },
    value("blue", "red", "green"),
    { incomplete_ranking: value("blue", "red") },
  ],
  date: [
    { minimum: "2024-01-01", maximum: "2024-12-31" },
    value("2024-02-29"),
    { format: value("30/02/2024"), min_value: value("2023-12-31"), max_value: value("2025-01-01") },
  ],
  time: [
    { minimum: "09:00", maximum: "17:00" },
    value("09:30"),
    { format: value("half past nine"), min_value: value("08:00"), max_value: value("18:00") },
  ],
  datetime: [
    { minimum: "2024-01-01T00:00:00Z", maximum: "2024-12-31T00:00:00Z" },
    utc("2024-06-01T12:00"),
    { format: utc("tomorrow"), min_value: utc("2023-06-01T12:00"), max_value: utc("2025-06-01T12:00") },
  ],
  address: [
    { requiredParts: ["city"] },
    parts({ city: "Bern", country: "CH" }),
    { required_part: parts({ line1: "1 Main Street" }), format: parts({ city: "Bern", country: "XX" }) },
  ],
  matrix: [
    { rows: ["speed", "price"], columns: ["good", "bad"], allRows: true },
    parts({ speed: "good", price: "bad" }),
    {
      incomplete_matrix: parts({ speed: "good" }),
      invalid_option: parts({ speed: "ugly", price: "bad" }),
      duplicate_item: (id) => [
        ...parts({ speed: "good" })(id),
        ...parts({ speed: "good", price: "bad" })(id),
      ],
    },
  ],
};

export interface Tested {
  id: string;
  code: string;
  invalid: Sent;
  valid: Sent;
  field: Record<string, unknown>;
}

/** One required field per type and code. */
export const tested: Tested[] = Object.entries(cases).flatMap(([type, [definition, valid, invalid]]) =>
  Object.entries(invalid).map(([code, sent]): Tested => {
    const id = `${type}_${code}`.replace(" ", "_");
    const label = `Thing ${id.replaceAll("_", " ")}`;
    return {
      id,
      code,
      invalid: sent(id),
      valid: valid(id),
      field: { id, type, label, required: true, ...definition },
    };
  }),
);
