/** The operator's session as the pages use it. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { type Authentication, requireWriteLimit, writeLimit } from "../auth/authenticate.ts";
import { requireSameOrigin } from "../auth/csrf.ts";
import { sessionSecretOf } from "../auth/operator-session.ts";
import { parseSecret, sha256 } from "../auth/secret.ts";
import { countCaller, requireFewUnknown } from "../auth/unknown-callers.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { contextOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import type { Role } from "../operators/roles.ts";
import { Problem } from "../problem.ts";

export interface Session {
  team: string;
  teamName: string;
  operator: string;
  email: string;
  /** In which the operator has a role, oldest first. */
  workspaces: { id: string; name: string; role: Role; editorsMayPublish: boolean }[];
  /** Whether the team has no others. */
  hasEveryWorkspace: boolean;
  /** In which the operator has a role. */
  teams: { id: string; name: string }[];
  /** What a form post carries, for browsers that say nothing of where it comes from. */
  csrf: string;
}

/**
 * The session of a request; one round trip, none without a cookie. A write counts in the operator's rate limit.
 *
 * @throws {Problem} `unauthorized`, `rate_limited`.
 */
export async function requireSession(deps: Deps, request: Request): Promise<Session> {
  const secret = sessionSecretOf(deps.config, request);
  if (secret === "") throw notSignedIn();
  const { team, hash } = parseSecret("fdo", secret);
  requireFewUnknown(deps, request, hash);
  const row = oneRow(
    await deps.sql<(Authentication & Omit<Session, "team" | "csrf"> & { operatorId: string })[]>`
      select * from formd.console_operator_read(
        p_team => ${team}, p_token_hash => ${hash}, p_idle => ${`${limits.operatorSession.idleHours} hours`},
        p_write_limit => ${writeLimit(deps, request)})`,
  );
  countCaller(request, hash, row.outcome !== "unauthorized");
  if (row.outcome === "unauthorized") throw notSignedIn();
  contextOf(request).caller = `operator:${row.operatorId}`;
  requireWriteLimit(deps, request, row);
  const { operatorId: operator, email, teamName, workspaces, hasEveryWorkspace, teams } = row;
  return { team, operator, email, teamName, workspaces, hasEveryWorkspace, teams, csrf: csrfTokenOf(secret) };
}

const notSignedIn = () => new Problem("unauthorized", "You are not signed in.");

/** Derived from the session's secret, so that nothing is stored and a new session has a new one. */
const csrfTokenOf = (secret: string): string =>
  createHmac("sha256", secret).update("csrf").digest("base64url");

/**
 * What a form post must prove: that a page of this server sent it. Browsers say so in Origin and Sec-Fetch-Site (Fetch Metadata, section
 * 2.3); of one that sends neither, the token is required.
 *
 * @throws {Problem} `csrf_rejected`.
 */
export function requireOwnForm(deps: Deps, request: Request, { csrf }: Session, token: string): void {
  requireSameOrigin(deps, request);
  const site = request.headers.get("sec-fetch-site");
  if (site !== null ? site === "same-origin" : request.headers.has("origin")) return;
  if (site === null && timingSafeEqual(sha256(token), sha256(csrf))) return;
  throw new Problem(
    "csrf_rejected",
    "This form does not come from a page of this server. Reload it and try again.",
  );
}
