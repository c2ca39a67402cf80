/**
 * `bun run test`: `bun test` with the files spread over several processes. Without a path it leaves out
 * tests/slow and tests/costs, which `bun run test:slow`, `bun run test:costs` and .ci/run run, and what is
 * {@link long}. Arguments go on to `bun test`; `bun test FILE` alone works as well.
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
/**
 * Two thirds of the CPU time of all tests, in a third of the files: they start servers with settings of their
 * own, each for a second of a core, or processes, migrations, mail servers. They are for who changes what
 * they are about; FORMD_TEST_FULL, which .ci/run sets, runs them as well.
 */
const long = [
  "cli/**",
  "migrate.test.ts",
  "unit/mail.test.ts",
  "http/console/authorization.test.ts",
  "http/{files,mails,oauth}/**",
  ...[...new Bun.Glob("http/**/*.test.ts").scanSync(import.meta.dir)].filter((path) =>
    /\b(?:server|service)\(\{/.test(readFileSync(join(import.meta.dir, path), "utf8")),
  ),
];
const leftOut = ["slow/**", "costs/**", ...(process.env.FORMD_TEST_FULL ? [] : long)];
const paths = given.some((argument) => !argument.startsWith("-"))
  ? []
  : leftOut.map((pattern) => `--path-ignore-patterns=tests/${pattern}`);
const child = spawn(
  process.execPath,
  // One more than cores, which works while tests of the others wait. Each is to start a PostgreSQL, so that
  // more than six would not pay.
  [
    "test",
    `--parallel=${Math.min(availableParallelism() + 1, 6)}`,
    "--no-isolate",
    "--timeout",
    "120000",
    ...paths,
    ...given,
  ],
  { stdio: "inherit", env: { ...process.env, FORMD_TEST_FOLDER: folder } },
);
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
