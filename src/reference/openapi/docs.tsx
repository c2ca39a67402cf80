/** The OpenAPI document and its page (specification, "General rules"): `/papi/v1/openapi.json`, `…/docs`. */

import { Elysia } from "elysia";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { limitUnknownCallers } from "../../platform/auth/unknown-callers.ts";
import type { Deps } from "../../platform/deps.ts";
import { assetFile, serveAssets } from "../../platform/http/asset-files.ts";
import { markFile } from "../../platform/http/mark.ts";
import { operation, type Route } from "../../platform/http/operation.ts";
import { setPageHeaders } from "../../platform/http/security-headers.ts";
import { once } from "../../platform/once.ts";
import { Bar, styleFile as frameStyle } from "../docs/frame.tsx";
import { documentation, tags } from "./document.ts";
import { type DocumentedRoute, documentedIn, operationOf } from "./operation.ts";
import style from "./reference.css" with { type: "text" };

const path = "/papi/v1/docs";
const bundlePath = `${path}/reference.js`;
const documentPath = "/papi/v1/openapi.json";

const styleFile = assetFile("reference", "css", "text/css", style);

/** Nothing from other origins. Styles are allowed inline: the reference's script makes them. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Styles inside the reference. A credential's field is below its text: beside it is a quarter wide. Links are
 * underlined.
 */
const innerStyle = [
  "#auth td { display: block }",
  "#auth td [style*=height] { height: auto !important }",
  ".main-content a { text-decoration: underline; text-underline-offset: 0.18em }",
].join(" ");
const stacked = `
const sheet = new CSSStyleSheet();
sheet.replaceSync(${JSON.stringify(innerStyle)});
document.querySelector("openapi-explorer").shadowRoot.adoptedStyleSheets.push(sheet);
`;

/** The reference's script, read at the first request for it: 0.6 MB that few processes need. */
const bundle = async () =>
  (await import("./generated/openapi-explorer.js", { with: { type: "text" } })).default + stacked;

const addressOf = ({ method, path: of }: Route): string =>
  `#?route=${method.toLowerCase()}-${of.replace(/:(\w+)/g, "-$1-")}`;

/** All routes, by their areas. */
const Routes = ({ routes }: { routes: readonly DocumentedRoute[] }) => (
  <div class="routes" slot="overview-footer">
    {Object.entries(tags).map(([tag]) => (
      <section key={tag}>
        <h2>{tag}</h2>
        <ul>
          {routes
            .filter(({ operation: { tag: of } }) => of === tag)
            .map((route) => (
              <li key={addressOf(route)}>
                <a href={addressOf(route)}>
                  <code>
                    <b class={route.method.toLowerCase()}>{route.method}</b>{" "}
                    {route.path.replace(/:(\w+)/g, "{$1}")}
                  </code>
                </a>
                <span>{route.operation.summary}</span>
              </li>
            ))}
        </ul>
      </section>
    ))}
  </div>
);

/** Requests are sent to the page's own origin: the policy blocks any other address of this server. */
const page = (routes: readonly Route[]) =>
  `<!doctype html>${renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Reference of the API · formd</title>
        <link rel="icon" href={markFile.path} />
        <link rel="stylesheet" href={frameStyle.path} />
        <link rel="stylesheet" href={styleFile.path} />
        <script type="module" src={bundlePath} />
      </head>
      <body class="reference">
        <Bar current={path} />
        <noscript>
          <p>
            Requests are tried with JavaScript. <a href="/developer/guide">The guide</a> and{" "}
            <a href={documentPath}>the OpenAPI document</a> do without.
          </p>
        </noscript>
        {h(
          "openapi-explorer",
          { id: "main", tabIndex: -1, "spec-url": documentPath, "server-url": "/" },
          <h1 slot="overview-header">Reference of the API</h1>,
          // The title and the licence of the document.
          <span slot="overview" hidden />,
          <Routes routes={documentedIn(routes)} />,
        )}
      </body>
    </html>,
  )}`;

/** @param routes the mounted routes, with these: the document describes those that have an operation */
export const openApiRoutes = (deps: Deps, routes: () => readonly Route[]) => {
  const { config } = deps;
  // Made by the first request for it: that takes 60 ms of CPU, and few processes need it. Not mounted: the
  // plugin's page has four times the script and 329 violations in axe.
  const document = once(async () => {
    const { swagger } = await import("@elysiajs/swagger");
    const documented = documentedIn(routes());
    const listing = swagger({
      specPath: documentPath,
      excludeStaticFile: false,
      documentation: documentation(config, documented) as never,
    });
    for (const route of documented)
      listing.routes.push({ ...route, hooks: { detail: operationOf(route, config) } } as never);
    return await (await listing.fetch(new Request(`http://localhost${documentPath}`))).text();
  });
  const shown = once(async () => page(routes()));
  return (
    new Elysia({ name: path })
      .use(serveAssets([styleFile]))
      .get(
        path,
        async ({ set }) => {
          setPageHeaders(set.headers, policy);
          return await shown();
        },
        operation({
          id: "getReference",
          tag: "reference",
          summary: "Read this reference",
          security: [{}],
          response: {
            description: "A page that needs nothing from other sites.",
            media: { "text/html": { schema: { type: "string" } } },
          },
          codes: [],
        }),
      )
      .get(
        documentPath,
        async ({ request, set }) => {
          // Counted as a request with an unknown credential: sending it takes 4 ms.
          limitUnknownCallers(deps, request);
          set.headers["content-type"] = "application/json";
          return await document();
        },
        operation({
          id: "getDocument",
          tag: "reference",
          summary: "Read the OpenAPI document",
          security: [{}],
          response: {
            description: "This document.",
            media: { "application/json": { schema: { type: "object" } } },
          },
          codes: ["rate_limited"],
        }),
      )
      // Browsers request it with every page; without it their console shows an error.
      .get("/favicon.ico", ({ set }) => {
        set.headers["content-type"] = "image/svg+xml";
        set.headers["cache-control"] = "public, max-age=86400";
        return markFile.content;
      })
      .get(bundlePath, async ({ set }) => {
        set.headers["content-type"] = "text/javascript; charset=utf-8";
        set.headers["cache-control"] = "public, max-age=86400";
        return await bundle();
      })
  );
};
