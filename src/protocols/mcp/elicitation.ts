/**
 * The form that asks a person for values, in the part of JSON Schema that MCP's elicitation in form mode has.
 */
import type { CompiledForm, Field } from "../../fields/compile.ts";
import { flatSchemaOf } from "../../fields/presentation.ts";
import type { Schema } from "../../platform/http/operation.ts";
import { cut, type Elicited, withMarkedTexts } from "./tool.ts";

function propertyOf(field: Field): Schema | undefined {
  const { id, label, definition } = field;
  // A client keeps what a person enters in its transcript.
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

/**
 * The schema of a form for these fields; undefined when one of them is not flat, or is marked as sensitive.
 * @param required ids of those that must have a value
 */
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

/** What the rounds of one call remember, besides the address of a page. */
export interface Rounds {
  /** Ids of the fields that the last round asked for. */
  ids: readonly string[];
  /** Ids of the fields of earlier rounds. */
  earlier: readonly string[];
  /** What a person has entered in earlier rounds. */
  entered: Readonly<Record<string, unknown>>;
  /** From 1. */
  round: number;
}

/** Own members only, also `__proto__`. */
const merged = (...parts: unknown[]): Record<string, unknown> => Object.assign(Object.create(null), ...parts);

/** What a person has entered in all rounds: of the fields that were asked for. */
export const enteredIn = ({ remembered, content }: Elicited): Record<string, unknown> => {
  const { ids, entered } = remembered as unknown as Rounds;
  return merged(entered, Object.fromEntries(Object.entries(content).filter(([id]) => ids.includes(id))));
};

/**
 * The data with what a person has entered. What no longer applies is left out: it was asked for, beside a
 * question that decides about it.
 */
export function withEntered(form: CompiledForm | undefined, data: unknown, elicited: Elicited) {
  const entered = enteredIn(elicited);
  const all = merged(data, entered);
  for (const id of form?.validate(all).logic?.hidden ?? []) if (Object.hasOwn(entered, id)) delete all[id];
  return all;
}

/** What is asked for next. */
export interface Questions {
  /** Required, and without a value. */
  required: string[];
  /** Optional ones that apply because of what a person has entered: the agent could not know of them. */
  opened: string[];
}

/** The questions that no round has asked yet. @param data with what was entered */
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
