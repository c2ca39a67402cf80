/** The command line's entry point, and the only file that names a runtime. */
import process from "node:process";
import { inspect } from "node:util";
import { CommanderError } from "commander";
import { program, type Runtime } from "./cli/program.ts";
import type { Listen } from "./cli/serve.ts";
import { peerIps } from "./http/client-ip.ts";
import { redact } from "./ops/log.ts";
import { raisedSqlState } from "./problem.ts";

/** The part of Deno that is used here. */
interface DenoRuntime {
  version: { deno: string };
  serve(
    options: { port: number; hostname: string; onListen: () => void },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

const deno = (globalThis as { Deno?: DenoRuntime }).Deno;

/** Elysia's own `listen`: on Bun that is the native server. The app checks MAX_BODY_BYTES: Bun's own 413 has no envelope. */
const listenOnBun: Listen = (app, options) => {
  app.listen({ ...options, maxRequestBodySize: Number.MAX_SAFE_INTEGER });
  return { port: app.server?.port ?? options.port, stop: async () => void (await app.stop()) };
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

try {
  await program(runtime).parseAsync(process.argv);
} catch (error) {
  // Commander has already printed what is wrong with the command line.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  console.error(redact(`formd: ${lineOf(error)}`));
  if (/^(debug|trace)$/.test(process.env.LOG_LEVEL ?? "")) console.error(redact(inspect(error)));
  process.exit(1);
}

/** An error in one line. A failed clean-up comes after the error that it followed. */
function lineOf(error: unknown): string {
  if (error instanceof SuppressedError)
    return `${lineOf(error.suppressed)} (the clean-up failed too: ${lineOf(error.error)})`;
  const { code, message, detail } = error as Error & { code?: string; detail?: string };
  const sentence = (code === raisedSqlState && detail) || message; // formd.raise_problem has the code for its message
  return sentence.split("\n", 1)[0] ?? "";
}
