import type { Registry } from "prom-client";
import type { Config } from "./config.ts";
import type { DailyCounts } from "./database/daily-counts.ts";
import type { Sql } from "./database/db.ts";
import type { KeyUses } from "./database/key-uses.ts";
import type { Files } from "./files/files.ts";
import type { Logger } from "./log.ts";
import type { MasterKey } from "./master-key.ts";
import type { Feed } from "./ops/feed.ts";

/** Dependencies of the routes. */
export interface Deps {
  sql: Sql;
  config: Config;
  log: Logger;
  masterKey: MasterKey;
  /** Storage of files. Undefined: files are off. */
  files: Files | undefined;
  /** Counts for the charts of the console. */
  counts: Pick<DailyCounts, "addSubmission" | "addAgentOutcome" | "addErrors" | "addProgress">;
  /** Records the last use of keys. */
  keyUses: Pick<KeyUses, "addApiKey" | "addAccessKey">;
  /** Wakes this process's worker after a commit. */
  wakeWebhooks: () => void;
  /** True if the database keeps teams on several machines. A call of SQL is then for one team. */
  isDistributed: boolean;
  /** Makes the text of `/metrics` for all servers, if this server is one of several. */
  sumMetrics?: (registry: Registry) => () => Promise<string>;
  /** Clock and marks of this server. */
  feed: Feed;
  /** True if the server is shutting down. Probes and clients are then told to use another instance. */
  isDraining: () => boolean;
}
