/** The definition of a field as JSON Schemas, one per type, generated from the table that the engine uses. */
import { maxRuleMessageLength, maxRules } from "../../fields/conditions/logic.ts";
import { choiceConstraints } from "../../fields/constraints.ts";
import { listNames } from "../../fields/named-lists.ts";
import { type FieldKind, fieldTypes, rulesOf } from "../../fields/types.ts";
import { limits } from "../../limits.ts";
import type { Schema } from "../../platform/http/operation.ts";

const text = (description: string): Schema => ({ type: ["string", "null"], description });

/** Members of fields of all types (specification, "Form": `schema`). */
export const FieldBase = {
  type: "object",
  properties: {
    id: {
      type: "string",
      minLength: 1,
      maxLength: limits.form.maxFieldIdLength,
      description: "Unique within the form; the key in a submission's `data`.",
    },
    label: { type: "string", pattern: "\\S", description: "Shown to the respondent." },
    required: { type: ["boolean", "null"], description: "`true`: an empty value is an error." },
    description: text("A longer text for the respondent."),
    placeholder: text("Shown in an empty input."),
    help: text("Shown beside the input."),
    showIf: text(
      "A condition in CEL over the fields before, such as `data.country == 'DE'`: without it the field is not asked for. Of a `page_break`, it is about the step.",
    ),
    requireIf: text("A condition in CEL: while it holds, an empty value is an error."),
    compute: text("A calculation in CEL: the server makes the value, such as `data.price * data.quantity`."),
    rules: {
      type: ["array", "null"],
      maxItems: maxRules,
      items: {
        type: "object",
        properties: {
          rule: { type: "string", description: "A condition in CEL over this field and those before." },
          message: { type: "string", pattern: "\\S", maxLength: maxRuleMessageLength },
        },
        required: ["rule", "message"],
        additionalProperties: false,
      },
      description: "A rule that is false is an error with its message.",
    },
    default: {
      description: "Offered as a value; the server fills it in only for a `hidden` field of a page.",
    },
    prefill: {
      type: ["boolean", "null"],
      description: "`true`: the query of the form's page can give the value, `/f/{id}?{field id}=…`.",
    },
    sensitive: {
      type: ["boolean", "null"],
      description:
        "`true`: the value is never in a mail, a link or what a page keeps, and no chat client asks for it.",
    },
    pii: {
      type: ["boolean", "null"],
      description:
        "`true`: the field asks for personal data, such as a name. The console then advises to delete submissions after a time.",
    },
    translations: {
      type: ["object", "null"],
      additionalProperties: { type: ["object", "null"], additionalProperties: true },
      description:
        "The texts in other languages, by BCP 47 tag: `label`, `description`, `help`, `placeholder`, `minimumLabel`, `maximumLabel`; `options`, `rows`, `columns` by value or id; `messages` of `rules` in their order.",
    },
    agentHint: { description: "A hint for agents; part of the form's JSON Schema." },
  },
  required: ["id", "label"],
  additionalProperties: true,
} satisfies Schema;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** `multi_select` → `MultiSelectField`. */
const schemaName = (kind: string): string =>
  `${kind.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Field`;

function schemaOf(kind: FieldKind): Schema {
  const { meaning, aliases } = fieldTypes[kind];
  const rules = rulesOf(kind).map(
    ({ name, schema, meaning, takesListName }) =>
      [
        name,
        { ...(takesListName ? { anyOf: [schema, { enum: listNames }] } : schema), description: meaning },
      ] as const,
  );
  return {
    description: meaning,
    allOf: [
      ref("FieldBase"),
      {
        type: "object",
        properties: {
          type: { enum: [kind, ...aliases] },
          ...Object.fromEntries(rules.filter(([name]) => choiceConstraints.has(name))),
          validation: {
            type: ["object", "null"],
            properties: Object.fromEntries(rules),
            // Not additionalProperties: a typed client would accept `min` as a custom rule of the owner.
            propertyNames: { pattern: `^(?:${[...rules.map(([name]) => `${name}$`), "x-"].join("|")})` },
          },
        },
        required: ["type"],
        additionalProperties: true,
      },
    ],
  };
}

/** The schemas by their names in the OpenAPI document: `FormField` is the union of all types. */
export function fieldSchemas(): Record<string, Schema> {
  const types = (Object.keys(fieldTypes) as FieldKind[]).map(
    (kind) => [schemaName(kind), schemaOf(kind)] as const,
  );
  return {
    FieldBase,
    ...Object.fromEntries(types),
    FormField: {
      description:
        "A field that can be published, by its `type`. (A field of a custom type, `x-…`, can be published too; its schema is DraftField.)",
      anyOf: types.map(([name]) => ref(name)),
    },
  };
}

const words: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const texts: Schema = { type: "array", items: words };
/** One type, as tools need it, though the name of a list is taken too. */
const choices: Schema = {
  type: "array",
  items: { type: "object", properties: { value: words, label: words }, required: ["value"] },
  description: `Or the name of a list: ${listNames.join(", ")}.`,
};

/** A field in the arguments of a tool, shortly: models have a limit on all tools together. */
export const toolField = {
  type: "object",
  description: "`get_field_types` has the types with their rules, the other members and examples.",
  properties: {
    id: words,
    type: { enum: Object.keys(fieldTypes) },
    label: words,
    required: flag,
    description: words,
    options: choices,
    rows: texts,
    columns: texts,
    showIf: { type: "string", description: "CEL, such as `data.country == 'DE'`." },
    requireIf: words,
    compute: words,
    validation: {
      type: "object",
      properties: {
        ...{ minLength: { type: "integer" }, maxLength: { type: "integer" }, pattern: words },
        ...{ minimum: { type: "number" }, maximum: { type: "number" }, multipleOf: { type: "number" } },
        ...{ minItems: { type: "integer" }, maxItems: { type: "integer" }, allowOther: flag },
      },
    },
  },
  required: ["id"],
} satisfies Schema;
