/** Parses one field definition. */
import type { Constraints } from "./constraints.ts";
import type { FieldType } from "./field-type.ts";
import { type FieldKind, resolveType } from "./types.ts";

/** One field of a compiled form. */
export interface Field {
  readonly id: string;
  /** The type as the owner wrote it. */
  readonly type: string;
  /** The type's canonical name (`select` for `dropdown`); undefined for an unknown type. */
  readonly kind: FieldKind | undefined;
  readonly label: string;
  readonly required: boolean;
  /** The constraints in force, the type's defaults included. */
  readonly constraints: Constraints;
  /** The definition as stored. */
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface InvalidConstraint {
  readonly constraint: string;
  /** The end of a sentence that begins with the constraint's name. */
  readonly wrong: string;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An own property; null means "not set". */
function own(record: unknown, name: string): unknown {
  return isRecord(record) && Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;
}

export interface ParsedField {
  readonly field: Field;
  readonly type: FieldType;
  /** The valid constraints that the owner has set. */
  readonly ownerSet: ReadonlySet<string>;
  readonly invalid: readonly InvalidConstraint[];
}

/**
 * Parses a definition leniently: an invalid constraint is left out of `field` and listed in `invalid`, so
 * that compiling never throws and the lint has one source. `validation.x` outranks `x` on the field itself.
 */
export function parseField(definition: Record<string, unknown>): ParsedField {
  const name = own(definition, "type");
  const { kind, type } = resolveType(name);
  const constraints: Record<string, unknown> = {
    ...type.defaults,
    ...type.aliasDefaults?.[name as string],
  };
  const ownerSet = new Set<string>();
  const invalid: InvalidConstraint[] = [];
  for (const [constraint, check] of Object.entries(type.constraints)) {
    const value = own(own(definition, "validation"), constraint) ?? own(definition, constraint);
    if (value === undefined) continue;
    const wrong = check(value);
    if (wrong === undefined) {
      constraints[constraint] = value;
      ownerSet.add(constraint);
    } else invalid.push({ constraint, wrong });
  }
  for (const constraint of type.requires ?? []) {
    if (ownerSet.has(constraint) || invalid.some((each) => each.constraint === constraint)) continue;
    invalid.push({ constraint, wrong: `is required for the type "${kind}"` });
  }
  const label = own(definition, "label");
  const field: Field = Object.freeze({
    id: String(own(definition, "id") ?? ""),
    type: typeof name === "string" ? name : "",
    kind,
    label: typeof label === "string" ? label : "",
    required: own(definition, "required") === true && type.displayOnly !== true,
    constraints: constraints as Constraints,
    definition,
  });
  return { field, type, ownerSet, invalid };
}
