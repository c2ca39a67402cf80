/** The OpenAPI document and the reference page: `GET /papi/v1/openapi.json`, `GET /papi/v1/docs` (specification, "General rules"). */
import { createHash } from "node:crypto";
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { documentOf, type Route } from "./document.ts";

const path = "/papi/v1/docs";
const bundlePath = `${path}/reference.js`;

/** What stands between the tags of the plugin's data script: white space, which a browser takes for a script all the same. */
const dataScript = "\n    ";

/**
 * The page loads nothing from elsewhere and talks to nobody else. Its styles are made by the reference's script, in the page: they alone are
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

/** The reference's script, read when it is first asked for: 2.5 MB that few processes need. */
const bundle = async () =>
  (
    await import("../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js", {
      with: { type: "text" },
    })
  ).default;

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#24513b"/><path d="M4 5h8M4 8h5m-5 3h2m2 0 1.5 1.5L13 9" stroke="#fff" stroke-width="1.3" fill="none"/></svg>';

/** @param routes those that the document describes */
export const docs = ({ config }: Deps, routes: readonly Route[]) =>
  new Elysia({ name: path })
    .onAfterHandle(({ path: asked, set }) => {
      if (asked === path) set.headers["content-security-policy"] = policy;
    })
    .use(
      swagger({
        path,
        specPath: "/papi/v1/openapi.json",
        // The plugin knows TypeBox, and would print arktype's insides: what it says of the routes is left out.
        exclude: /^/,
        documentation: documentOf(config, routes) as never,
        scalarCDN: "docs/reference.js",
        scalarConfig: {
          spec: { url: "openapi.json" },
          // Try it where the page came from: another address of this server is another origin, which the policy refuses.
          servers: [{ url: "/" }],
          authentication: { preferredSecurityScheme: "apiKey" },
          // The button leads to somebody's site, the fonts come from one.
          hideClientButton: true,
          withDefaultFonts: false,
        } as never,
      }),
    )
    // What every browser asks for beside a page; without it, its console shows an error.
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
