/** `formd serve`: migrates if needed, serves until SIGTERM or SIGINT, then drains. @module */
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { isBundled } from "../assets.ts";
import type { Sql } from "../db.ts";
import { createLog, type Logger } from "../ops/log.ts";
import { openMigratedDatabase, report } from "./database.ts";
import type { Settings } from "./options.ts";

/** A server that a runtime started. `stop` takes no new requests and settles when those under way are answered. */
export interface Listening {
  port: number;
  stop(): Promise<void>;
}

export type Listen = (
  app: ReturnType<typeof import("../app.ts").createApp>,
  options: { port: number; hostname: string },
) => Listening;

/** How long a server that listens no more waits for answers under way, in milliseconds; a statement's limit. */
const stopTimeoutMs = 10_000;

/** How often a server forgets throttles and kept answers that have run out, in milliseconds; each instance does, a little apart. */
const purgeMs = 300_000;
/** How many rows one call of a purge forgets at most. */
const purgeBatchSize = 10_000;

export function serveCommand(root: Command, settings: Settings, listen: Listen): void {
  root
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT")
    .option("--no-migrate", "stop if the database is not migrated, instead of migrating it")
    .action(async ({ migrate }: { migrate: boolean }) => {
      const config = settings();
      const log = createLog(config.LOG_LEVEL);
      const { sql, close } = await openMigratedDatabase(config, {
        mayMigrate: migrate,
        poolSize: config.DATABASE_POOL_SIZE,
      });
      let draining = false;
      // Loaded here, since the other commands start in half the time without it.
      const { createApp } = await import("../app.ts");
      const app = createApp({ sql, config, log, isDraining: () => draining });
      const server = listen(app, { port: config.PORT, hostname: config.HOST });
      const purging = setInterval(() => purge(sql, log), purgeMs * (0.9 + Math.random() / 5));
      printStartMessage(config.PORT === 0 ? `http://localhost:${server.port}` : config.BASE_URL);
      log.info({ port: server.port }, "listening");

      const asked = await signal("SIGTERM", "SIGINT");
      log.info("draining");
      draining = true;
      clearInterval(purging);
      // A balancer must have seen /readyz, and a client that keeps its connection have been told to close it, before nobody answers
      // here. Whoever presses Ctrl-C, or sends a second signal, does not want to wait.
      if (asked === "SIGTERM")
        await Promise.race([delay(config.DRAIN_SECONDS * 1000), signal("SIGTERM", "SIGINT")]);
      await Promise.race([server.stop(), delay(stopTimeoutMs)]);
      await close();
      log.info("stopped");
      process.exit(0); // connections that a client keeps alive would hold the process
    });
}

function printStartMessage(base: string): void {
  report(`formd serves at ${base}`);
  report(`  docs       ${base}/papi/v1/docs     (and ${base}/developer/guide)`);
  const formd = isBundled() ? "./formd" : "bun run formd";
  report(`  try next   ${formd} demo     (a published form, an agent, and curl lines to paste)`);
}

const signal = (...names: NodeJS.Signals[]) =>
  new Promise<NodeJS.Signals>((resolve) => {
    for (const name of names) process.once(name, () => resolve(name));
  });

/** In small steps, each a transaction of its own, so that no request waits for it; what is left after a hundred is for the next time. */
async function purge(sql: Sql, log: Logger): Promise<void> {
  try {
    for (const name of ["rate_limits_purge", "idempotency_keys_purge"]) {
      let steps = 0;
      let gone = purgeBatchSize;
      while (gone === purgeBatchSize && steps++ < 100)
        [{ gone }] = await sql<[{ gone: number }]>`select formd.${sql(name)}() as gone`;
    }
  } catch (error) {
    log.warn({ reason: (error as Error).message }, "what has run out could not be purged");
  }
}
