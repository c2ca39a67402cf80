/** The first minutes of a developer on the embedded database, with what the pages say and nothing else. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { until } from "../expect.ts";
import { tutorialSteps } from "../pages.ts";
import { freePort, type Server, server, temporaryFolder, testRequiring } from "../setup.ts";
import { runShell } from "../shell.ts";

/** An emulated machine takes long. */
setDefaultTimeout(process.env.FORMD_TEST_START_SECONDS ? 400_000 : 120_000);

const began = performance.now();
/** Printed beside the results: how long the way took so far. */
const reached = (what: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s  ${what}`);

describe("a developer, from the start command to what precedes a signed submission", () => {
  let app: Server;
  let settings: Record<string, string>;

  beforeAll(async () => {
    const home = temporaryFolder();
    settings = {
      HOME: home,
      PORT: String(await freePort()),
      FORMD_DATA_DIR: join(home, "data"),
      FEATURE_AGENT_SIGNING: "true",
      FORMD_SECRET_KEY: "",
    };
    app = await server(settings);
    delete settings.FORMD_SECRET_KEY;
    reached("the server responds");
  });
  afterAll(() => app?.stop());

  test("the start says where the database is, and where to go on", async () => {
    for (const line of [
      `the database is in ${settings.FORMD_DATA_DIR}`,
      `formd is listening at http://localhost:${settings.PORT}`,
    ])
      await until(() => app.log().includes(line));
  });

  testRequiring(
    "bash",
    "curl",
    "node",
    "awk",
  )("the tour, with the port and the data directory exported in both terminals", async () => {
    const ran = await runShell("bash", tutorialSteps().replace(/^formd\(\).*$/m, ""), settings);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("is published, version 1")]);
    expect(ran.stdout).toContain('"status":"completed"');
    reached("the tour has ended");
  });
});
