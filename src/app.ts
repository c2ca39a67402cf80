/** The service as one Elysia app: the request hook (request id, client IP, host), the resources, and the error envelope. */
import { Elysia } from "elysia";
import { v4 as uuidv4 } from "uuid";
import { agents } from "./agents/routes.ts";
import { audit } from "./audit/routes.ts";
import { challenges } from "./challenges/routes.ts";
import { consolePages } from "./console/routes.ts";
import { observed } from "./db.ts";
import type { Deps } from "./deps.ts";
import { formPage } from "./form-page/routes.ts";
import { forms } from "./forms/routes.ts";
import { grants } from "./grants/routes.ts";
import { databaseReference } from "./guide/database.ts";
import { fieldTypePage } from "./guide/field-types.ts";
import { guide } from "./guide/guide.ts";
import { home } from "./guide/home.ts";
import { validationCodes } from "./guide/validation-codes.ts";
import { BodyBudget } from "./http/body-budget.ts";
import { clientIp, ipRateLimitKey, type Server } from "./http/client-ip.ts";
import { cors } from "./http/cors.ts";
import { errorEnvelope } from "./http/envelope.ts";
import { foreignHost, hostCheck } from "./http/host.ts";
import { limitedRoutes } from "./http/operation.ts";
import { countRefused } from "./http/rate-limits.ts";
import { contextOf, contexts, isRead, ownRequests, pathOf } from "./http/request-context.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { mcp } from "./mcp/routes.ts";
import { oauth } from "./oauth/routes.ts";
import { docs } from "./openapi/docs.ts";
import { inputSchemaOf } from "./openapi/input-schema.ts";
import { consoleSessions } from "./operators/sessions.ts";
import { health } from "./ops/health.ts";
import { atMostOncePer } from "./ops/log.ts";
import { createMetrics, metricsRoute } from "./ops/metrics.ts";
import { assets, embedScript } from "./pages/assets.ts";
import { errorPage, wantsPage } from "./pages/error-page.tsx";
import { errorForLog, Problem, toProblem } from "./problem.ts";
import { receipts } from "./receipts/routes.ts";
import { token } from "./sessions/agent.ts";
import { altcha } from "./sessions/altcha.ts";
import { anonymous } from "./sessions/anonymous.ts";
import { directory } from "./signing-keys/directory.ts";
import { keys } from "./signing-keys/routes.ts";
import { submissions } from "./submissions/routes.ts";
import { form } from "./submit/read-form.ts";
import { createStore, submissions as submit } from "./submit/submit.ts";
import { validation } from "./submit/validate.ts";
import { deliveries } from "./webhooks/delivery-routes.ts";
import { webhooks } from "./webhooks/routes.ts";

/** An IPv6 address with zone and port is shorter. */
const maxShownEntryLength = 100;

/** The app, ready to listen or to be called through its `fetch`. */
export function createApp(given: Deps) {
  const { config, log, isDraining, wakeWebhooks, counts } = given;
  const isOwnHost = hostCheck(config);
  const bodyBudget = new BodyBudget(config.MAX_IN_FLIGHT_BODY_BYTES);
  const metrics = createMetrics(config.DATABASE_POOL_SIZE, bodyBudget);
  const deps = { ...given, sql: observed(given.sql, metrics.observeQuery) };
  const corsOf = cors(config);
  const security = securityHeaders(config);
  const warn = atMostOncePer(60_000, (entry: string) => {
    const shown = config.LOG_CLIENT_IP ? { entry: entry.slice(0, maxShownEntryLength) } : {};
    log.warn(shown, "An entry of X-Forwarded-For is not an IP address: its clients share one rate limit.");
  });
  // The lines of the requests have the code of each; one cause per second is enough.
  const logOutage = atMostOncePer(1000, (details: object, message: string) => log.error(details, message));
  const onUnreadable = (entry: string) => {
    metrics.unreadableClientIps.inc();
    warn(entry);
  };
  const store = createStore(deps);
  // Without "standard hostname" the router looks for the path from the URL's 8th character on, not the 12th: `http://api/` is a host.
  // Each route's handler is generated with the app: at its first request it would cost that caller 1 to 3 ms.
  const app = new Elysia({ name: "formd", handler: { standardHostname: false }, precompile: true })
    .onRequest(({ request, server, set }) => {
      const own = ownRequests.get(request);
      if (own) {
        const { requestId, clientIp, rateLimitKey } = contextOf(own.client);
        const known = { requestId, clientIp, rateLimitKey, startedAt: performance.now() };
        contexts.set(request, { ...known, headers: set.headers, body: bodyBudget.reserve(rateLimitKey) });
        return;
      }
      const requestedId = request.headers.get("x-request-id") ?? "";
      const requestId = /^[\w.-]{1,128}$/.test(requestedId) ? requestedId : uuidv4();
      const ip = clientIp(request, server as Server | null, config.TRUSTED_PROXY_HOPS, onUnreadable);
      const rateLimitKey = ipRateLimitKey(ip);
      contexts.set(request, {
        requestId,
        clientIp: ip,
        rateLimitKey,
        startedAt: performance.now(),
        headers: set.headers,
        body: bodyBudget.reserve(rateLimitKey),
      });
      const { headers, preflight } = corsOf(request);
      // While draining, a client with a kept connection must open another one, to a server that stays.
      const draining = isDraining() ? { connection: "close" } : {};
      Object.assign(set.headers, security, headers, draining, { "x-request-id": requestId });
      if (!isOwnHost(request)) throw foreignHost(request, config);
      if (preflight) return new Response(null, { status: 204, headers: set.headers as HeadersInit });
    })
    .onError(({ request, error, code, set }) => {
      const problem = code === "NOT_FOUND" ? misrouted(request) : toProblem(error);
      // Without a cause, 503 tells of load or of a shutdown, which any client may bring about: no error for an alarm.
      const isError =
        problem.code === "internal_error" || (problem.status >= 500 && problem.cause !== undefined);
      if (problem.status >= 500 || problem.cause !== undefined) {
        const details = { ...identify(request), err: errorForLog(problem.cause ?? problem) };
        if (problem.code === "unavailable" && isError) logOutage(details, problem.message);
        else log[isError ? "error" : "warn"](details, problem.message);
      }
      set.status = problem.status;
      Object.assign(set.headers, problem.headers);
      const context = contextOf(request);
      countRefused(context, problem, config.RATE_LIMIT_MANAGEMENT_PER_MINUTE);
      context.code = problem.code;
      const { errorPage: ownErrorPage } = context;
      if (ownErrorPage) return ownErrorPage(set, problem);
      if (wantsPage(request)) return errorPage(set, problem, request);
      return errorEnvelope(problem, config);
    })
    .onAfterResponse(({ request, route, set }) => {
      const {
        startedAt,
        code,
        caller,
        clientIp: ip,
        body,
        isBodyIncomplete,
        form,
        refusal,
      } = contextOf(request);
      body.release();
      if (isBodyIncomplete) metrics.incompleteBodies.inc();
      const ms = performance.now() - startedAt;
      const status = Number(set.status ?? 200);
      metrics.observeRequest(request.method, route, status, ms / 1000, contextOf(request));
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
        code,
        ...refusal,
      });
    })
    .use(health(deps))
    .use(metricsRoute(given, metrics))
    .use(validationCodes())
    .use(fieldTypePage())
    .use(home(deps))
    .use(guide(deps))
    .use(databaseReference(deps))
    .use(consoleSessions(deps))
    .use(assets())
    .use(embedScript())
    .use(consolePages(deps))
    .use(forms(deps))
    .use(submissions(deps))
    .use(audit(deps))
    .use(webhooks(deps))
    .use(deliveries(deps))
    .use(receipts(deps))
    .use(agents(deps))
    .use(grants(deps))
    .use(keys(deps))
    .use(token(deps))
    .use(anonymous(deps))
    .use(altcha(deps))
    .use(oauth(deps))
    .use(directory(deps))
    .use(form(deps))
    .use(validation(deps))
    .use(submit(deps, store))
    .use(formPage(deps, store))
    .use(challenges(deps));
  app.use(mcp(deps, { routes: () => app.routes, inputSchemaOf, fetch: (request) => app.fetch(request) }));
  app.use(docs(deps, app.routes));
  metrics.beginAtZero(limitedRoutes(app.routes));
  const misrouted = methodCheck(app.routes);
  return app;
}

/** A request in the log: nothing that a client may put a secret in (headers, query, body). */
const identify = (request: Request) => ({
  requestId: contextOf(request).requestId,
  method: request.method,
  // The link of the first start has its token in the path.
  path: pathOf(request).replace(/^\/setup\/.*/, "/setup/…"),
});

/** 404, or 405 with `Allow` when the path is one of ours and the method is not. At `/` there is a page for browsers, and no route of the API. */
function methodCheck(routes: readonly { method: string; path: string }[]) {
  const known = routes
    .filter(({ path }) => path !== "/")
    .map(({ method, path }) => ({
      method,
      pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`),
    }));
  return (request: Request): Problem => {
    const path = pathOf(request);
    const allowed = known
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    return allowed.length === 0
      ? new Problem("not_found", "There is no such route.")
      : new Problem("method_not_allowed", { headers: { allow: [...new Set(allowed)].join(", ") } });
  };
}
