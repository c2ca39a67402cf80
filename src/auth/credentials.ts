/**
 * Who calls a management or identity route. Both read the database at every call: a revocation counts from the next one on.
 *
 * @module
 */
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { isJson } from "../http/body.ts";
import type { Requirement } from "../http/operation.ts";
import { limits } from "../limits.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import { parseSecret } from "./secret.ts";

export type Scope =
  | "forms:read"
  | "forms:write"
  | "submissions:read"
  | "submissions:update"
  | "submissions:delete"
  | "submissions:write";

/** The security of a route for API keys with the scope, and the codes that follow from it. */
export const apiKeySecurity = (scope: Scope): Requirement[] => [{ apiKey: [scope] }];
export const ownerCodes = ["unauthorized", "missing_scope"] as const satisfies ProblemCode[];

/** The same for the identity routes: an API key with forms:write, or an operator, who sees the agents of its own workspaces. */
export const identityOperation = {
  tag: "identity",
  security: [{ apiKey: ["forms:write"] }, { operatorSession: [] }] as Requirement[],
} as const;
export const identityReadCodes = ownerCodes;
export const identityWriteCodes = [
  ...ownerCodes,
  "csrf_rejected",
  "insufficient_workspace_role",
] as const satisfies ProblemCode[];

/** A caller of the identity routes: an API key that speaks for its team, or an operator with roles in workspaces of it. */
export interface Caller {
  team: string;
  /** Null: the caller is an API key. */
  operator: string | null;
}

/**
 * The API key of a request, if it has the scope. One round trip.
 *
 * @throws {Problem} `unauthorized`, `missing_scope`.
 */
export async function requireApiKey(
  { sql }: Deps,
  request: Request,
  scope: Scope,
): Promise<{ team: string; apiKeyId: string }> {
  const { team, hash } = parseSecret("fdk", request.headers.get("x-api-key") ?? "");
  const { id, scopes } = oneRow(
    await sql<{ id: string | null; scopes: string[] }[]>`
      select k.* from (select) as always left join formd.api_key_use(${team}, ${hash}) as k on true`,
  );
  if (id === null) throw new Problem("unauthorized", "A valid API key is required in x-api-key.");
  if (!scopes.includes(scope)) throw new Problem("missing_scope", `The API key lacks the scope ${scope}.`);
  return { team, apiKeyId: id };
}

/**
 * The caller of an identity route: with `x-api-key` that key (which needs forms:write), and the cookie is not looked at; else the
 * operator of the cookie. One round trip.
 *
 * @throws {Problem} `unauthorized`, `missing_scope`, `csrf_rejected`.
 */
export async function requireCaller(deps: Deps, request: Request): Promise<Caller> {
  if (request.headers.has("x-api-key")) {
    const { team } = await requireApiKey(deps, request, "forms:write");
    return { team, operator: null };
  }
  const { team, hash } = parseSecret("fdo", sessionCookie(request));
  const { operatorId } = oneRow(
    await deps.sql<{ operatorId: string | null }[]>`
      select s.* from (select) as always
      left join formd.operator_session_use(${team}, ${hash}, ${`${limits.operatorSession.idleHours} hours`}) as s on true`,
  );
  if (operatorId === null)
    throw new Problem("unauthorized", "A valid API key in x-api-key or an operator session is required.");
  if (request.method !== "GET") requireCsrfSafe(deps, request);
  return { team, operator: operatorId };
}

/** The value of the cookie `formd_session`, or nothing. */
export const sessionCookie = (request: Request): string =>
  /(?:^|;\s*)formd_session=([\w-]+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "";

/**
 * Cross-site request forgery: a page elsewhere can make a browser send the cookie, but neither a JSON content type without asking
 * first (CORS preflight) nor our own Origin.
 *
 * @throws {Problem} `csrf_rejected`.
 */
export function requireCsrfSafe(deps: Deps, request: Request): void {
  if (!isJson(request)) throw new Problem("csrf_rejected");
  requireSameOrigin(deps, request);
}

/** The part of {@link requireCsrfSafe} that a form post must pass too. @throws {Problem} `csrf_rejected`. */
export function requireSameOrigin({ config }: Deps, request: Request): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const host = URL.parse(origin)?.host;
  const own =
    origin === new URL(config.BASE_URL).origin ||
    (host !== undefined && host === request.headers.get("host"));
  if (!own) throw new Problem("csrf_rejected");
}
