/** `/metrics`: Prometheus text. Public unless METRICS_TOKEN is set; then it requires `Authorization: Bearer <token>`. */
import { timingSafeEqual } from "node:crypto";
import process from "node:process";
import { Elysia } from "elysia";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { sha256 } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import { Problem, raisedSqlState } from "../problem.ts";

/** The counters of one process. */
export interface Metrics {
  registry: Registry;
  incompleteBodies: Counter;
  /** A completed request and its duration since the request hook, by the route's pattern, which is empty where no route matches (by path, each id would make a series). */
  observeRequest(
    method: string,
    route: string,
    status: number,
    code: string | undefined,
    seconds: number,
  ): void;
  /** A query: counted while it waits and runs, timed, and its error counted by SQLSTATE. */
  observeQuery(result: PromiseLike<unknown>): void;
}

/** Bounds of the latency histogram, in seconds: half a millisecond to five seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Methods with series of their own. Deno accepts any token as a method, so that a client could make a series per request. */
const methods = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]);

/** New counters; every app has its own. `poolSize`: how many connections it opens at most. */
export function createMetrics(poolSize: number, bodyBudget: BodyBudget): Metrics {
  const registry = new Registry();
  new Gauge({
    name: "formd_database_pool_size",
    help: "Connections that the process opens at most.",
    registers: [registry],
  }).set(poolSize);
  new Gauge({
    name: "formd_resident_memory_bytes",
    help: "Resident memory of the process.",
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "formd_request_body_bytes",
    help: "Bytes of request bodies in flight.",
    registers: [registry],
    collect() {
      this.set(bodyBudget.bytes);
    },
  });
  const incompleteBodies = new Counter({
    name: "formd_incomplete_bodies_total",
    help: "Requests whose body did not arrive: the client hung up, took too long, or gave way to others.",
    registers: [registry],
  });
  return {
    registry,
    incompleteBodies,
    observeRequest: requestObserver([registry]),
    observeQuery: queryObserver([registry]),
  };
}

function requestObserver(registers: Registry[]): Metrics["observeRequest"] {
  const duration = new Histogram({
    name: "formd_request_duration_seconds",
    help: "Duration of requests by route and status.",
    labelNames: ["method", "route", "status"],
    buckets,
    registers,
  });
  const rateLimited = new Counter({
    name: "formd_throttled_total",
    help: "Requests rejected with 429.",
    labelNames: ["route"],
    registers,
  });
  const unavailable = new Counter({
    name: "formd_unavailable_total",
    help: "Requests rejected with 503: database down or overloaded.",
    registers,
  });
  const failed = new Counter({
    name: "formd_internal_errors_total",
    help: "Requests that ended with 500.",
    registers,
  });
  // Looking up a label set costs more than observing in it.
  const durations = new Map<string, ReturnType<typeof duration.labels>>();
  return (anyMethod, anyRoute, status, code, seconds) => {
    const method = methods.has(anyMethod) ? anyMethod : "other";
    const route = anyRoute || "other";
    const name = `${method} ${status} ${route}`;
    let series = durations.get(name);
    if (!series) {
      series = duration.labels(method, route, String(status));
      durations.set(name, series);
    }
    series.observe(seconds);
    if (status === 429) rateLimited.labels(route).inc();
    if (code === "unavailable") unavailable.inc();
    if (code === "internal_error") failed.inc();
  };
}

function queryObserver(registers: Registry[]): Metrics["observeQuery"] {
  const inFlight = new Gauge({
    name: "formd_database_queries",
    help: "Queries in flight; those beyond the pool's size wait for a connection.",
    registers,
  });
  const duration = new Histogram({
    name: "formd_database_query_duration_seconds",
    help: "Duration of queries, including the wait for a connection.",
    buckets,
    registers,
  });
  const errors = new Counter({
    name: "formd_database_errors_total",
    help: "Queries that failed, by SQLSTATE or the driver's code, except problems that formd's own functions raise.",
    labelNames: ["code"],
    registers,
  });
  return (result) => {
    const startedAt = performance.now();
    inFlight.inc();
    const ended = () => {
      inFlight.dec();
      duration.observe((performance.now() - startedAt) / 1000);
    };
    result.then(ended, (error: { code?: string }) => {
      ended();
      if (error.code !== raisedSqlState) errors.labels(error.code ?? "unknown").inc();
    });
  };
}

export const metricsRoute = ({ config }: Deps, { registry }: Metrics) =>
  new Elysia({ name: "/metrics" }).get("/metrics", async ({ request, set }) => {
    const { METRICS_TOKEN: token } = config;
    if (token && !isEqual(request.headers.get("authorization") ?? "", `Bearer ${token}`)) {
      throw new Problem("unauthorized", "METRICS_TOKEN is required as a bearer token.");
    }
    set.headers["content-type"] = registry.contentType;
    return await registry.metrics();
  });

/** Compares in constant time; through a hash, so that the length does not leak either. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));
