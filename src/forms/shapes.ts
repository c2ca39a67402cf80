/** Shapes of the management routes, what they take and what they answer (specification, "Resources and their fields"). @module */
import { type } from "arktype";
import { JsonObject, Name, PageQuery, Timestamp, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";

/** A field as far as a draft is judged: publishing judges the rest. */
export const FormField = JsonObject.and({
  id: type.string.atLeastLength(1).atMostLength(limits.form.maxFieldIdLength),
});

const Toggle = (name: string) => JsonObject.and({ [`${name}?`]: "boolean | null" }).or("null");

/** The settings that formd knows; `null` removes, as RFC 7396 has it. Others are kept untouched. */
const SettingsPatch = JsonObject.and({
  "captcha?": Toggle("enabled"),
  "anonymous?": Toggle("enabled"),
  "challenge?": Toggle("required"),
  "review?": Toggle("required"),
});

export const FormCreateRequest = type({
  name: Name,
  "description?": "string | null",
  "schema?": JsonObject.and({ fields: FormField.array() }),
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

/** An empty or too long array is the function's to refuse, once the form is known to exist. */
export const FormDiffRequest = type({
  operations: SetMeta.or(AddField).or(UpdateField).or(RemoveField).or(MoveField).array(),
  "expectedVersion?": "number.integer",
});

export const FormListQuery = PageQuery.and({ "workspaceId?": Uuid });

/** A form as its owner sees it; `schema` is the draft. */
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
