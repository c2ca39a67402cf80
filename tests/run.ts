/**
 * `bun run test`: `bun test`, with the files spread over two processes, which is what the slower half of the tests, those that wait, gives room
 * for. Each has a PostgreSQL of its own for all its files; they are stopped here, since a test process ends without being asked.
 * Arguments go on to `bun test`; `bun test FILE` alone works as well.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embedded } from "../src/embedded/index.ts";

const folder = mkdtempSync(join(tmpdir(), "formd-test-run-"));
chmodSync(folder, 0o711);
const child = spawn(
  process.execPath,
  ["test", "--parallel=2", "--no-isolate", "--timeout", "60000", ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, FORMD_TEST_FOLDER: folder } },
);
// Ctrl-C goes to the tests as well; who is left cleans up.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => child.kill(name));
const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? 1)));
const left = readdirSync(folder);
for (const file of left.filter((name) => name.endsWith(".pid")))
  process.kill(Number(readFileSync(join(folder, file), "utf8")), "SIGKILL");
for (const worker of left.filter((name) => !name.endsWith(".pid"))) {
  // Whoever leaves last stops PostgreSQL, and the worker left without a word.
  await embedded(join(folder, worker), () => {}, { explicit: true })
    .then((cluster) => cluster.release())
    .catch((error) => console.error(error));
}
rmSync(folder, { recursive: true, force: true });
process.exit(code);
