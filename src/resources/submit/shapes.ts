/** Shapes of the submitter routes: requests and responses (specification, "Submission"). */
import { type } from "arktype";
import type { CompiledForm, UnstorableFields } from "../../fields/compile.ts";
import type { FullOptions } from "../../fields/option-limits.ts";
import { limits } from "../../limits.ts";
import { assertBody, parseJson, unstorableText } from "../../platform/http/body.ts";
import { documented } from "../../platform/http/documented.ts";
import { FieldError, JsonObject, Uuid } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";

const { maxMetadataBytes } = limits.submission;
const { maxKeyLength } = limits.idempotency;

/** Printable ASCII, which every proxy sends unchanged in a header. Spaces at the ends are trimmed there. */
export const idempotencyKeyPattern = new RegExp(
  `^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,${maxKeyLength - 2}}[\\x21-\\x7e])?$`,
);

/** Returns the key of a request or of a tool's call. @throws {Problem} `bad_request` naming it as `name` */
export function requireIdempotencyKey(key: unknown, name: string): string | undefined {
  if (key === undefined || (typeof key === "string" && idempotencyKeyPattern.test(key))) return key;
  throw new Problem(
    "bad_request",
    `${name} must have 1 to ${maxKeyLength} printable ASCII characters, and no space at either end.`,
  );
}

export const SubmissionRequest = documented(
  type({ data: JsonObject, "metadata?": JsonObject.and({ "respondentId?": Uuid }) }),
  {
    text: "A payload, validated against the form's published version.",
    members: {
      data: "Values by field id. Null, blank text, [] and {} count as absent.",
      metadata: `At most ${maxMetadataBytes} bytes. \`respondentId\` names the respondent of the submission.`,
    },
  },
);

export const PublishedForm = documented(
  type({
    id: Uuid,
    name: "string",
    description: "string | null",
    version: "number.integer >= 1",
    schema: JsonObject.and({ fields: JsonObject.array() }),
    "fullOptions?": type("Record<string, (string | number | boolean)[]>"),
  }),
  {
    text: "The version that payloads are validated against.",
    members: {
      fullOptions:
        "Values of options that are full now, by the id of their field: submit refuses them as `option_full`. Absent: none.",
    },
  },
);

const NotApplicable = documented(
  type({ field: "string", showIf: "string", read: "Record<string, unknown>" }),
  {
    text: "A field that is not asked for.",
    members: {
      showIf: "The condition that does not hold: of the field, or of its step.",
      read: "The values that it has read, by field id. Null: there is none.",
    },
  },
);

export const ValidateResult = documented(
  type({
    valid: "boolean",
    errors: FieldError.array(),
    warnings: FieldError.array(),
    missingRequired: "string[]",
    "language?": "string",
    "applicable?": "string[]",
    "notApplicable?": NotApplicable.array(),
  }),
  {
    members: {
      valid: "True when `errors` and `missingRequired` are both empty.",
      warnings: "`unknown_field` and `not_applicable`: ignored here, errors on submit.",
      language: "The language of the messages of the owner's rules. Only of forms that have several.",
      applicable:
        "Ids of the fields that the form asks for with these values, in its order. Only of forms whose fields depend on each other.",
      notApplicable: "With `explain=true`: the other fields, and why.",
    },
  },
);

export const SubmissionReceipt = documented(
  type({ id: Uuid, status: "'pending' | 'completed' | 'partial'", missingRequired: "string[]" }),
  { members: { missingRequired: "Ids of required fields that a partial submission lacks." } },
);

/** The full options, for the outcome `option_full` and for an admitted dry run. */
export const fullOptionsIn = (response: object | null): FullOptions | undefined =>
  (response as { full?: FullOptions | null } | null)?.full ?? undefined;

export interface SubmitBody {
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  respondentId: string | undefined;
  /** Fields with an unstorable value, and the code to report. */
  unstorable: UnstorableFields;
}

/** Metadata has no more members than half of its bytes: `{"a":1,…}`. */
const maxOtherMembers = maxMetadataBytes / 2;

/**
 * Parses a SubmissionRequest. An unstorable value in `data` is an error of its field.
 * @param form undefined: not known yet, and the body is small
 * @throws {Problem} `invalid_content_type`; `invalid_body`, also for an unstorable value elsewhere, and for
 * more members than the form has fields for.
 */
export function parseSubmission(request: Request, bytes: Uint8Array, form?: CompiledForm): SubmitBody {
  const { value, unstorable } = parseJson(request, bytes, form && form.maxMembers.all + maxOtherMembers);
  const { data, metadata = null } = assertBody(value, SubmissionRequest);
  const byField = new Map<string, "type_mismatch" | "format">();
  for (const found of unstorable) {
    if (found.path[0] !== "data") throw new Problem("invalid_body", unstorableText(found));
    byField.set(String(found.path[1]), found.code);
  }
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    throw new Problem("invalid_body", `metadata may have at most ${maxMetadataBytes} bytes.`);
  }
  const tooMany = form && tooManyMembers({ data }, form);
  if (tooMany) throw tooMany;
  return { data, metadata, respondentId: metadata?.respondentId, unstorable: byField };
}

/** `invalid_body` for data that has too many members to validate each; undefined: it has not. */
export const tooManyMembers = ({ data }: Pick<SubmitBody, "data">, { fields, maxMembers }: CompiledForm) =>
  Object.keys(data).length > maxMembers.top
    ? new Problem(
        "invalid_body",
        `data may have at most ${maxMembers.top} members: the form has ${fields.length} fields.`,
      )
    : undefined;

/** The parameter `lang`, which is looked up: it never is an error. An empty one is none. */
export const languageParameter = {
  shape: { "lang?": "string" },
  note: "A language of the form (BCP 47), by look-up (RFC 4647): `de-AT` finds `de`. Another one: the form's first. Of several the last.",
} as const;

/** The language of the texts of a published form, beside it in a response. */
export const languageMember = {
  schema: {
    type: "string",
    description: "The language of the texts (BCP 47). Only of forms that have several.",
  },
  isOptional: true,
} as const;

/** Parses a query parameter: `true` or `false`. Default: `false`. @throws {Problem} `bad_request`. */
export function booleanParameter(query: Record<string, string>, name: string): boolean {
  const { [name]: value = "false" } = query;
  if (value !== "true" && value !== "false")
    throw new Problem("bad_request", `${name} must be true or false.`);
  return value === "true";
}
