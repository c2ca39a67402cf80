/** Rate limits in responses: headers, the 429, and requests refused without the database. */
import { LRUCache } from "lru-cache";
import { limits } from "../../limits.ts";
import { Problem } from "../../problem.ts";
import { oneRow, type Sql } from "../database/db.ts";
import { contextOf, type RequestContext } from "./request-context.ts";

/** A rate limit as SQL reports it after the request: its name (`ip`, `agent`, …) and its state. */
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

/** Counts a request in the rate limit of a key. @param windowMs the window in milliseconds */
export const takeRateLimit = async (
  sql: Sql,
  key: string,
  maxRequests: number,
  windowMs: number = limits.rateLimit.windowMs,
) =>
  oneRow(
    await sql<{ allowed: boolean; remaining: number; resetMs: number }[]>`
      select * from formd.rate_limit_take(p_key => ${key}, p_limit => ${maxRequests}, p_window_ms => ${windowMs})`,
  );

/** Subjects of limits: the end of "… requests per". */
const subjects: Record<string, string> = {
  ip: "client IP",
  site: "network of the client",
  account: "account and client, for wrong passwords",
  "account-everywhere": "account, for wrong passwords",
  caller: "API key or operator",
  "unknown-caller": "client IP without a valid credential",
  refused: "client IP that are refused before they are counted",
};

/** The 429. Its body repeats `Retry-After` (whole seconds from 1) and limit: many clients show only it. */
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

/** Most recently used keys, only while they count, so that a flood leaves nothing in memory. */
const whileItCounts = { max: 10_000, ttl: limits.rateLimit.windowMs, ttlAutopurge: true };

/** Exceeded limits by key: refused without the database `until` then (`performance.now()`). */
const exceeded = new LRUCache<string, RateLimitState & { until: number }>(whileItCounts);

/** Requests that {@link countRefused} has counted, by rate limit key, since the first one. */
const refusedCounts = new LRUCache<string, number>({ ...whileItCounts, noUpdateTTL: true });

/**
 * Returns the client IP's key in the rate limit `name`, for the SQL function that counts. Call it before the
 * body is read: it refuses while the database would, or after too many of {@link countRefused}.
 */
export function admitIp(request: Request, name: string): string {
  const context = contextOf(request);
  const key = `${name}:ip:${context.rateLimitKey}`;
  context.ipLimitKey = key;
  const known = exceeded.get(key);
  const resetMs = known ? known.until - context.startedAt : 0;
  if (known && resetMs > 0) throw rateLimited({ ...known, resetMs });
  return key;
}

/**
 * Counts a request that was refused before the database could count it, as with an incomplete body. After
 * `max` of them per client IP, {@link admitIp} refuses it on routes with that limit, in this process.
 */
export function countRefused(context: RequestContext, { code, status }: Problem, max: number): void {
  const { headers, ipLimitKey, startedAt } = context;
  if (ipLimitKey === undefined || "ratelimit" in headers || code === "rate_limited" || status >= 500) return;
  const count = (refusedCounts.get(ipLimitKey) ?? 0) + 1;
  refusedCounts.set(ipLimitKey, count);
  if (count < max) return;
  const resetMs = refusedCounts.getRemainingTTL(ipLimitKey);
  const state = { limitName: "refused", maxRequests: max, remaining: 0, resetMs };
  exceeded.set(ipLimitKey, { ...state, until: startedAt + resetMs });
}

/** Adds the limit's state to the response. @throws {Problem} `rate_limited`, if that is the outcome. */
export function requireRateLimit(request: Request, outcome: string, rate: RateLimitState): void {
  const { headers, startedAt, ipLimitKey } = contextOf(request);
  if (outcome !== "rate_limited") return void Object.assign(headers, rateLimitHeaders(rate));
  // The database refused at a later time than startedAt, and rounds up to a millisecond.
  if (ipLimitKey && rate.limitName === "ip")
    exceeded.set(ipLimitKey, { ...rate, until: startedAt + rate.resetMs - 1 });
  throw rateLimited(rate);
}
