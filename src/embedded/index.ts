/**
 * The embedded PostgreSQL: one cluster in the data directory, shared by every formd process that names this directory.
 *
 * PostgreSQL runs as a daemon of its own, no process of formd is its parent. A process takes a seat: a connection that
 * holds an advisory lock, shared with the others. Whoever leaves and then gets the lock alone was the last one in, and
 * stops PostgreSQL. A crash (of formd or of PostgreSQL) gives the seat back by itself, so nothing is left to clean up.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { binariesFor, release, shippedVersion } from "./binaries.ts";
import { type Cluster, initialise, type Report } from "./cluster.ts";
import { resolveDataDir, socketFolder } from "./directories.ts";
import { acquire, type Lease } from "./lease.ts";

export interface Embedded extends Lease {
  /** Login `formd`: the application's role. */
  url: string;
  /** Login `formd_owner`: owns the tables and functions, for migrations. */
  ownerUrl: string;
  /** Gives up this process's seat; the last one to leave stops PostgreSQL. Close your own pools before; again is harmless. */
  release(): Promise<void>;
}

/**
 * Joins the PostgreSQL of a data directory; makes and starts it when there is none.
 *
 * @param dataDir made if it is missing
 * @param report gets lines for people: what was made, started, joined
 * @param options `explicit`: somebody chose `dataDir`, so that a place which PostgreSQL cannot reach is an error; for the
 *   default place another one is taken instead (root only)
 * @throws Error with one line: the directory is out of reach or another user's, the binaries are missing, PostgreSQL
 *   does not start (with the last line of its log)
 */
export async function embedded(
  dataDir: string,
  report: Report,
  { explicit = true }: { explicit?: boolean } = {},
): Promise<Embedded> {
  const cluster = await prepare(resolve(dataDir), explicit, report);
  const seat = await acquire(cluster, report);
  const url = (role: string) =>
    `postgres://${role}@localhost/formd?host=${encodeURIComponent(cluster.socket)}`;
  let left: Promise<void> | undefined;
  return {
    url: url("formd"),
    ownerUrl: url("formd_owner"),
    exclusively: seat.exclusively,
    release: () => (left ??= seat.release()),
  };
}

/** Everything that PostgreSQL needs before it starts: a user, a reachable folder, binaries, a cluster, a socket folder. */
async function prepare(wanted: string, explicit: boolean, report: Report): Promise<Cluster> {
  const name = `postgres-${Number.parseInt(await shippedVersion(), 10)}`;
  const { folder, account } = await resolveDataDir(wanted, name, explicit, report);
  const binaries = await binariesFor(folder, account, report);
  if (!existsSync(join(folder, name))) {
    report(`creating a PostgreSQL ${release(binaries)} cluster in ${folder}`);
    await initialise(folder, name, account, binaries);
  }
  return { folder, name, account, binaries, socket: await socketFolder(folder, account) };
}

/** The release of the PostgreSQL that comes with formd, such as `18.4`. */
export const embeddedRelease = async (): Promise<string> => release({ version: await shippedVersion() });
