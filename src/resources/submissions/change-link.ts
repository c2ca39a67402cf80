/** Links by which respondents change what they sent. They are derived from the master key: none is stored. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { uuidOf } from "../../platform/auth/secret.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { MasterKey } from "../../platform/master-key.ts";
import type { FormAddress } from "../forms/page-address.ts";

const idBytes = 16;
const macBytes = 16;

const macOf = (masterKey: MasterKey, form: string, id: Uint8Array): Buffer =>
  createHmac("sha256", masterKey.derive("change-link", form)).update(id).digest().subarray(0, macBytes);

/** Returns the token of a submission's link. @throws {Problem} `unavailable` without a master key. */
export function changeToken(masterKey: MasterKey, form: string, submission: string): string {
  const id = Buffer.from(submission.replaceAll("-", ""), "hex");
  return Buffer.concat([id, macOf(masterKey, form, id)]).toString("base64url");
}

/** Returns the submission of a token that one of the server's master keys has made; undefined: none has. */
export function submissionOfToken(masterKey: MasterKey, form: string, token: string): string | undefined {
  const bytes = Buffer.from(token, "base64url");
  // Some bits of the last character are unused: another character would be a second token.
  const isWhole = bytes.length === idBytes + macBytes && bytes.toString("base64url") === token;
  if (!masterKey.isPresent || !isWhole) return undefined;
  const [id, mac] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes)];
  const isValid = masterKey.all.some((key) => timingSafeEqual(macOf(key, form, id), mac));
  return isValid ? uuidOf(id.toString("hex")) : undefined;
}

export interface ChangeLink {
  token: string;
  /** When it ends; null: it has no end. */
  endsAt: Date | null;
}

/** Returns the link of a submission; undefined: the respondent may not change it. */
export async function findChangeLink(
  { sql, masterKey }: { sql: Sql; masterKey: MasterKey },
  { team, form }: FormAddress,
  submission: string,
): Promise<ChangeLink | undefined> {
  if (!masterKey.isPresent) return undefined;
  const { outcome, endsAt } = await rowOf(sql<{ outcome: string; endsAt: Date | null }[]>`
    select outcome, ends_at from formd.change_link_state(
      p_team => ${team}, p_form => ${form}, p_submission => ${submission}, p_is_withdrawal => false)`);
  return outcome === "allowed" ? { token: changeToken(masterKey, form, submission), endsAt } : undefined;
}
