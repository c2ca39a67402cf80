/**
 * Environment that the tests share: a PostgreSQL with a migrated template, and a server with default
 * settings. Each file makes its own teams. Files that need other settings, or change the schema, start a
 * server or a database of their own.
 *
 * FORMD_TEST_COMMAND selects the server that is tested (default: this Bun, from source), such as "deno run -A
 * src/main.ts" or "./dist/formd". The tests of tests/http and tests/cli reach it by HTTP and by its commands;
 * fixtures are made by functions of src.
 */

import { afterAll, setDefaultTimeout } from "bun:test";
import { readFileSync } from "node:fs";
import { plugin } from "bun";
import "../src/arktype.ts";
import "./generated.ts";
import { cleanUp, kept, wholeRun } from "./setup/run.ts";
import { assertNoLeaks } from "./setup/server.ts";

export * from "./setup/database.ts";
export * from "./setup/fixtures.ts";
export * from "./setup/process.ts";
export * from "./setup/request.ts";
export * from "./setup/run.ts";
export * from "./setup/server.ts";

// Room for a machine that is busy with others. Set at the load of each file: Bun resets what a preload sets
// after the first file (its issue 43787), and bunfig.toml has no setting for it.
plugin({
  name: "a timeout for every file",
  setup: (build) => {
    build.onLoad({ filter: /\.test\.ts$/ }, ({ path }) => {
      setDefaultTimeout(300_000);
      return { contents: readFileSync(path, "utf8"), loader: "ts" };
    });
  },
});

// At the end of the run, since bunfig.toml loads this before all files; of a run in several processes, at the
// end of each file.

afterAll(async () => {
  await assertNoLeaks();
  await cleanUp((owner) => !kept || owner !== wholeRun);
}, 60_000);
