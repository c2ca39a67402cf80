/** Teams, the tenants, and workspaces: parts of a team, each with its own forms, agents and roles. */

import { v7 as uuidv7 } from "uuid";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { Sql } from "../../platform/database/db.ts";

export interface TeamEntry {
  id: string;
  name: string;
  /** The rule of forms without their own rule; null: their submissions are kept. */
  retention: { deleteAfter: string; from?: "completed" | "created" } | null;
  createdAt: Date;
}

export async function teamRetention(sql: Sql, team: string): Promise<TeamEntry["retention"]> {
  const [row] = await sql<Pick<TeamEntry, "retention">[]>`
    select retention from formd.teams where team_id = ${team}`;
  return row?.retention ?? null;
}

export async function teamFileBytes(sql: Sql, team: string): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select t.bytes::float8 as bytes from formd.file_totals t where t.team_id = ${team}`;
  return row?.bytes ?? 0;
}

export const listTeams = async (sql: Sql): Promise<TeamEntry[]> =>
  await sql<TeamEntry[]>`
    select team_id as id, name, retention, created_at from formd.teams order by created_at, team_id`;

interface WorkspaceEntry {
  id: string;
  teamId: string;
  name: string;
  createdAt: Date;
}

/** The workspaces of a team, or of all teams, oldest first: a team's first one is its default. */
export const listWorkspaces = async (sql: Sql, team: string | null): Promise<WorkspaceEntry[]> =>
  await sql<WorkspaceEntry[]>`
    select id, team_id, name, created_at from formd.workspaces
    where team_id = ${team} or ${team}::uuid is null order by team_id, created_at, id`;

/**
 * Creates a workspace of a team. An admin of all other workspaces becomes admin of it too.
 * @throws {Problem} `not_found` for the team, `bad_request` for a blank name, `insufficient_workspace_role`.
 */
export async function createWorkspace(sql: Sql, actor: Actor, teamId: string, name: string) {
  const id = uuidv7();
  await sql`
    select formd.workspace_create(p_team => ${teamId}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_name => ${name})`;
  return { id, teamId, name };
}

/**
 * Changes what is given of a workspace. Idempotent.
 *
 * @param changes `editorsMayPublish`: also archive and restore; `requiresPasskey`: operators must use a
 * passkey before they publish, grant or make keys
 * @throws {Problem} `not_found`, `bad_request` for a blank name, `insufficient_workspace_role`.
 */
export async function changeWorkspace(
  sql: Sql,
  actor: Actor,
  team: string,
  workspace: string,
  changes: { name?: string; editorsMayPublish?: boolean; requiresPasskey?: boolean },
): Promise<void> {
  const { name = null, editorsMayPublish = null, requiresPasskey = null } = changes;
  await sql`
    select formd.workspace_change(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_workspace => ${workspace},
      p_name => ${name}, p_editors_may_publish => ${editorsMayPublish}, p_requires_passkey => ${requiresPasskey})`;
}
