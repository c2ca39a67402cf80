/**
 * The command line's entry point, and the only file that names a runtime.
 *
 * @module
 */
import process from "node:process";
import { CommanderError } from "commander";
import { program, type Runtime } from "./cli/program.ts";
import type { Listen } from "./cli/serve.ts";
import { peerIps } from "./http/client-ip.ts";
import { redact } from "./ops/log.ts";
import { raisedSqlState } from "./problem.ts";

/** What Deno brings, as far as it is used here. */
interface DenoRuntime {
  version: { deno: string };
  serve(
    options: { port: number; hostname: string; onListen: () => void },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

const deno = (globalThis as { Deno?: DenoRuntime }).Deno;

/** Elysia's own `listen`: on Bun that is the native server. MAX_BODY_BYTES is the app's to judge: Bun's own 413 has no envelope. */
const listenOnBun: Listen = (app, options) => {
  app.listen({ ...options, maxRequestBodySize: Number.MAX_SAFE_INTEGER });
  return { port: app.server?.port ?? options.port, stop: async () => void (await app.stop()) };
};

/** On Deno Elysia has no server of its own, and does not learn the peer's address. */
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

try {
  await program(runtime).parseAsync(process.argv);
} catch (error) {
  // Commander has said what is wrong with the command line; everything else is one line.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  const { code, message, detail } = error as Error & { code?: string; detail?: string };
  const sentence = (code === raisedSqlState && detail) || message; // a refusal by SQL has the code for its message
  console.error(`formd: ${redact(sentence).split("\n")[0]}`);
  process.exit(1);
}
