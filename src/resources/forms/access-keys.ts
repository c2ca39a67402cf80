/** Access keys, by which submitters name a form. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { makeSecret } from "../../platform/auth/secret.ts";
import type { Sql } from "../../platform/database/db.ts";
import { everyItem, offsetOf, type Paged, requireFuture, toPage } from "../../platform/http/shapes.ts";

export interface AccessKeyRow {
  id: string;
  prefix: string;
  createdAt: Date;
  /** To the hour. */
  lastUsedAt: Date | null;
  /** Null: it does not expire. */
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/**
 * Creates an access key of a form. Only the result has the key itself.
 * @throws {Problem} `not_found`, `insufficient_workspace_role`, `bad_request` for an expiry in the past.
 */
export async function createAccessKey(
  sql: Sql,
  actor: Actor,
  team: string,
  formId: string,
  expiresAt: Date | null = null,
) {
  requireFuture(expiresAt);
  const id = uuidv7();
  const { secret, prefix, hash } = makeSecret("fdf", team, formId);
  await sql`
    select formd.access_key_create(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${formId}, p_id => ${id}, p_prefix => ${prefix}, p_hash => ${hash}, p_expires_at => ${expiresAt})`;
  return { id, key: secret, formId, ...(expiresAt && { expiresAt }) };
}

/** A page of a form's access keys, newest first. */
export async function listAccessKeys(sql: Sql, team: string, formId: string, page = everyItem) {
  const { maxCounted } = limits.page;
  const rows = await sql<Paged<AccessKeyRow>[]>`
    select * from formd.access_key_list(
      p_team => ${team}, p_form => ${formId}, p_limit => ${page.limit}, p_offset => ${offsetOf(page)}, p_max_counted => ${maxCounted})`;
  return toPage(rows, page, maxCounted);
}

/** Revokes a key at once. Idempotent. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function revokeAccessKey(sql: Sql, actor: Actor, team: string, formId: string, id: string) {
  await sql`
    select formd.access_key_revoke(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${formId}, p_id => ${id})`;
}
