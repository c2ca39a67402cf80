/** API keys: the credential of the management and identity routes. */
import { v7 as uuidv7 } from "uuid";
import { type Actor, toSql } from "../auth/actor.ts";
import { apiKeyScopes, type Scope } from "../auth/api-key.ts";
import { makeSecret } from "../auth/secret.ts";
import type { Sql } from "../db.ts";
import { Problem } from "../problem.ts";

export interface ApiKeyRow {
  id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/**
 * A new API key of a team; the key itself is readable only here.
 *
 * @throws {Problem} `not_found` for the team, `insufficient_workspace_role`, `bad_request` for an unknown scope or none.
 */
export async function createApiKey(
  sql: Sql,
  actor: Actor,
  team: string,
  { name, scopes }: { name: string; scopes: readonly string[] },
) {
  const known = new Set<string>(apiKeyScopes);
  if (scopes.length === 0 || !scopes.every((scope) => known.has(scope)))
    throw new Problem("bad_request", `The scopes must be some of ${apiKeyScopes.join(", ")}.`);
  const id = uuidv7();
  const { secret, prefix, hash } = makeSecret("fdk", team);
  await sql`
    select from formd.api_key_create(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_name => ${name}, p_scopes => ${scopes},
      p_prefix => ${prefix}, p_hash => ${hash})`;
  return { id, key: secret, scopes };
}

/** A team's API keys, newest first. @throws {Problem} `insufficient_workspace_role` for an operator without a role in one of its workspaces. */
export async function listApiKeys(sql: Sql, actor: Actor, team: string): Promise<ApiKeyRow[]> {
  await sql`
    select formd.team_require_role(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_role => 'viewer')`;
  return await sql<ApiKeyRow[]>`
    select id, name, key_prefix as prefix, scopes, created_at, last_used_at, revoked_at
    from formd.api_keys where team_id = ${team} order by id desc`;
}

/** Revokes an API key from the next request on. Idempotent. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function revokeApiKey(sql: Sql, actor: Actor, team: string, id: string): Promise<void> {
  await sql`select formd.api_key_revoke(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id})`;
}
