/** Access keys, by which submitters name a form. */
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../auth/secret.ts";
import type { Sql } from "../db.ts";
import { Problem } from "../problem.ts";
import { formById } from "./publish.ts";

export interface AccessKeyRow {
  id: string;
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
}

/** Creates an access key of a form. The result is the only place that has the key itself. @throws {Problem} `not_found`. */
export async function createAccessKey(sql: Sql, formId: string) {
  const { teamId } = await formById(sql, formId);
  const id = uuidv7();
  const { secret, prefix, hash } = makeSecret("fdf", teamId, formId);
  await sql`
    select formd.access_key_create(
      p_team => ${teamId}, p_form => ${formId}, p_id => ${id}, p_prefix => ${prefix}, p_hash => ${hash})`;
  return { id, key: secret, formId };
}

/** A form's access keys, newest first. @throws {Problem} `not_found`. */
export async function listAccessKeys(sql: Sql, formId: string): Promise<AccessKeyRow[]> {
  const { teamId } = await formById(sql, formId);
  return await sql<AccessKeyRow[]>`
    select id, key_prefix as prefix, created_at, revoked_at
    from formd.form_access_keys where team_id = ${teamId} and form_id = ${formId} order by id desc`;
}

/** Revokes an access key from the next request on. Idempotent. @throws {Problem} `not_found`. */
export async function revokeAccessKey(sql: Sql, id: string): Promise<void> {
  const [key] = await sql<{ teamId: string; formId: string }[]>`
    select team_id, form_id from formd.form_access_keys where id = ${id}`;
  if (!key) throw new Problem("not_found", "There is no such access key.");
  await sql`
    select formd.access_key_revoke(p_team => ${key.teamId}, p_form => ${key.formId}, p_id => ${id})`;
}
