/**
 * What is known of a request while it walks through: who asks, since when, and the id that finds it in the log.
 *
 * @module
 */

export interface RequestContext {
  requestId: string;
  /** The throttle bucket of the client's address. */
  address: string;
  /** `performance.now()` at the door. */
  startedAt: number;
  /** The code of the refusal that it ended in, for the log. */
  code?: string;
}

/** By request; gone with it. */
export const contexts = new WeakMap<Request, RequestContext>();

/** The walk of a request that came in by the door. */
export function contextOf(request: Request): RequestContext {
  const walk = contexts.get(request);
  if (!walk) throw new Error("a request that did not come in by the door");
  return walk;
}

/** The throttle bucket of the request's client. */
export const rateLimitKeyOf = (request: Request): string => contextOf(request).address;

/** The path as it came: Bun and Deno both give absolute addresses, and no runtime's URL parser is asked. */
export const pathOf = (request: Request): string => /^\w+:\/\/[^/?#]*([^?#]*)/.exec(request.url)?.[1] || "/";

/** The query as it came, with its `?`; empty when there is none. */
export const rawQueryOf = (request: Request): string => /\?[^#]*/.exec(request.url)?.[0] ?? "";
