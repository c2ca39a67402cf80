import type { Registry } from "prom-client";
import type { Config } from "./config.ts";
import type { DailyCounts } from "./database/daily-counts.ts";
import type { Sql } from "./database/db.ts";
import type { KeyUses } from "./database/key-uses.ts";
import type { Files } from "./files/files.ts";
import type { Logger } from "./log.ts";
import type { MasterKey } from "./master-key.ts";

/** What the routes work with. */
export interface Deps {
  sql: Sql;
  config: Config;
  log: Logger;
  masterKey: MasterKey;
  /** Where the bytes of files are; undefined: files are off. */
  files: Files | undefined;
  /** For the charts of the console. */
  counts: Pick<DailyCounts, "addSubmission" | "addAgentOutcome" | "addErrors">;
  /** When keys were used last. */
  keyUses: Pick<KeyUses, "addApiKey" | "addAccessKey">;
  /** Tells the worker of this process that something was committed. */
  wakeWebhooks: () => void;
  /** Whether the database keeps teams on several machines: a call of SQL is then one team's. */
  isDistributed: boolean;
  /** On a server that is one of several: makes the text of `/metrics` of all of them. */
  sumMetrics?: (registry: Registry) => () => Promise<string>;
  /** Whether the server is shutting down: probes and clients are told to use another instance. */
  isDraining: () => boolean;
}
