/** `formd serve`: migrates if needed, serves until SIGTERM or SIGINT, then drains. */

import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { Option } from "commander";
import { nearest } from "../fields/nearest.ts";
import { limits } from "../limits.ts";
import { isBundled } from "../platform/assets.ts";
import { type Config, settingNames } from "../platform/config.ts";
import type { Sql } from "../platform/database/db.ts";
import { givenUp } from "../platform/database/master-keys.ts";
import { missingFixes, runningRelease } from "../platform/database/releases.ts";
import { markStorage } from "../platform/files/check.ts";
import { openFiles } from "../platform/files/files.ts";
import { createLog, type Logger } from "../platform/log.ts";
import type { MasterKey } from "../platform/master-key.ts";
import { compareConnections } from "../platform/ops/connections.ts";
import { makeSetupToken } from "../resources/operators/setup-link.ts";
import { erasuresFile } from "../resources/persons/erasures.ts";
import { renewReceiptKeys } from "../resources/receipts/keys.ts";
import { type Database, openMasterKey, openMigratedDatabase, report } from "./database.ts";
import { type CliCommand, numberLike, type Settings } from "./options.ts";
import { type Listen, listenError, makeServer, type Runtime } from "./server.ts";
import { tellServiceManager } from "./service-manager.ts";
import { type Host, parentHost, stopQueue, Workers } from "./workers.ts";

const maxWorkers = 256;

export function serveCommand(
  root: CliCommand,
  settings: Settings,
  { listen, canSharePort = false }: Runtime,
): void {
  root
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT")
    .option("--no-migrate", "fail if the database is not migrated, instead of migrating it")
    .addOption(
      new Option(
        "--workers <count>",
        "serve with this number of processes, and one more that restarts and drains them",
      )
        .argParser(numberLike(/^\d{1,3}$/, `an integer from 1 to ${maxWorkers}`, 1, maxWorkers))
        .default(1),
    )
    .option(
      "--accept-new-master-key",
      "take a master key other than the one that the database was used with, whose keys are lost",
    )
    .addOption(new Option("--worker", "be one of them").hideHelp())
    .action(async ({ migrate, workers, worker, acceptNewMasterKey = false }: ServeOptions) => {
      const config = settings();
      const log = createLog(config.LOG_LEVEL);
      for (const variable of config.unknownNames)
        log.warn(
          { variable, meant: nearest(variable.replace(/^FORMD_/, ""), settingNames) },
          "A variable of the environment looks like a setting and is none.",
        );
      if (workers > 1 && !canSharePort)
        throw new Error(
          "--workers needs Bun on Linux, where processes can share a port. Run several servers.",
        );
      const start: Start = { mayMigrate: migrate, acceptsNew: acceptNewMasterKey };
      if (workers > 1) await serveWithWorkers(config, log, workers, start);
      else await serve(config, log, listen, start, worker ? parentHost() : alone);
      log.info("stopped");
      process.exit(0); // connections that clients keep alive would hold the process
    });
}

type ServeOptions = { migrate: boolean; workers: number; worker?: true; acceptNewMasterKey?: boolean };

/** Permissions of a start to change the database, and its master key. */
type Start = { mayMigrate: boolean; acceptsNew: boolean };

/** Returns the master key. Reports the losses if it replaces another one. */
async function takeMasterKey(config: Config, database: Database, { acceptsNew }: Start): Promise<MasterKey> {
  if (acceptsNew)
    report(`taking the master key; if it is another one, ${givenUp}. Restart all other servers with it.`);
  const masterKey = await openMasterKey(config, database, { acceptsNew });
  if (acceptsNew) {
    const { renewed, unclear } = await renewReceiptKeys({ sql: database.sql, config, masterKey });
    if (renewed.length > 0)
      report(`receipts of ${renewed.length} teams have a new key, which vouches for those from before`);
    if (unclear.length > 0)
      report(
        `the receipt keys of teams ${unclear.join(", ")} have two first ones, of which a server has made one: none is vouched for, so verify receipts from before by a key that was kept`,
      );
  }
  return masterKey;
}

/** Handles two signals, also before the second one is awaited. A third one ends the process at once. */
function watchSignals() {
  const stops = stopQueue();
  let count = 0;
  const handlers = (["SIGTERM", "SIGINT"] as const).map((name) => [name, () => handle(name)] as const);
  const handle = (name: NodeJS.Signals) => {
    count++;
    if (count === 1) tellServiceManager("STOPPING=1");
    else for (const [each, handler] of handlers) process.off(each, handler);
    stops.add(name);
  };
  for (const [name, handler] of handlers) process.on(name, handler);
  return stops;
}

let ownStops: ReturnType<typeof watchSignals> | undefined;

/** The host of a server without a parent process. */
const alone: Host = {
  nextStop() {
    ownStops ??= watchSignals();
    return ownStops.next();
  },
  listens(url) {
    printStartMessage(url);
    tellServiceManager("READY=1");
  },
};

/**
 * Reports the data directory, since commands find the database only with the same FORMD_DATA_DIR, and a
 * PostgreSQL that lacks fixes.
 */
async function reportEmbedded({ directory, sql }: Database): Promise<void> {
  if (directory === undefined) return;
  report(`the database is in ${directory}`);
  const warning = missingFixes(await runningRelease(sql));
  if (warning) report(warning);
}

/** Starts the workers. Holds the lease of an embedded database until the last worker has ended. */
async function serveWithWorkers(config: Config, log: Logger, count: number, start: Start): Promise<void> {
  await using database = await openMigratedDatabase(config, start);
  await reportEmbedded(database);
  await takeMasterKey(config, database, start);
  const port = await requireFreePort(config);
  await warnOfConnections(database.sql, config, log, count);
  const workers = new Workers(count, port, log);
  const stop = async () => workers.stop(await alone.nextStop());
  void stop().then(stop);
  try {
    await Promise.race([workers.listening, workers.ended]);
    const url = config.PORT === 0 ? `http://localhost:${port}` : config.BASE_URL;
    alone.listens(url);
    await offerSetup(database.sql, url);
    await workers.ended;
  } finally {
    workers.stop("SIGINT");
  }
}

/** Listens without sharing the port, since a worker that shares it could join a server of another parent. */
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

async function serve(config: Config, log: Logger, listen: Listen, start: Start, host: Host): Promise<void> {
  const { DATABASE_POOL_SIZE: poolSize, DRAIN_SECONDS, PORT, BASE_URL } = config;
  await using database = await openMigratedDatabase(config, { ...start, poolSize });
  if (host === alone) await reportEmbedded(database);
  const { sql } = database;
  const masterKey = await takeMasterKey(config, database, start);
  const { sumMetrics } = host;
  const files = await openFiles(config, database.directory);
  const erasures = erasuresFile(config, database.directory);
  const made = await makeServer({
    ...{ sql, config, log, masterKey, files, erasures },
    ...(sumMetrics && { sumMetrics }),
  });
  // Called before the first request can be sent, since a signal without a listener ends the process at once.
  const stopping = host.nextStop();
  const server = await made.start(listen, host !== alone);
  // A bucket that is away must not delay the start.
  if (files)
    markStorage(sql, files.store).catch((error: Error) =>
      log.warn({ reason: error.message }, "the storage of files has no marker"),
    );
  const url = PORT === 0 ? `http://localhost:${server.port}` : BASE_URL;
  host.listens(url);
  if (host === alone) {
    // The server already serves. Losing the database at this moment must not end it.
    await warnOfConnections(sql, config, log, 1)
      .then(() => offerSetup(sql, url))
      .catch((error: Error) => log.warn({ reason: error.message }, "the start's hints are left out"));
  }
  log.info({ port: server.port }, "listening");
  if (config.WEBHOOKS && !masterKey.isPresent)
    log.warn("webhooks are not delivered: FORMD_SECRET_KEY is not set (WEBHOOKS=false omits this line)");

  const received = await stopping;
  log.info("draining");
  // Ctrl-C and a second signal skip the wait.
  await server.drain(async () => {
    if (received === "SIGTERM") await Promise.race([delay(DRAIN_SECONDS * 1000), host.nextStop()]);
  });
}

/** Warns of a low connection limit, which causes 503s under load. A transaction pooler needs fewer. */
async function warnOfConnections(sql: Sql, config: Config, log: Logger, processes: number): Promise<void> {
  if (!config.DATABASE_PREPARE) return;
  const { isEnough, message } = await compareConnections(sql, config, processes);
  if (!isEnough) log.warn(message);
}

function printStartMessage(baseUrl: string): void {
  // A user who starts formd through npx has no Bun installed.
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

/** Prints the link that creates the first operator, if there is none yet. */
async function offerSetup(sql: Sql, url: string): Promise<void> {
  const token = await makeSetupToken(sql);
  if (token === undefined) return;
  report(`  set up ${url}/setup/${token}`);
  report(
    `         (makes the first operator; within ${limits.setup.linkMinutes} minutes, until there is one)`,
  );
}
