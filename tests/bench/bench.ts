/**
 * `bun run bench`: the service beside pgbench, which calls the same SQL function one by one on the same
 * database, beside Elysia without a database, and beside the form service that one would write without formd.
 * Rounds are interleaved, so that a machine that slows down slows all of them; figures are medians, with the
 * lowest and the highest. It starts its own database and servers, loads them on loopback only, and stops by
 * itself.
 *
 * The scenarios of the picture run at every number of connections, the others at 1 or 64, where a bar asks
 * for it. Each is warmed up until its code is compiled. All parts together take 25 minutes.
 *
 *   --rounds 5 --seconds 3 --warmup 8 --connections 1,8,32,64,256 --teams 500 --agents 25000
 *   --parts requests,start,memory    start: 11 starts of the server, of FORMD_TEST_COMMAND if that is set;
 *       memory: 1,000,000 submits, and the memory after 10,000 and after all
 *   --against COMMIT           lists, forms and submits of another commit as well, on a database of its own
 *   --only "submit;pgbench"    these scenarios alone
 *   --json                     for machines, in place of the tables
 *   --write                    writes the figures of docs/bench.md and its picture as well
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { digestOf, signed } from "../signer.ts";
import { cpuOf, cpuOfFamily, memoryOf } from "./cpu.ts";
import {
  checkTools,
  type Figures,
  fire,
  type Load,
  pgbenchInserts,
  pgbenchSubmits,
  type Shot,
  submitByTool,
  submitShot,
} from "./load.ts";
import { bars, pagePart, picture, type Result, type Round, resultOf, tableOf, withPart } from "./report.ts";
import {
  formd,
  measured,
  medianOf,
  onEnd,
  open,
  optionsOf,
  type Serving,
  say,
  settingsOf,
  startMigrated,
  startServer,
} from "./runner.ts";
import { payload, seedHistory, seedSigners, seedTarget } from "./seed.ts";

const options = optionsOf({
  ...{ rounds: 5, seconds: 3, warmup: 8, connections: "1,8,32,64,256", teams: 500, agents: 25_000 },
  ...{ only: "", against: "", parts: "requests,start,memory", json: false, write: false },
});

/**
 * An agent submits once in 5 seconds: this number keeps a server busy for that long within the rate limit,
 * and three scenarios have their own. More of them (a faster machine) is more for PostgreSQL to keep in
 * memory.
 */
const agentsEach = options.agents;
const parts = new Set(options.parts.split(","));
/** Submits of the memory part. */
const memorySubmits = 1_000_000;
/** Agents with a key. The server remembers 10,000 keys. */
const signers = 9_000;
/** Connections for pgbench: the rest of PostgreSQL's hundred, after the pools of three servers. */
const mostForPgbench = 48;
/** Rows of the forms that are listed. */
const readRows = 2_000;

const run = promisify(execFile);
checkTools();
const { folder, cluster, sql } = await startMigrated();
const socket = decodeURIComponent(/[?&]host=([^&]*)/.exec(cluster.url)?.[1] ?? "");
const postmasterOf = (data: string) =>
  Number(readFileSync(join(data, "postgres-18", "postmaster.pid"), "utf8").split("\n", 1));
const postmaster = postmasterOf(join(folder, "data"));

const settings = {
  ...settingsOf(cluster.url),
  FEATURE_AGENT_SIGNING: "true",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1000000",
};
/** The formd that is measured, unless another command is given. */
const command = process.env.FORMD_TEST_COMMAND;
const serve = (program = command ? [...command.split(" "), "serve"] : formd) =>
  startServer(program, settings);

const form = "/papi/v1/management/forms/{form}";
const asOwner = { "x-api-key": "{apiKey}" };

const submit = submitShot;
const anonymous: Shot = {
  ...submit,
  headers: { ...submit.headers, "x-respondent-token": "{anonymous}" },
};
const validate: Shot = { ...submit, path: "/papi/v1/submitter/form/validation" };
const token: Shot = {
  method: "POST",
  path: "/papi/v1/auth/token",
  headers: { "x-agent-secret": "{secret}" },
};
const getForm: Shot = { method: "GET", path: form, headers: asOwner };
const list: Shot = { method: "GET", path: `${form}/submissions`, headers: asOwner };
const patch: Shot = {
  ...getForm,
  method: "PATCH",
  body: JSON.stringify({ operations: [{ op: "setMeta", name: "Bench" }] }),
};

/** A series of measurements: its server, its database and the numbers of connections to measure at. */
interface Scenario {
  name: string;
  /** The process whose CPU is the server's; pgbench has none. */
  server?: Serving;
  /** The postmaster of another database than the bench's own. */
  database?: number;
  connections: readonly number[];
  run(load: Load): Promise<Figures>;
}

const everywhere = options.connections.split(",").map(Number);

async function scenarios(): Promise<Scenario[]> {
  say(`seeding a team of ${3 * agentsEach + signers} agents`);
  const one = await seedTarget(sql, { agents: 3 * agentsEach + signers, anonymous: 1000 });
  await seedHistory(sql, one, { submissions: readRows, forms: 1 });
  const keys = await seedSigners(sql, one, signers);
  say(`seeding ${options.teams} teams`);
  const many = [];
  for (let i = 0; i < options.teams; i++)
    many.push(await seedTarget(sql, { agents: Math.ceil(agentsEach / options.teams), anonymous: 1 }));

  const bun = await serve();
  const rival = (name: string) =>
    startServer([process.execPath, "tests/bench/rivals.ts", name, cluster.url], {});
  const elysia = await rival("elysia");
  const fastify = await rival("fastify");
  const at =
    ({ url }: Serving, shot: Shot, targets = [one]) =>
    (load: Load) =>
      fire(folder, url, targets, shot, load);

  /** Every request signed anew: a nonce counts once. */
  const signedSubmits = (load: Load) => {
    const lines = keys.map((key) => {
      const unsigned = {
        method: "POST",
        authority: new URL(bun.url).host,
        path: submit.path,
        headers: { "x-form-access-key": one.accessKey, "content-digest": digestOf(payload) },
        body: payload,
      };
      return Object.entries(signed(key, unsigned).headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\r\n");
    });
    return fire(folder, bun.url, [one], { ...submit, headers: {}, lines }, load);
  };
  const byTool = await submitByTool(bun, one);
  const part = (nth: number): [first: number, count: number] => [1 + nth * agentsEach, agentsEach];
  const inserts = (rows: number) => (load: Load) => pgbenchInserts(folder, socket, one, rows, load);
  const all: Scenario[] = [];
  if (parts.has("requests"))
    all.push(
      {
        name: "pgbench",
        connections: everywhere,
        run: ({ connections, seconds }) =>
          pgbenchSubmits(folder, socket, one, part(0), {
            connections: Math.min(connections, mostForPgbench),
            seconds,
          }),
      },
      { name: "bare insert", connections: [1, 8, 16, 32], run: inserts(1) },
      { name: "bare insert, 32 rows", connections: [8], run: inserts(32) },
      {
        name: "submit",
        server: bun,
        connections: everywhere,
        run: at(bun, { ...submit, agents: part(1) }),
      },
      { name: `submit, ${many.length} teams`, server: bun, connections: [64], run: at(bun, submit, many) },
      { name: "submit, anonymous", server: bun, connections: [64], run: at(bun, anonymous) },
      { name: "submit, signed", server: bun, connections: everywhere, run: signedSubmits },
      {
        name: "submit, MCP",
        server: bun,
        connections: [64],
        run: at(bun, { ...byTool, agents: part(0) }),
      },
      { name: "validate", server: bun, connections: [64], run: at(bun, validate) },
      { name: "token mint", server: bun, connections: [64], run: at(bun, token) },
      { name: "patch form", server: bun, connections: [64], run: at(bun, patch, many) },
      {
        name: "Fastify service",
        server: fastify,
        connections: everywhere,
        run: at(fastify, { ...submit, agents: part(0) }),
      },
      { name: "Elysia, no database", server: elysia, connections: [64], run: at(elysia, submit) },
    );
  if (parts.has("requests") || options.against)
    all.push(
      { name: "get form", server: bun, connections: [64], run: at(bun, getForm) },
      { name: "list submissions", server: bun, connections: [64], run: at(bun, list) },
    );
  const [denoProgram] = new Bun.Glob("node_modules/@deno/*/deno").scanSync();
  if (parts.has("requests") && denoProgram) {
    const deno = await serve([denoProgram, "run", "-A", "src/main.ts", "serve"]);
    all.push({
      name: "submit, on Deno",
      server: deno,
      connections: everywhere,
      run: at(deno, { ...submit, agents: part(2) }),
    });
  }
  if (options.against) all.push(...(await scenariosOf(options.against)));
  await sql`vacuum analyze`;
  const chosen = options.only.split(";");
  return all.filter(({ name }) => !options.only || chosen.includes(name));
}

/** The requests that are compared with another commit, by its own code on a database of its own. */
async function scenariosOf(commit: string): Promise<Scenario[]> {
  say(`checking out ${commit}`);
  const tree = join(folder, "against");
  await run("git", ["worktree", "add", "--detach", tree, commit]);
  onEnd(() => run("git", ["worktree", "remove", "--force", tree]));
  await run(process.execPath, ["install", "--frozen-lockfile"], { cwd: tree });
  const database = "src/platform/database";
  const theirs: typeof import("../../src/platform/database/embedded/index.ts") = await import(
    join(tree, database, "embedded/index.ts")
  );
  const { migrate }: typeof import("../../src/platform/database/migrations/index.ts") = await import(
    join(tree, database, "migrations/index.ts")
  );
  const seed: typeof import("./seed.ts") = await import(join(tree, "tests/bench/seed.ts"));
  const data = join(folder, "data-against");
  const cluster = await theirs.embedded(data, say);
  onEnd(() => cluster.release());
  await migrate(cluster.ownerUrl, () => {});
  const sql = open(cluster.ownerUrl);
  const target = await seed.seedTarget(sql, { agents: agentsEach, anonymous: 1 });
  await seed.seedHistory(sql, target, { submissions: readRows, forms: 1 });
  await sql`vacuum analyze`;
  const server = await startServer(formd, { ...settings, DATABASE_URL: cluster.url }, tree);
  const byTool = await submitByTool(server, target);
  const shots = { submit, validate, "submit, MCP": byTool, "get form": getForm, "list submissions": list };
  return Object.entries(shots).map(([name, shot]) => ({
    name: `${name}, ${commit}`,
    server,
    database: postmasterOf(data),
    connections: [64],
    run: (load) => fire(folder, server.url, [target], shot, load),
  }));
}

/** One round of a scenario, with what it took of the machine. */
async function measure({ server, database = postmaster, run }: Scenario, load: Load): Promise<Round> {
  const used = () => [cpuOf(server?.process.pid), cpuOfFamily(database)];
  const before = used();
  const figures = await run(load);
  const each = used().map((after, i) =>
    after === undefined || before[i] === undefined || figures.requests === 0
      ? undefined
      : (after - before[i]) / figures.requests,
  );
  return { ...figures, serverCpu: each[0], postgresCpu: each[1] };
}

async function compare(): Promise<Result[]> {
  const all = await scenarios();
  // Connections, caches and compiled code are there before the first round; the memory of keys, too.
  for (const scenario of all) await measure(scenario, { connections: 32, seconds: options.warmup });
  const results: Result[] = [];
  const counts = new Set(all.flatMap((scenario) => scenario.connections));
  for (const connections of [...counts].sort((a, b) => a - b)) {
    const measured = all.filter((scenario) => scenario.connections.includes(connections));
    const rounds = new Map<string, Round[]>(measured.map(({ name }) => [name, []]));
    for (let round = 0; round < options.rounds; round++) {
      for (const scenario of measured)
        rounds.get(scenario.name)?.push(await measure(scenario, { connections, seconds: options.seconds }));
      say(`${connections} connections: round ${round + 1} of ${options.rounds}`);
    }
    for (const [name, figures] of rounds) results.push(resultOf(name, connections, figures));
  }
  return results;
}

/** Milliseconds from the start of a server until it is ready, as the median of some. */
async function startTime(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 11; i++) {
    const begun = performance.now();
    const { stop } = await serve();
    times.push(performance.now() - begun);
    await stop();
  }
  return medianOf(times);
}

/** Resident bytes of a server after 10,000 submits and after `total`. */
async function memoryAfter(total: number): Promise<{ early: number; late: number; submits: number }> {
  const target = await seedTarget(sql, { agents: 200_000, anonymous: 1 });
  const server = await serve();
  let submits = 0;
  let early = 0;
  while (submits < total) {
    const seconds = early === 0 ? 2 : 20;
    const { requests, failed } = await fire(folder, server.url, [target], submit, {
      connections: 64,
      seconds,
    });
    submits += requests - failed;
    if (early === 0 && submits >= 10_000) early = memoryOf(server.process.pid);
    say(`${submits} submits: ${Math.round(memoryOf(server.process.pid) / 2 ** 20)} MB`);
  }
  return { early, late: memoryOf(server.process.pid), submits };
}

await measured(async () => {
  const startMs = parts.has("start") ? await startTime() : undefined;
  const results = parts.has("requests") || options.against ? await compare() : [];
  const memory = parts.has("memory") ? await memoryAfter(memorySubmits) : undefined;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, bun ${Bun.version}`;
  const found = bars(results, memory, options.against, startMs);
  if (options.write) {
    const date = new Date().toISOString().slice(0, 10);
    const command = `bun run bench ${process.argv.slice(2).join(" ")}`;
    const part = pagePart(results, found, { machine, date, command });
    writeFileSync("docs/bench.md", withPart(readFileSync("docs/bench.md", "utf8"), part));
    writeFileSync("docs/images/bench.svg", picture(results, machine));
  }
  if (options.json) console.log(JSON.stringify({ machine, results, bars: found, memory, startMs }));
  else {
    console.log(machine);
    if (results.length > 0) console.table(tableOf(results));
    if (found.length > 0) console.table(found);
  }
});
