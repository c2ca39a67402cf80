/**
 * What a throttled route says about its throttle.
 *
 * @module
 */
import { Problem } from "../problem.ts";

/** A throttle as the SQL functions report it: the bucket that the answer is about, and how it stands now. */
export interface RateLimitState {
  bucket: string;
  bucketLimit: number;
  windowMs: number;
  remaining: number;
  resetMs: number;
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers); seconds are rounded up. */
export const rateLimitHeaders = ({ bucket, bucketLimit, windowMs, remaining, resetMs }: RateLimitState) => ({
  ratelimit: `"${bucket}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  "ratelimit-policy": `"${bucket}";q=${bucketLimit};w=${windowMs / 1000}`,
});

/** The 429 of a throttle, with `Retry-After` in whole seconds, at least 1. */
export const rateLimited = (rate: RateLimitState) =>
  new Problem("rate_limited", {
    headers: {
      ...rateLimitHeaders(rate),
      "retry-after": String(Math.max(1, Math.ceil(rate.resetMs / 1000))),
    },
  });
