/** Differences between two versions of a form, with a mark for those that may break submitters. Pure. */
import { valuesOf } from "../../fields/constraints.ts";
import { type Field, isRecord, parseFields } from "../../fields/definition.ts";

export type Change = { field: string; label: string; breaking: boolean } & (
  | { kind: "added" | "addedRequired" | "removed" | "moved" | "nowRequired" | "nowOptional" }
  | { kind: "type"; from: string; to: string }
  | { kind: "optionsAdded" | "optionsRemoved"; values: string[] }
  | { kind: "rule"; name: string; from: unknown; to: unknown }
  | { kind: "text"; name: string }
  | { kind: "translations"; languages: string[] }
);

interface Schema {
  fields: readonly unknown[];
}

/** Members with expressions, whose changes can break a submission. */
const logic = ["showIf", "requireIf", "compute", "rules"] as const;

/** Members whose change no program notices. */
export const changedTexts = [
  "label",
  "description",
  "placeholder",
  "help",
  "agentHint",
  "default",
  "prefill",
] as const;

const compared: ReadonlySet<string> = new Set([
  ...["type", "required", "validation", "translations"],
  ...logic,
  ...changedTexts,
]);

/** Checks for a member of a field whose changes {@link changesOf} has. */
export const isCompared = (name: string, { fieldType }: Field): boolean =>
  compared.has(name) || Object.hasOwn(fieldType.constraints, name);

/** Rules that accept less with a greater value, and rules that accept less with a smaller one. */
const lower: ReadonlySet<string> = new Set(["minLength", "minimum", "minItems"]);
const upper: ReadonlySet<string> = new Set(["maxLength", "maximum", "maxItems"]);

/**
 * The changes from the published schema to the draft, in the draft's order, removed fields last. `breaking`:
 * the draft can refuse a submission that the published version accepts. Doubtful changes count as breaking.
 */
export function changesOf(published: Schema, draft: Schema): Change[] {
  const before = new Map(parseFields(published).map((field) => [field.id, field]));
  const after = parseFields(draft);
  const kept = after.filter(({ id }) => before.has(id)).map(({ id }) => id);
  const moved = movedIds(
    [...before.keys()].filter((id) => kept.includes(id)),
    kept,
  );
  const changes = after.flatMap((field): Change[] => {
    const old = before.get(field.id);
    if (!old)
      return [
        { ...named(field), kind: field.required ? "addedRequired" : "added", breaking: field.required },
      ];
    return [
      ...fieldChanges(old, field),
      ...(moved.has(field.id) ? [{ ...named(field), kind: "moved", breaking: false } as const] : []),
    ];
  });
  const ids = new Set(after.map(({ id }) => id));
  const removed = [...before.values()].filter(({ id }) => !ids.has(id));
  return [
    ...changes,
    ...removed.map(
      (field): Change => ({ ...named(field), kind: "removed", breaking: field.fieldType.nature !== "none" }),
    ),
  ];
}

const named = ({ id, label }: Field) => ({ field: id, label: label || id });

function fieldChanges(old: Field, field: Field): Change[] {
  const at = named(field);
  const changes: Change[] = [];
  const [from, to] = [old.kind ?? old.type, field.kind ?? field.type];
  if (from !== to) changes.push({ ...at, kind: "type", from, to, breaking: true });
  if (field.required !== old.required)
    changes.push({ ...at, kind: field.required ? "nowRequired" : "nowOptional", breaking: field.required });
  changes.push(...ruleChanges(old, field));
  const isChanged = (name: string) =>
    JSON.stringify(old.definition[name] ?? null) !== JSON.stringify(field.definition[name] ?? null);
  for (const name of logic.filter(isChanged)) changes.push({ ...at, kind: "text", name, breaking: true });
  for (const name of changedTexts.filter(isChanged)) {
    const [from, to] = [old, field].map(({ definition }) => definition[name] ?? undefined);
    changes.push({ ...at, kind: "rule", name, from, to, breaking: false });
  }
  const languages = translatedAnew(old.definition.translations, field.definition.translations);
  if (languages.length > 0) changes.push({ ...at, kind: "translations", languages, breaking: false });
  return changes;
}

/** The languages whose texts differ. */
function translatedAnew(...both: unknown[]): string[] {
  const [before = {}, after = {}] = both.map((each) => (isRecord(each) ? each : {}));
  return Object.keys({ ...before, ...after }).filter(
    (tag) => JSON.stringify(before[tag] ?? {}) !== JSON.stringify(after[tag] ?? {}),
  );
}

function ruleChanges(old: Field, field: Field): Change[] {
  const at = named(field);
  const names = [
    ...new Set([...Object.keys(old.constraints), ...Object.keys(field.constraints)]),
  ] as (keyof Field["constraints"])[];
  return names.flatMap((name): Change[] => {
    const [from, to] = [old.constraints[name], field.constraints[name]];
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    if (name === "minimumLabel" || name === "maximumLabel")
      return [{ ...at, kind: "text", name, breaking: false }];
    if (name !== "options")
      return [{ ...at, kind: "rule", name, from, to, breaking: isTighter(name, from, to) }];
    const [before, after] = [valuesOf(old.constraints.options), valuesOf(field.constraints.options)];
    const lost = before.filter((value) => !after.includes(value)).map(String);
    const gained = after.filter((value) => !before.includes(value)).map(String);
    if (lost.length + gained.length === 0) return [{ ...at, kind: "text", name, breaking: false }];
    const { allowOther, rankAll } = field.constraints;
    const changes: (Change & { values: string[] })[] = [
      { ...at, kind: "optionsRemoved", values: lost, breaking: allowOther !== true },
      { ...at, kind: "optionsAdded", values: gained, breaking: rankAll === true },
    ];
    return changes.filter(({ values }) => values.length > 0);
  });
}

/** Checks whether a rule's new value accepts less than the previous one. */
function isTighter(name: string, from: unknown, to: unknown): boolean {
  if (name === "allowOther") return to !== true;
  if (to === undefined || to === false) return false;
  if (from === undefined || from === false) return true;
  // Only numbers are compared. Any change of a day or time counts as breaking, because of offsets.
  if (typeof from !== "number" || typeof to !== "number") return true;
  return lower.has(name) ? to > from : !upper.has(name) || to < from;
}

/** The smallest set of fields whose move explains the new order: all but a longest increasing subsequence. */
export function movedIds(before: readonly string[], after: readonly string[]): Set<string> {
  const position = new Map(before.map((id, index) => [id, index]));
  const sequence = after.map((id) => position.get(id) ?? 0);
  const length = sequence.map(() => 1);
  const previous = sequence.map(() => -1);
  for (let i = 0; i < sequence.length; i++)
    for (let j = 0; j < i; j++)
      if ((sequence[j] ?? 0) < (sequence[i] ?? 0) && (length[j] ?? 0) + 1 > (length[i] ?? 0)) {
        length[i] = (length[j] ?? 0) + 1;
        previous[i] = j;
      }
  const stay = new Set<number>();
  for (let i = length.indexOf(Math.max(0, ...length)); i >= 0; i = previous[i] ?? -1) stay.add(i);
  return new Set(after.filter((_, index) => !stay.has(index)));
}
