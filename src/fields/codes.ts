import { maxTextLength } from "./pattern.ts";

interface CodeEntry {
  meaning: string;
  /** A definition without id and label, a value with this code, and one without. A test validates both. */
  example: { field: Record<string, unknown>; rejected: unknown; accepted: unknown };
  fix: string;
}

const fileExample = {
  id: "0192f0c1-7e57-7abc-8def-0123456789ab",
  name: "cv.pdf",
  size: 10,
  type: "application/pdf",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};

/** Every field code (specification, "Codes"). The page of codes and OpenAPI are generated from this table. */
export const fieldCodes = {
  required: {
    meaning:
      "A required field is absent or empty. Null, text without a visible character, [] and {} count as empty; false and 0 do not.",
    example: { field: { type: "text", required: true }, rejected: "", accepted: "Ada" },
    fix: "Send a value for the field.",
  },
  unknown_field: {
    meaning: "The form has no field with that id, or the field only shows text and accepts no value.",
    example: { field: { type: "statement" }, rejected: "hello", accepted: null },
    fix: "Remove the key, or correct its spelling. Ids are case-sensitive.",
  },
  not_applicable: {
    meaning:
      "The form asks for the field only if its condition `showIf` holds, and with these values it does not. A warning in the dry run, and an error on submit.",
    example: { field: { type: "text", showIf: "false" }, rejected: "hello", accepted: null },
    fix: "Remove the key, or send the values that the condition needs.",
  },
  rule: {
    meaning:
      "The values break a rule of the form's owner, whose words are the message. `expected` is the rule, an expression in CEL.",
    example: {
      field: { type: "text", rules: [{ rule: "data.f.startsWith('DE')", message: "Must begin with DE." }] },
      rejected: "FR1",
      accepted: "DE1",
    },
    fix: "Change this value, or another one that the rule names, so that the rule is true.",
  },
  computed: {
    meaning: "The server calculates the value of this field, and another one was sent.",
    example: { field: { type: "number", compute: "6.0 * 7.0" }, rejected: 41, accepted: 42 },
    fix: "Leave the key out, or send the value in `expected`.",
  },
  type_mismatch: {
    meaning:
      'The value does not have the JSON type of the field. Nothing is converted: "30" is not a number.',
    example: { field: { type: "number" }, rejected: "30", accepted: 30 },
    fix: "Send the JSON type named in `expected`.",
  },
  format: {
    meaning: "The value has the right JSON type, but not the format that the field's type requires.",
    example: { field: { type: "date" }, rejected: "2025-02-29", accepted: "2024-02-29" },
    fix: "Send the value in the format that `expected` describes.",
  },
  pattern: {
    meaning:
      "The text does not match the form's regular expression (RE2 syntax; it may match anywhere unless it is anchored).",
    example: {
      field: { type: "text", validation: { pattern: "^[A-Z]{2}\\d{4}$" } },
      rejected: "ab12",
      accepted: "AB1234",
    },
    fix: "Send text that matches the expression in `expected`.",
  },
  min_length: {
    meaning: "The text is too short. Lengths count Unicode code points.",
    example: { field: { type: "text", validation: { minLength: 3 } }, rejected: "ab", accepted: "abc" },
    fix: "Send at least as many characters as `expected` says.",
  },
  max_length: {
    meaning: `The text is too long. Lengths count Unicode code points. Text in a field with a pattern has at most ${maxTextLength.toLocaleString("en")}, or fewer when the pattern is large or the payload has much such text.`,
    example: { field: { type: "text", validation: { maxLength: 3 } }, rejected: "abcd", accepted: "abc" },
    fix: "Send at most as many characters as `expected` says.",
  },
  domain_not_allowed: {
    meaning: "The e-mail address has the right format, but the form does not accept its domain.",
    example: {
      field: { type: "email", validation: { allowedDomains: ["example.com"] } },
      rejected: "ada@example.org",
      accepted: "ada@example.com",
    },
    fix: "Use an address at one of the domains in `expected`.",
  },
  min_value: {
    meaning: "The number, day or time is below the minimum.",
    example: { field: { type: "number", validation: { minimum: 18 } }, rejected: 17, accepted: 18 },
    fix: "Send `expected` or more.",
  },
  max_value: {
    meaning: "The number, day or time is above the maximum.",
    example: { field: { type: "number", validation: { maximum: 10 } }, rejected: 11, accepted: 10 },
    fix: "Send `expected` or less.",
  },
  step: {
    meaning:
      "The number is not a multiple of the step. Decimals are compared exactly: 0.3 is a multiple of 0.1.",
    example: { field: { type: "number", validation: { multipleOf: 0.1 } }, rejected: 0.25, accepted: 0.3 },
    fix: "Send a multiple of `expected`.",
  },
  not_accepted: {
    meaning: "A required consent is false.",
    example: { field: { type: "consent", required: true }, rejected: false, accepted: true },
    fix: "Send true if the person has agreed.",
  },
  invalid_option: {
    meaning:
      "The value, or an item of it, is not one of the options. Options are compared by value, not by label.",
    example: { field: { type: "select", options: ["red", "green"] }, rejected: "blue", accepted: "red" },
    fix: "Send one of the values in `expected`.",
  },
  option_full: {
    meaning:
      "The option has a limit, and as many submissions of the form have it. A deleted or edited submission gives its place back.",
    example: {
      field: { type: "select", options: [{ value: "red", limit: 0 }, "green"] },
      rejected: "red",
      accepted: "green",
    },
    fix: "Send one of the values in `expected`, which are left.",
  },
  duplicate_item: {
    meaning: "An option occurs twice.",
    example: {
      field: { type: "multi_select", options: ["a", "b"] },
      rejected: ["a", "a"],
      accepted: ["a", "b"],
    },
    fix: "Send each option once.",
  },
  min_items: {
    meaning: "The list has too few items.",
    example: {
      field: { type: "multi_select", options: ["a", "b"], validation: { minItems: 2 } },
      rejected: ["a"],
      accepted: ["a", "b"],
    },
    fix: "Send at least as many items as `expected` says.",
  },
  max_items: {
    meaning: "The list has too many items.",
    example: {
      field: { type: "multi_select", options: ["a", "b"], validation: { maxItems: 1 } },
      rejected: ["a", "b"],
      accepted: ["b"],
    },
    fix: "Send at most as many items as `expected` says.",
  },
  incomplete_ranking: {
    meaning: "Every option must be ranked, and at least one is missing.",
    example: {
      field: { type: "ranking", options: ["a", "b"], validation: { rankAll: true } },
      rejected: ["b"],
      accepted: ["b", "a"],
    },
    fix: "Rank every option in `expected`, each once.",
  },
  required_part: {
    meaning: "A required part of the address is absent or empty. `constraint` names the part.",
    example: {
      field: { type: "address", validation: { requiredParts: ["city"] } },
      rejected: { line1: "1 Main Street" },
      accepted: { line1: "1 Main Street", city: "Springfield" },
    },
    fix: "Send every part in `expected`.",
  },
  incomplete_matrix: {
    meaning: "Every row must have a value, and at least one has none.",
    example: {
      field: {
        type: "matrix",
        rows: ["speed", "price"],
        columns: ["good", "bad"],
        validation: { allRows: true },
      },
      rejected: { speed: "good" },
      accepted: { speed: "good", price: "bad" },
    },
    fix: "Send a value for the rows in `expected` too.",
  },
  max_bytes: {
    meaning:
      "A file has more bytes than the field accepts. With `maxTotalBytes` as the constraint: the files of the submission have more together than it may have; with `storage`, on a page: the files of the team have no more room.",
    example: {
      field: { type: "file", validation: { maxBytes: 10 } },
      rejected: [{ ...fileExample, size: 11 }],
      accepted: [{ ...fileExample, size: 10 }],
    },
    fix: "Upload a smaller file; `expected` says how many bytes it may have. With `storage`: ask the owner.",
  },
  type_not_accepted: {
    meaning:
      "A file is of a type that the field does not accept. The content decides. With `name` as the constraint: the end of the name does not agree with it; with `minBytes`: the file is empty; with `scan`: the server's scanner found malware in it.",
    example: {
      field: { type: "file", validation: { accept: ["application/pdf"] } },
      rejected: [{ ...fileExample, type: "image/png" }],
      accepted: [{ ...fileExample, type: "application/pdf" }],
    },
    fix: "Upload a file of a type in `expected`, under a name that ends as such files do, and with content.",
  },
  upload_not_found: {
    meaning:
      "An upload does not exist, has expired, was for another field or form, is another caller's, or is a part of another submission.",
    example: { field: { type: "file" }, rejected: [{ id: fileExample.id }], accepted: [fileExample] },
    fix: "Upload the file again, and send the id that this returns.",
  },
} as const satisfies Record<string, CodeEntry>;

export type FieldCode = keyof typeof fieldCodes;
