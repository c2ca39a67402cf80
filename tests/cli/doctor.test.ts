// stacks: one deno oldest
import { expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { connect } from "../../src/platform/database/db.ts";
import { checkFiles } from "../../src/platform/files/check.ts";
import { Files } from "../../src/platform/files/files.ts";
import { ensureMarker } from "../../src/platform/files/marker.ts";
import { DirectoryStore } from "../../src/platform/files/store.ts";
import { until } from "../expect.ts";
import { certificateFor, mailServer } from "../mail-server.ts";
import { pooler } from "../setup/cluster.ts";
import { masterKey } from "../setup/server.ts";
import { database, formd, formdProcess, server, temporaryFolder, testOnOneNode } from "../setup.ts";
import { type Check, examined, orderly } from "./examined.ts";

const unreachable = "postgres://formd:hunter2@127.0.0.1:1/forms";

const testOnPooler = pooler ? test : test.skip;
test("a server's own login on a migrated database is in order", async () => {
  const { code, names, wrong } = await examined(orderly(await database()));
  expect([code, wrong]).toEqual([0, {}]);
  expect(names).toEqual([
    ...[
      "settings",
      "database",
      "postgresql",
      "schema",
      "rights",
      "plans",
      "timeouts",
      "database log",
      "locks",
    ],
    ...["master key", "captcha", "mail", "clock", "proxies", "agents", "pool", "pooler", "order", "months"],
    ...["citus", "counters", "webhooks", "files", "scanner"],
  ]);
});

test("a server must not log in as the owner, though the audit refuses its changes too", async () => {
  const { ownerUrl } = await database();
  const { code, wrong } = await examined({ DATABASE_URL: ownerUrl, FORMD_SECRET_KEY: masterKey });
  expect([code, wrong]).toEqual([
    1,
    {
      rights: expect.stringContaining("has the rights of the owner"),
      plans: expect.stringContaining("alter role formd_owner set enable_seqscan = off;"),
      timeouts: expect.stringContaining("alter role formd_owner set statement_timeout = '10s';"),
    },
  ]);
});

test("each problem is reported with its fix, and the exit code is 1", async () => {
  const { url, ownerUrl } = await database();
  const { code, stderr, wrong } = await examined({
    DATABASE_URL: ownerUrl.replace(/\/\/[^@]*@/, "//postgres@"),
    BASE_URL: "https://forms.example.org",
    FORMD_LOG_LEVLE: "info",
    DATABASE_POOL_SIZE: "1000",
    CAPTCHA_PROVIDER: "altcha",
  });
  expect([code, url === ownerUrl]).toEqual([1, false]);
  expect(stderr).toContain("not in order: settings, rights, plans, timeouts, master key, proxies, pool.");
  expect(wrong).toEqual({
    settings: expect.stringContaining("FORMD_LOG_LEVLE"),
    rights: expect.stringContaining("is a superuser"),
    plans: expect.stringContaining("alter role postgres set enable_seqscan = off;"),
    timeouts: expect.stringContaining("alter role postgres set lock_timeout = '5s';"),
    "master key": expect.stringMatching(/the CAPTCHA.*formd secret generate/),
    proxies: expect.stringContaining("TRUSTED_PROXY_HOPS"),
    pool: expect.stringContaining("Lower DATABASE_POOL_SIZE"),
  });
});

test("servers with different file stores are detected, by missing files and by a marker", async () => {
  const made = await database();
  const settings = orderly(made);
  const [mine, other] = [temporaryFolder(), temporaryFolder()];
  const filesOf = async (directory: string) => {
    const { of } = await examined({ ...settings, FILES_URL: `file://${directory}` });
    const { ok = false, message = "" } = of("files") ?? {};
    return { ok, message, marker: /marker ([\da-f-]{36})/.exec(message)?.[1] };
  };
  const unmarked = await filesOf(mine);
  expect([unmarked.ok, unmarked.message]).toEqual([true, expect.stringContaining("has no marker yet")]);
  expect(readdirSync(mine)).toEqual([]);
  const running = await server({ ...settings, FILES_URL: `file://${mine}` });
  await until(() => readdirSync(mine).length === 1);
  await running.stop();
  await ensureMarker(new DirectoryStore(other));
  const [first, again, second] = [await filesOf(mine), await filesOf(mine), await filesOf(other)];
  expect([first.ok, again, second.ok]).toEqual([true, first, true]);
  expect(second.marker).not.toBe(first.marker);
  const [team, id] = [crypto.randomUUID(), crypto.randomUUID()];
  const sql = connect(made.ownerUrl, { poolSize: 1, prepare: false });
  await sql`
    insert into formd.files (team_id, form_id, id, field_id, state, uploader, name, size, type, created_at, expires_at)
    values (${team}, ${team}, ${id}, 'a', 'uploaded', 'page:', 'a', 1, 'text/plain', now(), now() + interval '1 hour')`;
  await sql.end();
  mkdirSync(join(mine, team));
  writeFileSync(join(mine, team, id), "a");
  expect(await filesOf(mine)).toEqual(first);
  const empty = temporaryFolder();
  const elsewhere = await server({ ...settings, FILES_URL: `file://${empty}` });
  await until(() => elsewhere.log().includes("It has no file of the database."));
  await elsewhere.stop();
  expect(readdirSync(empty), "no marker of a directory that is not the right one").toEqual([]);
  const gone = new Files(new DirectoryStore(join(empty, "files")));
  const beside = connect(made.ownerUrl, { poolSize: 1, prepare: false });
  expect(await checkFiles(beside, gone, false)).toMatchObject({
    ok: false,
    message: expect.stringContaining("is not there, though the database has files"),
  });
  await beside.end();
  expect(await filesOf(other)).toMatchObject({
    ok: false,
    message: expect.stringContaining("1 of 1 files are not there"),
  });
  const orphan = `${team}/${crypto.randomUUID()}`;
  writeFileSync(join(mine, orphan), "of a person whose row is not in the backup");
  const { ok, message } = await filesOf(mine);
  expect([ok, message]).toEqual([true, expect.stringContaining("In it one file has no row")]);
  expect(message).toEndWith(`: ${orphan}.`);
});

test("a directory of files that is not there is wrong, and stays missing", async () => {
  const directory = join(temporaryFolder(), "filez");
  const settings = { ...orderly(await database()), FILES_URL: `file://${directory}` };
  for (const environment of [settings, { ...settings, DATABASE_URL: unreachable }]) {
    const { code, of } = await examined(environment);
    expect([code, of("files")]).toMatchObject([
      1,
      { ok: false, message: expect.stringContaining(`${directory} is not there. Correct FILES_URL`) },
    ]);
    expect(existsSync(directory)).toBe(false);
  }
});

test("while PostgreSQL is down it says so at once, and checks what needs no database", async () => {
  // Time that it was waited for: the start of the process takes what the machine takes.
  const waited: number[] = [];
  const silent = createServer((socket) => {
    const begun = performance.now();
    socket.on("error", () => {}).on("close", () => waited.push(performance.now() - begun));
    socket.resume();
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const hanging = `postgres://formd:hunter2@127.0.0.1:${port}/forms`;
  for (const [DATABASE_URL, reason] of [
    [unreachable, "ECONNREFUSED"],
    [hanging, "no response in 2.5 s"],
  ] as const) {
    const { code, names, stderr, wrong } = await examined({
      DATABASE_URL,
      FORMD_SECRET_KEY: masterKey,
      BASE_URL: "https://forms.example.org",
    });
    expect(code).toBe(1);
    expect(names).toEqual([
      ...["settings", "database", "master key", "captcha", "mail", "proxies", "agents", "files", "scanner"],
    ]);
    expect(wrong).toEqual({
      database: expect.stringContaining(reason),
      proxies: expect.stringContaining("TRUSTED_PROXY_HOPS"),
    });
    expect(stderr).toEndWith("formd: not in order: database, proxies.\n");
    expect(JSON.stringify(wrong)).not.toContain("hunter2");
  }
  await until(() => waited.length > 0);
  expect(Math.max(...waited)).toBeLessThan(5_000);
  silent.close();
});

test("on a public server credentials of agents by API key are advised against, and nothing is wrong", async () => {
  const settings = orderly(await database());
  const publicly = { ...settings, BASE_URL: "https://forms.example.org", TRUSTED_PROXY_HOPS: "1" };
  const advised = async (environment: Record<string, string>) => {
    const { code, of } = await examined(environment);
    const { isAdvice, ok } = of("agents") ?? {};
    return [code, isAdvice, ok];
  };
  expect(await advised(settings)).toEqual([0, false, true]);
  expect(await advised({ ...publicly, AGENT_CREDENTIALS: "operator" })).toEqual([0, false, true]);
  expect(await advised(publicly)).toEqual([0, true, true]);
  const { code, stdout } = await formd(["doctor"], publicly);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^note {2}agents: .*AGENT_CREDENTIALS=operator/m),
  ]);
});

test("a test mail is sent to an e-mail address, and a server's rejection is reported", async () => {
  const settings = orderly(await database());
  const server = await mailServer();
  const send = async (more: Record<string, string>) =>
    (await examined({ ...settings, ...more }, "--mail", "ada@example.org")).of("mail");
  expect(await send(server.settings)).toMatchObject({
    ok: true,
    message: expect.stringContaining("took a mail"),
  });
  expect((await server.next("ada@example.org")).mail.text).toContain("This server can send mail to you.");
  const refusing = await mailServer({}, () => ({ status: 550 }));
  expect(await send(refusing.settings)).toMatchObject({
    ok: false,
    message: "The mail server refused the mail (550).",
  });
  expect(await send({})).toMatchObject({ ok: false, message: "SMTP_URL is not set." });
  expect((await formd(["doctor", "--mail", "nobody"], settings)).code).toBe(2);
});

test("a mail server whose certificate is of another name gets nothing, though its issuer is trusted", async () => {
  const settings = orderly(await database());
  // This machine by an address that is not a loopback one.
  const host = "0.0.0.0";
  const results: unknown[] = [];
  for (const name of [host, "another.example"]) {
    const { key: serverKey, cert, issuer } = certificateFor(name);
    const server = await mailServer({ key: serverKey, cert, disabledCommands: [] });
    const file = join(temporaryFolder(), "issuer.pem");
    writeFileSync(file, issuer);
    const { stdout } = await formdProcess(["doctor", "--json", "--mail", "ada@example.org"], {
      ...settings,
      ...server.settings,
      SMTP_URL: `smtp://${host}:${server.port}`,
      NODE_EXTRA_CA_CERTS: file,
      DENO_CERT: file,
    });
    const checks: Check[] = JSON.parse(stdout).checks;
    results.push([server.taken.length, checks.find((check) => check.name === "mail")?.message]);
  }
  expect(results).toEqual([
    [1, expect.stringContaining("took a mail")],
    [0, expect.stringContaining("its certificate is not valid for its name")],
  ]);
});

testOnOneNode(
  "a login of more rights than a server needs, or without time limits, is not in order",
  async () => {
    const { sql, ownerUrl } = await database();
    const role = `more_${Date.now()}`;
    await sql.unsafe(`
    create role ${role} login createrole in role formd_app, formd_admin, pg_write_all_data;
    alter role ${role} set enable_seqscan = off; alter role ${role} set jit = off;
    alter role ${role} set statement_timeout = '5s'; alter role ${role} set log_min_messages = 'warning'`);
    const settings = {
      DATABASE_URL: ownerUrl.replace("//formd_owner@", `//${role}@`),
      MIGRATION_DATABASE_URL: ownerUrl,
      FORMD_SECRET_KEY: masterKey,
    };
    const { code, wrong, warnings } = await examined(settings);
    expect([code, Object.keys(wrong)]).toEqual([1, ["rights", "timeouts"]]);
    expect(warnings["database log"]).toContain(`alter role ${role} set log_min_messages = 'log';`);
    expect(wrong.rights).toMatch(
      /has createrole; it is a member of formd_admin.*; it may .*insert on formd\.submissions/,
    );
    expect(wrong.timeouts).toContain(`alter role ${role} set lock_timeout = '5s';`);
    expect(wrong.timeouts).not.toContain("set statement_timeout");
    // Roles are of all databases, and another test finds none with such rights.
    await sql.unsafe(`drop role ${role}`);
  },
);

test("what may be a mistake is warned of, and the exit code stays 0", async () => {
  const settings = orderly(await database());
  const closed = { BASE_URL: "https://forms.example.org", TRUSTED_PROXY_HOPS: "1", HOST: "127.0.0.1" };
  const hosts = /HOST is 0\.0\.0\.0: .*X-Forwarded-For.*BASE_URL is http/;
  for (const [more, warning] of [
    [{ TRUSTED_PROXY_HOPS: "1", HOST: "0.0.0.0" }, expect.stringMatching(hosts)],
    [{ BASE_URL: "http://forms.example.org" }, expect.stringContaining("set METRICS_TOKEN")],
    [closed, undefined],
  ] as const) {
    const { code, warnings } = await examined({ ...settings, ...more });
    expect([more, code, warnings.proxies]).toEqual([more, 0, warning]);
  }
});

test("the pools of all instances are compared with what PostgreSQL has", async () => {
  const settings = { ...orderly(await database()), DATABASE_POOL_SIZE: "20" };
  expect((await examined(settings, "--instances", "2")).code).toBe(0);
  const many = await examined(settings, "--instances", "1000");
  expect([many.code, many.wrong.pool]).toEqual([1, expect.stringContaining("1000 times 20 connections")]);
  const { code, stderr } = await formd(["doctor", "--instances", "none"], settings);
  expect([code, stderr]).toEqual([2, expect.stringContaining("It must be a number from 1 to 9999.")]);
});

testOnPooler("a pooler is seen, and prepared statements through it are warned of", async () => {
  const settings = orderly(await database());
  const { code, warnings } = await examined({ ...settings, DATABASE_PREPARE: "true" });
  expect([code, warnings.pooler]).toEqual([0, expect.stringContaining("DATABASE_PREPARE is true")]);
  expect((await examined({ ...settings, DATABASE_PREPARE: "false" })).warnings.pooler).toBeUndefined();
});

testOnOneNode("while a process locks a table, the rest is checked and the process is named", async () => {
  const made = await database();
  const held = await made.sql.reserve();
  await held`begin`;
  await held`lock table formd.submission_counts in access exclusive mode`;
  const [{ pid }] = await held<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const other = connect(made.url, { poolSize: 1, prepare: false });
  const waiting = other`select from formd.submission_counts`.catch(() => {});
  await until(
    async () =>
      (
        await made.sql`select from pg_stat_activity where wait_event_type = 'Lock' and usename = 'formd'
        and datname = current_database()`
      ).length > 0,
  );
  const { code, wrong, warnings } = await examined(orderly(made));
  expect([code, Object.keys(wrong)]).toEqual([1, ["schema", "counters"]]);
  expect(wrong.counters).toStartWith("It could not be checked: canceling statement");
  expect(warnings.locks).toContain(`select pg_terminate_backend(${pid});`);
  await held`rollback`;
  held.release();
  await waiting;
  await other.end();
});

testOnOneNode("who holds a table is named when nobody waits for it at this moment", async () => {
  const made = await database();
  const settings = orderly(made);
  expect((await examined(settings)).warnings.locks).toBeUndefined();
  const held = await made.sql.reserve();
  await held`begin`;
  await held`lock table formd.sessions in exclusive mode`;
  const [{ pid }] = await held<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const { code, warnings } = await examined(settings);
  expect([code, warnings.locks]).toEqual([
    0,
    `The table sessions is held by process ${pid} of the role postgres; to end it: select pg_terminate_backend(${pid});`,
  ]);
  await held`rollback`;
  held.release();
});
