/** How many bytes the files of a team have. */
import type { Sql } from "../../platform/database/db.ts";

export async function teamFileBytes(sql: Sql, team: string): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select t.bytes::float8 as bytes from formd.file_totals t where t.team_id = ${team}`;
  return row?.bytes ?? 0;
}
