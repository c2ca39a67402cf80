/**
 * `bun run test`: `bun test` with the files spread over several processes. Arguments go on to `bun test`. A
 * path, or a part of one, may also name a file that bunfig.toml leaves out of a plain `bun test`.
 *
 * Each process has a PostgreSQL and a server for all its files. They are stopped here, since a test process
 * ends without being asked.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "formd-test-run-"));
chmodSync(folder, 0o711);
const given = process.argv.slice(2);
if (given.some((argument) => !argument.startsWith("-"))) given.unshift("--path-ignore-patterns=none");
// One more than cores, which works while tests of the others wait. Each is to start a PostgreSQL, so that
// more than six would not pay.
const parallel = `--parallel=${Math.min(availableParallelism() + 1, 6)}`;
const child = spawn(process.execPath, ["test", parallel, "--no-isolate", ...given], {
  stdio: "inherit",
  env: { ...process.env, FORMD_TEST_FOLDER: folder },
});
// Ctrl-C goes to the tests as well; who is left cleans up.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => child.kill(name));
const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? 1)));
/** @returns whether it ran */
function end(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // A run that broke off has ended it, or the machine.
  }
}
for (const name of readdirSync(folder).filter((name) => name.endsWith(".pid")))
  end(Number.parseInt(name, 10), "SIGKILL");
for (const file of [...new Bun.Glob("*/postgres-*/postmaster.pid").scanSync(folder)].map((name) =>
  join(folder, name),
)) {
  const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
  end(pid, "SIGQUIT");
  while (existsSync(file) && end(pid, 0)) await Bun.sleep(10);
}
rmSync(folder, { recursive: true, force: true });
process.exit(code);
