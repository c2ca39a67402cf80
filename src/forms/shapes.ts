/** Shapes of the management routes, what they take and what they answer (specification, "Resources and their fields"). @module */
import { type } from "arktype";
import { DateTime, JsonObject, Name, PageQuery, Timestamp, Uuid } from "../http/shapes.ts";

/** A field as far as a draft is judged: publishing judges the rest. */
export const FieldDraft = JsonObject.and({ id: "1 <= string <= 128" });

const Switch = (name: string) => JsonObject.and({ [`${name}?`]: "boolean | null" }).or("null");

/** The settings that formd knows; `null` removes, as RFC 7396 has it. Others are kept untouched. */
const SettingsPatch = JsonObject.and({
  "captcha?": Switch("enabled"),
  "anonymous?": Switch("enabled"),
  "challenge?": Switch("required"),
  "review?": Switch("required"),
});

export const FormCreateRequest = type({
  name: Name,
  "description?": "string | null",
  "schema?": JsonObject.and({ fields: FieldDraft.array() }),
  "workspaceId?": Uuid,
});

const Index = type("number.integer >= 0");
const SetMeta = type({
  op: "'setMeta'",
  "name?": Name,
  "description?": "string | null",
  "settings?": SettingsPatch,
}).narrow(
  (op, context) =>
    "name" in op ||
    "description" in op ||
    "settings" in op ||
    context.reject("given name, description or settings"),
);
const AddField = type({
  op: "'addField'",
  field: FieldDraft,
  "index?": Index,
  "afterFieldId?": "string",
}).narrow(
  (op, context) =>
    !("index" in op && "afterFieldId" in op) || context.reject("given index or afterFieldId, not both"),
);
const UpdateField = type({ op: "'updateField'", fieldId: "string", set: JsonObject });
const RemoveField = type({ op: "'removeField'", fieldId: "string" });
const MoveField = type({
  op: "'moveField'",
  fieldId: "string",
  "toIndex?": Index,
  "afterFieldId?": "string",
}).narrow(
  (op, context) =>
    "toIndex" in op !== "afterFieldId" in op || context.reject("given toIndex or afterFieldId, one of them"),
);

/** An empty or too long array is the function's to refuse, once the form is known to exist. */
export const FormDiffRequest = type({
  operations: SetMeta.or(AddField).or(UpdateField).or(RemoveField).or(MoveField).array(),
  "expectedVersion?": "number.integer",
});

export const FormListQuery = PageQuery.and({ "workspaceId?": Uuid });

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
    .atMostLength(100),
}).narrow(
  ({ edits }, context) =>
    new Set(edits.map((edit) => edit.fieldId)).size === edits.length ||
    context.reject("edits of different fields"),
);

/** A form as its owner sees it; `schema` is the draft. */
export const Form = type({
  id: Uuid,
  name: "string",
  description: "string | null",
  schema: JsonObject.and({ fields: FieldDraft.array() }),
  settings: JsonObject.and({
    "captcha?": JsonObject.and({ "enabled?": "boolean" }),
    "anonymous?": JsonObject.and({ "enabled?": "boolean" }),
    "challenge?": JsonObject.and({ "required?": "boolean" }),
    "review?": JsonObject.and({ "required?": "boolean" }),
  }),
  status: "'draft' | 'published' | 'archived'",
  currentVersion: "number.integer >= 0",
  teamId: Uuid,
  workspaceId: Uuid,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

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

/** What is left to say of something deleted. */
export const Deleted = type({ id: Uuid, deleted: "true" });
