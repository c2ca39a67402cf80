/** The directories that PostgreSQL's user must reach: the data directory and the socket's. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Report } from "../../log.ts";
import { isRoot, type OsUser, osUserFor, runAsUser, succeeds } from "./os-user.ts";

/** Directory for PostgreSQL's files, if formd runs as root in one that only root can enter. */
export const systemDirectory = "/var/lib/formd";

/** The names of the clusters in a data directory: `postgres-18`. Several are of several major versions. */
export const clustersIn = (directory: string): Promise<string[]> =>
  readdir(directory).then(
    (names) => names.filter((name) => /^postgres-\d+$/.test(name)),
    () => [], // not made yet
  );

/** The major version of a cluster. */
export const majorOfCluster = (name: string): number => Number(name.split("-")[1]);

/** Returns the user that runs PostgreSQL in a data directory. */
const userFor = async (directory: string) =>
  await osUserFor(join(directory, (await clustersIn(directory))[0] ?? "postgres"));

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** The place of the data if formd runs as root in a directory that PostgreSQL's user cannot enter. */
const movedDataDir = (wanted: string) => join(systemDirectory, shortHash(wanted));

const canEnter = (user: OsUser, directory: string) =>
  succeeds(runAsUser(user, "/bin/sh", ["-c", 'cd -- "$1"', "sh", directory]));

/**
 * Returns the directory that has the database of a data directory, or the data directory itself before the
 * first start. It only looks.
 */
export async function usedDataDir(wanted: string, explicit: boolean): Promise<string> {
  const moved = movedDataDir(wanted);
  const isMoved = !explicit && isRoot() && (await clustersIn(moved)).length > 0;
  return isMoved && (await clustersIn(wanted)).length === 0 ? moved : wanted;
}

/**
 * Returns the data directory, created if it is missing, and the user that runs PostgreSQL in it.
 * @param mayCreate false: a directory without the cluster is an error
 * @throws Error with one line: it is another user's, cannot be created, or (if `explicit`) not reached
 */
export async function resolveDataDir(
  wanted: string,
  { explicit, mayCreate }: { explicit: boolean; mayCreate: boolean },
  report: Report,
): Promise<{ directory: string; user: OsUser }> {
  let directory = wanted;
  let user = await userFor(directory);
  if (isRoot() && !(await canEnter(user, nearestExisting(directory)))) {
    if (explicit)
      throw new Error(
        `PostgreSQL runs as ${user.name}, who cannot enter ${directory}: open the directories above it (chmod a+x), or set FORMD_DATA_DIR`,
      );
    directory = movedDataDir(wanted);
    report(`${user.name}, who runs PostgreSQL, cannot enter ${wanted}: the data is in ${directory}`);
    user = await userFor(directory);
  }
  if (!mayCreate && (await clustersIn(directory)).length === 0)
    throw new Error(
      `there is no database in ${directory}: run the command with the FORMD_DATA_DIR or DATABASE_URL of the server, or begin with formd bootstrap`,
    );
  await makeDirectory(directory).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`FORMD_DATA_DIR ${directory} cannot be created by ${user.name}: ${reasonOf(error)}`);
  });
  return { directory, user };
}

const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  ENOTDIR: "a part of the path is no directory",
  EEXIST: "it is no directory",
};
const reasonOf = ({ code = "", message }: NodeJS.ErrnoException): string => reasons[code] ?? message;

/** The directory itself, or the closest one above it that exists. */
const nearestExisting = (directory: string): string =>
  existsSync(directory) ? directory : nearestExisting(dirname(directory));

/** Creates a directory that PostgreSQL's user can pass through, for any umask of root. */
export async function makeDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true });
  if (!first || !isRoot()) return;
  for (let path = directory; path.length >= first.length; path = dirname(path)) await chmod(path, 0o711);
}

/**
 * The directory of the Unix socket. Only PostgreSQL's user can enter it, which is the authentication. A
 * socket's path is limited to 107 bytes (103 on macOS), so that for a long data directory it is in /tmp.
 * Another user could have created that directory in /tmp, so its owner is checked. (TMPDIR is not used, since
 * every process must find the same directory.)
 */
export async function socketDirectory(directory: string, user: OsUser): Promise<string> {
  const inside = join(directory, "socket");
  const fits = Buffer.byteLength(`${inside}/.s.PGSQL.5432`) <= 103 && !/[,"\\\n]/.test(inside);
  const path = fits ? inside : `/tmp/formd-${shortHash(directory)}`;
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(path);
  if (!found.isDirectory() || ![user.uid, process.getuid?.()].includes(found.uid))
    throw new Error(`${path} belongs to another user: it must be a directory of ${user.name}; remove it`);
  if (found.mode & 0o077) await chmod(path, 0o700);
  if (found.uid !== user.uid) await chown(path, user.uid, user.ids.gid ?? user.uid);
  return path;
}

/** Gives a complete directory its final name, unless another process has done so first. */
export async function renameOrRemove(temporary: string, path: string): Promise<void> {
  await rename(temporary, path).catch(async (error) => {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  });
}

/** Writes a directory to disk. Only then do renames in it survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}
