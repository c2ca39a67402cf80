/** Commands of formd and other programs, and ports for them. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server as Listener } from "node:net";
import { text } from "node:stream/consumers";
import { formdInProcess } from "../in-process.ts";
import { pooler } from "./cluster.ts";
import { rememberSecrets } from "./request.ts";
import { command, onCleanup, root } from "./run.ts";

const withPooler: Record<string, string> = pooler ? { DATABASE_PREPARE: "false" } : {};
/**
 * Runs commands that need no process of their own in this process. Suites of another runtime start a process
 * for each command.
 */
const inProcess = !process.env.FORMD_TEST_COMMAND;

/**
 * Ports below those that the kernel gives to connections and to servers that ask for any, in blocks. A
 * process keeps the first port of its blocks for as long as it runs, so that no suite beside it takes one of
 * the others between the look here and its use. Not 10080, which browsers and Node refuse (WHATWG fetch, "bad
 * port").
 */
const ports = { first: 10_100, blocks: 100, perBlock: 200 };

async function listen(port: number): Promise<Listener | undefined> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  return isFree ? server : undefined;
}

async function* portsOfOwn(): AsyncGenerator<number, never> {
  for (let block = process.pid; ; block++) {
    const first = ports.first + (block % ports.blocks) * ports.perBlock;
    const held = await listen(first);
    if (!held) continue;
    held.unref();
    for (let port = first + 1; port < first + ports.perBlock; port++) yield port;
  }
}
const ownPorts = portsOfOwn();

export async function freePort(): Promise<number> {
  for (;;) {
    const { value: port } = await ownPorts.next();
    const server = await listen(port);
    if (!server) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of formd to its end, in this process or in one of its own. */
export async function formd(args: string[], environment: Record<string, string> = {}): Promise<Ran> {
  return inProcess && args[0] !== "serve" && !environment.FORMD_DATA_DIR
    ? await formdHere(args, environment)
    : await formdProcess(args, environment);
}

/** Runs a command that prepares a test of something else: in this process, whichever formd is tested. */
export async function formdHere(args: string[], environment: Record<string, string> = {}): Promise<Ran> {
  const ran = await formdInProcess(args, { ...withPooler, ...environment });
  return { ...ran, stdout: rememberSecrets(ran.stdout) };
}

/**
 * Runs a command of formd in a process; of the formd whose source is in `directory`, with this Bun, when that
 * is not the tested one.
 */
export const formdProcess = (
  args: string[],
  environment: Record<string, string> = {},
  directory = root,
): Promise<Ran> =>
  // Bun's optimising compiler takes a quarter of the time of so short a process.
  ended(start(args, { BUN_JSC_useDFGJIT: "0", ...environment }, directory));

/** Runs any program to its end, with no settings but these. */
export const run = (
  program: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<Ran> => ended(spawnIn(program, args, environment));

async function ended(child: ChildProcess): Promise<Ran> {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream && text(stream));
  const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? -1)));
  return { code, stdout: rememberSecrets((await stdout) ?? ""), stderr: (await stderr) ?? "" };
}

/** Starts a command of formd with no settings but these. @param output a file for what it prints */
export function start(
  args: string[],
  environment: Record<string, string>,
  directory = root,
  output: number | "pipe" = "pipe",
): ChildProcess {
  const [program = "", ...rest] = directory === root ? command : [process.execPath, "src/main.ts"];
  return spawnIn(program, [...rest, ...args], { ...withPooler, ...environment }, directory, output);
}

/** A command of formd that goes on: what it has printed so far, and its exit code once it has one. */
export function background(args: string[], environment: Record<string, string>) {
  const child = start(args, environment);
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.on("data", (chunk) => (printed[name] += String(chunk)));
  const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  onCleanup(async () => void child.kill("SIGKILL"));
  return { child, printed, output: () => printed.stdout + printed.stderr, ended };
}

function spawnIn(
  program: string,
  args: string[],
  environment: Record<string, string>,
  directory = root,
  output: number | "pipe" = "pipe",
): ChildProcess {
  const { PATH = "", HOME = "" } = process.env;
  return spawn(program, args, {
    cwd: directory,
    env: { PATH, HOME, ...environment },
    stdio: ["ignore", output, output],
  });
}
