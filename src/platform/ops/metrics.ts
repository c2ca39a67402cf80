/** `/metrics`: Prometheus text, for METRICS_TOKEN as bearer token, or without it for this machine only. */
import { timingSafeEqual } from "node:crypto";
import process from "node:process";
import { Elysia } from "elysia";
import type { Fragment } from "postgres";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import manifest from "../../../package.json" with { type: "json" };
import { limits } from "../../limits.ts";
import { Problem, raisedSqlState } from "../../problem.ts";
import { sha256 } from "../auth/secret.ts";
import { oneRow, type Sql } from "../database/db.ts";
import type { Deps } from "../deps.ts";
import { filesWaiting } from "../files/check.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import { isFromThisMachine } from "../http/client-ip.ts";
import { hostOf, isLoopback } from "../http/host.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Feed } from "./feed.ts";

type Observed = Pick<RequestContext, "code" | "submitted" | "cause">;

/** The counters of one process. */
interface Metrics {
  registry: Registry;
  incompleteBodies: Counter;
  unreadableClientIps: Counter;
  /** Counts a request by the route's pattern; "" without one (with paths each id were a series). */
  observeRequest(method: string, route: string, status: number, seconds: number, context: Observed): void;
  /** Sets the counters of limited routes to 0: a rate over a new counter misses its first event. */
  beginAtZero(limitedRoutes: readonly string[]): void;
  /** Observes a query: counts it while it waits and runs, its duration, and its error by SQLSTATE. */
  observeQuery(result: PromiseLike<unknown>): void;
}

/** Bounds of the latency histogram, in seconds: half a millisecond to five seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Methods with separate series: Deno accepts any token, so that clients could make series. */
const methods = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]);

/** Creates an app's counters. `poolSize`: maximum of its connections. */
export function createMetrics(poolSize: number, bodyBudget: BodyBudget): Metrics {
  const registry = new Registry();
  const registers = [registry];
  observeProcess(registers);
  gauge(registers, "database_pool_size", "Connections that the process opens at most.", () => poolSize);
  gauge(registers, "resident_memory_bytes", "Resident memory of the process.", () =>
    process.memoryUsage.rss(),
  );
  gauge(registers, "request_body_bytes", "Bytes of request bodies in progress.", () => bodyBudget.bytes);
  const incompleteBodies = counter(
    registers,
    "incomplete_bodies_total",
    "Requests whose body did not arrive: the client hung up, took too long, or gave way to others.",
  );
  const unreadableClientIps = counter(
    registers,
    "unreadable_client_ips_total",
    "Requests whose entry of X-Forwarded-For is not an IP address: they count as the proxy's.",
  );
  return {
    registry,
    incompleteBodies,
    unreadableClientIps,
    ...requestObserver(registers),
    observeQuery: queryObserver(registers),
  };
}

const counter = (registers: Registry[], name: string, help: string, ...labelNames: string[]) =>
  new Counter({ name: `formd_${name}`, help, labelNames, registers });

/** Makes a gauge that reads its value at each scrape. Undefined: there is no sample. */
function gauge(
  registers: Registry[],
  name: string,
  help: string,
  read: () => number | undefined,
  aggregator: "sum" | "max" = "sum",
): void {
  new Gauge({
    name: `formd_${name}`,
    help,
    aggregator,
    registers,
    collect() {
      const value = read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

const secondsOf = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

/** Metrics of the clock and of the order, from the marks of this process. */
function observeFeed({ clockAheadMs, ageMs }: Feed, registers: Registry[]): void {
  gauge(
    registers,
    "clock_difference_seconds",
    "Difference of the server's clock from the database's, without sign.",
    () => secondsOf(clockAheadMs() === undefined ? undefined : Math.abs(clockAheadMs() ?? 0)),
    "max",
  );
  gauge(
    registers,
    "feed_age_seconds",
    "Age of the instant up to which all that was stored can be read in order.",
    () => secondsOf(ageMs()),
    "max",
  );
}

/** Metrics of the process: build, start time and resources. It uses the names of Prometheus's own clients. */
function observeProcess(registers: Registry[]): void {
  new Gauge({
    name: "formd_build_info",
    help: "1, with the version as label.",
    labelNames: ["version"],
    aggregator: "first",
    registers,
  }).set({ version: manifest.version }, 1);
  new Gauge({
    name: "process_start_time_seconds",
    help: "When the process started, in seconds since 1970.",
    aggregator: "min",
    registers,
  }).set(Math.round(Date.now() / 1000 - process.uptime()));
  new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time of the process, in seconds.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

/** Outcomes of submits. A submit repeated by its Idempotency-Key counts again. */
const submissionResults = ["completed", "partial", "pending", "refused"] as const;
const submitRoute = "/papi/v1/submitter/form/submissions";

/** Interval of samples: `pg_database_size` reads the size of every file. */
const sampleMs = 60_000;

/** Metrics of the database: the last sample, no scrape waits. `sql`: a pool without counted queries. */
function observeDatabase(sql: Sql, registers: Registry[]): void {
  const sampled = (name: string, help: string, value: () => Fragment) => {
    let sampledAt = Number.NEGATIVE_INFINITY;
    const gauge = new Gauge({
      name: `formd_${name}`,
      help: `${help}, sampled at most once per minute.`,
      aggregator: "max",
      registers,
      collect() {
        if (performance.now() - sampledAt < sampleMs) return;
        sampledAt = performance.now();
        sql<{ value: number | null }[]>`select (${value()}) as value`.then(
          (rows) => {
            const { value } = oneRow(rows);
            if (value === null) gauge.remove();
            else gauge.set(value);
          },
          () => gauge.remove(),
        );
      },
    });
    gauge.remove();
  };
  sampled(
    "database_size_bytes",
    "Size of the database",
    () => sql`pg_database_size(current_database())::float8`,
  );
  // The oldest database of the cluster decides.
  for (const [name, help, value] of [
    ["xid", "transaction id", sql`max(age(d.datfrozenxid))`],
    ["multixact", "multixact", sql`max(mxid_age(d.datminmxid))`],
  ] as const)
    sampled(
      `database_${name}_age`,
      `Age of the oldest ${help} of the cluster, which PostgreSQL limits to 2 billion`,
      () => sql`select ${value} from pg_catalog.pg_database d`,
    );
  sampled(
    "partition_months_left",
    "Months after this one for which divided tables have partitions; absent while the tables are plain",
    () => sql`formd.partition_months_left()`,
  );
  for (const [name, help, value] of [
    ["silent_nodes", "Workers of Citus that do not respond", sql`cardinality(silent_nodes)`],
    ["prepared_transactions", "Transactions prepared more than a minute ago", sql`prepared_transactions`],
    ["undistributed_tables", "Tables to distribute", sql`cardinality(undistributed_tables)`],
  ] as const)
    sampled(
      `citus_${name}`,
      `${help}; absent without Citus`,
      () => sql`select ${value} from formd.cluster_state()`,
    );
  for (const [name, help, value] of [
    ["files_bytes", "Bytes of all files, those that are arriving included", sql`sum(t.bytes)`],
    [
      "files_team_bytes_max",
      "The same of the team that has most: FILES_MAX_PER_TEAM limits it",
      sql`max(t.bytes)`,
    ],
  ] as const)
    sampled(name, help, () => sql`select coalesce(${value}, 0)::float8 from formd.file_totals t`);
  sampled("files_waiting", "Files that wait for the scanner, and that nobody can download", () =>
    filesWaiting(sql),
  );
  // Uses mails_due_idx. Few mails wait, unless something is wrong.
  sampled(
    "mails_waiting",
    "Mails that are due and not sent, since the mail server fails or a team is over its limit",
    () => sql`
      select count(*)::integer from formd.mails m where m.state = 'due' and (m.attempts > 0 or m.due_at <= now())`,
  );
  // Uses signing_keys_expiry_idx. Keys of revoked agents are left out, since nobody needs to replace them.
  sampled(
    "signing_keys_expiring",
    `Signing keys of agents that expire within ${limits.signingKey.expiryNoticeDays} days`,
    () => sql`
      select count(*)::integer from formd.signing_keys k
      join formd.agents a on a.team_id = k.team_id and a.id = k.agent_id
      where k.status = 'active' and a.status <> 'revoked'
        and k.expires_at at time zone 'UTC' > now() at time zone 'UTC'
        and k.expires_at at time zone 'UTC' <= now() at time zone 'UTC' + make_interval(days => ${limits.signingKey.expiryNoticeDays})`,
  );
}

function requestObserver(registers: Registry[]): Pick<Metrics, "observeRequest" | "beginAtZero"> {
  const duration = new Histogram({
    name: "formd_request_duration_seconds",
    help: "Duration of requests by route and status.",
    labelNames: ["method", "route", "status"],
    buckets,
    registers,
  });
  const rateLimited = counter(registers, "throttled_total", "Requests rejected with 429.", "route");
  const unavailable = counter(
    registers,
    "unavailable_total",
    "Requests rejected with 503: database down or overloaded.",
  );
  const failed = counter(registers, "internal_errors_total", "Requests that ended with 500.");
  const submissions = counter(
    registers,
    "submissions_total",
    "Responses to submits, by what became of them.",
    "result",
  );
  const signatures = counter(
    registers,
    "signatures_refused_total",
    "Refused signatures, by the step of the verification that failed.",
    "step",
  );
  for (const result of submissionResults) submissions.inc({ result }, 0);
  // Cached, since looking up a label set costs more than observing.
  const durations = new Map<string, ReturnType<typeof duration.labels>>();
  const observeRequest: Metrics["observeRequest"] = (anyMethod, anyRoute, status, seconds, context) => {
    const { code, submitted, cause } = context;
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
    if (submitted) submissions.labels(submitted).inc();
    else if (route === submitRoute && method === "POST" && status < 500) submissions.labels("refused").inc();
    if (cause?.step) signatures.labels(cause.step).inc();
  };
  const beginAtZero = (limitedRoutes: readonly string[]): void => {
    for (const route of limitedRoutes) rateLimited.labels(route).inc(0);
  };
  return { observeRequest, beginAtZero };
}

function queryObserver(registers: Registry[]): Metrics["observeQuery"] {
  let inProgress = 0; // A gauge looks itself up at each change.
  gauge(
    registers,
    "database_queries",
    "Queries in progress; those beyond the pool's size wait for a connection.",
    () => inProgress,
  );
  const duration = new Histogram({
    name: "formd_database_query_duration_seconds",
    help: "Duration of queries, including the wait for a connection.",
    buckets,
    registers,
  });
  const errors = counter(
    registers,
    "database_errors_total",
    "Queries that failed, by SQLSTATE or the driver's code, except problems that formd's own functions raise.",
    "code",
  );
  return (result) => {
    const startedAt = performance.now();
    inProgress++;
    const ended = () => {
      inProgress--;
      duration.observe((performance.now() - startedAt) / 1000);
    };
    result.then(ended, (error: { code?: string }) => {
      ended();
      if (error.code !== raisedSqlState) errors.labels(error.code ?? "unknown").inc();
    });
  };
}

const tokenRequired =
  "METRICS_TOKEN is required as a bearer token. Without that setting, only this machine reads /metrics, as localhost.";

/** Without a token a foreign Host is refused too: a browser here may have been led to it (DNS rebinding). */
export const metricsRoute = ({ config, sql, feed, sumMetrics }: Deps, { registry }: Metrics) => {
  observeDatabase(sql, [registry]);
  observeFeed(feed, [registry]);
  const write = sumMetrics?.(registry) ?? (() => registry.metrics());
  return new Elysia({ name: "/metrics" }).get("/metrics", async ({ request, server, set }) => {
    const { METRICS_TOKEN: token } = config;
    const isAllowed = token
      ? isEqual(request.headers.get("authorization") ?? "", `Bearer ${token}`)
      : isFromThisMachine(request, server) && isLoopback(hostOf(request, config));
    if (!isAllowed) throw new Problem("unauthorized", tokenRequired);
    set.headers["content-type"] = registry.contentType;
    return await write();
  });
};

/** Compares in constant time. Hashing hides the length too. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));
