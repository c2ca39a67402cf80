/** `/metrics`: Prometheus text. Public unless METRICS_TOKEN is set; then it wants `Authorization: Bearer <token>`. @module */
import { createHash, timingSafeEqual } from "node:crypto";
import process from "node:process";
import { Elysia } from "elysia";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Sql } from "../db.ts";
import type { Deps } from "../deps.ts";
import { Problem, raisedSqlState } from "../problem.ts";

/** What one process counts. */
export interface Metrics {
  registry: Registry;
  /** One answered request: how long it took from the door, in seconds, by the route's pattern (never the path: ids would make a series each). */
  answered(method: string, route: string, status: number, code: string | undefined, seconds: number): void;
  /** The same pool; its queries are counted while they wait and run, timed, and their errors counted by SQLSTATE. */
  watched(sql: Sql): Sql;
}

/** Bounds of the latency histogram, in seconds: half a millisecond to five seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** A process's counters; every app has its own. `poolSize` is the number of connections that it opens at most. */
export function createMetrics(poolSize: number): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const duration = new Histogram({
    name: "formd_request_duration_seconds",
    help: "Requests by route and status, and how long they took.",
    labelNames: ["method", "route", "status"],
    buckets,
    registers,
  });
  const throttled = new Counter({
    name: "formd_throttled_total",
    help: "Requests refused with 429.",
    labelNames: ["route"],
    registers,
  });
  const unavailable = new Counter({
    name: "formd_unavailable_total",
    help: "Requests refused with 503: database down or overloaded.",
    registers,
  });
  const failed = new Counter({
    name: "formd_internal_errors_total",
    help: "Requests answered 500.",
    registers,
  });
  new Gauge({
    name: "formd_database_pool_size",
    help: "Connections that the process opens at most.",
    registers,
  }).set(poolSize);
  const queries = new Gauge({
    name: "formd_database_queries",
    help: "Queries under way; those beyond the pool's size wait for a connection.",
    registers,
  });
  const queryDuration = new Histogram({
    name: "formd_database_query_duration_seconds",
    help: "How long queries took, the wait for a connection included.",
    buckets,
    registers,
  });
  const databaseErrors = new Counter({
    name: "formd_database_errors_total",
    help: "Queries that failed, by SQLSTATE or the driver's code; refusals by formd's own functions are none.",
    labelNames: ["code"],
    registers,
  });
  const watch = (query: PromiseLike<unknown>) => {
    const startedAt = performance.now();
    queries.inc();
    const ended = () => {
      queries.dec();
      queryDuration.observe((performance.now() - startedAt) / 1000);
    };
    query.then(ended, (error: { code?: string }) => {
      ended();
      if (error.code !== raisedSqlState) databaseErrors.labels(error.code ?? "unknown").inc();
    });
  };
  // Looking a label set up costs more than counting in it.
  const durations = new Map<string, ReturnType<typeof duration.labels>>();
  new Gauge({
    name: "formd_resident_memory_bytes",
    help: "Resident memory of the process.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  return {
    registry,
    answered(method, route, status, code, seconds) {
      const name = `${method} ${status} ${route}`;
      let series = durations.get(name);
      if (!series) {
        series = duration.labels(method, route, String(status));
        durations.set(name, series);
      }
      series.observe(seconds);
      if (status === 429) throttled.labels(route).inc();
      if (code === "unavailable") unavailable.inc();
      if (code === "internal_error") failed.inc();
    },
    watched: (sql) =>
      new Proxy(sql, {
        apply(tag, _, parts: Parameters<Sql>) {
          const query = tag(...parts);
          if (!(query instanceof Promise)) return query;
          // A query runs once somebody waits for it; a fragment of another one never does.
          const then = query.then.bind(query);
          let isWatched = false;
          // biome-ignore lint/suspicious/noThenProperty: it is a promise, and stays one
          query.then = (...handlers) => {
            if (!isWatched) {
              isWatched = true;
              watch({ then });
            }
            return then(...handlers);
          };
          return query;
        },
      }),
  };
}

export const metricsRoute = ({ config }: Deps, { registry }: Metrics) =>
  new Elysia({ name: "/metrics" }).get("/metrics", async ({ request, set }) => {
    const { METRICS_TOKEN: token } = config;
    if (token && !same(request.headers.get("authorization") ?? "", `Bearer ${token}`)) {
      throw new Problem("unauthorized", "METRICS_TOKEN is required as a bearer token.");
    }
    set.headers["content-type"] = registry.contentType;
    return await registry.metrics();
  });

/** Compares in constant time, through a hash, so that the length does not show either. */
function same(a: string, b: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
