/** The routes of the app, which no database is needed for. */
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/platform/config.ts";
import { connect } from "../src/platform/database/db.ts";
import { createLog } from "../src/platform/log.ts";
import { MasterKey } from "../src/platform/master-key.ts";

export const { routes } = createApp({
  sql: connect("postgres://formd@localhost/formd", { poolSize: 1, prepare: true }),
  config: readConfig({}),
  log: createLog("silent"),
  masterKey: new MasterKey(undefined),
  files: undefined,
  counts: { addSubmission() {}, addAgentOutcome() {}, addErrors() {}, addProgress() {} },
  keyUses: { addApiKey() {}, addAccessKey() {} },
  wakeWebhooks: () => {},
  isDistributed: false,
  feed: { clockAheadMs: () => undefined, ageMs: () => undefined },
  isDraining: () => false,
});
