/** API keys: the credential of the management and identity routes. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { apiKeyScopes, type Scope } from "../../platform/auth/api-key.ts";
import { makeSecret } from "../../platform/auth/secret.ts";
import type { Sql } from "../../platform/database/db.ts";
import { everyItem, offsetOf, type Paged, requireFuture, toPage } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";

export interface ApiKeyRow {
  id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: Date;
  /** To the hour. */
  lastUsedAt: Date | null;
  /** Null: it does not expire. */
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/**
 * Creates an API key, which only the result has. @param isMailed true: those who may revoke it get a mail
 * @throws {Problem} `not_found` (team), `insufficient_workspace_role`, `bad_request` (scopes, past expiry).
 */
export async function createApiKey(
  sql: Sql,
  actor: Actor,
  team: string,
  { name, scopes, expiresAt = null }: { name: string; scopes: readonly string[]; expiresAt?: Date | null },
  isMailed = false,
) {
  const known = new Set<string>(apiKeyScopes);
  if (scopes.length === 0 || !scopes.every((scope) => known.has(scope)))
    throw new Problem("bad_request", `The scopes must be some of ${apiKeyScopes.join(", ")}.`);
  requireFuture(expiresAt);
  const id = uuidv7();
  const { secret, prefix, hash } = makeSecret("fdk", team);
  await sql`
    select from formd.api_key_create(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_name => ${name}, p_scopes => ${scopes},
      p_prefix => ${prefix}, p_hash => ${hash}, p_expires_at => ${expiresAt}, p_is_mailed => ${isMailed})`;
  return { id, key: secret, scopes, ...(expiresAt && { expiresAt }) };
}

/**
 * A page of a team's API keys, newest first. @param operator null: for a command
 * @throws {Problem} `insufficient_workspace_role` without a role in one of the team's workspaces.
 */
export async function listApiKeys(sql: Sql, team: string, operator: string | null, page = everyItem) {
  const { maxCounted } = limits.page;
  const rows = await sql<Paged<ApiKeyRow>[]>`
    select * from formd.api_key_list(
      p_team => ${team}, p_operator => ${operator}, p_limit => ${page.limit}, p_offset => ${offsetOf(page)}, p_max_counted => ${maxCounted})`;
  return toPage(rows, page, maxCounted);
}

/** Revokes an API key at once. Idempotent. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function revokeApiKey(sql: Sql, actor: Actor, team: string, id: string): Promise<void> {
  await sql`select formd.api_key_revoke(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id})`;
}
