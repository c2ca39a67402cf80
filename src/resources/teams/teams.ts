/** Teams: the tenants. */
import type { Sql } from "../../platform/database/db.ts";

export interface TeamEntry {
  id: string;
  name: string;
  /** The rule of forms without their own rule; null: their submissions are kept. */
  retention: { deleteAfter: string; from?: "completed" | "created" } | null;
  createdAt: Date;
}

/** Rule of a team for its forms without their own rule. */
export async function teamRetention(sql: Sql, team: string): Promise<TeamEntry["retention"]> {
  const [row] = await sql<Pick<TeamEntry, "retention">[]>`
    select retention from formd.teams where team_id = ${team}`;
  return row?.retention ?? null;
}

/** Bytes of a team's files. */
export async function teamFileBytes(sql: Sql, team: string): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select t.bytes::float8 as bytes from formd.file_totals t where t.team_id = ${team}`;
  return row?.bytes ?? 0;
}

/** Every team, oldest first. */
export const listTeams = async (sql: Sql): Promise<TeamEntry[]> =>
  await sql<TeamEntry[]>`
    select team_id as id, name, retention, created_at from formd.teams order by created_at, team_id`;
