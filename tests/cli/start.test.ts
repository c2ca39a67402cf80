// stacks: one
import { expect, test } from "bun:test";
import { makeServer } from "../../src/cli/server.ts";
import { readConfig } from "../../src/platform/config.ts";
import { connect } from "../../src/platform/database/db.ts";
import type { Logger } from "../../src/platform/log.ts";
import { MasterKey } from "../../src/platform/master-key.ts";
import { database, masterKey } from "../setup.ts";

test("a start that cannot listen leaves nothing that uses the database, or logs", async () => {
  const { url } = await database();
  const sql = connect(url, { poolSize: 2, prepare: false });
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => void logged.push(line);
  const log = { debug: note, info: note, warn: note, error: note } as unknown as Logger;
  const config = readConfig({ DATABASE_URL: url, FORMD_SECRET_KEY: masterKey });
  const parts = {
    sql,
    config,
    log,
    files: undefined,
    masterKey: new MasterKey(config.FORMD_SECRET_KEY?.[0]),
  };
  const { start } = await makeServer(parts);
  const listen = () => {
    throw new Error("no such address");
  };
  await expect(start(listen, false)).rejects.toThrow("no such address");
  await sql.end();
  // Marks are made every second.
  await Bun.sleep(1_200);
  expect(logged).toEqual([]);
});

test("a start that fails after listening ends with its reason, though a client keeps a stream open", async () => {
  const { url } = await database();
  const sql = connect(url, { poolSize: 2, prepare: false });
  const log = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger;
  const config = readConfig({ DATABASE_URL: url, FORMD_SECRET_KEY: masterKey });
  const key = new MasterKey(config.FORMD_SECRET_KEY?.[0]);
  const { start } = await makeServer({ sql, config, log, files: undefined, masterKey: key });
  const listen = () => {
    // Read by the deliveries, which start next.
    Object.defineProperty(key, "isPresent", {
      get() {
        throw new Error("no deliveries");
      },
    });
    return { port: 0, stop: () => new Promise<void>(() => {}) };
  };
  await expect(start(listen, false)).rejects.toThrow("no deliveries");
  await sql.end();
}, 20_000);
