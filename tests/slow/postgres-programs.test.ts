/** The embedded database, run by the machine's PostgreSQL: Debian's 15, beside formd's own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { connectOnce } from "../../src/platform/database/db.ts";
import { embedded, embeddedRelease } from "../../src/platform/database/embedded/index.ts";
import { missingFixes } from "../../src/platform/database/releases.ts";
import { until } from "../expect.ts";
import { type ShellBlock, shellBlock } from "../pages.ts";
import { ask, formd, freshIp, masterKey, onCleanup, root, server, temporaryFolder } from "../setup.ts";
import { runShell } from "../shell.ts";

const debian = "/usr/lib/postgresql/15/bin";
const programs = ["postgres", "initdb", "pg_ctl"];
const quiet = () => {};
const asRoot = test.if(process.getuid?.() === 0);
const release = /\(PostgreSQL\) (\S+)/.exec(
  await new Response(Bun.spawn([join(debian, "postgres"), "--version"]).stdout).text(),
)?.[1] as string;

const ownRelease = await embeddedRelease();

/** A directory that PostgreSQL's user can enter. */
function newFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  return folder;
}

/** Programs that do as PostgreSQL's do, and state another release. */
function programsStating(releases: Record<string, string>): string {
  const folder = join(newFolder(), "bin");
  mkdirSync(folder);
  for (const [name, stated] of Object.entries(releases)) {
    const other = `[ "$1" = --version ] && echo "${name} (PostgreSQL) ${stated}" && exit\n`;
    writeFileSync(join(folder, name), `#!/bin/sh\n${other}exec ${debian}/${name} "$@"\n`, { mode: 0o755 });
  }
  return folder;
}
const allStating = (stated: string) =>
  programsStating(Object.fromEntries(programs.map((name) => [name, stated])));

/** Debian's programs in another place, with their libraries. Their other files are found by Debian's path. */
function copyOfPrograms(): string {
  const parent = newFolder();
  const folder = join(parent, "bin");
  mkdirSync(folder);
  symlinkSync(join(debian, "../lib"), join(parent, "lib"));
  for (const name of programs) copyFileSync(join(debian, name), join(folder, name));
  return folder;
}

const query = async (url: string, text: string): Promise<unknown> => {
  await using sql = connectOnce(url);
  return (await sql.unsafe(text))[0];
};

const postmaster = (folder: string, name = "postgres-15") =>
  Number(readFileSync(join(folder, name, "postmaster.pid"), "utf8").split("\n", 1)[0]);

/** Every file of a directory: its mode, time and contents. */
function contentsOf(directory: string): string[] {
  return (readdirSync(directory, { recursive: true }) as string[]).sort().map((name) => {
    const path = join(directory, name);
    const { mode, mtimeMs, size } = lstatSync(path);
    const hash = lstatSync(path).isFile() && createHash("sha256").update(readFileSync(path)).digest("hex");
    return [name, mode, mtimeMs, size, hash].join(" ");
  });
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "not refused",
    (error: Error) => error.message,
  );

test("the first start says what is run and from where; locale, checksums and socket are those of PostgreSQL 18", async () => {
  const folder = newFolder();
  const lines: string[] = [];
  const place = await embedded(folder, (line) => lines.push(line), { programs: debian });
  onCleanup(() => place.release());
  const title = `PostgreSQL ${release} of ${debian}`;
  expect(lines).toEqual([`creating a cluster of ${title} in ${folder}`, `starting ${title} in ${folder}`]);
  expect(
    await query(
      place.ownerUrl.replace("//formd_owner@", "//postgres@"),
      `select upper('äß') as folded, array(select * from unnest(array['a', 'B', 'ä']) e order by e) as sorted,
         current_setting('data_checksums') as checksums, current_setting('unix_socket_directories') as socket,
         current_setting('listen_addresses') as addresses`,
    ),
  ).toEqual({
    folded: "Äß",
    sorted: ["B", "a", "ä"],
    checksums: "on",
    socket: `"${join(folder, "socket")}"`,
    addresses: "",
  });
  expect(readlinkSync(`/proc/${postmaster(folder)}/exe`)).toBe(join(debian, "postgres"));
  await place.release();
  expect(existsSync(join(folder, "postgres-15/postmaster.pid"))).toBe(false);
});

describe("POSTGRES_PROGRAMS is refused with what is wrong and what is allowed", () => {
  test.each([
    ["a directory that is not there", () => "/nowhere/bin", "there is no such directory"],
    [
      "a directory without one of them",
      () => programsStating({ postgres: "16.1" }),
      "there is no initdb in it",
    ],
    ["an older version", () => allStating("14.24"), "it has PostgreSQL 14.24"],
    ["a newer version", () => allStating("19.0"), "it has PostgreSQL 19.0"],
    [
      "programs of two versions",
      () => programsStating({ postgres: "16.1", initdb: "16.1", pg_ctl: "16.2" }),
      "its postgres is 16.1, its pg_ctl 16.2",
    ],
    [
      "programs that cannot run",
      () => {
        const folder = allStating("16.1");
        chmodSync(join(folder, "initdb"), 0o644);
        return folder;
      },
      expect.stringMatching(/^the OS user .* cannot run initdb \(.*EACCES.*\)$/),
    ],
  ])("%s", async (_, make, reason) => {
    const place = make();
    const message = await refusal(embedded(join(newFolder(), "data"), quiet, { programs: place }));
    const [, named, found, allowed] =
      /^POSTGRES_PROGRAMS cannot be "(.*?)": (.*)\. It must be (auto, or a directory .*)\.$/.exec(message) ??
      [];
    expect([named, found]).toEqual([place, reason]);
    expect(allowed).toContain("postgres, initdb, pg_ctl of PostgreSQL 15 to 18");
  });

  asRoot("as root, a directory that PostgreSQL's user cannot enter", async () => {
    const place = copyOfPrograms();
    chmodSync(place, 0o700);
    expect(await refusal(embedded(newFolder(), quiet, { programs: place }))).toContain(
      "the OS user postgres cannot run postgres (EACCES)",
    );
  });

  test("by a command with one line and exit code 1", async () => {
    const settings = { FORMD_DATA_DIR: join(newFolder(), "data"), POSTGRES_PROGRAMS: "/nowhere/bin" };
    const { code, stderr } = await formd(["migrate"], settings);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^formd: POSTGRES_PROGRAMS cannot be [^\n]*\n$/),
    ]);
  });
});

describe("auto", () => {
  /** The release that a start would run. */
  const chosen = async (dataDir: string, ...first: string[]) => {
    const { stdout } = await formd(["version", "--json"], {
      FORMD_DATA_DIR: dataDir,
      POSTGRES_PROGRAMS: "auto",
      PATH: [...first, process.env.PATH].join(":"),
    });
    return JSON.parse(stdout).postgres;
  };
  const [newer, broken, tooNew] = [
    allStating("18.99"),
    programsStating({ postgres: "18.100" }),
    allStating("19.1"),
  ];

  test("takes the newest of the PATH's and the distribution's programs that can run", async () => {
    const folder = newFolder();
    expect(await chosen(folder, tooNew, broken, newer)).toBe("18.99");
    expect(await chosen(folder, allStating("15.0"), allStating("15.9"))).toBe(release);
  });

  test("takes those that read the data, though newer ones are there", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "postgres-15"));
    expect(await chosen(folder, newer)).toBe(release);
    rmSync(join(folder, "postgres-15"), { recursive: true });
    mkdirSync(join(folder, "postgres-16"));
    expect(await chosen(folder, newer)).toBe("18.99");
  });
});

describe("processes with programs of the same version", () => {
  /** Another process of formd, which leaves when told. */
  async function another(folder: string, place: string) {
    const script = `
      import { embedded } from ${JSON.stringify(join(root, "src/platform/database/embedded/index.ts"))};
      const report = (line) => console.log(line);
      const place = await embedded(${JSON.stringify(folder)}, report, { programs: ${JSON.stringify(place)} });
      console.log("url " + place.url);
      process.stdin.once("data", async () => { await place.release(); process.exit(0); });`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
    onCleanup(async () => void child.kill("SIGKILL"));
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    let said = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    await until(() => /^url .*$/m.test(said));
    const leave = () => {
      child.stdin.write("leave\n");
      return gone;
    };
    return { said: () => said, leave };
  }

  test("share what runs: the last one stops it with its own, and a death ends in the programs of who is left", async () => {
    const folder = newFolder();
    const copy = copyOfPrograms();
    const first = await another(folder, debian);
    const place = await embedded(folder, quiet, { programs: copy });
    const running = postmaster(folder);
    expect(readlinkSync(`/proc/${running}/exe`)).toBe(join(debian, "postgres"));
    await first.leave();
    process.kill(running, "SIGKILL");
    await until(() =>
      query(place.url, "select").then(
        () => true,
        () => false,
      ),
    );
    expect(readlinkSync(`/proc/${postmaster(folder)}/exe`)).toBe(join(copy, "postgres"));
    await place.release();
    expect(existsSync(join(folder, "postgres-15/postmaster.pid"))).toBe(false);
  });

  test("say when a PostgreSQL of another release runs than they would start", async () => {
    const folder = newFolder();
    const place = await embedded(folder, quiet, { programs: debian });
    const updated = allStating("15.99");
    const second = await another(folder, updated);
    expect(second.said()).toStartWith(
      `PostgreSQL ${release} runs in ${folder}: PostgreSQL 15.99 of ${updated} does once all processes of formd that use it have ended\n`,
    );
    await place.release();
    await second.leave();
    expect(existsSync(join(folder, "postgres-15/postmaster.pid"))).toBe(false);
  });
});

test("an update that replaces the programs under a running database disturbs neither it nor the next start", async () => {
  const folder = newFolder();
  const place = copyOfPrograms();
  const before = await embedded(folder, quiet, { programs: place });
  await query(before.ownerUrl, "create table kept as select 42 as value");
  for (const name of programs) {
    copyFileSync(join(debian, name), join(place, `${name}.new`));
    renameSync(join(place, `${name}.new`), join(place, name));
  }
  expect(readlinkSync(`/proc/${postmaster(folder)}/exe`)).toEndWith("(deleted)");
  expect(await query(before.ownerUrl, "select value from kept")).toEqual({ value: 42 });
  await before.release();
  const after = await embedded(folder, quiet, { programs: place });
  expect(readlinkSync(`/proc/${postmaster(folder)}/exe`)).toBe(join(place, "postgres"));
  expect(await query(after.ownerUrl, "select value from kept")).toEqual({ value: 42 });
  await after.release();
});

describe("a server with the machine's PostgreSQL, and one with formd's own", () => {
  const folder = newFolder();
  const system = { FORMD_DATA_DIR: join(folder, "system"), POSTGRES_PROGRAMS: debian };
  const own = { FORMD_DATA_DIR: join(folder, "own") };
  const file = (name: string) => join(folder, `${name}.sql.gz`);

  /** A form, an agent and a submission, by the API; and what the server tells about itself. */
  async function tour(settings: Record<string, string>) {
    const app = await server(settings);
    const demo = JSON.parse((await formd(["demo", "--json"], settings)).stdout);
    const minted = await ask(app, "POST", "/papi/v1/auth/token", {
      body: { clientSecret: demo.agent.secret },
    });
    const sent = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": demo.accessKey, "x-respondent-token": minted.body.data.token },
      body: { data: { name: "Ädä", email: "ada@example.org", topic: "sales" } },
    });
    const list = await ask(app, "GET", `/papi/v1/management/forms/${demo.form.id}/submissions`, {
      headers: { "x-api-key": demo.apiKey },
    });
    const { stdout } = await formd(["doctor", "--json"], settings);
    const checks: { name: string; ok: boolean; isAdvice: boolean; message: string }[] =
      JSON.parse(stdout).checks;
    const home = async (ip: string) => {
      const headers = { accept: "text/html", "x-forwarded-for": ip };
      return await (await fetch(`${app.url}/developer`, { headers })).text();
    };
    const pages = [await home("127.0.0.1"), await home(freshIp())];
    const backup = await formd(["backup", file(settings.FORMD_DATA_DIR?.split("/").at(-1) ?? "")], settings);
    await app.stop();
    return { sent, list, checks, pages, log: app.log(), backup };
  }
  let tours: Record<"system" | "own", Awaited<ReturnType<typeof tour>>>;
  beforeAll(async () => {
    tours = { system: await tour(system), own: await tour(own) };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(["system", "own"] as const)("%s: what was submitted is there, and all is in order", (name) => {
    const { sent, list, checks, backup } = tours[name];
    expect([sent.status, list.body.data.submissions[0]?.data.name, backup.code]).toEqual([200, "Ädä", 0]);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  test.each([
    ["system", release],
    ["own", ownRelease],
  ] as const)(
    "%s: start, doctor and the page of developers say if fixes are missing, to nobody from afar",
    (name, version) => {
      const { log, checks, pages } = tours[name];
      const [warning, check] = [missingFixes(version), checks.find((each) => each.name === "postgresql")];
      expect(check).toMatchObject({ ok: true, isAdvice: warning !== undefined });
      expect(check?.message).toContain(version);
      const sentence = warning ?? "lacks the security fixes";
      expect([log, check?.message, ...pages].map((text) => text?.includes(sentence))).toEqual([
        ...Array(3).fill(warning !== undefined),
        false,
      ]);
    },
  );

  /** The rows of a backup, without the time and the hash. */
  const rowsOf = (name: string) =>
    gunzipSync(readFileSync(file(name)))
      .toString()
      .split("\n")
      .slice(2, -2);

  /** The lines to run of docs/operate/upgrade.md, as a script. */
  const upgradeSteps = ({ text }: ShellBlock): string =>
    text.replaceAll("/usr/lib/postgresql/17/bin", debian).replaceAll("FILE", file("moved"));

  test("a backup of a newer version is restored into an older one by the steps of the upgrade's page, row by row", async () => {
    const restored = join(folder, "restored");
    const steps = upgradeSteps(shellBlock("docs/operate/upgrade.md", "formd backup")).replace(
      "/var/lib/formd-17",
      restored,
    );
    const { code, stderr } = await runShell("sh", `${steps}\nformd backup ${file("again")}`, own);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`PostgreSQL ${release} of ${debian} in ${restored}`),
    ]);
    expect(rowsOf("again")).toEqual(rowsOf("moved"));
  });

  test("a backup of an older version is restored into a newer one, row by row", async () => {
    const settings = { FORMD_DATA_DIR: join(folder, "newer") };
    expect((await formd(["restore", file("system")], settings)).code).toBe(0);
    expect((await formd(["backup", file("newer")], settings)).code).toBe(0);
    expect(rowsOf("newer")).toEqual(rowsOf("system"));
  });

  test("pg_upgrade moves the cluster by the steps of that page", async () => {
    const data = join(folder, "upgraded");
    const settings = { FORMD_DATA_DIR: data, POSTGRES_PROGRAMS: debian };
    expect((await formd(["restore", file("system")], settings)).code).toBe(0);
    const { uid, gid } = statSync(join(data, "postgres-15"));
    // Only one version is here, so the cluster has another name before.
    renameSync(join(data, "postgres-15"), join(data, "before"));
    chownSync(data, uid, gid);
    const steps = upgradeSteps(shellBlock("docs/operate/upgrade.md", "DATA=/var/lib/formd"))
      .replace("/var/lib/formd ", `${data} `)
      .replaceAll("postgres-15", "before")
      .replaceAll("previous-15", "away")
      .replaceAll("postgres-17", "postgres-15");
    const options = { uid, gid, cwd: "/", encoding: "utf8" as const };
    const { status, stdout, stderr } = spawnSync("dash", ["-euc", steps], options);
    expect([status, stdout, stderr]).toEqual([0, expect.stringContaining("Upgrade Complete"), ""]);
    expect(existsSync(join(data, "away/PG_VERSION"))).toBe(true);
    expect((await formd(["doctor"], { ...settings, FORMD_SECRET_KEY: masterKey })).code).toBe(0);
    expect((await formd(["backup", file("upgraded")], settings)).code).toBe(0);
    expect(rowsOf("upgraded")).toEqual(rowsOf("system"));
  });

  describe.each([
    ["own", system.FORMD_DATA_DIR, {}, "15", ownRelease, "POSTGRES_PROGRAMS"],
    [
      "system",
      own.FORMD_DATA_DIR,
      { POSTGRES_PROGRAMS: debian },
      String(Number.parseInt(ownRelease, 10)),
      release,
      "POSTGRES_PROGRAMS; empty: formd's own",
    ],
  ] as const)(
    "programs of %s on data of another version",
    (...[name, directory, programs, major, version, ways]) => {
      const settings = { FORMD_DATA_DIR: directory, ...programs };
      test.each([
        [["serve"]],
        [["serve", "--workers", "2"]],
        [["migrate"]],
        [["migrate", "--plan"]],
        [["bootstrap", "--email", "a@example.org"]],
        [["demo"]],
        [["doctor"]],
        [["backup", join(folder, `never-${name}`)]],
        [["restore", file("own")]],
        [["secret", "rotate"]],
      ])("%p is refused with the way out, and the directory is not touched", async (args) => {
        const before = contentsOf(directory);
        const { code, stdout, stderr } = await formd(args, settings);
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toStartWith(
          `formd: the database in ${directory} is of PostgreSQL ${major}, and the programs are of ${version}: take programs of ${major} (${ways}), or move the data: `,
        );
        expect(stderr).toMatch(/formd backup with those, formd restore with these [^\n]*\n$/);
        expect(contentsOf(directory)).toEqual(before);
        expect(existsSync(join(folder, `never-${name}`))).toBe(false);
      });
    },
  );

  test("of two first starts at once with programs of different versions one makes the database", async () => {
    const directory = join(newFolder(), "data");
    const both = await Promise.allSettled([
      embedded(directory, quiet, { programs: debian }),
      embedded(directory, quiet),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    for (const each of both)
      if (each.status === "fulfilled") await each.value.release();
      else expect(each.reason.message).toStartWith(`the database in ${directory} is of PostgreSQL `);
    expect(readdirSync(directory).filter((name) => name.startsWith("postgres-"))).toHaveLength(1);
  });

  test("two clusters are refused, since one of them is not the data", async () => {
    const directory = join(newFolder(), "data");
    for (const major of [15, 18]) mkdirSync(join(directory, `postgres-${major}`), { recursive: true });
    const message = await refusal(embedded(directory, quiet, { programs: debian }));
    expect(message).toBe(
      `there are two databases in ${directory}: move the one that is not used, postgres-15 or postgres-18, elsewhere`,
    );
  });
});
