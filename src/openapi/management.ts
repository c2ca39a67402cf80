/** The management routes, for the OpenAPI document. @module */
import { FormListQuery } from "../forms/shapes.ts";
import { PageQuery } from "../http/shapes.ts";
import { SubmissionExportQuery, SubmissionListQuery } from "../submissions/shapes.ts";
import { form, ids, pagination, submission, times } from "./examples.ts";
import { apiKeySecurity, type Operation } from "./operation.ts";

const forms = "/papi/v1/management/forms";
const one = `${forms}/{form_id}`;
const rows = `${one}/submissions`;
const row = `${rows}/{submission_id}`;
const keyed = ["unauthorized", "missing_scope"] as const;
const filters = {
  status: "Only submissions in this state.",
  createdAfter: "Only later ones; exclusive.",
  createdBefore: "Only earlier ones; exclusive.",
  agentId: "Only what this agent submitted.",
  respondentId: "Only what is about this respondent.",
};

export const management: readonly Operation[] = [
  {
    method: "get",
    path: forms,
    id: "listForms",
    tag: "management",
    summary: "List forms",
    description: "The team's forms, newest first.",
    security: apiKeySecurity("forms:read"),
    query: { shape: FormListQuery, notes: { workspaceId: "Only forms of this workspace." } },
    response: {
      description: "A page of forms.",
      data: { forms: ["Form"], pagination: "Pagination" },
      example: { forms: [form], pagination },
    },
    codes: keyed,
  },
  {
    method: "post",
    path: forms,
    id: "createForm",
    tag: "management",
    summary: "Create a form",
    description: "A draft. A person publishes it; no route of this API does.",
    security: apiKeySecurity("forms:write"),
    body: {
      shape: "FormCreateRequest",
      examples: {
        fields: {
          summary: "With fields",
          value: { name: form.name, description: form.description, schema: form.schema },
        },
        empty: { summary: "A name only", value: { name: "Newsletter" } },
      },
    },
    response: { description: "The draft.", data: { form: "Form" }, example: { form } },
    codes: [...keyed, "not_found", "conflict"],
  },
  {
    method: "get",
    path: one,
    id: "getForm",
    tag: "management",
    summary: "Read a form",
    description: "With its draft schema, settings and `currentVersion`.",
    security: apiKeySecurity("forms:read"),
    response: { description: "The form.", data: { form: "Form" }, example: { form } },
    codes: [...keyed, "not_found"],
  },
  {
    method: "patch",
    path: one,
    id: "patchForm",
    tag: "management",
    summary: "Edit a form's draft",
    description:
      "Operations apply in order, all or none. What is published stays as it is until the next publish, and `currentVersion` does not move.",
    security: apiKeySecurity("forms:write"),
    body: {
      shape: "FormDiffRequest",
      examples: {
        add: {
          summary: "Add a field and rename the form",
          value: {
            operations: [
              { op: "addField", field: { id: "phone", type: "phone", label: "Phone" } },
              { op: "setMeta", name: "Contact us" },
            ],
          },
        },
      },
    },
    response: { description: "The form with its new draft.", data: { form: "Form" }, example: { form } },
    codes: [...keyed, "not_found", "conflict"],
  },
  {
    method: "get",
    path: rows,
    id: "listSubmissions",
    tag: "management",
    summary: "List submissions",
    description: "Newest first.",
    security: apiKeySecurity("submissions:read"),
    query: { shape: SubmissionListQuery, notes: filters },
    response: {
      description: "A page of submissions.",
      data: { submissions: ["Submission"], pagination: "Pagination" },
      example: { submissions: [submission], pagination },
    },
    codes: [...keyed, "not_found"],
  },
  {
    method: "get",
    path: `${rows}/export`,
    id: "exportSubmissions",
    tag: "management",
    summary: "Export submissions",
    description: "All of them, newest first, as a file; takes the filters of the list.",
    security: apiKeySecurity("submissions:read"),
    query: { shape: SubmissionExportQuery, notes: { ...filters, format: "CSV (RFC 4180) or JSON Lines." } },
    response: {
      description: "The file.",
      media: {
        "text/csv": { schema: { type: "string" }, example: `id,status\r\n${ids.submission},completed\r\n` },
        "application/jsonl": { schema: { type: "string" }, example: `${JSON.stringify(submission)}\n` },
      },
    },
    codes: [...keyed, "not_found"],
  },
  {
    method: "get",
    path: row,
    id: "getSubmission",
    tag: "management",
    summary: "Read a submission",
    security: apiKeySecurity("submissions:read"),
    response: {
      description: "The submission.",
      data: { submission: "Submission" },
      example: { submission },
    },
    codes: [...keyed, "not_found"],
  },
  {
    method: "patch",
    path: row,
    id: "patchSubmission",
    tag: "management",
    summary: "Edit a submission",
    description:
      "Each value must pass its field's rules in the submission's own form version. Every edit stands in the audit with the API key's id.",
    security: apiKeySecurity("submissions:update"),
    body: {
      shape: "SubmissionPatchRequest",
      examples: {
        edit: {
          summary: "Correct one value, remove another",
          value: {
            expectedUpdatedAt: times.updatedAt,
            edits: [
              { fieldId: "name", value: "Ada King" },
              { fieldId: "people", value: null },
            ],
          },
        },
      },
    },
    response: {
      description: "The submission as it is now.",
      data: { submission: "Submission" },
      example: { submission },
    },
    codes: [...keyed, "not_found", "conflict", "validation_failed"],
  },
  {
    method: "delete",
    path: row,
    id: "deleteSubmission",
    tag: "management",
    summary: "Delete a submission",
    description: "Its values are erased at once, in the audit too; that it was, by whom and when stays.",
    security: apiKeySecurity("submissions:delete"),
    response: {
      description: "It is gone.",
      data: "Deleted",
      example: { id: ids.submission, deleted: true },
    },
    codes: [...keyed, "not_found"],
  },
  {
    method: "get",
    path: `${row}/edits`,
    id: "listSubmissionEdits",
    tag: "management",
    summary: "Read a submission's audit",
    description: "One entry an edited field, newest first, also after the submission was deleted.",
    security: apiKeySecurity("submissions:read"),
    query: { shape: PageQuery },
    response: {
      description: "A page of edits, and the deletion if there was one.",
      data: {
        edits: ["SubmissionEdit"],
        erasure: { orNull: "SubmissionErasure" },
        pagination: "Pagination",
      },
      example: {
        edits: [
          {
            id: ids.edit,
            fieldId: "name",
            oldValue: "Ada",
            newValue: "Ada King",
            apiKeyId: ids.apiKey,
            requestId: "req-1",
            createdAt: times.updatedAt,
            erasedAt: null,
          },
        ],
        erasure: null,
        pagination,
      },
    },
    codes: [...keyed, "not_found"],
  },
];
