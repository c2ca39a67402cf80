/** Sign-in connections: identity providers (OpenID Connect) that authenticate persons. */
import { type } from "arktype";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { Config } from "../../platform/config.ts";
import { jsonb, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { Uuid } from "../../platform/http/shapes.ts";
import { type Networks, networksFor, requireAllowedHost } from "../../platform/outgoing/guard.ts";
import { Problem } from "../../problem.ts";
import { discover, reasonOf } from "./identity-provider.ts";
import { type Role, roles } from "./roles.ts";

const { maxDomains, maxGroupLength, maxRoles, maxScopes, maxSecretLength, maxUrlLength } =
  limits.signInConnection;

/** Role of the persons in a group; `*`: everybody. */
const ConnectionRole = type({
  group: type.string.atLeastLength(1).atMostLength(maxGroupLength),
  workspaceId: Uuid,
  role: type.enumerated(...roles),
});

/** Scopes beside openid, email and profile (RFC 6749, section 3.3). Empty: chosen at each sign-in. */
export const ConnectionScopes = type(/^[!#-[\]-~]{1,200}$/)
  .describe("a scope such as groups")
  .array()
  .atMostLength(maxScopes);

export const NewConnection = type({
  name: type.string.atMostLength(limits.name.maxLength),
  issuer: type.string.atMostLength(maxUrlLength),
  clientId: type.string.atLeastLength(1).atMostLength(maxSecretLength),
  clientSecret: type.string.atLeastLength(1).atMostLength(maxSecretLength),
  emailDomains: type(/^[a-z0-9.-]{1,253}$/)
    .describe("a domain such as example.org")
    .array()
    .atLeastLength(1)
    .atMostLength(maxDomains),
  groupsClaim: type.string.atLeastLength(1).atMostLength(maxGroupLength),
  scopes: ConnectionScopes,
  roles: ConnectionRole.array().atLeastLength(1).atMostLength(maxRoles),
  isRequired: "boolean",
  acceptsAgents: "boolean",
});

export interface SignInConnection {
  id: string;
  /** Null: a connection of the installation. */
  teamId: string | null;
  name: string;
  issuer: string;
  clientId: string;
  emailDomains: string[];
  groupsClaim: string;
  scopes: string[];
  roles: { group: string; teamId: string; workspaceId: string; role: Role }[];
  isRequired: boolean;
  /** True if its assertions may name the person for whom an agent acts. */
  acceptsAgents: boolean;
  createdAt: Date;
}

/** @throws {Problem} `bad_request` with the reason. */
function requireIssuer(text: string, networks: Networks): void {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" && networks.length > 0;
  if (!url || !(url.protocol === "https:" || isHttp))
    throw new Problem("bad_request", say("url_not_https", { member: "issuer" }));
  if (url.username || url.password || url.search || url.hash)
    throw new Problem("bad_request", say("issuer_not_plain"));
  requireAllowedHost(url, networks, "issuer", "bad_request");
}

/**
 * Makes a connection, after reading the metadata of its identity provider.
 * @param team null: a connection of the installation
 * @throws {Problem} `bad_request` for the issuer; `not_found` for a workspace; `conflict` for too many;
 * `insufficient_workspace_role`, `unavailable` without a master key.
 */
export async function createConnection(
  { sql, config, masterKey }: Pick<Deps, "sql" | "config" | "masterKey">,
  actor: Actor,
  team: string | null,
  given: typeof NewConnection.infer,
): Promise<{ id: string }> {
  requireIssuer(given.issuer, networksFor(config, "provider"));
  const id = uuidv7();
  const sealed = await masterKey.encrypt("sign-in-connection", id, Buffer.from(given.clientSecret));
  await discover(config, given.issuer).catch((error: unknown) => {
    throw new Problem("bad_request", say("provider_not_found", { reason: reasonOf(error) }));
  });
  await sql`
    select formd.sign_in_connection_create(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_name => ${given.name}, p_issuer => ${given.issuer},
      p_client_id => ${given.clientId}, p_sealed_secret => ${sealed}, p_secret_key => ${masterKey.fingerprint},
      p_email_domains => ${given.emailDomains}, p_groups_claim => ${given.groupsClaim}, p_roles => ${jsonb(sql, given.roles)},
      p_is_required => ${given.isRequired}, p_accepts_agents => ${given.acceptsAgents}, p_scopes => ${given.scopes})`;
  return { id };
}

/**
 * Changes settings without effect on persons' identity. @param team null: any @param change null: unchanged
 * @throws {Problem} `not_found`, `insufficient_workspace_role`.
 */
export async function changeConnection(
  sql: Sql,
  actor: Actor,
  team: string | null,
  id: string,
  change: { isRequired: boolean | null; acceptsAgents: boolean | null; scopes: string[] | null },
) {
  await sql`
    select formd.sign_in_connection_change(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id},
      p_is_required => ${change.isRequired}, p_accepts_agents => ${change.acceptsAgents}, p_scopes => ${change.scopes})`;
}

/**
 * Removes a connection, and the accounts of its persons. @param team null: any connection
 * @throws {Problem} `not_found`, `insufficient_workspace_role`; `conflict` when the team would have no admin.
 */
export async function removeConnection(sql: Sql, actor: Actor, team: string | null, id: string) {
  await sql`
    select formd.sign_in_connection_remove(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id})`;
}

/** The connections of a team, the oldest first; without a team all connections. */
export const listConnections = async (sql: Sql, team?: string): Promise<SignInConnection[]> =>
  await sql<SignInConnection[]>`
    select id, team_id, name, issuer, client_id, email_domains, groups_claim, scopes, roles, is_required, accepts_agents, created_at
    from formd.sign_in_connections where ${team === undefined ? sql`true` : sql`team_id = ${team}`} order by id`;

/**
 * Connections that the page shows to all: the installation's, and the team's if it is the only one. Others
 * are used by a link: the page must not disclose the teams.
 */
export const offeredConnections = async (sql: Sql) =>
  await sql<Pick<SignInConnection, "id" | "name" | "emailDomains" | "isRequired">[]>`
    select c.id, c.name, c.email_domains, c.is_required from formd.sign_in_connections c
    where c.team_id is null or (select count(*) from (select 1 from formd.teams limit 2) t) = 1
    order by c.id limit ${2 * limits.signInConnection.maxPerTeam}`;

/**
 * The connection by which an address must sign in to a team, for pages that ask for a new password.
 * @param operator the signed-in operator, whose password a terminal may have allowed for an hour
 */
export async function requiredConnection(sql: Sql, email: string, team: string, operator?: string) {
  const [found] = await sql<{ id: string; name: string }[]>`
    select c.id, c.name from formd.sign_in_connections c
    where c.is_required and ${email.slice(email.lastIndexOf("@") + 1)} = any (c.email_domains)
      and (c.team_id is null or c.team_id = ${team}) and not exists (
        select from formd.operators o where o.id = ${operator ?? null} and o.password_allowed_until_at > now())
    order by c.team_id nulls last, c.id limit 1`;
  return found;
}

export type RequiredConnection = Awaited<ReturnType<typeof requiredConnection>>;

/** Path at which a connection's sign-in begins. Its callback and logout are below this path. */
export const connectionPath = (id: string): string => `/console/sign-in/${id}`;

export const connectionUrls = ({ BASE_URL }: Config, id: string) => ({
  signInUrl: `${BASE_URL}${connectionPath(id)}`,
  redirectUri: `${BASE_URL}${connectionPath(id)}/callback`,
  backChannelLogoutUri: `${BASE_URL}${connectionPath(id)}/logout`,
});

/** Encrypts secrets of other master keys by the first one. @returns the number of client secrets */
export async function resealSecrets(sql: Sql, masterKey: Deps["masterKey"]): Promise<number> {
  const rows = await sql<{ id: string; sealedSecret: Buffer; secretKey: string }[]>`
    select id, sealed_secret, secret_key from formd.sign_in_connections where secret_key <> ${masterKey.fingerprint}`;
  let count = 0;
  for (const { id, sealedSecret, secretKey } of rows) {
    const secret = await masterKey.of(secretKey).decrypt("sign-in-connection", id, sealedSecret);
    if (!secret) continue;
    const sealed = await masterKey.encrypt("sign-in-connection", id, secret);
    const [row] = await sql<[{ isDone: boolean }]>`
      select formd.sign_in_connection_reseal(
        p_id => ${id}, p_sealed_before => ${sealedSecret}, p_sealed_secret => ${sealed}, p_secret_key => ${masterKey.fingerprint}) as is_done`;
    count += Number(row.isDone);
  }
  return count;
}
