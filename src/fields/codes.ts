/** What a field code says to people, with an example that really yields it (a test submits each one). */
export interface CodeEntry {
  meaning: string;
  /** A definition (without id and label), a value it refuses, and one that it takes. */
  example: { field: Record<string, unknown>; refused: unknown; accepted: unknown };
  /** What the caller does about it. */
  fix: string;
}

/**
 * Every code that `errors[].code` and `warnings[].code` can carry (specification, "Codes").
 * The docs page and OpenAPI are made from this table, so that neither can drift from the engine.
 */
export const fieldCodes = {
  required: {
    meaning:
      "A required field is absent or empty. Null, blank text, [] and {} count as empty; false and 0 do not.",
    example: { field: { type: "text", required: true }, refused: "", accepted: "Ada" },
    fix: "Send a value for the field.",
  },
  unknown_field: {
    meaning: "The form has no field of that name, or the field only shows text and takes no value.",
    example: { field: { type: "statement" }, refused: "hello", accepted: null },
    fix: "Remove the key, or correct its spelling: names are case-sensitive.",
  },
  type_mismatch: {
    meaning:
      'The value is of another JSON type than the field\'s. Nothing is converted: "30" is not a number.',
    example: { field: { type: "number" }, refused: "30", accepted: 30 },
    fix: "Send the JSON type named in `expected`.",
  },
  format: {
    meaning: "The value has the right JSON type, but not the notation that the field's type asks for.",
    example: { field: { type: "date" }, refused: "2025-02-29", accepted: "2024-02-29" },
    fix: "Write the value in the notation described in `expected`.",
  },
  pattern: {
    meaning:
      "The text does not match the owner's regular expression (RE2 syntax, found anywhere unless anchored).",
    example: {
      field: { type: "text", validation: { pattern: "^[A-Z]{2}\\d{4}$" } },
      refused: "ab12",
      accepted: "AB1234",
    },
    fix: "Write the text so that the expression in `expected` finds a match.",
  },
  min_length: {
    meaning: "The text is too short. Lengths count Unicode code points.",
    example: { field: { type: "text", validation: { minLength: 3 } }, refused: "ab", accepted: "abc" },
    fix: "Send at least as many characters as `expected` says.",
  },
  max_length: {
    meaning:
      "The text is too long. Lengths count Unicode code points; text that meets a pattern holds at most 10,000, or fewer where the pattern is large or the payload has much such text.",
    example: { field: { type: "text", validation: { maxLength: 3 } }, refused: "abcd", accepted: "abc" },
    fix: "Send at most as many characters as `expected` says.",
  },
  domain_not_allowed: {
    meaning: "The e-mail address is well formed, but its domain is not one that the form takes.",
    example: {
      field: { type: "email", validation: { allowedDomains: ["example.com"] } },
      refused: "ada@example.org",
      accepted: "ada@example.com",
    },
    fix: "Use an address at one of the domains in `expected`.",
  },
  min_value: {
    meaning: "The number, day or time is below the least one allowed.",
    example: { field: { type: "number", validation: { minimum: 18 } }, refused: 17, accepted: 18 },
    fix: "Send `expected` or more.",
  },
  max_value: {
    meaning: "The number, day or time is above the greatest one allowed.",
    example: { field: { type: "number", validation: { maximum: 10 } }, refused: 11, accepted: 10 },
    fix: "Send `expected` or less.",
  },
  step: {
    meaning:
      "The number is not a multiple of the step. Decimals are compared exactly: 0.3 is a multiple of 0.1.",
    example: { field: { type: "number", validation: { multipleOf: 0.1 } }, refused: 0.25, accepted: 0.3 },
    fix: "Send a multiple of `expected`.",
  },
  not_accepted: {
    meaning: "A required consent was declined.",
    example: { field: { type: "consent", required: true }, refused: false, accepted: true },
    fix: "Send true, provided that the person has agreed.",
  },
  invalid_option: {
    meaning:
      "The value, or an item of it, is not one of the choices. Choices are compared by value, not by label.",
    example: { field: { type: "select", options: ["red", "green"] }, refused: "blue", accepted: "red" },
    fix: "Choose from the list in `expected`.",
  },
  duplicate_item: {
    meaning: "The same choice is given twice.",
    example: {
      field: { type: "multi_select", options: ["a", "b"] },
      refused: ["a", "a"],
      accepted: ["a", "b"],
    },
    fix: "Give every choice once.",
  },
  min_items: {
    meaning: "Too few choices are given.",
    example: {
      field: { type: "multi_select", options: ["a", "b"], validation: { minItems: 2 } },
      refused: ["a"],
      accepted: ["a", "b"],
    },
    fix: "Give at least as many choices as `expected` says.",
  },
  max_items: {
    meaning: "Too many choices are given.",
    example: {
      field: { type: "multi_select", options: ["a", "b"], validation: { maxItems: 1 } },
      refused: ["a", "b"],
      accepted: ["b"],
    },
    fix: "Give at most as many choices as `expected` says.",
  },
  incomplete_ranking: {
    meaning: "Every choice must be ranked, and at least one is left out.",
    example: {
      field: { type: "ranking", options: ["a", "b"], validation: { rankAll: true } },
      refused: ["b"],
      accepted: ["b", "a"],
    },
    fix: "Rank every choice in `expected`, each once.",
  },
  required_part: {
    meaning: "A part of the address that the form asks for is absent or empty; `constraint` names the part.",
    example: {
      field: { type: "address", validation: { requiredParts: ["city"] } },
      refused: { line1: "1 Main Street" },
      accepted: { line1: "1 Main Street", city: "Springfield" },
    },
    fix: "Fill in every part that `expected` lists.",
  },
  incomplete_matrix: {
    meaning: "Every row must be answered, and at least one is not.",
    example: {
      field: {
        type: "matrix",
        rows: ["speed", "price"],
        columns: ["good", "bad"],
        validation: { allRows: true },
      },
      refused: { speed: "good" },
      accepted: { speed: "good", price: "bad" },
    },
    fix: "Answer the rows in `expected` too.",
  },
} as const satisfies Record<string, CodeEntry>;

/** A stable per-field code. */
export type FieldCode = keyof typeof fieldCodes;
