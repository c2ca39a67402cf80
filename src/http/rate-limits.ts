/** What the response of a rate-limited route says about the limit. */
import { LRUCache } from "lru-cache";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { contextOf } from "./request-context.ts";

/** A rate limit as the SQL functions report it, after the request: its name (`ip`, `agent`, …) and its state. */
export interface RateLimitState {
  limitName: string;
  maxRequests: number;
  windowMs?: number;
  remaining: number;
  resetMs: number;
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers); seconds are rounded up. */
export const rateLimitHeaders = ({
  limitName,
  maxRequests,
  windowMs = limits.rateLimit.windowMs,
  remaining,
  resetMs,
}: RateLimitState) => ({
  ratelimit: `"${limitName}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  "ratelimit-policy": `"${limitName}";q=${maxRequests};w=${windowMs / 1000}`,
});

/** What a limit counts for: the end of "… requests per". */
const subjects: Record<string, string> = {
  ip: "client IP",
  site: "network of the client",
  caller: "API key or operator",
  "unknown-caller": "client IP without a valid credential",
};

/** The 429, with `Retry-After` in whole seconds, at least 1; the body has it too, and the limit: many clients show the body only. */
export function rateLimited(rate: RateLimitState): Problem {
  const { limitName, maxRequests, windowMs = limits.rateLimit.windowMs } = rate;
  const retryAfter = Math.max(1, Math.ceil(rate.resetMs / 1000));
  const allowed =
    limitName === "open-challenges"
      ? `${maxRequests} open challenges per agent and form`
      : `${maxRequests} request${maxRequests === 1 ? "" : "s"} in ${windowMs / 1000} s per ${subjects[limitName] ?? limitName}`;
  return new Problem("rate_limited", {
    message: `At most ${allowed}. Retry in ${retryAfter} s.`,
    extras: { limit: limitName, retryAfter },
    headers: { ...rateLimitHeaders(rate), "retry-after": String(retryAfter) },
  });
}

/** Until when (`performance.now()`) the database refuses requests, by the key of a limit; the most recently used are kept. */
const refusals = new LRUCache<string, RateLimitState & { until: number }>({ max: 10_000 });

/**
 * The key of the rate limit `name` of the request's client IP, for the SQL function that counts in it. To be called before the body is read:
 * while the database would refuse the request, this does.
 *
 * @throws {Problem} `rate_limited`.
 */
export function admitIp(request: Request, name: string): string {
  const context = contextOf(request);
  const key = `${name}:ip:${context.rateLimitKey}`;
  const refusal = refusals.get(key);
  if (refusal) {
    const resetMs = refusal.until - context.startedAt;
    if (resetMs > 0) throw rateLimited({ ...refusal, resetMs });
    refusals.delete(key);
  }
  context.ipLimitKey = key;
  return key;
}

/** Puts the rate limit's state on the response, whatever comes after it. @throws {Problem} `rate_limited`, which the outcome says. */
export function requireRateLimit(request: Request, outcome: string, rate: RateLimitState): void {
  const { headers, startedAt, ipLimitKey } = contextOf(request);
  if (outcome !== "rate_limited") return void Object.assign(headers, rateLimitHeaders(rate));
  // The database refused at a later time than startedAt, and rounds up to a millisecond.
  if (ipLimitKey && rate.limitName === "ip")
    refusals.set(ipLimitKey, { ...rate, until: startedAt + rate.resetMs - 1 });
  throw rateLimited(rate);
}
