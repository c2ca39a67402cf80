import type { Config } from "./config.ts";
import type { Sql } from "./db.ts";
import type { Logger } from "./ops/log.ts";

/** What the routes work with. */
export interface Deps {
  sql: Sql;
  config: Config;
  log: Logger;
  /** Whether the server is shutting down: probes and clients are told to use another instance. */
  isDraining: () => boolean;
}
