/**
 * What the shapes cannot express: descriptions, and limits that are checked elsewhere (by a SQL function, or between members). By path:
 * `Form.status`, `FormDiffRequest.operations[]`. A path that does not exist stops the start.
 */
import type { Schema } from "../http/operation.ts";
import { limits } from "../limits.ts";

const fieldProperties: Record<string, Schema> = {
  id: {
    type: "string",
    minLength: 1,
    maxLength: limits.form.maxFieldIdLength,
    description: "Unique within the form; the key in a submission's `data`.",
  },
  type: {
    description:
      "Such as `text`, `email`, `phone`, `integer`, `select`, `date`. Checked when the form is published.",
  },
  label: { description: "Shown to the respondent." },
  required: { description: "`true`: an empty value is an error." },
  description: { description: "A longer text for the respondent." },
  placeholder: { description: "Shown in an empty input." },
  help: { description: "Shown beside the input." },
  default: { description: "Offered as a value; the server does not fill it in." },
  options: { description: "Choices: strings, or `{ value, label }`." },
  validation: {
    description:
      "Constraints, named as in JSON Schema: `minLength`, `pattern`, `minimum`, `allowedDomains`, …",
  },
  agentHint: { description: "A hint for agents; part of the form's JSON Schema." },
};

export const descriptions: Record<string, string | Schema> = {
  Form: "A form. `schema` is the draft; submitters see the latest published version.",
  "Form.description": "Null: none.",
  "Form.schema": "The form's own field schema, not JSON Schema.",
  "Form.settings": "Unknown settings are kept unchanged.",
  "Form.settings.captcha": "`enabled`: an anonymous session requires a CAPTCHA.",
  "Form.settings.anonymous": "`enabled: false`: no anonymous sessions.",
  "Form.settings.challenge": "`required`: an agent must hold a challenge pass to submit.",
  "Form.settings.review": "`required`: a submission is `pending` until an owner completes it.",
  "Form.status": "A new form is a draft. Only a person publishes, archives and restores.",
  "Form.currentVersion": "0 before the first publish; each publish adds 1, a patch of the draft does not.",
  FormField: {
    description: "A field. A draft requires only its `id`; publishing checks the rest.",
    properties: fieldProperties,
  },
  "FormCreateRequest.name": "Not blank.",
  "FormCreateRequest.schema": `At most ${limits.form.maxFields} fields and ${limits.form.maxSchemaBytes / 1024} KiB; ids are unique. Default: no fields.`,
  "FormCreateRequest.schema.fields": { maxItems: limits.form.maxFields },
  "FormCreateRequest.workspaceId": "Default: the team's oldest workspace.",
  "FormDiffRequest.operations": {
    description: "Applied in order; later ones see earlier results. All or none.",
    minItems: 1,
    maxItems: limits.form.maxPatchOperations,
  },
  "FormDiffRequest.operations[]": {
    title: "FormPatchOp",
    description:
      "`setMeta` takes at least one of name, description, settings (a JSON merge patch). `addField` appends, or inserts at `index` or after `afterFieldId`, not both. `updateField.set` replaces members, null removes one; the id stays. `moveField` takes one of `toIndex` (zero-based) and `afterFieldId`.",
  },
  "FormDiffRequest.expectedVersion": "When sent, it must equal the form's `currentVersion`.",
  Submission: "A submission, as its form's owner sees it.",
  "Submission.formVersion": "The published version that the data was validated against.",
  "Submission.status": "`partial` lacks required fields; `pending` awaits its owner's review.",
  "Submission.data": "Values by field id; empty ones are absent.",
  "Submission.submitter": "Its sender: an agent, an anonymous session or an API key.",
  "Submission.updatedAt":
    "Increases with every change. The token of optimistic concurrency: send it back as `expectedUpdatedAt`.",
  "SubmissionPatchRequest.expectedUpdatedAt": "The exact `updatedAt` of the most recent GET.",
  "SubmissionPatchRequest.edits": "Edits of different fields.",
  "SubmissionPatchRequest.edits[].value":
    "Any JSON value that the field's rules accept; null removes the field.",
  SubmissionEdit: "One edited field, in an append-only audit.",
  "SubmissionEdit.oldValue": "Null: the field was absent, or the submission has been erased since.",
  "SubmissionEdit.newValue": "Null: the field was removed, or the submission has been erased since.",
  "SubmissionEdit.erasedAt": "When the values were erased, with the submission.",
  SubmissionErasure: "The deletion of a submission: who, when and which fields it had, without the values.",
  Agent: "A non-human identity. It can do nothing before an operator grants it scopes on a form.",
  "Agent.secretPrefix": "The first characters of the secret, to identify it.",
  "Agent.status": "`revoked` is permanent.",
  "AgentCreateRequest.workspaceId": "Default: the team's oldest workspace.",
  AgentPatchRequest: { description: "`name`, `status` or both.", minProperties: 1 },
  AgentRegistration: "The secret is shown only here.",
  AgentSecret: "The new secret is shown only here; the previous one is no longer valid for new sessions.",
  Grant: "The scopes of an agent on one form, checked at every request.",
  "Grant.respondentId": "The respondent that the grant is bound to.",
  "Grant.bindingRequired": "True: a submission must name that respondent.",
  "GrantRequest.scopes": {
    description: "They replace the scopes of an earlier grant. `agent:submit` requires an operator.",
    minItems: 1,
  },
  "GrantRequest.respondentId": "Binds the grant to one respondent; requires an operator. Null unbinds.",
  "AgentKey.keyId": "`key_` and the first 16 hex characters of the SHA-256 of the PEM text as it was sent.",
  "KeyRequest.publicKeyPem": "An Ed25519 public key: SPKI in PEM, between BEGIN and END PUBLIC KEY lines.",
  "KeyRequest.expiresAt": "In the future. Default: never.",
  "TokenRequest.clientSecret": "The agent's secret, unless it is in `x-agent-secret`.",
  "AnonymousRequest.captchaToken": "The CAPTCHA widget's token; required when the form's settings say so.",
  SessionToken: "Send it as `x-respondent-token` until `expiresAt`.",
  PublishedForm: "The version that payloads are validated against.",
  SubmissionRequest: "A payload, validated against the form's published version.",
  "SubmissionRequest.data": "Values by field id. Null, blank text, [] and {} count as absent.",
  "SubmissionRequest.metadata": `At most ${limits.submission.maxMetadataBytes} bytes. \`respondentId\` names the respondent of the submission.`,
  "SubmissionReceipt.missingRequired": "Ids of required fields that a partial submission lacks.",
  "ValidateResult.valid": "True when `errors` and `missingRequired` are both empty.",
  "ValidateResult.warnings": "`unknown_field`: ignored here, an error on submit.",
  "Challenge.prompt": "The question, for a person or a model.",
  "ChallengeRespondRequest.answer": "Any JSON value that the field would accept.",
  "ChallengeResult.passExpiresAt": "With `passed: true`: when the pass expires.",
  "ChallengeResult.remainingAttempts": "With `passed: false`.",
  "ChallengeResult.failedAt": "True when no attempts remain.",
  FieldError: "An error of one field's value.",
  "FieldError.field": "The field's id; absent for the form as a whole.",
  "FieldError.code": "Stable.",
  "FieldError.message": "A sentence; it never repeats the value.",
  "FieldError.help": { description: "What the code means, with an example.", format: "uri" },
  "FieldError.constraint": "The violated rule, by its name in the field's definition.",
  "FieldError.expected": "What the rule requires.",
};
