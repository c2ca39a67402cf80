/** Hooks around requests: context and headers before the route, envelopes of errors, log and metrics. */
import { v4 as uuidv4 } from "uuid";
import { errorForLog, type Problem, toProblem } from "../../problem.ts";
import type { Deps } from "../deps.ts";
import { atMostOncePer } from "../log.ts";
import type { BodyBudget } from "./body-budget.ts";
import { clientIp, ipRateLimitKey, type Server } from "./client-ip.ts";
import { cors } from "./cors.ts";
import { errorEnvelope } from "./envelope.ts";
import { foreignHost, hostCheck } from "./host.ts";
import { queryWarningHeader } from "./query-warnings.ts";
import { countRefused } from "./rate-limits.ts";
import {
  contextOf,
  contexts,
  isRead,
  ownRequests,
  pathOf,
  type RequestContext,
  requestIdsOf,
} from "./request-context.ts";
import { securityHeaders } from "./security-headers.ts";

/** An IPv6 address with zone and port is shorter. */
const maxShownEntryLength = 100;

interface ResponseSet {
  headers: Record<string, unknown>;
  status?: number | string;
}

/** The metrics of requests, which `platform/ops` keeps. */
interface RequestMetrics {
  incompleteBodies: { inc(): void };
  unreadableClientIps: { inc(): void };
  observeRequest(
    method: string,
    route: string,
    status: number,
    seconds: number,
    context: RequestContext,
  ): void;
}

interface Around {
  bodyBudget: BodyBudget;
  metrics: RequestMetrics;
  /** The problem of a request that no route matches. */
  misrouted(request: Request): Problem;
  /** The page of a problem. Undefined: the request is not for a page. */
  errorPage(set: ResponseSet, problem: Problem, request: Request): string | undefined;
}

/** The hooks of an app: for `onRequest`, `onError` and `onAfterResponse`. */
export const requestHooks = (deps: Deps, around: Around) => ({
  begin: beginHook(deps, around),
  fail: errorHook(deps, around),
  end: endHook(deps, around),
});

/** Makes the request context and response headers. @throws {Problem} for a Host of another server. */
function beginHook({ config, log, isDraining }: Deps, { bodyBudget, metrics }: Around) {
  const isOwnHost = hostCheck(config);
  const corsOf = cors(config);
  const security = securityHeaders(config);
  const warn = atMostOncePer(60_000, (entry: string) => {
    const shown = config.LOG_CLIENT_IP ? { entry: entry.slice(0, maxShownEntryLength) } : {};
    log.warn(shown, "An entry of X-Forwarded-For is not an IP address: its clients share one rate limit.");
  });
  const onUnreadable = (entry: string) => {
    metrics.unreadableClientIps.inc();
    warn(entry);
  };
  const addContext = (
    request: Request,
    client: Pick<RequestContext, "requestId" | "clientRequestId" | "clientIp" | "rateLimitKey">,
    headers: ResponseSet["headers"],
  ) => {
    const body = bodyBudget.reserve(client.rateLimitKey);
    contexts.set(request, { ...client, startedAt: performance.now(), headers, body });
  };
  return ({ request, server, set }: { request: Request; server: unknown; set: ResponseSet }) => {
    const own = ownRequests.get(request);
    if (own) {
      const { requestId, clientRequestId, clientIp, rateLimitKey } = contextOf(own.client);
      addContext(request, { requestId, clientRequestId, clientIp, rateLimitKey }, set.headers);
      return;
    }
    const sentId = request.headers.get("x-request-id") ?? "";
    const clientRequestId = /^[\w.-]{1,128}$/.test(sentId) ? sentId : undefined;
    const requestId = uuidv4();
    const ip = clientIp(request, server as Server | null, config.TRUSTED_PROXY_HOPS, onUnreadable);
    const client = { requestId, clientRequestId, clientIp: ip, rateLimitKey: ipRateLimitKey(ip) };
    addContext(request, client, set.headers);
    const { headers, preflight } = corsOf(request);
    // While draining, a client with a kept-alive connection must open a new one, to a server that stays.
    const draining = isDraining() ? { connection: "close" } : {};
    Object.assign(set.headers, security, headers, draining, {
      "x-request-id": clientRequestId ?? requestId,
    });
    const [, secret] = secretPaths.exec(plainPathOf(request)) ?? [];
    // A browser's report has the address of the page.
    if (secret !== undefined) delete set.headers["reporting-endpoints"];
    if (secret?.startsWith("/f/")) Object.assign(set.headers, linkHeaders);
    if (!isOwnHost(request)) throw foreignHost(request, config);
    if (preflight) return new Response(null, { status: 204, headers: set.headers as HeadersInit });
  };
}

type Failed = { request: Request; error: unknown; code: unknown; set: ResponseSet };

function errorHook({ config, log }: Deps, { misrouted, errorPage }: Around) {
  // Each request's log line has its code, so that one cause per second is enough.
  const logOutage = atMostOncePer(1000, (details: object, message: string) => log.error(details, message));
  const logProblem = (request: Request, problem: Problem) => {
    if (problem.status < 500 && problem.cause === undefined) return;
    // A 503 without a cause means load or a shutdown: no error in the log, to avoid alarms.
    const isError =
      problem.code === "internal_error" || (problem.status >= 500 && problem.cause !== undefined);
    const details = { ...identify(request), err: errorForLog(problem.cause ?? problem) };
    if (problem.code === "unavailable" && isError) logOutage(details, problem.message);
    else log[isError ? "error" : "warn"](details, problem.message);
  };
  return ({ request, error, code, set }: Failed) => {
    const problem = code === "NOT_FOUND" ? misrouted(request) : toProblem(error);
    logProblem(request, problem);
    set.status = problem.status;
    Object.assign(set.headers, problem.headers, queryWarningHeader(request));
    const context = contextOf(request);
    countRefused(context, problem, config.RATE_LIMIT_MANAGEMENT_PER_MINUTE);
    context.code = problem.code;
    return (
      context.errorPage?.(set, problem) ?? errorPage(set, problem, request) ?? errorEnvelope(problem, config)
    );
  };
}

/** Counts and logs the request, and wakes the deliveries of its changes. */
function endHook({ config, log, wakeWebhooks, counts }: Deps, { metrics }: Around) {
  return ({ request, route, set }: { request: Request; route: string; set: ResponseSet }) => {
    const context = contextOf(request);
    const { startedAt, code, caller, clientIp: ip, form, cause } = context;
    context.body.release();
    context.upload?.release();
    if (context.isBodyIncomplete) metrics.incompleteBodies.inc();
    const ms = performance.now() - startedAt;
    const status = Number(set.status ?? 200);
    metrics.observeRequest(request.method, route, status, ms / 1000, context);
    if (status < 300 && !isRead(request)) wakeWebhooks();
    if (code && form && status < 500 && caller?.startsWith("agent:"))
      counts.addAgentOutcome(form.team, form.id, caller.slice("agent:".length), code);
    if (!log.isLevelEnabled("info")) return;
    log.info({
      ...identify(request),
      status,
      ms: Math.round(ms * 100) / 100,
      ...(config.LOG_CLIENT_IP && { ip }),
      caller,
      account: context.account,
      code,
      ...cause,
    });
  };
}

/** Headers of all that is below a respondent's link, which no other site and no search engine gets. */
const linkHeaders = { "referrer-policy": "no-referrer", "x-robots-tag": "noindex" };

/** Paths whose rest is a secret: the token of a link. */
const secretPaths = /^(\/setup|\/feed|\/console\/(?:invitation|reset)|\/f\/[^/]*\/[rci])\/.*/;

/** The path without percent-encoding of what needs none: `/%66/` is no route, and hides no token. */
const plainPathOf = (request: Request): string =>
  pathOf(request).replaceAll(/%[2-7][0-9a-f]/gi, (encoded) => {
    const character = decodeURIComponent(encoded);
    return /[\w/-]/.test(character) ? character : encoded;
  });

/** A request in the log, without parts in which a client may put a secret (headers, query, body). */
const identify = (request: Request) => ({
  ...requestIdsOf(request),
  method: request.method,
  // Their token is in the path.
  path: plainPathOf(request).replace(secretPaths, "$1/…"),
});
