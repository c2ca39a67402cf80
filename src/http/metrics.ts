/** `/metrics`: Prometheus text. Public unless METRICS_TOKEN is set; then it wants `Authorization: Bearer <token>`. @module */
import { createHash, timingSafeEqual } from "node:crypto";
import process from "node:process";
import { Elysia } from "elysia";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Deps } from "../app.ts";
import { Problem } from "../problem.ts";

/** What one process counts. */
export interface Metrics {
  registry: Registry;
  /** One answered request: how long it took from the door, in seconds, by the route's pattern (never the path: ids would make a series each). */
  answered(method: string, route: string, status: number, code: string | undefined, seconds: number): void;
}

/** Bounds of the latency histogram, in seconds: half a millisecond to five seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** A process's counters; every app has its own. */
export function createMetrics(): Metrics {
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
      duration.labels(method, route, String(status)).observe(seconds);
      if (status === 429) throttled.labels(route).inc();
      if (code === "unavailable") unavailable.inc();
      if (code === "internal_error") failed.inc();
    },
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
