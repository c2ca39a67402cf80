/** A post of an invitation's page: its hidden values, and the claim of an anonymous form's invitation. */
import { Buffer } from "node:buffer";
import { sha256 } from "../../platform/auth/secret.ts";
import type { SubmitterRequest } from "../../platform/auth/submitter.ts";
import { rowOf, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import type { FormAddress } from "../forms/page-address.ts";
import { readPage } from "../forms/page-read.ts";
import type { submit } from "./submit.ts";
import { compiledVersion } from "./versions.ts";

/** Reads the values of an invitation. None of an unknown one, which the submission refuses and counts. */
export async function readPrefill({ sql }: Deps, address: FormAddress, token: string) {
  const held = compiledVersion(address.form)?.version;
  const page = await readPage(sql, address, held, { ipKey: null, maxRequests: 0 }, sha256(token));
  return page.invitation?.prefill ?? {};
}

type Sending = ReturnType<typeof submit>;

/**
 * Sends an anonymous submission, for which its invitation is claimed before, in a transaction of its own.
 * Without a response from the database the claim stays, and the same page can be sent again.
 * The page that has used it gets its first response.
 */
export async function withClaim(
  { sql }: Deps,
  submitter: SubmitterRequest,
  send: (submitter: SubmitterRequest) => Sending,
): Sending {
  const { team, form, credentials } = submitter;
  const first = Buffer.from(credentials.claim_hash?.slice("\\x".length) ?? "", "hex");
  const claim_hash = toByteaText(sha256(first));
  const claiming = { ...submitter, credentials: { ...credentials, claim_hash } };
  const names = sql`p_team => ${team}, p_form => ${form},
    p_token_hash => ${credentials.invitation_hash ?? null}::text::bytea,
    p_claim_hash => ${claim_hash}::text::bytea`;
  const { claim } = await rowOf(sql<{ claim: string }[]>`select formd.invitation_claim(${names}) as claim`);
  const sent = await send(claiming);
  const isStored = sent.result.outcome === "stored";
  if (isStored || claim === "claimed")
    await sql`select formd.invitation_claim_end(${names}, p_is_stored => ${isStored})`;
  return sent;
}
