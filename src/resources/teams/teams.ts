/** Teams: the tenants. */
import type { Sql } from "../../platform/database/db.ts";

export interface TeamEntry {
  id: string;
  name: string;
  /** The rule of the forms that have none; null: their submissions are kept. */
  retention: { deleteAfter: string; from?: "completed" | "created" } | null;
  createdAt: Date;
}

/** Every team, oldest first. */
export const listTeams = async (sql: Sql): Promise<TeamEntry[]> =>
  await sql<TeamEntry[]>`
    select team_id as id, name, retention, created_at from formd.teams order by created_at, team_id`;
