/** Conditions of JSON Schemas as expressions. Pure. */

import type { Expression } from "../../../fields/conditions/expression.ts";
import { ownIn } from "../../../fields/values.ts";
import type { DraftEntry } from "./draft.ts";
import { annotationKeywords, type Flat, isNothing, type Reader } from "./json-schema-reader.ts";
import { all, any, compares, equals, equalsOne, hasValue, not } from "./logic.ts";
import { itemsOf } from "./read.ts";

/** An object of the data. */
export interface Place {
  readonly path: string;
  /** Begins the ids of its questions. */
  readonly prefix: string;
  readonly ui: unknown;
  /** Its questions and objects. Undefined: left out. */
  readonly members: Map<string, DraftEntry | Place | undefined>;
  readonly gates: readonly Gate[];
  /** An item of a list, which is left out. */
  readonly isListed: boolean;
}

/** Conditions on a value, by keyword. */
const tests: Readonly<Record<string, (entry: DraftEntry, value: unknown) => Expression | undefined>> = {
  const: equals,
  enum: (entry, values) => equalsOne(entry, itemsOf(values)),
  contains: (entry, item) => equals(entry, ownIn(item, "const")),
  minimum: (entry, value) => compares(entry, ">=", value),
  maximum: (entry, value) => compares(entry, "<=", value),
  exclusiveMinimum: (entry, value) => compares(entry, ">", value),
  exclusiveMaximum: (entry, value) => compares(entry, "<", value),
  minLength: (entry, value) => (value === 1 ? hasValue(entry) : undefined),
};

/** A condition of the document. It is made when all questions are known, and once. */
export interface Gate {
  readonly make: () => Expression | undefined;
  made?: { condition: Expression | undefined };
  readonly original: string;
}

/** Conditions of questions, each a list that holds together. One of several lists is enough. */
export type Ways = Map<DraftEntry, (readonly Gate[])[]>;
export const addWay = (ways: Ways, entry: DraftEntry | undefined, gates: readonly Gate[]) => {
  if (entry) ways.set(entry, [...(ways.get(entry) ?? []), gates]);
};
export const conditionOf = (gates: readonly Gate[]): Expression | undefined =>
  all(
    gates.map((gate) => {
      gate.made ??= { condition: gate.make() };
      return gate.made.condition;
    }),
  );

/**
 * The condition that a value, or the members of an object, fit schemas.
 * @param before references on the way from the root @returns undefined: it has no counterpart
 */
export function fits(
  flatten: Reader["flatten"],
  target: DraftEntry | Place,
  schemas: readonly unknown[],
  before: Flat["chain"],
): Expression | undefined {
  const { keywords, properties, required, alternatives, branches, chain } = flatten(schemas, before);
  const parts = alternatives.map((group) => any(group.map((each) => fits(flatten, target, [each], chain))));
  if (branches.length > 0) parts.push(undefined);
  const entry = "field" in target ? target : undefined;
  for (const [name, value] of keywords) {
    if (name === "not")
      parts.push(entry && isNothing(value) ? hasValue(entry) : not(fits(flatten, target, [value], chain)));
    else if (entry && Object.hasOwn(tests, name)) parts.push(tests[name]?.(entry, value));
    else if (name !== "type" && !annotationKeywords.includes(name)) parts.push(undefined);
  }
  if ("field" in target) return parts.length === 0 ? hasValue(target) : all(parts);
  for (const name of new Set([...properties.keys(), ...required])) {
    const member = target.members.get(name);
    const part = member && fits(flatten, member, properties.get(name) ?? [], chain);
    // A schema holds for a member that is absent.
    const isOptional = member && "field" in member && !required.has(name);
    parts.push(isOptional ? any([not(hasValue(member)), part]) : part);
  }
  return all(parts);
}
