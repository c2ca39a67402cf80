/**
 * Requests with an unknown credential, per client IP and process, on the routes that have no other limit per client IP. Each costs the database
 * a look-up, so that over the limit it is refused without one. A credential that this process has found or made is looked up all the same:
 * others who share its client IP (a NAT, a proxy) cannot keep its owner out.
 */
import { LRUCache } from "lru-cache";
import type { Deps } from "../deps.ts";
import { rateLimited } from "../http/rate-limits.ts";
import { contextOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import { hashText } from "./secret.ts";

const { windowMs } = limits.rateLimit;

/** Of credentials that were found, by their hash; the most recently used are kept. */
const found = new LRUCache<string, true>({ max: 10_000 });

/** By client IP, as rate limits count it; the window begins with the first request. Times by `performance.now()`. */
const unknown = new LRUCache<string, { count: number; until: number }>({ max: 10_000 });

/** To be called before the credential is looked up. @param hash none: it is not a valid one. @throws {Problem} `rate_limited`. */
export function requireFewUnknown({ config }: Deps, request: Request, hash?: Uint8Array): void {
  const { rateLimitKey, ipLimitKey, startedAt } = contextOf(request);
  if (ipLimitKey !== undefined) return;
  const maxRequests = config.RATE_LIMIT_MANAGEMENT_PER_MINUTE;
  const window = unknown.get(rateLimitKey);
  if (!window || window.count < maxRequests || (hash && found.has(hashText(hash)))) return;
  const resetMs = window.until - startedAt;
  if (resetMs > 0) throw rateLimited({ limitName: "unknown-caller", maxRequests, remaining: 0, resetMs });
}

/** What the look-up said of the credential. */
export function countCaller(request: Request, hash: Uint8Array | undefined, isFound: boolean): void {
  const { rateLimitKey, ipLimitKey, startedAt } = contextOf(request);
  if (ipLimitKey !== undefined) return;
  if (isFound) {
    if (hash) rememberCaller(hash);
    return;
  }
  if (hash) found.delete(hashText(hash));
  const window = unknown.get(rateLimitKey);
  if (window && window.until > startedAt) window.count++;
  else unknown.set(rateLimitKey, { count: 1, until: startedAt + windowMs });
}

/** A credential exists. */
export const rememberCaller = (hash: Uint8Array): void => void found.set(hashText(hash), true);
