import { type Clause, clause } from "./clauses.ts";
import type { Constraints } from "./constraints.ts";
import type { FieldType } from "./field-type.ts";
import { listNamed } from "./named-lists.ts";
import { type FieldKind, resolveType } from "./types.ts";
import { isRecord, ownIn } from "./values.ts";

export { isRecord } from "./values.ts";

export type Invalid = [constraint: string, wrong: Clause];

export interface Field {
  readonly id: string;
  /** Type as the owner wrote it. */
  readonly type: string;
  /** The type's canonical name (`select` for `dropdown`); undefined for an unknown type. */
  readonly kind: FieldKind | undefined;
  readonly fieldType: FieldType;
  readonly label: string;
  readonly required: boolean;
  /** The constraints in effect, including the type's defaults. */
  readonly constraints: Constraints;
  /** The valid constraints that the owner has set. */
  readonly ownerSet: ReadonlySet<string>;
  readonly invalid: readonly Invalid[];
  /** The definition as stored. */
  readonly definition: Readonly<Record<string, unknown>>;
}

/** An own member; null means "not set". */
const own = (record: unknown, name: string): unknown => ownIn(record, name) ?? undefined;

/**
 * Parses a definition leniently: an invalid constraint is left out of `field` and listed in `invalid`, so
 * that compiling never throws and the lint has one source. `validation.x` outranks `x` on the field itself.
 */
export const parseField = (definition: Record<string, unknown>): Field => parsed(definition);

/** A field with other texts, by its translated definition. Its valid constraints are not checked again. */
export const parseTexts = (field: Field, definition: Field["definition"]): Field => parsed(definition, field);

function parsed(definition: Field["definition"], same?: Field): Field {
  const name = own(definition, "type");
  const { kind, fieldType } = resolveType(name);
  const constraints: Record<string, unknown> = {
    ...fieldType.defaults,
    ...fieldType.aliasDefaults?.[name as string],
  };
  const ownerSet = new Set<string>();
  const invalid: Invalid[] = [];
  for (const [constraint, rule] of Object.entries(fieldType.constraints)) {
    const stated = own(own(definition, "validation"), constraint) ?? own(definition, constraint);
    if (stated === undefined) continue;
    const list = rule.takesListName && listNamed(stated);
    const value = list ?? stated;
    const wrong = list || same?.ownerSet.has(constraint) ? undefined : rule.invalid(value);
    if (wrong === undefined) {
      constraints[constraint] = value;
      ownerSet.add(constraint);
    } else invalid.push([constraint, wrong]);
  }
  for (const constraint of fieldType.requires ?? []) {
    if (ownerSet.has(constraint) || invalid.some(([name]) => name === constraint)) continue;
    invalid.push([constraint, clause("needed", { type: kind })]);
  }
  const label = own(definition, "label");
  return Object.freeze({
    id: String(own(definition, "id") ?? ""),
    type: typeof name === "string" ? name : "",
    kind,
    fieldType,
    label: typeof label === "string" ? label : "",
    required: own(definition, "required") === true && fieldType.nature !== "none",
    constraints: constraints as Constraints,
    ownerSet,
    invalid,
    definition,
  });
}

/** Parses the fields of a form, without entries that are no objects and repeated ids. Never throws. */
export function parseFields(schema: { fields: readonly unknown[] }): Field[] {
  const fields = new Map<string, Field>();
  for (const field of schema.fields.filter(isRecord).map(parseField))
    if (!fields.has(field.id)) fields.set(field.id, field);
  return [...fields.values()];
}

/** Writes out the lists that fields name, as a version holds them. The same schema: no field names one. */
export function withLists<Schema extends { fields: readonly unknown[] }>(schema: Schema): Schema {
  const fields = schema.fields.map(withListsOfField);
  return fields.some((field, index) => field !== schema.fields[index]) ? { ...schema, fields } : schema;
}

function withListsOfField(field: unknown): unknown {
  if (!isRecord(field)) return field;
  const { constraints } = resolveType(own(field, "type")).fieldType;
  const writtenIn = (record: unknown) =>
    Object.entries(constraints).flatMap(([name, { takesListName }]) => {
      const list = takesListName && listNamed(own(record, name));
      return list ? [[name, list] as const] : [];
    });
  const [beside, inside] = [writtenIn(field), writtenIn(own(field, "validation"))];
  if (beside.length + inside.length === 0) return field;
  return {
    ...field,
    ...Object.fromEntries(beside),
    ...(inside.length > 0 && {
      validation: { ...(field.validation as object), ...Object.fromEntries(inside) },
    }),
  };
}
