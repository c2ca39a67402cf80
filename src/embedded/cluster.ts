/** The cluster: PostgreSQL's files, made once, and the daemon that serves them, started and stopped. @module */
import { randomUUID } from "node:crypto";
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { renameOrRemove, syncFolder } from "./directories.ts";
import { type OsUser, run } from "./os-user.ts";

export type Report = (line: string) => void;

export interface Cluster {
  /** The data directory, absolute. */
  folder: string;
  /** PostgreSQL's own folder in it: `postgres-18`. One a major version, whose files no other can read. */
  name: string;
  socket: string;
  account: OsUser;
  binaries: Binaries;
}

/** Milliseconds to start, recover or wait for another process that is starting or stopping; recovery is most of it. */
export const startLimit = 120_000;

/**
 * Makes the cluster in a folder beside its place and renames it when it is whole: a start that is cut short leaves
 * nothing that looks like a cluster, and of two first starts one wins.
 */
export async function initialise(
  folder: string,
  name: string,
  account: OsUser,
  binaries: Binaries,
): Promise<void> {
  await removeAbandoned(folder, name);
  const made = join(folder, `${name}.new-${randomUUID()}`);
  await mkdir(made, { mode: 0o700 });
  if (account.ids.uid !== undefined) await chown(made, account.uid, account.ids.gid ?? account.uid);
  try {
    await run(account, join(binaries.folder, "bin/initdb"), [
      `--pgdata=${made}`,
      "--username=postgres",
      "--encoding=UTF8",
      // Sorts by code point and folds case by Unicode, the same on every machine: an upgrade of libc or ICU cannot
      // silently break an index.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      // Who can reach the socket is in: its folder is PostgreSQL's user's alone. There is no other way in, and would
      // somebody turn TCP on, it stays shut until they say who may enter.
      "--auth-local=trust",
      "--auth-host=reject",
    ]);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw new Error(
      `initdb failed in ${folder}: ${lastLine((error as { stderr?: string }).stderr) || error}`,
    );
  }
  // Relative to postgresql.conf; outside the cluster, so that root never writes where another user could plant a link.
  await appendFile(join(made, "postgresql.conf"), "\ninclude_if_exists = '../postgres.conf'\n");
  await renameOrRemove(made, join(folder, name));
  await syncFolder(folder);
}

/** An hour is far beyond any initdb: whoever made them was killed. */
async function removeAbandoned(folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(`${name}.new-`)) continue;
    const path = join(folder, entry);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > 3_600_000) await rm(path, { recursive: true, force: true });
  }
}

/** Written at every start; `alter system` goes over it. What is not here is PostgreSQL's default, durability above all. */
const settings = ({
  socket,
}: Cluster) => `# Written by formd at each start. Change settings with ALTER SYSTEM.
listen_addresses = ''               # the Unix socket is the only way in
unix_socket_directories = '"${socket.replaceAll("'", "''")}"'
unix_socket_permissions = 0700      # a second lock behind the folder's
port = 5432                         # names the socket file, whatever PGPORT says
cluster_name = 'formd'              # tells our processes from another PostgreSQL's in ps
max_connections = 100               # several formd processes with a pool each; an idle slot costs some kilobytes
shared_buffers = 128MB              # holds the hot tables; small enough for a 1 GB machine, the system caches the rest
timezone = 'UTC'                    # a dump or a log reads the same on every machine
log_timezone = 'UTC'
jit = off                           # our statements are short: compiling them costs more than it saves
log_min_messages = log              # not ERROR: formd raises one for each 404 and logs what matters; callers must not
log_checkpoints = off               # be able to fill the disk
`;

/** Starts PostgreSQL as a daemon in a session of its own: the terminal's Ctrl-C goes to formd, not to it. */
export async function start(cluster: Cluster): Promise<void> {
  const place = join(cluster.folder, "postgres.conf");
  const made = `${place}.${randomUUID()}`;
  await writeFile(made, settings(cluster), { flag: "wx" });
  await chmod(made, 0o644);
  await rename(made, place);
  await runPgCtl(cluster, ["start", `--log=${cluster.name}/postgres.log`]);
}

/**
 * Stops PostgreSQL. pg_ctl's own waiting takes the PostgreSQL that another process starts right afterwards for the old
 * one, and waits for that to end.
 */
export async function stop(cluster: Cluster): Promise<void> {
  const pid = await readPostmasterPid(cluster);
  await runPgCtl(cluster, ["stop", "--mode=fast", "--no-wait"]);
  const giveUp = Date.now() + startLimit;
  while (pid && (await readPostmasterPid(cluster)) === pid) {
    if (Date.now() > giveUp)
      throw new Error(`PostgreSQL (process ${pid}) in ${cluster.folder} does not stop`);
    await delay(20);
  }
}

/** The process id that PostgreSQL has written down; it removes the file as the last thing of a clean stop. */
export const readPostmasterPid = ({ folder, name }: Cluster) =>
  readFile(join(folder, name, "postmaster.pid"), "utf8").then(
    (text) => text.split("\n", 1)[0],
    () => undefined,
  );

/** Whether the process exists, be it as a zombie that nobody has reaped: PostgreSQL starts no other beside it. */
export function isAlive(pid = "0"): boolean {
  try {
    return pid !== "0" && process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Paths are relative to the data directory: pg_ctl hands them to a shell, which must not meet a `$` in a folder's name. */
const runPgCtl = ({ folder, name, account, binaries }: Cluster, args: string[]) =>
  run(
    account,
    join(binaries.folder, "bin/pg_ctl"),
    [...args, `--pgdata=${name}`, `--timeout=${startLimit / 1000}`],
    folder,
  );

/** The last line that PostgreSQL has logged: why it did not start. */
export const lastLogLine = async ({ folder, name }: Cluster): Promise<string> =>
  lastLine(await readFile(join(folder, name, "postgres.log"), "utf8").catch(() => ""));

const lastLine = (text = "") => text.trimEnd().split("\n").at(-1) ?? "";
