/**
 * Cross-origin requests (Fetch standard, "CORS protocol") for the routes that respondents call from pages anywhere: the submitter's and the
 * sessions'. Own lines, since there are two prefixes and never credentials, and a refusal at the door must carry the headers as well.
 */
import type { Config } from "../config.ts";
import { pathOf } from "./request-context.ts";

const open = /^\/papi\/v1\/(?:submitter|auth)\//;

/** What a respondent's page may send. Not `x-api-key` nor `x-agent-secret`: a page is no place for either. */
const sent =
  "content-type, idempotency-key, x-form-access-key, x-respondent-token, x-request-id, content-digest, signature, signature-input";
/** What it may read beside the body. */
const read = "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

/** A preflight's answer may be kept for this many seconds; browsers cap it at about as much. */
const maxAge = 7200;

/**
 * What a request's answer says about CORS, a refusal too, and whether it is a preflight, which is answered with nothing else. The origin is
 * answered as `*`, or by name if it is one of CORS_ORIGINS; a stranger is told nothing, so that its browser keeps the answer from it.
 */
export function cors({ CORS_ORIGINS }: Config) {
  const any = CORS_ORIGINS.includes("*");
  const known = new Set(CORS_ORIGINS);
  return (request: Request): { headers: Record<string, string>; preflight: boolean } => {
    if (!open.test(pathOf(request))) return { headers: {}, preflight: false };
    const origin = request.headers.get("origin");
    const preflight =
      request.method === "OPTIONS" && origin !== null && request.headers.has("access-control-request-method");
    const headers: Record<string, string> = any ? {} : { vary: "Origin" };
    if (origin === null || !(any || known.has(origin))) return { headers, preflight };
    headers["access-control-allow-origin"] = any ? "*" : origin;
    if (preflight) {
      headers["access-control-allow-methods"] = "GET, POST";
      headers["access-control-allow-headers"] = sent;
      headers["access-control-max-age"] = String(maxAge);
    } else headers["access-control-expose-headers"] = read;
    return { headers, preflight };
  };
}
