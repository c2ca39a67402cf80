/** The command line's entry point, and the only file that names a runtime. */
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { type Runtime, run } from "./cli/program.ts";
import type { Listen } from "./cli/serve.ts";
import { peerIps } from "./http/client-ip.ts";

/** The part of Deno that is used here. */
interface DenoRuntime {
  version: { deno: string };
  serve(
    options: { port: number; hostname: string; onListen: () => void },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

const deno = (globalThis as { Deno?: DenoRuntime }).Deno;

/**
 * Elysia's own `listen`: on Bun that is the native server. The app checks MAX_BODY_BYTES: Bun's own 413 has no envelope. Elysia's defaults
 * would let a second server share the port (`reusePort`), and print source code on errors (`development`).
 */
const listenOnBun: Listen = (app, options) => {
  app.listen({
    ...options,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    reusePort: false,
    development: false,
  });
  const { server } = app;
  if (!server) throw new Error("Elysia has not started a server.");
  return {
    port: server.port ?? options.port,
    async stop() {
      // Its promise also waits for connections that have sent a part of a request's head, or nothing: up to 10 s.
      void server.stop();
      while (server.pendingRequests > 0) await delay(10);
    },
  };
};

/** On Deno Elysia has no server of its own, and no access to the peer's IP. */
const listenOnDeno =
  (runtime: DenoRuntime): Listen =>
  (app, options) => {
    const server = runtime.serve({ ...options, onListen: () => {} }, (request, { remoteAddr }) => {
      peerIps.set(request, remoteAddr.hostname);
      return app.fetch(request);
    });
    return { port: server.addr.port, stop: () => server.shutdown() };
  };

const runtime: Runtime = {
  name: deno ? `deno ${deno.version.deno}` : `bun ${process.versions.bun}`,
  listen: deno ? listenOnDeno(deno) : listenOnBun,
  environment: process.env,
};

const code = await run(runtime, process.argv.slice(2));
if (code !== 0) process.exit(code);
