/** Debian's clamd with one signature, of EICAR's test file: the real ones are downloaded, and need a GiB. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Clamd } from "../src/platform/files/clamd.ts";
import { until } from "./expect.ts";
import { freePort, onCleanup, temporaryFolder } from "./setup.ts";

/** The test file of EICAR, in two parts, so that no scanner takes this file for it. */
export const eicar = new TextEncoder().encode(
  ["X5O!P%@AP[4\\PZX54(P^)7CC)7}", "$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join(""),
);

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

/** Starts and stops it, on one port. */
export async function clamd() {
  const folder = temporaryFolder();
  const port = await freePort();
  writeFileSync(join(folder, "test.hdb"), `${md5(eicar)}:${eicar.length}:Test.EICAR\n`);
  const file = join(folder, "clamd.conf");
  const settings = ["Foreground yes", "TCPAddr 127.0.0.1", `TCPSocket ${port}`, "StreamMaxLength 2M"];
  settings.push("MaxFileSize 1M", "MaxScanSize 1M", `DatabaseDirectory ${folder}`);
  let child: ReturnType<typeof spawn> | undefined;
  const url = `tcp://127.0.0.1:${port}`;
  const stop = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once("close", resolve));
    ending.kill("SIGKILL");
    await ended;
  };
  /** @param alerts whether it says what is beyond its limits */
  const start = async (alerts: "yes" | "no" = "yes") => {
    writeFileSync(file, [...settings, `AlertExceedsMax ${alerts}`, ""].join("\n"));
    child ??= spawn("clamd", ["--config-file", file], { stdio: "ignore" });
    await until(() =>
      new Clamd(url).ping().then(
        () => true,
        () => false,
      ),
    );
  };
  onCleanup(stop);
  return { url, start, stop };
}
