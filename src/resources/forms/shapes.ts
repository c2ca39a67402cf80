/** Shapes of the form routes (specification, "Resources and their fields"). */
import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { formOperations } from "../../platform/http/examples.ts";
import type { Row } from "../../platform/http/resource.ts";
import {
  CursorQuery,
  InstantText,
  integerText,
  JsonObject,
  Name,
  QueryMoment,
  Timestamp,
  Uuid,
} from "../../platform/http/shapes.ts";
import { FormSettings, pageLanguages, SettingsPatch, settingsDocumentation } from "./settings.ts";
import { templateNames } from "./templates.ts";

/** A field of a draft, with the checks that a draft needs. Publishing checks the rest. */
export const DraftField = documented(
  JsonObject.and({ id: type.string.atLeastLength(1).atMostLength(limits.form.maxFieldIdLength) }),
  {
    text: "A field of a draft, which requires only its `id`. Publishing requires a FormField, or a custom type (`x-…`).",
    schema: {
      anyOf: [{ $ref: "#/components/schemas/FormField" }, { type: "object", additionalProperties: {} }],
    },
  },
);

/** One item more than the limits of arrays passes: SQL raises the limit, once the form is known to exist. */
export const FormCreateRequest = documented(
  type({
    "name?": Name,
    "description?": "string | null",
    "schema?": JsonObject.and({ fields: DraftField.array().atMostLength(limits.form.maxFields + 1) }),
    "workspaceId?": Uuid,
    "template?": type.enumerated(...templateNames),
    "language?": type.enumerated(...pageLanguages),
  }).narrow(({ name, schema, template, language }, context) => {
    if (template && schema)
      return context.reject({ path: ["schema"], expected: "left out, since the template has one" });
    if (!template && language)
      return context.reject({ path: ["language"], expected: "left out without a template" });
    return (
      name !== undefined || template !== undefined || context.reject({ path: ["name"], expected: "a string" })
    );
  }),
  {
    members: {
      name: "Not blank. Required without `template`.",
      schema: {
        text: `At most ${limits.form.maxSchemaBytes / 1024} KiB; ids are unique. Default: no fields.`,
        members: { fields: { schema: { maxItems: limits.form.maxFields } } },
      },
      workspaceId: "Default: the team's oldest workspace.",
      template: "In place of `schema`.",
      language: "Of the template. Default: `en`.",
    },
  },
);

const Index = type("number.integer >= 0");
/** Documentation of an operation: its title is the value of `op`. */
const documentedOperation = <S extends { infer: { op: keyof typeof formOperations } }>(
  shape: S,
  op: S["infer"]["op"],
  text: string,
) => documented(shape, { text, schema: { title: op, examples: [formOperations[op]] } });

export const SetMetaOperation = documentedOperation(
  type({
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
  ),
  "setMeta",
  "Changes the name, the description or settings, at least one of them. `settings` is a JSON merge patch: null removes a member.",
);

export const AddFieldOperation = documentedOperation(
  type({ op: "'addField'", field: DraftField, "index?": Index, "afterFieldId?": "string" }).narrow(
    (op, context) =>
      !("index" in op && "afterFieldId" in op) || context.reject("given index or afterFieldId, not both"),
  ),
  "addField",
  "Adds a field: at the end, at `index` (zero-based) or after the field `afterFieldId`.",
);

export const UpdateFieldOperation = documentedOperation(
  type({ op: "'updateField'", fieldId: "string", set: JsonObject }),
  "updateField",
  "Replaces the members in `set`, as a whole each; null removes one. The id stays.",
);

export const RemoveFieldOperation = documentedOperation(
  type({ op: "'removeField'", fieldId: "string" }),
  "removeField",
  "Removes a field. Values of earlier submissions stay.",
);

export const MoveFieldOperation = documentedOperation(
  type({ op: "'moveField'", fieldId: "string", "toIndex?": Index, "afterFieldId?": "string" }).narrow(
    (op, context) =>
      "toIndex" in op !== "afterFieldId" in op ||
      context.reject("given toIndex or afterFieldId, one of them"),
  ),
  "moveField",
  "Moves a field to `toIndex` (zero-based, without the field) or after the field `afterFieldId`, one of them.",
);

/** The members that each operation takes. */
const membersOf = ({ props }: { props: readonly { key: PropertyKey }[] }) =>
  props.map(({ key }) => String(key));
export const operationMembers = {
  setMeta: membersOf(SetMetaOperation),
  addField: membersOf(AddFieldOperation),
  updateField: membersOf(UpdateFieldOperation),
  removeField: membersOf(RemoveFieldOperation),
  moveField: membersOf(MoveFieldOperation),
} as const;

export const FormDiffRequest = documented(
  type({
    operations: SetMetaOperation.or(AddFieldOperation)
      .or(UpdateFieldOperation)
      .or(RemoveFieldOperation)
      .or(MoveFieldOperation)
      .array()
      .atMostLength(limits.form.maxPatchOperations + 1),
    "expectedVersion?": "number.integer",
    "expectedUpdatedAt?": InstantText,
  }),
  {
    members: {
      operations: {
        text: "Applied in order; later ones see earlier results. All or none.",
        schema: { minItems: 1, maxItems: limits.form.maxPatchOperations },
        items: { schema: { title: "FormPatchOp" } },
      },
      expectedVersion: "When sent, it must equal the form's `currentVersion`.",
      expectedUpdatedAt: {
        text: "When sent, it must be the instant of the form's `updatedAt`, so that two editors of one draft do not overwrite each other.",
        schema: { format: "date-time" },
      },
    },
  },
);

/** Format of a form as a file. A file of a later format is not read. */
export const fileFormat = "formd/form/1";

/** Never has what belongs to an installation, such as ids. */
export const FormFile = documented(
  type({
    format: type.unit(fileFormat),
    name: Name,
    "description?": "string | null",
    schema: { "+": "reject", fields: DraftField.array().atMostLength(limits.form.maxFields + 1) },
    "settings?": FormSettings,
  }),
  {
    text: "A form as a file: its draft, without the settings at their defaults, `settings.page.alias` and `settings.notify.recipients`.",
    members: {
      name: "Not blank.",
      description: "Default: none.",
      schema: { members: { fields: { schema: { maxItems: limits.form.maxFields } } } },
      settings: "Default: every setting at its default.",
    },
  },
);

export const FormFileQuery = type({ "version?": integerText(1, 2 ** 31 - 1) }).onUndeclaredKey("delete");

export const FormApplyQuery = type({
  "dryRun?": type("'true' | 'false'").pipe((text) => text === "true"),
  "expectedVersion?": integerText(0, 2 ** 31 - 1),
  "expectedUpdatedAt?": QueryMoment,
}).onUndeclaredKey("delete");

/** Query of a form's routes. */
export const FormQuery = type({
  "problems?": type("'true' | 'false'").pipe((text) => text === "true"),
}).onUndeclaredKey("delete");

/** A remark on a draft: a name that has no effect, or a reason why it cannot be published. */
export const DraftNote = documented(
  type({ path: "string", "field?": "string", message: "string", "nearest?": "string" }),
  {
    text: "A remark on a draft.",
    members: {
      path: "The place, with positions from 0, such as `schema.fields[3].showif` or `settings.captcha.required`; `operations[0].…`: of the request.",
      field: "The id of the field.",
      message: "A sentence for people.",
      nearest: "The known name that is meant.",
    },
  },
);

export const FormListQuery = CursorQuery.and({ "workspaceId?": Uuid }).onUndeclaredKey("delete");

const formMembers = {
  description: "Null: none.",
  schema: "The form's own field schema, not JSON Schema.",
  settings: settingsDocumentation,
  status: "A new form is a draft. Only a person publishes, archives and restores.",
  currentVersion: "0 before the first publish; each publish adds 1, a patch of the draft does not.",
} as const;

/** A form, for its owner; `schema` is the draft. */
export const Form = documented(
  type({
    id: Uuid,
    name: "string",
    description: "string | null",
    schema: JsonObject.and({ fields: DraftField.array() }),
    settings: FormSettings,
    status: "'draft' | 'published' | 'archived'",
    currentVersion: "number.integer >= 0",
    teamId: Uuid,
    workspaceId: Uuid,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    text: "A form. `schema` is the draft; submitters see the latest published version.",
    members: formMembers,
  },
);

export const FormWithPublished = documented(Form.and({ publishedSettings: FormSettings.or("null") }), {
  text: "A form, with the settings that a person published.",
  members: {
    publishedSettings:
      "Of `settings`, what a person published of `page.enabled`, `page.redirectUrl`, `page.embedOrigins`, `page.alias`, `page.agents`, `page.access`, `page.resume`, `page.change`, the links of `page.theme`, `invitations.anonymous`, `anonymous`, `captcha`, `review`, `challenge`, `availability`, `retention`, `copy`, `notify.recipients`, `notify.include` and `notify.replyTo`. In force is the stricter of both: a patch closes, requires and restricts at once, and what opens, loosens or redirects waits for publishing. Null: never published.",
  },
});

export type FormRow = Row<typeof Form>;

export type FormKey = Pick<FormRow, "teamId" | "id">;
