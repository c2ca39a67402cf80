/**
 * A form as JSON Schema 2020-12 over a submission's `data`.
 *
 * It never refuses what the form takes. Where it takes more than the form does, the field's `$comment` begins with "Looser" and says what
 * the form asks besides; without such a comment the two agree. Patterns are ECMA-262 with the `u` flag, as JSON Schema recommends; the
 * formats `date` and `date-time` are to be asserted, and `multipleOf` is exact on decimals, as JSON Schema means it.
 */
import { ADDRESS_PARTS, type Constraints, valuesOf } from "./constraints.ts";
import { type Field, isRecord, parseField } from "./definition.ts";
import { COUNTRIES, EMAIL } from "./formats.ts";
import { textLimit, toEcma } from "./pattern.ts";

type Fragment = Record<string, unknown>;

/** What counts as no answer: an optional field takes it, a required one does not. */
const definitions = {
  empty: {
    anyOf: [
      { type: "null" },
      { type: "string", pattern: "^\\s*$" },
      { type: "array", maxItems: 0 },
      { type: "object", maxProperties: 0 },
    ],
  },
  emptyInParts: {
    anyOf: [{ $ref: "#/$defs/empty" }, { type: "object", additionalProperties: { $ref: "#/$defs/empty" } }],
  },
};

/** An empty part of an answer. */
const blank = { type: ["string", "null"], pattern: "^\\s*$" };
const filled = { type: "string", pattern: "\\S" };

/** "Looser" and what the form asks besides, if it does. */
const looser = (...besides: (string | false | undefined)[]): Fragment => {
  const said = besides.filter(Boolean);
  return said.length === 0
    ? {}
    : { $comment: `Looser than the form, which also asks for ${said.join("; ")}.` };
};

/** Text with the owner's limits, and with a notation: patterns of its own, its longest text, and what no keyword says of it. */
function textual(
  { minLength, maxLength = Number.POSITIVE_INFINITY, pattern }: Constraints,
  notation: { patterns?: string[]; maxLength?: number; besides?: string } = {},
): Fragment {
  const ecma = pattern === undefined ? undefined : toEcma(pattern);
  const longest = Math.min(
    maxLength,
    notation.maxLength ?? Number.POSITIVE_INFINITY,
    pattern === undefined ? Number.POSITIVE_INFINITY : textLimit(pattern),
  );
  const patterns = [...(notation.patterns ?? []), ...(ecma === undefined ? [] : [ecma])];
  return {
    type: "string",
    ...(minLength && { minLength }),
    ...(Number.isFinite(longest) && { maxLength: longest }),
    ...(patterns.length === 1
      ? { pattern: patterns[0] }
      : patterns.length > 1 && { allOf: patterns.map((pattern) => ({ pattern })) }),
    ...looser(
      notation.besides,
      pattern !== undefined && ecma === undefined && `the RE2 expression ${pattern}`,
    ),
  };
}

const atDomain = (domains: readonly string[]): string => {
  const written = domains.map((domain) =>
    domain
      .replaceAll(".", "\\.")
      .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`),
  );
  return `@(?:${written.join("|")})$`;
};

const numeric =
  (type: "number" | "integer") =>
  ({ minimum, maximum, multipleOf }: Constraints): Fragment => ({
    type,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(multipleOf !== undefined && { multipleOf }),
  });

/** Days and times; JSON Schema has no order of them. */
const calendar =
  (notation: Fragment, besides?: string) =>
  ({ minimum, maximum }: Constraints): Fragment => ({
    type: "string",
    ...notation,
    ...looser(
      besides,
      minimum !== undefined && `${minimum} or later`,
      maximum !== undefined && `${maximum} or earlier`,
    ),
  });

/** One option's value; with `allowOther` any value of the options' JSON types, or text. */
function choice({ options, allowOther }: Constraints): Fragment {
  const values = valuesOf(options);
  if (allowOther !== true) return { enum: values };
  return { type: [...new Set(["string", ...values.map((value) => typeof value)])], examples: values };
}

function choices(limits: Constraints): Fragment {
  const { minItems = 0, maxItems, rankAll, options = [] } = limits;
  const least = Math.max(minItems, rankAll === true ? options.length : 0);
  return {
    type: "array",
    items: choice(limits),
    uniqueItems: true,
    ...(least > 0 && { minItems: least }),
    ...(maxItems !== undefined && { maxItems }),
  };
}

function address({ requiredParts = [] }: Constraints): Fragment {
  const parts = ADDRESS_PARTS.map((part): [string, Fragment] => {
    const needed = requiredParts.includes(part);
    if (part === "country")
      return [part, needed ? { enum: COUNTRIES } : { anyOf: [blank, { enum: COUNTRIES }] }];
    return [part, needed ? filled : { type: ["string", "null"] }];
  });
  return {
    type: "object",
    properties: Object.fromEntries(parts),
    required: requiredParts,
    additionalProperties: false,
  };
}

function matrix({ rows, columns, allRows = false }: Constraints): Fragment {
  const rowIds = valuesOf(rows) as string[];
  const one = { enum: valuesOf(columns) };
  const several = { type: "array", items: one, uniqueItems: true };
  const cell = allRows ? { anyOf: [one, { ...several, minItems: 1 }] } : { anyOf: [blank, one, several] };
  return {
    type: "object",
    properties: Object.fromEntries(rowIds.map((row) => [row, cell])),
    ...(allRows && { required: rowIds }),
    additionalProperties: false,
  };
}

/** By the type's canonical name. */
const values: Record<string, (constraints: Constraints, required: boolean) => Fragment> = {
  text: (limits) => textual(limits),
  textarea: (limits) => textual(limits),
  email: (limits) =>
    textual(limits, {
      patterns: [EMAIL.source, ...(limits.allowedDomains ? [atDomain(limits.allowedDomains)] : [])],
      maxLength: 254,
    }),
  phone: (limits) =>
    textual(limits, {
      patterns: ["^[^\\p{L};#,~*]+$"],
      besides: `a possible phone number, international with +${limits.country === undefined ? "" : ` or as dialled in ${limits.country}`}`,
    }),
  url: (limits) =>
    textual(limits, {
      patterns: ["^[hH][tT][tT][pP][sS]?:\\/\\/[^\\s\\p{Cc}\\/\\\\?#][^\\s\\p{Cc}]*$"],
      besides: "a URL that the WHATWG URL standard parses",
    }),
  number: numeric("number"),
  integer: numeric("integer"),
  rating: numeric("integer"),
  boolean: () => ({ type: "boolean" }),
  consent: (_limits, required) => (required ? { const: true } : { type: "boolean" }),
  select: choice,
  multi_select: choices,
  ranking: choices,
  date: calendar({ format: "date" }),
  time: calendar({ pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?$" }),
  datetime: calendar(
    {
      format: "date-time",
      pattern: "^[^tT\\s]+[tT]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:[zZ]|[+\\-]\\d\\d:\\d\\d)$",
    },
    "leap seconds at the end of a month only",
  ),
  address,
  matrix,
  hidden: (limits) => ({ ...textual(limits), type: ["string", "number", "boolean"] }),
};

/** What people and models read: the owner's words. */
function words({ label, definition }: Field): Fragment {
  const { description, agentHint, default: preset } = definition;
  const told = [description, agentHint].filter((text) => typeof text === "string" && text !== "");
  return {
    ...(label !== "" && { title: label }),
    ...(told.length > 0 && { description: told.join("\n") }),
    ...(preset !== undefined && { default: preset }),
  };
}

function property(field: Field): Fragment {
  const { kind = "", constraints, required } = field;
  if (kind === "statement") return { ...words(field), $ref: "#/$defs/empty" };
  const empty = { $ref: kind === "address" || kind === "matrix" ? "#/$defs/emptyInParts" : "#/$defs/empty" };
  const value = Object.hasOwn(values, kind) ? values[kind]?.(constraints, required) : undefined;
  if (value === undefined) return { ...words(field), ...(required && { not: empty }) };
  if (required) return { ...words(field), ...value, not: empty };
  const { $comment, ...rest } = value;
  return { ...words(field), ...($comment !== undefined && { $comment }), anyOf: [empty, rest] };
}

/**
 * The JSON Schema of a published version's `data`, as submit judges it: without `partial`, and keys that the form does not have are
 * refused. Never throws; of equal ids the first one counts, as for the form itself.
 */
export function jsonSchemaOf(schema: { fields: readonly unknown[] }): Fragment {
  const fields = new Map<string, Field>();
  for (const definition of schema.fields) {
    if (!isRecord(definition)) continue;
    const { field } = parseField(definition);
    if (!fields.has(field.id)) fields.set(field.id, field);
  }
  const inOrder = [...fields.values()];
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $comment:
      "Of any field the form also refuses numbers that a double cannot hold exactly (beyond ±2^53), text with U+0000 or half of a surrogate pair, and megabytes of text for patterns.",
    type: "object",
    properties: Object.fromEntries(inOrder.map((field) => [field.id, property(field)])),
    required: inOrder.filter(({ kind, required }) => required && kind !== "statement").map(({ id }) => id),
    additionalProperties: false,
    $defs: definitions,
  };
}
