/** Folders that PostgreSQL's user reaches: the data directory and the socket's. @module */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Report } from "./cluster.ts";
import { isRoot, type OsUser, osUserFor, run, succeeds } from "./os-user.ts";

/** Where formd keeps what an unprivileged user must reach when formd runs as root from a place that only root sees. */
export const systemFolder = "/var/lib/formd";

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

const canEnter = (account: OsUser, folder: string) =>
  succeeds(run(account, "/bin/sh", ["-c", 'cd -- "$1"', "sh", folder]));

/**
 * The data directory, made if it is missing, and who runs PostgreSQL in it.
 *
 * @throws Error with one line: it is another user's, or (when it was chosen) out of that user's reach
 */
export async function resolveDataDir(
  wanted: string,
  cluster: string,
  explicit: boolean,
  report: Report,
): Promise<{ folder: string; account: OsUser }> {
  let folder = wanted;
  let account = await osUserFor(join(folder, cluster));
  if (isRoot() && !(await canEnter(account, nearestExisting(folder)))) {
    if (explicit)
      throw new Error(
        `PostgreSQL runs as ${account.name}, who cannot enter ${folder}: open the folders above it (chmod a+x), or set FORMD_DATA_DIR`,
      );
    folder = join(systemFolder, shortHash(wanted));
    report(`${account.name}, who runs PostgreSQL, cannot enter ${wanted}: the data is in ${folder}`);
    account = await osUserFor(join(folder, cluster));
  }
  await makeFolder(folder);
  return { folder, account };
}

/** The folder itself, or the closest one above it that exists. */
const nearestExisting = (folder: string): string =>
  existsSync(folder) ? folder : nearestExisting(dirname(folder));

/** Whatever root's umask is, PostgreSQL's user must be able to pass through what we make. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (!first || !isRoot()) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) await chmod(path, 0o711);
}

/**
 * The folder of the Unix socket: PostgreSQL's user's own and nobody else's to enter, which is all the authentication
 * there is. A socket's path is limited to 107 bytes (103 on macOS), so that a long data directory has it in /tmp: there
 * anyone could have made a folder of that name first, hence the check of its owner. (/tmp and not TMPDIR: every process
 * must find the same one.)
 */
export async function socketFolder(folder: string, account: OsUser): Promise<string> {
  const inside = join(folder, "socket");
  const fits = Buffer.byteLength(`${inside}/.s.PGSQL.5432`) <= 103 && !/[,"\\\n]/.test(inside);
  const path = fits ? inside : `/tmp/formd-${shortHash(folder)}`;
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(path);
  if (!found.isDirectory() || ![account.uid, process.getuid?.()].includes(found.uid))
    throw new Error(`${path} is somebody else's: it must be a folder of ${account.name}; remove it`);
  if (found.mode & 0o077) await chmod(path, 0o700);
  if (found.uid !== account.uid) await chown(path, account.uid, account.ids.gid ?? account.uid);
  return path;
}

/** Puts a finished folder in its place, unless another process was first. */
export async function renameOrRemove(made: string, place: string): Promise<void> {
  await rename(made, place).catch(async (error) => {
    await rm(made, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  });
}

/** A rename is safe from a power cut only once the folder that holds the name is on disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
