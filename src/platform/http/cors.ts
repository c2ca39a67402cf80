/**
 * Cross-origin requests (Fetch standard, "CORS protocol") for the routes that respondents call from pages
 * anywhere: the submitter's and the sessions'. No library: there are two prefixes and never credentials, and
 * errors of the request hook need the headers as well.
 */
import type { Config } from "../config.ts";

/** Matches the whole URL, so that one search is enough. */
const open = /^\w+:\/\/[^/?#]*\/papi\/v1\/(?:submitter|auth)\//;

/** Headers that a page may send. Not `x-api-key` and `x-agent-secret`, which do not belong in a page. */
const requestHeaders =
  "content-type, idempotency-key, x-form-access-key, x-respondent-token, x-request-id, content-digest, signature, signature-input";
/** Headers that it may read. */
const responseHeaders = "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

/** Seconds that a browser may keep the response to a preflight; browsers have a maximum of about as much. */
const maxAgeSeconds = 7200;

/**
 * The CORS headers of a response, also of an error, and whether the request is a preflight. The allowed
 * origin is `*`, or the request's if it is one of CORS_ORIGINS. Any other gets no header: its browser keeps
 * the response from it.
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
