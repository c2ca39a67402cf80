/** An owner's edits of a submission: read, and judged by the same engine as submits. @module */
import type { Deps } from "../deps.ts";
import { type CompiledForm, compile, type FieldIssue } from "../fields/compile.ts";
import { isEmpty } from "../fields/values.ts";
import { assertShape, parseJson, unstorableText } from "../http/body.ts";
import { fieldErrors } from "../http/field-errors.ts";
import { Problem } from "../problem.ts";
import type { SubmissionRow } from "./routes.ts";
import { SubmissionPatchRequest } from "./shapes.ts";

/** One edit; `null` removes the field. */
interface Edit {
  fieldId: string;
  value: unknown;
}

/** A SubmissionPatchRequest. */
interface Edits {
  expectedUpdatedAt: string;
  edits: Edit[];
  /** Fields whose value could not be kept as it was sent, with the code to report. */
  spoiled: ReadonlyMap<string, "type_mismatch" | "format">;
}

/**
 * Reads a SubmissionPatchRequest.
 *
 * @throws {Problem} `invalid_content_type`, `invalid_body`.
 */
export function submissionEditsOf(request: Request, bytes: Uint8Array): Edits {
  const { value, unstorable } = parseJson(request, bytes);
  const { expectedUpdatedAt, edits } = assertShape(value, SubmissionPatchRequest, "invalid_body");
  const byField = new Map<string, "type_mismatch" | "format">();
  for (const fault of unstorable) {
    const [top, index, member] = fault.path;
    const edit = top === "edits" && member === "value" ? edits[Number(index)] : undefined;
    if (!edit) throw new Problem("invalid_body", unstorableText(fault));
    byField.set(edit.fieldId, fault.code);
  }
  return { expectedUpdatedAt, edits, spoiled: byField };
}

/**
 * What the edits come to: `edits` with null for every value that its field takes for empty, and whether the row is `whole` once they are
 * applied. Called for a row that was read before; formd.submission_patch makes sure that it has not moved on since.
 *
 * @throws {Problem} `conflict` with the current token; `validation_failed` when a value breaks its field's rules in the row's form version,
 * when a field is unknown (removing it is fine), or when a required one would be missing from a row that is whole.
 */
export async function validateEdits(
  deps: Deps,
  team: string,
  row: SubmissionRow,
  { expectedUpdatedAt, edits, spoiled }: Edits,
): Promise<{ edits: Edit[]; isComplete: boolean }> {
  const current = row.updatedAt.toISOString();
  if (expectedUpdatedAt !== current) {
    throw new Problem("conflict", {
      message: "The submission was changed since expectedUpdatedAt.",
      extras: { current: { updatedAt: current } },
    });
  }
  const form = await versionOf(deps, team, row.formId, row.formVersion);
  const faults: FieldIssue[] = [];
  const judged = edits.map(({ fieldId, value }): Edit => {
    const code = spoiled.get(fieldId);
    const { data, errors, unknown } = form.validate(
      Object.fromEntries([[fieldId, value]]),
      code && new Map([[fieldId, code]]),
    );
    faults.push(...errors, ...(isEmpty(value) ? [] : unknown));
    return { fieldId, value: Object.hasOwn(data, fieldId) ? value : null };
  });
  const after = new Map(Object.entries(row.data));
  for (const { fieldId, value } of judged) value === null ? after.delete(fieldId) : after.set(fieldId, value);
  const { missing } = form.validate(Object.fromEntries(after));
  const edited = new Set(edits.map(({ fieldId }) => fieldId));
  // A field that is spoiled is reported as that, not as missing too.
  if (row.status !== "partial")
    faults.push(
      ...missing.filter((id) => edited.has(id) && !spoiled.has(id)).map((id) => form.requiredIssue(id)),
    );
  if (faults.length > 0)
    throw new Problem("validation_failed", { extras: { errors: fieldErrors(deps.config, faults) } });
  return { edits: judged, isComplete: missing.length === 0 };
}

/** A published version, compiled. An edit is rare, so nothing is kept. */
async function versionOf({ sql }: Deps, team: string, form: string, version: number): Promise<CompiledForm> {
  const [row] = await sql<[{ schema: { fields: unknown[] } }]>`
    select schema from formd.form_versions where team_id = ${team} and form_id = ${form} and version = ${version}`;
  return compile(row.schema);
}
