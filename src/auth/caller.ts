/** Callers of the identity routes: an API key, which acts for its team, or an operator with roles in workspaces of the team. */
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import type { Requirement } from "../http/operation.ts";
import { contextOf } from "../http/request-context.ts";
import { isUuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem, type ProblemCode, problemFromSql } from "../problem.ts";
import { type Authentication, ownerCodes, requireApiKey, requireWriteLimit, writeLimit } from "./api-key.ts";
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
  /** Null: the caller is an API key. */
  operator: string | null;
  /** Of the body. */
  bytes: Uint8Array;
}

/**
 * The caller of an identity route: with `x-api-key` that key (with the scope forms:write) and the cookie is ignored; else the
 * cookie's operator, whose role must allow the request. One round trip.
 *
 * @param agentId the agent that the path names
 * @throws {Problem} `payload_too_large`, `unauthorized`, `missing_scope`, `csrf_rejected`, `rate_limited`, `insufficient_workspace_role`.
 */
export async function requireCaller(deps: Deps, request: Request, agentId = ""): Promise<Caller> {
  if (request.headers.has("x-api-key")) {
    const { team, bytes } = await requireApiKey(deps, request, "forms:write");
    return { team, operator: null, bytes };
  }
  const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
  const { team, hash } = parseSecret("fdo", sessionSecretOf(deps.config, request));
  const session = oneRow(
    await deps.sql<(Authentication & { operatorId: string })[]>`
      select * from formd.operator_session_authenticate(
        p_team => ${team}, p_token_hash => ${hash}, p_idle => ${`${limits.operatorSession.idleHours} hours`},
        p_agent => ${isUuid(agentId) ? agentId : null}, p_write_limit => ${writeLimit(deps, request)})`,
  );
  if (session.outcome === "unauthorized")
    throw new Problem("unauthorized", "A valid API key in x-api-key or an operator session is required.");
  contextOf(request).caller = `operator:${session.operatorId}`;
  requireCsrfSafe(deps, request);
  requireWriteLimit(deps, request, session);
  if (session.outcome !== "allowed") throw problemFromSql(session.outcome);
  return { team, operator: session.operatorId, bytes };
}
