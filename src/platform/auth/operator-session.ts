/** Operators' sessions: a cookie that `POST /console/login` sets. */

import { limits } from "../../limits.ts";
import type { Config } from "../config.ts";
import { cookieHeader, cookieOf } from "../http/cookie.ts";

/**
 * The `Set-Cookie` that sets the session cookie, or deletes it if the secret is empty.
 * @param expiresAt the expiry of the session that a new one continues; default: a full lifetime from now
 */
export const sessionCookie = (config: Config, secret: string, expiresAt?: Date): string => {
  const seconds = expiresAt
    ? Math.ceil((expiresAt.getTime() - Date.now()) / 1000)
    : limits.operatorSession.lifetimeHours * 3600;
  return cookieHeader(config, "session", secret, secret ? Math.max(seconds, 0) : 0);
};

/** The time at which a session began, by the database's clock. */
export const startOf = (expiresAt: Date): Date =>
  new Date(expiresAt.getTime() - limits.operatorSession.lifetimeHours * 3_600_000);

/** The session secret in a request's cookie; "" without one. */
export const sessionSecretOf = (config: Config, request: Request): string =>
  cookieOf(config, request, "session");
