/**
 * A form as JSON Schema 2020-12 over a submission's `data`.
 *
 * It never rejects a value that the form accepts. If it accepts more, the field's `$comment` begins with
 * "Looser" and names the further requirements of the form. Without such a comment the two agree. Patterns are
 * ECMA-262 with the `u` flag, as JSON Schema recommends; the formats `date` and `date-time` must be asserted,
 * and `multipleOf` is exact on decimals, as JSON Schema defines it.
 */
import { describe, type Names } from "./conditions/describe.ts";
import { compileExpression, scopeOf } from "./conditions/evaluate.ts";
import { schemaWhere } from "./conditions/json-schema.ts";
import { type Formula, type Logic, parseLogic } from "./conditions/logic.ts";
import { type Field, parseFields } from "./definition.ts";
import type { JsonSchema } from "./field-type.ts";
import { limitsText } from "./option-limits.ts";
import { isBlankText } from "./values.ts";

/**
 * The pattern of a blank text. Its characters are listed up to U+FFFF, since validators without the flag `u`,
 * or in other languages, accept neither `\p{…}` nor `\u{…}`; $comment of the schema names the others.
 */
function makeBlankPattern(): string {
  const escaped = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
  let listed = "";
  let first: number | undefined;
  for (let code = 0; code <= 0x1_0000; code++) {
    const text = String.fromCharCode(code);
    const isListed = code < 0x1_0000 && isBlankText(text) && !/\s/.test(text);
    if (isListed) first ??= code;
    else if (first !== undefined) {
      listed += escaped(first) + (code - first > 1 ? `-${escaped(code - 1)}` : "");
      first = undefined;
    }
  }
  return `^[\\s${listed}]*$`;
}

/** Empty values: an optional field accepts them, a required one does not. */
const makeDefinitions = (blank = { $ref: "#/$defs/blank" }) => ({
  blank: { type: "string", pattern: makeBlankPattern() },
  empty: {
    anyOf: [{ type: "null" }, blank, { type: "array", items: blank }, { type: "object", maxProperties: 0 }],
  },
  emptyInParts: {
    anyOf: [{ $ref: "#/$defs/empty" }, { type: "object", additionalProperties: { $ref: "#/$defs/empty" } }],
  },
});
let made: JsonSchema | undefined;
function definitions(): JsonSchema {
  made ??= makeDefinitions();
  return made;
}

function annotations(field: Field, logic?: Logic): JsonSchema {
  const { label, definition, required } = field;
  const { description, agentHint, default: defaultValue } = definition;
  const texts = [description, agentHint, logic && askedWhen(logic, required), limitsText(field)].filter(
    (text) => typeof text === "string" && text !== "",
  );
  return { title: label || undefined, description: texts.join("\n") || undefined, default: defaultValue };
}

/** Names by ids, which are what an agent sends. */
const names: Names = { field: (id) => id, option: (_, value) => JSON.stringify(value) };

/** Text "Asked when …", for clients that read `description` only. */
function askedWhen({ showIf, requireIf, compute }: Logic, isRequired: boolean): string {
  const describeFormula = ({ source, expression }: Formula) => describe(expression, names) ?? `\`${source}\``;
  return [
    showIf.length > 0 && `Asked when ${showIf.map(describeFormula).join(", and ")}.`,
    isRequired && showIf.length > 0 && "Required when it is asked.",
    requireIf && `Required when ${describeFormula(requireIf)}.`,
    compute && `Calculated by the server: \`${compute.source}\`. Leave it out.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function property(field: Field, logic: Logic | undefined, comments: readonly string[]): JsonSchema {
  const { constraints, fieldType: type } = field;
  const isRequired = field.required && !logic?.showIf.length;
  const empty = emptyOf(field);
  if (type.nature === "none") return { ...annotations(field, logic), ...empty };
  const { $comment, examples, ...value } = type.jsonSchema(constraints, field.required);
  const acceptsAnything = Object.keys(value).length === 0;
  const unsaid = limitsText(field) ? [...comments, "an option that is not full"] : comments;
  return {
    ...annotations(field, logic),
    $comment: withComments($comment, unsaid),
    examples,
    ...(isRequired ? { ...value, not: empty } : !acceptsAnything && { anyOf: [empty, value] }),
  };
}

const emptyOf = ({ fieldType }: Field): JsonSchema => ({
  $ref: fieldType.nature === "parts" ? "#/$defs/emptyInParts" : "#/$defs/empty",
});

const looserStart = "Looser than the form, which also requires ";
function withComments(comment: unknown, comments: readonly string[]): string | undefined {
  const stated = typeof comment === "string" ? comment.slice(looserStart.length, -1) : undefined;
  const all = [...(stated === undefined ? [] : [stated]), ...comments];
  return all.length === 0 ? undefined : `${looserStart}${all.join("; ")}.`;
}

const implies = (condition: JsonSchema, yes: JsonSchema | undefined, no?: JsonSchema): JsonSchema =>
  Object.fromEntries([
    ["if", condition],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ["then", yes],
    ["else", no],
  ]);

/** Additions for a field with logic: schemas of the whole data, and rules that no schema can express. */
function dependencies(
  field: Field,
  { showIf, requireIf, compute, rules }: Logic,
  find: (id: string) => Field | undefined,
): { schemas: JsonSchema[]; comments: string[] } {
  const { id } = field;
  const comments: string[] = [];
  const schemas: JsonSchema[] = [];
  const only = (schema: JsonSchema) => ({ properties: Object.fromEntries([[id, schema]]) });
  const when = ({ source, expression }: Formula, comment: string) => {
    const schema = schemaWhere(expression, true, find);
    if (schema === undefined) comments.push(`${comment} \`${source}\``);
    return schema;
  };
  const shown = showIf.map((formula) => when(formula, "no value unless"));
  const applies = shown.every((each) => each !== undefined) ? { allOf: [true, ...shown] } : undefined;
  const isRequired = field.required && showIf.length > 0;
  const present = { required: [id], ...only({ not: emptyOf(field) }) };
  if (applies && showIf.length > 0)
    schemas.push(implies(applies, isRequired ? present : undefined, only(emptyOf(field))));
  else if (isRequired && !applies) comments.push("a value whenever it is asked for");
  if (field.fieldType.nature === "none") return { schemas, comments: [] };
  if (requireIf) {
    const needed = when(requireIf, "a value if");
    if (needed !== undefined && applies) schemas.push(implies({ allOf: [applies, needed] }, present));
    else if (needed !== undefined) comments.push(`a value if \`${requireIf.source}\``);
  }
  for (const { formula, message } of rules) {
    const fails = applies && schemaWhere(formula.expression, false, find);
    if (!applies || fails === undefined) comments.push(`\`${formula.source}\` (${message})`);
    else schemas.push(implies(applies, { not: fails }));
  }
  if (compute) {
    const constant =
      compute.reads.length === 0 && showIf.length === 0
        ? compileExpression(compute.expression)(scopeOf(Object.create(null)))
        : undefined;
    if (constant !== undefined) schemas.push(only({ anyOf: [emptyOf(field), { const: constant }] }));
    else comments.push(`the value of \`${compute.source}\`, which the server calculates, or none`);
  }
  return { schemas, comments };
}

/** The JSON Schema of a published version's `data`, as submit validates it without `partial`. */
export function jsonSchemaOf(schema: { fields: readonly unknown[] }): JsonSchema {
  const fields = parseFields(schema);
  const { fields: logic } = parseLogic(fields);
  const byId = new Map(fields.map((field) => [field.id, field]));
  const depends = new Map(
    fields.flatMap((field) => {
      const own = logic.get(field.id);
      return own ? [[field.id, dependencies(field, own, (id) => byId.get(id))] as const] : [];
    }),
  );
  const schemas = [...depends.values()].flatMap((each) => each.schemas);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $comment:
      "In any field the form also rejects numbers that a double cannot represent exactly (beyond ±2^53), text with U+0000 or a lone surrogate, and megabytes of text for patterns. Text of invisible characters beyond U+FFFF only counts as empty.",
    type: "object",
    properties: Object.fromEntries(
      fields.map((field) => [
        field.id,
        property(field, logic.get(field.id), depends.get(field.id)?.comments ?? []),
      ]),
    ),
    required: fields
      .filter(({ id, required }) => required && !logic.get(id)?.showIf.length)
      .map(({ id }) => id),
    additionalProperties: false,
    ...(schemas.length > 0 && { allOf: schemas }),
    $defs: definitions(),
  };
}
