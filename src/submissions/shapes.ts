/** Shapes of the submissions that owners read and edit (specification, "Submission"), and their rows. */
import { type } from "arktype";
import { columnNames, pick, type Row } from "../http/resource.ts";
import { DateTime, JsonObject, PageQuery, Timestamp, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";

const SubmissionStatus = type("'pending' | 'completed' | 'partial'");

/** `status`, and as additions the time (exclusive bounds), the agent and the respondent. */
const SubmissionFilters = type({
  "status?": SubmissionStatus,
  "createdAfter?": DateTime,
  "createdBefore?": DateTime,
  "agentId?": Uuid,
  "respondentId?": Uuid,
});

export const SubmissionListQuery = PageQuery.and(SubmissionFilters);

export const SubmissionExportQuery = SubmissionFilters.and({ format: "'csv' | 'jsonl'" });

/** The filters of a list or an export. */
export type Filters = typeof SubmissionFilters.infer;

export const SubmissionPatchRequest = type({
  "+": "reject",
  expectedUpdatedAt: "string",
  edits: type({ "+": "reject", fieldId: "string", value: "unknown" })
    .array()
    .atLeastLength(1)
    .atMostLength(limits.submission.maxEdits),
}).narrow(
  ({ edits }, context) =>
    new Set(edits.map((edit) => edit.fieldId)).size === edits.length ||
    context.reject("edits of different fields"),
);

export const Submission = type({
  id: Uuid,
  formId: Uuid,
  formVersion: "number.integer >= 1",
  status: SubmissionStatus,
  data: JsonObject,
  metadata: JsonObject.or("null"),
  submitter: { type: "'agent' | 'anonymous' | 'api_key'", id: Uuid },
  respondentId: Uuid.or("null"),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const SubmissionEdit = type({
  id: Uuid,
  fieldId: "string",
  oldValue: "unknown",
  newValue: "unknown",
  apiKeyId: Uuid,
  requestId: "string",
  createdAt: Timestamp,
  erasedAt: Timestamp.or("null"),
});

export const SubmissionErasure = type({
  fieldIds: "string[]",
  apiKeyId: Uuid,
  requestId: "string",
  createdAt: Timestamp,
});

/** The submitter is two columns. */
export type SubmissionRow = Omit<Row<typeof Submission>, "submitter"> & {
  submitterType: (typeof Submission.infer)["submitter"]["type"];
  submitterId: string;
};

export const submissionColumns = columnNames(Submission).flatMap((name) =>
  name === "submitter" ? ["submitter_type", "submitter_id"] : name,
);

export const toSubmission = ({ submitterType, submitterId, ...row }: SubmissionRow) =>
  pick(Submission, { ...row, submitter: { type: submitterType, id: submitterId } });

/** A row of the audit list: an edit, and the deletion of its submission. */
export type EditRow = Row<typeof SubmissionEdit> & {
  total: number;
  erasureFieldIds: string[] | null;
  erasureApiKeyId: string | null;
  erasureRequestId: string | null;
  erasureCreatedAt: Date | null;
};

export const toErasure = (row: EditRow | undefined) => ({
  erasure: row?.erasureFieldIds
    ? {
        fieldIds: row.erasureFieldIds,
        apiKeyId: row.erasureApiKeyId,
        requestId: row.erasureRequestId,
        createdAt: row.erasureCreatedAt,
      }
    : null,
});
