/**
 * The compose file of docs/operate/container.md and the Dockerfile, as far as they can be tried without a
 * container engine.
 */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { program } from "../../src/cli/program.ts";
import { readConfig, settingNames } from "../../src/platform/config.ts";
import { blockOf, roleStatements } from "../pages.ts";
import { ask, emptyDatabase, formdProcess, freePort, root, server, temporaryFolder } from "../setup.ts";

setDefaultTimeout(120_000);
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
  FORMD_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
};

/** A variable in Compose's form, with `:?` where it must be set and `:-` before a default. */
const interpolated = (text: string) =>
  text.replace(/\$\{(\w+)(?::\?|:-([^}]*))?\}/g, (_, name: string, byDefault?: string) => {
    const value = environment[name] ?? byDefault;
    if (value === undefined) throw new Error(`${name} is not set`);
    return value;
  });

const yaml = blockOf("docs/operate/container.md", "yaml", "services:");
const compose = Bun.YAML.parse(interpolated(yaml)) as Compose;
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
  });
});

/**
 * Builds the Dockerfile's first stage: the copied files and the installed packages. Returns the directory.
 */
function stage(): string {
  const folder = temporaryFolder();
  for (const [, names = ""] of dockerfile.matchAll(/^COPY (?!--)(.+)$/gm)) {
    const sources = names.split(" ").slice(0, -1);
    const target = names.split(" ").at(-1) ?? "";
    for (const source of sources) {
      expect(dockerignore).toContain(`!${source}`);
      const to = join(folder, target === "./" ? source : target);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(root, source), to, { recursive: true });
    }
  }
  const [, install = ""] = /^RUN bun (install .+)$/m.exec(dockerfile) ?? [];
  const { status, stderr } = spawnSync(process.execPath, install.split(" "), { cwd: folder });
  expect([status, String(stderr)]).toEqual([0, expect.any(String)]);
  return folder;
}

describe("the Dockerfile", () => {
  test("its files and packages are enough to migrate and serve, and its health check reports the server's state", async () => {
    const directory = stage();
    const { url } = await emptyDatabase();
    const asOwner = { DATABASE_URL: url.replace(/\/\/[^@]*@/, "//formd_owner@") };
    const migrated = await formdProcess(["migrate"], asOwner, directory);
    expect([migrated.code, migrated.stderr]).toEqual([0, expect.stringContaining("loaded the functions")]);
    const port = await freePort();
    const settings = { ...served?.environment, DATABASE_URL: url, BASE_URL: `http://localhost:${port}` };
    const [, check = "[]"] = /^HEALTHCHECK[\s\S]*?CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, ...args] = JSON.parse(check) as string[];
    const healthCheck = () =>
      spawnSync(process.execPath, args, { env: { ...process.env, PORT: String(port) } }).status;
    expect(healthCheck()).toBe(1);
    const app = await server({ ...settings, PORT: String(port) }, { directory });
    expect(healthCheck()).toBe(0);
    for (const path of [
      "/developer",
      "/developer/guide",
      "/developer/changelog",
      "/papi/v1/docs",
      "/developer/database",
      "/console/sign-in",
    ])
      expect([path, (await fetch(`${app.url}${path}`)).status]).toEqual([path, 200]);
    expect((await ask(app, "GET", "/readyz")).body.data.schema).toBe("current");
    await app.stop();
  });

  test("has two stages, ends as a user without rights, and starts the server", () => {
    expect(dockerfile.match(/^FROM .+$/gm)).toHaveLength(2);
    const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect(lastStage.match(/^(?:USER|ENTRYPOINT|CMD) .+$/gm)).toEqual([
      "USER bun",
      'ENTRYPOINT ["bun", "src/main.ts"]',
      'CMD ["serve"]',
    ]);
  });
});
