/** API keys: the credential of the management and identity routes. */
import { v7 as uuidv7 } from "uuid";
import { type Actor, toSql } from "../auth/actor.ts";
import { apiKeyScopes, type Scope } from "../auth/api-key.ts";
import { makeSecret } from "../auth/secret.ts";
import type { Sql } from "../db.ts";
import { everyItem, offsetOf, type Paged, toPage } from "../http/shapes.ts";
import { limits } from "../limits.ts";
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

/**
 * A page of a team's API keys, newest first.
 *
 * @param operator null: a command reads them
 * @throws {Problem} `insufficient_workspace_role` for an operator without a role in one of the team's workspaces.
 */
export async function listApiKeys(sql: Sql, team: string, operator: string | null, page = everyItem) {
  const { maxCounted } = limits.page;
  const rows = await sql<Paged<ApiKeyRow>[]>`
    select * from formd.api_key_list(
      p_team => ${team}, p_operator => ${operator}, p_limit => ${page.limit}, p_offset => ${offsetOf(page)}, p_max_counted => ${maxCounted})`;
  return toPage(rows, page, maxCounted);
}

/** Revokes an API key from the next request on. Idempotent. @throws {Problem} `not_found`, `insufficient_workspace_role`. */
export async function revokeApiKey(sql: Sql, actor: Actor, team: string, id: string): Promise<void> {
  await sql`select formd.api_key_revoke(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id})`;
}
