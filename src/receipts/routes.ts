/** Receipts of submissions: for owners, for submitters, and the public keys for everyone. */
import { Elysia } from "elysia";
import { apiKeySecurity, asOwner, ownerCodes } from "../auth/api-key.ts";
import {
  authorizationCodes,
  credentialsArgument,
  readSubmitterRequest,
  requireAllowed,
  sessionSecurity,
  signatureSecurity,
  submitApiKeySecurity,
} from "../auth/submitter.ts";
import { requireFewUnknown } from "../auth/unknown-callers.ts";
import { oneRow, textOf } from "../db.ts";
import type { Deps } from "../deps.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { type Operation, operation } from "../http/operation.ts";
import { contextOf } from "../http/request-context.ts";
import { parseQuery, uuidParam } from "../http/shapes.ts";
import { keyFor, listReceiptKeys } from "./keys.ts";
import { signNote, writeKey } from "./note.ts";
import { parseReceiptData, receiptQuery } from "./read.ts";
import { writeReceipt } from "./receipt.ts";
import { ReceiptKey, ReceiptKeyQuery } from "./shapes.ts";

const response: Operation["response"] = {
  description:
    "A signed note (https://c2sp.org/signed-note). The header `receipt-salt` is for a check of the stored data: `formd receipt verify --data FILE --salt SALT`.",
  media: { "text/plain": { schema: { type: "string" }, example: examples.receipt } },
};
const description =
  "States what was accepted, of whom and when, with digests of the schema, of the request's body and of the data. It is the same text each time, whatever is edited later. Of a deleted submission it is 410.";

/** Sends the receipt of a submission as text. @param json the result of {@link receiptQuery} @throws {Problem} `unavailable`. */
async function sendReceipt(deps: Deps, request: Request, json: string | null) {
  const { team, accepted, keys } = parseReceiptData(json ?? "");
  const { key, privateKey } = await keyFor(deps, team, accepted.acceptedAt, keys);
  Object.assign(contextOf(request).headers, {
    "content-type": "text/plain;charset=utf-8",
    "cache-control": "no-store",
    "receipt-salt": Buffer.from(accepted.salt).toString("base64url"),
  });
  return await signNote(writeReceipt(accepted), key, privateKey);
}

export const receipts = (deps: Deps) =>
  new Elysia({ name: "receipts" })
    .get(
      "/papi/v1/management/forms/:form_id/submissions/:submission_id/receipt",
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, "submissions:read");
        const receipt = await run(({ team }) => {
          const [form, id] = [uuidParam(params, "form_id"), uuidParam(params, "submission_id")];
          return receiptQuery(deps.sql, team, form, id);
        });
        return await sendReceipt(deps, request, receipt);
      },
      operation({
        id: "getReceipt",
        tag: "management",
        summary: "Read the receipt of a submission",
        description,
        security: apiKeySecurity("submissions:read"),
        response,
        codes: [...ownerCodes, "not_found", "gone"],
      }),
    )
    .get(
      "/papi/v1/submitter/receipts/:submission_id",
      async ({ request, params }) => {
        const submitter = await readSubmitterRequest(deps, request);
        const { team, form, credentials } = submitter;
        const id = uuidParam(params, "submission_id");
        const row = oneRow(
          await deps.sql<{ outcome: string; callerType: string | null; callerId: string | null }[]>`
            select * from formd.receipt_authorize(
              p_team => ${team}, p_form => ${form}, ${credentialsArgument(deps, credentials)}, p_submission => ${id})`,
        );
        await requireAllowed(deps, submitter, row);
        return await sendReceipt(
          deps,
          request,
          await textOf(deps.sql, receiptQuery(deps.sql, team, form, id)),
        );
      },
      operation({
        id: "getOwnReceipt",
        tag: "submitter",
        summary: "Read the receipt of a submission of one's own",
        description: `${description} For the agent, session or API key that has submitted it, with the form's access key.`,
        security: [sessionSecurity, signatureSecurity, submitApiKeySecurity],
        response,
        codes: [...authorizationCodes, "rate_limited", "not_found", "gone", "payload_too_large"],
      }),
    )
    .get(
      "/papi/v1/receipt-keys",
      async ({ query, request }) => {
        const { team } = parseQuery(query, ReceiptKeyQuery);
        requireFewUnknown(deps, request);
        const keys = await listReceiptKeys(deps, team);
        return success({
          keys: keys.map((key, index) => ({
            name: key.name,
            key: writeKey(key),
            createdAt: key.createdAt,
            retiredAt: keys[index + 1]?.createdAt ?? null,
          })),
        });
      },
      operation({
        id: "listReceiptKeys",
        tag: "reference",
        summary: "List the public keys of a team's receipts",
        description: "Oldest first, retired ones included. A team has none before its first receipt.",
        security: [{}],
        query: { shape: ReceiptKeyQuery },
        response: {
          description: "The keys.",
          members: { keys: [ReceiptKey] },
          example: { keys: [examples.receiptKey] },
        },
        codes: ["rate_limited"],
      }),
    );
