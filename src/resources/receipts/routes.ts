/** Receipts of submissions: for owners, for submitters, and the public keys for everyone. */
import { Elysia } from "elysia";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import {
  authorizationCodes,
  credentialsArgument,
  readSubmitterRequest,
  requireAllowed,
  sessionSecurity,
  signatureSecurity,
  submitApiKeySecurity,
} from "../../platform/auth/submitter.ts";
import { limitUnknownCallers } from "../../platform/auth/unknown-callers.ts";
import { queryText, rowOf } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { type Operation, operation } from "../../platform/http/operation.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { listReceiptKeys, serverSigner } from "./keys.ts";
import { writeKey } from "./note.ts";
import { receiptQuery, signedReceipt } from "./read.ts";
import { ReceiptKey, ReceiptKeyQuery } from "./shapes.ts";

const response: Operation["response"] = {
  description:
    "A signed note (https://c2sp.org/signed-note). The header `receipt-salt` is for a check of the stored data: `formd receipt verify --data FILE --salt SALT`.",
  media: { "text/plain": { schema: { type: "string" }, example: examples.receipt } },
};
const description =
  "States what was accepted, of whom and when, with digests of the schema, of the request's body and of the data. It is the same text each time, whatever is edited later. Of a deleted submission it is 410.";

/** Sends a receipt as text. @param json of {@link receiptQuery} @throws {Problem} `unavailable`. */
async function sendReceipt(deps: Deps, request: Request, json: string | null) {
  const { note, salt } = await signedReceipt(deps, json ?? "");
  Object.assign(contextOf(request).headers, {
    "content-type": "text/plain;charset=utf-8",
    "cache-control": "no-store",
    "receipt-salt": Buffer.from(salt).toString("base64url"),
  });
  return note;
}

/** The public keys of a team's receipts, for everyone. @throws {Problem} `rate_limited`, `unavailable`. */
async function readKeys(deps: Deps, request: Request, team: string) {
  limitUnknownCallers(deps, request);
  const { key: serverKey } = await serverSigner(deps);
  const keys = await listReceiptKeys(deps, team);
  return success({
    serverKey: writeKey(serverKey),
    keys: keys.map((key, index) => ({
      name: key.name,
      key: writeKey(key),
      statement: key.statement,
      createdAt: key.createdAt,
      retiredAt: keys[index + 1]?.createdAt ?? null,
    })),
  });
}

const keysResponse: Operation["response"] = {
  description: "The keys.",
  members: { serverKey: { schema: { type: "string" } }, keys: [ReceiptKey] },
  example: { serverKey: examples.receiptServerKey, keys: [examples.receiptKey] },
};

export const receiptRoutes = (deps: Deps) =>
  new Elysia({ name: "receipts" })
    .get(
      "/papi/v1/management/forms/:form_id/submissions/:submission_id/receipt",
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, "submissions:read");
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
        const row = await rowOf(deps.sql<
          { outcome: string; callerType: string | null; callerId: string | null }[]
        >`
            select * from formd.receipt_authorize(
              p_team => ${team}, p_form => ${form}, ${credentialsArgument(deps, credentials)}, p_submission => ${id})`);
        await requireAllowed(deps, submitter, row);
        const receipt = await queryText(deps.sql, receiptQuery(deps.sql, team, form, id));
        return await sendReceipt(deps, request, receipt);
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
      ({ query, request }) => readKeys(deps, request, parseQuery(query, ReceiptKeyQuery).team),
      operation({
        id: "listReceiptKeys",
        tag: "reference",
        summary: "List the public keys of a team's receipts",
        description:
          "Oldest first, retired ones included. A team has none before its first receipt. `serverKey` signs the keys of all teams. A key that neither it nor an earlier key has signed is not listed.",
        security: [{}],
        query: { shape: ReceiptKeyQuery },
        response: keysResponse,
        codes: ["rate_limited", "unavailable"],
      }),
    )
    .get(
      "/receipts/:team_id",
      ({ params, request }) => readKeys(deps, request, uuidParam(params, "team_id")),
      operation({
        id: "getReceiptKeys",
        tag: "reference",
        summary: "List the public keys of a team's receipts, by the name of the key",
        description:
          "The name of a key, which the last line of a receipt has, is this address. The response is that of `/papi/v1/receipt-keys`.",
        security: [{}],
        response: keysResponse,
        codes: ["rate_limited", "unavailable"],
      }),
    );
