/**
 * A cluster of Citus in operation: a database that becomes one with its data, a worker that dies, a worker
 * that comes, a backup and its restore, the duration of a submit beside a plain database. It needs the
 * cluster of .ci/citus with a third worker, and runs by `FORMD_CI_WORKERS=3 .ci/citus bun test
 * tests/slow/citus.test.ts`.
 */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { connectionsCpuMs } from "../bench/cpu.ts";
import { blockOf } from "../pages.ts";
import { ask, formd, makeForm, makeTeam, onCleanup, permissive, type Service, server } from "../setup.ts";

const { FORMD_TEST_POSTGRES: given = "", FORMD_TEST_CITUS: workers, FORMD_CITUS_SECONDS = "6" } = process.env;
const onCitus = workers ? test : test.skip;
const place = /host=([^&]*)/.exec(given)?.[1] ?? "";
const seconds = Number(FORMD_CITUS_SECONDS);
const name = "formd_in_operation";
const truncation = blockOf("docs/dba/citus.md", "sql", "select truncate_local_data_after").replace(
  /;\s*$/,
  "",
);
const [coordinator, first, second, third] = [5432, 5433, 5434, 5435] as const;

const urlOf = (user: string, port: number = coordinator, database = name) =>
  `postgres://${user}@localhost/${database}?host=${place}&port=${port}`;

function sqlOf(port: number, database = name): Sql {
  const sql = connect(urlOf("postgres", port, database), { poolSize: 4, prepare: false });
  onCleanup(() => sql.end({ timeout: 1 }));
  return sql;
}

const settings = {
  DATABASE_URL: urlOf("formd"),
  MIGRATION_DATABASE_URL: urlOf("formd_owner"),
  ...permissive,
};

/** Runs a program of PostgreSQL as its user. */
function run(program: string, ...args: string[]): void {
  const { uid, gid } = statSync(join(place, "node0"));
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  const path = join(place, "usr/lib/postgresql/15/bin", program);
  const { status, stderr } = spawnSync(path, args, { ...user, cwd: "/", encoding: "utf8" });
  expect([program, status, status === 0 ? "" : stderr]).toEqual([program, 0, ""]);
}

/** Returns the cluster check of `formd doctor`. */
async function doctorOnCitus(): Promise<{ ok: boolean; message: string }> {
  const { checks } = JSON.parse((await formd(["doctor", "--json"], settings)).stdout) as {
    checks: { name: string; ok: boolean; message: string }[];
  };
  const { ok, message } = checks.find(({ name }) => name === "citus") ?? {
    ok: false,
    message: "not checked",
  };
  return { ok, message };
}

interface Load {
  stop(): Promise<{
    teams: Map<string, number[]>;
    acknowledged: string[];
    faults: string[];
    slowestMs: number;
  }>;
}

interface Target {
  team: string;
  accessKey: string;
  key: string;
}

async function submit(app: { url: string }, { accessKey, key }: Target) {
  const began = performance.now();
  const { status, headers, body } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": accessKey, "x-api-key": key },
    body: { data: { name: "Ada" } },
  });
  const requestId = headers.get("x-request-id") ?? "";
  return { status, requestId, id: body.data?.id as string, ms: performance.now() - began };
}

/** Submits for every team, from one connection each, until it is stopped. */
function load(app: { url: string }, targets: Target[]): Load {
  const teams = new Map<string, number[]>(targets.map(({ team }) => [team, []]));
  const acknowledged: string[] = [];
  const faults: string[] = [];
  let [isOver, slowestMs] = [false, 0];
  const loops = targets.map(async (target) => {
    while (!isOver) {
      const { status, requestId, id, ms } = await submit(app, target);
      slowestMs = Math.max(slowestMs, ms);
      teams.get(target.team)?.push(status);
      if (status === 200) acknowledged.push(id);
      if (status === 500) faults.push(requestId);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(loops);
    return { teams, acknowledged, faults, slowestMs: Math.round(slowestMs) };
  };
  return { stop };
}

/** The port of the worker that holds each team's rows. */
async function portsOf(sql: Sql, targets: Target[]): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const { team } of targets) {
    const [row] = await sql<{ port: number }[]>`
      select nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
      where p.shardid = get_shard_id_for_distribution_column('formd.teams', ${team}::text)`;
    ports.set(team, row?.port ?? 0);
  }
  return ports;
}

const lost = async (sql: Sql, acknowledged: string[]) => {
  const rows = await sql<{ id: string }[]>`select id from formd.submissions`;
  const stored = new Set(rows.map(({ id }) => id));
  return acknowledged.filter((id) => !stored.has(id)).length;
};

const statusesOf = (teams: Map<string, number[]>) =>
  [...teams].map(([team, statuses]) => [team, [...new Set(statuses)].sort()] as const);

const fieldsOfForm = [{ id: "name", type: "text", label: "Name" }];

onCitus(
  "a database with data is distributed, survives a worker, takes another one, and is restored from a backup",
  async () => {
    const figures: Record<string, unknown> = {};
    const admins = [coordinator, first, second, third].map((port) => sqlOf(port, "postgres"));
    for (const admin of admins) {
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.unsafe(`create database ${name} owner formd_owner`);
    }
    const nodes = [coordinator, first, second, third].map((port) => sqlOf(port));
    const [sql] = nodes as [Sql];

    // Way in: a database that servers have filled, without Citus so far.
    expect((await formd(["migrate"], settings)).code).toBe(0);
    const plain = await server(settings);
    const service: Service = { ...plain, database: { url: settings.DATABASE_URL, ownerUrl: "", sql } };
    const targets: Target[] = [];
    for (let i = 0; i < 8; i++) {
      const team = await makeTeam(service);
      const form = await makeForm(service, team, fieldsOfForm);
      targets.push({ team: team.id, accessKey: form.accessKey, key: team.key });
    }
    const filling = load(plain, targets);
    await Bun.sleep(1_000);
    const filled = (await filling.stop()).acknowledged;
    await plain.stop();
    for (const node of nodes) await node`create extension citus`;
    await sql`select citus_set_coordinator_host(${place}::text, ${coordinator}::int)`;
    for (const port of [first, second]) await sql`select citus_add_node(${place}::text, ${port}::int)`;
    expect(await doctorOnCitus()).toEqual({
      ok: false,
      message: expect.stringMatching(/^Not distributed: .*\bsubmissions\b.*formd distribute/),
    });
    let began = performance.now();
    const distributed = await formd(["distribute", "--json"], settings);
    expect([distributed.code, JSON.parse(distributed.stdout).tables]).toEqual([
      0,
      expect.arrayContaining(["operators", "submissions"]),
    ]);
    figures.distributeMs = Math.round(performance.now() - began);
    expect(JSON.parse((await formd(["distribute", "--json"], settings)).stdout)).toEqual({ tables: [] });
    expect((await doctorOnCitus()).ok).toBe(true);
    expect(await lost(sql, filled)).toBe(0);
    figures.rows = filled.length;

    // Functions are on every node, with equal rights.
    const functionsOf = (node: Sql) => node`
      select p.oid::regprocedure::text as name, md5(p.prosrc) as source, p.proconfig,
        array(select a::text from unnest(p.proacl) a order by 1) as rights
      from pg_proc p where p.pronamespace = 'formd'::regnamespace order by 1`;
    const functions = await functionsOf(sql);
    for (const node of nodes.slice(1, 3)) expect(await functionsOf(node)).toEqual(functions);
    figures.functions = functions.length;

    // The copies that distribution left on the coordinator go, by the statement of docs/dba/citus.md.
    const localBytes = async () => {
      const [row] = await sql<[{ bytes: number }]>`
        select sum(pg_relation_size(logicalrelid))::float8 as bytes from pg_dist_partition where partmethod = 'h'`;
      return row.bytes;
    };
    expect(await localBytes()).toBeGreaterThan(0);
    await sql.unsafe(truncation);
    expect(await localBytes()).toBe(0);
    expect(await lost(sql, filled)).toBe(0);

    // A worker dies under load: its teams get 503 until it is back, the others see nothing.
    const app = await server(settings);
    const ports = await portsOf(sql, targets);
    const during = load(app, targets);
    await Bun.sleep(1_000);
    const data = join(place, "node1");
    const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, "SIGQUIT");
    await Bun.sleep(seconds * 500);
    expect(await doctorOnCitus()).toEqual({
      ok: false,
      message: `${place}:${first}: no response. Requests of the teams there get 503.`,
    });
    await ask(app, "GET", "/metrics");
    await Bun.sleep(1_000);
    expect((await ask(app, "GET", "/metrics")).body).toMatch(/^formd_citus_silent_nodes 1$/m);
    const outage = await during.stop();
    const linesOf = (id: string) =>
      app
        .log()
        .split("\n")
        .filter((line) => line.includes(id));
    expect(outage.faults.flatMap(linesOf)).toEqual([]);
    for (const [team, statuses] of statusesOf(outage.teams))
      expect([ports.get(team), statuses]).toEqual([
        ports.get(team),
        ports.get(team) === first ? [200, 503] : [200],
      ]);
    run(
      "pg_ctl",
      "start",
      "--silent",
      "--wait",
      `--pgdata=${data}`,
      `--log=${join(place, "log1")}`,
      "--options",
      optionsOf(data),
    );
    expect(await lost(sql, outage.acknowledged)).toBe(0);
    figures.outage = { acknowledged: outage.acknowledged.length, lost: 0, slowestMs: outage.slowestMs };

    // A worker comes, and gets its share of the shards under load.
    const before = load(app, targets);
    began = performance.now();
    await sql`select citus_add_node(${place}::text, ${third}::int)`;
    await sql`select rebalance_table_shards(shard_transfer_mode => 'force_logical')`;
    figures.rebalanceMs = Math.round(performance.now() - began);
    await Bun.sleep(500);
    const moved = await before.stop();
    expect(statusesOf(moved.teams).flatMap(([, statuses]) => statuses)).toEqual(targets.map(() => 200));
    expect(await lost(sql, [...outage.acknowledged, ...moved.acknowledged])).toBe(0);
    const [placed] = await sql<{ workers: number }[]>`
      select count(distinct groupid)::int as workers from pg_dist_placement
      where shardid in (select shardid from pg_dist_shard where logicalrelid = 'formd.submissions'::regclass)`;
    expect(placed?.workers).toBe(3);
    figures.rebalance = { acknowledged: moved.acknowledged.length, lost: 0, slowestMs: moved.slowestMs };

    // A table that comes later, under load.
    const owner = connect(settings.MIGRATION_DATABASE_URL, { poolSize: 1, prepare: false });
    const later = load(app, targets);
    await owner.unsafe(`do $$ begin
      create table formd.things (team_id uuid not null, form_id uuid not null, id uuid not null,
        constraint things_pkey primary key (team_id, id),
        constraint things_form_fkey foreign key (team_id, form_id) references formd.forms (team_id, id) on delete cascade);
    end $$`);
    await owner.end();
    began = performance.now();
    const again = await formd(["distribute", "--json"], settings);
    figures.laterMs = Math.round(performance.now() - began);
    expect(JSON.parse(again.stdout)).toEqual({ tables: ["things"] });
    const added = await later.stop();
    expect(statusesOf(added.teams).flatMap(([, statuses]) => statuses)).toEqual(targets.map(() => 200));
    figures.later = { acknowledged: added.acknowledged.length, slowestMs: added.slowestMs };
    await app.stop();

    // Backup and restore into a database that is not distributed, which is the way out, and into one that is.
    const dump = join(place, "dump");
    run(
      "pg_dump",
      `--dbname=${urlOf("postgres")}`,
      "--data-only",
      "--schema=formd",
      "--format=custom",
      `--file=${dump}.main`,
      "--exclude-table=formd.schema_migrations",
      "--exclude-table=formd.rate_limits",
      "--exclude-table=formd.things",
    );
    const all = [...filled, ...outage.acknowledged, ...moved.acknowledged, ...added.acknowledged];
    const restore = async (database: string, prepare: (url: string) => Promise<void>) => {
      for (const admin of admins) {
        await admin.unsafe(`drop database if exists ${database} with (force)`);
        await admin.unsafe(`create database ${database} owner formd_owner`);
      }
      const url = urlOf("formd_owner", coordinator, database);
      expect((await formd(["migrate"], { DATABASE_URL: url })).code).toBe(0);
      await prepare(url);
      const began = performance.now();
      const target = `--dbname=${urlOf("postgres", coordinator, database)}`;
      run("pg_restore", target, "--data-only", "--exit-on-error", `${dump}.main`);
      expect(await lost(sqlOf(coordinator, database), all)).toBe(0);
      return { rows: all.length, ms: Math.round(performance.now() - began) };
    };
    const [out, back] = [`${name}_out`, `${name}_back`];
    figures.restored = await restore(out, async () => {});
    figures.restoredDistributed = await restore(back, async (url) => {
      const nodes = [coordinator, first, second].map((port) => sqlOf(port, back));
      for (const node of nodes) await node`create extension citus`;
      const [main] = nodes as [Sql];
      await main`select citus_set_coordinator_host(${place}::text, ${coordinator}::int)`;
      for (const port of [first, second]) await main`select citus_add_node(${place}::text, ${port}::int)`;
      expect((await formd(["distribute"], { DATABASE_URL: url })).code).toBe(0);
    });

    // A submit beside one in a plain database of the same machine, in turns.
    const [target] = targets as [Target];
    const apps = [];
    for (const database of [back, out])
      apps.push(await server({ ...permissive, DATABASE_URL: urlOf("formd", coordinator, database) }));
    const took: number[][] = [[], []];
    const cpuBefore = [back, out].map(connectionsCpuMs);
    for (let round = 0; round < 200; round++)
      for (const [index, app] of apps.entries()) {
        const { status, ms } = await submit(app, target);
        expect(status).toBe(200);
        took[index]?.push(ms);
      }
    const median = (numbers: number[] = []) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
    figures.submit = [back, out].map((database, index) => ({
      database,
      ms: median(took[index]).toFixed(1),
      databaseCpuMs: ((connectionsCpuMs(database) - (cpuBefore[index] ?? 0)) / 200).toFixed(2),
    }));
    console.log(JSON.stringify(figures));
  },
  300_000,
);

/** Options that a node was started with: its port, its socket, Citus. */
const optionsOf = (data: string) =>
  readFileSync(join(data, "postmaster.opts"), "utf8")
    .match(/"-c" "[^"]*"/g)
    ?.join(" ")
    .replaceAll('"', "") ?? "";
