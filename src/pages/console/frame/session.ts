/** The operator's session as the pages use it. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { say } from "../../../messages.ts";
import { requireWriteLimit, writeLimit } from "../../../platform/auth/authenticate.ts";
import { requireSameOrigin } from "../../../platform/auth/csrf.ts";
import { sessionSecretOf } from "../../../platform/auth/operator-session.ts";
import { parseSecret, sha256 } from "../../../platform/auth/secret.ts";
import { limitUnknownCallers, recordLookup } from "../../../platform/auth/unknown-callers.ts";
import type { Deps } from "../../../platform/deps.ts";
import { contextOf } from "../../../platform/http/request-context.ts";
import { Problem } from "../../../problem.ts";
import type { SessionKey, SessionOperator } from "../../../resources/operators/account.ts";
import { readSessionOperator } from "../../../resources/operators/account.ts";
import { setLanguage } from "../../ui/language.ts";

export interface Session extends SessionKey, Omit<SessionOperator, "operatorId"> {
  operator: string;
  /** Token of a form post, for browsers that send neither Origin nor Sec-Fetch-Site. */
  csrf: string;
}

/**
 * Returns the session of a request. It takes one round trip, or none without a cookie. A write counts in the
 * operator's rate limit.
 *
 * @throws {Problem} `unauthorized`, `rate_limited`.
 */
export async function requireSession(deps: Deps, request: Request): Promise<Session> {
  const secret = sessionSecretOf(deps.config, request);
  if (secret === "") throw notSignedIn();
  const { team, hash } = parseSecret("fdo", secret);
  limitUnknownCallers(deps, request, hash);
  const row = await readSessionOperator(deps.sql, { team, hash }, writeLimit(deps, request));
  recordLookup(request, hash, row.outcome !== "unauthorized");
  if (row.outcome === "unauthorized") throw notSignedIn();
  contextOf(request).caller = `operator:${row.operatorId}`;
  requireWriteLimit(deps, request, row);
  const { operatorId: operator, ...session } = row;
  if (session.language) setLanguage(session.language);
  return { ...session, team, hash, operator, csrf: csrfTokenOf(secret) };
}

/** {@link requireSession}; null without a session. */
export const findSession = (deps: Deps, request: Request): Promise<Session | null> =>
  requireSession(deps, request).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "unauthorized") return null;
    throw error;
  });

const notSignedIn = () => new Problem("unauthorized", say("signed_out"));

/** Derived from the session's secret, so that nothing is stored and a new session has a new token. */
const csrfTokenOf = (secret: string): string =>
  createHmac("sha256", secret).update("csrf").digest("base64url");

/**
 * True if the browser reports that a page of this server sent a form post.
 * @throws {Problem} `csrf_rejected` for another origin.
 */
export function isFromOwnPage(deps: Deps, request: Request): boolean {
  requireSameOrigin(deps, request);
  const site = request.headers.get("sec-fetch-site");
  return site !== null ? site === "same-origin" : request.headers.has("origin");
}

/**
 * Checks that a page of this server sent a form post. Browsers report it in Origin and Sec-Fetch-Site (Fetch
 * Metadata, section 2.3). If a browser sends neither, the token is required.
 *
 * @throws {Problem} `csrf_rejected`.
 */
export function requireOwnForm(deps: Deps, request: Request, { csrf }: Session, token: string): void {
  if (isFromOwnPage(deps, request)) return;
  if (
    request.headers.get("sec-fetch-site") === null &&
    request.headers.get("origin") === null &&
    timingSafeEqual(sha256(token), sha256(csrf))
  )
    return;
  throw new Problem("csrf_rejected", say("foreign_form"));
}
