/** What is known of a request while it is handled. */
import type { Problem } from "../../problem.ts";
import type { BodyReservation } from "./body-budget.ts";

export interface RequestContext {
  requestId: string;
  clientIp: string;
  /** The client IP as rate limits count it: {@link ipRateLimitKey}. */
  rateLimitKey: string;
  /** `performance.now()` when the request hook ran. */
  startedAt: number;
  /** The key of the rate limit of the client IP that the route counts in; {@link admitIp} sets it. */
  ipLimitKey?: string;
  /** The headers of the response. */
  headers: Record<string, unknown>;
  body: BodyReservation;
  /** The part in the budget of uploads, until the store has the files. */
  upload?: BodyReservation;
  /** Whether the body did not arrive, since the client hung up, took too long, or gave way to others. */
  isBodyIncomplete?: boolean;
  /** Who was authenticated, such as `api_key:<id>`; for the log. */
  caller?: string;
  /** The operator whose password a sign-in got wrong. */
  account?: string;
  /** The form that a request of a submitter route names. */
  form?: { team: string; id: string };
  /**
   * Why the request was refused, where the response does not say it or not all: the step of a signature, the
   * Host, what was wrong with a passkey; for the log.
   */
  cause?: { step?: string; host?: string; reason?: string };
  /** The status of the submission that the response is about; for the metrics. */
  submitted?: string;
  /** The page of a problem, for a route that has one of its own. */
  errorPage?: (set: { headers: Record<string, unknown> }, problem: Problem) => string;
  /** The code of the problem that the request ended in; for the log. */
  code?: string;
}

/** A request that the server makes to one of its own routes, for a client's request that it handles. */
interface OwnRequest {
  /** The client's request, whose id and client IP count, and whose host and origin were checked. */
  client: Request;
  body: Uint8Array;
  /** The form that a submitter route is about, by the grant of the caller and not by an access key. */
  form: string | undefined;
}

/** The server's own requests. A client cannot put one here. */
export const ownRequests = new WeakMap<Request, OwnRequest>();

/** By request; collected with it. */
export const contexts = new WeakMap<Request, RequestContext>();

/** The context that the hook before the route (hooks.ts) made. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error("The request has no context: the request hook did not run.");
  return context;
}

/** Whether the method only reads. */
export const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

/**
 * The path as it came. Bun and Deno both give absolute URLs; a URL parser would normalize it, and a signature
 * covers it as sent.
 */
export const pathOf = (request: Request): string => /^\w+:\/\/[^/?#]*([^?#]*)/.exec(request.url)?.[1] || "/";

/** The query as it came, with its `?`; empty when there is none. */
export const rawQueryOf = (request: Request): string => /\?[^#]*/.exec(request.url)?.[0] ?? "";
