/**
 * Proof that each act needs of an operator besides a session and a role: each form post of the console names
 * its act, and each route that creates a credential by a session's cookie. API keys and MCP tools, which have
 * no person, are never asked; `leastRoles` and their scopes say what they may not do.
 */
import type { AuditKind } from "./roles.ts";

/**
 * Acts that require a passkey. `asked`: if a workspace of the team requires passkeys. `own`, for a person's
 * own passkeys: if there is one and a workspace anywhere requires passkeys, since a password must not replace
 * it. `always`: for the setting of a workspace that requires passkeys.
 */
export type PasskeyRule = "asked" | "own" | "always";

export interface ProofRule {
  /** True: the password or a passkey of the last 15 minutes. */
  isRecent?: true;
  /** A passkey of the last 5 minutes. */
  passkey?: PasskeyRule;
}

const session = {};
const guarded = { passkey: "asked" } as const;
const recent = { isRecent: true } as const;
const strong = { isRecent: true, passkey: "asked" } as const;
const ownPasskeys = { isRecent: true, passkey: "own" } as const;

/** Proofs by the kind of an act's event; acts that leave none, or need more than others, have own names. */
export const proofs = {
  "form.created": session,
  "form.patched": session,
  "form.settings_changed": session,
  "form.published": guarded,
  "form.settings_published": guarded,
  /** Publishes where people are sent, who may embed the form, or when submissions are deleted. */
  "form.redirected": strong,
  "form.closed": session,
  "form.opened": guarded,
  "form.archived": guarded,
  "form.restored": guarded,
  "form.feed_made": strong,
  "form.feed_ended": session,
  "form.held": session,
  "form.released": session,
  "access_key.created": strong,
  "access_key.revoked": session,
  "submission.edited": session,
  "submission.reviewed": session,
  "submission.deleted": recent,
  "submission.several_deleted": recent,
  "submission.held": session,
  "submission.released": session,
  /** More than `limits.submission.maxUnprovedRows` at once. */
  "submission.exported": recent,
  "file.downloaded": session,
  "mail.resent": session,
  "person.found": session,
  "person.exported": recent,
  "person.erased": recent,
  "agent.created": strong,
  "agent.updated": session,
  "agent.secret_rotated": strong,
  "agent.sessions_ended": session,
  "agent.revoked": session,
  "grant.changed": guarded,
  /** The scope `agent:submit`, or a respondent. */
  "grant.submitting": strong,
  "grant.deleted": session,
  "signing_key.registered": strong,
  "signing_key.revoked": session,
  "api_key.created": strong,
  "api_key.revoked": session,
  "operator.added": strong,
  "operator.role_changed": strong,
  "operator.removed": recent,
  "operator.invited": strong,
  "operator.invitation_accepted": recent,
  "operator.invitation_ended": session,
  "operator.reset_link_made": strong,
  "sign_in_connection.changed": strong,
  "sign_in_connection.created": strong,
  "sign_in_connection.removed": recent,
  "workspace.created": session,
  "workspace.changed": session,
  "workspace.publishing_changed": strong,
  "workspace.passkeys_changed": { passkey: "always" },
  "team.retention_set": recent,
  "invitations.created": session,
  "invitations.reminded": session,
  "invitation.revoked": session,
  "webhook.created": recent,
  "webhook.changed": recent,
  "webhook.paused": session,
  "webhook.secret_rotated": recent,
  "webhook.deleted": recent,
  "webhook.tested": session,
  "webhook.replayed": session,
  "passkey.added": ownPasskeys,
  "passkey.renamed": session,
  "passkey.removed": ownPasskeys,
  "account.password_changed": { passkey: "own" },
  "account.changed": session,
  "account.session_ended": session,
  "account.team_changed": session,
} as const satisfies Record<AuditKind, ProofRule> & Record<string, ProofRule>;

export type Act = keyof typeof proofs;

/** Acts that ask for a proof. Each has its words on the page that asks. */
export type ProvedAct = {
  [Name in Act]: (typeof proofs)[Name] extends { isRecent: true } | { passkey: PasskeyRule } ? Name : never;
}[Act];
