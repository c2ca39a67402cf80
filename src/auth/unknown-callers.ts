/**
 * Requests with an unknown API key or session, per client IP and process. Each costs the database a look-up, so that over the limit it is
 * refused without one. A credential that this process has found is looked up all the same: others who share its client IP (a NAT, a proxy)
 * cannot keep its owner out.
 */
import { LRUCache } from "lru-cache";
import { rateLimited } from "../http/rate-limits.ts";
import { contextOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import { hashText } from "./secret.ts";

const { windowMs } = limits.rateLimit;

/** Of credentials that were found, by their hash; the most recently used are kept. */
const found = new LRUCache<string, true>({ max: 10_000 });

/** By client IP, as rate limits count it; the window begins with the first request. Times by `performance.now()`. */
const unknown = new LRUCache<string, { count: number; until: number }>({ max: 10_000 });

/** To be called before the credential is looked up. @throws {Problem} `rate_limited`. */
export function requireFewUnknown(request: Request, hash: Uint8Array, maxRequests: number): void {
  const { rateLimitKey, startedAt } = contextOf(request);
  const window = unknown.get(rateLimitKey);
  if (!window || window.count < maxRequests || found.has(hashText(hash))) return;
  const resetMs = window.until - startedAt;
  if (resetMs > 0) throw rateLimited({ limitName: "unknown-caller", maxRequests, remaining: 0, resetMs });
}

/** What the look-up said of the credential. */
export function countCaller(request: Request, hash: Uint8Array, isFound: boolean): void {
  if (isFound) return void found.set(hashText(hash), true);
  const { rateLimitKey, startedAt } = contextOf(request);
  const window = unknown.get(rateLimitKey);
  if (window && window.until > startedAt) window.count++;
  else unknown.set(rateLimitKey, { count: 1, until: startedAt + windowMs });
}
