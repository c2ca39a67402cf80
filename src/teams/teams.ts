/** Teams: the tenants. */
import type { Sql } from "../db.ts";

export interface TeamEntry {
  id: string;
  name: string;
  createdAt: Date;
}

/** Every team, oldest first. */
export const listTeams = async (sql: Sql): Promise<TeamEntry[]> =>
  await sql<TeamEntry[]>`
    select team_id as id, name, created_at from formd.teams order by created_at, team_id`;
