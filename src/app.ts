/** The service as one Elysia app: the hooks around every request, and the routes. */
import { Elysia } from "elysia";
import { frameText } from "./pages/console/frame/words.ts";
import { consoleDoor, consolePages } from "./pages/console/routes.ts";
import { formPageRoutes } from "./pages/form-page/routes.ts";
import { lookRoute } from "./pages/form-page/theme.tsx";
import { assetRoutes, embedScriptRoute } from "./pages/ui/assets.ts";
import { errorPage, isOfConsole, wantsPage } from "./pages/ui/error-page.tsx";
import { inLanguageOf } from "./pages/ui/language.ts";
import { observed } from "./platform/database/db.ts";
import type { Deps } from "./platform/deps.ts";
import { BodyBudget } from "./platform/http/body-budget.ts";
import { requestHooks } from "./platform/http/hooks.ts";
import { methodCheck } from "./platform/http/method-check.ts";
import { limitedRoutes } from "./platform/http/operation.ts";
import { healthRoutes } from "./platform/ops/health.ts";
import { createMetrics, metricsRoute } from "./platform/ops/metrics.ts";
import { mcpRoutes } from "./protocols/mcp/routes.ts";
import { oauthRoutes } from "./protocols/oauth/routes.ts";
import { documentationRoutes } from "./reference/docs/routes.ts";
import { describeFieldTypes } from "./reference/guide/field-types.ts";
import { openApiRoutes } from "./reference/openapi/docs.tsx";
import { inputSchemaOf } from "./reference/openapi/input-schema.ts";
import { securityTextRoute } from "./reference/security-txt.ts";
import { agentRoutes } from "./resources/agents/routes.ts";
import { auditRoute } from "./resources/audit/routes.ts";
import { challengeRoutes } from "./resources/challenges/routes.ts";
import { fileRoutes } from "./resources/files/routes.ts";
import { newsFeedRoute } from "./resources/forms/followers.ts";
import { expectedFormRoutes } from "./resources/forms/form-response.ts";
import { formRoutes } from "./resources/forms/routes.ts";
import { grantRoutes } from "./resources/grants/routes.ts";
import { holdRoutes } from "./resources/holds/routes.ts";
import { mailRoutes } from "./resources/mails/routes.ts";
import { operatorSessionRoutes } from "./resources/operators/operator-sessions.ts";
import { receiptRoutes } from "./resources/receipts/routes.ts";
import { retentionRoute } from "./resources/retention/routes.ts";
import { agentTokenRoute } from "./resources/sessions/agent.ts";
import { altchaRoute } from "./resources/sessions/altcha.ts";
import { anonymousSessionRoute } from "./resources/sessions/anonymous.ts";
import { keyDirectoryRoute } from "./resources/signing-keys/directory.ts";
import { signingKeyRoutes } from "./resources/signing-keys/routes.ts";
import { submissionRoutes } from "./resources/submissions/routes.ts";
import { publishedFormRoute } from "./resources/submit/read-form.ts";
import { createSubmitBatch, submitRoutes } from "./resources/submit/submit.ts";
import { validationRoute } from "./resources/submit/validate.ts";
import { webhookDeliveryRoutes } from "./resources/webhooks/delivery-routes.ts";
import { webhookRoutes } from "./resources/webhooks/routes.ts";

/** Creates the app. It can listen, or be called through its `fetch`. */
export function createApp(given: Deps) {
  const { config } = given;
  const bodyBudget = new BodyBudget(config.MAX_IN_FLIGHT_BODY_BYTES);
  const metrics = createMetrics(config.DATABASE_POOL_SIZE, bodyBudget);
  const deps = { ...given, sql: observed(given.sql, metrics.observeQuery) };
  const hooks = requestHooks(deps, {
    bodyBudget,
    metrics,
    misrouted: (request) => misrouted(request),
    errorPage: (set, problem, request) =>
      wantsPage(request)
        ? inLanguageOf(request, () =>
            errorPage(set, problem, request, isOfConsole(request) ? frameText : undefined),
          )
        : undefined,
  });
  const submitBatch = createSubmitBatch(deps);
  // Without "standard hostname" the router looks for the path from the URL's 8th character on, not from the
  // 12th: hosts can be as short as `http://api/`. The handlers of all routes are generated with the app: at a
  // route's first request that would take 1 to 3 ms.
  const app = new Elysia({ name: "formd", handler: { standardHostname: false }, precompile: true })
    .onRequest(hooks.begin)
    .onError(hooks.fail)
    .onAfterResponse(hooks.end)
    .use(healthRoutes(deps))
    .use(metricsRoute(given, metrics))
    .use(operatorSessionRoutes(deps))
    .use(assetRoutes())
    .use(embedScriptRoute())
    .use(lookRoute())
    .use(consolePages(deps))
    .use(formRoutes(deps))
    .use(submissionRoutes(deps))
    .use(holdRoutes(deps))
    .use(retentionRoute(deps))
    .use(auditRoute(deps))
    .use(webhookRoutes(deps))
    .use(webhookDeliveryRoutes(deps))
    .use(mailRoutes(deps))
    .use(receiptRoutes(deps))
    .use(agentRoutes(deps))
    .use(grantRoutes(deps))
    .use(signingKeyRoutes(deps))
    .use(agentTokenRoute(deps))
    .use(anonymousSessionRoute(deps))
    .use(altchaRoute(deps))
    .use(oauthRoutes(deps))
    .use(keyDirectoryRoute(deps))
    .use(securityTextRoute(deps))
    .use(publishedFormRoute(deps))
    .use(validationRoute(deps))
    .use(fileRoutes(deps))
    .use(submitRoutes(deps, submitBatch))
    .use(formPageRoutes(deps, submitBatch))
    .use(newsFeedRoute(deps))
    .use(challengeRoutes(deps));
  app.use(
    mcpRoutes(deps, {
      routes: () => app.routes,
      described: { inputSchemaOf, describeFieldTypes },
      fetch: (request) => app.fetch(request),
    }),
  );
  app.use(documentationRoutes(deps, () => app.routes, consoleDoor(deps)));
  app.use(openApiRoutes(deps, () => app.routes));
  metrics.beginAtZero(limitedRoutes(app.routes));
  const misrouted = methodCheck(app.routes, expectedFormRoutes(config));
  return app;
}
