/** The routes of the app, which no database is needed for. */
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { connect } from "../src/db.ts";
import { MasterKey } from "../src/master-key.ts";
import { createLog } from "../src/ops/log.ts";

export const { routes } = createApp({
  sql: connect("postgres://formd@localhost/formd", { poolSize: 1, prepare: true }),
  config: readConfig({}),
  log: createLog("silent"),
  masterKey: new MasterKey(undefined),
  counts: { addSubmission() {}, addAgentOutcome() {}, addErrors() {} },
  wakeWebhooks: () => {},
  isDistributed: false,
  isDraining: () => false,
});
