/** Forms that ask a person for values, in the JSON Schema of MCP's elicitation in form mode. */
import type { CompiledForm, Field } from "../../fields/compile.ts";
import { flatSchemaOf } from "../../fields/presentation.ts";
import type { Schema } from "../../platform/http/operation.ts";
import { cut, type Elicited, withMarkedTexts } from "./tool.ts";

function propertyOf(field: Field): Schema | undefined {
  const { id, label, definition } = field;
  // A client keeps the entered values in its transcript.
  if (definition.sensitive === true) return undefined;
  const { description } = definition;
  const schema = flatSchemaOf(field);
  return (
    schema &&
    (withMarkedTexts(
      { title: label || id, ...(typeof description === "string" && { description }), ...schema },
      cut,
    ) as Schema)
  );
}

/** Schema for fields; undefined if one is not flat, or sensitive. @param required ids of required fields */
export function requestedSchemaOf(form: CompiledForm, ids: readonly string[], required = ids) {
  const properties: Record<string, Schema> = {};
  for (const id of ids) {
    const field = form.field(id);
    const property = field && propertyOf(field);
    if (!property) return undefined;
    properties[id] = property;
  }
  return { type: "object" as const, properties, required: [...required] };
}

/** State of the rounds of one call, besides the URL of a page. */
export interface Rounds {
  /** Ids of the fields that the last round asked for. */
  ids: readonly string[];
  /** Ids of the fields of earlier rounds. */
  earlier: readonly string[];
  /** Values that a person entered in earlier rounds. */
  entered: Readonly<Record<string, unknown>>;
  /** From 1. */
  round: number;
}

/** Own members only, also `__proto__`. */
const merged = (...parts: unknown[]): Record<string, unknown> => Object.assign(Object.create(null), ...parts);

/** Values that a person entered in all rounds, only for requested fields. */
export const enteredIn = ({ remembered, content }: Elicited): Record<string, unknown> => {
  const { ids, entered } = remembered as unknown as Rounds;
  return merged(entered, Object.fromEntries(Object.entries(content).filter(([id]) => ids.includes(id))));
};

/** Returns the data with the entered values, without those that no longer apply because of others. */
export function withEntered(form: CompiledForm | undefined, data: unknown, elicited: Elicited) {
  const entered = enteredIn(elicited);
  const all = merged(data, entered);
  for (const id of form?.validate(all).logic?.hidden ?? []) if (Object.hasOwn(entered, id)) delete all[id];
  return all;
}

/** Ids of the fields to ask for next. */
export interface Questions {
  /** Required fields without a value. */
  required: string[];
  /** Optional fields that apply because of the entered values: the agent could not know of them. */
  opened: string[];
}

/** Returns the questions that no round has asked yet. @param data with the entered values */
export function nextQuestions(
  form: CompiledForm,
  data: Record<string, unknown>,
  elicited: Elicited | undefined,
): Questions {
  if (!elicited) return { required: form.missing(data), opened: [] };
  const { ids, earlier } = elicited.remembered as unknown as Rounds;
  const asked = new Set([...ids, ...earlier]);
  const { missing, logic } = form.validate(data);
  const before = merged(data);
  for (const id of asked) delete before[id];
  const known = new Set(form.validate(before).logic?.applicable);
  const isOpened = (id: string) =>
    !known.has(id) &&
    !asked.has(id) &&
    !missing.includes(id) &&
    !Object.hasOwn(data, id) &&
    form.logicOf(id)?.compute === undefined &&
    requestedSchemaOf(form, [id]) !== undefined;
  return {
    required: missing.filter((id) => !asked.has(id)),
    opened: logic?.applicable.filter(isOpened) ?? [],
  };
}
