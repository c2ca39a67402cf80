/** Permissions of each role, for routes and pages. tests/sql/roles.test.ts compares them with SQL. */

/** In ascending order: each role has the permissions of the previous one. */
export const roles = ["viewer", "editor", "admin"] as const;
export type Role = (typeof roles)[number];

/**
 * The least role for each action, by the kind of its event in the audit. `publisher`: an editor if the
 * workspace lets editors publish, else an admin. Reading needs any role. What concerns the whole team needs
 * the role in all its workspaces.
 */
export const leastRoles = {
  "form.created": "editor",
  "form.patched": "editor",
  "form.settings_changed": "editor",
  "form.published": "publisher",
  "form.settings_published": "publisher",
  "form.closed": "editor",
  "form.opened": "publisher",
  "form.archived": "publisher",
  "form.restored": "publisher",
  "form.feed_made": "viewer",
  "form.feed_ended": "viewer",
  "access_key.created": "admin",
  "access_key.revoked": "admin",
  "submission.edited": "editor",
  "submission.reviewed": "editor",
  "file.downloaded": "viewer",
  "submission.deleted": "editor",
  "form.held": "admin",
  "form.released": "admin",
  "submission.held": "admin",
  "submission.released": "admin",
  "agent.created": "editor",
  "agent.updated": "editor",
  "agent.secret_rotated": "editor",
  "agent.sessions_ended": "editor",
  "agent.revoked": "editor",
  "grant.changed": "editor",
  "grant.deleted": "editor",
  "signing_key.registered": "editor",
  "signing_key.revoked": "editor",
  "api_key.created": "admin",
  "api_key.revoked": "admin",
  "operator.added": "admin",
  "operator.role_changed": "admin",
  "operator.removed": "admin",
  "operator.invited": "admin",
  "operator.invitation_ended": "admin",
  "operator.reset_link_made": "admin",
  "sign_in_connection.changed": "admin",
  "sign_in_connection.created": "admin",
  "sign_in_connection.removed": "admin",
  "workspace.created": "admin",
  "workspace.changed": "admin",
  "team.retention_set": "admin",
  "invitations.created": "editor",
  "invitations.reminded": "editor",
  "invitation.revoked": "editor",
  "webhook.created": "admin",
  "webhook.changed": "admin",
  "webhook.secret_rotated": "admin",
  "webhook.deleted": "admin",
} as const satisfies Record<string, Role | "publisher">;

export type AuditKind = keyof typeof leastRoles;

export function mayAct(role: Role, kind: AuditKind, { editorsMayPublish }: { editorsMayPublish: boolean }) {
  const least = leastRoles[kind];
  const needed = least === "publisher" ? (editorsMayPublish ? "editor" : "admin") : least;
  return roles.indexOf(role) >= roles.indexOf(needed);
}
