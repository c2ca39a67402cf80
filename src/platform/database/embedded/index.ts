/**
 * The embedded PostgreSQL: one cluster in the data directory, shared by all formd processes of it.
 *
 * PostgreSQL runs as a daemon, not as a child of a formd process. A process holds a lease: a connection with
 * a shared advisory lock. A process that releases its lease and then gets the lock exclusively was the last
 * one, and stops PostgreSQL. A crash of formd or PostgreSQL ends the lease: nothing is left to clean up.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Report } from "../../log.ts";
import { majorOf } from "../releases.ts";
import { shippedPrograms, shippedRelease } from "./binaries.ts";
import { type Cluster, initialise, requireMajor } from "./cluster.ts";
import { resolveDataDir, socketDirectory, usedDataDir } from "./directories.ts";
import { Lease } from "./lease.ts";
import { root } from "./os-user.ts";
import { systemPrograms } from "./system-programs.ts";

export type { Lease as Embedded };

interface Options {
  /** True: the data directory was chosen. False: root gets another one if PostgreSQL cannot enter it. */
  explicit?: boolean;
  /** False: a directory without a cluster is an error. */
  mayCreate?: boolean;
  /** POSTGRES_PROGRAMS: a directory, or `auto`. Without it, those that came with formd. */
  programs?: string | undefined;
}

/**
 * Acquires a lease of the PostgreSQL in a data directory. Creates and starts it if needed.
 * @param dataDir created if it is missing
 * @param report receives a line for each object that is created or started
 * @throws Error with one line: directory or programs are missing, the cluster is of another major version, or
 * PostgreSQL does not start
 */
export async function embedded(dataDir: string, report: Report, options: Options = {}): Promise<Lease> {
  return await Lease.acquire(await prepare(resolve(dataDir), options, report), report);
}

/** Prepares PostgreSQL's start: a user, a reachable directory, programs, a cluster, a socket directory. */
async function prepare(
  dataDir: string,
  { explicit = true, mayCreate = true, programs }: Options,
  report: Report,
): Promise<Cluster> {
  const { directory, user } = await resolveDataDir(dataDir, { explicit, mayCreate }, report);
  const system = programs ? await systemPrograms(programs, directory, user) : undefined;
  const release = system?.release ?? (await shippedRelease());
  const name = `postgres-${majorOf(release)}`;
  // Before anything is written into the directory.
  await requireMajor(directory, name, release);
  const binaries = system ?? (await shippedPrograms(directory, user, report));
  if (!existsSync(join(directory, name))) {
    report(`creating a cluster of ${binaries.title} in ${directory}`);
    await initialise(directory, name, user, binaries);
  }
  return { directory, name, user, binaries, socket: await socketDirectory(directory, user) };
}

/**
 * The release of PostgreSQL that a start would run in a data directory, such as `18.4`.
 * @throws Error with one line: there are no such programs
 */
export async function embeddedRelease(
  dataDir = "",
  { explicit = true, programs }: Pick<Options, "explicit" | "programs"> = {},
): Promise<string> {
  if (!programs) return await shippedRelease();
  const directory = await usedDataDir(resolve(dataDir), explicit);
  return (await systemPrograms(programs, directory, { ...root, name: "this user" })).release;
}
