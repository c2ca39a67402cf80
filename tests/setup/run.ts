/** The run that a test is part of: what is tested, and what is cleaned up when a file or the run ends. */
import { test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");
// npm's deno is a Node script that starts the binary beside it: a signal would end the script, and leave the
// server behind.
export const command = (process.env.FORMD_TEST_COMMAND ?? `${process.execPath} src/main.ts`)
  .replace("node_modules/.bin/deno", "node_modules/deno/deno")
  .split(" ");

/** Ports of the workers, when the PostgreSQL is the coordinator of a Citus cluster (.ci/citus). */
export const workerPorts = process.env.FORMD_TEST_CITUS?.split(",") ?? [];
/**
 * In a run of several processes (tests/run.ts): the directory where each keeps its PostgreSQL and the process
 * id of its server from file to file, and which worker this is. tests/run.ts stops them.
 */
export const { FORMD_TEST_FOLDER: kept, BUN_TEST_WORKER_ID: worker = "1" } = process.env;

/**
 * A test that needs programs which a machine with Node and npm may not have. Without them it is skipped, and
 * the run says so. In CI, which installs them, it fails.
 */
export function testRequiring(...programs: string[]) {
  const missing = programs.filter((program) => Bun.which(program) === null);
  if (missing.length === 0 || process.env.CI) return test;
  console.warn(`tests that need ${missing.join(", ")} are skipped: not found on this machine`);
  return test.skip;
}

/**
 * A test of what only one PostgreSQL shows, such as its statistics of what a transaction has read. On Citus
 * it is skipped.
 */
export const testOnOneNode = workerPorts.length > 0 ? test.skip : test;

/** A directory that is removed afterwards; PostgreSQL's unprivileged user may pass through it. */
export function temporaryFolder(owner = Bun.main): string {
  const folder = mkdtempSync(join(tmpdir(), "formd-test-"));
  chmodSync(folder, 0o711);
  onCleanup(async () => rmSync(folder, { recursive: true, force: true }), owner);
  return folder;
}

/**
 * Cleanups, by the file that registered them, or by the whole run. Files run one after another in one
 * process.
 */
const cleanups = new Map<string, (() => Promise<void>)[]>();
/** Owner of what all files share. */
export const wholeRun = "run";

export function onCleanup(work: () => Promise<void>, owner = Bun.main): void {
  cleanups.set(owner, [...(cleanups.get(owner) ?? []), work]);
}

/**
 * Stops a file's servers and connections when the next file asks for its own: PostgreSQL takes a hundred
 * connections.
 */
export async function cleanUp(isOver: (owner: string) => boolean): Promise<void> {
  const errors: unknown[] = [];
  for (const [owner, works] of [...cleanups].reverse()) {
    if (!isOver(owner)) continue;
    cleanups.delete(owner);
    for (const work of works.reverse()) await work().catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}
