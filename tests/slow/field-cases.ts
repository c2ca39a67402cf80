/** Fields of every type with a control, what is entered in them, and every code that a wrong value has. */

export type Sent = [name: string, text: string][];
interface Case {
  definition: Record<string, unknown>;
  valid: (id: string) => Sent;
  /** By code. */
  invalid: Record<string, (id: string) => Sent>;
}

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
export const options = ["red", "green", "blue"];

/** Every type with a control, and every code that it has. */
const cases: Record<string, Case> = {
  text: { definition: lengths, valid: value("abc"), invalid: invalidLengths },
  textarea: { definition: lengths, valid: value("abc"), invalid: invalidLengths },
  email: {
    definition: { allowedDomains: ["example.org"], pattern: "^a" },
    valid: value("ada@example.org"),
    invalid: {
      format: value("no address"),
      domain_not_allowed: value("ada@example.com"),
      pattern: value("bob@example.org"),
    },
  },
  phone: { definition: {}, valid: value("+49 30 123456"), invalid: { format: value("call me") } },
  url: {
    definition: { maxLength: 30 },
    valid: value("https://example.org"),
    invalid: { format: value("example"), max_length: value(`https://example.org/${"x".repeat(20)}`) },
  },
  number: {
    definition: bounds,
    valid: value("4"),
    invalid: { type_mismatch: value("4 kg"), ...invalidBounds },
  },
  integer: {
    definition: bounds,
    valid: value("4"),
    invalid: { type_mismatch: value("4.5"), ...invalidBounds },
  },
  rating: {
    definition: { maximum: 20 },
    valid: value("3"),
    invalid: { type_mismatch: value("good"), min_value: value("0"), max_value: value("21") },
  },
  boolean: { definition: {}, valid: value("false"), invalid: { type_mismatch: value("maybe") } },
  consent: { definition: {}, valid: value("true"), invalid: { not_accepted: value("false") } },
  select: {
    definition: { options: [...options, { value: "gone", limit: 0 }] },
    valid: value("red"),
    invalid: { invalid_option: value("pink") },
  },
  multi_select: {
    definition: { options, minItems: 2, maxItems: 2 },
    valid: value("red", "blue"),
    invalid: {
      invalid_option: value("red", "pink"),
      duplicate_item: value("red", "red"),
      min_items: value("red"),
      max_items: value(...options),
    },
  },
  ranking: {
    definition: { options, minItems: 2 },
    valid: value("red", "blue"),
    invalid: {
      invalid_option: value("red", "pink"),
      duplicate_item: value("red", "red"),
      min_items: value("blue"),
    },
  },
  "ranking all": {
    definition: { type: "ranking", options, rankAll: true },
    valid: value("blue", "red", "green"),
    invalid: { incomplete_ranking: value("blue", "red") },
  },
  date: {
    definition: { minimum: "2024-01-01", maximum: "2024-12-31" },
    valid: value("2024-02-29"),
    invalid: {
      format: value("29/02/2024"),
      min_value: value("2023-12-31"),
      max_value: value("2025-01-01"),
    },
  },
  time: {
    definition: { minimum: "09:00", maximum: "17:00" },
    valid: value("09:30"),
    invalid: { format: value("half past nine"), min_value: value("08:00"), max_value: value("18:00") },
  },
  datetime: {
    definition: { minimum: "2024-01-01T00:00:00Z", maximum: "2024-12-31T00:00:00Z" },
    valid: parts({ local: "2024-06-01T12:00", zone: "Z" }),
    invalid: {
      format: parts({ local: "tomorrow", zone: "Z" }),
      min_value: parts({ local: "2023-06-01T12:00", zone: "Z" }),
      max_value: parts({ local: "2025-06-01T12:00", zone: "Z" }),
    },
  },
  address: {
    definition: { requiredParts: ["city"] },
    valid: parts({ city: "Bern", country: "CH" }),
    invalid: {
      required_part: parts({ line1: "1 Main Street" }),
      format: parts({ city: "Bern", country: "XX" }),
    },
  },
  matrix: {
    definition: { rows: ["speed", "price"], columns: ["good", "bad"], allRows: true },
    valid: parts({ speed: "good", price: "bad" }),
    invalid: {
      incomplete_matrix: parts({ speed: "good" }),
      invalid_option: parts({ speed: "ugly", price: "bad" }),
      duplicate_item: (id) => [
        [`${id}.speed`, "good"],
        [`${id}.speed`, "good"],
        [`${id}.price`, "bad"],
      ],
    },
  },
};

export interface Tested {
  id: string;
  code: string;
  invalid: Sent;
  valid: Sent;
  field: Record<string, unknown>;
}

/** One required field per type and code. */
export const tested: Tested[] = Object.entries(cases).flatMap(([type, { definition, valid, invalid }]) =>
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
