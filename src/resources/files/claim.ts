/** Completes the values of the uploads that a submission names. They are claimed with the submission. */
import type { CompiledForm, FieldIssue } from "../../fields/compile.ts";
import { type FileValue, fileIdsIn, sizeText, uploadNotFound } from "../../fields/types/file.ts";
import { limits } from "../../limits.ts";
import { credentialsArgument, type SubmitterRequest } from "../../platform/auth/submitter.ts";
import type { Config } from "../../platform/config.ts";
import type { Deps } from "../../platform/deps.ts";
import { ownRequests, type SentData } from "../../platform/http/request-context.ts";
import { isUuid } from "../../platform/http/shapes.ts";

export interface NamedUpload {
  id: string;
  field: string;
}

/** The uploads that data names. A field with too many is refused; only its first ones are returned. */
export const uploadsIn = (form: CompiledForm, data: Readonly<Record<string, unknown>>): NamedUpload[] =>
  form.fileFields.flatMap((field) =>
    (Object.hasOwn(data, field) ? fileIdsIn(data[field]) : [])
      .slice(0, limits.file.maxPerField)
      .filter(isUuid)
      .map((id) => ({ id: id.toLowerCase(), field })),
  );

/** Returns sent data by ids of fields, and with the server's values of its files. */
export async function completeData<T extends SentData>(
  deps: Deps,
  submitter: SubmitterRequest,
  form: CompiledForm,
  sent: T,
): Promise<T> {
  const byIds = { ...sent, ...ownRequests.get(submitter.request)?.withIds?.(form, sent) };
  return { ...byIds, data: await withUploads(deps, submitter, form, byIds.data) };
}

/** Returns the data with the server's values of its files. An upload of another caller has only its id. */
async function withUploads(
  deps: Deps,
  { team, form: formId, credentials }: SubmitterRequest,
  form: CompiledForm,
  data: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const named = uploadsIn(form, data);
  if (named.length === 0 && form.fileFields.every((id) => fileIdsIn(data[id]).length === 0)) return data;
  const rows = await deps.sql<(FileValue & { fieldId: string })[]>`
    select * from formd.files_read(p_team => ${team}, p_form => ${formId}, ${credentialsArgument(deps, credentials)},
      p_ids => ${named.map(({ id }) => id)})`;
  const known = new Map(rows.map(({ id, fieldId, ...rest }) => [`${id} ${fieldId}`, { id, ...rest }]));
  const whole = (field: string, value: unknown): unknown =>
    fileIdsIn(value).length === (value as unknown[]).length
      ? fileIdsIn(value).map((id) => {
          const row = known.get(`${id.toLowerCase()} ${field}`);
          return row ? { ...row, size: Number(row.size) } : { id };
        })
      : value;
  const complete = Object.assign(Object.create(null), data) as Record<string, unknown>;
  for (const field of form.fileFields)
    if (Array.isArray(data[field])) complete[field] = whole(field, data[field]);
  return complete;
}

/** Checks that the files of valid data have no more bytes in total than a submission may have. */
export function totalIssues(config: Config, form: CompiledForm, data: Record<string, unknown>): FieldIssue[] {
  const most = Math.max(config.FILES_MAX_PER_SUBMISSION, config.FILES_MAX_BYTES);
  let total = 0;
  for (const field of form.fileFields) {
    for (const { size } of (data[field] ?? []) as FileValue[]) total += size;
    const message = `The files of a submission may have at most ${sizeText(most)} together.`;
    if (total > most)
      return [{ field, code: "max_bytes", message, constraint: "maxTotalBytes", expected: most }];
  }
  return [];
}

export const unclaimedIssues = (named: readonly NamedUpload[]): FieldIssue[] =>
  [...new Set(named.map(({ field }) => field))].map((field) => ({
    field,
    code: "upload_not_found",
    message: uploadNotFound,
    constraint: "id",
  }));
