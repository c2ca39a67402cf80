/** `formd serve`: migrates if needed, serves until SIGTERM or SIGINT, then drains. */
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { isBundled } from "../assets.ts";
import { type Config, settingNames } from "../config.ts";
import { isDistributed } from "../db.ts";
import type { Deps } from "../deps.ts";
import { nearest } from "../nearest.ts";
import { createLog, type Logger } from "../ops/log.ts";
import { startPurging } from "../ops/purge.ts";
import { openMasterKey, openMigratedDatabase, report } from "./database.ts";
import type { Settings } from "./options.ts";

/** A server that a runtime has started. `stop` accepts no new requests and resolves when those in flight have their responses. */
export interface Listening {
  port: number;
  stop(): Promise<void>;
}

export type Listen = (
  app: ReturnType<typeof import("../app.ts").createApp>,
  options: { port: number; hostname: string; isBehindProxy: boolean },
) => Listening;

/** How long requests in flight may take once the server has stopped listening: as long as a SQL statement may. */
const stopTimeoutMs = 10_000;

export function serveCommand(root: Command, settings: Settings, listen: Listen): void {
  root
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT")
    .option("--no-migrate", "fail if the database is not migrated, instead of migrating it")
    .action(async ({ migrate }: { migrate: boolean }) => {
      const config = settings();
      const log = createLog(config.LOG_LEVEL);
      for (const variable of config.unknownNames)
        log.warn(
          { variable, meant: nearest(variable.replace(/^FORMD_/, ""), settingNames) },
          "A variable of the environment looks like a setting and is none.",
        );
      await serve(config, log, listen, migrate);
      log.info("stopped");
      process.exit(0); // connections that clients keep alive would hold the process
    });
}

async function serve(config: Config, log: Logger, listen: Listen, mayMigrate: boolean): Promise<void> {
  const { DATABASE_POOL_SIZE: poolSize, PORT, BASE_URL } = config;
  await using database = await openMigratedDatabase(config, { mayMigrate, poolSize });
  const { sql } = database;
  const masterKey = await openMasterKey(config, database);
  let isDraining = false;
  // Loaded here, since the other commands start in half the time without it.
  const { createApp } = await import("../app.ts");
  const webhooks = await startWebhooks({ sql, config, log, masterKey });
  const app = createApp({
    sql,
    config,
    log,
    masterKey,
    wakeWebhooks: () => webhooks?.wake(),
    isDistributed: await isDistributed(sql),
    isDraining: () => isDraining,
  });
  const server = startListening(listen, app, config);
  const stopPurging = startPurging(sql, log);
  printStartMessage(PORT === 0 ? `http://localhost:${server.port}` : BASE_URL);
  log.info({ port: server.port }, "listening");

  const received = await signal("SIGTERM", "SIGINT");
  log.info("draining");
  isDraining = true;
  stopPurging();
  // Before the server stops listening, a balancer must have seen /readyz, and clients that keep their connection have been told to close
  // it. Ctrl-C and a second signal do not wait.
  if (received === "SIGTERM")
    await Promise.race([delay(config.DRAIN_SECONDS * 1000), signal("SIGTERM", "SIGINT")]);
  await Promise.race([Promise.all([server.stop(), webhooks?.stop()]), delay(stopTimeoutMs)]);
}

/** Without the master key nothing can be signed, and deliveries wait. */
async function startWebhooks(deps: Pick<Deps, "sql" | "config" | "log" | "masterKey">) {
  if (!deps.config.WEBHOOKS || !deps.masterKey.isPresent) return undefined;
  const { WebhookWorker } = await import("../webhooks/worker.ts");
  return new WebhookWorker(deps);
}

/** Of Bun, and of Deno, which has no code for a name that does not resolve. */
const isForeignAddress = ({ code = "", message }: NodeJS.ErrnoException): boolean =>
  /^(?:EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL|ENOTFOUND|ENOTSUP)$/.test(code) ||
  message.startsWith("failed to lookup address");

/** @throws {Error} that names host and port, which the runtimes' own do not. */
function startListening(listen: Listen, app: Parameters<Listen>[0], config: Config): Listening {
  const { HOST: hostname, PORT: port, BEHIND_PROXY: isBehindProxy } = config;
  try {
    return listen(app, { port, hostname, isBehindProxy });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (isForeignAddress(error as NodeJS.ErrnoException))
      throw new Error(`HOST cannot be "${hostname}": this machine has no such address.`, { cause: error });
    const reason = code === "EADDRINUSE" ? "the port is in use." : message;
    throw new Error(`Cannot listen on ${hostname}, port ${port}: ${reason}`, { cause: error });
  }
}

function printStartMessage(baseUrl: string): void {
  const formd = isBundled() ? "./formd" : "bun run formd";
  report(`formd is listening at ${baseUrl}`);
  report(`  docs   ${baseUrl}/papi/v1/docs and ${baseUrl}/developer/guide`);
  report(
    `  next   ${formd} demo     (creates a published form and an agent, and prints curl lines to paste)`,
  );
}

const signal = (...names: NodeJS.Signals[]) =>
  new Promise<NodeJS.Signals>((resolve) => {
    for (const name of names) process.once(name, () => resolve(name));
  });
