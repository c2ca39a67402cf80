/** Fields of a form that apply to the entered values. The server decides, with or without a script. */
import type { CompiledForm } from "../../fields/compile.ts";
import type { Field } from "../../fields/definition.ts";
import { isDoubtfulEmail } from "../../fields/formats.ts";
import { namesOf, toControls } from "../../fields/presentation.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { toData } from "./form-data.ts";
import { allValues, hasKept } from "./hidden-fields.ts";

export interface Applicable {
  /** Ids of the fields that do not apply. */
  hidden: ReadonlySet<string>;
  /** The values, calculated ones included. */
  data: Readonly<Record<string, unknown>>;
}

const independent: Applicable = { hidden: new Set(), data: {} };

/** @param values the entered ones; undefined: the defaults */
export function applicableTo(form: CompiledForm, values: URLSearchParams | undefined): Applicable {
  if (!form.hasLogic) return independent;
  const { data, unstorable } = toData(form.fields, values ?? defaultsOf(form.fields));
  const { logic, data: known } = form.validate(data, unstorable);
  return { hidden: logic?.hidden ?? independent.hidden, data: known };
}

export function defaultsOf(fields: readonly Field[]): URLSearchParams {
  const shown = fields.filter(({ kind }) => kind !== "hidden");
  return toControls(shown, Object.fromEntries(shown.map(({ id, definition }) => [id, definition.default])));
}

/** Returns the defaults, replaced by the query's values for fields with `prefill: true`. Undefined: none. */
export function prefilled(fields: readonly Field[], query: URLSearchParams): URLSearchParams | undefined {
  const allowed = fields.filter(({ definition }) => definition.prefill === true);
  const given = allowed.filter((field) => namesOf(field).some((name) => query.has(name)));
  if (given.length === 0) return undefined;
  const defaults = Object.fromEntries(fields.map(({ id, definition }) => [id, definition.default]));
  const values = toControls(
    fields.filter((field) => !given.includes(field)),
    defaults,
  );
  for (const name of given.flatMap(namesOf))
    for (const value of query.getAll(name)) values.append(name, value.replaceAll("\0", ""));
  return values;
}

/** Returns the defaults, replaced by the values of an invitation. Undefined: it has none of this version. */
export function prefilledBy(
  fields: readonly Field[],
  prefill: Readonly<Record<string, unknown>>,
): URLSearchParams | undefined {
  const isGiven = ({ id, kind, definition, fieldType }: Field) =>
    Object.hasOwn(prefill, id) &&
    fieldType.nature !== "files" &&
    (kind !== "hidden" || definition.prefill === true);
  if (!fields.some(isGiven)) return undefined;
  const begins = fields.map(
    (field) => [field.id, isGiven(field) ? prefill[field.id] : field.definition.default] as const,
  );
  return toControls(fields, Object.fromEntries(begins));
}

/** True if the field is shown only for some values of others. The page then sends that it was shown. */
export const isDependent = (form: CompiledForm, { id }: Field): boolean =>
  (form.logicOf(id)?.showIf.length ?? 0) > 0;

export const isComputed = (form: CompiledForm, { id }: Field): boolean =>
  form.logicOf(id)?.compute !== undefined;

/** Fields that apply, and that no page has shown to the respondent yet. */
export function notAsked(
  form: CompiledForm,
  { hidden }: Pick<Applicable, "hidden">,
  sent: URLSearchParams,
): ReadonlySet<string> {
  const asked = new Set(sent.getAll(ownNames.asked));
  const isNew = (field: Field) =>
    isDependent(form, field) &&
    !hidden.has(field.id) &&
    !asked.has(field.id) &&
    field.kind !== "hidden" &&
    field.fieldType.nature !== "none" &&
    !isComputed(form, field);
  return new Set(form.fields.filter(isNew).map(({ id }) => id));
}

/** Ids of fields with an e-mail address that is likely wrong, and that no page has asked about yet. */
export function doubtfulIn(
  { fields }: CompiledForm,
  data: Readonly<Record<string, unknown>>,
  sent: URLSearchParams,
): ReadonlySet<string> {
  const confirmed = new Set<unknown>(sent.getAll(ownNames.confirmed));
  const isDoubtful = ({ id, kind, constraints }: Field) => {
    const value = kind === "email" && !constraints.allowedDomains && Object.hasOwn(data, id) ? data[id] : "";
    return typeof value === "string" && isDoubtfulEmail(value) && !confirmed.has(value);
  };
  return new Set(fields.filter(isDoubtful).map(({ id }) => id));
}

/** Returns the sent values as data, except those that do not apply, and the ids of fields not asked for. */
export function readValues(form: CompiledForm, sent: URLSearchParams) {
  const { data, unstorable } = toData(form.fields, allValues(sent));
  const logic = form.hasLogic ? form.validate(data, unstorable).logic : undefined;
  for (const id of logic?.hidden ?? []) delete data[id];
  // A page in steps has shown every question before the values to check.
  const unasked = logic && !hasKept(sent) ? notAsked(form, logic, sent) : new Set<string>();
  return { data, unstorable, unasked };
}
