/** What the response of a rate-limited route says about the limit. */
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

/** The 429, with `Retry-After` in whole seconds, at least 1. */
export const rateLimited = (rate: RateLimitState) =>
  new Problem("rate_limited", {
    headers: {
      ...rateLimitHeaders(rate),
      "retry-after": String(Math.max(1, Math.ceil(rate.resetMs / 1000))),
    },
  });

/** Puts the rate limit's state on the response, whatever comes after it. @throws {Problem} `rate_limited`, which the outcome says. */
export function requireRateLimit(request: Request, outcome: string, rate: RateLimitState): void {
  if (outcome === "rate_limited") throw rateLimited(rate);
  Object.assign(contextOf(request).headers, rateLimitHeaders(rate));
}
