/** The field types by their names and aliases. A new one: docs/architecture.md#add-a-field-type. */
import { type ConstraintRule, type Constraints, constraintMeanings } from "./constraints.ts";
import type { FieldType } from "./field-type.ts";
import { unasked } from "./presentation.ts";
import { addressTypes } from "./types/address.ts";
import { calendarTypes } from "./types/calendar.ts";
import { choiceTypes } from "./types/choice.ts";
import { fileTypes } from "./types/file.ts";
import { matrixTypes } from "./types/matrix.ts";
import { numberTypes } from "./types/number.ts";
import { textTypes } from "./types/text.ts";

/** Accepts any JSON value. */
const unknownType: FieldType = {
  ...unasked,
  nature: "any",
  aliases: [],
  meaning: "Any JSON value.",
  example: { field: {} },
  description: "any JSON value",
  expected: () => ({}),
  guard: () => () => true,
  constraints: {},
  checkable: false,
  checks: () => [],
  jsonSchema: () => ({}),
  hint: "any JSON value",
};

const statement: FieldType = {
  ...unknownType,
  nature: "none",
  names: () => [],
  toControls: () => [],
  aliases: ["heading", "divider", "page_break"],
  meaning: "Shows its label, and accepts no value.",
};

export const fieldTypes = {
  ...textTypes,
  ...numberTypes,
  ...choiceTypes,
  ...calendarTypes,
  ...addressTypes,
  ...matrixTypes,
  ...fileTypes,
  statement,
} satisfies Record<string, FieldType<never>>;

/** The name of a field type; an alias has the kind of its type. */
export type FieldKind = keyof typeof fieldTypes;

const byName = new Map<string, { kind: FieldKind | undefined; fieldType: FieldType }>();
for (const [kind, entry] of Object.entries(fieldTypes)) {
  // `checks` gets only values that `guard` accepts.
  const resolved = { kind: kind as FieldKind, fieldType: entry as FieldType<never> as FieldType };
  for (const name of [kind, ...entry.aliases]) byName.set(name, resolved);
}

/** The rules of a type, each with its requirement. */
export const rulesOf = (kind: FieldKind) =>
  Object.entries<ConstraintRule>(fieldTypes[kind].constraints).map(([name, { schema, takesListName }]) => ({
    name,
    schema,
    takesListName,
    meaning: constraintMeanings[name as keyof Constraints],
  }));

/** Checks for a custom type of the owner. Publishing accepts it, and its values are not checked. */
export const isCustomType = (name: string): boolean => /^x-./.test(name);

export const typeNames: readonly string[] = [...byName.keys()];

/** The type of a name or alias, case-sensitive; without `kind` for an unknown name. */
export const resolveType = (name: unknown) =>
  byName.get(name as string) ?? { kind: undefined, fieldType: unknownType };
