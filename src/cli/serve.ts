/** `formd serve`: migrates if needed, serves until SIGTERM or SIGINT, then drains. */
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { isBundled } from "../assets.ts";
import { type Config, settingNames } from "../config.ts";
import { isSetupOpen, makeSetupToken } from "../console/setup-link.ts";
import type { Sql } from "../db.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import type { MasterKey } from "../master-key.ts";
import { isDistributed } from "../migrations/distribution.ts";
import { nearest } from "../nearest.ts";
import { compareConnections } from "../ops/connections.ts";
import { DailyCounts } from "../ops/daily-counts.ts";
import { createLog, type Logger } from "../ops/log.ts";
import { startPurging } from "../ops/purge.ts";
import { type Database, openMasterKey, openMigratedDatabase, report } from "./database.ts";
import type { Settings } from "./options.ts";
import { tellServiceManager } from "./service-manager.ts";
import { warmUp } from "./warm-up.ts";
import { type Host, parentHost, Workers } from "./workers.ts";

/** A server that a runtime has started. `stop` accepts no new requests and resolves when the requests in progress have their responses. */
export interface Listening {
  port: number;
  stop(): Promise<void>;
}

export type Listen = (
  app: ReturnType<typeof import("../app.ts").createApp>,
  options: { port: number; hostname: string; isBehindProxy: boolean; isShared: boolean },
) => Listening;

/** How long requests in progress may take once the server has stopped listening: as long as a SQL statement may. */
const stopTimeoutMs = 10_000;

const maxWorkers = 256;

/** @param canShare whether several processes of this runtime can listen on one port */
export function serveCommand(root: Command, settings: Settings, listen: Listen, canShare: boolean): void {
  root
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT")
    .option("--no-migrate", "fail if the database is not migrated, instead of migrating it")
    .addOption(
      new Option(
        "--workers <count>",
        "serve with this number of processes, and one more that restarts and drains them",
      )
        .argParser(parseWorkers)
        .default(1),
    )
    .addOption(new Option("--worker", "be one of them").hideHelp())
    .action(async ({ migrate, workers, worker }: { migrate: boolean; workers: number; worker?: true }) => {
      const config = settings();
      const log = createLog(config.LOG_LEVEL);
      for (const variable of config.unknownNames)
        log.warn(
          { variable, meant: nearest(variable.replace(/^FORMD_/, ""), settingNames) },
          "A variable of the environment looks like a setting and is none.",
        );
      if (workers > 1 && !canShare)
        throw new Error(
          "--workers needs Bun on Linux, where processes can share a port. Run several servers.",
        );
      if (workers > 1) await serveWithWorkers(config, log, workers, migrate);
      else await serve(config, log, listen, migrate, worker ? parentHost() : alone);
      log.info("stopped");
      process.exit(0); // connections that clients keep alive would hold the process
    });
}

function parseWorkers(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > maxWorkers)
    throw new InvalidArgumentError(`It must be an integer from 1 to ${maxWorkers}.`);
  return count;
}

/** A server without a parent. */
const alone: Host = {
  async nextStop() {
    const received = await signal("SIGTERM", "SIGINT");
    tellServiceManager("STOPPING=1");
    return received;
  },
  listens(url) {
    printStartMessage(url);
    tellServiceManager("READY=1");
  },
};

/** A command with another FORMD_DATA_DIR than the server's finds no database there: this is the one to give it. */
function reportDirectory({ directory }: Database): void {
  if (directory) report(`the database is in ${directory}`);
}

/** Holds the embedded database, if it is that, until the last worker has ended. */
async function serveWithWorkers(
  config: Config,
  log: Logger,
  count: number,
  mayMigrate: boolean,
): Promise<void> {
  await using database = await openMigratedDatabase(config, { mayMigrate });
  reportDirectory(database);
  const port = await requireFreePort(config);
  await warnOfConnections(database.sql, config, log, count);
  const workers = new Workers(count, port, log);
  const stop = async () => workers.stop(await alone.nextStop());
  void stop().then(stop);
  try {
    await Promise.race([workers.listening, workers.ended]);
    const url = config.PORT === 0 ? `http://localhost:${port}` : config.BASE_URL;
    alone.listens(url);
    const masterKey = await openMasterKey(config, database);
    // Without one, the workers could not check the link.
    if (masterKey.isPresent) await offerSetup(database.sql, masterKey, url);
    await workers.ended;
  } finally {
    workers.stop("SIGINT");
  }
}

/** Listens without sharing the port, since a worker that shares it would join a server that is not its parent's. */
async function requireFreePort({ HOST: hostname, PORT }: Config): Promise<number> {
  const server = createServer().listen({ host: hostname, port: PORT, exclusive: true });
  try {
    await once(server, "listening");
  } catch (error) {
    throw listenError(hostname, PORT, error);
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : PORT;
}

async function serve(
  config: Config,
  log: Logger,
  listen: Listen,
  mayMigrate: boolean,
  host: Host,
): Promise<void> {
  const { DATABASE_POOL_SIZE: poolSize, PORT, BASE_URL } = config;
  await using database = await openMigratedDatabase(config, { mayMigrate, poolSize });
  if (host === alone) reportDirectory(database);
  const { sql } = database;
  const masterKey = await openMasterKey(config, database);
  let isDraining = false;
  // Loaded here, since the other commands start in half the time without it.
  const { createApp } = await import("../app.ts");
  const isSpread = await isDistributed(sql);
  const counts = new DailyCounts({ sql, log, isDistributed: isSpread });
  const webhooks = await startWebhooks({ sql, config, log, masterKey });
  const deps: Deps = {
    sql,
    config,
    log,
    masterKey,
    wakeWebhooks: () => webhooks?.wake(),
    counts,
    isDistributed: isSpread,
    isDraining: () => isDraining,
    ...(host.sumMetrics && { sumMetrics: host.sumMetrics }),
  };
  const app = createApp(deps);
  await warmUp(createApp, deps);
  // Before the first request can be sent: a signal without a listener ends the process at once.
  const stopping = host.nextStop();
  const server = startListening(listen, app, config, host !== alone);
  const stopPurging = startPurging(sql, log);
  const url = PORT === 0 ? `http://localhost:${server.port}` : BASE_URL;
  host.listens(url);
  if (host === alone) {
    await warnOfConnections(sql, config, log, 1);
    await offerSetup(sql, masterKey, url);
  }
  log.info({ port: server.port }, "listening");
  if (config.WEBHOOKS && !masterKey.isPresent)
    log.warn("webhooks are not delivered: FORMD_SECRET_KEY is not set (WEBHOOKS=false omits this line)");

  const received = await stopping;
  log.info("draining");
  isDraining = true;
  stopPurging();
  // Before the server stops listening, a balancer must have seen /readyz, and clients that keep their connection have been told to close
  // it. Ctrl-C and a second signal do not wait.
  if (received === "SIGTERM") await Promise.race([delay(config.DRAIN_SECONDS * 1000), host.nextStop()]);
  const stopped = Promise.all([server.stop().then(() => counts.stop()), webhooks?.stop()]);
  await Promise.race([stopped, delay(stopTimeoutMs)]);
}

/** Without enough connections, requests fail with 503 only once the load needs them all. Behind a transaction pooler it needs fewer. */
async function warnOfConnections(sql: Sql, config: Config, log: Logger, processes: number): Promise<void> {
  if (!config.DATABASE_PREPARE) return;
  const { isEnough, message } = await compareConnections(sql, config, processes);
  if (!isEnough) log.warn(message);
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
function startListening(
  listen: Listen,
  app: Parameters<Listen>[0],
  { HOST: hostname, PORT: port, BEHIND_PROXY: isBehindProxy }: Config,
  isShared: boolean,
): Listening {
  try {
    return listen(app, { port, hostname, isBehindProxy, isShared });
  } catch (error) {
    throw listenError(hostname, port, error);
  }
}

function listenError(hostname: string, port: number, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isForeignAddress(error as NodeJS.ErrnoException))
    return new Error(`HOST cannot be "${hostname}": this machine has no such address.`, { cause: error });
  const reason = code === "EADDRINUSE" ? "the port is in use." : message;
  return new Error(`Cannot listen on ${hostname}, port ${port}: ${reason}`, { cause: error });
}

function printStartMessage(baseUrl: string): void {
  // A user who starts it through npx has no Bun installed.
  const { bun: version } = process.versions;
  const isNpx = version && process.env.npm_config_user_agent?.startsWith("npm/");
  const bun = isNpx ? `npx -y bun@${version}` : "bun";
  const formd = isBundled() ? "./formd" : `${bun} run formd`;
  report(`formd is listening at ${baseUrl}`);
  report(`  docs   ${baseUrl}/papi/v1/docs and ${baseUrl}/developer/guide`);
  report(
    `  next   ${formd} demo     (creates a published form and an agent, and prints curl lines to paste)`,
  );
}

/** Prints the link that makes the first operator, while there is none. */
async function offerSetup(sql: Sql, masterKey: MasterKey, url: string): Promise<void> {
  if (!(await isSetupOpen(sql))) return;
  report(`  set up ${url}/setup/${makeSetupToken(masterKey)}`);
  report(
    `         (makes the first operator; within ${limits.setup.linkMinutes} minutes, until there is one)`,
  );
}

const signal = (...names: NodeJS.Signals[]) =>
  new Promise<NodeJS.Signals>((resolve) => {
    for (const name of names) process.once(name, () => resolve(name));
  });
