/** The bodies of deliveries: `{ type, timestamp, data }` (Standard Webhooks, "Payload structure"). */
import { limits } from "../../limits.ts";
import type { Sql } from "../../platform/database/db.ts";
import { columnsOf, pick, type Row } from "../../platform/http/resource.ts";
import { Form } from "../forms/shapes.ts";
import { type SubmissionRow, submissionColumns, toSubmission } from "../submissions/shapes.ts";

export interface ClaimedDelivery {
  eventId: string;
  webhookId: string;
  attempt: number;
  url: string;
  payload: "thin" | "full";
  secretVersion: number;
  /** Fingerprint of the master key behind the secrets. */
  secretKey: string;
  /** Fingerprint for the previous secrets, as long as they sign too. */
  previousSecretKey: string | null;
  type: string;
  formId: string | null;
  subjectId: string;
  data: Record<string, unknown>;
  createdAt: Date;
}

/** The body of a delivery. A full payload that is too large is sent thin, with `truncated`. */
export async function deliveryBody(sql: Sql, team: string, claim: ClaimedDelivery): Promise<string> {
  const { type, createdAt, formId, subjectId, data } = claim;
  const [subject = ""] = type.split(".");
  const thin = { [`${subject}Id`]: subjectId, ...(formId && { formId }), ...data };
  const write = (members: object) =>
    JSON.stringify({ type, timestamp: createdAt.toISOString(), data: members });
  if (claim.payload === "thin") return write(thin);
  const record = await recordOf(sql, team, claim);
  const full = write({ ...thin, ...record });
  return Buffer.byteLength(full) <= limits.webhook.maxFullPayloadBytes
    ? full
    : write({ ...thin, truncated: true });
}

/** The current submission or form; nothing if it is deleted, so that no webhook sends erased data. */
async function recordOf(
  sql: Sql,
  team: string,
  { type, formId, subjectId }: ClaimedDelivery,
): Promise<object> {
  if (type.startsWith("submission.")) {
    const [row] = await sql<SubmissionRow[]>`
      select ${sql(submissionColumns)} from formd.submissions
      where team_id = ${team} and form_id = ${formId} and id = ${subjectId}`;
    return row ? { submission: toSubmission(row) } : {};
  }
  if (type.startsWith("form.")) {
    const [row] = await sql<Row<typeof Form>[]>`
      select ${columnsOf(sql, Form)} from formd.forms where team_id = ${team} and id = ${subjectId}`;
    return row ? { form: pick(Form, row) } : {};
  }
  return {};
}
