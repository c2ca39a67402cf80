/** Types whose value is text. `hidden` also accepts numbers and booleans. */
import { type } from "arktype";
import { clause } from "../clauses.ts";
import type { ConstraintRule, Constraints, Scalar } from "../constraints.ts";
import { count, finite, textConstraint } from "../constraints.ts";
import type { FieldType, IssueFactory, JsonSchema, ValueCheck } from "../field-type.ts";
import { jsonType, looser, valueCheck } from "../field-type.ts";
import { emailPattern, isDomain, isEmail, isHttpUrl, maxEmailLength } from "../formats.ts";
import { maxTextLength, patternRule, patternSearch, textLimit, toEcma } from "../pattern.ts";
import { isDialCountry, isPhone, phoneExample } from "../phone.ts";
import { boundsHint, type Presentation, unasked } from "../presentation.ts";
import { isLonger, isShorter } from "../values.ts";

const lengths = { minLength: count, maxLength: count, pattern: patternRule };

/** Checks the pattern, then lengths. The pattern engine gets no text beyond its limit. */
function textChecks({ minLength = 0, maxLength, pattern }: Constraints, issue: IssueFactory) {
  const checks: ValueCheck<string>[] = [];
  let limit = maxLength ?? Number.POSITIVE_INFINITY;
  if (pattern !== undefined) {
    const matches = patternSearch(pattern);
    const searchLimit = textLimit(pattern);
    limit = Math.min(limit, searchLimit);
    const mismatch = issue("pattern", "Must match the form's pattern.", "pattern", pattern);
    checks.push(valueCheck((text) => isLonger(text, searchLimit) || matches(text), mismatch));
  }
  // Empty text is never checked, so that a value has at least one character.
  if (minLength > 1) {
    const message = `Must have at least ${minLength} characters.`;
    const tooShort = issue("min_length", message, "minLength", minLength);
    checks.push(valueCheck((text) => !isShorter(text, minLength), tooShort));
  }
  if (Number.isFinite(limit)) {
    const tooLong = issue("max_length", `Must have at most ${limit} characters.`, "maxLength", limit);
    checks.push(valueCheck((text) => !isLonger(text, limit), tooLong));
  }
  return checks;
}

interface Format {
  isValid: (text: string) => boolean;
  message: string;
  expected: string;
  patterns: string[];
  maxLength?: number;
  /** Requirement that no keyword can express. */
  requirement?: string;
  /** A value of the format, if its keywords do not show it. */
  sample?: string;
}

function textSchema({ minLength, maxLength, pattern }: Constraints, format?: Format): JsonSchema {
  const ecma = pattern === undefined ? undefined : toEcma(pattern);
  const searchLimit = pattern === undefined ? undefined : textLimit(pattern);
  const longest = [maxLength, format?.maxLength, searchLimit].filter((limit) => limit !== undefined);
  const hasOwnRules = (minLength ?? maxLength ?? pattern) !== undefined;
  const patterns = [...(format?.patterns ?? []), ecma].filter((source) => source !== undefined);
  return {
    type: "string",
    minLength: minLength || undefined,
    maxLength: longest.length > 0 ? Math.min(...longest) : undefined,
    ...(patterns.length > 1 ? { allOf: patterns.map((pattern) => ({ pattern })) } : { pattern: patterns[0] }),
    ...looser(
      format?.requirement,
      pattern !== undefined && ecma === undefined && `the RE2 expression ${pattern}`,
    ),
    examples: format?.sample !== undefined && !hasOwnRules ? [format.sample] : undefined,
  };
}

const flatText =
  (format?: string) =>
  ({ minLength, maxLength }: Constraints): JsonSchema => ({ type: "string", minLength, maxLength, format });

const lengthHint: Presentation["hints"] = (
  { constraints: { minLength = 0, maxLength }, ownerSet },
  words,
) => [
  boundsHint(
    words.length,
    minLength > 1 ? minLength : undefined,
    ownerSet.has("maxLength") ? maxLength : undefined,
  ),
];

const text: FieldType<string> = {
  nature: "text",
  ...jsonType("text", "string", type("string")),
  aliases: ["string", "short_text", "textfield"],
  meaning: "Text.",
  example: { field: { minLength: 2, maxLength: 80, pattern: "^[A-Z]" }, value: "Ada" },
  constraints: lengths,
  hints: lengthHint,
  flatSchema: flatText(),
  checkable: "constrained",
  checks: textChecks,
  jsonSchema: (constraints) => textSchema(constraints),
  hint: "a JSON string",
};

const textarea: FieldType<string> = {
  ...text,
  aliases: ["long_text", "paragraph"],
  meaning: `Text of several lines, of at most ${maxTextLength.toLocaleString("en")} characters unless set.`,
  example: { field: { minLength: 2, maxLength: 2000, pattern: "\\S" }, value: "First line\nSecond line" },
  defaults: { maxLength: maxTextLength },
};

/** Text with its own format, which is checked before the owner's constraints. Its hints come last. */
const formatted = (
  own: Pick<FieldType<string>, "aliases" | "meaning" | "example" | "constraints"> &
    Partial<Pick<FieldType<string>, "checks" | "hints" | "flatSchema">>,
  formatOf: (constraints: Constraints) => Format,
): FieldType<string> => ({
  ...text,
  aliases: own.aliases,
  meaning: own.meaning,
  example: own.example,
  constraints: { ...lengths, ...own.constraints },
  hints: (field, words) => [...lengthHint(field, words), ...(own.hints?.(field, words) ?? [])],
  flatSchema: own.flatSchema ?? text.flatSchema,
  checkable: true,
  checks: (constraints, issue, required) => {
    const { isValid, message, expected } = formatOf(constraints);
    return [
      valueCheck(isValid, issue("format", message, "format", expected)),
      ...(own.checks?.(constraints, issue, required) ?? []),
      ...textChecks(constraints, issue),
    ];
  },
  jsonSchema: (constraints) => textSchema(constraints, formatOf(constraints)),
});

/** JSON Schema has no flag for case. */
const domainPattern = (domains: readonly string[]): string => {
  const anyCase = domains.map((domain) =>
    domain
      .replaceAll(".", "\\.")
      .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`),
  );
  return `@(?:${anyCase.join("|")})$`;
};

const domains: ConstraintRule = {
  invalid: (list) => {
    if (!Array.isArray(list) || list.length === 0) return clause("domains");
    const wrong = list.findIndex((domain) => typeof domain !== "string" || !isDomain(domain));
    return wrong < 0 ? undefined : clause("domain", { entry: wrong + 1 });
  },
  schema: { type: "array", minItems: 1, items: { type: "string" } },
};

const email = formatted(
  {
    aliases: [],
    meaning: `Text: an e-mail address of at most ${maxEmailLength} characters.`,
    example: {
      field: { minLength: 6, maxLength: 100, pattern: "^ada", allowedDomains: ["example.com"] },
      value: "ada@example.com",
    },
    constraints: { allowedDomains: domains },
    hints: ({ constraints: { allowedDomains } }, words) => [allowedDomains && words.domains(allowedDomains)],
    flatSchema: flatText("email"),
    checks: ({ allowedDomains }, issue) => {
      if (allowedDomains === undefined) return [];
      const allowed = new Set(allowedDomains.map((domain) => domain.toLowerCase()));
      const isAllowed = (text: string) => allowed.has(text.slice(text.lastIndexOf("@") + 1).toLowerCase());
      const message = "Must be an address at an allowed domain.";
      const wrongDomain = issue("domain_not_allowed", message, "allowedDomains", allowedDomains);
      return [valueCheck((text) => isAllowed(text) || !isEmail(text), wrongDomain)];
    },
  },
  ({ allowedDomains }) => ({
    isValid: isEmail,
    message: "Must be an e-mail address.",
    expected: "an e-mail address, such as ada@example.com",
    patterns: [emailPattern.source, ...(allowedDomains ? [domainPattern(allowedDomains)] : [])],
    maxLength: maxEmailLength,
  }),
);

const samplePhone = "+12133734253";
const phone: FieldType<string> = {
  work: 300, // 20 µs
  ...formatted(
    {
      aliases: ["tel", "phone_number"],
      meaning:
        "Text: a possible phone number, international with `+`, without letters and extension. Stored as sent.",
      example: {
        field: { minLength: 5, maxLength: 20, pattern: "^[+0]", country: "DE" },
        value: samplePhone,
      },
      constraints: {
        country: textConstraint(isDialCountry, clause("dial_country"), { pattern: "^[A-Z]{2}$" }),
      },
      hints: ({ constraints: { country } }, words) => {
        const { national, international } = phoneExample(country ?? words.phoneCountry);
        return [words.phone(international, country === undefined ? undefined : national)];
      },
    },
    ({ country }) => {
      const national = country === undefined ? "" : `, or a national number of ${country}`;
      const expected = `an international number, such as ${samplePhone}${national}`;
      const asDialled = country === undefined ? "" : ` or as dialled in ${country}`;
      return {
        isValid: (text) => isPhone(text, country),
        message: `Must be a phone number without letters or extension: ${expected}.`,
        expected,
        patterns: ["^[^\\p{L};#,~*]+$"],
        requirement: `a possible phone number, international with +${asDialled}`,
        sample: samplePhone,
      };
    },
  ),
};

const url = formatted(
  {
    aliases: ["uri", "website"],
    meaning: "Text: an absolute http or https URL.",
    example: {
      field: { minLength: 10, maxLength: 200, pattern: "^https:" },
      value: "https://example.com/page",
    },
    constraints: {},
    hints: (_, words) => [words.url],
    flatSchema: flatText("uri"),
  },
  () => ({
    isValid: isHttpUrl,
    message: "Must be an absolute http or https URL.",
    expected: "a URL, such as https://example.com/page",
    patterns: ["^[hH][tT][tT][pP][sS]?:\\/\\/[^\\s\\p{Cc}\\/\\\\?#][^\\s\\p{Cc}]*$"],
    requirement: "a URL that the WHATWG URL standard parses",
  }),
);

const hiddenTypes = ["string", "number", "boolean"];
const hidden: FieldType<Scalar> = {
  ...unasked,
  nature: "any",
  ...jsonType("text, a number, or true or false", { type: hiddenTypes }, type("string | boolean").or(finite)),
  aliases: [],
  meaning:
    "Text, a number, or true or false, which no page shows. There its value is its `default`, or that of the query with `prefill: true`; what a post says of it otherwise is ignored.",
  example: { field: { minLength: 2, maxLength: 80, pattern: "^c" }, value: "campaign-7" },
  constraints: lengths,
  checkable: "constrained",
  checks: (constraints, issue) =>
    textChecks(constraints, issue).map(
      (check) => (value) => (typeof value === "string" ? check(value) : undefined),
    ),
  jsonSchema: (constraints) => ({ ...textSchema(constraints), type: hiddenTypes }),
  hint: "a JSON string, number, true or false",
};

export const textTypes = { text, textarea, email, phone, url, hidden };
