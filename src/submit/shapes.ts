/** Shapes of the submitter routes: requests and responses (specification, "Submission"). */
import { type } from "arktype";
import type { UnstorableFields } from "../fields/compile.ts";
import { assertShape, parseJson, unstorableText } from "../http/body.ts";
import { documented } from "../http/documented.ts";
import { FieldError, JsonObject, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";

const { maxMetadataBytes } = limits.submission;

export const SubmissionRequest = documented(
  type({
    data: JsonObject,
    "metadata?": JsonObject.and({ "respondentId?": Uuid }),
  }),
  {
    text: "A payload, validated against the form's published version.",
    members: {
      data: "Values by field id. Null, blank text, [] and {} count as absent.",
      metadata: `At most ${maxMetadataBytes} bytes. \`respondentId\` names the respondent of the submission.`,
    },
  },
);

/** The published version, as a submitter sees it. */
export const PublishedForm = documented(
  type({
    id: Uuid,
    name: "string",
    description: "string | null",
    version: "number.integer >= 1",
    schema: JsonObject.and({ fields: JsonObject.array() }),
  }),
  "The version that payloads are validated against.",
);

export const ValidateResult = documented(
  type({
    valid: "boolean",
    errors: FieldError.array(),
    warnings: FieldError.array(),
    missingRequired: "string[]",
  }),
  {
    members: {
      valid: "True when `errors` and `missingRequired` are both empty.",
      warnings: "`unknown_field`: ignored here, an error on submit.",
    },
  },
);

export const SubmissionReceipt = documented(
  type({
    id: Uuid,
    status: "'pending' | 'completed' | 'partial'",
    missingRequired: "string[]",
  }),
  { members: { missingRequired: "Ids of required fields that a partial submission lacks." } },
);

export interface Submission {
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  respondentId: string | undefined;
  /** Fields with a value that cannot be stored exactly, with the code to report. */
  unstorable: UnstorableFields;
}

/**
 * Parses a SubmissionRequest. An unstorable value in `data` becomes an error of its field, reported with the others; anywhere else the
 * body is invalid.
 *
 * @throws {Problem} `invalid_content_type`, `invalid_body`.
 */
export function parseSubmission(request: Request, bytes: Uint8Array): Submission {
  const { value, unstorable } = parseJson(request, bytes);
  const { data, metadata = null } = assertShape(value, SubmissionRequest, "invalid_body");
  const byField = new Map<string, "type_mismatch" | "format">();
  for (const found of unstorable) {
    if (found.path[0] !== "data") throw new Problem("invalid_body", unstorableText(found));
    byField.set(String(found.path[1]), found.code);
  }
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    throw new Problem("invalid_body", `metadata may have at most ${maxMetadataBytes} bytes.`);
  }
  return { data, metadata, respondentId: metadata?.respondentId, unstorable: byField };
}
