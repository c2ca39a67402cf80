/** The context of a request while it is handled. */
import type { CompiledForm, UnstorableFields } from "../../fields/compile.ts";
import type { Problem } from "../../problem.ts";
import type { BodyReservation } from "./body-budget.ts";

/** A parameter of the query that had no effect. */
export interface UnknownParameter {
  path: string;
  message: string;
  nearest?: string;
}

export interface RequestContext {
  /** Made by this server. */
  requestId: string;
  /** The `x-request-id` that the client sent. */
  clientRequestId?: string | undefined;
  clientIp: string;
  /** The client IP as rate limits count it: {@link ipRateLimitKey}. */
  rateLimitKey: string;
  /** `performance.now()` when the request hook ran. */
  startedAt: number;
  /** Key of the rate limit per client IP that the route counts in. {@link admitIp} sets it. */
  ipLimitKey?: string;
  /** The headers of the response. */
  headers: Record<string, unknown>;
  body: BodyReservation;
  /** The reservation in the budget of uploads, until the store has the files. */
  upload?: BodyReservation;
  /** True if the body did not arrive: the client hung up, took too long, or gave way to others. */
  isBodyIncomplete?: boolean;
  /** The authenticated caller, such as `api_key:<id>`, for the log. */
  caller?: string;
  /** The operator of a sign-in with a wrong password. */
  account?: string;
  /** The form that a request of a submitter route names. */
  form?: { team: string; id: string };
  /** Details of a refused request for the log only: step of a signature, Host, error of a passkey. */
  cause?: { step?: string; host?: string; reason?: string };
  /** Status of the response's submission, for the metrics. */
  submitted?: string;
  /** The page of a problem, for a route that has one of its own. */
  errorPage?: (set: { headers: Record<string, unknown> }, problem: Problem) => string;
  /** Unknown parameters of the query, until a part of the response has them. */
  queryWarnings?: readonly UnknownParameter[] | undefined;
  /** Code of the problem that ended the request, for the log. */
  code?: string;
}

/** Data as sent, and its fields with an unstorable value. */
export interface SentData {
  data: Record<string, unknown>;
  unstorable: UnstorableFields;
}

/** A request of the server to one of its own routes, on behalf of a client's request. */
export interface OwnRequest {
  /** The client's request. Its id and client IP are used, and its host and origin were checked. */
  client: Request;
  body: Uint8Array;
  /** The form of a submitter route, from the caller's grant instead of an access key. */
  form: string | undefined;
  /** Returns the data by ids of fields, if the client names them otherwise. The route knows the version. */
  withIds: ((form: CompiledForm, sent: SentData) => SentData) | undefined;
}

/** The server's own requests. A client cannot put one here. */
export const ownRequests = new WeakMap<Request, OwnRequest>();

/** Contexts by request. They are garbage-collected with it. */
export const contexts = new WeakMap<Request, RequestContext>();

/** Returns the context that the request hook (hooks.ts) made. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error("The request has no context: the request hook did not run.");
  return context;
}

/** The ids of a request in a line of the log. */
export function requestIdsOf(request: Request): Pick<RequestContext, "requestId" | "clientRequestId"> {
  const { requestId, clientRequestId } = contextOf(request);
  return { requestId, ...(clientRequestId !== undefined && { clientRequestId }) };
}

/** Checks whether the method only reads. */
export const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

/** The path as received: a URL parser would normalize it, and a signature covers it as sent. */
export const pathOf = (request: Request): string => /^\w+:\/\/[^/?#]*([^?#]*)/.exec(request.url)?.[1] || "/";

/** The query as received, with its `?`. "" without one. */
export const rawQueryOf = (request: Request): string => /\?[^#]*/.exec(request.url)?.[0] ?? "";
