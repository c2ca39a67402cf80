/**
 * compose.yaml and the Dockerfile, which docs/operate/container.md is about, as far as they can be tried
 * without an engine: Debian in a directory, and namespaces in place of a container.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { program } from "../../src/cli/program.ts";
import { readConfig, settingNames } from "../../src/platform/config.ts";
import { markerName } from "../bucket.ts";
import { until } from "../expect.ts";
import { blockOf, roleStatements } from "../pages.ts";
import { ask, freePort, onCleanup, root, temporaryFolder, testRequiring } from "../setup.ts";
import { debianPostgres } from "./debian-postgres.ts";

const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
const dockerignore = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");

interface Compose {
  services: Record<
    string,
    {
      image: string;
      build?: string;
      command?: string[];
      environment: Record<string, string>;
      depends_on?: Record<string, { condition: string }>;
      configs?: { source: string; target: string }[];
      volumes?: string[];
      ports?: string[];
      healthcheck?: object;
    }
  >;
  configs: Record<string, { content: string }>;
  volumes: Record<string, null>;
}

const environment: Record<string, string> = {
  POSTGRES_PASSWORD: "a1",
  OWNER_PASSWORD: "b2",
  SERVER_PASSWORD: "c3",
  METRICS_TOKEN: "d4",
  FORMD_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
};

/** A variable in Compose's form, with `:?` where it must be set and `:-` before a default. */
const interpolated = (text: string) =>
  text.replace(/\$\{(\w+)(?::\?|:-([^}]*))?\}/g, (_, name: string, byDefault?: string) => {
    const value = environment[name] ?? byDefault;
    if (value === undefined) throw new Error(`${name} is not set`);
    return value;
  });

const compose = Bun.YAML.parse(interpolated(readFileSync(join(root, "compose.yaml"), "utf8"))) as Compose;
const { database, migrate, formd: served } = compose.services as Record<string, Compose["services"][string]>;

describe("the compose file", () => {
  test("names services, configs and volumes that it has", () => {
    for (const service of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(Object.keys(compose.services)).toContain(name);
        if (condition === "service_healthy") expect(compose.services[name]).toHaveProperty("healthcheck");
      }
      for (const { source } of service.configs ?? []) expect(Object.keys(compose.configs)).toContain(source);
      for (const volume of service.volumes ?? [])
        expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0] ?? "");
    }
    expect([migrate?.build, migrate?.image, served?.image]).toEqual([".", "formd", "formd"]);
  });

  test("its environment is made of settings, with values that they take; its commands exist", async () => {
    const unused = () => {
      throw new Error("nothing is served here");
    };
    const { commands } = await program({ name: "test", listen: unused, environment: {} });
    for (const service of [migrate, served]) {
      const { DATABASE_URL, unknownNames } = readConfig(service?.environment ?? {});
      expect(Object.keys(service?.environment ?? {}).filter((name) => !settingNames.includes(name))).toEqual(
        [],
      );
      expect([unknownNames, new URL(DATABASE_URL ?? "").hostname]).toEqual([[], "database"]);
      const [name, ...flags] = service?.command ?? [];
      const command = commands.find((each: Command) => each.name() === name);
      for (const flag of flags) expect(command?.options.map(({ long }) => long)).toContain(flag);
      expect(command).toBeDefined();
    }
  });

  test("the roles are those of the page for DBAs, and the URLs name them with their passwords", () => {
    const statements = roleStatements()
      .replace(/ *--.*$/gm, "")
      .replaceAll("my_forms", "formd")
      .replaceAll("my_", "formd_");
    const withoutPasswords = compose.configs.roles?.content.replace(/password '\w+'/g, "password '…'");
    expect(withoutPasswords?.trim()).toBe(statements.trim());
    for (const service of [migrate, served]) {
      const { username, password } = new URL(service?.environment.DATABASE_URL ?? "");
      expect(compose.configs.roles?.content).toContain(`role ${username} login password '${password}'`);
    }
    expect(database?.environment.POSTGRES_PASSWORD).toBe("a1");
    // The links of commands lead where the server is.
    expect(migrate?.environment.BASE_URL).toBe(served?.environment.BASE_URL);
    expect(served?.environment.BASE_URL).toStartWith("http");
  });
});

test("the page's lines for Compose name services, commands and the directory that the file has", async () => {
  const unused = () => {
    throw new Error("nothing is served here");
  };
  const { commands } = await program({ name: "test", listen: unused, environment: {} });
  const lines = blockOf("docs/operate/container.md", "sh", "docker compose exec").trim().split("\n");
  const formdCommands = lines.flatMap(
    (line) => / exec formd formd (\w+)| run --rm migrate (\w+)/.exec(line)?.slice(1).filter(Boolean) ?? [],
  );
  expect(formdCommands).toEqual(["doctor", "bootstrap"]);
  for (const each of formdCommands) expect(commands.map((command) => command.name())).toContain(each);
  const [, service = "", directory] = /cp (\w+):(\S+)/.exec(lines.join("\n")) ?? [];
  expect(compose.services[service]?.volumes).toContain(`formd:${directory}`);
  expect(compose.configs.roles?.content).toContain("create database formd owner");
  // Files and the list of erasures are in the copy.
  const { FILES_URL, ERASURES_FILE } = served?.environment ?? {};
  for (const path of [FILES_URL, ERASURES_FILE]) expect(path?.replace("file://", "")).toStartWith("/data/");
});

type Instruction = [name: string, rest: string];

/** The instructions of each stage, the last one's first. */
const [lastStage = [], firstStage = []] = dockerfile
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n\s*/g, "")
  .split(/^(?=FROM )/m)
  .map((stage) =>
    [...stage.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name, rest]) => [name, rest] as Instruction),
  )
  .toReversed();
const inImage = (name: string) => lastStage.find(([each]) => each === name)?.[1] ?? "";
const words = (name: string): string[] => JSON.parse(inImage(name).replace(/^.* CMD /, ""));
const [user = "", group = ""] = inImage("USER").split(":");
const settingsOfImage = Object.fromEntries(
  inImage("ENV")
    .split(" ")
    .map((each) => each.split("=")),
);

/** Copies the files and runs the commands of the first stage. @returns its working directory */
function build(): string {
  const folder = temporaryFolder();
  for (const [name, rest] of firstStage) {
    const parts = rest.split(" ");
    if (name === "COPY")
      for (const source of parts.slice(0, -1)) {
        expect(dockerignore).toContain(`!${source}`);
        const to = join(folder, parts.at(-1) === "./" ? source : (parts.at(-1) ?? ""));
        cpSync(join(root, source), to, { recursive: true });
      }
    if (name !== "RUN") continue;
    expect(parts[0]).toBe("bun");
    const env = { ...process.env, REVISION: "0123456789abcdef" };
    const { status, stderr } = spawnSync(process.execPath, parts.slice(1), { cwd: folder, env });
    expect([rest, status, String(stderr)]).toEqual([rest, 0, expect.any(String)]);
  }
  return folder;
}

/** Makes the root directory of the last stage: Debian, the packages, the files of the first stage. */
function image(built: string): string {
  const place = temporaryFolder();
  chmodSync(place, 0o755);
  for (const [name, rest] of lastStage) {
    if (name === "FROM") {
      expect(rest).toStartWith("docker.io/library/debian:13-slim");
      execFileSync("mmdebstrap", ["--quiet", "--variant=minbase", "trixie", place], { stdio: "pipe" });
    }
    if (name === "RUN") execFileSync("chroot", [place, "sh", "-ec", rest], { stdio: "pipe" });
    if (name !== "COPY") continue;
    const [, ...sources] = rest.split(" ");
    const target = join(place, sources.pop() ?? "");
    mkdirSync(target, { recursive: true });
    for (const source of sources)
      copyFileSync(source.replace(/^\/formd/, built), join(target, basename(source)));
  }
  return place;
}

/** Mounts as of Compose's `read_only`, `tmpfs` and a volume, and Docker's own /proc and /dev. */
const mounts = `
  set -e; place=$1 data=$2; shift 2
  mount --bind "$place" "$place"; mount --bind "$data" "$place/data"; mount --rbind /dev "$place/dev"
  mount -t tmpfs tmpfs "$place/tmp"; mount -t proc proc "$place/proc"; mount -o remount,ro,bind "$place"
  exec chroot --userspec=${user}:${group} "$place" "$@"`;

/** Starts a container of the image, with processes and mounts of its own and the network of this machine. */
function container(place: string, data: string, command: string[], settings: Record<string, string>) {
  const env = { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...settingsOfImage, ...settings };
  const args = ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", mounts, "sh", place, data];
  const child = spawn("unshare", [...args, ...words("ENTRYPOINT"), ...command], { env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise<[code: number | null, said: string]>((resolve) =>
    child.on("close", (code) => resolve([code, said])),
  );
  onCleanup(async () => void child.kill("SIGKILL"));
  /** Number of the container's first process on this machine. */
  const first = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
  /** `docker exec`. */
  const exec = (...command: string[]) => {
    const inside = ["--mount", "--pid", "--root", "--wd", `--setuid=${user}`, `--setgid=${group}`, "--"];
    return spawnSync("nsenter", [`--target=${first()}`, ...inside, ...command], { env, encoding: "utf8" });
  };
  const isHealthy = () => exec(...words("HEALTHCHECK")).status === 0;
  return {
    ended,
    exec,
    isHealthy,
    async healthy() {
      while (!isHealthy()) {
        const end = await Promise.race([ended, Bun.sleep(200)]);
        if (end) throw new Error(end[1]);
      }
    },
    async stop() {
      process.kill(Number(first()), "SIGTERM");
      return await ended;
    },
  };
}

/** To mount, and to be another root directory's root, takes a right that a container may lack. */
const mayMount = process.platform === "linux" && spawnSync("unshare", ["--mount", "true"]).status === 0;

describe("the image", () => {
  let place: string;
  const volume = () => {
    const folder = temporaryFolder();
    chownSync(folder, Number(user), Number(group));
    return folder;
  };
  const testImage = mayMount ? testRequiring("mmdebstrap") : test.skip;
  beforeAll(() => {
    if (mayMount && Bun.which("mmdebstrap")) place = image(build());
  }, 600_000);

  testImage(
    "serves with Debian's PostgreSQL, also after that has died, from a root file system that nobody writes",
    async () => {
      const PORT = String(await freePort());
      const { exec, healthy, isHealthy, stop } = container(place, volume(), words("CMD"), { PORT });
      await healthy();
      for (const path of [
        "/developer",
        "/developer/changelog",
        "/papi/v1/docs",
        "/developer/database",
        "/console/sign-in",
      ])
        expect([path, (await fetch(`http://127.0.0.1:${PORT}${path}`)).status]).toEqual([path, 200]);
      expect(exec("formd", "version").stdout).toMatch(/\(0123456789ab\).* PostgreSQL 17\./);
      exec("sh", "-c", "kill -9 $(head -n 1 /data/postgres-17/postmaster.pid)");
      await until(() => !isHealthy());
      await healthy();
      expect(await stop()).toEqual([0, expect.stringContaining("restarted PostgreSQL 17.")]);
    },
  );

  testImage("serves compose.yaml's database, which the other service has migrated", async () => {
    const [data, PORT, databasePort] = [volume(), String(await freePort()), await freePort()];
    const roles = compose.configs.roles?.content.trim().split(/;\s*/).filter(Boolean) ?? [];
    await debianPostgres("-c listen_addresses=127.0.0.1", roles, databasePort);
    const start = (service?: Compose["services"][string]) => {
      const { DATABASE_URL = "", ...settings } = service?.environment ?? {};
      const url = DATABASE_URL.replace("@database/", `@127.0.0.1:${databasePort}/`);
      return container(place, data, service?.command ?? [], { ...settings, DATABASE_URL: url, PORT });
    };
    expect(await start(migrate).ended).toEqual([0, expect.stringContaining("loaded the functions")]);
    const { healthy, stop } = start(served);
    await healthy();
    const { body } = await ask({ url: `http://127.0.0.1:${PORT}` }, "GET", "/readyz");
    // A worker makes it, after the server has begun to listen.
    await until(() => readdirSync(join(data, "files")).length > 0);
    expect(readdirSync(join(data, "files"))).toEqual([markerName]);
    expect([body.data.schema, (await stop())[0]]).toEqual(["current", 0]);
  });

  testImage("holds the licences, no packages of npm and no compiler", () => {
    const texts = readdirSync(join(place, "usr/share/doc/formd"));
    expect(texts.toSorted()).toEqual(["LICENSE", "THIRD-PARTY-NOTICES.txt", "formd.cdx.json"]);
    const printed = (program: string, ...args: string[]) =>
      spawnSync(program, args, { encoding: "utf8" }).stdout;
    expect(printed("find", place, "-xdev", "-name", "node_modules")).toBe("");
    expect(printed("chroot", place, "sh", "-c", "command -v cc gcc clang c++ bun node")).toBe("");
  });
});
