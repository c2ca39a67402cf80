/** Entry point of the command line, and the only file with calls that are specific to a runtime. */
import "./arktype.ts";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { runCommand } from "./cli/program.ts";
import type { Listen, Runtime } from "./cli/server.ts";
import { limits } from "./limits.ts";
import { type Peer, peers } from "./platform/http/client-ip.ts";

/** The part of Deno that is used here. */
interface DenoRuntime {
  version: { deno: string };
  serve(
    options: { port: number; hostname: string; onListen: () => void },
    handler: (request: Request, info: Peer) => Response | Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

const deno = (globalThis as { Deno?: DenoRuntime }).Deno;

/**
 * Waits for a quiet turn of the event loop, at most a second. Closing a socket resets connections that the
 * kernel has accepted and this process has not, and a proxy responds to their POSTs with 502. After a short
 * turn few connections wait. Measured with 35 POSTs per second on a machine with a load of 20: 67 were lost
 * in 20 stops without this, and 3 in 14 with it.
 */
async function quietTurn(): Promise<void> {
  const giveUpAt = performance.now() + 1_000;
  for (let now = performance.now(); now < giveUpAt; ) {
    const began = now;
    await delay(1);
    now = performance.now();
    if (now - began < 2.5) return;
  }
}

/**
 * Elysia's `listen`, Bun's native server. The app checks MAX_BODY_BYTES: Bun's 413 has no envelope.
 * The defaults would share the port (`reusePort`), and print source code on errors (`development`).
 */
const listenOnBun: Listen = (app, { port, hostname, isShared }) => {
  app.listen({
    port,
    hostname,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Bun closes a connection after this time without a body, in steps of 4 s. The app times out first.
    idleTimeout: limits.body.maxReadSeconds + 10,
    reusePort: isShared,
    development: false,
  });
  const { server } = app;
  if (!server) throw new Error("Elysia has not started a server.");
  return {
    port: server.port ?? port,
    async stop() {
      await quietTurn();
      // Its promise waits also for connections with a part of a request's head, or nothing: up to 10 s.
      void server.stop();
      while (server.pendingRequests > 0) await delay(10);
    },
  };
};

/** Elysia has no server and no peer's IP on Deno. `Deno.serve` has no time limits: a slow client stays. */
const listenOnDeno =
  (runtime: DenoRuntime): Listen =>
  (app, { port, hostname, isBehindProxy }) => {
    if (!isBehindProxy && !/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(hostname))
      throw new Error(
        "Deno does not close slow connections. Set HOST=127.0.0.1, or BEHIND_PROXY=true where a proxy in front closes them.",
      );
    const server = runtime.serve({ port, hostname, onListen: () => {} }, (request, info) => {
      peers.set(request, info);
      return app.fetch(request);
    });
    return { port: server.addr.port, stop: () => server.shutdown() };
  };

const runtime: Runtime = {
  name: deno ? `deno ${deno.version.deno}` : `bun ${process.versions.bun}`,
  // Linux has SO_REUSEPORT; Bun leaves it out elsewhere. Deno has it for threads of one process.
  canSharePort: !deno && process.platform === "linux",
  listen: deno ? listenOnDeno(deno) : listenOnBun,
  environment: process.env,
  defaults: deno ? { HOST: "127.0.0.1" } : {},
};

const code = await runCommand(runtime, process.argv.slice(2));
if (code !== 0) process.exit(code);
