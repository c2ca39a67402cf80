/** Workspaces: parts of a team, each with its own forms, agents and roles. */
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../db.ts";

/** A new workspace of a team. @throws {Problem} `not_found` for the team, `bad_request` for a blank name. */
export async function createWorkspace(sql: Sql, teamId: string, name: string) {
  const id = uuidv7();
  await sql`select formd.workspace_create(p_team => ${teamId}, p_id => ${id}, p_name => ${name})`;
  return { id, teamId, name };
}
