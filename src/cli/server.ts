/** The server of a process: created, started, then drained. */
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { DailyCounts } from "../platform/database/daily-counts.ts";
import { KeyUses } from "../platform/database/key-uses.ts";
import { hasDistributedTables } from "../platform/database/migrations/distribution.ts";
import type { Deps } from "../platform/deps.ts";
import { hasOutbox } from "../platform/mail/smtp.ts";
import { startMarking } from "../platform/ops/feed.ts";
import { startPurging } from "../platform/ops/purge.ts";
import { startSweeping } from "../resources/files/sweep.ts";
import { startKeepingErasures } from "../resources/persons/erasures.ts";

/** A started server. `stop` ends listening, and resolves when pending requests have their responses. */
interface Listening {
  port: number;
  stop(): Promise<void>;
}

export type Listen = (
  app: ReturnType<typeof import("../app.ts").createApp>,
  options: { port: number; hostname: string; isBehindProxy: boolean; isShared: boolean },
) => Listening;

/** Differences between runtimes. */
export interface Runtime {
  name: string;
  listen: Listen;
  /** True if several processes can listen on one port. Default: false. */
  canSharePort?: boolean;
  environment: Record<string, string | undefined>;
  /** Defaults of settings that differ from those of the other runtimes. */
  defaults?: Record<string, string>;
}

/** Time for pending requests after the server stops listening: as long as a SQL statement may take. */
const stopTimeoutMs = 10_000;

/** Creates a server that does not listen yet. What it begins has stopped if it cannot be created. */
export async function makeServer(
  parts: Pick<Deps, "sql" | "config" | "log" | "masterKey" | "files" | "sumMetrics"> & {
    /** The file of erasures. Undefined: the server keeps none. */
    erasures?: string | undefined;
  },
) {
  const { sql, config, log } = parts;
  await using making = new AsyncDisposableStack();
  let isDraining = false;
  let webhooks: Awaited<ReturnType<typeof startWebhooks>>;
  // Loaded only here, since the other commands start in half the time without it.
  const { createApp } = await import("../app.ts");
  const isDistributed = await hasDistributedTables(sql);
  const counts = new DailyCounts({ sql, log, isDistributed });
  const keyUses = new KeyUses({ sql, log });
  const feed = making.adopt(await startMarking(sql, log), ({ stop }) => stop());
  const app = createApp({
    ...parts,
    wakeWebhooks: () => webhooks?.wake(),
    counts,
    keyUses,
    isDistributed,
    feed,
    isDraining: () => isDraining,
  });
  const made = making.move();
  return {
    /**
     * Listens, then starts deliveries, mails and jobs. If it throws, all that was begun has stopped: what
     * went on without its database would log.
     * @param isShared true if other processes listen on the same port
     * @throws {Error} that names host and port, if it cannot listen there
     */
    async start(listen: Listen, isShared: boolean) {
      await using starting = made;
      const { HOST: hostname, PORT: port, BEHIND_PROXY: isBehindProxy } = config;
      let server: Listening;
      try {
        server = listen(app, { port, hostname, isBehindProxy, isShared });
      } catch (error) {
        throw listenError(hostname, port, error);
      }
      // A stream that a client keeps open must not keep a process whose start has failed.
      starting.defer(() => Promise.race([server.stop(), delay(stopTimeoutMs)]));
      webhooks = starting.adopt(await startWebhooks(parts), (worker) => worker?.stop());
      const stopMails = starting.adopt(await startMails(parts), (stop) => stop?.());
      const stopPurging = startPurging(sql, log);
      const stopSweeping = parts.files && startSweeping(sql, parts.files, log);
      const stopKeeping = parts.erasures && startKeepingErasures(sql, parts.erasures, log);
      starting.move();
      /**
       * Resolves once pending requests and deliveries have ended, at the latest after {@link stopTimeoutMs}.
       * @param wait waits before the server stops listening: meanwhile a load balancer sees /readyz, and
       * clients are told to close kept-alive connections
       */
      const drain = async (wait: () => Promise<unknown>): Promise<void> => {
        isDraining = true;
        stopPurging();
        stopSweeping?.();
        if (stopKeeping) stopKeeping();
        await wait();
        const stopCounting = () => Promise.all([counts.stop(), keyUses.stop(), feed.stop()]);
        const stopped = Promise.all([server.stop().then(stopCounting), webhooks?.stop(), stopMails?.()]);
        await Promise.race([stopped, delay(stopTimeoutMs)]);
      };
      return { port: server.port, drain };
    },
  };
}

/** Starts the deliveries. Without the master key nothing can be signed, and they wait. */
async function startWebhooks(deps: Pick<Deps, "sql" | "config" | "log" | "masterKey">) {
  if (!deps.config.WEBHOOKS || !deps.masterKey.isPresent) return undefined;
  const { startWebhookWorker } = await import("../resources/webhooks/worker.ts");
  return startWebhookWorker(deps);
}

async function startMails(deps: Pick<Deps, "sql" | "config" | "log" | "masterKey">) {
  if (!hasOutbox(deps)) return undefined;
  const { startMailWorker } = await import("../resources/mails/worker.ts");
  return startMailWorker(deps);
}

/** Checks for a foreign address. For an unresolvable name Deno sets no code, Bun that of another call. */
const isForeignAddress = (hostname: string, { code = "" }: NodeJS.ErrnoException): boolean =>
  /^(?:EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/.test(code) ||
  (isIP(hostname) === 0 && !/^(?:EADDRINUSE|EACCES)$/.test(code));

/** Describes the error of a server that cannot listen. Names host and port. */
export function listenError(hostname: string, port: number, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isForeignAddress(hostname, error as NodeJS.ErrnoException))
    return new Error(`HOST cannot be "${hostname}": this machine has no such address.`, { cause: error });
  const reason = code === "EADDRINUSE" ? "the port is in use." : message;
  return new Error(`Cannot listen on ${hostname}, port ${port}: ${reason}`, { cause: error });
}
