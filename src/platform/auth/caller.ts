/** Callers of the identity routes, audit and reviews: an API key (its team), or an operator with roles. */

import { limits } from "../../limits.ts";
import { Problem, type ProblemCode, problemFromSql } from "../../problem.ts";
import type { Deps } from "../deps.ts";
import type { Requirement } from "../http/operation.ts";
import { contextOf } from "../http/request-context.ts";
import { isUuid } from "../http/shapes.ts";
import { apiKeyOf, ownerCodes, type Scope } from "./api-key.ts";
import { type Credential, requireWriteLimit, withCredential, writeLimit } from "./authenticate.ts";
import { requireCsrfSafe } from "./csrf.ts";
import { sessionSecretOf } from "./operator-session.ts";
import { parseSecret } from "./secret.ts";

/** OpenAPI members of an identity route, and the error codes that follow from them. */
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
/** The codes of a route that makes credentials. */
export const identityRiskyCodes = [
  ...identityWriteCodes,
  "password_required",
  "passkey_required",
] as const satisfies ProblemCode[];

/** Requirements of an action. */
interface Needs {
  /** The agent that the path of a write names. */
  agentId?: string;
  /** The scope of an API key; default: forms:write; null: an operator only. */
  scope?: Scope | null;
  /**
   * Proof that an operator must have given: the password in the last 15 minutes; a passkey in the last 5, if
   * a workspace requires one. The table of acts has it.
   */
  proof?: { isRecent?: true; passkey?: string };
}

/**
 * The credential of a request: the API key in `x-api-key`, which must have the scope, or else the cookie's
 * operator, whose role must allow the request. With `x-api-key` the cookie is ignored.
 */
function credentialOf(
  deps: Deps,
  request: Request,
  { agentId = "", scope = "forms:write", proof = {} }: Needs,
): Credential {
  if (scope !== null && request.headers.has("x-api-key")) return apiKeyOf(deps, request, scope);
  const { team, hash } = parseSecret("fdo", sessionSecretOf(deps.config, request));
  return {
    type: "operator",
    team,
    hash,
    call: deps.sql`
      formd.operator_session_authenticate(
        p_team => ${team}, p_token_hash => ${hash}, p_idle => ${`${limits.operatorSession.idleHours} hours`},
        p_agent => ${isUuid(agentId) ? agentId : null}, p_write_limit => ${writeLimit(deps, request)},
        p_proof => ${proof.isRecent ? `${limits.operatorSession.proofMinutes} minutes` : null},
        p_step_up => ${proof.passkey ? `${limits.passkey.stepUpMinutes} minutes` : null})
      as caller (outcome, caller_id, remaining, reset_ms)`,
    requireSafe: () => requireCsrfSafe(deps, request),
    requireAllowed(caller) {
      if (caller.outcome === "unauthorized")
        throw new Problem(
          "unauthorized",
          `${scope === null ? "An" : "A valid API key in x-api-key or an"} operator session is required.`,
        );
      contextOf(request).caller = `operator:${caller.callerId}`;
      requireCsrfSafe(deps, request);
      requireWriteLimit(deps, request, caller);
      if (caller.outcome !== "allowed") throw problemFromSql(caller.outcome);
    },
  };
}

/**
 * {@link withCredential} for an API key or an operator.
 * @throws {Problem} `unauthorized`, `missing_scope`, `csrf_rejected`, `rate_limited`,
 * `insufficient_workspace_role`, `password_required`, `passkey_required`.
 */
export const withApiKeyOrOperator = (deps: Deps, request: Request, needs: Needs = {}) =>
  withCredential(deps, request, () => credentialOf(deps, request, needs));

/** {@link withCredential} for an operator only. @throws {Problem} as {@link withApiKeyOrOperator} */
export const withOperator = (deps: Deps, request: Request) =>
  withApiKeyOrOperator(deps, request, { scope: null });
