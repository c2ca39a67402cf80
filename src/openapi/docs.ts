/** The OpenAPI document and the reference page: `GET /papi/v1/openapi.json`, `GET /papi/v1/docs` (specification, "General rules"). */
import { createHash } from "node:crypto";
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { operation, type Route } from "../http/operation.ts";
import { documentOf } from "./document.ts";

const path = "/papi/v1/docs";
const bundlePath = `${path}/reference.js`;
const documentPath = "/papi/v1/openapi.json";

/** The content of the plugin's data script: white space, which a browser treats as a script all the same. */
const dataScript = "\n    ";

/**
 * The page loads nothing from another origin and connects to none. The reference's script creates its styles in the page: only they are
 * allowed inline.
 */
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash("sha256").update(dataScript).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The reference's script, read at the first request for it: 2.5 MB that few processes need. */
const bundle = async () =>
  (
    await import("../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js", {
      with: { type: "text" },
    })
  ).default;

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#24513b"/><path d="M4 5h8M4 8h5m-5 3h2m2 0 1.5 1.5L13 9" stroke="#fff" stroke-width="1.3" fill="none"/></svg>';

/** What the document says of the two routes that the plugin makes. */
const ownRoutes: Route[] = [
  {
    method: "GET",
    path,
    hooks: operation({
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
  },
  {
    method: "GET",
    path: documentPath,
    hooks: operation({
      id: "getDocument",
      tag: "reference",
      summary: "Read the OpenAPI document",
      security: [{}],
      response: {
        description: "This document.",
        media: { "application/json": { schema: { type: "object" } } },
      },
      codes: [],
    }),
  },
];

/** @param routes the routes that the document describes */
export const docs = ({ config }: Deps, routes: readonly Route[]) =>
  new Elysia({ name: path })
    .onAfterHandle(({ path: requested, set }) => {
      if (requested === path) set.headers["content-security-policy"] = policy;
    })
    .use(
      swagger({
        path,
        specPath: documentPath,
        // The plugin supports TypeBox and would print arktype's internals: its own list of routes is left out.
        exclude: /^/,
        documentation: documentOf(config, [...routes, ...ownRoutes]) as never,
        scalarCDN: "docs/reference.js",
        scalarConfig: {
          spec: { url: "openapi.json" },
          // Requests go to the page's own origin: another address of this server is another origin, which the policy blocks.
          servers: [{ url: "/" }],
          authentication: { preferredSecurityScheme: "apiKey" },
          // The button and the fonts lead to another company's site.
          hideClientButton: true,
          withDefaultFonts: false,
        } as never,
      }),
    )
    // Browsers request it with every page; without it their console shows an error.
    .get("/favicon.ico", ({ set }) => {
      set.headers["content-type"] = "image/svg+xml";
      set.headers["cache-control"] = "public, max-age=86400";
      return icon;
    })
    .get(bundlePath, async ({ set }) => {
      set.headers["content-type"] = "text/javascript; charset=utf-8";
      set.headers["cache-control"] = "public, max-age=86400";
      return await bundle();
    });
