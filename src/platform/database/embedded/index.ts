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
import { binariesFor, release, shippedVersion } from "./binaries.ts";
import { type Cluster, initialise } from "./cluster.ts";
import { resolveDataDir, socketDirectory } from "./directories.ts";
import { Lease } from "./lease.ts";

export type { Lease as Embedded };

/**
 * Acquires a lease of the PostgreSQL in a data directory. Creates and starts it if needed.
 * @param dataDir created if it is missing
 * @param report receives a line for each object that is created or started
 * @param options `explicit`: `dataDir` was chosen, and must be reachable; an unreachable default is replaced
 * (root only). `mayCreate` false: a directory without a cluster is an error
 * @throws Error with one line: directory or binaries are missing, or PostgreSQL does not start
 */
export async function embedded(
  dataDir: string,
  report: Report,
  { explicit = true, mayCreate = true }: { explicit?: boolean; mayCreate?: boolean } = {},
): Promise<Lease> {
  return await Lease.acquire(await prepare(resolve(dataDir), { explicit, mayCreate }, report), report);
}

/** Prepares PostgreSQL's start: a user, a reachable directory, binaries, a cluster, a socket directory. */
async function prepare(
  dataDir: string,
  options: { explicit: boolean; mayCreate: boolean },
  report: Report,
): Promise<Cluster> {
  const name = `postgres-${Number.parseInt(await shippedVersion(), 10)}`;
  const { directory, user } = await resolveDataDir(dataDir, name, options, report);
  const binaries = await binariesFor(directory, user, report);
  if (!existsSync(join(directory, name))) {
    report(`creating a PostgreSQL ${release(binaries)} cluster in ${directory}`);
    await initialise(directory, name, user, binaries);
  }
  return { directory, name, user, binaries, socket: await socketDirectory(directory, user) };
}

/** The release of the bundled PostgreSQL, such as `18.4`. */
export const embeddedRelease = async (): Promise<string> => release({ version: await shippedVersion() });
