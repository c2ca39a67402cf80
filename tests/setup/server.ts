/** Servers of formd. */
import type { ChildProcess } from "node:child_process";
import { fstatSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Database, database } from "./database.ts";
import { freePort, start } from "./process.ts";
import { findLeak } from "./request.ts";
import { kept, onCleanup, root, wholeRun } from "./run.ts";

/** An emulated machine needs more. */
const startTimeoutMs = Number(process.env.FORMD_TEST_START_SECONDS ?? 60) * 1000;

/**
 * The same for every server, so that a signature of one is that of another. An empty variable leaves a server
 * without.
 */
export const masterKey = Buffer.alloc(32, 7).toString("base64");

export interface Server {
  url: string;
  process: ChildProcess;
  /** Complete lines of the log so far. */
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<number>;
  /** Looks for secrets in what it has logged since the last time. */
  assertNoLeak(): void;
}

/**
 * A server with these settings. It trusts one proxy, so that each request can have a client IP of its own. It
 * logs at the lowest level, and its log must hold no secret.
 */
export async function server(
  environment: Record<string, string>,
  { owner = Bun.main, directory = root, args = [] as string[] } = {},
): Promise<Server> {
  const port = environment.PORT ?? String(await freePort());
  const settings = {
    PORT: port,
    HOST: "127.0.0.1",
    TRUSTED_PROXY_HOPS: "1",
    LOG_LEVEL: "trace",
    FORMD_SECRET_KEY: masterKey,
    DRAIN_SECONDS: "0",
    ...environment,
  };
  if (settings.FORMD_SECRET_KEY === "") delete (settings as Record<string, string>).FORMD_SECRET_KEY;
  const output = outputFile();
  const child = start(["serve", ...args], settings, directory, output.descriptor);
  const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return await ended;
  };
  let checked = 0;
  const assertNoLeak = () => {
    const logged = output.lines();
    const leak = findLeak(logged.slice(checked));
    checked = logged.length;
    const file = owner === wholeRun ? Bun.main : owner;
    if (leak) throw new Error(`${file}: the server's log holds a secret: ${leak}`);
  };
  onCleanup(async () => {
    await stop("SIGKILL");
    assertNoLeak();
  }, owner);
  // tests/run.ts ends those that a run leaves which broke off.
  if (kept) {
    const running = join(kept, `${child.pid}.pid`);
    writeFileSync(running, "");
    child.on("close", () => rmSync(running, { force: true }));
  }
  const url = `http://127.0.0.1:${port}`;
  for (const began = Date.now(); Date.now() - began < startTimeoutMs; ) {
    if (child.exitCode !== null) break;
    const ready = await fetch(`${url}/readyz`)
      .then((reply) => reply.ok)
      .catch(() => false);
    // The output comes by another way than the response. The output of the start is complete once this last
    // line has arrived.
    const isTold =
      !["trace", "debug", "info"].includes(settings.LOG_LEVEL) ||
      output.lines().includes('"msg":"listening"');
    if (ready && isTold) return { url, process: child, log: output.lines, stop, assertNoLeak };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server did not start:\n${output.lines()}`);
}

/**
 * A file without a name, for what a server prints. Not a pipe: Bun once stopped to read one, and a server on
 * Deno waits for its reader.
 */
function outputFile() {
  const path = join(mkdtempSync(join(tmpdir(), "formd-log-")), "log");
  const descriptor = openSync(path, "a+");
  rmSync(dirname(path), { recursive: true });
  let lines = "";
  let length = 0;
  return {
    descriptor,
    /** All whole lines so far. */
    lines() {
      const buffer = Buffer.alloc(fstatSync(descriptor).size - length);
      const read = buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, length));
      const whole = read.subarray(0, read.lastIndexOf(10) + 1);
      length += whole.length;
      lines += whole.toString();
      return lines;
    },
  };
}

/** A database with a server on it. */
export interface Service extends Server {
  database: Database;
}

/**
 * Settings under which signatures are checked and validations, submits and sign-ins of one client IP have no
 * limit.
 */
export const permissive: Record<string, string> = {
  FEATURE_AGENT_SIGNING: "true",
  CHALLENGE_PASS_MINUTES: "7",
  RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1000000",
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "1000000",
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "1000000",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1000000",
};
const defaults: Record<string, string> = {};
/** The servers of all files that need no other settings than these. */
const shared = new Map<Record<string, string>, Promise<Service>>();

/**
 * A server and its database. Without settings, or with the permissive ones, they are shared, and the log
 * begins here; with other settings they are the file's own.
 */
export async function service(settings = defaults): Promise<Service> {
  if (settings !== defaults && settings !== permissive) return await startService(settings);
  const started = shared.get(settings) ?? startService(settings, wholeRun);
  shared.set(settings, started);
  const { log, ...rest } = await started;
  const begin = log().length;
  return { ...rest, log: () => log().slice(begin) };
}

async function startService(environment: Record<string, string>, owner = Bun.main): Promise<Service> {
  const made = await database(owner);
  return { ...(await server({ DATABASE_URL: made.url, ...environment }, { owner })), database: made };
}

/** Looks for secrets in the logs of the servers that files share. */
export async function assertNoLeaks(): Promise<void> {
  for (const { assertNoLeak } of await Promise.all(shared.values())) assertNoLeak();
}
