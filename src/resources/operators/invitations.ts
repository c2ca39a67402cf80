/** Invitations: links that give a person a role in a workspace, once. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { makeSecret, parseSecret } from "../../platform/auth/secret.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import { Problem } from "../../problem.ts";
import { type ChosenPassword, hashChosen, type NewOperator, validateCredentials } from "./operators.ts";
import type { Role } from "./roles.ts";
import { type RequiredConnection, requiredConnection } from "./sign-in-connections.ts";

export const invitationPath = "/console/invitation";

/**
 * Invites a person to a role in a workspace by a link that works once. A person with a role there gets the
 * new role at once. The result is the same for addresses with and without an account.
 * @param place.isMailed true: the link goes to the address by mail alone
 * @returns `link`: anyone with it can take the role; null after a change of role
 * @throws {Problem} `bad_request` for the address; `not_found` for the workspace;
 * `insufficient_workspace_role`; `conflict` when the team or workspace would have no admin.
 */
export async function inviteOperator(
  sql: Sql,
  actor: Actor,
  { team, baseUrl, isMailed = false }: { team: string; baseUrl: string; isMailed?: boolean },
  { workspace, email, role }: Omit<NewOperator, "password">,
) {
  await validateCredentials({ email });
  const { secret, hash } = makeSecret("fdi", team);
  const { operatorId, expiresAt } = await rowOf(sql<{ operatorId: string | null; expiresAt: Date | null }[]>`
    select * from formd.operator_invite(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_workspace => ${workspace}, p_id => ${uuidv7()}, p_email => ${email},
      p_role => ${role}, p_token_hash => ${hash}, p_lifetime => ${`${limits.operator.invitationDays} days`},
      p_is_mailed => ${isMailed})`);
  const link = expiresAt && `${baseUrl}${invitationPath}/${secret}`;
  return { id: operatorId, email: email.toLowerCase(), link, expiresAt };
}

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  expiresAt: Date;
}

export interface OpenInvitationEntry extends Invitation {
  teamId: string;
  workspaceId: string;
}

/** Open invitations by e-mail, of all teams or of one team, one address, one workspace. At a terminal. */
export const findInvitations = (
  sql: Sql,
  { team, email, workspace }: { team?: string | undefined; email?: string; workspace?: string | undefined },
) => sql<OpenInvitationEntry[]>`
  select id, email, role, team_id, workspace_id, expires_at from formd.operator_invitations
  where expires_at > now() and team_id = coalesce(${team ?? null}::uuid, team_id)
    and email = coalesce(${email?.toLowerCase() ?? null}::text, email)
    and workspace_id = coalesce(${workspace ?? null}::uuid, workspace_id)
  order by email, id`;

/** The open invitations to a workspace, at most 100, the newest first. */
export const listInvitations = (sql: Sql, team: string, workspace: string) => sql<Invitation[]>`
  select id, email, role, expires_at from formd.operator_invitations
  where team_id = ${team} and workspace_id = ${workspace} and expires_at > now()
  order by id desc limit ${limits.page.maxItems}`;

/** Ends an invitation. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function endInvitation(sql: Sql, actor: Actor, team: string, workspace: string, id: string) {
  await sql`select formd.operator_invitation_end(
    p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_workspace => ${workspace}, p_id => ${id})`;
}

export interface OpenInvitation {
  email: string;
  role: Role;
  workspaceName: string;
  teamName: string;
  expiresAt: Date;
  /** The connection by which the address must sign in to the team. */
  required: RequiredConnection;
}

/** @throws {Problem} `not_found` unless the invitation is open. */
export async function readInvitation(sql: Sql, token: string): Promise<OpenInvitation> {
  const { team, hash } = parseSecret("fdi", token);
  const [found] = await sql<Omit<OpenInvitation, "required">[]>`
    select * from formd.operator_invitation_read(p_team => ${team}, p_token_hash => ${hash})`;
  if (!found) throw new Problem("not_found", say("link_used"));
  return { ...found, required: await requiredConnection(sql, found.email, team) };
}

/**
 * Accepts an invitation for a signed-in operator, whose other sessions end, or with a new account.
 * @throws {Problem} `bad_request` (password), `unavailable`, `not_found`; `conflict`: must sign in first, or
 * has another address.
 */
export async function acceptInvitation(
  sql: Sql,
  actor: Actor,
  token: string,
  by: { operator: string; hash: Uint8Array } | ChosenPassword,
): Promise<void> {
  const { team, hash } = parseSecret("fdi", token);
  const { operator, session } =
    "operator" in by ? { operator: by.operator, session: by.hash } : { operator: null, session: null };
  const chosen = "operator" in by ? { salt: null, hash: null } : await hashChosen(by);
  await sql`
    select formd.operator_invitation_accept(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${hash},
      p_operator => ${operator}, p_id => ${uuidv7()}, p_salt => ${chosen.salt}, p_hash => ${chosen.hash},
      p_session_hash => ${session})`;
}
