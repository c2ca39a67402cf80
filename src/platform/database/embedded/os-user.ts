/** The operating system's user that runs PostgreSQL, which does not run as root. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";

/** The user that runs PostgreSQL. Without `ids` it is the user that runs formd. */
export interface OsUser {
  name: string;
  uid: number;
  ids: { uid?: number; gid?: number };
}

export const root: OsUser = { name: "root", uid: 0, ids: {} };

export const isRoot = () => process.getuid?.() === 0;

/**
 * Runs a command as PostgreSQL's user, with an empty environment: no PG* variable, no secret.
 * @returns what it printed
 */
export async function runAsUser(user: OsUser, command: string, args: string[], cwd = "/"): Promise<string> {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };
  return (await promisify(execFile)(command, args, { cwd, env, ...user.ids })).stdout;
}

export const succeeds = (command: Promise<unknown>) =>
  command.then(
    () => true,
    () => false,
  );

/** The user that runs PostgreSQL: the cluster's owner, else formd's own, or an unprivileged one for root. */
export async function osUserFor(cluster: string): Promise<OsUser> {
  const owner = await stat(cluster).catch(() => undefined);
  const uid = process.getuid?.() ?? 0;
  if (!isRoot()) {
    if (owner && owner.uid !== uid)
      throw new Error(
        `${cluster} belongs to user id ${owner.uid}: run formd as that user, or set FORMD_DATA_DIR`,
      );
    return { name: `user id ${uid}`, uid, ids: {} };
  }
  if (owner && owner.uid !== 0)
    return { name: `user id ${owner.uid}`, uid: owner.uid, ids: { uid: owner.uid, gid: owner.gid } };
  const found = (await osUser("postgres")) ?? (await newOsUser("postgres")) ?? (await osUser("nobody"));
  if (found) return found;
  throw new Error(
    "PostgreSQL does not run as root, and there is no other user: run formd as an ordinary user",
  );
}

async function osUser(name: string): Promise<OsUser | undefined> {
  const line = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .find((line) => line.startsWith(`${name}:`));
  if (!line) return;
  const [uid, gid] = line.split(":").slice(2, 4).map(Number) as [number, number];
  return { name, uid, ids: { uid, gid } };
}

async function newOsUser(name: string): Promise<OsUser | undefined> {
  // Fails if another first start has just done it, or if the image has no useradd. The look-up shows which.
  await succeeds(
    runAsUser(root, "useradd", ["--system", "--user-group", "--shell", "/usr/sbin/nologin", name]),
  );
  return osUser(name);
}
