/** Shapes of the form routes (specification, "Resources and their fields"). */
import { type } from "arktype";
import type { Row } from "../http/resource.ts";
import { JsonObject, Name, PageQuery, Timestamp, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";

/** What a field of a draft must have; publishing checks the rest. */
export const FormField = JsonObject.and({
  id: type.string.atLeastLength(1).atMostLength(limits.form.maxFieldIdLength),
});

const Toggle = (name: string) => JsonObject.and({ [`${name}?`]: "boolean | null" }).or("null");

/** The settings that formd knows; `null` removes (RFC 7396). Others are stored as they are. */
const SettingsPatch = JsonObject.and({
  "captcha?": Toggle("enabled"),
  "anonymous?": Toggle("enabled"),
  "challenge?": Toggle("required"),
  "review?": Toggle("required"),
});

/**
 * An array is bounded before its items are checked. One item more than the limit passes: SQL has the limit and its message, and raises
 * it once the form is known to exist.
 */
export const FormCreateRequest = type({
  name: Name,
  "description?": "string | null",
  "schema?": JsonObject.and({ fields: FormField.array().atMostLength(limits.form.maxFields + 1) }),
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
  field: FormField,
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

export const FormDiffRequest = type({
  operations: SetMeta.or(AddField)
    .or(UpdateField)
    .or(RemoveField)
    .or(MoveField)
    .array()
    .atMostLength(limits.form.maxPatchOperations + 1),
  "expectedVersion?": "number.integer",
});

export const FormListQuery = PageQuery.and({ "workspaceId?": Uuid });

/** A form, for its owner; `schema` is the draft. */
export const Form = type({
  id: Uuid,
  name: "string",
  description: "string | null",
  schema: JsonObject.and({ fields: FormField.array() }),
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

export type FormRow = Row<typeof Form>;
