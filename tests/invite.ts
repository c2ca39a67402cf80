/** Invitations that tests make without the API, and what the database has of them. */
import { v7 as uuidv7 } from "uuid";
import { makeLinkToken } from "../src/pages/form-page/links.ts";
import { sha256 } from "../src/platform/auth/secret.ts";
import { type Sql, toByteaText } from "../src/platform/database/db.ts";
import type { PublishedForm, Team } from "./setup.ts";

interface Invited {
  prefill?: Record<string, unknown>;
  language?: string;
  respondent?: string;
  state?: string;
  expiresAt?: Date;
}

/** Makes an invitation, and returns the token of its link. */
export async function invite(
  sql: Sql,
  team: Pick<Team, "id">,
  form: Pick<PublishedForm, "id">,
  {
    prefill,
    language,
    respondent,
    state = "open",
    expiresAt = new Date(Date.now() + 86_400_000),
  }: Invited = {},
): Promise<string> {
  const token = makeLinkToken();
  await sql`
    insert into formd.invitations (team_id, form_id, id, token_hash, prefill, language, respondent_id, state, expires_at)
    values (${team.id}, ${form.id}, ${uuidv7()}, ${sha256(token)}, ${prefill ? sql.json(prefill as never) : null},
      ${language ?? null}, ${respondent ?? null}, ${state}, ${expiresAt})`;
  return token;
}

/** The hashes in the credentials of an invited page. */
export const invitedBy = (token: string, key: string) => ({
  credential_hash: toByteaText(sha256(key)),
  invitation_hash: toByteaText(sha256(token)),
  claim_hash: toByteaText(sha256(`claim ${key}`)),
});

/** The invitation of a token, as it is stored. */
export async function invitationOf(sql: Sql, token: string) {
  const [row] = await sql<{ state: string; submissionId: string | null; claimHash: Uint8Array | null }[]>`
    select state, submission_id, claim_hash from formd.invitations where token_hash = ${sha256(token)}`;
  if (!row) throw new Error("There is no such invitation.");
  return row;
}
