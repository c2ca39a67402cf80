/**
 * `bun run test`: `bun test` with the files spread over several processes. Without a path it leaves out
 * tests/slow and tests/costs, which `bun run test:slow` and `bun run test:costs` run, and what is
 * {@link long}, which `bun run test:long` runs. Other arguments go on to `bun test`; `bun test FILE` alone
 * works as well.
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
const onlyLong = process.argv.includes("--long");
const given = process.argv.slice(2).filter((argument) => argument !== "--long");
const filesOf = (pattern: string) => [...new Bun.Glob(pattern).scanSync(import.meta.dir)];
/**
 * Two thirds of the CPU time of all tests, in a third of the files: they start servers with settings of their
 * own, each for a second of a core, or processes, migrations, mail servers. They are for who changes what
 * they are about.
 */
const long = [
  ...[
    "cli/**/*",
    "migrate",
    "unit/mail",
    "http/console/authorization",
    "http/{files,mails,oauth}/**/*",
  ].flatMap((name) => filesOf(`${name}.test.ts`)),
  ...filesOf("http/**/*.test.ts").filter((path) =>
    /\b(?:server|service)\(\{/.test(readFileSync(join(import.meta.dir, path), "utf8")),
  ),
];
const leftOut = ["slow/**", "costs/**", ...long].map((path) => `--path-ignore-patterns=tests/${path}`);
const isGiven = given.some((argument) => !argument.startsWith("-"));
const files = onlyLong ? long.map((path) => `tests/${path}`) : isGiven ? [] : leftOut;
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
    ...files,
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
