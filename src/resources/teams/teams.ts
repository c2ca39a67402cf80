/** Teams: the tenants. */
import type { Sql } from "../../platform/database/db.ts";

export interface TeamEntry {
  id: string;
  name: string;
  /** The rule of the forms that have none; null: their submissions are kept. */
  retention: { deleteAfter: string; from?: "completed" | "created" } | null;
  createdAt: Date;
}

/** The rule of a team's forms that have none. */
export async function teamRetention(sql: Sql, team: string): Promise<TeamEntry["retention"]> {
  const [row] = await sql<Pick<TeamEntry, "retention">[]>`
    select retention from formd.teams where team_id = ${team}`;
  return row?.retention ?? null;
}

/** Every team, oldest first. */
export const listTeams = async (sql: Sql): Promise<TeamEntry[]> =>
  await sql<TeamEntry[]>`
    select team_id as id, name, retention, created_at from formd.teams order by created_at, team_id`;
