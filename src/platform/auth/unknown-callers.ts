/**
 * Rate limit on unknown credentials, per client IP and process, for routes without another one. Over it, a
 * request costs no look-up. Credentials that this process has found or made are always looked up, so that
 * others with the same client IP (a NAT, a proxy) cannot lock their owners out.
 */
import { LRUCache } from "lru-cache";
import { limits } from "../../limits.ts";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { rateLimited } from "../http/rate-limits.ts";
import { contextOf, type RequestContext } from "../http/request-context.ts";
import { hashText } from "./secret.ts";

const { windowMs } = limits.rateLimit;

/** Hashes of valid credentials. The most recently used are kept. */
const found = new LRUCache<string, true>({ max: 10_000 });

interface Window {
  count: number;
  /** End of the window, on the clock of `performance.now()`. */
  until: number;
}

/** Windows by rate limit key. Each is dropped at its end, so that a flood leaves nothing in memory. */
const unknown = new LRUCache<string, Window>({ max: 10_000, ttl: windowMs, ttlAutopurge: true });

const counted = new WeakMap<Request, Window>();

function windowOf({ rateLimitKey, startedAt }: RequestContext): Window {
  let window = unknown.get(rateLimitKey);
  if (!window || window.until <= startedAt) {
    window = { count: 0, until: startedAt + windowMs };
    unknown.set(rateLimitKey, window);
  }
  return window;
}

/**
 * Counts an unknown caller before the look-up, so that simultaneous requests do not all pass the limit.
 * {@link recordLookup} takes the count back. @param hash undefined: the credential is not valid
 * @throws {Problem} `rate_limited`.
 */
export function limitUnknownCallers({ config }: Deps, request: Request, hash?: Uint8Array): void {
  const context = contextOf(request);
  if (context.ipLimitKey !== undefined || counted.has(request)) return;
  if (hash && found.has(hashText(hash))) return;
  const window = windowOf(context);
  requireRoom(config, context, window);
  window.count++;
  counted.set(request, window);
}

/**
 * {@link limitUnknownCallers} without the count, for a credential that is looked up after the body is parsed.
 * @throws {Problem} `rate_limited`.
 */
export function checkUnknownCallers({ config }: Deps, request: Request, hash: Uint8Array): void {
  const context = contextOf(request);
  const window = unknown.get(context.rateLimitKey);
  if (window && window.until > context.startedAt && !found.has(hashText(hash)))
    requireRoom(config, context, window);
}

function requireRoom(config: Config, { startedAt }: RequestContext, { count, until }: Window): void {
  const maxRequests = config.RATE_LIMIT_MANAGEMENT_PER_MINUTE;
  if (count >= maxRequests)
    throw rateLimited({ limitName: "unknown-caller", maxRequests, remaining: 0, resetMs: until - startedAt });
}

/** Records the result of a look-up. The request counts, once, if the credential does not exist. */
export function recordLookup(request: Request, hash: Uint8Array | undefined, isFound: boolean): void {
  const context = contextOf(request);
  if (context.ipLimitKey !== undefined) return;
  const window = counted.get(request);
  if (isFound) {
    if (hash) rememberCaller(hash);
    if (window) window.count--;
    counted.delete(request);
    return;
  }
  if (hash) forgetCaller(hash);
  if (window) return;
  windowOf(context).count++;
}

/** Records that a credential exists. */
export const rememberCaller = (hash: Uint8Array): void => void found.set(hashText(hash), true);

/** Records that a credential no longer exists. */
export const forgetCaller = (hash: Uint8Array): void => void found.delete(hashText(hash));
