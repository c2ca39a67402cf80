// stacks: one
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateMasterKey } from "../../src/platform/master-key.ts";
import { unknownId } from "../expect.ts";
import { database, formd, server, temporaryFolder } from "../setup.ts";

// tests/unit/config.test.ts holds what each variable takes; this file holds what the command line shows of
// it.
test.each([
  ["PORT", "80.5", /0 to 65535/],
  ["DATABASE_URL", "postgres://u:hunter2@h:x/db", /postgres:\/\//],
  ["RATE_LIMIT_PAPI_AUTH_PER_MINUTE", "0", /1 to/],
  ["LOG_LEVEL", "loud", /debug, info, warn/],
])(
  "%s=%s stops the start with exit code 1 and one line on stderr, and shows no password",
  async (variable, value, allowed) => {
    const { code, stdout, stderr } = await formd(["serve"], { [variable]: value });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`^formd: ${variable} [^\n]*\n$`));
    expect(stderr).toMatch(allowed);
    expect(stderr).not.toContain("hunter2");
  },
);

test("every command checks the settings, and --help does not", async () => {
  expect(await formd(["version"], { PORT: "x" })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^formd: PORT /),
  });
  expect(await formd(["version", "--help"], { PORT: "x" })).toMatchObject({ code: 0, stderr: "" });
});

test("config shows the settings in effect without a database, and says which name is none", async () => {
  const FORMD_DATA_DIR = temporaryFolder();
  const environment = { FORMD_DATA_DIR, METRICS_TOKEN: "hunter2", FORMD_DATADIR: "x" };
  writeFileSync(join(FORMD_DATA_DIR, "secret.key"), generateMasterKey());
  const { code, stdout, stderr } = await formd(["config", "--json"], environment);
  expect([code, stderr]).toEqual([0, "FORMD_DATADIR is not a setting, but looks like one\n"]);
  const { settings } = JSON.parse(stdout) as { settings: { name: string; value: string; source: string }[] };
  const shown = Object.fromEntries(settings.map(({ name, ...setting }) => [name, setting]));
  expect(shown).toMatchObject({
    FORMD_DATA_DIR: { value: FORMD_DATA_DIR, source: "environment" },
    METRICS_TOKEN: { value: "[redacted]", source: "environment" },
    FORMD_SECRET_KEY: { value: "[redacted]", source: join(FORMD_DATA_DIR, "secret.key") },
    FILES_URL: { value: `file://${FORMD_DATA_DIR}/files`, source: "default" },
    ERASURES_FILE: { value: join(FORMD_DATA_DIR, "erasures.jsonl"), source: "default" },
    HOST: { source: "default" },
  });
  const lines = await formd(["config"], { DATABASE_URL: "postgres://u:hunter2@no-such-host.invalid/db" });
  expect([lines.code, lines.stderr]).toEqual([0, ""]);
  expect(lines.stdout).toMatch(
    /^DATABASE_URL +environment +postgres:\/\/\[redacted\]@no-such-host.invalid\/db$/m,
  );
  expect(lines.stdout).toMatch(/^FILES_URL +default +none$/m);
});

test("an unknown variable that looks like a setting is a warning in the log", async () => {
  const { url } = await database();
  const misspelt = await server({ DATABASE_URL: url, FORMD_DATADIR: "/srv", RATE_LIMIT_PER_MINUTE: "9" });
  const warned = misspelt.log().match(/"level":"warn".*"variable":"\w+"/g) ?? [];
  expect(warned.map((line) => /(\w+)"$/.exec(line)?.[1]).toSorted()).toEqual([
    "FORMD_DATADIR",
    "RATE_LIMIT_PER_MINUTE",
  ]);
});

test("a pool that PostgreSQL has no connections for is a warning in the log", async () => {
  const { url, sql } = await database();
  const isWarned = async (poolSize: string) => {
    const app = await server({ DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize, DATABASE_PREPARE: "true" });
    return app.log().includes("Lower DATABASE_POOL_SIZE or raise max_connections.");
  };
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} connection limit 20`);
  expect([await isWarned("20"), await isWarned("21")]).toEqual([false, true]);
});

test("a host of another machine fails with one line", async () => {
  const { url } = await database();
  for (const HOST of ["no-such-host.invalid", "192.0.2.1"]) {
    const environment = { DATABASE_URL: url, HOST, PORT: "0", BEHIND_PROXY: "true" };
    const { code, stdout, stderr } = await formd(["serve"], environment);
    expect([HOST, code, stdout]).toEqual([HOST, 1, ""]);
    expect(stderr).toMatch(/^formd: [^\n]+\n$/);
    expect(stderr).toContain(`HOST cannot be "${HOST}": this machine has no such address`);
  }
});

test("a URL of the database that cannot be one shows what it looks like, and how a password is written", async () => {
  for (const DATABASE_URL of ["postgres://u:hunter#2@h/db", "mysql://u:hunter2@h/db"]) {
    const { code, stderr } = await formd(["version"], { DATABASE_URL });
    expect(code).toBe(1);
    expect(stderr).toContain("such as postgres://USER:PASSWORD@HOST:5432/DATABASE; in a password # is %23,");
    expect(stderr).not.toContain("hunter");
    expect(stderr).not.toContain("redacted");
  }
});

test("a command without a server's data directory reports that, and creates no directory", async () => {
  const FORMD_DATA_DIR = join(temporaryFolder(), "none");
  for (const args of [
    ["form", "publish", unknownId],
    ["access-key", "create", unknownId],
    ["api-key", "list", "--team", unknownId],
    ["team", "list"],
    ["workspace", "list"],
    ["operator", "list"],
    ["backup", join(FORMD_DATA_DIR, "../file")],
  ]) {
    const { code, stdout, stderr } = await formd(args, { FORMD_DATA_DIR });
    expect([args, code, stdout]).toEqual([args, 1, ""]);
    expect(stderr).toMatch(/^formd: [^\n]+\n$/);
    expect(stderr).toMatch(/FORMD_DATA_DIR/);
  }
  expect(existsSync(FORMD_DATA_DIR)).toBe(false);
  expect(existsSync(join(FORMD_DATA_DIR, "../file"))).toBe(false);
});

test("a backup into a directory that does not exist names the file", async () => {
  const FORMD_DATA_DIR = join(temporaryFolder(), "none");
  const { code, stderr } = await formd(["backup", "/nowhere/file"], { FORMD_DATA_DIR });
  expect([code, stderr]).toEqual([1, "formd: /nowhere/file cannot be created: there is no such directory\n"]);
});

test("a data directory that cannot be created names the setting", async () => {
  const { code, stderr } = await formd(["bootstrap", "--email", "a@example.org"], {
    FORMD_DATA_DIR: "/dev/null/data",
  });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^formd: [^\n]*FORMD_DATA_DIR[^\n]*\n$/)]);
});
