import type { Registry } from "prom-client";
import type { Config } from "./config.ts";
import type { Sql } from "./db.ts";
import type { MasterKey } from "./master-key.ts";
import type { DailyCounts } from "./ops/daily-counts.ts";
import type { Logger } from "./ops/log.ts";

/** What the routes work with. */
export interface Deps {
  sql: Sql;
  config: Config;
  log: Logger;
  masterKey: MasterKey;
  /** For the charts of the console. */
  counts: Pick<DailyCounts, "addSubmission" | "addAgentOutcome" | "addErrors">;
  /** Tells the worker of this process that something was committed. */
  wakeWebhooks: () => void;
  /** Whether the database keeps teams on several machines: a call of SQL is then one team's. */
  isDistributed: boolean;
  /** Of a server that is one of several: makes the text of `/metrics` of all of them. */
  sumMetrics?: (registry: Registry) => () => Promise<string>;
  /** Whether the server is shutting down: probes and clients are told to use another instance. */
  isDraining: () => boolean;
}
