/**
 * Installs the packages where there are none, so that a plain `bun test` works in a fresh clone as `bun run
 * test` does. Bun has looked for them by then, so that the tests run in a process of their own.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
if (!existsSync(join(root, "node_modules"))) {
  const bun = (args: string[]) => spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
  // Bun shows a preload neither its options nor its paths.
  const [, ...args] = readFileSync("/proc/self/cmdline", "utf8").split("\0").slice(0, -1);
  process.exit(bun(["install", "--frozen-lockfile", `--cwd=${root}`]) || bun(args));
}
