/**
 * A form as JSON Schema 2020-12 over a submission's `data`.
 *
 * It never rejects what the form accepts. Where it accepts more than the form does, the field's `$comment`
 * begins with "Looser" and names what the form requires besides; without such a comment the two agree.
 * Patterns are ECMA-262 with the `u` flag, as JSON Schema recommends; the formats `date` and `date-time` must
 * be asserted, and `multipleOf` is exact on decimals, as JSON Schema defines it.
 */
import { type Field, parseFields } from "./definition.ts";
import type { JsonSchema } from "./field-type.ts";

/** What counts as no value: an optional field accepts it, a required one does not. */
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

/** The owner's texts for people and language models. */
function annotations({ label, definition }: Field): JsonSchema {
  const { description, agentHint, default: defaultValue } = definition;
  const texts = [description, agentHint].filter((text) => typeof text === "string" && text !== "");
  return {
    title: label || undefined,
    description: texts.join("\n") || undefined,
    default: defaultValue,
  };
}

function property(field: Field): JsonSchema {
  const { constraints, required, fieldType: type } = field;
  const empty = { $ref: type.composite ? "#/$defs/emptyInParts" : "#/$defs/empty" };
  if (type.displayOnly) return { ...annotations(field), ...empty };
  const { $comment, examples, ...value } = type.jsonSchema(constraints, required);
  const acceptsAnything = Object.keys(value).length === 0;
  return {
    ...annotations(field),
    $comment,
    examples,
    ...(required ? { ...value, not: empty } : !acceptsAnything && { anyOf: [empty, value] }),
  };
}

/**
 * The JSON Schema of a published version's `data`, as submit validates it: without `partial`, and without
 * keys that the form does not have.
 */
export function jsonSchemaOf(schema: { fields: readonly unknown[] }): JsonSchema {
  const fields = parseFields(schema);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $comment:
      "In any field the form also rejects numbers that a double cannot represent exactly (beyond ±2^53), text with U+0000 or a lone surrogate, and megabytes of text for patterns.",
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.id, property(field)])),
    required: fields.filter(({ required }) => required).map(({ id }) => id),
    additionalProperties: false,
    $defs: definitions,
  };
}
