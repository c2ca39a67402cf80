// stacks: one deno
import { beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { until } from "../expect.ts";
import {
  ask,
  background,
  type Database,
  database,
  formd,
  type Ran,
  type Server,
  server,
  settingsFor,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";

const oneLine = /^formd: [^\n]+\n$/;

/** A database that formd has never migrated; the owner owns it. */
async function empty(): Promise<Database> {
  const created = await database();
  const [{ name }] = await created.sql<[{ name: string }]>`select current_database() as name`;
  await created.sql.unsafe(`drop schema formd cascade; alter database ${name} owner to formd_owner`);
  return created;
}

/** Half a minute of waiting, beside the other tests: the last one looks at it. */
let waiting: Promise<Ran & { seconds: number }>;
beforeAll(() => {
  const began = performance.now();
  waiting = formd(["migrate", "--json"], { DATABASE_URL: "postgres://formd:hunter2@127.0.0.1:1/forms" }).then(
    (ran) => ({ ...ran, seconds: (performance.now() - began) / 1000 }),
  );
});

describe("a database that cannot be reached", () => {
  test("a database that rejects the connection is not waited for", async () => {
    const { url } = await database();
    for (const args of [["migrate"], ["version"], ["serve"]]) {
      const { code, stdout, stderr } = await formd(args, {
        DATABASE_URL: url.replace(/test_\w+/, "no_such_database"),
      });
      expect([args, code, stdout]).toEqual([args, 1, ""]);
      // A command that waits says so, in a line more.
      expect(stderr).toMatch(oneLine);
      expect(stderr).toContain("no_such_database");
    }
  });
});

describe("a database URL with a mistake fails at once", () => {
  test("an unknown host, and a server without TLS where sslmode asks for it", async () => {
    // A PostgreSQL without TLS: it responds N to the request for it.
    const plain = createServer((socket) => socket.on("data", () => socket.write("N")));
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const { port } = plain.address() as AddressInfo;
    const at = `127.0.0.1:${port}`;
    for (const [place, reason] of [
      ["no-such-host.invalid:5432/forms", /no-such-host\.invalid:5432 as u: .*ENOTFOUND/],
      [`${at}/forms?sslmode=require`, /: the server offers no TLS, which sslmode requires$/m],
      [`${at}/forms?sslmode=verify-full`, /: the server offers no TLS/],
    ] as const) {
      const DATABASE_URL = `postgres://u:hunter2@${place}`;
      const { code, stdout, stderr } = await formd(["serve"], { DATABASE_URL });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(oneLine);
      expect(stderr).toMatch(reason);
      expect(stderr).not.toContain("hunter2");
    }
    plain.close();
  });
});

describe("migrate", () => {
  test("prints what it has applied; a second time there is nothing to do", async () => {
    const fresh = await empty();
    const migrate = async () => {
      const { code, stdout } = await formd(["migrate", "--json"], settingsFor(fresh));
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const { migrations, functions } = await migrate();
    const applied = await fresh.sql<{ version: string }[]>`
      select version from formd.schema_migrations order by version`;
    expect(migrations.map((name: string) => /^(\d{14})_\w+\.sql$/.exec(name)?.[1])).toEqual(
      applied.map(({ version }) => version),
    );
    expect(functions).toBeGreaterThan(30);
    expect(await migrate()).toEqual({ migrations: [], functions });
  });

  test("a role without the right fails with one line; any command migrates when its role has it", async () => {
    const fresh = await empty();
    const { code, stdout, stderr } = await formd(["migrate", "--json"], { DATABASE_URL: fresh.url });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^formd: \w+ may make no tables: set MIGRATION_DATABASE_URL[^\n]*\n$/);
    // The owner's URL is enough to migrate: the server's login need not work yet.
    const nobody = fresh.url.replace(/\/\/[^@]*@/, "//nobody_yet@");
    const later = { DATABASE_URL: nobody, MIGRATION_DATABASE_URL: fresh.ownerUrl };
    expect(await formd(["migrate"], later)).toMatchObject({ code: 0 });
    await fresh.sql.unsafe("drop schema formd cascade");
    const created = await formd(["bootstrap", "--email", "a@example.org", "--json"], settingsFor(fresh));
    expect([created.code, JSON.parse(created.stdout).operator.email]).toEqual([0, "a@example.org"]);
  });

  test("no command changes a database of a later formd", async () => {
    const later = await database();
    await later.sql`insert into formd.schema_migrations (version) values ('99990101000000')`;
    const bootstrap = ["bootstrap", "--email", "a@example.org"];
    for (const args of [["migrate"], ["serve"], ["serve", "--no-migrate"], bootstrap]) {
      const { code, stdout, stderr } = await formd(args, settingsFor(later));
      expect([args, code, stdout]).toEqual([args, 1, ""]);
      expect(stderr).toMatch(/^formd: [^\n]*newer[^\n]*99990101000000\): run the formd that[^\n]*\n$/);
    }
  });
});

describe("serve", () => {
  test("--no-migrate on a database that is not migrated fails with one line and changes nothing; without it the server migrates", async () => {
    const fresh = await empty();
    const { code, stdout, stderr } = await formd(["serve", "--no-migrate"], settingsFor(fresh));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^formd: [^\n]*formd migrate[^\n]*\n$/);
    expect((await fresh.sql`select to_regnamespace('formd') as found`)[0]?.found).toBeNull();
    const running = await server(settingsFor(fresh));
    expect((await ask(running, "GET", "/readyz")).status).toBe(200);
    expect(await running.stop("SIGINT")).toBe(0);
  });

  test("--no-migrate on a migrated one serves; stdout is JSON lines only, up to the last one", async () => {
    const { url } = await database();
    const settings = {
      DATABASE_URL: url,
      PORT: "0",
      HOST: "127.0.0.1",
      DRAIN_SECONDS: "0",
      WEBHOOKS: "false",
    };
    const { child, printed, ended } = background(["serve", "--no-migrate"], settings);
    await until(() => printed.stdout.includes("listening") || child.exitCode !== null);
    const { port } = JSON.parse(printed.stdout);
    expect((await ask({ url: `http://127.0.0.1:${port}` }, "GET", "/healthz")).status).toBe(200);
    // A response is logged after it is sent.
    await until(() => printed.stdout.includes("/healthz"));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    const lines = printed.stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line)).map(({ msg, path }) => msg ?? path)).toEqual([
      "listening",
      "/healthz",
      "draining",
      "stopped",
    ]);
  });

  test("a port that is in use is an error that names it; the first server keeps the port to itself", async () => {
    const first = await server({ DATABASE_URL: (await database()).url });
    const { port } = new URL(first.url);
    const environment = { DATABASE_URL: (await database()).url, HOST: "127.0.0.1", PORT: port };
    expect(await formd(["serve"], environment)).toEqual({
      code: 1,
      stdout: "",
      stderr: `formd: Cannot listen on 127.0.0.1, port ${port}: the port is in use.\n`,
    });
  });

  test("a server whose database becomes older reports it at /readyz and stays alive", async () => {
    const created = await database();
    const running = await server({ DATABASE_URL: created.url });
    await created.sql`
      delete from formd.schema_migrations where version = (select max(version) from formd.schema_migrations)`;
    expect(await ask(running, "GET", "/readyz")).toMatchObject({
      status: 503,
      body: { code: "unavailable", error: expect.stringContaining("formd migrate"), schema: "older" },
    });
    expect((await ask(running, "GET", "/healthz")).status).toBe(200);
    await created.sql`revoke usage on schema formd from formd_app`;
    expect(await ask(running, "GET", "/readyz")).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining("the role formd_app"), schema: "unreadable" },
    });
  });
});

describe("demo", () => {
  let app: Server & { database: Database };
  const run = (...args: string[]) =>
    formd(["demo", ...args], { ...settingsFor(app.database), BASE_URL: app.url });
  beforeAll(async () => {
    const created = await database();
    app = { ...(await server({ DATABASE_URL: created.url })), database: created };
  });

  test("--json prints what it created", async () => {
    const { code, stdout, stderr } = await run("--json");
    expect([code, stderr]).toEqual([0, ""]);
    const demo = JSON.parse(stdout);
    const text = expect.any(String);
    expect(demo).toEqual({
      baseUrl: app.url,
      form: { id: text, name: text, status: "published", currentVersion: 1 },
      accessKey: expect.stringMatching(/^fdf_/),
      apiKey: expect.stringMatching(/^fdk_/),
      agent: {
        id: text,
        clientId: expect.stringMatching(/^agent_[0-9a-f]{32}$/),
        secret: expect.stringMatching(/^fda_/),
      },
      operator: { email: expect.stringContaining("@"), password: expect.stringMatching(/^.{16,}$/) },
    });
    const body = { clientSecret: demo.agent.secret };
    expect((await ask(app, "POST", "/papi/v1/auth/token", { body })).status).toBe(200);
    expect((await ask(app, "POST", "/console/login", { body: demo.operator })).status).toBe(200);
  });

  testRequiring("dash", "curl")(
    "its lines can be pasted into a shell, twice, each time for a new demo",
    async () => {
      const errors = [
        { field: "name", code: "min_length" },
        { field: "topic", code: "invalid_option" },
      ];
      for (let twice = 0; twice < 2; twice++) {
        const { stdout } = await run();
        const folder = temporaryFolder();
        const shell = spawn("dash", ["-eu"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
        shell.stdin.end(`${stdout}\nprintenv BASE ACCESS_KEY AGENT_SECRET API_KEY`);
        // Responses have no line end between them; the last comes with its headers, for the cookie.
        const lines = (await text(shell.stdout)).replace(/\}(?=\{|HTTP)/g, "}\n").split("\n");
        const responses = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
        expect(responses).toMatchObject([
          { data: { valid: false, missingRequired: ["email"], errors } },
          { data: { status: "completed", missingRequired: [] } },
          { data: { submissions: [{ data: { name: "Ada", people: 2 } }], pagination: { total: 1 } } },
          { access_token: expect.stringMatching(/^fds_/) },
          { result: { tools: expect.any(Array) } },
          { data: { operatorId: expect.any(String) } },
        ]);
        expect(lines.join()).toContain("formd_session=fdo_");
        expect(lines.join("\n")).toMatch(/^http\S+\nfdf_\S+\nfda_\S+\nfdk_\S+$/m);
      }
    },
  );
});

test("an unresponsive database is waited for, half a minute and no more, with a line every 5 s; then one line names its address, without the password", async () => {
  const { code, stdout, stderr, seconds } = await waiting;
  expect([code, stdout]).toEqual([1, ""]);
  const lines = stderr.trimEnd().split("\n");
  expect(lines.pop()).toMatch(/^formd: no connection to database forms at 127\.0\.0\.1:1 as formd: \S.*$/);
  expect(lines.length).toBeWithin(5, 8);
  for (const line of lines)
    expect(line).toMatch(/^waiting for database forms at 127\.0\.0\.1:1 as formd \(\S.*\), 30 s at most$/);
  expect(stderr).not.toContain("hunter2");
  expect(seconds).toBeGreaterThan(25);
});
