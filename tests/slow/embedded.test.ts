import { afterEach, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { type Embedded, embedded } from "../../src/platform/database/embedded/index.ts";
import { isUnavailable } from "../../src/problem.ts";
import { until } from "../expect.ts";

const asRoot = test.if(process.getuid?.() === 0);
const quiet = (_line: string) => {};
const made: string[] = [];
const children: ChildProcess[] = [];

/** In /tmp, and open to PostgreSQL's user, who is not the one that runs the tests when root does. */
async function newDataDir(name = ""): Promise<string> {
  const parent = await mkdtemp("/tmp/formd-test-");
  await chmod(parent, 0o711);
  made.push(parent);
  return join(parent, name);
}

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const folder of made.splice(0)) {
    for (const name of readdirSync(folder, { recursive: true }) as string[])
      if (name.endsWith("postmaster.pid"))
        end(Number(readFileSync(join(folder, name), "utf8").split("\n")[0]));
    await rm(folder, { recursive: true, force: true });
  }
});

function end(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

const pidFile = (folder: string) => join(folder, "postgres-18/postmaster.pid");
const postmaster = (folder: string) => Number(readFileSync(pidFile(folder), "utf8").split("\n")[0]);
const runs = (folder: string) => existsSync(pidFile(folder));

/** Runs pg_ctl as an administrator would, with the cluster's owner's rights. */
async function administer(folder: string, ...args: string[]): Promise<void> {
  const cluster = join(folder, "postgres-18");
  // Whose binaries run it: formd copies them when PostgreSQL's user cannot enter node_modules.
  const binaries =
    /^(.*)\/postgres "/.exec(readFileSync(join(cluster, "postmaster.opts"), "utf8"))?.[1] ?? "";
  const pg_ctl = join(binaries, "pg_ctl");
  const { uid, gid } = statSync(cluster);
  const { status } = spawnSync(pg_ctl, [...args, "-D", cluster], { uid, gid, cwd: "/", stdio: "ignore" });
  expect(status).toBe(0);
}

async function query(url: string, text: string): Promise<unknown[]> {
  const sql = connect(url, { poolSize: 1, prepare: true });
  return await sql.unsafe(text).finally(() => sql.end());
}

/** False while PostgreSQL is away; any other trouble is thrown. */
const answers = (sql: Sql) =>
  sql`select 1`.then(
    () => true,
    (error: unknown) => {
      if (!isUnavailable(error)) throw error;
      return false;
    },
  );

const superuser = (url: string) => url.replace("//formd@", "//postgres@").replace("/formd?", "/postgres?");

/** Counts the processes that hold a lease. */
async function leases(url: string): Promise<unknown> {
  const [row] = await query(
    superuser(url),
    "select count(*)::int from pg_locks where locktype = 'advisory' and granted",
  );
  return (row as { count: number }).count;
}

/** Waits until pool and lease have returned by themselves, and ends all of it. */
async function comesBack(folder: string, place: Embedded, sql: Sql): Promise<void> {
  await until(() => answers(sql));
  await until(async () => (await leases(place.url)) === 1);
  await sql.end();
  await place.release();
  expect(runs(folder)).toBe(false);
}

/** An embedded database in a directory of its own. */
async function newPlace(report = quiet) {
  const folder = await newDataDir();
  return { folder, place: await embedded(folder, report) };
}

/**
 * Another formd, as far as the database is concerned: a process of its own that joins, and leaves when told.
 */
async function another(folder: string, { detached = false } = {}) {
  const script = `
    import { embedded } from ${JSON.stringify(new URL("../../src/platform/database/embedded/index.ts", import.meta.url).href)};
    const place = await embedded(${JSON.stringify(folder)}, (line) => console.log(line));
    console.log("url " + place.url);
    process.stdin.once("data", async () => { await place.release(); process.exit(0); });`;
  const child = spawn(process.execPath, ["-e", script], { detached, stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  await Promise.race([until(() => /^url .*$/m.test(said)), gone]);
  const url = /^url (.*)$/m.exec(said)?.[1] ?? "";
  const leave = () => {
    child.stdin.write("leave\n");
    return gone;
  };
  return { child, said, url, gone, leave };
}

test("data survives a stop and a start", async () => {
  const { folder, place: first } = await newPlace();
  await query(first.ownerUrl, "create table kept as select 42 as value");
  await first.release();
  expect(runs(folder)).toBe(false);

  const second = await embedded(folder, quiet);
  expect(await query(second.ownerUrl, "select value from kept")).toEqual([{ value: 42 }]);
  await second.release();
});

test("the last process to release its lease stops PostgreSQL, and no other", async () => {
  const { folder, place: first } = await newPlace();
  const second = await another(folder);
  expect(second.said).toBe(`url ${second.url}\n`);
  await first.release();
  expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await second.leave();
  expect(runs(folder)).toBe(false);
});

test("a start that meets the stop of the last one out works", async () => {
  const folder = await newDataDir();
  let current = await embedded(folder, quiet);
  for (let round = 0; round < 4; round++) {
    const leaving = current.release();
    await delay(round * 15);
    current = await embedded(folder, quiet);
    await leaving;
    expect(await query(current.url, "select 1 as one")).toEqual([{ one: 1 }]);
  }
  await current.release();
});

test("two first starts at once share one cluster and leave nothing behind", async () => {
  const folder = await newDataDir("data");
  const both = await Promise.all([another(folder), another(folder)]);
  for (const { url } of both)
    expect(await query(url, "select current_user as me")).toEqual([{ me: "formd" }]);
  expect(await leases(both[0].url)).toBe(2);
  expect(readdirSync(folder).sort()).toEqual(["postgres-18", "postgres.conf", "socket"]);
  await Promise.all(both.map(({ leave }) => leave()));
  expect(runs(folder)).toBe(false);
});

test("a start after kill -9 of formd adopts the PostgreSQL that still runs", async () => {
  const folder = await newDataDir();
  const killed = await another(folder);
  const pid = postmaster(folder);
  killed.child.kill("SIGKILL");
  await killed.gone;

  const next = await embedded(folder, quiet);
  expect(postmaster(folder)).toBe(pid);
  await next.release();
  expect(runs(folder)).toBe(false);
});

test("a start after kill -9 of everything recovers what was committed", async () => {
  const folder = await newDataDir();
  const killed = await another(folder);
  await query(killed.url.replace("//formd@", "//formd_owner@"), "create table kept as select 42 as value");
  killed.child.kill("SIGKILL");
  await killed.gone;
  end(postmaster(folder));

  const next = await embedded(folder, quiet);
  expect(await query(next.ownerUrl, "select value from kept")).toEqual([{ value: 42 }]);
  await next.release();
});

test("a PostgreSQL that dies under a running formd is started again", async () => {
  const { folder, place } = await newPlace();
  const pid = postmaster(folder);
  end(pid);
  const sql = connect(place.url, { poolSize: 2, prepare: true });
  await until(() => answers(sql));
  expect(postmaster(folder)).not.toBe(pid);
  await comesBack(folder, place, sql);
});

test("a PostgreSQL that dies and cannot start again is reported once, with the reason, and started when it can", async () => {
  const folder = await newDataDir();
  const lines: string[] = [];
  const place = await embedded(folder, (line) => lines.push(line));
  await query(superuser(place.url), "alter system set max_connections = 2");
  end(postmaster(folder));
  const failures = () => lines.filter((line) => line.startsWith("cannot restart"));
  await until(() => failures().length > 0);
  await delay(1500);
  expect(failures()).toEqual([
    expect.stringMatching(
      /^cannot restart PostgreSQL 18\S+ in \S+, which has died: .*superuser_reserved_connections[^\n]*$/,
    ),
  ]);
  await writeFile(join(folder, "postgres-18/postgresql.auto.conf"), "");
  const sql = connect(place.url, { poolSize: 1, prepare: true });
  await until(() => lines.at(-1)?.startsWith("restarted PostgreSQL 18"));
  await comesBack(folder, place, sql);
});

test("while an administrator has PostgreSQL stopped a pool fails at once and a line says what to do; once started, pool and lease recover", async () => {
  const lines: string[] = [];
  const { folder, place } = await newPlace((line) => lines.push(line));
  const sql = connect(place.url, { poolSize: 3, prepare: true });
  await Promise.all([sql`select 1`, sql`select 1`, sql`select 1`]);
  await administer(folder, "stop", "--mode=fast");
  const before = performance.now();
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => sql`select 1`));
  // With a pause between attempts, as postgres.js has it by default, they take minutes; one attempt may take
  // 5 s.
  expect(performance.now() - before).toBeLessThan(5_000);
  for (const each of outcomes) expect(each.status === "rejected" && isUnavailable(each.reason)).toBe(true);
  // The administrator who stopped it may be copying its files.
  await until(() => lines.at(-1)?.startsWith("another program has stopped PostgreSQL 18"));
  expect(runs(folder)).toBe(false);

  await administer(folder, "start", "--log=/dev/null");
  const started = performance.now();
  await until(() => answers(sql));
  expect(performance.now() - started).toBeLessThan(5_000);
  await comesBack(folder, place, sql);
});

test("Ctrl-C in formd's terminal does not reach PostgreSQL", async () => {
  const folder = await newDataDir();
  const { child, gone } = await another(folder, { detached: true });
  const pid = postmaster(folder);
  process.kill(-(child.pid as number), "SIGINT");
  await gone;
  await delay(200);
  expect(postmaster(folder)).toBe(pid);
  expect(() => process.kill(pid, 0)).not.toThrow();
});

test.each([
  ["a first start that was cut short before the roles or the database", ["database formd", "role formd"]],
  ["a role without its settings", []],
])("%s is made good at the next start", async (_, dropped) => {
  const { folder, place: first } = await newPlace();
  for (const each of dropped) await query(superuser(first.url), `drop ${each}`);
  if (dropped.length === 0) await query(superuser(first.url), "alter role formd reset all");
  await first.release();
  const second = await embedded(folder, quiet);
  const settings = ["statement_timeout", "lock_timeout", "enable_seqscan", "jit"];
  const list = settings.map((name) => `current_setting('${name}') as ${name}`);
  expect(await query(second.url, `select ${list.join(", ")}`)).toEqual([
    { statementTimeout: "10s", lockTimeout: "5s", enableSeqscan: "off", jit: "off" },
  ]);
  await second.release();
});

test("a data directory of any name and length works", async () => {
  const folder = await newDataDir(`it's $(touch odd), "very" ${"long ".repeat(20)}`);
  const place = await embedded(folder, quiet);
  expect(await query(place.url, "select 1 as one")).toEqual([{ one: 1 }]);
  const socket = new URL(place.url).searchParams.get("host") as string;
  expect(socket).toStartWith("/tmp/formd-");
  expect(statSync(socket).mode & 0o777).toBe(0o700);
  await place.release();
  await rm(socket, { recursive: true });
});

test("a PostgreSQL that cannot start is reported within seconds, with the line of its log that has the reason", async () => {
  const { folder, place } = await newPlace();
  await query(superuser(place.url), "alter system set max_connections = 2");
  await place.release();
  const before = performance.now();
  const refused = await embedded(folder, quiet).catch((error: Error) => error.message);
  expect(refused).toMatch(/^PostgreSQL 18\S+ does not start in \S+: .*superuser_reserved_connections[^\n]*$/);
  // Waiting for the start gives up after a minute.
  expect(performance.now() - before).toBeLessThan(30_000);

  // After a PANIC the log goes on, and ends with "database system is shut down".
  const broken = await newDataDir();
  await (await embedded(broken, quiet)).release();
  const [cluster = ""] = readdirSync(broken).filter((name) => name.startsWith("postgres-"));
  const logs = join(broken, cluster, "pg_wal");
  for (const name of readdirSync(logs).filter((each) => /^[0-9A-F]{24}$/.test(each)))
    await writeFile(join(logs, name), "");
  const lost = await embedded(broken, quiet).catch((error: Error) => error.message);
  expect(lost).toMatch(/ does not start in \S+: .*PANIC: .*checkpoint[^\n]*$/);
});

asRoot("a first start on a full disk says that, in initdb's own words", async () => {
  const folder = await newDataDir("disk");
  await mkdir(folder);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=20m,mode=0711", "tmpfs", folder]);
  expect(mounted.status).toBe(0);
  try {
    const message = await embedded(join(folder, "data"), quiet).catch((error: Error) => error.message);
    expect(message).toMatch(/^initdb failed in [^\n]*No space left on device[^\n]*$/);
  } finally {
    spawnSync("umount", ["--lazy", folder]);
  }
});

asRoot("as root, PostgreSQL runs as another user, and only that one and root reach its socket", async () => {
  const { folder, place } = await newPlace();
  expect(statSync(`/proc/${postmaster(folder)}`).uid).not.toBe(0);
  const socket = new URL(place.url).searchParams.get("host") as string;
  expect(
    spawnSync("test", ["-w", `${socket}/.s.PGSQL.5432`], { uid: 12345, gid: 12345, cwd: "/" }).status,
  ).toBe(1);
  await place.release();
});

asRoot(
  "as root, a data directory that PostgreSQL's user cannot enter is refused when it was chosen",
  async () => {
    const folder = await newDataDir("private/data");
    await mkdir(join(folder, ".."), { mode: 0o700 });
    const refused = await embedded(folder, quiet).catch((error: Error) => error.message);
    expect(refused).toMatch(/^PostgreSQL runs as \S+, who cannot enter \S+private\/data: .*FORMD_DATA_DIR$/);
    expect(existsSync(folder)).toBe(false);
  },
);

asRoot("as root, the default data directory gives way to one that PostgreSQL's user can enter", async () => {
  const folder = await newDataDir("private/.formd");
  await mkdir(join(folder, ".."), { mode: 0o700 });
  const lines: string[] = [];
  const place = await embedded(folder, (line) => lines.push(line), { explicit: false });
  const moved = /the data is in (\/var\/lib\/formd\/\S+)$/m.exec(lines.join("\n"))?.[1] as string;
  expect(runs(moved)).toBe(true);
  await place.release();
  await rm(moved, { recursive: true });
});
