/** Access keys, by which submitters name a form. */
import { v7 as uuidv7 } from "uuid";
import { type Actor, toSql } from "../auth/actor.ts";
import { makeSecret } from "../auth/secret.ts";
import type { Sql } from "../db.ts";

export interface AccessKeyRow {
  id: string;
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
}

/** Creates an access key of a form. The result is the only place that has the key itself. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function createAccessKey(sql: Sql, actor: Actor, team: string, formId: string) {
  const id = uuidv7();
  const { secret, prefix, hash } = makeSecret("fdf", team, formId);
  await sql`
    select formd.access_key_create(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${formId}, p_id => ${id}, p_prefix => ${prefix}, p_hash => ${hash})`;
  return { id, key: secret, formId };
}

/** A form's access keys, newest first. */
export const listAccessKeys = (sql: Sql, team: string, formId: string): Promise<AccessKeyRow[]> => sql<
  AccessKeyRow[]
>`
  select id, key_prefix as prefix, created_at, revoked_at
  from formd.form_access_keys where team_id = ${team} and form_id = ${formId} order by id desc`;

/** Revokes an access key from the next request on. Idempotent. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function revokeAccessKey(
  sql: Sql,
  actor: Actor,
  team: string,
  formId: string,
  id: string,
): Promise<void> {
  await sql`
    select formd.access_key_revoke(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${formId}, p_id => ${id})`;
}
