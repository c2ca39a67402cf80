/**
 * Names in the definition of a field that formd does not know. They are stored, and have no effect: the owner
 * would believe that a misspelt one has. Names that begin with `x-` are the owner's. Pure.
 */
import { type Clause, clause } from "./clauses.ts";
import { logicMembers } from "./conditions/logic.ts";
import { type Constraints, constraintMeanings, type JsonSchema } from "./constraints.ts";
import { nearest } from "./nearest.ts";
import { translationFaults } from "./translations.ts";
import { isCustomType, resolveType } from "./types.ts";
import { isRecord, shortName } from "./values.ts";

/** The members of every definition, whatever its type. */
export const fieldMembers: readonly string[] = [
  ...["id", "type", "label", "required", "description", "placeholder", "help", "validation"],
  ...logicMembers,
  ...["default", "prefill", "agentHint", "sensitive", "pii", "translations"],
];

/** Members of a field that a later release defines: here a form with them would behave otherwise. */
const laterMembers = ["fields", "limit"];

const ruleNames = Object.keys(constraintMeanings) as (keyof Constraints)[];

/** The names that a definition of some type has an effect with. */
export const definitionNames: readonly string[] = [...fieldMembers, ...ruleNames];

/** Names per place: an object can have 100,000. */
const maxPerPlace = 20;

/** A name without an effect. */
export interface UnknownName {
  /** Name of the member of the definition, or of the rule, that it is in. */
  constraint: string;
  wrong: Clause;
  /** True: publishing accepts it, such as a rule that another type has. */
  isAccepted?: true;
}

/** Returns the names that are not known, without those of the owner. Null is not set, and has none. */
export const unknownIn = (record: Record<string, unknown>, known: readonly string[]): string[] =>
  Object.keys(record)
    .filter((name) => !known.includes(name) && !name.startsWith("x-") && record[name] !== null)
    .slice(0, maxPerPlace);

/** Lists the names in a definition that have no effect, in a bounded number. */
export function unknownNames(definition: Record<string, unknown>): UnknownName[] {
  const type = Object.hasOwn(definition, "type") ? definition.type : undefined;
  const { kind, fieldType } = resolveType(type);
  const own = Object.keys(fieldType.constraints);
  // A custom type has the rules of its owner, and an unknown one is reported itself.
  const known = [...fieldMembers, ...(kind === undefined ? ruleNames : own)];
  const ofRule = (name: string) =>
    clause("unknown_rule", { type: String(type), near: nearest(name, own), known: own });
  return [
    ...laterMembers
      .filter((name) => Object.hasOwn(definition, name) && definition[name] !== null)
      .map((name): UnknownName => ({ constraint: name, wrong: clause("later_release") })),
    ...unknownIn(definition, [...known, ...laterMembers]).map((name): UnknownName => {
      if (ruleNames.some((rule) => rule === name))
        return { constraint: name, wrong: ofRule(name), isAccepted: true };
      const near = nearest(name, known);
      return { constraint: shortName(name), wrong: clause("unknown_member", { near, known }) };
    }),
    ...unknownRules(definition, kind !== undefined || isCustomType(String(type)) ? own : ruleNames, ofRule),
    ...Object.entries(fieldType.constraints).flatMap(([name, { schema }]) =>
      unknownOfEntries(definition, name, schema),
    ),
    ...translationFaults(definition).map((wrong): UnknownName => ({ constraint: "translations", wrong })),
  ];
}

/** Members of `validation` that the type does not define: they would check nothing. */
function unknownRules(
  { validation }: Record<string, unknown>,
  known: readonly string[],
  ofRule: (name: string) => Clause,
): UnknownName[] {
  if (!isRecord(validation)) return [];
  return unknownIn(validation, known).map((name) => ({
    constraint: shortName(name),
    wrong: fieldMembers.includes(name) ? clause("misplaced_rule") : ofRule(name),
  }));
}

/** Members of the entries of a list, such as of `options`, by the schema of its rule. */
function unknownOfEntries(
  definition: Record<string, unknown>,
  constraint: string,
  schema: JsonSchema,
): UnknownName[] {
  const known = entryMembers(schema);
  const { validation } = definition;
  const inside = isRecord(validation) ? validation[constraint] : undefined;
  const list = inside ?? (Object.hasOwn(definition, constraint) ? definition[constraint] : undefined);
  if (known.length === 0 || !Array.isArray(list)) return [];
  const found: UnknownName[] = [];
  for (const [index, each] of list.entries()) {
    if (found.length >= maxPerPlace) break;
    if (!isRecord(each)) continue;
    for (const name of unknownIn(each, known)) {
      const values = { entry: index + 1, name: shortName(name), near: nearest(name, known), known };
      found.push({ constraint, wrong: clause("unknown_entry_member", values) });
    }
  }
  return found;
}

/** Returns the names that an entry of a list may have, by its schema. Empty: the entries are texts. */
export const entryMembers = ({ items }: JsonSchema): string[] =>
  ((items as { anyOf?: { properties?: object }[] } | undefined)?.anyOf ?? []).flatMap(({ properties = {} }) =>
    Object.keys(properties),
  );
