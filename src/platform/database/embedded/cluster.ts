/** The cluster: PostgreSQL's files, created once, and the daemon that serves them. */
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
import { majorOf } from "../releases.ts";
import { type Binaries, shippedRelease } from "./binaries.ts";
import { clustersIn, majorOfCluster, renameOrRemove, syncDirectory } from "./directories.ts";
import { type OsUser, runAsUser } from "./os-user.ts";

export interface Cluster {
  /** The data directory, absolute. */
  directory: string;
  /** PostgreSQL's directory in the data directory: `postgres-18`. No other major version reads its files. */
  name: string;
  socket: string;
  user: OsUser;
  binaries: Binaries;
}

/** Timeout to start, to recover (most of the time), or to wait for another process that starts or stops. */
export const startTimeoutMs = 120_000;

/**
 * Checks that a data directory has no cluster of another major version, which these programs cannot read.
 * @throws Error with one line, and the way out
 */
export async function requireMajor(directory: string, name: string, release: string): Promise<void> {
  const clusters = await clustersIn(directory);
  const other = clusters.find((each) => each !== name);
  if (!other) return;
  if (clusters.includes(name))
    throw new Error(
      `there are two databases in ${directory}: move the one that is not used, ${name} or ${other}, elsewhere`,
    );
  const major = majorOfCluster(other);
  const shipped = await shippedRelease().then(majorOf, () => undefined);
  const setting = shipped === major ? "POSTGRES_PROGRAMS; empty: formd's own" : "POSTGRES_PROGRAMS";
  throw new Error(
    `the database in ${directory} is of PostgreSQL ${major}, and the programs are of ${release}: take programs of ${major} (${setting}), or move the data: formd backup with those, formd restore with these into an empty FORMD_DATA_DIR (docs/operate/upgrade.md)`,
  );
}

/** Creates the cluster under a temporary name, then renames it: an interrupted start leaves none. */
export async function initialise(directory: string, name: string, user: OsUser, binaries: Binaries) {
  await removeAbandoned(directory, name);
  const temporary = join(directory, `${name}.new-${randomUUID()}`);
  await using onError = new AsyncDisposableStack();
  onError.defer(() => rm(temporary, { recursive: true, force: true }));
  await mkdir(temporary, { mode: 0o700 });
  if (user.ids.uid !== undefined) await chown(temporary, user.uid, user.ids.gid ?? user.uid);
  try {
    await runAsUser(user, join(binaries.bin, "initdb"), [
      `--pgdata=${temporary}`,
      "--username=postgres",
      "--encoding=UTF8",
      ...localeOptions(majorOf(binaries.release)),
      // Detects damage of the disk. The default from PostgreSQL 18 on.
      "--data-checksums",
      // Clients of the socket are trusted: only PostgreSQL's user and root can enter its directory. TCP is
      // off. If an administrator turns it on, every connection is rejected until pg_hba.conf allows some.
      "--auth-local=trust",
      "--auth-host=reject",
    ]);
  } catch (error) {
    throw new Error(`initdb failed in ${directory}: ${failureOf(error)}`);
  }
  // Relative to postgresql.conf, outside the cluster: root never writes where others may plant a link.
  await appendFile(join(temporary, "postgresql.conf"), "\ninclude_if_exists = '../postgres.conf'\n");
  // Another process may have made one with other programs meanwhile.
  await requireMajor(directory, name, binaries.release);
  await renameOrRemove(temporary, join(directory, name));
  onError.move();
  await syncDirectory(directory);
}

/**
 * Collation is the same on every machine: no upgrade of libc or ICU breaks an index. So is case folding, with
 * PostgreSQL's own locale (from 17 on), else with libc's.
 */
const localeOptions = (major: number): string[] =>
  major >= 17
    ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    : ["--locale=C", `--lc-ctype=${process.platform === "darwin" ? "UTF-8" : "C.UTF-8"}`];

/** Removes the directories of killed processes. An hour is far longer than any initdb. */
async function removeAbandoned(directory: string, name: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith(`${name}.new-`)) continue;
    const path = join(directory, entry);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > 3_600_000) await rm(path, { recursive: true, force: true });
  }
}

/** Settings, written at each start. `alter system` overrides them. Durability has its defaults. */
const settings = ({
  socket,
}: Cluster) => `# Written by formd at each start. Change settings with ALTER SYSTEM.
listen_addresses = ''               # connections by the Unix socket only
unix_socket_directories = '"${socket.replaceAll("'", "''")}"'
unix_socket_permissions = 0700      # beside the directory's own mode
port = 5432                         # names the socket file, whatever PGPORT says
cluster_name = 'formd'              # tells these processes from another PostgreSQL's in ps
max_connections = 100               # several formd processes with a pool each; an idle slot costs some kilobytes
shared_buffers = 128MB              # holds the hot tables; small enough for a 1 GB machine, the system caches the rest
timezone = 'UTC'                    # a dump or a log reads the same on every machine
log_timezone = 'UTC'
jit = off                           # formd's statements are short: compiling them costs more than it saves
log_min_messages = log              # not ERROR: formd raises one per 404 and logs what matters; callers must not
log_checkpoints = off               # be able to fill the disk
`;

/** Starts PostgreSQL as a daemon in its own session: the terminal's Ctrl-C reaches formd only. */
export async function start(cluster: Cluster): Promise<void> {
  const path = join(cluster.directory, "postgres.conf");
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, settings(cluster), { flag: "wx" });
  await chmod(temporary, 0o644);
  await rename(temporary, path);
  await runPgCtl(cluster, ["start", `--log=${cluster.name}/postgres.log`]);
}

/** Stops PostgreSQL. pg_ctl's waiting would take a PostgreSQL that another process starts for this one. */
export async function stop(cluster: Cluster): Promise<void> {
  const pid = await readPostmasterPid(cluster);
  await runPgCtl(cluster, ["stop", "--mode=fast", "--no-wait"]);
  const giveUpAt = Date.now() + startTimeoutMs;
  while (pid && (await readPostmasterPid(cluster)) === pid) {
    if (Date.now() > giveUpAt)
      throw new Error(`PostgreSQL (process ${pid}) in ${cluster.directory} does not stop`);
    await delay(20);
  }
}

/** The process id in PostgreSQL's pid file, which a clean stop removes last. */
export const readPostmasterPid = ({ directory, name }: Cluster) =>
  readFile(join(directory, name, "postmaster.pid"), "utf8").then(
    (text) => text.split("\n", 1)[0],
    () => undefined,
  );

/** Checks whether the process exists, even as a zombie: PostgreSQL does not start beside it. */
export function isAlive(pid = "0"): boolean {
  try {
    return pid !== "0" && process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Runs pg_ctl with relative paths: it passes them to a shell, which would expand a `$`. */
const runPgCtl = ({ directory, name, user, binaries }: Cluster, args: string[]) =>
  runAsUser(
    user,
    join(binaries.bin, "pg_ctl"),
    [...args, `--pgdata=${name}`, `--timeout=${startTimeoutMs / 1000}`],
    directory,
  );

/** The reason in the log for a failed start. The log may end with "database system is shut down". */
export async function startFault({ directory, name }: Cluster): Promise<string> {
  const text = await readFile(join(directory, name, "postgres.log"), "utf8").catch(() => "");
  const lines = text.trimEnd().split("\n");
  return lines.findLast((line) => !/ (?:LOG|DETAIL|HINT|STATEMENT): /.test(line)) ?? lastLine(text);
}

/** The line of initdb's output with the reason. The last line reports the clean-up. */
const failureOf = (error: unknown): string => {
  const { stderr, code } = error as { stderr?: string; code?: number | string };
  return causeIn(stderr) || `exit code ${code}`;
};

const causeIn = (text = ""): string =>
  /^(?:.*\b(?:FATAL|PANIC|error):.*)$/m.exec(text)?.[0] ?? lastLine(text);

const lastLine = (text = "") => text.trimEnd().split("\n").at(-1) ?? "";
