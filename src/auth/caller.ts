/**
 * Callers of the identity routes, of the audit and of reviews: an API key, which acts for its team, or an operator with roles in workspaces of
 * the team.
 */
import type { Fragment } from "postgres";
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import type { Read } from "../http/list.ts";
import type { Requirement } from "../http/operation.ts";
import { contextOf } from "../http/request-context.ts";
import { isUuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem, type ProblemCode, problemFromSql } from "../problem.ts";
import { type Actor, actorOf } from "./actor.ts";
import { apiKeyOf, ownerCodes, type Scope } from "./api-key.ts";
import { authenticate, type Credential, queryAs, requireWriteLimit, writeLimit } from "./authenticate.ts";
import { requireCsrfSafe } from "./csrf.ts";
import { sessionSecretOf } from "./operator-session.ts";
import { parseSecret } from "./secret.ts";

/** What the document says of an identity route, and the codes that follow from it. */
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

export interface Caller {
  team: string;
  actor: Actor;
  /** Of the body. */
  bytes: Uint8Array;
}

/**
 * With `x-api-key` that key, which must have the scope, and the cookie is ignored; else the cookie's operator, whose role must allow the
 * request.
 *
 * @param agentId the agent that the path names
 */
function credentialOf(deps: Deps, request: Request, scope: Scope, agentId: string): Credential {
  if (request.headers.has("x-api-key")) return apiKeyOf(deps, request, scope);
  const { team, hash } = parseSecret("fdo", sessionSecretOf(deps.config, request));
  return {
    team,
    call: deps.sql`
      formd.operator_session_authenticate(
        p_team => ${team}, p_token_hash => ${hash}, p_idle => ${`${limits.operatorSession.idleHours} hours`},
        p_agent => ${isUuid(agentId) ? agentId : null}, p_write_limit => ${writeLimit(deps, request)})
      as caller (outcome, caller_id, remaining, reset_ms)`,
    requireAllowed(caller) {
      if (caller.outcome === "unauthorized")
        throw new Problem("unauthorized", "A valid API key in x-api-key or an operator session is required.");
      contextOf(request).caller = `operator:${caller.callerId}`;
      requireCsrfSafe(deps, request);
      requireWriteLimit(deps, request, caller);
      if (caller.outcome !== "allowed") throw problemFromSql(caller.outcome);
    },
  };
}

/**
 * The caller of a route for API keys and operators. One round trip.
 *
 * @param agentId the agent that the path names
 * @throws {Problem} `payload_too_large`, `unauthorized`, `missing_scope`, `csrf_rejected`, `rate_limited`, `insufficient_workspace_role`.
 */
export async function requireCaller(
  deps: Deps,
  request: Request,
  agentId = "",
  scope: Scope = "forms:write",
): Promise<Caller> {
  const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
  const credential = credentialOf(deps, request, scope, agentId);
  const { callerId } = await authenticate(deps, credential);
  const type = request.headers.has("x-api-key") ? "api_key" : "operator";
  return { team: credential.team, actor: actorOf(request, type, callerId), bytes };
}

/**
 * Reads for the caller of a route for API keys and operators: `operator` is the operator's id as an expression, null for an API key. One round trip.
 *
 * @throws {Problem} those of {@link requireCaller} and of {@link queryAs}.
 */
export const asCaller =
  (deps: Deps, request: Request, scope: Scope = "forms:write"): Read<[team: string, operator: Fragment]> =>
  async (toQuery) => {
    await readBytes(request, deps.config.MAX_BODY_BYTES);
    const credential = credentialOf(deps, request, scope, "");
    const operator = request.headers.has("x-api-key") ? deps.sql`null` : deps.sql`caller.caller_id`;
    return await queryAs(deps, credential, () => toQuery(credential.team, operator));
  };
