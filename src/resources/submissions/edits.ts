/** Edits of a submission, by an owner or its respondent, validated like submissions. */
import { Buffer } from "node:buffer";
import type { Fragment } from "postgres";
import { type CompiledForm, compile, type FieldIssue } from "../../fields/compile.ts";
import { parseFields } from "../../fields/definition.ts";
import { type FullOptions, fullOptionIssues } from "../../fields/option-limits.ts";
import { type FileValue, fileIdsIn } from "../../fields/types/file.ts";
import { isEmpty } from "../../fields/values.ts";
import { say } from "../../messages.ts";
import type { CallerQueries, SqlCaller } from "../../platform/database/caller-queries.ts";
import { jsonb, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { assertBody, parseJson, requireBounded, unstorableText } from "../../platform/http/body.ts";
import { fieldErrors } from "../../platform/http/shapes.ts";
import { Problem, toProblem } from "../../problem.ts";
import { totalIssues } from "../files/claim.ts";
import { type Submission, SubmissionPatchRequest, type SubmissionRow, submissionJson } from "./shapes.ts";

/** One edit; `null` removes the field. */
interface Edit {
  fieldId: string;
  value: unknown;
}

export interface Patch {
  expectedUpdatedAt: string;
  edits: Edit[];
  /** Fields with an unstorable value, and the code to report. */
  unstorable: ReadonlyMap<string, "type_mismatch" | "format">;
  /** Uploads that the edits may add, each with its field. Absent: none. */
  uploads?: readonly (FileValue & { fieldId: string })[];
}

/** @throws {Problem} `invalid_content_type`, `invalid_body`. */
export function parseEdits(request: Request, bytes: Uint8Array): Patch {
  const { value, unstorable } = parseJson(request, bytes);
  const { expectedUpdatedAt, edits } = assertBody(value, SubmissionPatchRequest);
  const byField = new Map<string, "type_mismatch" | "format">();
  for (const value of unstorable) {
    const [top, index, member] = value.path;
    const edit = top === "edits" && member === "value" ? edits[Number(index)] : undefined;
    if (!edit) throw new Problem("invalid_body", unstorableText(value));
    byField.set(edit.fieldId, value.code);
  }
  return { expectedUpdatedAt, edits, unstorable: byField };
}

type Schema = { fields: unknown[] };

type EditedRow = Pick<SubmissionRow, "formId" | "id" | "status" | "data" | "updatedAt">;

interface ValidEdits {
  edits: Edit[];
  /** True if the row is complete once they are applied. */
  isComplete: boolean;
}

/** Query that applies valid edits; the result is JSON. @throws {Problem} `conflict`. */
type EditsQuery = (sql: Sql, caller: SqlCaller, row: EditedRow, valid: ValidEdits) => Fragment;

/** Query for the data that an edit by request needs. {@link parseToEdit} parses its result. */
export const toEditQuery = (sql: Sql, team: string, actor: Fragment, form: string, id: string) => sql`
  select concat('{"teamId":"', team_id, '","actorId":"', (${actor}).id, '","submission":', ${submissionJson(sql)},
    ',"schema":',
    formd.form_version_schema(p_team => ${team}, p_form => s.form_id, p_version => s.form_version), '}')
  from formd.submission_get(p_team => ${team}, p_form => ${form}, p_submission => ${id}) as s`;

/** Parses the result of {@link toEditQuery}. @throws {Problem} `not_found`. */
export function parseToEdit(json: string | null) {
  if (json === null) throw new Problem("not_found", say("submission_missing"));
  const { submission, ...rest } = JSON.parse(json) as {
    teamId: string;
    actorId: string;
    submission: typeof Submission.infer;
    schema: Schema;
  };
  return { ...rest, submission: { ...submission, updatedAt: new Date(submission.updatedAt) } };
}

/**
 * Validates the edits against a submission that was read earlier, which formd.submission_patch requires to be
 * unchanged.
 * @param schema of the version that the submission was validated against
 * @returns the edits with null for every empty value
 * @throws {Problem} `conflict` with the current `updatedAt`; `payload_too_large`, `invalid_body`;
 * `validation_failed` for a value that breaks its field's rules, an unknown field, or a removed value that a
 * complete row requires.
 */
function validateEdits(
  deps: Deps,
  schema: Schema,
  row: Pick<SubmissionRow, "status" | "data" | "updatedAt">,
  { expectedUpdatedAt, edits, unstorable, uploads = [] }: Patch,
): ValidEdits {
  if (Date.parse(expectedUpdatedAt) !== row.updatedAt.getTime()) {
    throw new Problem("conflict", {
      ...say("submission_changed"),
      extras: { current: { updatedAt: row.updatedAt.toISOString() } },
    });
  }
  const form = compile(schema); // edits are rare, so that nothing is cached
  const validate = form.hasLogic ? validateTogether : validateEach;
  const known = edits.map((edit) => withOwnFiles(form, row, uploads, edit));
  const { issues, validated, data, missing } = validate(form, row, known, unstorable);
  requireSize(deps, data, row.data);
  if (uploads.length > 0) issues.push(...totalIssues(deps.config, form, data));
  if (issues.length > 0)
    throw new Problem("validation_failed", { extras: { errors: fieldErrors(deps.config, issues) } });
  return { edits: validated, isComplete: missing.length === 0 };
}

/** An edit may remove files, and add uploads of the caller: other files are not found. */
function withOwnFiles(
  form: CompiledForm,
  { data }: Pick<SubmissionRow, "data">,
  uploads: NonNullable<Patch["uploads"]>,
  edit: Edit,
): Edit {
  const { fieldId, value } = edit;
  if (!form.fileFields.includes(fieldId) || fileIdsIn(value).length === 0) return edit;
  const stored = (Object.hasOwn(data, fieldId) ? [data[fieldId]].flat() : []) as { id?: string }[];
  const added = uploads.filter((upload) => upload.fieldId === fieldId).map(({ fieldId: _, ...file }) => file);
  const known = [...stored, ...added];
  return { fieldId, value: fileIdsIn(value).map((id) => known.find((each) => each.id === id) ?? { id }) };
}

type Validation = (
  form: CompiledForm,
  row: Pick<SubmissionRow, "status" | "data">,
  edits: readonly Edit[],
  unstorable: Patch["unstorable"],
) => {
  issues: FieldIssue[];
  /** Edits with null for every value that is empty for its field. */
  validated: Edit[];
  data: Record<string, unknown>;
  missing: string[];
};

const validateEach: Validation = (form, row, edits, unstorable) => {
  const issues: FieldIssue[] = [];
  const validated = edits.map(({ fieldId, value }): Edit => {
    const code = unstorable.get(fieldId);
    const { data, errors, unknown } = form.validate(
      Object.fromEntries([[fieldId, value]]),
      code && new Map([[fieldId, code]]),
    );
    issues.push(...errors, ...(isEmpty(value) ? [] : unknown));
    return { fieldId, value: Object.hasOwn(data, fieldId) ? value : null };
  });
  const values = new Map(Object.entries(row.data));
  for (const { fieldId, value } of validated)
    value === null ? values.delete(fieldId) : values.set(fieldId, value);
  const data = Object.fromEntries(values);
  const { missing } = form.validate(data);
  const edited = new Set(edits.map(({ fieldId }) => fieldId));
  // An unstorable value is reported as such, and not also as missing.
  if (row.status !== "partial")
    issues.push(
      ...missing.filter((id) => edited.has(id) && !unstorable.has(id)).map((id) => form.requiredIssue(id)),
    );
  return { issues, validated, data, missing };
};

/**
 * Validates the data after the edits, because fields depend on others: an edit may not leave a value in a
 * field that no longer applies, break a rule, or make another field required. Calculated values are
 * calculated again, as edits of the same actor.
 */
const validateTogether: Validation = (form, row, edits, unstorable) => {
  const edited = new Map(edits.map(({ fieldId, value }) => [fieldId, value]));
  const values = new Map([...Object.entries(row.data), ...edited]);
  const computed = form.fields.map(({ id }) => id).filter((id) => form.logicOf(id)?.compute);
  for (const id of computed) if (!edited.has(id)) values.delete(id);
  const { data, errors, unknown, missing } = form.validate(Object.fromEntries(values), unstorable);
  const before = new Set(form.missing(row.data));
  const isEdited = ({ field = "" }: FieldIssue) => edited.has(field) && !isEmpty(edited.get(field));
  const issues = [
    ...errors.filter((issue) => isEdited(issue) || issue.code === "rule"),
    ...unknown.filter((issue) => isEdited(issue) || issue.code === "not_applicable"),
  ];
  if (row.status !== "partial")
    for (const id of missing)
      if ((edited.has(id) || !before.has(id)) && !unstorable.has(id)) issues.push(form.requiredIssue(id));
  const storedIn = (from: Record<string, unknown>, id: string) => (Object.hasOwn(from, id) ? from[id] : null);
  const recomputed = computed.filter(
    (id) => !edited.has(id) && storedIn(data, id) !== storedIn(row.data, id),
  );
  const validated = [...edited.keys(), ...recomputed].map((fieldId) => ({
    fieldId,
    value: storedIn(data, fieldId),
  }));
  return { issues, validated, data, missing };
};

/**
 * Validates and applies edits, by default those of an owner.
 * @returns the submission as JSON; null if there is nothing to edit
 * @throws {Problem} as {@link validateEdits}; `validation_failed` for an option that is full.
 */
export async function applyEdits(
  deps: Deps,
  { run }: Pick<CallerQueries, "run">,
  schema: Schema,
  submission: EditedRow,
  patch: Patch,
  toQuery: EditsQuery = patchQuery,
): Promise<string | null> {
  const validated = validateEdits(deps, schema, submission, patch);
  if (validated.edits.length === 0) return null;
  try {
    return await run((caller) => toQuery(deps.sql, caller, submission, validated));
  } catch (error) {
    const { full } = toProblem(error).extras as { full?: FullOptions };
    if (!full) throw error;
    const data = Object.fromEntries(validated.edits.map(({ fieldId, value }) => [fieldId, value]));
    const issues = fullOptionIssues(parseFields(schema), data, full, submission.data);
    throw new Problem("validation_failed", { extras: { errors: fieldErrors(deps.config, issues) } });
  }
}

const patchQuery: EditsQuery = (
  sql,
  { team, actor },
  { formId, id, updatedAt },
  { edits, isComplete },
) => sql`
  select ${submissionJson(sql)} from formd.submission_patch(
    p_team => ${team}, p_actor => ${actor}, p_form => ${formId}, p_submission => ${id}, p_expected_updated_at => ${updatedAt},
    p_edits => ${jsonb(sql, edits)}, p_whole => ${isComplete})`;

/** Applies the limits of a body to the edited data, unless it shrinks. @throws {Problem} as for a body. */
function requireSize({ config }: Deps, data: object, before: object): void {
  const text = JSON.stringify(data);
  const bytes = Buffer.byteLength(text);
  if (bytes <= Buffer.byteLength(JSON.stringify(before))) return;
  if (bytes > config.MAX_BODY_BYTES)
    throw new Problem(
      "payload_too_large",
      `The submission's data may have at most ${config.MAX_BODY_BYTES} bytes.`,
    );
  requireBounded(text, "The submission's data");
}
