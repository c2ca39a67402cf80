/** The OpenAPI document and the reference page: `GET /papi/v1/openapi.json`, `GET /papi/v1/docs` (specification, "General rules"). */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { operation } from "../http/operation.ts";
import { documentOf, type Route } from "./document.ts";

const path = "/papi/v1/docs";
const bundlePath = `${path}/reference.js`;
const documentPath = "/papi/v1/openapi.json";

/**
 * The page loads nothing from another origin and connects to none. The reference's script creates its styles in the page: only they are
 * allowed inline.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const configuration = {
  // Requests go to the page's own origin: another address of this server is another origin, which the policy blocks.
  servers: [{ url: "/" }],
  authentication: { preferredSecurityScheme: "apiKey" },
  // The button and the fonts lead to another company's site.
  hideClientButton: true,
  withDefaultFonts: false,
};

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>formd</title>
</head>
<body style="margin: 0">
<script id="api-reference" data-url="openapi.json" data-configuration='${JSON.stringify(configuration)}'></script>
<script src="docs/reference.js"></script>
</body>
</html>
`;

/** The reference's script, read at the first request for it: 2.5 MB that few processes need. */
const bundle = async () =>
  (
    await import("../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js", {
      with: { type: "text" },
    })
  ).default;

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#24513b"/><path d="M4 5h8M4 8h5m-5 3h2m2 0 1.5 1.5L13 9" stroke="#fff" stroke-width="1.3" fill="none"/></svg>';

/** @param routesOf the routes that the document describes, these two included */
export const docs = ({ config }: Deps, routesOf: () => readonly Route[]) => {
  let document: object | undefined;
  return (
    new Elysia({ name: path })
      .get(
        path,
        ({ set }) => {
          set.headers["content-type"] = "text/html; charset=utf-8";
          set.headers["content-security-policy"] = policy;
          return page;
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
        () => {
          document ??= documentOf(config, routesOf());
          return document;
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
          codes: [],
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
      })
  );
};
