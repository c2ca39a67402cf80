/** Labels of options that a later version of a form removed, for the submissions that still have them. */
import { type Option, valuesOf } from "../../fields/constraints.ts";
import { type Field, parseField } from "../../fields/definition.ts";
import { isRecord } from "../../fields/values.ts";
import type { Sql } from "../../platform/database/db.ts";
import type { FormKey } from "../forms/shapes.ts";

/** A definition of a field in some version. */
export interface FormerField {
  id: string;
  field: Record<string, unknown>;
}

const lists = ["options", "rows", "columns"] as const;
type Entries = readonly (string | Option)[];

/** The entries of the first list, then those of the others whose values it lacks. */
const joinLists = (all: readonly Entries[]): Entries => {
  const byValue = new Map<unknown, string | Option>();
  for (const entry of all.flat()) {
    const [value] = valuesOf([entry]);
    if (!byValue.has(value)) byValue.set(value, entry);
  }
  return [...byValue.values()];
};

/**
 * Fields to show values with: after its own options each has those of earlier versions.
 * @param former newest first
 */
export function withFormerOptions(fields: readonly Field[], former: readonly FormerField[]): Field[] {
  const byId = Map.groupBy(former, ({ id }) => id);
  return fields.map((field) => {
    const others = (byId.get(field.id) ?? []).map((each) => parseField(each.field).constraints);
    const joined = lists.flatMap((name) => {
      const own = field.constraints[name];
      return own ? [[name, joinLists([own, ...others.map((each) => each[name] ?? [])])]] : [];
    });
    return { ...field, constraints: { ...field.constraints, ...Object.fromEntries(joined) } };
  });
}

/** True if a field has options, and the value one that is none of them. */
function hasOtherOption({ constraints: { options, columns, rows } }: Field, value: unknown): boolean {
  const known = new Set<unknown>([options, columns, rows].flatMap((list) => valuesOf(list)));
  const scalars = [value].flat().flatMap((each) => (isRecord(each) ? Object.entries(each).flat(2) : [each]));
  return known.size > 0 && scalars.some((each) => each !== undefined && each !== null && !known.has(each));
}

/** The fields to show values of several versions with. It reads the versions if a value needs them. */
export async function fieldsToShow(
  sql: Sql,
  { teamId, id }: FormKey,
  fields: Field[],
  shown: readonly Readonly<Record<string, unknown>>[],
): Promise<Field[]> {
  const lacks = fields.some((field) =>
    shown.some((data) => Object.hasOwn(data, field.id) && hasOtherOption(field, data[field.id])),
  );
  if (!lacks) return fields;
  const former = await sql<FormerField[]>`
    select * from formd.submission_former_fields(p_team => ${teamId}, p_form => ${id})`;
  return withFormerOptions(fields, former);
}
