/** Shapes of the submitter routes, what they take and what they answer (specification, "Submission" and "Challenge"). @module */
import { type } from "arktype";
import type { UnstorableFields } from "../fields/compile.ts";
import { assertShape, parseJson, unstorableText } from "../http/body.ts";
import { FieldError, JsonObject, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";

const { maxMetadataBytes } = limits.submission;

export const SubmissionRequest = type({
  data: JsonObject,
  "metadata?": JsonObject.and({ "respondentId?": Uuid }),
});

/** The published version, as a submitter sees it. */
export const PublishedForm = type({
  id: Uuid,
  name: "string",
  description: "string | null",
  version: "number.integer >= 1",
  schema: JsonObject.and({ fields: JsonObject.array() }),
});

export const ValidateResult = type({
  valid: "boolean",
  errors: FieldError.array(),
  warnings: FieldError.array(),
  missingRequired: "string[]",
});

export const SubmissionReceipt = type({
  id: Uuid,
  status: "'pending' | 'completed' | 'partial'",
  missingRequired: "string[]",
});

export interface Submission {
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  respondentId: string | null;
  /** Fields whose value could not be kept as it was sent, with the code to report. */
  spoiled: UnstorableFields;
}

/**
 * Reads a SubmissionRequest. A value in `data` that cannot be kept is its field's fault, to be reported with the others; anywhere else it
 * is the body's.
 *
 * @throws {Problem} `invalid_content_type`, `invalid_body`.
 */
export function submissionOf(request: Request, bytes: Uint8Array): Submission {
  const { value, unstorable } = parseJson(request, bytes);
  const { data, metadata = null } = assertShape(value, SubmissionRequest, "invalid_body");
  const byField = new Map<string, "type_mismatch" | "format">();
  for (const fault of unstorable) {
    if (fault.path[0] !== "data") throw new Problem("invalid_body", unstorableText(fault));
    byField.set(String(fault.path[1]), fault.code);
  }
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    throw new Problem("invalid_body", `metadata may have at most ${maxMetadataBytes} bytes.`);
  }
  return { data, metadata, respondentId: metadata?.respondentId ?? null, spoiled: byField };
}
