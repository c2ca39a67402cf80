/**
 * What a route runs for its first request is loaded, parsed and compiled then, which takes 5 to 10 ms of CPU: more than a caller without
 * credentials may cost. Before the server listens, each route that takes a body therefore gets some that it refuses.
 */
import { Buffer } from "node:buffer";
import type { createApp } from "../app.ts";
import type { Sql } from "../db.ts";
import type { Deps } from "../deps.ts";
import { operationIn, type Route } from "../http/operation.ts";
import { limits } from "../limits.ts";
import { createLog } from "../ops/log.ts";

/** A row of any function of SQL that refuses a caller without saying more. */
const refused = {
  outcome: "unauthorized",
  allowed: true,
  limitName: "ip",
  maxRequests: 1,
  remaining: 0,
  resetMs: 1,
  publicKeyPem: null,
};

/** The requests are those of an app of its own, which has no log and, but for the look-up of a key, no database, and whose metrics no one reads: they leave nothing behind. */
export async function warmUp(create: typeof createApp, { sumMetrics: _, ...deps }: Deps): Promise<void> {
  let isOnDatabase = false;
  const refuse = async () => [refused];
  const query = (...parts: unknown[]) =>
    isOnDatabase ? (deps.sql as unknown as (...parts: unknown[]) => unknown)(...parts) : refuse();
  const noDatabase = Object.assign(query, { unsafe: refuse, json: (value: unknown) => value });
  const app = create({
    ...deps,
    // Cast: of postgres.js's tag, what a refused request calls.
    sql: noDatabase as unknown as Sql,
    log: createLog("silent"),
    counts: { addSubmission() {}, addAgentOutcome() {}, addErrors() {} },
    wakeWebhooks() {},
  });
  const { origin, host } = new URL(deps.config.BASE_URL);
  const credentials = { host, authorization: "Bearer none", accept: "application/json, text/event-stream" };
  for (const { method, path, isForm } of routesWithBody(app.routes))
    for (const bytes of [1_000, limits.body.maxSmallBytes + 1])
      for (const signature of [{}, unknownSignature()]) {
        const body = isForm ? `a=1&b=${"1,".repeat(bytes / 2)}` : `{"data":[${"1e1,".repeat(bytes / 4)}1]}`;
        const headers = {
          ...credentials,
          ...signature,
          // A form post is answered by a page.
          ...(isForm && { accept: "text/html" }),
          "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
          "content-length": String(body.length),
        };
        const url = origin + path.replace(/:\w+/g, "0");
        await (await app.fetch(new Request(url, { method, headers, body }))).text();
      }
  // An unknown API key is looked up for its first time too, which writes nothing.
  isOnDatabase = true;
  for (const bytes of [10, limits.body.maxSmallBytes + 1]) {
    const headers = { ...credentials, "content-type": "application/json", "content-length": String(bytes) };
    const request = { method: "POST", headers, body: "1".repeat(bytes) };
    await (await app.fetch(new Request(`${origin}/papi/v1/management/forms`, request))).text();
  }
}

/** Those of the document, and one of the console, whose form posts all begin alike. */
const routesWithBody = (routes: readonly Route[]) => [
  ...routes.flatMap(({ method, path, hooks }) => {
    const { body } = operationIn({ method, path, hooks }) ?? {};
    return body ? [{ method, path, isForm: body.formPost === "only" }] : [];
  }),
  { method: "POST", path: "/console/new-form", isForm: true },
];

/** The headers of a well-formed signature by a key that is not registered. */
const unknownSignature = () => ({
  "x-form-access-key": "none",
  "content-digest": `sha-256=:${Buffer.alloc(32).toString("base64")}:`,
  "signature-input": `sig1=("@method" "@authority" "@path" "x-form-access-key" "content-digest");created=${Math.floor(Date.now() / 1000)};keyid="none";alg="ed25519";nonce="${"A".repeat(22)}"`,
  signature: `sig1=:${Buffer.alloc(64).toString("base64")}:`,
});
