/**
 * Requests with an unknown credential, per client IP and process, on the routes that have no other limit per
 * client IP. Each costs the database a look-up, so that over the limit it is refused without one. A
 * credential that this process has found or made is looked up all the same: others who share its client IP (a
 * NAT, a proxy) cannot keep its owner out.
 */
import { LRUCache } from "lru-cache";
import { limits } from "../../limits.ts";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { rateLimited } from "../http/rate-limits.ts";
import { contextOf, type RequestContext } from "../http/request-context.ts";
import { hashText } from "./secret.ts";

const { windowMs } = limits.rateLimit;

/** Credentials that were found, by their hash; the most recently used are kept. */
const found = new LRUCache<string, true>({ max: 10_000 });

interface Window {
  count: number;
  /** By `performance.now()`. */
  until: number;
}

/**
 * By client IP, as rate limits count it; the window begins with the first request. What has ended is dropped:
 * a flood leaves no memory.
 */
const unknown = new LRUCache<string, Window>({ max: 10_000, ttl: windowMs, ttlAutopurge: true });

/** Requests that count, with their windows. */
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
 * To be called before the credential is looked up. The request counts from then on, once, so that those that
 * arrive at once do not all pass; {@link recordLookup} takes it back.
 *
 * @param hash none: it is not a valid one.
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
 * Like {@link limitUnknownCallers}, but does not count the request. Use it when the credential is looked up
 * later, once the body was parsed.
 *
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

/**
 * Records what the look-up of a credential found: the request counts, once, if there is no such credential.
 */
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

/** A credential exists. */
export const rememberCaller = (hash: Uint8Array): void => void found.set(hashText(hash), true);

/** A credential does not exist any more. */
export const forgetCaller = (hash: Uint8Array): void => void found.delete(hashText(hash));
