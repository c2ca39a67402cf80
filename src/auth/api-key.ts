/** API keys (header `x-api-key`): the credential of owners, on the management and identity routes. */
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import type { Requirement } from "../http/operation.ts";
import { requireRateLimit } from "../http/rate-limits.ts";
import { contextOf, isRead } from "../http/request-context.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { parseSecret } from "./secret.ts";

/** The scopes of API keys. tests/sql/scopes.test.ts compares them with the table's check. */
export const apiKeyScopes = [
  "forms:read",
  "forms:write",
  "submissions:read",
  "submissions:update",
  "submissions:delete",
  "submissions:write",
] as const;

export type Scope = (typeof apiKeyScopes)[number];

/** The security of a route for API keys with the scope, and the codes that follow from it. */
export const apiKeySecurity = (scope: Scope): Requirement[] => [{ apiKey: [scope] }];
export const ownerCodes = ["unauthorized", "missing_scope"] as const satisfies ProblemCode[];

/** What a SQL function returns that authenticates a caller and counts its writes. */
export interface Authentication {
  outcome: string;
  remaining: number;
  resetMs: number;
}

/** The limit on writes to count a request in; null: it only reads. */
export const writeLimit = ({ config }: Deps, request: Request): number | null =>
  isRead(request) ? null : config.RATE_LIMIT_MANAGEMENT_PER_MINUTE;

/** Ends a request over the limit on writes. @throws {Problem} `rate_limited`. */
export function requireWriteLimit(
  deps: Deps,
  request: Request,
  { outcome, remaining, resetMs }: Authentication,
) {
  const maxRequests = writeLimit(deps, request);
  if (maxRequests !== null)
    requireRateLimit(request, outcome, { limitName: "caller", maxRequests, remaining, resetMs });
}

/**
 * The API key of a request, if it has the scope, and the body's bytes, whose number is checked before the key. One round trip.
 *
 * @throws {Problem} `payload_too_large`, `unauthorized`, `missing_scope`, `rate_limited`.
 */
export async function requireApiKey(
  deps: Deps,
  request: Request,
  scope: Scope,
): Promise<{ team: string; apiKeyId: string; bytes: Uint8Array }> {
  const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
  const { team, hash } = parseSecret("fdk", request.headers.get("x-api-key") ?? "");
  const key = oneRow(
    await deps.sql<(Authentication & { apiKeyId: string })[]>`
      select * from formd.api_key_authenticate(
        p_team => ${team}, p_hash => ${hash}, p_scope => ${scope}, p_write_limit => ${writeLimit(deps, request)})`,
  );
  if (key.outcome === "unauthorized")
    throw new Problem("unauthorized", "A valid API key is required in x-api-key.");
  contextOf(request).caller = `api_key:${key.apiKeyId}`;
  if (key.outcome === "missing_scope")
    throw new Problem("missing_scope", `The API key lacks the scope ${scope}.`);
  requireWriteLimit(deps, request, key);
  return { team, apiKeyId: key.apiKeyId, bytes };
}
