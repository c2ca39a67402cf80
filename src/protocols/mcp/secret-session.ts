/**
 * The session behind an agent's secret at `/mcp`, one per secret: a client's configuration does not expire.
 * Each server prolongs it at first sight and a day before its end. A new secret ends it.
 */
import { LRUCache } from "lru-cache";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { hashText } from "../../platform/auth/secret.ts";
import { rememberCaller } from "../../platform/auth/unknown-callers.ts";
import { oneRow } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { admitIp, requireRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem } from "../../problem.ts";
import { type SessionRow, sessionLimit } from "../../resources/sessions/shapes.ts";
import { type McpCaller, unauthorized } from "./caller.ts";

const lifetime = `${limits.agentSession.lifetimeDays} days`;
const renewedBeforeMs = 86_400_000;

/** Times at which sessions are prolonged, by the hash of their token; the most recently used are kept. */
const renewals = new LRUCache<string, number>({ max: 10_000 });
/** Sessions that are being opened: a client's first requests often arrive together. */
const opening = new Map<string, Promise<void>>();

/**
 * Calls `respond` with the session of the caller's secret open, which is opened again once if it ended.
 * @throws {Problem} `rate_limited` by the limit of tokens, `unauthorized`; errors of `respond`.
 */
export async function withSession<T>(
  deps: Deps,
  request: Request,
  caller: McpCaller,
  respond: () => Promise<T>,
): Promise<T> {
  if (!caller.secretHash) return await respond();
  const isNew = await open(deps, request, caller, caller.secretHash);
  try {
    return await respond();
  } catch (error) {
    if (isNew || !(error instanceof Problem && error.code === "unauthorized")) throw error;
    renewals.delete(hashText(caller.hash));
    await open(deps, request, caller, caller.secretHash);
    return await respond();
  }
}

/** Opens the session, unless this process has opened it. @returns true if it was opened */
async function open(deps: Deps, request: Request, caller: McpCaller, secretHash: Uint8Array) {
  const name = hashText(caller.hash);
  if ((renewals.get(name) ?? 0) > Date.now()) return false;
  let opened = opening.get(name);
  if (!opened) {
    opened = openNow(deps, request, caller, secretHash).finally(() => opening.delete(name));
    opening.set(name, opened);
  }
  await opened;
  return true;
}

/** Counted like a request for a token. */
async function openNow(
  { sql, config }: Deps,
  request: Request,
  { team, hash }: McpCaller,
  secretHash: Uint8Array,
): Promise<void> {
  const ipKey = admitIp(request, "token");
  const row = oneRow(
    await sql<SessionRow[]>`
      select * from formd.agent_session_create(p_team => ${team}, p_secret_hash => ${secretHash}, p_id => ${uuidv7()},
        p_token_hash => ${hash}, p_lifetime => ${lifetime}, p_ip_key => ${ipKey},
        p_ip_limit => ${config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE}, p_resource => 'mcp', p_ends_with_secret => true)`,
  );
  requireRateLimit(request, row.outcome, sessionLimit(config, row));
  if (row.outcome !== "minted") throw unauthorized(config, "The agent's secret is not valid.");
  rememberCaller(hash);
  renewals.set(hashText(hash), row.expiresAt.getTime() - renewedBeforeMs);
}
