/** Operators' sessions: a cookie that `POST /console/login` sets. */

import { limits } from "../../limits.ts";
import type { Config } from "../config.ts";

const isHttps = ({ BASE_URL }: Config) => BASE_URL.startsWith("https:");

/** With https the prefix excludes cookies of subdomains and plain HTTP (RFC 6265bis, section 4.1.3). */
export const cookieName = (config: Config) => (isHttps(config) ? "__Host-formd_session" : "formd_session");

/**
 * The `Set-Cookie` that sets the session cookie, or deletes it if the secret is empty.
 *
 * @param expiresAt the expiry of the session that a new one continues; default: a full lifetime from now
 */
export const sessionCookie = (config: Config, secret: string, expiresAt?: Date): string => {
  const seconds = expiresAt
    ? Math.ceil((expiresAt.getTime() - Date.now()) / 1000)
    : limits.operatorSession.lifetimeHours * 3600;
  const maxAge = secret ? Math.max(seconds, 0) : 0;
  const secure = isHttps(config) ? "; Secure" : "";
  return `${cookieName(config)}=${secret}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure}`;
};

/** The session secret in a request's cookie; "" without one. */
export const sessionSecretOf = (config: Config, request: Request): string => {
  const [, secret = ""] =
    new RegExp(`(?:^|;\\s*)${cookieName(config)}=([\\w-]+)`).exec(request.headers.get("cookie") ?? "") ?? [];
  return secret;
};
