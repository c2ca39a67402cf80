/**
 * `serve --workers N`: a parent, and N servers that share a port. The parent serves no requests: it replaces
 * a server that has ended, drains them, and sums their metrics. They communicate through Node's IPC channel.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";
import { AggregatorRegistry } from "prom-client";
import { isBundled } from "../platform/assets.ts";
import type { Logger } from "../platform/log.ts";

type Metrics = MetricObjectWithValues<MetricValue<string>>[];
type ToWorker = { stop: NodeJS.Signals } | { collect: number } | { sum: string; id: number };
type ToParent = { isListening: true } | { collected: Metrics; id: number } | { wantsSum: number };

/** Delay before another worker starts, so that one that ends at once does not keep the machine busy. */
const restartDelayMs = 500;
/** A worker that does not send its metrics within this time is left out of the sum. */
const collectTimeoutMs = 1000;

/** A server's view of its process. */
export interface Host {
  /** The next request to stop. */
  nextStop(): Promise<NodeJS.Signals>;
  /** Called once the server listens at this URL. */
  listens(url: string): void;
  /** Makes the text of `/metrics`, if it covers more than this process. */
  sumMetrics?: (registry: Registry) => () => Promise<string>;
}

/** Requests to stop, in their order. One that comes while none is awaited is kept. */
export function stopQueue() {
  const stops: NodeJS.Signals[] = [];
  let wake = () => {};
  return {
    add(signal: NodeJS.Signals): void {
      stops.push(signal);
      wake();
    },
    async next(): Promise<NodeJS.Signals> {
      for (;;) {
        const signal = stops.shift();
        if (signal) return signal;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** The parent, as a worker sees it. It alone handles signals: a service manager may send them to both. */
export function parentHost(): Host {
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => {});
  const send = (message: ToParent) => process.send?.(message);
  const onMessage = (handle: (message: ToWorker) => unknown) => process.on("message", handle);
  const stops = stopQueue();
  onMessage((message) => "stop" in message && stops.add(message.stop));
  process.once("disconnect", () => stops.add("SIGINT"));
  return {
    nextStop: stops.next,
    listens: () => send({ isListening: true }),
    sumMetrics(registry) {
      const waiting = new Map<number, (text: string) => void>();
      let lastId = 0;
      onMessage(async (message) => {
        if ("collect" in message) send({ collected: await registry.getMetricsAsJSON(), id: message.collect });
        if (!("sum" in message)) return;
        waiting.get(message.id)?.(message.sum);
        waiting.delete(message.id);
      });
      return () =>
        new Promise((resolve) => {
          waiting.set(++lastId, resolve);
          send({ wantsSum: lastId });
        });
    },
  };
}

/** The servers of a parent. */
export class Workers {
  readonly #log: Logger;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #children = new Set<ChildProcess>();
  readonly #collecting = new Map<number, (metrics: Metrics) => void>();
  #lastCollection = 0;
  #haveStarted = false;
  #isStopping = false;
  /** Resolves when all servers have ended after a stop. Rejects if one ends before all listen. */
  readonly ended: Promise<unknown>;
  /** Resolves when all servers listen. */
  readonly listening: Promise<unknown>;

  constructor(count: number, port: number, log: Logger) {
    this.#log = log;
    this.#environment = { ...process.env, PORT: String(port) };
    const listening = Array.from({ length: count }, () => Promise.withResolvers<void>());
    this.listening = Promise.all(listening.map(({ promise }) => promise)).then(() => {
      this.#haveStarted = true;
    });
    this.ended = Promise.all(listening.map(({ resolve }) => this.#keep(resolve)));
  }

  /** Passes a signal on. The first one starts draining, the second one ends it early. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopping = true;
    for (const child of this.#children) this.#send(child, { stop: signal });
  }

  /** Keeps one worker running until the stop. */
  async #keep(listens: () => void): Promise<void> {
    for (;;) {
      const child = this.#start(listens);
      const [code, signal] = await once(child, "exit");
      this.#children.delete(child);
      if (this.#isStopping) return;
      if (!this.#haveStarted) throw new Error("A worker ended before it listened; its last line says why.");
      this.#log.error({ worker: child.pid, code, signal }, "A worker ended. Another one starts.");
      await delay(restartDelayMs);
      if (this.#isStopping) return;
    }
  }

  #start(listens: () => void): ChildProcess {
    const script = isBundled() ? [] : [process.argv[1] ?? ""];
    const child = spawn(process.execPath, [...script, "serve", "--no-migrate", "--worker"], {
      env: this.#environment,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child.on("message", async (message: ToParent) => {
      if ("isListening" in message) listens();
      else if ("collected" in message) this.#collecting.get(message.id)?.(message.collected);
      else this.#send(child, { sum: await this.#sumMetrics(), id: message.wantsSum });
    });
    this.#children.add(child);
    return child;
  }

  async #sumMetrics(): Promise<string> {
    const collected = await Promise.all([...this.#children].map((child) => this.#collect(child)));
    return await AggregatorRegistry.aggregate(collected).metrics();
  }

  async #collect(child: ChildProcess): Promise<Metrics> {
    const id = ++this.#lastCollection;
    const { promise, resolve } = Promise.withResolvers<Metrics>();
    this.#collecting.set(id, resolve);
    this.#send(child, { collect: id });
    const metrics = await Promise.race([promise, delay(collectTimeoutMs, [], { ref: false })]);
    this.#collecting.delete(id);
    return metrics;
  }

  /** A worker that is ending accepts no message. */
  #send(child: ChildProcess, message: ToWorker): void {
    if (child.connected) child.send(message);
  }
}
