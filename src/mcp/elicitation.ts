/** The form that asks a person for values, in the part of JSON Schema that MCP's elicitation in form mode has. */
import type { CompiledForm, Field } from "../fields/compile.ts";
import type { Constraints, Option } from "../fields/constraints.ts";
import type { FieldKind } from "../fields/types.ts";
import type { Schema } from "../http/operation.ts";

/** An option as a choice with its label; undefined for one that is no text, which form mode cannot express. */
function choiceOf(option: string | Option): { const: string; title: string } | undefined {
  if (typeof option === "string") return { const: option, title: option };
  const { value, label } = option;
  return typeof value === "string" ? { const: value, title: label ?? value } : undefined;
}

function choicesOf({ options = [] }: Constraints) {
  const choices = options.map(choiceOf);
  return choices.every((choice) => choice !== undefined) && choices.length > 0 ? choices : undefined;
}

const text = ({ minLength, maxLength }: Constraints, format?: string): Schema => ({
  type: "string",
  minLength,
  maxLength,
  format,
});
const number = (type: string, { minimum, maximum }: Constraints): Schema => ({ type, minimum, maximum });

/** The types that form mode can express; undefined: this field it cannot. */
const flat: { [K in FieldKind]?: (constraints: Constraints) => Schema | undefined } = {
  text: (constraints) => text(constraints),
  textarea: (constraints) => text(constraints),
  email: (constraints) => text(constraints, "email"),
  phone: (constraints) => text(constraints),
  url: (constraints) => text(constraints, "uri"),
  date: (constraints) => text(constraints, "date"),
  datetime: (constraints) => text(constraints, "date-time"),
  number: (constraints) => number("number", constraints),
  integer: (constraints) => number("integer", constraints),
  rating: (constraints) => number("integer", constraints),
  boolean: () => ({ type: "boolean" }),
  consent: () => ({ type: "boolean" }),
  select: (constraints) => {
    const oneOf = constraints.allowOther ? undefined : choicesOf(constraints);
    return oneOf && { type: "string", oneOf };
  },
  multi_select: (constraints) => {
    const anyOf = constraints.allowOther ? undefined : choicesOf(constraints);
    return (
      anyOf && {
        type: "array",
        items: { anyOf },
        minItems: constraints.minItems,
        maxItems: constraints.maxItems,
      }
    );
  },
};

function propertyOf({ id, kind, label, definition, constraints }: Field): Schema | undefined {
  // A client keeps what a person enters in its transcript.
  if (kind === undefined || definition.sensitive === true) return undefined;
  const { description } = definition;
  const schema = flat[kind]?.(constraints);
  return schema && { title: label || id, ...(typeof description === "string" && { description }), ...schema };
}

/** The schema of a form for these fields; undefined when one of them is not flat, or is marked as sensitive. */
export function requestedSchemaOf(form: CompiledForm, ids: readonly string[]) {
  const properties: Record<string, Schema> = {};
  for (const id of ids) {
    const field = form.field(id);
    const property = field && propertyOf(field);
    if (!property) return undefined;
    properties[id] = property;
  }
  return { type: "object" as const, properties, required: [...ids] };
}
