/** Values of a page that changes a submission: those that are stored, and the edits in a post. */
import { isDeepStrictEqual } from "node:util";
import type { CompiledForm } from "../../fields/compile.ts";
import { type Field, isRecord } from "../../fields/definition.ts";
import { namesOf, toControls } from "../../fields/presentation.ts";
import { sentTextOf } from "../../fields/sent-text.ts";
import { divide } from "../../fields/steps.ts";
import { fileIdsIn } from "../../fields/types/file.ts";
import { isEmpty } from "../../fields/values.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { isComputed, isDependent } from "./applicable.ts";
import { spellingIn, toData } from "./form-data.ts";
import { isSensitive } from "./page.tsx";

type Data = Readonly<Record<string, unknown>>;

const valueIn = (data: Data, id: string): unknown => (Object.hasOwn(data, id) ? data[id] : undefined);

/** Ids of the sensitive fields with a stored value. */
export const notShownIn = (fields: readonly Field[], data: Data): ReadonlySet<string> =>
  new Set(fields.filter((field) => isSensitive(field) && Object.hasOwn(data, field.id)).map(({ id }) => id));

/**
 * Fields of the page's form.
 * @param notShown fields that require no value: an empty control keeps the stored one
 * @param applying fields that apply in any case
 */
export const relaxed = (
  fields: readonly unknown[],
  notShown: ReadonlySet<string>,
  applying: ReadonlySet<string>,
) =>
  fields.map((field) => {
    if (!isRecord(field)) return field;
    const id = String(field.id);
    const { required: _, requireIf: __, ...rest } = field;
    const given = notShown.has(id) ? rest : field;
    return applying.has(id) ? { ...given, showIf: "true" } : given;
  });

/**
 * The controls of the stored values, as JSON writes them. Sensitive values are in none, and of hidden fields
 * only what the address had.
 */
export const storedControls = (fields: readonly Field[], data: Data): URLSearchParams =>
  toControls(
    fields.filter(
      (field) => !isSensitive(field) && (field.kind !== "hidden" || field.definition.prefill === true),
    ),
    data,
  );

/**
 * Fields that the page has a control for, and whose text in the post is not that of the stored value.
 * @param notShown fields that differ only if a value is entered
 */
export function differingIn(
  form: CompiledForm,
  sent: URLSearchParams,
  stored: Data,
  notShown: ReadonlySet<string> = new Set(),
): Field[] {
  const spelling = spellingIn(sent);
  const nothing = new URLSearchParams();
  const shown = toControls(form.fields, stored, spelling);
  return form.fields.filter(
    (field) =>
      field.kind !== "hidden" &&
      field.fieldType.nature !== "none" &&
      !isComputed(form, field) &&
      sentTextOf(field, shown) !== sentTextOf(field, sent) &&
      !(notShown.has(field.id) && sentTextOf(field, sent) === sentTextOf(field, nothing)),
  );
}

/** The values of a post with the stored ones of questions that its page has hidden. */
export function withUnasked(form: CompiledForm, sent: URLSearchParams, stored: Data): URLSearchParams {
  const asked = new Set(sent.getAll(ownNames.asked));
  const fields = form.fields
    .filter((field) => isDependent(form, field) && !asked.has(field.id) && !isSensitive(field))
    .filter((field) => field.kind !== "hidden" && !namesOf(field).some((name) => sent.has(name)));
  return new URLSearchParams([...sent, ...toControls(fields, stored, spellingIn(sent))]);
}

/** The value of a file field by the ids of its files. */
const byIds = (value: unknown) => fileIdsIn(value).map((id) => ({ id }));

/**
 * The edits in a post. A field without a control on the page keeps its value as long as it applies: one that
 * the page hid for lack of a sensitive value too.
 * @param strict the form of the version, by which all values are validated
 * @param sent all values of the post, those of other steps included
 */
export function editsIn(
  form: CompiledForm,
  strict: CompiledForm,
  sent: URLSearchParams,
  stored: Data,
  notShown: ReadonlySet<string>,
) {
  const { data, unstorable } = toData(form.fields, sent);
  const hidden = form.hasLogic ? form.validate(data, unstorable).logic?.hidden : undefined;
  const differing = new Set(differingIn(form, sent, stored).map(({ id }) => id));
  const isKept = ({ id }: Field) =>
    hidden?.has(id) || !differing.has(id) || (notShown.has(id) && isEmpty(valueIn(data, id)));
  const after: Record<string, unknown> = Object.create(null);
  for (const field of form.fields) {
    const value = valueIn(isKept(field) ? stored : data, field.id);
    if (value !== undefined && !isComputed(form, field)) after[field.id] = value;
  }
  const whole = strict.hasLogic ? strict.validate(after) : undefined;
  const inapplicable = whole?.logic?.hidden;
  for (const id of inapplicable ?? []) delete after[id];
  const before = hidden && notShown.size > 0 ? strict.validate(stored).logic?.hidden : undefined;
  const appearing = new Set(
    divide(form.fields).flatMap(({ opening, fields }) => {
      const ids = fields
        .map(({ id }) => id)
        .filter((id) => hidden?.has(id) && !inapplicable?.has(id))
        .filter((id) => before?.has(id) || whole?.missing.includes(id));
      return ids.length > 0 && opening ? [opening.id, ...ids] : ids;
    }),
  );
  const edits = form.fields
    .filter((field) => field.fieldType.nature !== "none" && !isComputed(form, field))
    .filter(({ kind }) => kind !== "hidden")
    .flatMap(({ id, fieldType }) => {
      const [before, value] = [valueIn(stored, id) ?? null, after[id] ?? null];
      const isSame =
        fieldType.nature === "files"
          ? isDeepStrictEqual(byIds(before), byIds(value))
          : isDeepStrictEqual(before, value);
      return isSame ? [] : [{ fieldId: id, value }];
    });
  const edited = new Set(edits.map(({ fieldId }) => fieldId));
  return {
    data,
    edits,
    hidden,
    appearing,
    unstorable: new Map([...unstorable].filter(([id]) => edited.has(id))),
  };
}

/** The files in edits that the submission does not have yet, each with its field. */
export const addedFiles = (
  form: CompiledForm,
  edits: readonly { fieldId: string; value: unknown }[],
  stored: Data,
): { id: string; field: string }[] =>
  edits
    .filter(({ fieldId }) => form.fileFields.includes(fieldId))
    .flatMap(({ fieldId, value }) => {
      const known = new Set(fileIdsIn(valueIn(stored, fieldId)));
      return fileIdsIn(value).flatMap((id) => (known.has(id) ? [] : [{ id, field: fieldId }]));
    });
