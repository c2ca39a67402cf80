/** Conversion of a form post to data: JSON values by the types of the fields. */
import type { UnstorableFields } from "../../fields/compile.ts";
import { indexed } from "../../fields/control-values.ts";
import type { Field } from "../../fields/definition.ts";
import { toValue } from "../../fields/entered.ts";
import { namesOf } from "../../fields/presentation.ts";
import { isTokenName } from "./captcha.tsx";

const isOwnName = (name: string) => name.startsWith("formd.") || isTokenName(name);

/** Names of controls. The key, the fields of a published version, never changes. */
const namesByForm = new WeakMap<
  readonly Field[],
  { ofField: readonly string[][]; all: ReadonlySet<string> }
>();

function namesOfForm(fields: readonly Field[]) {
  const known = namesByForm.get(fields);
  if (known) return known;
  const ofField = fields.map(namesOf);
  const names = { ofField, all: new Set(ofField.flat()) };
  namesByForm.set(fields, names);
  return names;
}

/**
 * Returns the values by field id. A name of no field is kept as a key, so that validation reports
 * `unknown_field`. A hidden field is the owner's: a posted value counts only if the address may fill it in.
 */
export function toData(fields: readonly Field[], sent: URLSearchParams) {
  const data: Record<string, unknown> = Object.create(null);
  const unstorable = new Map<string, "format">();
  const names = namesOfForm(fields);
  const values = indexed(sent);
  for (const [index, field] of fields.entries()) {
    const { kind, definition } = field;
    if (kind === "hidden" && definition.prefill !== true) {
      if (definition.default != null) data[field.id] = definition.default;
      continue;
    }
    const value = toValue(field, values) ?? (kind === "hidden" ? definition.default : undefined);
    if (value != null) data[field.id] = value;
    const isUnstorable = names.ofField[index]?.some((name) =>
      values.getAll(name).some((text) => text.includes("\0")),
    );
    if (isUnstorable) unstorable.set(field.id, "format");
  }
  for (const [name, value] of sent) if (!names.all.has(name) && !isOwnName(name)) data[name] ??= value;
  return { data, unstorable: unstorable as UnstorableFields };
}
