/** The operations of a patch that make a file's form of a draft. Pure. */
import { parseField } from "../../fields/definition.ts";
import { isRecord } from "../../fields/values.ts";
import { limits } from "../../limits.ts";
import { type Note, warningsOf } from "./draft-checks.ts";
import { canonicalText, contentOf, type FileContent, isSettingPlace, settingPath } from "./file.ts";
import { movedIds } from "./form-changes.ts";
import type { FormDiffRequest, FormRow } from "./shapes.ts";

type PlannedOperation = (typeof FormDiffRequest.infer)["operations"][number];
type DraftFields = FormRow["schema"]["fields"];
type Json = Readonly<Record<string, unknown>>;

export interface FilePlan {
  /** Removes, updates, adds, moves, `setMeta`: the fewest of each. */
  operations: PlannedOperation[];
  warnings: Note[];
  /** The fields that the operations result in. One that they do not change is as it is stored. */
  fields: DraftFields;
}

const valueIn = (record: Json, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && canonicalText(a, "", "") === canonicalText(b, "", ""));

const namesOf = (from: Json, to: Json): string[] => [...new Set([...Object.keys(from), ...Object.keys(to)])];

export function filePlanOf(
  draft: FileContent & Pick<FormRow, "currentVersion">,
  file: FileContent,
): FilePlan {
  const before = contentOf(draft);
  const [from, to] = [before.schema.fields, file.schema.fields];
  const old = new Map(from.map((field) => [field.id, field]));
  const wanted = new Set(to.map(({ id }) => id));
  const removed = from.filter(({ id }) => !wanted.has(id));
  const operations = [
    ...removed.map(({ id }): PlannedOperation => ({ op: "removeField", fieldId: id })),
    ...to.flatMap((field) => updateOf(old.get(field.id), field)),
    ...placements(from, to),
    ...metaChange(before, file),
  ];
  const warnings = [...(draft.currentVersion > 0 ? keptIds(removed, to, old) : []), ...warningsOf(file)];
  const isUpdated = new Set(operations.map((each) => each.op === "updateField" && each.fieldId));
  const stored = new Map(draft.schema.fields.map((field) => [field.id, field]));
  const fields = to.map((field) => (isUpdated.has(field.id) ? field : (stored.get(field.id) ?? field)));
  return { operations, warnings: warnings.slice(0, limits.form.maxNotes), fields };
}

function updateOf(old: Json | undefined, field: DraftFields[number]): PlannedOperation[] {
  if (!old) return [];
  const names = namesOf(old, field).filter((name) => !isSame(valueIn(old, name), valueIn(field, name)));
  if (names.length === 0) return [];
  const set = Object.fromEntries(names.map((name) => [name, valueIn(field, name) ?? null]));
  return [{ op: "updateField", fieldId: field.id, set }];
}

/** Adds and moves. A field is added after the last one before it that does not move later. */
function placements(from: DraftFields, to: DraftFields): PlannedOperation[] {
  const old = new Set(from.map(({ id }) => id));
  const kept = to.map(({ id }) => id).filter((id) => old.has(id));
  const stays = new Set(kept);
  const moved = movedIds(
    from.map(({ id }) => id).filter((id) => stays.has(id)),
    kept,
  );
  let settled: string | undefined;
  const adds: PlannedOperation[] = [];
  const moves: PlannedOperation[] = [];
  to.forEach((field, index) => {
    const { id } = field;
    const previous = to[index - 1]?.id;
    if (moved.has(id)) {
      const place = previous === undefined ? { toIndex: 0 } : { afterFieldId: previous };
      moves.push({ op: "moveField", fieldId: id, ...place });
      return;
    }
    const place = settled === undefined ? { index: 0 } : { afterFieldId: settled };
    if (!old.has(id)) adds.push({ op: "addField", field, ...place });
    settled = id;
  });
  return [...adds, ...moves];
}

function metaChange(from: FileContent, to: FileContent): PlannedOperation[] {
  const { name, description } = to;
  const settings = settingsChange(from.settings, to.settings);
  const change = {
    ...(from.name !== name && { name }),
    ...(from.description !== description && { description }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
  return Object.keys(change).length === 0 ? [] : [{ op: "setMeta", ...change }];
}

/** A merge patch (RFC 7396). A picture is sent whole: the shape of a patch takes no part of it. */
function settingsChange(from: Json, to: Json, inside = ""): Record<string, unknown> {
  const changes = namesOf(from, to).flatMap((name): [string, unknown][] => {
    const [old, value] = [valueIn(from, name), valueIn(to, name)];
    const path = settingPath(inside, name);
    const isWhole = path === "page.theme.logo" || path === "page.theme.cover";
    if (!isWhole && (isRecord(value) || isSettingPlace(path))) {
      const change = settingsChange(isRecord(old) ? old : {}, isRecord(value) ? value : {}, `${path}.`);
      return isRecord(old) && Object.keys(change).length === 0 ? [] : [[name, change]];
    }
    if (isSame(old, value)) return [];
    // A cover without a text for it has none.
    return [[name, path === "page.theme.cover" && isRecord(value) ? { alt: "", ...value } : (value ?? null)]];
  });
  return Object.fromEntries(changes);
}

/** Warns of removed questions whose values stay under their ids, and of those that got another id. */
function keptIds(removed: DraftFields, to: DraftFields, old: ReadonlyMap<string, unknown>): Note[] {
  const added = to.filter(({ id }) => !old.has(id)).map(parseField);
  return removed.map(parseField).flatMap(({ id, label, type, fieldType }, index) => {
    if (fieldType.nature === "none") return [];
    const renamed = added.find((field) => field.type === type && field.label === label && label !== "");
    const message = `Values of earlier submissions stay under the id ${JSON.stringify(id)}${renamed ? `, and none is moved to ${JSON.stringify(renamed.id)}` : ""}.`;
    return [{ path: `operations[${index}]`, field: id, message }];
  });
}
