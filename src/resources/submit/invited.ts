/** A post of an invitation's page: its hidden values, and the claim of an anonymous form's invitation. */
import { sha256 } from "../../platform/auth/secret.ts";
import type { SubmitterRequest } from "../../platform/auth/submitter.ts";
import { rowOf } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { Problem } from "../../problem.ts";
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
 * @throws {Problem} `gone` if another page has used the invitation.
 */
export async function withClaim(
  { sql }: Deps,
  { team, form, credentials }: SubmitterRequest,
  send: () => Sending,
): Sending {
  const names = sql`p_team => ${team}, p_form => ${form},
    p_token_hash => ${credentials.invitation_hash ?? null}::text::bytea,
    p_claim_hash => ${credentials.claim_hash ?? null}::text::bytea`;
  const { claim } = await rowOf(sql<{ claim: string }[]>`select formd.invitation_claim(${names}) as claim`);
  if (claim === "gone") throw new Problem("gone");
  const sent = await send();
  const isStored = sent.result.outcome === "stored";
  if (isStored || claim === "claimed")
    await sql`select formd.invitation_claim_end(${names}, p_is_stored => ${isStored})`;
  return sent;
}
