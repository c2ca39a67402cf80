/** The service as one Elysia app: the door (request id, host, address), the four areas, and the envelope for whatever goes wrong. */
import { Elysia } from "elysia";
import { v4 as uuidv4 } from "uuid";
import { agents } from "./agents/routes.ts";
import { challenges } from "./challenges/routes.ts";
import { type Config, isAuthority } from "./config.ts";
import { observed } from "./db.ts";
import type { Deps } from "./deps.ts";
import { forms } from "./forms/routes.ts";
import { grants } from "./grants/routes.ts";
import { guide } from "./guide/guide.ts";
import { validationCodes } from "./guide/validation-codes.ts";
import { clientIp, ipRateLimitKey, type Server } from "./http/client-ip.ts";
import { cors } from "./http/cors.ts";
import { errorEnvelope } from "./http/envelope.ts";
import { contextOf, contexts, pathOf } from "./http/request-context.ts";
import { docs } from "./openapi/docs.ts";
import { consoleSessions } from "./operators/sessions.ts";
import { health } from "./ops/health.ts";
import { createMetrics, metricsRoute } from "./ops/metrics.ts";
import { errorForLog, Problem, toProblem } from "./problem.ts";
import { token } from "./sessions/agent.ts";
import { anonymous } from "./sessions/anonymous.ts";
import { keys } from "./signing-keys/routes.ts";
import { submissions as managedSubmissions } from "./submissions/routes.ts";
import { form } from "./submit/read-form.ts";
import { submissions } from "./submit/submit.ts";
import { validation } from "./submit/validate.ts";

/** The app, ready to listen or to be called through its `fetch`. */
export function createApp(given: Deps) {
  const { config, log, isDraining } = given;
  const knowsHost = hostCheck(config);
  const metrics = createMetrics(config.DATABASE_POOL_SIZE);
  const deps = { ...given, sql: observed(given.sql, metrics.observeQuery) };
  const crossOrigin = cors(config);
  // Not a "standard hostname": the router looks for the path from the address's 8th character on, not its 12th: `http://api/` is a host.
  const app = new Elysia({ name: "formd", handler: { standardHostname: false } })
    .onRequest(({ request, server, set }) => {
      const asked = request.headers.get("x-request-id") ?? "";
      const requestId = /^[\w.-]{1,128}$/.test(asked) ? asked : uuidv4();
      const address = clientIp(request, server as Server | null, config.TRUSTED_PROXY_HOPS);
      contexts.set(request, {
        requestId,
        clientIp: address,
        rateLimitKey: ipRateLimitKey(address),
        startedAt: performance.now(),
        headers: set.headers,
      });
      const { headers, preflight } = crossOrigin(request);
      // A client that keeps its connection finds the server that is there after us, and does not meet our end in mid-request.
      const always = { ...headers, "x-request-id": requestId, ...(isDraining() && { connection: "close" }) };
      Object.assign(set.headers, always);
      if (!knowsHost(request))
        throw new Problem(
          "bad_request",
          "The Host is not one of this server's; set BASE_URL or ALLOWED_HOSTS.",
        );
      if (preflight) return new Response(null, { status: 204, headers: always });
    })
    .onError(({ request, error, code, set }) => {
      const problem = code === "NOT_FOUND" ? misrouted(request) : toProblem(error);
      if (problem.status >= 500 || problem.cause !== undefined)
        log[problem.status >= 500 ? "error" : "warn"](
          { ...identify(request), err: errorForLog(problem.cause ?? problem) },
          problem.message,
        );
      set.status = problem.status;
      Object.assign(set.headers, problem.headers);
      contextOf(request).code = problem.code;
      return errorEnvelope(problem, config);
    })
    .onAfterResponse(({ request, route, set }) => {
      const { startedAt, code } = contextOf(request);
      const ms = performance.now() - startedAt;
      const status = Number(set.status ?? 200);
      metrics.observeRequest(request.method, route || "none", status, code, ms / 1000);
      log.info({ ...identify(request), status, ms: Math.round(ms * 100) / 100, ...(code && { code }) });
    })
    .use(health(deps))
    .use(metricsRoute(deps, metrics))
    .use(validationCodes())
    .use(guide(deps))
    .use(consoleSessions(deps))
    .use(forms(deps))
    .use(managedSubmissions(deps))
    .use(agents(deps))
    .use(grants(deps))
    .use(keys(deps))
    .use(token(deps))
    .use(anonymous(deps))
    .use(form(deps))
    .use(validation(deps))
    .use(submissions(deps))
    .use(challenges(deps));
  app.use(docs(deps, app.routes));
  const misrouted = methodCheck(app.routes);
  return app;
}

/** What a log line says of a request: nothing that a header, a body or a query could smuggle a secret into. */
const identify = (request: Request) => ({
  requestId: contextOf(request).requestId,
  method: request.method,
  path: pathOf(request),
});

/** 404, or 405 with `Allow` when the path is one of ours and the method is not. */
function methodCheck(routes: readonly { method: string; path: string }[]) {
  const known = routes.map(({ method, path }) => ({
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

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
const unchecked = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Whether a request names a host of this server: BASE_URL's, one of ALLOWED_HOSTS, or any loopback name when BASE_URL is one. A page
 * that points its own name at this address (DNS rebinding) gets nowhere, and neither Elysia's router nor a URL parser meets an odd Host.
 * Probes ask by address, so their routes are open to any.
 */
function hostCheck({ BASE_URL, ALLOWED_HOSTS }: Config) {
  const base = new URL(BASE_URL);
  const defaultPort = base.protocol === "https:" ? /:443$/ : /:80$/;
  const known = new Set([base.host, ...ALLOWED_HOSTS]);
  const isLocal = loopback.test(base.host);
  return (request: Request): boolean => {
    const host = (request.headers.get("host") ?? "").toLowerCase();
    if (!isAuthority(host)) return false;
    const plain = host.replace(defaultPort, "");
    return (
      known.has(plain) ||
      known.has(host) ||
      (isLocal && loopback.test(host)) ||
      unchecked.has(pathOf(request))
    );
  };
}
