/** Shapes of the submissions that owners read and edit (specification, "Submission"), and their rows. */
import { type } from "arktype";
import { maxTagLength } from "../../fields/languages.ts";
import { limits } from "../../limits.ts";
import { requestIdJson } from "../../platform/auth/actor.ts";
import { documented } from "../../platform/http/documented.ts";
import { columnNames, instantJson, jsonOf, type Row } from "../../platform/http/resource.ts";
import {
  CursorQuery,
  InstantText,
  JsonObject,
  QueryMoment,
  Timestamp,
  Uuid,
} from "../../platform/http/shapes.ts";
import type { SubmissionSearch } from "./submission-search.ts";

const SubmissionStatus = type("'pending' | 'completed' | 'partial'");

/** Authentication of the sender: submissions.provenance. A test compares it with the check constraint. */
export const provenances = [
  "person",
  "declared_agent",
  "agent",
  "agent_signed",
  "agent_for_person",
  "owner",
] as const;

export type Provenance = (typeof provenances)[number];
export const Provenance = type.enumerated(...provenances);

/** The language that a submission was filled in; an empty one is none. No stored text has U+0000. */
export const LanguageQuery = type({
  "language?": type.string
    .atMostLength(maxTagLength)
    .and(/^[^\0]*$/)
    .pipe((tag) => tag || undefined),
});

/** `status`; as additions the review, the time (inclusive bounds), the sender, the respondent, a search. */
const SubmissionFilters = type({
  "status?": SubmissionStatus,
  "review?": "'open' | 'rejected'",
  "createdAfter?": QueryMoment,
  "createdBefore?": QueryMoment,
  "agentId?": Uuid,
  "respondentId?": Uuid,
  "provenance?": Provenance,
  "q?": type.string.atMostLength(limits.submissionSearch.maxTextLength),
}).and(LanguageQuery);

export const SubmissionListQuery = CursorQuery.and(SubmissionFilters)
  .and({
    "changes?": type("'true' | 'false'").pipe((text) => text === "true"),
  })
  .onUndeclaredKey("delete");

export const EditListQuery = CursorQuery.onUndeclaredKey("delete");

export const SubmissionFileQuery = type({
  format: "'csv' | 'jsonl' | 'xlsx'",
  "files?": "'zip'",
  "bom?": type("'true' | 'false'").pipe((text) => text === "true"),
  "separator?": "',' | ';'",
  "values?": "'labels' | 'ids'",
  "choices?": "'cell' | 'columns'",
  "lang?": "string",
});

export const SubmissionExportQuery = SubmissionFilters.and(SubmissionFileQuery);

export type Filters = typeof SubmissionFilters.infer & { search?: SubmissionSearch };

const ofLastGet = {
  text: "The instant of the `updatedAt` of the most recent GET.",
  schema: { format: "date-time" },
};

export const SubmissionPatchRequest = documented(
  type({
    "+": "reject",
    expectedUpdatedAt: InstantText,
    edits: type({ "+": "reject", fieldId: "string", value: "unknown" })
      .array()
      .atLeastLength(1)
      .atMostLength(limits.submission.maxEdits),
  }).narrow(
    ({ edits }, context) =>
      new Set(edits.map((edit) => edit.fieldId)).size === edits.length ||
      context.reject("edits of different fields"),
  ),
  {
    members: {
      expectedUpdatedAt: ofLastGet,
      edits: {
        text: "Edits of different fields.",
        items: {
          members: { value: "Any JSON value that the field's rules accept; null removes the field." },
        },
      },
    },
  },
);

const Review = type({ decision: "'approved' | 'rejected'", reason: "string | null", at: Timestamp });

export const Submission = documented(
  type({
    id: Uuid,
    formId: Uuid,
    formVersion: "number.integer >= 1",
    status: SubmissionStatus,
    data: JsonObject,
    metadata: JsonObject.or("null"),
    submitter: { type: "'agent' | 'anonymous' | 'api_key'", id: Uuid },
    respondentId: Uuid.or("null"),
    provenance: Provenance,
    declaredAgent: "string | null",
    review: Review.or("null"),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    text: "A submission, as its form's owner sees it.",
    members: {
      formVersion: "The published version that the data was validated against.",
      status: "`partial` lacks required fields; `pending` awaits its owner's review.",
      data: "Values by field id; empty ones are absent.",
      submitter: "Its sender: an agent, an anonymous session or an API key.",
      provenance:
        "What is proven of the sender: `person`, an anonymous session, of which nothing is; `declared_agent`, a program on the form's page that showed a signature of its origin for this server, which may be reused until it expires and does not cover the data; `agent`, by its secret; `agent_signed`, by a signature of the request; `agent_for_person`, an agent for the person of `respondentId`, as an identity provider that the team trusts has said; `owner`, by an API key.",
      declaredAgent: "The origin of a `declared_agent`.",
      review: "The decision of its owner; null: none, or reopened.",
      updatedAt:
        "Increases with every change. The token of optimistic concurrency: send it back as `expectedUpdatedAt`.",
    },
  },
);

/** A submission that was deleted, in a list of changes. */
export const DeletedSubmission = documented(type({ id: Uuid, deleted: "true", updatedAt: Timestamp }), {
  text: "A submission that was deleted: with `changes=true` only.",
  members: { updatedAt: "When it was deleted." },
});

export const ReviewRequest = documented(
  type({
    "+": "reject",
    decision: "'approve' | 'reject' | 'reopen'",
    "reason?": type.string.atMostLength(limits.submission.maxReasonLength).or("null"),
    expectedUpdatedAt: InstantText,
  }),
  {
    members: {
      decision: "`approve` completes it, `reject` takes it out of the queue, `reopen` puts it back.",
      reason: "Kept in the audit, also after the submission was deleted: repeat no submitted value in it.",
      expectedUpdatedAt: ofLastGet,
    },
  },
);

const Editor = type({ type: "'api_key' | 'operator'", id: Uuid }).or({ type: "'respondent'", id: "null" });
const Eraser = Editor.or({ type: "'cli' | 'retention'", id: "null" });

export const SubmissionEdit = documented(
  type({
    id: Uuid,
    fieldId: "string",
    oldValue: "unknown",
    newValue: "unknown",
    actor: Editor,
    apiKeyId: Uuid.or("null"),
    requestId: "string",
    clientRequestId: "string | null",
    createdAt: Timestamp,
    erasedAt: Timestamp.or("null"),
  }),
  {
    text: "One edited field, in an append-only audit.",
    members: {
      oldValue: "Null: the field was absent, or the submission has been erased since.",
      newValue: "Null: the field was removed, or the submission has been erased since.",
      apiKeyId: "The actor, when it is an API key.",
      erasedAt: "When the values were erased, with the submission.",
    },
  },
);

export const SubmissionErasure = documented(
  type({
    fieldIds: "string[]",
    actor: Eraser,
    apiKeyId: Uuid.or("null"),
    requestId: "string",
    clientRequestId: "string | null",
    createdAt: Timestamp,
  }),
  {
    text: "The deletion of a submission: who, when and which fields it had, without the values.",
    members: {
      actor: "`cli`: a command of formd; `retention`: the rule of the form. These have no id.",
      apiKeyId: "The actor, when it is an API key.",
    },
  },
);

/** The submitter is two columns, the review three. */
export type SubmissionRow = Omit<Row<typeof Submission>, "submitter" | "review"> & {
  submitterType: (typeof Submission.infer)["submitter"]["type"];
  submitterId: string;
  reviewDecision: (typeof Review.infer)["decision"] | null;
  reviewReason: string | null;
  reviewedAt: Date | null;
};

const columnsOfMembers: Record<string, string[]> = {
  submitter: ["submitter_type", "submitter_id"],
  review: ["review_decision", "review_reason", "reviewed_at"],
};
export const submissionColumns = columnNames(Submission).flatMap((name) => columnsOfMembers[name] ?? name);

export const toSubmission = ({
  submitterType,
  submitterId,
  reviewDecision,
  reviewReason,
  reviewedAt,
  ...row
}: SubmissionRow) => ({
  ...row,
  submitter: { type: submitterType, id: submitterId },
  review: reviewDecision && { decision: reviewDecision, reason: reviewReason, at: reviewedAt },
});

/** The members for the actor of an edit or a deletion, from the columns with a prefix. */
export const editorJson = (prefix: string) => ({
  actor: `json_build_object('type', ${prefix}actor_type, 'id', ${prefix}actor_id)`,
  apiKeyId: `case when ${prefix}actor_type = 'api_key' then ${prefix}actor_id end`,
  ...requestIdJson(`${prefix}request_id`),
});

export const submissionJson = jsonOf(Submission, {
  computed: {
    submitter: `concat('{"type":"', submitter_type, '","id":"', submitter_id, '"}')`,
    review: `case when review_decision is not null
        then json_build_object('decision', review_decision, 'reason', review_reason, 'at', ${instantJson("reviewed_at")}) end`,
  },
});
