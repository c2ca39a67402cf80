/** The invitations of one person: found by the respondent, the address, the label or a value. */
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { addressHashes, hashArray, type InvitingForm, openAddress } from "../invitations/addresses.ts";

type Of = Pick<Deps, "sql" | "masterKey">;
type Searched = { respondent: string } | { value: string };

/** Invitations that one step of a search reads. */
const stepRows = 5_000;

/** The ids of a person's invitations to a form, step by step. @throws {Problem} `not_found` */
async function* findInvitations(
  { sql, masterKey }: Of,
  actor: Actor,
  { teamId, formId }: InvitingForm,
  searched: Searched,
) {
  const { respondent = null, value = null } = searched as Partial<Record<string, string>>;
  const hashes = value === null ? null : addressHashes(masterKey, formId, value.trim());
  let after: string | null = null;
  do {
    const [step]: [{ ids: string[]; lastId: string | null }] = await sql<
      [{ ids: string[]; lastId: string | null }]
    >`
      select ids, last_id from formd.person_invitations(p_team => ${teamId}, p_actor => ${toSql(sql, actor)},
        p_form => ${formId}, p_respondent => ${respondent}::uuid, p_email_hashes => ${hashArray(sql, hashes)},
        p_value => ${value}::text, p_after => ${after}::uuid, p_limit => ${stepRows})`;
    if (step.ids.length > 0) yield step.ids;
    after = step.lastId;
  } while (after !== null);
}

/** Counts a person's invitations to a form. */
export async function countInvitationsOf(of: Of, actor: Actor, form: InvitingForm, searched: Searched) {
  let count = 0;
  for await (const ids of findInvitations(of, actor, form, searched)) count += ids.length;
  return count;
}

/** Revokes a person's invitations to a form and erases what names the person. @returns their number */
export async function eraseInvitationsOf(of: Of, actor: Actor, form: InvitingForm, searched: Searched) {
  let count = 0;
  for await (const ids of findInvitations(of, actor, form, searched)) {
    await eraseInvitations(of, actor, form, ids);
    count += ids.length;
  }
  return count;
}

/** Revokes invitations and erases what names a person. @throws {Problem} `not_found` */
export async function eraseInvitations(
  { sql }: Pick<Of, "sql">,
  actor: Actor,
  { teamId, formId }: InvitingForm,
  ids: readonly string[],
) {
  for (const id of ids)
    await sql`
      select from formd.invitation_revoke(p_team => ${teamId}, p_actor => ${toSql(sql, actor)},
        p_form => ${formId}, p_id => ${id})`;
}

/** Yields a line of JSON for each invitation of a person to a form. */
export async function* exportInvitations(of: Of, actor: Actor, form: InvitingForm, searched: Searched) {
  const { sql, masterKey } = of;
  for await (const ids of findInvitations(of, actor, form, searched)) {
    const rows = await sql<{ sealedEmail: Uint8Array | null; item: object }[]>`
      select sealed_email, item from formd.person_invitations_read(p_team => ${form.teamId},
        p_actor => ${toSql(sql, actor)}, p_form => ${form.formId}, p_ids => ${ids}::uuid[])`;
    for (const { sealedEmail, item } of rows) {
      const opened = sealedEmail && (await openAddress(masterKey, form.formId, sealedEmail));
      yield `${JSON.stringify({ kind: "invitation", ...form, ...item, email: opened?.email ?? null })}\n`;
    }
  }
}
