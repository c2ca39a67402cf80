/** Reads one field definition: where its constraints live, and which of them are well formed. */
import type { Constraints } from "./constraints.ts";
import { type FieldType, fieldType } from "./types.ts";

/** One field of a compiled form. */
export interface Field {
  readonly id: string;
  /** The type as its owner wrote it. */
  readonly type: string;
  /** Canonical name of that type (`dropdown` is `select`); undefined for an unknown one. */
  readonly kind: string | undefined;
  readonly label: string;
  readonly required: boolean;
  /** The constraints in force, the type's own defaults included. */
  readonly constraints: Constraints;
  /** The definition as stored. */
  readonly definition: Readonly<Record<string, unknown>>;
}

/** A constraint that cannot stand, with the end of a sentence that begins with its name. */
export interface InvalidConstraint {
  readonly constraint: string;
  readonly wrong: string;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An own property; null stands for "not set". */
function own(record: unknown, name: string): unknown {
  return isRecord(record) && Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;
}

export interface ParsedField {
  readonly field: Field;
  readonly type: FieldType | undefined;
  /** Well-formed constraints that the owner has set, by name. */
  readonly ownerSet: ReadonlySet<string>;
  readonly broken: readonly InvalidConstraint[];
}

/**
 * Reads a definition leniently: what is broken is left out of `field` and listed in `broken`, so that compiling never
 * throws and the lint has one source. `validation.x` wins over `x` on the field itself.
 */
export function parseField(definition: Record<string, unknown>): ParsedField {
  const name = own(definition, "type");
  const type = fieldType(name);
  const constraints: Record<string, unknown> = { ...type?.defaults };
  const given = new Set<string>();
  const broken: InvalidConstraint[] = [];
  for (const [constraint, shape] of Object.entries(type?.constraints ?? {})) {
    const value = own(own(definition, "validation"), constraint) ?? own(definition, constraint);
    if (value === undefined) continue;
    const wrong = shape(value);
    if (wrong === undefined) {
      constraints[constraint] = value;
      given.add(constraint);
    } else broken.push({ constraint, wrong });
  }
  for (const needed of type?.needs ?? []) {
    if (given.has(needed) || broken.some(({ constraint }) => constraint === needed)) continue;
    broken.push({
      constraint: needed,
      wrong: `must be there: a field of type "${type?.name}" cannot be answered without`,
    });
  }
  const label = own(definition, "label");
  const field: Field = Object.freeze({
    id: String(own(definition, "id") ?? ""),
    type: typeof name === "string" ? name : "",
    kind: type?.name,
    label: typeof label === "string" ? label : "",
    required: own(definition, "required") === true,
    constraints: constraints as Constraints,
    definition,
  });
  return { field, type, ownerSet: given, broken };
}
