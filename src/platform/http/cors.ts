/**
 * Cross-origin requests (Fetch standard, "CORS protocol") for submitter and session routes. No library is
 * used: there are two prefixes, no credentials, and errors of the request hook need the headers.
 */
import type { Config } from "../config.ts";

/** Matches the whole URL, so that one test is enough. */
const open = /^\w+:\/\/[^/?#]*\/papi\/v1\/(?:submitter|auth)\//;

/** Headers that a page may send: not `x-api-key` and `x-agent-secret`, which belong in no page. */
const requestHeaders =
  "content-type, idempotency-key, x-form-access-key, x-respondent-token, x-request-id, content-digest, signature, signature-input";
/** Headers that a page may read. */
const responseHeaders = "RateLimit, RateLimit-Policy, Retry-After, Warning, X-Request-Id";

/** Seconds for which a browser may cache a preflight response. Browsers' own maximum is about the same. */
const maxAgeSeconds = 7200;

/**
 * Returns the CORS headers, and whether it is a preflight. The origin is `*`, or the request's if it is
 * one of CORS_ORIGINS. Others get no header: the browser withholds the response.
 */
export function cors({ CORS_ORIGINS }: Config) {
  const any = CORS_ORIGINS.includes("*");
  const known = new Set(CORS_ORIGINS);
  return (request: Request): { headers: Record<string, string>; preflight: boolean } => {
    if (!open.test(request.url)) return { headers: {}, preflight: false };
    const origin = request.headers.get("origin");
    const preflight =
      request.method === "OPTIONS" && origin !== null && request.headers.has("access-control-request-method");
    const headers: Record<string, string> = any ? {} : { vary: "Origin" };
    if (origin === null || !(any || known.has(origin))) return { headers, preflight };
    headers["access-control-allow-origin"] = any ? "*" : origin;
    if (preflight) {
      headers["access-control-allow-methods"] = "GET, POST";
      headers["access-control-allow-headers"] = requestHeaders;
      headers["access-control-max-age"] = String(maxAgeSeconds);
    } else headers["access-control-expose-headers"] = responseHeaders;
    return { headers, preflight };
  };
}
