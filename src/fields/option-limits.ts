/** Limits of options: submissions that may have one. The database counts, and returns the full options. */
import { type Option, type Scalar, valuesOf } from "./constraints.ts";
import type { Field } from "./definition.ts";
import type { FieldIssue } from "./field-type.ts";

/** An option with a limit, as formd.option_limits_set takes it. */
export interface OptionLimit {
  fieldId: string;
  value: Scalar;
  limit: number;
}

/** Maximum number of options in a description. */
const maxSaid = 20;

/** The values of the full options, by the id of their field. */
export type FullOptions = Readonly<Record<string, readonly Scalar[]>>;

/** The options with few places left, or none, by the id of their field: each value with its places. */
export type PlacesLeft = Readonly<Record<string, readonly (readonly [value: Scalar, places: number])[]>>;

/** Returns the full options of {@link PlacesLeft}. */
export const fullOf = (left: PlacesLeft): FullOptions =>
  Object.fromEntries(
    Object.entries(left).map(([id, few]) => [id, few.flatMap(([value, n]) => (n > 0 ? [] : [value]))]),
  );

export const optionLimitsOf = (fields: readonly Field[]): OptionLimit[] =>
  fields.flatMap(({ id, constraints: { options = [] } }) =>
    valuesOf(options).flatMap((value, index): OptionLimit[] => {
      const { limit } = options[index] as Option;
      return typeof limit === "number" ? [{ fieldId: id, value, limit }] : [];
    }),
  );

/** Returns the entry of a field in what is listed by fields. */
export const listedIn = <Item>(
  all: Readonly<Record<string, readonly Item[]>> | undefined,
  id: string,
): readonly Item[] => (all && Object.hasOwn(all, id) && all[id]) || [];

/** One issue per field with a full option. @param before data that is stored, and counted in the limits */
export const fullOptionIssues = (
  fields: readonly Field[],
  data: Readonly<Record<string, unknown>>,
  full: FullOptions | undefined,
  before: Readonly<Record<string, unknown>> = {},
): FieldIssue[] =>
  fields.flatMap(({ id, constraints }): FieldIssue[] => {
    const held: unknown[] = Object.hasOwn(before, id) ? [before[id]].flat() : [];
    const taken = new Set<unknown>(listedIn(full, id).filter((value) => !held.includes(value)));
    const value = taken.size > 0 && Object.hasOwn(data, id) ? data[id] : undefined;
    const isList = Array.isArray(value);
    const index = [value].flat().findIndex((each) => taken.has(each));
    if (index < 0) return [];
    return [
      {
        field: id,
        code: "option_full",
        message: isList ? `Item ${index + 1} is an option that is full.` : "The option is full.",
        constraint: isList ? `limit[${index}]` : "limit",
        expected: valuesOf(constraints.options).filter((each) => !taken.has(each)),
      },
    ];
  });

/** Describes the limits of options, for clients that read `description` only. */
export function limitsText(field: Field): string | undefined {
  const limited = optionLimitsOf([field]);
  if (limited.length === 0) return undefined;
  const named = limited.slice(0, maxSaid).map(({ value, limit }) => `${JSON.stringify(value)}: ${limit}`);
  const more = limited.length > maxSaid ? ", …" : "";
  return `Options that only so many submissions can have: ${named.join(", ")}${more}.`;
}
